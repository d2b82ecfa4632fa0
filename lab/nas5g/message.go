package nas5g

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errShort = errors.New("nas5g: too short")

// Message is a 5GMM message; which fields it has says its row in layouts.
type Message struct {
	Type      Type
	Protected bool  // in a security header, "integrity protected" (9.3)
	Sequence  uint8 // of the security header
	Kind      uint8 // registration, service, de-registration, identity or container type
	KSI       uint8 // ngKSI, 0..7
	Cause     uint8
	Identity  Identity
	GUTI      *GUTI  // Additional GUTI of a request, the 5G-GUTI that an accept gives
	Backoff   uint8  // T3346 of a reject, as a GPRS timer 2; 0: absent
	Container []byte // of NAS transport
}

const (
	epd5GMM = 0x7e
	ieGUTI  = 0x77 // TLV-E
	ieT3346 = 0x5f // TLV
)

// part is a mandatory field.
type part uint8

const (
	kindAndKSI   part = iota // kind in the low half octet
	ksiAndKind               // kind in the high one
	kindAlone                // low half octet, the other spare
	causeOctet               // V
	identityLVE              // length of two octets
	resultLV                 // 5GS registration result: 3GPP access
	containerLVE             // payload container
)

// layouts are the mandatory fields of each message, in their order (8.2).
var layouts = map[Type][]part{
	RegistrationRequest:     {kindAndKSI, identityLVE},
	RegistrationAccept:      {resultLV},
	RegistrationComplete:    {},
	RegistrationReject:      {causeOctet},
	DeregistrationRequest:   {kindAndKSI, identityLVE},
	DeregistrationAccept:    {},
	DeregistrationCommand:   {kindAlone},
	DeregistrationConfirmed: {},
	ServiceRequest:          {ksiAndKind, identityLVE},
	ServiceReject:           {causeOctet},
	ServiceAccept:           {},
	IdentityRequest:         {kindAlone},
	IdentityResponse:        {identityLVE},
	Status:                  {causeOctet},
	UplinkTransport:         {kindAlone, containerLVE},
	DownlinkTransport:       {kindAlone, containerLVE},
}

// Append appends the message's octets.
func (m *Message) Append(b []byte) []byte {
	if m.Protected {
		b = append(b, epd5GMM, 1, 0, 0, 0, 0, m.Sequence)
	}
	b = append(b, epd5GMM, 0, byte(m.Type))
	for _, p := range layouts[m.Type] {
		b = m.appendPart(b, p)
	}
	if m.GUTI != nil {
		b = appendLong(append(b, ieGUTI), appendIdentity(nil, WithGUTI(*m.GUTI)))
	}
	if m.Backoff != 0 {
		b = append(b, ieT3346, 1, m.Backoff)
	}
	return b
}

func (m *Message) appendPart(b []byte, p part) []byte {
	switch p {
	case kindAndKSI:
		return append(b, m.KSI<<4|m.Kind&15)
	case ksiAndKind:
		return append(b, m.Kind<<4|m.KSI&15)
	case kindAlone:
		return append(b, m.Kind)
	case causeOctet:
		return append(b, m.Cause)
	case identityLVE:
		return appendLong(b, appendIdentity(nil, m.Identity))
	case containerLVE:
		return appendLong(b, m.Container)
	}
	return append(b, 1, 1) // resultLV
}

func appendLong(b, v []byte) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(v))), v...)
}

// Parse reads a message. Optional fields that it does not know are left out;
// Container is part of b.
func Parse(b []byte) (*Message, error) {
	m := &Message{}
	if len(b) >= 7 && b[0] == epd5GMM && b[1]&15 != 0 {
		m.Protected, m.Sequence = true, b[6]
		b = b[7:]
	}
	if len(b) < 3 {
		return nil, errShort
	}
	if b[0] != epd5GMM || b[1] != 0 {
		return nil, fmt.Errorf("nas5g: no plain 5GMM message: %x", b[:3])
	}
	m.Type = Type(b[2])
	parts, ok := layouts[m.Type]
	if !ok {
		return nil, fmt.Errorf("nas5g: message type 0x%02x", b[2])
	}
	b = b[3:]
	for _, p := range parts {
		n, err := m.parsePart(b, p)
		if err != nil {
			return nil, err
		}
		b = b[n:]
	}
	return m, m.parseOptional(b)
}

func (m *Message) parsePart(b []byte, p part) (n int, err error) {
	if len(b) == 0 {
		return 0, errShort
	}
	switch p {
	case kindAndKSI:
		m.Kind, m.KSI = b[0]&15, b[0]>>4
	case ksiAndKind:
		m.Kind, m.KSI = b[0]>>4, b[0]&15
	case kindAlone:
		m.Kind = b[0] & 15
	case causeOctet:
		m.Cause = b[0]
	case resultLV:
		if n = 1 + int(b[0]); len(b) < n {
			return 0, errShort
		}
		return n, nil
	default:
		return m.parseLong(b, p)
	}
	return 1, nil
}

func (m *Message) parseLong(b []byte, p part) (n int, err error) {
	v, n, err := long(b)
	if err != nil {
		return 0, err
	}
	if p == identityLVE {
		m.Identity, err = parseIdentity(v)
	} else {
		m.Container = v
	}
	return n, err
}

// long reads a value with a length of two octets.
func long(b []byte) (v []byte, n int, err error) {
	if len(b) < 2 {
		return nil, 0, errShort
	}
	n = 2 + int(binary.BigEndian.Uint16(b))
	if len(b) < n {
		return nil, 0, errShort
	}
	return b[2:n], n, nil
}

// longIEIs are the optional ones with a length of two octets (TLV-E); bit 8 marks
// those of one octet.
var longIEIs = map[byte]bool{0x77: true, 0x71: true, 0x7b: true, 0x7a: true, 0x79: true, 0x78: true, 0x74: true, 0x75: true, 0x72: true, 0x70: true}

func (m *Message) parseOptional(b []byte) error {
	for len(b) > 0 {
		iei := b[0]
		if iei >= 0x80 {
			b = b[1:]
			continue
		}
		v, n, err := optional(b[1:], longIEIs[iei])
		if err != nil {
			return err
		}
		b = b[1+n:]
		if err := m.take(iei, v); err != nil {
			return err
		}
	}
	return nil
}

func optional(b []byte, isLong bool) (v []byte, n int, err error) {
	if isLong {
		return long(b)
	}
	if len(b) < 1 || len(b) < 1+int(b[0]) {
		return nil, 0, errShort
	}
	n = 1 + int(b[0])
	return b[1:n], n, nil
}

func (m *Message) take(iei byte, v []byte) error {
	switch iei {
	case ieGUTI:
		i, err := parseIdentity(v)
		if err != nil || i.Kind != GUTIIdentity {
			return errors.Join(err, fmt.Errorf("nas5g: no 5G-GUTI: %x", v))
		}
		m.GUTI = &i.GUTI
	case ieT3346:
		if len(v) != 1 {
			return errShort
		}
		m.Backoff = v[0]
	}
	return nil
}
