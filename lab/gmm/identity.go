package gmm

import (
	"encoding/binary"

	"poolgw/bssgp"
)

// Types of mobile identity (TS 24.008 10.5.1.4).
const (
	typeIMSI   = IdentityIMSI
	typeIMEI   = IdentityIMEI
	typeIMEISV = IdentityIMEISV
	typeTMSI   = 4
)

// Digits of an IMEI, its check digit or 0 included, and of an IMEISV (TS 23.003
// 6.2).
const (
	lenIMEI   = 15
	lenIMEISV = 16
)

// imsi appends a mobile identity with an IMSI.
func (w *writer) imsi(s string) {
	i, ok := bssgp.ParseIMSI(s)
	if !ok || len(s) < 6 {
		w.err = ErrIdentity
		return
	}
	w.lv(i.Append(nil))
}

// imei appends a mobile identity with an IMEI of 15 digits or an IMEISV of 16.
// The digits are laid out as an IMSI's: the first in the high half of the octet
// that holds the type.
func (w *writer) imei(s string) {
	kind := byte(typeIMEI)
	if len(s) == lenIMEISV {
		kind = typeIMEISV
	}
	first, ok := bssgp.ParseIMSI(s[:min(len(s), lenIMEI)])
	if !ok || len(s) < lenIMEI || len(s) > lenIMEISV || s[len(s)-1] < '0' || s[len(s)-1] > '9' {
		w.err = ErrIdentity
		return
	}
	v := first.Append(nil)
	v[0] = v[0]&^7 | kind
	if kind == typeIMEISV { // even: the odd bit off, the last half octet a filler
		v[0] &^= 8
		v = append(v, 0xf0|(s[lenIMEI]-'0'))
	}
	w.lv(v)
}

func ptmsiValue(p uint32) []byte { return binary.BigEndian.AppendUint32([]byte{0xf4}, p) }

// identity reads a mobile identity: an IMSI, IMEI, IMEISV, P-TMSI, or another
// that is skipped.
func (r *reader) identity(m *Message) {
	v := r.lv()
	if r.err != nil {
		return
	}
	if !takeIdentity(m, v) {
		r.fail(ErrIdentity)
	}
}

// takeIdentity keeps an identity.
func takeIdentity(m *Message, v []byte) bool {
	if len(v) == 0 {
		return false
	}
	switch v[0] & 7 {
	case typeIMSI:
		i, ok := bssgp.DecodeIMSI(v)
		m.IMSI = i.String()
		return ok && len(m.IMSI) >= 6
	case typeIMEI, typeIMEISV:
		return takeIMEI(m, v)
	case typeTMSI:
		if len(v) != 5 {
			return false
		}
		t := binary.BigEndian.Uint32(v[1:])
		m.PTMSI = &t
	}
	return true
}

// takeIMEI keeps an IMEI or, one octet longer, an IMEISV.
func takeIMEI(m *Message, v []byte) bool {
	const octets = (lenIMEI + 1) / 2
	n := octets
	if v[0]&7 == typeIMEISV {
		n++
	}
	if len(v) != n {
		return false
	}
	first, ok := bssgp.DecodeIMSI(append([]byte{v[0]&^7 | typeIMSI | 8}, v[1:octets]...))
	m.IMEI = first.String()
	if n > octets {
		last := v[octets] & 15
		m.IMEI += string('0' + rune(last))
		ok = ok && last <= 9
	}
	return ok
}
