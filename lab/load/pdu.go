package load

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"poolgw/bssgp"
)

// What a PDU of ours looks like: NS-UNITDATA (TS 48.016 9.2.10), UL- or
// DL-UNITDATA (TS 48.018 10.2), and as its LLC-PDU a probe:
//
//	0  magic, 4 octets
//	4  subscriber, index
//	8  number of the PDU among the subscriber's in this direction, from 1
//	12 direction
//	13 run, modulo 256
//	14 2 octets of the filling
//	16 when it was sent, ns
//	24 filling
const (
	nsHeader  = 4
	tlliAt    = nsHeader + 1
	probeSize = 24
	magic     = 0x504f4f4c
)

// Direction is that of user data.
type Direction uint8

const (
	Up Direction = iota
	Down
)

func (d Direction) String() string { return [...]string{"UL", "DL"}[d&1] }

// template is a PDU of one cell and size, to be filled in: its TLLI and probe
// are what differs from PDU to PDU.
type template struct {
	octets []byte
	probe  int // where it begins; the LLC-PDU is the last IE
}

// newTemplate makes a template of size octets, of the UDP payload. (One octet
// less where the length indicator of the LLC-PDU grows.)
func newTemplate(d Direction, bvci uint16, cell bssgp.CellID, size int) (template, error) {
	for llc := size; llc >= probeSize; llc-- {
		fill := make([]byte, llc)
		for i := range fill {
			fill[i] = byte(i*7 + 3)
		}
		b := []byte{0, 0, byte(bvci >> 8), byte(bvci)}
		if d == Up {
			b = bssgp.AppendULUnitdata(b, 0, bssgp.QoS{0, 0, 4}, cell, fill)
		} else {
			p := bssgp.DLUnitdata{QoS: bssgp.QoS{0, 0, 4}, Lifetime: 1000, LLC: fill}
			b = p.Append(b)
		}
		if len(b) <= size {
			return template{b, len(b) - llc}, nil
		}
	}
	return template{}, fmt.Errorf("load: a PDU of %d octets is too short", size)
}

// probe is what the LLC-PDU carries.
type probe struct {
	sub uint32
	seq uint32
	dir Direction
	run uint8
	at  int64 // ns since the generator's epoch
}

// write makes the PDU for a subscriber in b and returns its length.
func (t *template) write(b []byte, tlli uint32, p probe) int {
	n := copy(b, t.octets)
	binary.BigEndian.PutUint32(b[tlliAt:], tlli)
	q := b[t.probe : t.probe+probeSize]
	binary.BigEndian.PutUint32(q, magic)
	binary.BigEndian.PutUint32(q[4:], p.sub)
	binary.BigEndian.PutUint32(q[8:], p.seq)
	q[12], q[13] = byte(p.dir), p.run
	binary.BigEndian.PutUint64(q[16:], uint64(p.at))
	return n
}

// read takes the probe out of a PDU of this template.
func (t *template) read(b []byte) probe {
	q := b[t.probe : t.probe+probeSize]
	return probe{sub: binary.BigEndian.Uint32(q[4:]), seq: binary.BigEndian.Uint32(q[8:]),
		dir: Direction(q[12]), run: q[13], at: int64(binary.BigEndian.Uint64(q[16:]))}
}

// matches tells whether a PDU is one of this template: all that does not differ
// from PDU to PDU is as it was made. Only the TLLI and the probe are left out.
func (t *template) matches(b []byte) bool {
	if len(b) != len(t.octets) || binary.BigEndian.Uint32(b[t.probe:]) != magic {
		return false
	}
	return bytes.Equal(b[:tlliAt], t.octets[:tlliAt]) && bytes.Equal(b[tlliAt+4:t.probe], t.octets[tlliAt+4:t.probe]) &&
		bytes.Equal(b[t.probe+14:t.probe+16], t.octets[t.probe+14:t.probe+16]) &&
		bytes.Equal(b[t.probe+probeSize:], t.octets[t.probe+probeSize:])
}

// isUserData tells user data of ours from what belongs to the stack.
func isUserData(b []byte) bool {
	return len(b) > nsHeader && b[0] == 0 && binary.BigEndian.Uint16(b[2:]) >= 2 &&
		bssgp.PDUType(b[nsHeader]) <= bssgp.TypeULUnitdata
}
