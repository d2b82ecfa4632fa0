package pcusock

import "bytes"

const maxText = 128

// TextType says what a Text is.
type TextType uint8

// The types of text.
const (
	TextVersion TextType = 0 // the PCU's software version
	TextAlert   TextType = 1 // an alarm for the BTS's O&M link
)

// Text is TXT_IND.
type Text struct {
	Type TextType
	Text string // up to 127 octets
}

func (*Text) msgType() MsgType { return MsgTextInd }

func (t *Text) fields(l *layout) {
	l.u8((*uint8)(&t.Type))
	var text [maxText]byte
	copy(text[:maxText-1], t.Text)
	l.octets(text[:])
	s, _, _ := bytes.Cut(text[:maxText-1], []byte{0})
	t.Text = string(s)
}

// Activation is ACT_REQ.
type Activation struct {
	On   bool
	TRX  uint8
	Slot uint8
}

func (*Activation) msgType() MsgType { return MsgActReq }

func (a *Activation) fields(l *layout) {
	l.flag(&a.On)
	l.u8s(&a.TRX, &a.Slot)
	l.next(1)
}

// Time is TIME_IND.
type Time struct {
	Frame uint32 // 0..2715647
}

func (*Time) msgType() MsgType { return MsgTimeInd }

func (t *Time) fields(l *layout) { l.u32(&t.Frame) }

// Ready is RTS_REQ: a block of a channel is due.
type Ready struct {
	SAPI  SAPI
	Frame uint32
	ARFCN uint16
	TRX   uint8
	Slot  uint8
	Block uint8 // 0..11 of the multiframe of 52
}

func (*Ready) msgType() MsgType { return MsgRTSReq }

func (r *Ready) fields(l *layout) {
	l.u8((*uint8)(&r.SAPI))
	l.next(3)
	l.u32(&r.Frame)
	l.u16(&r.ARFCN)
	l.u8s(&r.TRX, &r.Slot, &r.Block)
}

const maxBlock = 162

// Block is DATA_REQ: a block for the radio. What is measured on a received one
// is left out.
type Block struct {
	SAPI  SAPI
	Data  []byte // up to 162 octets; none: nothing to send
	Frame uint32
	ARFCN uint16
	TRX   uint8
	Slot  uint8
	Block uint8
}

func (*Block) msgType() MsgType { return MsgDataReq }

func (d *Block) fields(l *layout) {
	l.u8((*uint8)(&d.SAPI))
	n := uint8(min(len(d.Data), maxBlock))
	l.u8(&n)
	var data [maxBlock]byte
	copy(data[:], d.Data)
	l.octets(data[:])
	d.Data = bytes.Clone(data[:min(int(n), maxBlock)])
	l.u32(&d.Frame)
	l.u16(&d.ARFCN)
	l.u8s(&d.TRX, &d.Slot, &d.Block)
	l.next(7) // RSSI, BER, timing offset, link quality
}
