package bssgp

// IMSI is an international mobile subscriber identity, up to 15 digits. It is a
// value that can be compared and can key a map; the zero value is no IMSI.
type IMSI struct {
	digits [15]byte // ASCII
	n      uint8
}

// ParseIMSI takes 1 to 15 decimal digits.
func ParseIMSI(s string) (i IMSI, ok bool) {
	if len(s) == 0 || len(s) > len(i.digits) {
		return IMSI{}, false
	}
	for k := range len(s) {
		if s[k] < '0' || s[k] > '9' {
			return IMSI{}, false
		}
		i.digits[k] = s[k]
	}
	i.n = uint8(len(s))
	return i, true
}

// DecodeIMSI reads the value of an IMSI IE (TS 48.018 11.3.14, the mobile
// identity of TS 24.008 10.5.1.4): digit 1 in the high half of the first octet,
// whose bit 4 tells an odd count and whose bits 1 to 3 are the type IMSI (1).
// Other types, more than 15 digits and other than decimal digits are refused.
func DecodeIMSI(v []byte) (i IMSI, ok bool) {
	if len(v) == 0 || len(v) > 8 || v[0]&7 != 1 {
		return IMSI{}, false
	}
	n := 2*len(v) - 1
	if v[0]&8 == 0 {
		n-- // the last half octet is a filler
	}
	if n < 1 || n > len(i.digits) {
		return IMSI{}, false
	}
	for k := range n {
		d := v[(k+1)/2] >> (4 * uint((k+1)&1)) & 15
		if k == 0 {
			d = v[0] >> 4
		}
		if d > 9 {
			return IMSI{}, false
		}
		i.digits[k] = '0' + d
	}
	i.n = uint8(n)
	return i, true
}

// Append appends the value of an IMSI IE.
func (i IMSI) Append(b []byte) []byte {
	if i.n == 0 {
		return b
	}
	first := byte(1) | (i.digits[0]-'0')<<4
	if i.n&1 != 0 {
		first |= 8
	}
	b = append(b, first)
	for k := uint8(1); k < i.n; k += 2 {
		hi := byte(15)
		if k+1 < i.n {
			hi = i.digits[k+1] - '0'
		}
		b = append(b, hi<<4|(i.digits[k]-'0'))
	}
	return b
}

// IsZero tells that there is no IMSI.
func (i IMSI) IsZero() bool { return i.n == 0 }

// String returns the digits.
func (i IMSI) String() string { return string(i.digits[:i.n]) }
