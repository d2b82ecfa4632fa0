package gb_test

import (
	"fmt"
	"testing"
)

// Facts: G5.1-08, G5.1-09, G5.1-10, U-05
func TestRadioStatus(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i, nsei := range []uint16{101, 102} {
			local := tlliOf(uint32(3+i), 6)
			for _, id := range []string{fmt.Sprintf("1f84%08x", local), fmt.Sprintf("2084%08x", local&0x3FFFFFFF)} {
				pdu := "0a" + id + "198100"
				b.at(2001).send(20011, pdu)
				b.at(nsei).want(at(20011, pdu))
			}
		}
		b.at(2001).send(20011, "0a"+imsiIE+"198100")
		if n := len(b.at(101).taken()) + len(b.at(102).taken()); n != 1 {
			t.Errorf("%d SGSNs got the one by IMSI", n)
		}
		b.wantIdle()
	})
}

// Facts: G5.1-02, G5.3-04
func TestRACapability(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		down := "02 1f84c0180001 138112"
		b.at(101).send(20011, down)
		b.at(2001).want(at(20011, down))
		up := "08 1f84c0180001 1e8103"
		b.at(2001).send(20011, up)
		b.at(101).want(at(20011, up))
		ack := "09 1f84c0180001 1e8103 1a8100"
		b.at(101).send(20011, ack)
		b.at(2001).want(at(20011, ack))
		b.wantIdle()
	})
}

// Facts: G5.2-09, G5.4-04, G5.4-05, G5.4-06
func TestFlushLL(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		ack := "2b 1f84c0180001 0c8101 258300000a"
		cases := []struct{ name, in, out string }{
			{"no new cell", "2a 1f84c0180001 04824e35", "2a 1f84c0180001 04824e35"},
			{"new cell of the same BSS", "2a 1f84c0180001 04824e35 04824e36", "2a 1f84c0180001 04824e35 04824e36"},
			{"new cell of another BSS", "2a 1f84c0180001 04824e35 04824e2b", "2a 1f84c0180001 04824e35"},
			{"unknown new cell", "2a 1f84c0180001 04824e35 04828235", "2a 1f84c0180001 04824e35"},
		}
		for _, c := range cases {
			b.at(101).sig(c.in)
			b.at(2002).want("0:" + c.out)
			b.at(2002).sig(ack)
			b.at(101).want("0:" + ack)
			b.wantIdle()
		}
	})
}

// Facts: G5.2-07
func TestLLCDiscarded(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		pdu := "2c 1f84c0200001 0f8101 04824e2b 258300000a"
		b.at(2001).sig(pdu)
		b.at(102).want("0:" + pdu)
		b.wantIdle()
	})
}

// Facts: G5.4-21, G5.4-22, U-09
func TestToAllBSSs(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, pdu := range []string{"40 228101 21820001", "42 8f8101"} { // SGSN-INVOKE-TRACE, OVERLOAD
			b.at(101).sig(pdu)
			for _, nsei := range []uint16{2001, 2002, 2003} {
				b.at(nsei).want("0:" + pdu)
			}
			b.wantIdle()
		}
	})
}

// Facts: G5.1-03, G5.1-04, G5.3-06, G6-11
func TestPerSubscriberBothWays(t *testing.T) {
	const id = "1f84c0180001"
	suite(t, config(2), func(b *bed) {
		for _, up := range []string{"28" + id + "1e8101 1282000a 0382000a", "50" + id + "288101", "58" + id + "288101 078101",
			"92" + id + "078101 0888 62f224334f017545", "57" + id + "288101"} {
			b.at(2001).send(20011, up)
			b.at(101).want(at(20011, up))
			b.wantIdle()
		}
		for _, down := range []string{"29" + id + "1e8101", "56" + id + "288101", "2e" + id + "1e8101", "93" + id} {
			b.at(102).send(20011, down)
			b.at(2001).want(at(20011, down))
			b.wantIdle()
		}
	})
}

// Facts: G-36
func TestUnknownTypes(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		up := "e7 018101 1f84c0200001"
		b.at(2001).send(20011, up)
		b.at(102).want(at(20011, up))
		b.at(2001).sig(up)
		b.at(102).want("0:" + up)
		down := "e8 04824e36"
		b.at(101).sig(down)
		b.at(2002).want("0:" + down)
		b.at(101).send(20011, "e8 1f84c0200001")
		b.at(2001).want("20011:e81f84c0200001")
		b.wantIdle()
	})
}

// Facts: G7-02, G7-03, G7-04, G7-05, G7-06, G7-09
func TestRIM(t *testing.T) {
	const container = "57 8100"
	geran := func(c string) string { return "54 89 00" + c }
	ours, other, unknown := "62f224334f00753b", "62f224334f017545", "62f224fffe000001"
	eutran := "54 87 02 62f2240001 01"
	suite(t, config(2), func(b *bed) {
		up := "71" + geran(unknown) + geran(ours) + container
		b.at(2001).sig(up)
		if n := len(b.at(101).taken()) + len(b.at(102).taken()); n != 1 {
			t.Errorf("%d SGSNs got it", n)
		}
		direct := "71" + geran(other) + geran(ours) + container
		b.at(2001).sig(direct)
		b.at(2002).want("0:" + direct)
		down := "71" + geran(ours) + eutran + container
		b.at(102).sig(down)
		b.at(2001).want("0:" + down)
		b.wantIdle()
		bad := "71" + geran(unknown) + eutran + container
		b.at(102).sig(bad)
		b.at(102).want(status("2b", "", 0, bad))
		b.at(2001).sig(bad)
		b.at(2001).want(status("2b", "", 0, bad))
		b.wantIdle()
	})
}

// Facts: G-32, G5.2-12, G5.4-23, G5.4-25
func TestRegistrationEnquiry(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		enquiry, response := "14"+imsiIE, "15"+imsiIE
		b.at(2002).sig(enquiry)
		b.at(101).want("0:" + enquiry)
		b.at(102).want("0:" + enquiry)
		b.at(102).sig(response)
		b.at(2002).want("0:" + response)
		b.at(101).sig(response)
		b.wantIdle()
		b.wantDrop("no_cache_entry", 1)
	})
}
