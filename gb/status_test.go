package gb_test

import (
	"fmt"
	"testing"
)

// What gb/wire.txt of the facts shows of osmo-gbproxy's answers; where poolgw
// departs, the text says so.
// Facts: G1.5-10, G5-02, G5-03, G5-04, G5-05, G5-08, G5-10, G5-11, G5.2-02, G5.2-08
func TestRefusals(t *testing.T) {
	cases := []struct {
		name    string
		bvci    uint16
		in, out string
	}{
		{"unknown BVCI", 2222, "01c0000001000080", "2222:41078105048208ae158801c0000001000080"},
		{"downlink type from a BSS", 20011, "00c00000010000800e830102ff", "20011:41 078127 158d 00c00000010000800e830102ff"},
		{"PTP type on SIG", 0, "01c00000010000800e830102ff", "0:41 078127 158d 01c00000010000800e830102ff"},
		{"SIG type on PTP", 20011, "0b1f84c00000011b8662f224100001", "20011:41 078127 158f 0b1f84c00000011b8662f224100001"},
		{"SUSPEND without TLLI", 0, "0b1b8662f224100001", "0:41 078122 1589 0b1b8662f224100001"},
		{"empty on SIG", 0, "", "0:41 078120 1580"},
		{"empty on PTP", 20011, "", "20011:41 078120 1580"},
		{"unknown type", 0, "ff", "0:41 078127 1581 ff"},
		{"FLOW-CONTROL-BVC without IEs", 20011, "26", "20011:41 078122 1581 26"},
		{"BLOCK of an unknown BVCI", 0, "200482ffee078108", "0:41 078121 1588 200482ffee078108"},
		{"UNBLOCK of an unknown BVCI", 0, "240482ffee", "0:41 078121 1585 240482ffee"},
		{"BVC-RESET of BVCI 1", 0, "22048200010781080888 62f224334f007777", "0:41 078121 1592 22048200010781080888 62f224334f007777"},
		{"BVC-RESET of a cell without its identity", 0, "2204820fff078108", "0:41 078123 1588 2204820fff078108"},
		{"type of BVCI 1", 1, "0b1f84c00000011b8662f224100001", "1:41 078127 158f 0b1f84c00000011b8662f224100001"},
		{"MBMS session", 0, "81", "0:41 078127 1581 81"},
		{"LLC-DISCARDED of an unknown BVCI", 0, "2c1f84c01800010f810104828235258300000a",
			"0:41 078105 04828235 1593 2c1f84c01800010f810104828235258300000a"},
	}
	suite(t, config(2), func(b *bed) {
		for _, c := range cases {
			t.Run(c.name, func(*testing.T) {
				b.at(2001).send(c.bvci, c.in)
				b.at(2001).want(c.out)
				b.wantIdle()
			})
		}
	})
}

// Facts: G3-22, G5-04, G5-05, G5.4-02, G5.4-07, G5.4-20
func TestRefusalsDown(t *testing.T) {
	cases := []struct {
		name    string
		bvci    uint16
		in, out string
	}{
		{"unknown BVCI", 2222, "00c0000001000080", "2222:41 078105 048208ae 1588 00c0000001000080"},
		{"uplink type", 20011, "01c0000001000080", "20011:41 078127 1588 01c0000001000080"},
		{"BLOCK from an SGSN", 0, "2004824e2b078108", "0:41 078127 1588 2004824e2b078108"},
		{"BLOCK-ACK for nothing", 0, "210482ffee", "0:41 078121 1585 210482ffee"},
		{"SUSPEND-ACK nobody waits for", 0, "0c1f84c01800011b8662f224334f001d8101",
			"0:41 078121 1592 0c1f84c01800011b8662f224334f001d8101"},
		{"FLUSH-LL of an unknown cell", 0, "2a1f84c018000104828235", "0:41 078105 04828235 158b 2a1f84c018000104828235"},
		{"paging without area", 0, "06" + imsiIE + "1883000080", "0:41 078123 1590 06" + imsiIE + "1883000080"},
	}
	suite(t, config(2), func(b *bed) {
		for _, c := range cases {
			t.Run(c.name, func(*testing.T) {
				b.at(101).send(c.bvci, c.in)
				b.at(101).want(c.out)
				b.wantIdle()
			})
		}
	})
}

// There is never a STATUS for a STATUS, however bad.
// Facts: G5-14
func TestNoStatusForStatus(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, pdu := range []string{"41", "410781", "41078120", "4107810515", "41078127 0481", "41078120 158101"} {
			for _, bvci := range []uint16{0, 20011, 2222, 1} {
				b.at(2001).send(bvci, pdu)
				b.at(2001).want()
				b.clear()
				b.at(101).send(bvci, pdu)
				b.at(101).want()
				b.clear()
			}
		}
	})
}

// Facts: G5.1-14, G5.2-06
func TestStatusUp(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i, nsei := range []uint16{101, 102} {
			tlli := fmt.Sprintf("%08x", tlliOf(uint32(3+i), 4))
			inner := []struct{ sig, ptp string }{
				{"2a1f84" + tlli + "04824e2b", "00" + tlli + "000080168203e80e8101"}, // FLUSH-LL, DL-UNITDATA
				{"07" + imsiIE + "0a82000102810f2084" + tlli, "07" + imsiIE + "0a82000102810f2084" + tlli},
			}
			for _, in := range inner {
				sig := status("01", "", 0, in.sig)[2:]
				b.at(2001).sig(sig)
				b.at(nsei).want("0:" + sig)
				ptp := status("01", "", 20011, in.ptp)[6:]
				b.at(2001).send(20011, ptp)
				b.at(nsei).want(at(20011, ptp))
				b.wantIdle()
			}
		}
		cut := "41078101 1586 2a1f84c01800" // cut within the TLLI: any SGSN
		b.at(2001).sig(cut)
		if n := len(b.at(101).taken()) + len(b.at(102).taken()); n != 1 {
			t.Errorf("%d SGSNs got it", n)
		}
	})
}

// Facts: G5.3-09, G5.4-17
func TestStatusDown(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for bss, bvci := range map[uint16]uint16{2001: 20011, 2002: 20022, 2003: 20031} {
			for _, nsei := range []uint16{101, 102} {
				inner := fmt.Sprintf("2c1f84c01800010f81010482%04x258300000a", bvci)
				sig := status("01", "", 0, inner)[2:]
				b.at(nsei).sig(sig)
				b.at(bss).want("0:" + sig)
				ptp := status("01", "", bvci, "01c0180001000080")[6:]
				b.at(nsei).send(bvci, ptp)
				b.at(bss).want(at(bvci, ptp))
				b.wantIdle()
			}
		}
		b.at(101).sig("41078101")
		b.wantDrop("status_unroutable", 1)
		b.wantIdle()
	})
}

// "BVCI unknown" is between the SGSN and us: passed on, the BSS would reset the
// BVC. We reset it at that SGSN, once in a while.
// Facts: G5.2-04, G5.4-15, G5.4-16
func TestStatusBVCIUnknown(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for range 5 {
			b.at(101).sig("41078105 04824e2b 158101")
		}
		b.at(101).want("0:2204824e2b078108088862f224334f00753b")
		b.at(2001).sig("41078105 04824e2b 158101")
		b.at(2001).sig("41078109 04824e2b 158101")
		b.wantIdle()
		b.wantDrop("status_local", 7)
	})
}
