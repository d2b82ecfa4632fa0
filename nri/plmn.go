package nri

import (
	"errors"
	"fmt"
	"strings"
)

// PLMN is a mobile country and network code in the BCD form of TS 24.008
// 10.5.1.3 (three octets as they stand in an RAI). The zero value stands for
// "any PLMN".
type PLMN [3]byte

// ErrPLMN is returned for what is not of the form MCC-MNC.
var ErrPLMN = errors.New("nri: not a PLMN of the form MCC-MNC")

const noDigit = 0xF // in the place of the third digit of a two-digit MNC

// ParsePLMN reads "262-42" or "310-410": three digits of MCC, two or three of
// MNC. "001-01" and "001-001" are different networks.
func ParsePLMN(text string) (PLMN, error) {
	mcc, mnc, ok := strings.Cut(text, "-")
	if !ok || len(mcc) != 3 || len(mnc) < 2 || len(mnc) > 3 {
		return PLMN{}, fmt.Errorf("%w: %q", ErrPLMN, text)
	}
	d := [6]byte{5: noDigit}
	for i, c := range []byte(mcc + mnc) {
		if c < '0' || c > '9' {
			return PLMN{}, fmt.Errorf("%w: %q", ErrPLMN, text)
		}
		d[i] = c - '0'
	}
	return PLMN{d[1]<<4 | d[0], d[5]<<4 | d[2], d[4]<<4 | d[3]}, nil
}

// String is the form of ParsePLMN. Octets from the wire may hold digits that
// are none: they are written in hex, so that a log shows what came.
func (p PLMN) String() string {
	d := []byte{p[0] & 0xF, p[0] >> 4, p[1] & 0xF, p[2] & 0xF, p[2] >> 4, p[1] >> 4}
	if d[5] == noDigit {
		d = d[:5]
	}
	for i := range d {
		d[i] = "0123456789abcdef"[d[i]]
	}
	return string(d[:3]) + "-" + string(d[3:])
}

// VTY is the form of the arguments of "plmn MCC MNC": "262 42".
func (p PLMN) VTY() string { return strings.Replace(p.String(), "-", " ", 1) }

// IsAny reports whether p stands for any PLMN.
func (p PLMN) IsAny() bool { return p == PLMN{} }

// Valid reports whether all digits of p are decimal.
func (p PLMN) Valid() bool {
	_, err := ParsePLMN(p.String())
	return err == nil
}
