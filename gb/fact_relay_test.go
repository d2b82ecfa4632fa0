package gb_test

import (
	"fmt"
	"strings"
	"testing"
)

// Facts of osmo-gbproxy's routing that no other test names; octets by hand from
// TS 48.018 10.

const (
	abqp   = "3a8b0b921f9197fe74f8ffff00"
	psCell = "0888 62f224334f017545"
)

// Every PDU of packet flow contexts and PS handover goes by the TLLI up, and to
// the cell down, unchanged.
//
// Facts: G5.1-05, G5.1-06, G5.1-07, G5.3-07, G5.3-08
func TestPFCAndHandover(t *testing.T) {
	up := map[string]string{
		"FLOW-CONTROL-PFC":         "2d %s 1e8105 528100",
		"CREATE-BSS-PFC-ACK":       "52 %s 288109" + abqp,
		"CREATE-BSS-PFC-NACK":      "53 %s 288109 07810a",
		"MODIFY-BSS-PFC-ACK":       "55 %s 288109 298120" + abqp,
		"DELETE-BSS-PFC-ACK":       "57 %s 288109",
		"DELETE-BSS-PFC-REQ":       "58 %s 288109 07810b",
		"PS-HANDOVER-REQUIRED":     "59 %s 078108 0888" + cell20011.id + psCell + "648100 778100",
		"PS-HANDOVER-REQUEST-ACK":  "5d %s 688100 658100",
		"PS-HANDOVER-REQUEST-NACK": "5e %s 078142",
		"PS-HANDOVER-COMPLETE":     "91 %s" + imsiIE,
		"PS-HANDOVER-CANCEL":       "92 %s 078108 0888" + cell20011.id + psCell,
	}
	down := map[string]string{
		"CREATE-BSS-PFC":            "51 %s 288109 298120" + abqp,
		"MODIFY-BSS-PFC":            "54 %s 288109" + abqp,
		"DELETE-BSS-PFC":            "56 %s 288109",
		"PS-HANDOVER-REQUIRED-ACK":  "5a %s 688100 658100",
		"PS-HANDOVER-REQUIRED-NACK": "5b %s 078142",
		"PS-HANDOVER-REQUEST":       "5c %s" + imsiIE + "078108 0888" + cell20011.id + "0888" + cell20011.id + "648100 678100",
		"PS-HANDOVER-COMPLETE-ACK":  "93 %s",
	}
	suite(t, config(2), func(b *bed) {
		for i, nsei := range []uint16{101, 102} {
			id := fmt.Sprintf("1f84%08x", tlliOf(uint32(3+i), 5))
			for name, f := range up {
				pdu := fmt.Sprintf(f, id)
				b.at(2001).send(20011, pdu)
				b.at(nsei).want(at(20011, pdu))
				if b.wantIdle(); t.Failed() {
					t.Fatal(name)
				}
			}
			for name, f := range down {
				pdu := fmt.Sprintf(f, id)
				b.at(nsei).send(20011, pdu)
				b.at(2001).want(at(20011, pdu))
				if b.wantIdle(); t.Failed() {
					t.Fatal(name)
				}
			}
		}
	})
}

// Up to 3072 octets of NS, which 3047 of LLC make uplink, 3053 downlink.
// Facts: G5-13, G1.2-08
func TestPayloadOfEveryLength(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, n := range []int{0, 1, 127, 128, 255, 256, 500, 1000, 1504, 1592, 3047, 3053} {
			l := fmt.Sprintf("%02x", 0x80|n)
			if n > 127 {
				l = fmt.Sprintf("%04x", n)
			}
			llc := "0e" + l + strings.Repeat("a5", n)
			up := fmt.Sprintf("01%08x000080 0888%s", tlliOf(3, 5), cell20011.id) + llc
			b.at(2001).send(20011, up)
			b.at(101).want(at(20011, up))
			down := fmt.Sprintf("00%08x000080 168203e8", tlliOf(3, 5)) + llc
			b.at(101).send(20011, down)
			b.at(2001).want(at(20011, down))
			b.wantIdle()
		}
	})
}

// All five types of RIM, each way and between BSSs.
//
// Facts: G7-01, G7-07
func TestEveryRIMType(t *testing.T) {
	other, unknown := "62f224334f017545", "62f224fffe000001"
	containers := map[string]string{"70": "58", "71": "57", "72": "5a", "73": "5b", "74": "59"}
	suite(t, config(2), func(b *bed) {
		for typ, container := range containers {
			pdu := func(dst, src string) string { return typ + "548900" + dst + "548900" + src + container + "8100" }
			between := pdu(other, cell20011.id)
			b.at(2001).sig(between)
			b.at(2002).want("0:" + between)
			up := pdu(unknown, cell20011.id)
			b.at(2001).sig(up)
			if n := len(b.at(101).taken()) + len(b.at(102).taken()); n != 1 {
				t.Errorf("type %s: %d SGSNs got it", typ, n)
			}
			down := pdu(other, unknown)
			b.at(102).sig(down)
			b.at(2002).want("0:" + down)
			bad := typ + "548100" + "548900" + cell20011.id + container + "8100"
			b.at(2001).sig(bad)
			b.at(2001).want(status("21", "", 0, bad))
			b.wantIdle()
		}
	})
}

// A STATUS says by its PDU in error, cut off behind the identity, whose it is; one
// that tells nothing goes to any SGSN that is up.
//
// Facts: G5.1-14, G5.1-15, G5.2-06
func TestStatusUpCutOffOrBare(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i, nsei := range []uint16{101, 102} {
			tlli := fmt.Sprintf("%08x", tlliOf(uint32(3+i), 4))
			for _, inner := range []string{"00" + tlli + "0000", "51 1f84" + tlli + "2881"} {
				pdu := status("01", "", 20011, strings.ReplaceAll(inner, " ", ""))[6:]
				b.at(2001).send(20011, pdu)
				b.at(nsei).want(at(20011, pdu))
				b.wantIdle()
			}
		}
		b.takeDown(102)
		for range 20 {
			b.at(2001).send(20011, "41 078101")
			b.at(101).want("20011:41078101")
			b.at(2001).sig("41 078101")
			b.at(101).want("0:41078101")
			b.wantIdle()
		}
	})
}

// Facts: G5.1-16
func TestResetOnPTP(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, pdu := range []string{"2204824e2b0781080888" + cell20011.id, "2304824e2b"} {
			b.at(2001).send(20011, pdu)
			b.at(2001).want(status("27", "", 20011, pdu))
			b.wantIdle()
		}
	})
}

// What a cell says of its buffers holds for the SGSN: poolgw delays and drops
// nothing by it.
//
// Facts: G6-12
func TestFlowControlDoesNotThrottle(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).send(20011, "26 1e8101 05820001 03820001 01820001 1c820001")
		b.at(2001).send(20011, "28 1f84c0180001 1e8105 12820001 03820000")
		b.clear()
		pdu := dl(tlliOf(3, 1), strings.Repeat("a5", 120))
		for range 200 {
			b.at(101).put(20011, pdu)
		}
		if n := len(b.at(2001).taken()); n != 200 {
			t.Errorf("%d of 200 PDUs arrived", n)
		}
	})
}
