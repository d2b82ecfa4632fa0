package bssgp

import (
	"encoding/binary"
	"fmt"
)

// RAI is a routeing area identity as on the wire (TS 24.008 10.5.5.15):
// PLMN 3 octets, LAC 2, RAC 1.
type RAI [6]byte

// LAI is a location area identity as on the wire (TS 24.008 10.5.1.3): PLMN 3
// octets, LAC 2.
type LAI [5]byte

// CellID is a cell identifier as on the wire (TS 48.018 11.3.9): RAI 6 octets,
// CI 2.
type CellID [8]byte

// MakeRAI builds a routeing area identity. mnc3 tells that the MNC has three
// digits; digits beyond 999 (mcc, mnc) are lost.
func MakeRAI(mcc, mnc uint16, mnc3 bool, lac uint16, rac uint8) RAI {
	// TS 24.008 10.5.1.3: digits 1 and 2 in octet 3, digit 3 (or 1111) in octet 2.
	d1, d2, d3 := byte(mnc/10%10), byte(mnc%10), byte(0xf)
	if mnc3 {
		d1, d2, d3 = byte(mnc/100%10), byte(mnc/10%10), byte(mnc%10)
	}
	var r RAI
	r[0] = byte(mcc/10%10)<<4 | byte(mcc/100%10)
	r[1] = d3<<4 | byte(mcc%10)
	r[2] = d2<<4 | d1
	binary.BigEndian.PutUint16(r[3:], lac)
	r[5] = rac
	return r
}

// LAC returns the location area code.
func (r RAI) LAC() uint16 { return binary.BigEndian.Uint16(r[3:]) }

// RAC returns the routeing area code.
func (r RAI) RAC() uint8 { return r[5] }

// LAI returns the location area that the routeing area lies in.
func (r RAI) LAI() LAI { return LAI(r[:5]) }

// PLMN returns the mobile country and network code as they stand in the RAI.
func (r RAI) PLMN() [3]byte { return [3]byte(r[:3]) }

// String returns "MCC-MNC-LAC-RAC" in decimal, the MNC with its two or three
// digits: "262-42-4096-1".
func (r RAI) String() string {
	return fmt.Sprintf("%s-%d", r.LAI(), r.RAC())
}

// LAC returns the location area code.
func (l LAI) LAC() uint16 { return binary.BigEndian.Uint16(l[3:]) }

// String returns "MCC-MNC-LAC" in decimal.
func (l LAI) String() string {
	mcc := [3]byte{l[0] & 15, l[0] >> 4, l[1] & 15}
	mnc := []byte{l[2] & 15, l[2] >> 4}
	if l[1]>>4 != 0xf {
		mnc = append(mnc, l[1]>>4)
	}
	return fmt.Sprintf("%s-%s-%d", digits(mcc[:]), digits(mnc), l.LAC())
}

// digits prints BCD digits; what is no decimal digit prints in hexadecimal.
func digits(d []byte) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, len(d))
	for i, v := range d {
		out[i] = hex[v&15]
	}
	return string(out)
}

// MakeCellID joins a routeing area and a cell identity.
func MakeCellID(r RAI, ci uint16) CellID {
	var c CellID
	copy(c[:6], r[:])
	binary.BigEndian.PutUint16(c[6:], ci)
	return c
}

// RAI returns the cell's routeing area.
func (c CellID) RAI() RAI { return RAI(c[:6]) }

// CI returns the cell identity within the routeing area.
func (c CellID) CI() uint16 { return binary.BigEndian.Uint16(c[6:]) }

// String returns "MCC-MNC-LAC-RAC-CI" in decimal.
func (c CellID) String() string { return fmt.Sprintf("%s-%d", c.RAI(), c.CI()) }
