package nri

import "fmt"

// Kind is the kind of a TLLI, told by its top bits (TS 23.003 2.6).
type Kind uint8

const (
	Reserved  Kind = iota // none of the others; 00… are G-RNTIs
	Local                 // 11…: from the P-TMSI, in the routeing area that gave it
	Foreign               // 10…: from the P-TMSI, in another routeing area
	Random                // 01111…: the MS has no P-TMSI
	Auxiliary             // 01110…: anonymous access
)

// String is the kind's name in lower case.
func (k Kind) String() string {
	names := [...]string{"reserved", "local", "foreign", "random", "auxiliary"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("Kind(0x%02X)", uint8(k))
}

// HasNRI reports whether a TLLI of this kind carries the NRI of its P-TMSI.
func (k Kind) HasNRI() bool { return k == Local || k == Foreign }

// KindOf tells the kind of a TLLI.
func KindOf(tlli uint32) Kind {
	switch {
	case tlli>>30 == 0b11:
		return Local
	case tlli>>30 == 0b10:
		return Foreign
	case tlli>>27 == 0b01111:
		return Random
	case tlli>>27 == 0b01110:
		return Auxiliary
	}
	return Reserved
}

// topBit is the bit of a TMSI where the NRI's most significant bit stands;
// the rest follows downward (TS 23.236 4.1).
const topBit = 23

// FromTMSI takes the NRI of bitLen bits, 0..MaxBitLen, out of a TMSI or P-TMSI.
// With 0 bits, or more than MaxBitLen, there is none and it returns 0.
func FromTMSI(tmsi uint32, bitLen uint8) V {
	if bitLen > MaxBitLen {
		return 0
	}
	return V(tmsi >> (topBit + 1 - bitLen) & (1<<bitLen - 1))
}

// FromTLLI takes the NRI out of a local or foreign TLLI; ok is false for the
// other kinds and when bitLen is 0: there is no NRI then.
func FromTLLI(tlli uint32, bitLen uint8) (v V, ok bool) {
	if bitLen == 0 || bitLen > MaxBitLen || !KindOf(tlli).HasNRI() {
		return 0, false
	}
	return FromTMSI(tlli, bitLen), true
}

// WithNRI returns tmsi with its NRI of bitLen bits replaced by v.
func WithNRI(tmsi uint32, v V, bitLen uint8) uint32 {
	if bitLen > MaxBitLen {
		return tmsi
	}
	shift := topBit + 1 - bitLen
	mask := uint32(1)<<bitLen - 1
	return tmsi&^(mask<<shift) | (uint32(v)&mask)<<shift
}

const ptmsiBits = 0xC0000000 // the top bits of every P-TMSI and local TLLI

// LocalTLLI makes the local TLLI of a P-TMSI: its top bits become 11.
func LocalTLLI(ptmsi uint32) uint32 { return ptmsi | ptmsiBits }

// ForeignTLLI makes the foreign TLLI of a P-TMSI, or of a TMSI that stands for
// a subscriber: its top bits become 10.
func ForeignTLLI(tmsi uint32) uint32 { return tmsi&^ptmsiBits | 0x80000000 }

// PTMSI returns the P-TMSI that a local or foreign TLLI was made of; ok is
// false for the other kinds.
func PTMSI(tlli uint32) (ptmsi uint32, ok bool) {
	if !KindOf(tlli).HasNRI() {
		return 0, false
	}
	return tlli | ptmsiBits, true
}

// Key names the subscriber that a TLLI stands for: the P-TMSI of a local or
// foreign TLLI, so that both are one subscriber, else the TLLI itself.
func Key(tlli uint32) uint32 {
	if ptmsi, ok := PTMSI(tlli); ok {
		return ptmsi
	}
	return tlli
}
