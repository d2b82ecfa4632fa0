package fr

import "errors"

// DLCIs of the two-octet address (Q.922 table 1, Q.933 Annex A).
const (
	LMI     = 0    // carries the local management
	MinDLCI = 16   // first for users
	MaxDLCI = 1007 // last for users
)

const (
	// AddressLen is the length of the address, in octets.
	AddressLen = 2
	// MTU is the longest NS PDU that a frame of 1600 octets carries.
	MTU = 1600 - AddressLen
)

// Why a frame is refused.
var (
	ErrShort   = errors.New("fr: frame shorter than its address")
	ErrAddress = errors.New("fr: not a two-octet Q.922 address")
)

// AppendAddress appends the address field for a DLCI of 0..1023, with C/R,
// FECN, BECN and DE 0 (Q.922 figure 2).
func AppendAddress(b []byte, dlci uint16) []byte {
	return append(b, byte(dlci>>4)<<2, byte(dlci)<<4|1)
}

// ParseAddress reads the address field: DLCI, and the information field as a
// sub-slice. C/R, FECN, BECN and DE may have any value: a network that is
// congested sets them.
func ParseAddress(frame []byte) (dlci uint16, info []byte, err error) {
	if len(frame) < AddressLen {
		return 0, nil, ErrShort
	}
	// Extension bits: another octet follows the first, none the second.
	if frame[0]&1 != 0 || frame[1]&1 == 0 {
		return 0, nil, ErrAddress
	}
	return uint16(frame[0]>>2)<<4 | uint16(frame[1]>>4), frame[AddressLen:], nil
}
