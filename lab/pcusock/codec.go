package pcusock

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShort is returned for a message shorter than its type needs.
var ErrShort = errors.New("pcusock: message too short")

// ErrSlot is returned for a transceiver or time slot that no cell has.
var ErrSlot = errors.New("pcusock: no such time slot")

// Message is a message's frame; Body is what follows the header, with whatever
// padding the sender appended.
type Message struct {
	Type MsgType
	BTS  uint8
	Body []byte // part of what was parsed
}

// body is a message that has a codec.
type body interface {
	msgType() MsgType
	fields(l *layout)
}

// Parse reads the header of one datagram.
func Parse(b []byte) (Message, error) {
	if len(b) < headerSize {
		return Message{}, fmt.Errorf("%w: %d octets", ErrShort, len(b))
	}
	return Message{Type: MsgType(b[0]), BTS: b[1], Body: b[headerSize:]}, nil
}

// Decode reads m's body into v, a pointer to the struct of m's type.
func (m Message) Decode(v body) error {
	if m.Type != v.msgType() {
		return fmt.Errorf("pcusock: %v is no %v", m.Type, v.msgType())
	}
	if size := bodySizes[m.Type]; len(m.Body) < size {
		return fmt.Errorf("%w: %v of %d octets, not %d", ErrShort, m.Type, len(m.Body), size)
	}
	v.fields(&layout{b: m.Body})
	return nil
}

// Encode makes the datagram of v, MessageSize long.
func Encode(bts uint8, v body) []byte {
	b := make([]byte, MessageSize)
	b[0], b[1] = byte(v.msgType()), bts
	v.fields(&layout{b: b[headerSize:], write: true})
	return b
}

// layout goes through a structure member by member, so that one list of members
// serves both directions. Who uses it has checked the length.
type layout struct {
	b     []byte
	at    int
	write bool
}

func (l *layout) next(n int) []byte {
	l.at += n
	return l.b[l.at-n : l.at]
}

func (l *layout) u8(v *uint8) {
	if p := l.next(1); l.write {
		p[0] = *v
	} else {
		*v = p[0]
	}
}

func (l *layout) u16(v *uint16) {
	if p := l.next(2); l.write {
		binary.NativeEndian.PutUint16(p, *v)
	} else {
		*v = binary.NativeEndian.Uint16(p)
	}
}

func (l *layout) u32(v *uint32) {
	if p := l.next(4); l.write {
		binary.NativeEndian.PutUint32(p, *v)
	} else {
		*v = binary.NativeEndian.Uint32(p)
	}
}

func (l *layout) octets(v []byte) {
	if p := l.next(len(v)); l.write {
		copy(p, v)
	} else {
		copy(v, p)
	}
}

// flag is an octet that is 0 or not.
func (l *layout) flag(v *bool) {
	var o uint8
	if *v {
		o = 1
	}
	l.u8(&o)
	*v = o != 0
}

func (l *layout) u8s(vs ...*uint8) {
	for _, v := range vs {
		l.u8(v)
	}
}

func (l *layout) u16s(vs ...*uint16) {
	for _, v := range vs {
		l.u16(v)
	}
}
