package fr

import (
	"errors"
	"fmt"
)

// MessageType is the type of an LMI message (Q.933 A.2).
type MessageType uint8

const (
	StatusEnquiry MessageType = 0x75 // the user asks
	Status        MessageType = 0x7d // the network answers
)

// Report is the report type (Q.933 A.3.1).
type Report uint8

const (
	FullStatus    Report = 0 // link integrity and all PVCs
	LinkIntegrity Report = 1 // link integrity only
	SinglePVC     Report = 2 // one PVC, unasked
)

// PVC is the status of one DLCI (Q.933 A.3.3).
type PVC struct {
	DLCI   uint16
	New    bool // reported for the first time
	Delete bool // gone; in SinglePVC only
	Active bool
}

// Message is an LMI message.
type Message struct {
	Type       MessageType
	Report     Report
	HasSeq     bool  // the link integrity verification is there
	Send, Recv uint8 // its sequence numbers
	PVCs       []PVC
}

// The fixed octets before the information elements: UI frame, the protocol
// discriminator of Q.931, dummy call reference.
const (
	controlUI     = 0x03
	discriminator = 0x08
	callReference = 0x00
	headerLen     = 4
)

// Information elements (Q.933 A.3).
const (
	ieReport    = 0x51
	ieIntegrity = 0x53
	iePVC       = 0x57
	// locking shift to codeset 5: Annex D of T1.617 begins its elements so
	ieShift5 = 0x95
)

// Bits of the last octet of a PVC status.
const (
	pvcActive = 0x02
	pvcDelete = 0x04
	pvcNew    = 0x08
	extension = 0x80 // last octet of a group
)

// Why an LMI message is refused.
var (
	ErrNotLMI  = errors.New("fr: not an LMI message of Q.933 Annex A")
	ErrAnnexD  = errors.New("fr: the peer's LMI is ANSI T1.617 Annex D; set it to Q.933 Annex A (ITU, CCITT)")
	ErrElement = errors.New("fr: bad information element in an LMI message")
	ErrMissing = errors.New("fr: an information element is missing in an LMI message")
)

// Append appends the information field of DLCI 0 that carries m.
func (m *Message) Append(b []byte) []byte {
	b = append(b, controlUI, discriminator, callReference, byte(m.Type))
	b = append(b, ieReport, 1, byte(m.Report))
	if m.HasSeq {
		b = append(b, ieIntegrity, 2, m.Send, m.Recv)
	}
	for _, p := range m.PVCs {
		b = append(b, iePVC, 3, byte(p.DLCI>>4)&0x3f, extension|byte(p.DLCI&0xf)<<3, p.flags())
	}
	return b
}

func (p PVC) flags() byte {
	f := byte(extension)
	for _, bit := range []struct {
		on   bool
		mask byte
	}{{p.Active, pvcActive}, {p.Delete, pvcDelete}, {p.New, pvcNew}} {
		if bit.on {
			f |= bit.mask
		}
	}
	return f
}

// Parse reads the information field of DLCI 0. Elements that it does not know
// are passed over.
func Parse(info []byte) (Message, error) {
	if len(info) < headerLen || info[0] != controlUI || info[1] != discriminator || info[2] != callReference {
		return Message{}, ErrNotLMI
	}
	m := Message{Type: MessageType(info[3])}
	if m.Type != StatusEnquiry && m.Type != Status {
		return m, fmt.Errorf("%w: message type 0x%02x", ErrNotLMI, info[3])
	}
	hasReport := false
	for ies := info[headerLen:]; len(ies) > 0; {
		id, value, n := consumeIE(ies)
		if n < 0 {
			return m, ErrElement
		}
		ies = ies[n:]
		switch id {
		case ieShift5:
			return m, ErrAnnexD
		case ieReport:
			hasReport = len(value) > 0
		}
		if !m.element(id, value) {
			return m, ErrElement
		}
	}
	if !hasReport {
		return m, ErrMissing
	}
	return m, nil
}

// consumeIE reads one element, of a single octet when its first bit is set.
func consumeIE(b []byte) (id byte, value []byte, n int) {
	if b[0]&0x80 != 0 {
		return b[0], nil, 1
	}
	if len(b) < 2 || len(b) < 2+int(b[1]) {
		return 0, nil, -1
	}
	n = 2 + int(b[1])
	return b[0], b[2:n], n
}

// element puts one element into m; false when it can't be.
func (m *Message) element(id byte, value []byte) bool {
	switch id {
	case ieReport:
		if len(value) < 1 {
			return false
		}
		m.Report = Report(value[0])
	case ieIntegrity:
		if len(value) < 2 {
			return false
		}
		m.HasSeq, m.Send, m.Recv = true, value[0], value[1]
	case iePVC:
		return m.pvc(value)
	}
	return true
}

// pvc reads a PVC status. Those of longer DLCIs, which the address of two
// octets can't name, are passed over.
func (m *Message) pvc(v []byte) bool {
	if len(v) < 3 || v[0]&extension != 0 {
		return false
	}
	if v[1]&extension == 0 {
		return true
	}
	m.PVCs = append(m.PVCs, PVC{
		DLCI:   uint16(v[0]&0x3f)<<4 | uint16(v[1]>>3&0xf),
		New:    v[2]&pvcNew != 0,
		Delete: v[2]&pvcDelete != 0,
		Active: v[2]&pvcActive != 0,
	})
	return true
}
