// Package nri knows network resource identifiers (TS 23.236): their values,
// ranges and bit lengths, and where they stand in a TLLI, P-TMSI or TMSI.
//
// It is pure: no I/O, no clock, no logger.
package nri
