package ngap

// NASType is a 5GMM message type (TS 24.501, 9.7).
type NASType uint8

// The 5GMM messages that routing looks at.
const (
	NASRegistrationRequest        NASType = 0x41
	NASRegistrationReject         NASType = 0x44
	NASDeregistrationRequest      NASType = 0x45 // UE originating
	NASServiceRequest             NASType = 0x4c
	NASServiceReject              NASType = 0x4d
	NASControlPlaneServiceRequest NASType = 0x4f
)

// IdentityType is the type of a 5GS mobile identity (TS 24.501, 9.11.3.4).
type IdentityType uint8

// The identity types that routing looks at.
const (
	NoIdentity    IdentityType = 0
	IdentitySUCI  IdentityType = 1
	IdentityGUTI  IdentityType = 2
	IdentitySTMSI IdentityType = 4
)

// Identity is a 5GS mobile identity. GUAMI is that of a 5G-GUTI; of a 5G-S-TMSI
// its Set and Pointer only.
type Identity struct {
	Type  IdentityType
	GUAMI GUAMI
	TMSI  uint32
}

// STMSI returns the 5G-S-TMSI of a 5G-GUTI or 5G-S-TMSI.
func (i Identity) STMSI() (STMSI, bool) {
	return STMSI{i.GUAMI.Set, i.GUAMI.Pointer, i.TMSI}, i.Type == IdentityGUTI || i.Type == IdentitySTMSI
}

// NAS is what the first octets of a 5GMM message tell without keys: messages that
// are plain, or integrity protected only.
type NAS struct {
	Type       NASType // 0: not a message that this package reads
	Protected  bool    // with a MAC, which is not checked
	Identity   Identity
	Additional Identity // Additional GUTI (IEI 77) of a Registration Request: native, where Identity may be mapped from 4G
	Cause      uint8    // 5GMM cause of a reject
}

// Owner returns the identity that tells which AMF knows the UE: a native
// Additional GUTI before the other.
func (n NAS) Owner() Identity {
	if n.Additional.Type == IdentityGUTI {
		return n.Additional
	}
	return n.Identity
}

// ReadNAS reads the first octets of a NAS-PDU's octets (see ReadOctets). What is
// cut off, ciphered or of another kind leaves fields zero. A Control Plane
// Service Request holds no identity (TS 24.501, 8.2.30): its UE's is in the
// 5G-S-TMSI IE or nowhere.
func ReadNAS(b []byte) (n NAS) {
	if len(b) < 3 || b[0] != 0x7e {
		return n
	}
	if b[1]&15 == 1 { // integrity protected: MAC, sequence number, plain message
		if b = b[min(7, len(b)):]; len(b) < 3 || b[0] != 0x7e {
			return n
		}
		n.Protected = true
	}
	if b[1]&15 != 0 {
		return NAS{}
	}
	body := b[3:]
	switch t := NASType(b[2]); t {
	case NASRegistrationRequest:
		n.Type = t
		n.Additional = additionalGUTI(n.identity(body))
	case NASServiceRequest, NASDeregistrationRequest:
		n.Type = t
		n.identity(body)
	case NASControlPlaneServiceRequest:
		n.Type = t
	case NASRegistrationReject, NASServiceReject:
		n.Type = t
		if len(body) > 0 {
			n.Cause = body[0]
		}
	}
	return n
}

// identity reads the octet of type and key set, and the mobile identity behind
// it, and returns what follows.
func (n *NAS) identity(b []byte) []byte {
	if len(b) < 3 {
		return nil
	}
	size := int(b[1])<<8 | int(b[2])
	if b = b[3:]; size > len(b) {
		return nil
	}
	n.Identity = mobileIdentity(b[:size])
	return b[size:]
}

// mobileIdentity reads the contents of a 5GS mobile identity (9.11.3.4).
func mobileIdentity(v []byte) (i Identity) {
	if len(v) == 0 {
		return i
	}
	t := IdentityType(v[0] & 7)
	switch {
	case t == IdentityGUTI && len(v) == 11:
		i.GUAMI.PLMN = PLMN(v[1:4])
		i.GUAMI.Region = v[4]
		v = v[5:]
	case t == IdentitySTMSI && len(v) == 7:
		v = v[1:]
	case t == IdentitySUCI:
		return Identity{Type: t}
	default:
		return i
	}
	i.Type = t
	i.GUAMI.Set = uint16(v[0])<<2 | uint16(v[1])>>6
	i.GUAMI.Pointer = v[1] & 0x3f
	i.TMSI = uint32(v[2])<<24 | uint32(v[3])<<16 | uint32(v[4])<<8 | uint32(v[5])
	return i
}

// additionalGUTI looks for IEI 77 among the optional IEs of a Registration Request
// (TS 24.501, table 8.2.6.1.1; forms by TS 24.007, 11.2.4): 52 is 7 octets, an
// IEI from 80 on one octet, 70 to 7F has two octets of length, others one.
func additionalGUTI(b []byte) Identity {
	for len(b) > 0 {
		size := 1
		switch iei := b[0]; {
		case iei >= 0x80:
		case iei == 0x52:
			size = 7
		case iei >= 0x70:
			if len(b) < 3 {
				return Identity{}
			}
			size = 3 + int(b[1])<<8 + int(b[2])
		default:
			if len(b) < 2 {
				return Identity{}
			}
			size = 2 + int(b[1])
		}
		if size > len(b) {
			return Identity{}
		}
		if b[0] == 0x77 {
			return mobileIdentity(b[3:size])
		}
		b = b[size:]
	}
	return Identity{}
}

// NAS reads the NAS-PDU (IE 38) of the message, zero when there is none.
func (p *PDU) NAS() NAS {
	v, ok := p.Value(IENASPDU)
	if !ok {
		return NAS{}
	}
	o, err := ReadOctets(v)
	if err != nil {
		return NAS{}
	}
	return ReadNAS(o)
}
