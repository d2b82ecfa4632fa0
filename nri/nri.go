// Package nri knows network resource identifiers (TS 23.236): their values,
// ranges and bit lengths, and where they stand in a TLLI, P-TMSI or TMSI.
//
// It is pure: no I/O, no clock, no logger.
package nri

// MaxBitLen is the longest NRI poolgw takes, in bits. TS 23.236 has 0..10;
// osmo-gbproxy takes 0..15.
const MaxBitLen = 15

// V is an NRI value, 0..32767.
type V = uint16

// PLMN is a mobile country and network code in the BCD form of TS 24.008
// 10.5.1.3 (three octets as they stand in an RAI). The zero value stands for
// "any PLMN".
type PLMN [3]byte

// Range is a closed interval of NRI values, First <= Last.
type Range struct {
	First V `json:"first"`
	Last  V `json:"last"`
}

// Set is a set of NRI values: sorted ranges that neither overlap nor touch.
// It is a value: Add and Del return a new one.
type Set []Range
