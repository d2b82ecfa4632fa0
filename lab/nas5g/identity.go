package nas5g

import (
	"encoding/binary"
	"fmt"
)

// PLMN is a network's identity as on the wire (TS 24.501, 9.11.3.4): 001-01 is
// 00 f1 10.
type PLMN [3]byte

// GUTI is a 5G-GUTI.
type GUTI struct {
	PLMN    PLMN
	Region  uint8
	Set     uint16 // 10 bits
	Pointer uint8  // 6 bits
	TMSI    uint32
}

func (g GUTI) String() string {
	return fmt.Sprintf("%x-%d-%d-%d-%08x", g.PLMN[:], g.Region, g.Set, g.Pointer, g.TMSI)
}

// IdentityKind is the type of a 5GS mobile identity (9.11.3.4).
type IdentityKind uint8

// Kinds of identities.
const (
	NoIdentity IdentityKind = iota
	SUCI
	GUTIIdentity
	IMEI
	STMSI
)

// Identity is a 5GS mobile identity. A SUCI has PLMN and MSIN, of the null
// protection scheme; a 5G-S-TMSI has no PLMN and no Region.
type Identity struct {
	Kind IdentityKind
	GUTI GUTI
	MSIN string // digits
}

// WithSUCI is the identity of a subscriber.
func WithSUCI(p PLMN, msin string) Identity {
	return Identity{Kind: SUCI, GUTI: GUTI{PLMN: p}, MSIN: msin}
}

// WithGUTI and WithSTMSI are those that an AMF has given.
func WithGUTI(g GUTI) Identity { return Identity{Kind: GUTIIdentity, GUTI: g} }

// WithSTMSI is the short form of a GUTI.
func WithSTMSI(g GUTI) Identity {
	return Identity{Kind: STMSI, GUTI: GUTI{Set: g.Set, Pointer: g.Pointer, TMSI: g.TMSI}}
}

// appendIdentity appends the value without length.
func appendIdentity(b []byte, i Identity) []byte {
	be, g := binary.BigEndian, i.GUTI
	switch i.Kind {
	case SUCI: // IMSI, routing indicator 0, null scheme
		b = append(append(b, 0x01), g.PLMN[:]...)
		return appendDigits(append(b, 0xf0, 0xff, 0, 0), i.MSIN)
	case GUTIIdentity:
		b = append(append(append(b, 0xf2), g.PLMN[:]...), g.Region)
		return be.AppendUint32(be.AppendUint16(b, g.Set<<6|uint16(g.Pointer)), g.TMSI)
	case STMSI:
		return be.AppendUint32(be.AppendUint16(append(b, 0xf4), g.Set<<6|uint16(g.Pointer)), g.TMSI)
	}
	return append(b, 0)
}

// parseIdentity reads the value without length.
func parseIdentity(b []byte) (i Identity, err error) {
	if len(b) == 0 {
		return i, errShort
	}
	be := binary.BigEndian
	i.Kind = IdentityKind(b[0] & 7)
	short := 0
	switch i.Kind {
	case NoIdentity:
		return i, nil
	case SUCI:
		if short = 8; len(b) < short || b[0]&0x70 != 0 || b[6]&15 != 0 {
			return i, fmt.Errorf("nas5g: a SUCI that is no IMSI in the clear: %x", b)
		}
		copy(i.GUTI.PLMN[:], b[1:4])
		i.MSIN = digits(b[8:])
		return i, nil
	case GUTIIdentity:
		if short = 11; len(b) == short {
			copy(i.GUTI.PLMN[:], b[1:4])
			i.GUTI.Region = b[4]
		}
	case STMSI:
		short = 7
	default:
		return i, fmt.Errorf("nas5g: identity type %d", i.Kind)
	}
	if len(b) != short {
		return i, errShort
	}
	v := be.Uint16(b[short-6:])
	i.GUTI.Set, i.GUTI.Pointer, i.GUTI.TMSI = v>>6, uint8(v&63), be.Uint32(b[short-4:])
	return i, nil
}

func appendDigits(b []byte, s string) []byte {
	for ; len(s) >= 2; s = s[2:] {
		b = append(b, (s[1]-'0')<<4|(s[0]-'0'))
	}
	if len(s) == 1 {
		b = append(b, 0xf0|(s[0]-'0'))
	}
	return b
}

func digits(b []byte) string {
	s := make([]byte, 0, 2*len(b))
	for _, o := range b {
		for _, d := range []byte{o & 15, o >> 4} {
			if d <= 9 {
				s = append(s, '0'+d)
			}
		}
	}
	return string(s)
}
