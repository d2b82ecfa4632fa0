package main

import (
	"fmt"
	"strings"
)

// The PDUs of the suite, by hand from TS 48.018 clauses 10 and 11; blanks are
// for reading. TestSuiteOctets has them judged by tshark.

const (
	suiteQoS = "005000"
	omReset  = "078108" // cause O&M intervention
	// suiteRACap is a captured MS radio access capability.
	suiteRACap = "1399 18b3432b259662006080 9ac2c6620060 80bac8c662006080 00"
)

// suiteMS is a phone: a P-TMSI with the NRI (5 bits from bit 23 down) of one
// SGSN, the local TLLI of it, an IMSI.
type suiteMS struct {
	tlli, ptmsi, imsi string
}

// subscriber is a phone of SGSN 0 (NRI 3) or 1 (NRI 4).
func subscriber(sgsn, n int) suiteMS {
	tmsi := 0xc0000000 | uint32(3+sgsn)<<19 | uint32(n)&0x7ffff
	return suiteMS{fmt.Sprintf("%08x", tmsi), fmt.Sprintf("%08x", tmsi), imsiIE(fmt.Sprintf("00101%010d", 1000*sgsn+n))}
}

// imsiIE is an IMSI of 15 digits, TS 24.008 10.5.1.4: odd, two digits an octet.
func imsiIE(digits string) string {
	s := "0d88" + digits[:1] + "9"
	for i := 1; i < len(digits); i += 2 {
		s += digits[i+1:i+2] + digits[i:i+1]
	}
	return s
}

// tlv is an IE whose length indicator has one octet up to 127, else two.
func tlv(iei, value string) string {
	value = strings.ReplaceAll(value, " ", "")
	n := len(value) / 2
	if n > 127 {
		return fmt.Sprintf("%s%04x%s", iei, n, value)
	}
	return fmt.Sprintf("%s%02x%s", iei, 0x80|n, value)
}

func (m suiteMS) up(c suiteCell, llc string) string {
	return "01" + m.tlli + suiteQoS + tlv("08", c.id) + tlv("0e", llc)
}

func (m suiteMS) down(llc string) string {
	return "00" + m.tlli + suiteQoS + "1682ffff" + m.imsi + tlv("0e", llc)
}

func (m suiteMS) id() string { return "1f84" + m.tlli }

// discarded is LLC-DISCARDED: 23 frames, 2342 octets.
func (m suiteMS) discarded(bvci uint16) string {
	return fmt.Sprintf("2c %s 0f8117 0482%04x 2583000926", m.id(), bvci)
}

// page is PAGING-PS or -CS for an area; the P-TMSI may be left out.
func (m suiteMS) page(kind, area string, ptmsi bool) string {
	tmsi := ""
	if ptmsi {
		tmsi = "2084" + m.ptmsi
	}
	if kind == "cs" {
		return "07" + m.imsi + "0a820000" + area + tmsi
	}
	return "06" + m.imsi + area + "1883" + suiteQoS + tmsi
}

// reject is PAGING-PS-REJECT.
func (m suiteMS) reject(ptmsi bool) string {
	tmsi := ""
	if ptmsi {
		tmsi = "2084" + m.ptmsi
	}
	return "11" + m.imsi + tmsi + "9382172a"
}

// status is STATUS, equipment failure, with the PDU in error.
func status(inner string) string { return "41 078101" + tlv("15", inner) }

// rai is the routeing area of a cell.
func (c suiteCell) rai() string { return tlv("1b", c.id[:12]) }
func (c suiteCell) lai() string { return tlv("10", c.id[:10]) }

// rimType is a RIM PDU: its type and container (TS 48.018 10.6 and 11.3.62a),
// application NACC.
type rimType struct {
	name      string
	container func(c suiteCell) string
}

const (
	rimApp  = "4b8101"
	rimSeq  = "4c8400000000"
	rimStop = "4f8100"
)

func rimTypes() []rimType {
	return []rimType{
		{"info_req", func(suiteCell) string { return "71" + tlv("57", rimApp+rimSeq+rimStop) }},
		{"info", func(suiteCell) string { return "70" + tlv("58", rimApp+rimSeq+rimStop) }},
		{"info_ack", func(suiteCell) string { return "72" + tlv("5a", rimApp+rimSeq) }},
		{"info_error", func(suiteCell) string { return "73" + tlv("5b", rimApp+"078101"+tlv("15", "24 04820017")) }},
		{"info_app_error", func(c suiteCell) string {
			return "74" + tlv("59", rimApp+rimSeq+rimStop+tlv("56", "17"+tlv("4d", c.id)))
		}},
	}
}

// rim makes the PDU between two routing addresses: type first, then the cell
// or node.
func (r rimType) rim(c suiteCell, dst, src string) string {
	s := r.container(c)
	return s[:2] + tlv("54", dst) + tlv("54", src) + s[2:]
}
