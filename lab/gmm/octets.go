package gmm

import "time"

// writer appends IEs; the first error stays.
type writer struct {
	b   []byte
	err error
}

func (w *writer) octets(v ...byte) { w.b = append(w.b, v...) }

// halves appends two half octet IEs: the first one in bits 1 to 4 (TS 24.007
// 11.2.1.1).
func (w *writer) halves(first, second byte) { w.octets(second<<4 | first&15) }

// lv appends length and value; values here are short.
func (w *writer) lv(v []byte) { w.b = append(append(w.b, byte(len(v))), v...) }

func (w *writer) tlv(iei byte, v []byte) {
	w.octets(iei)
	w.lv(v)
}

func (w *writer) signature(s *[3]byte) {
	if s != nil {
		w.octets(ieiSignature)
		w.octets(s[:]...)
	}
}

func (w *writer) t3302(d time.Duration) {
	if d != 0 {
		w.tlv(ieiT3302, []byte{timerOctet(d)})
	}
}

// reader takes IEs off the front; after the first error everything is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) octets(n int) []byte {
	if r.err != nil || len(r.b) < n {
		r.fail(ErrShort)
		return make([]byte, n)
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) octet() byte { return r.octets(1)[0] }

func (r *reader) lv() []byte { return r.octets(int(r.octet())) }

func (r *reader) rai() RAI { return RAI(r.octets(6)) }

// optional reads the optional IEs to the end; tv are those without length
// indicator. A repeated IE: the first counts (TS 24.008 8.6.3).
func (r *reader) optional(m *Message, tv map[byte]int) {
	var seen [256]bool
	for len(r.b) > 0 && r.err == nil {
		iei := r.octet()
		if iei >= 0x80 {
			continue // half octet IEs and those without value
		}
		n, ok := tv[iei]
		if !ok {
			n = int(r.octet())
		}
		v := r.octets(n)
		if r.err == nil && !seen[iei] {
			seen[iei] = true
			takeOptional(m, iei, v)
		}
	}
}

// takeOptional keeps one optional IE; a malformed one counts as absent (TS
// 24.008 8.7.1).
func takeOptional(m *Message, iei byte, v []byte) {
	switch {
	case iei == ieiPTMSI:
		if len(v) == 5 && v[0]&7 == typeTMSI {
			takeIdentity(m, v)
		}
	case iei == ieiSignature && len(v) == 3:
		s := [3]byte(v)
		m.Signature = &s
	case iei == ieiCause && len(v) == 1:
		m.Cause = Cause(v[0])
	case iei == ieiT3302 && len(v) == 1:
		m.T3302 = timerValue(v[0])
	}
}
