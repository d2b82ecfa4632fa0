package gb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/nri"
)

// tlliOf makes a local TLLI with an NRI of 5 bits: bits 23 down to 19.
func tlliOf(v uint32, rest uint32) uint32 { return 0xC0000000 | v<<19 | rest&0x7FFFF }

// ul is UL-UNITDATA: TLLI, QoS, cell identifier, alignment, LLC-PDU.
func ul(tlli uint32, c cell, llc string) string {
	return fmt.Sprintf("01%08x000080 0888%s 0080 0e%02x%s", tlli, c.id, 0x80|len(llc)/2, llc)
}

// dl is DL-UNITDATA: TLLI, QoS, PDU lifetime, LLC-PDU.
func dl(tlli uint32, llc string) string {
	return fmt.Sprintf("00%08x000080 168203e8 0e%02x%s", tlli, 0x80|len(llc)/2, llc)
}

func at(bvci uint16, pdu string) string { return fmt.Sprintf("%d:%s", bvci, pdu) }

var cell20011 = cellOf(20011, 13135, 0, 30011)

// Facts: G-03, G4-05, G5-01, G5-12, G5.1-01, G5.3-03
func TestUserDataByNRI(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss := b.at(2001)
		for i, nsei := range []uint16{101, 102} {
			owned := uint32(3 + i)
			for _, tlli := range []uint32{tlliOf(owned, 1), tlliOf(owned, 77) &^ 0x40000000} { // local, foreign
				pdu := ul(tlli, cell20011, "0102ff")
				bss.send(20011, pdu)
				b.at(nsei).want(at(20011, pdu))
				b.wantIdle()
				down := dl(tlli, "0a0b")
				b.at(nsei).send(20011, down)
				bss.want(at(20011, down))
				b.wantIdle()
			}
		}
		s := b.snapshot()
		if s.Pool.Reasons["nri"] != 4 {
			t.Errorf("reasons %v", s.Pool.Reasons)
		}
		m := s.Pool.SGSNs[1]
		if m.Decisions["nri"] != 2 || m.BVCs[1].ToPDUs != 2 || m.BVCs[1].FromPDUs != 2 {
			t.Errorf("SGSN 102: %+v", m)
		}
	})
}

// A payload of 0 to 1592 octets comes out as it went in.
func TestUserDataOctets(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for n := 0; n <= 1592; n += 199 {
			l := fmt.Sprintf("%02x", 0x80|n)
			if n > 127 {
				l = fmt.Sprintf("%04x", n)
			}
			pdu := fmt.Sprintf("01%08x000080 0888%s 0e%s%s", tlliOf(3, 5), cell20011.id, l, strings.Repeat("a5", n))
			b.at(2001).send(20011, pdu)
			b.at(101).want(at(20011, pdu))
		}
	})
}

// Facts: G4-12
func TestUnownedIsSpreadAndStays(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		count := map[uint16]int{}
		for i := uint32(0); i < 64; i++ {
			pdu := ul(0x78000000|i*7919, cell20011, "01") // random TLLIs
			b.at(2001).send(20011, pdu)
			b.at(2001).send(20011, pdu)
			for _, nsei := range []uint16{101, 102} {
				switch got := b.at(nsei).taken(); len(got) {
				case 0, 2:
					count[nsei] += len(got) / 2
				default:
					t.Errorf("TLLI %d: the two PDUs of a subscriber went to different SGSNs", i)
				}
			}
		}
		if count[101]+count[102] != 64 || count[101] < 16 || count[102] < 16 {
			t.Errorf("shares %v", count)
		}
	})
}

// Facts: G4-09, G4-21
func TestDrain(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		next := b.cfg.Clone()
		next.SGSNs[0].AllowAttach = false
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		if d := b.snapshot().Pool.SGSNs[0].DrainedSince; d.IsZero() {
			t.Error("not drained")
		}
		for i := uint32(0); i < 20; i++ {
			b.at(2001).put(20011, ul(0x78000000|i*7919, cell20011, "01"))
		}
		if n := len(b.at(102).taken()); n != 20 {
			t.Errorf("SGSN 102 got %d of 20 new subscribers", n)
		}
		own := ul(tlliOf(3, 1), cell20011, "01")
		b.at(2001).send(20011, own) // its own stay
		b.at(101).want(at(20011, own))
	})
}

// Facts: G4-10
func TestNullNRI(t *testing.T) {
	c := config(2)
	c.Null, _ = c.Null.Add(nri.PLMN{}, nri.Single(3)) // SGSN 101 is being emptied: its own NRI
	suite(t, c, func(b *bed) {
		for i := uint32(0); i < 8; i++ {
			b.at(2001).put(20011, ul(tlliOf(3, i), cell20011, "01"))
		}
		if n := len(b.at(102).taken()); n != 8 {
			t.Errorf("%d of 8 with NULL-NRI avoided the SGSN that holds it", n)
		}
	})
}

// A NULL-NRI of one network alone: the cell tells in which the subscriber is.
func TestNullNRIOfOnePLMN(t *testing.T) {
	c := config(2)
	guest := nri.PLMN{0x00, 0xF1, 0x10}
	c.Null, _ = c.Null.Add(guest, nri.Single(3))
	there := cell{20099, "00f110000100" + "0007"}
	run(t, c, func(b *bed) {
		b.bss(2001, cell20011, there)
		b.clear()
		for i := range uint32(8) {
			b.at(2001).put(cell20011.bvci, ul(tlliOf(3, i), cell20011, "01"))
		}
		if n := len(b.at(101).taken()); n != 8 {
			t.Errorf("%d of 8 in the other network went to the owner", n)
		}
		for i := range uint32(8) {
			b.at(2001).put(there.bvci, ul(tlliOf(3, i+100), there, "01"))
		}
		if n := len(b.at(102).taken()); n != 8 {
			t.Errorf("%d of 8 with the network's NULL-NRI avoided its holder", n)
		}
		// On the signalling BVC the routeing area tells; without one a BSS with cells
		// of several networks leaves it open, and the owner has its own.
		tlli := tlliOf(3, 1000)
		for area, to := range map[string]uint16{rai(13135, 0): 101, "00f110000100": 102} {
			suspend := fmt.Sprintf("0b1f84%08x1b86%s", tlli, area)
			b.at(2001).sig(suspend)
			b.at(to).want("0:" + suspend)
		}
		for range 20 {
			ack := fmt.Sprintf("2b1f84%08x 0c8100 2583000000", tlli) // FLUSH-LL-ACK: deleted
			b.at(2001).sig(ack)
			b.at(101).want("0:" + ack)
		}
		b.wantIdle()
		tlli++
		for plmn, want := range map[nri.PLMN]string{{}: "nri", {0x62, 0xF2, 0x24}: "nri", guest: "null_nri"} {
			if a, err := b.gw.Subscriber(gb.Query{TLLI: &tlli, PLMN: plmn}); err != nil || a.Reason != want {
				t.Errorf("in %v: %+v, %v", plmn, a, err)
			}
		}
		if got := b.snapshot().Pool.NullByPLMN["001-01"]; got != "3" {
			t.Errorf("shown as %q", got)
		}
		next := b.cfg.Clone()
		next.Null, _ = next.Null.Del(guest, nri.Single(3))
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		b.at(2001).put(there.bvci, ul(tlliOf(3, 2000), there, "01"))
		if n := len(b.at(101).taken()); n != 1 {
			t.Error("a NULL-NRI that was taken away still counts")
		}
	})
}

// Facts: G-14, G3.1-22
func TestOwnerDown(t *testing.T) {
	for _, hold := range []uint16{0, 600} {
		c := config(2)
		c.OwnerDownHold = hold
		suite(t, c, func(b *bed) {
			b.at(102).set(true, false)
			time.Sleep(2 * time.Minute) // NS finds out
			b.clear()
			if b.snapshot().Pool.SGSNs[1].Up {
				t.Fatal("SGSN 102 is still up")
			}
			pdu := ul(tlliOf(4, 1), cell20011, "01")
			b.at(2001).send(20011, pdu)
			if hold == 0 {
				b.at(101).want(at(20011, pdu))
			} else {
				b.at(101).want()
				b.wantDrop("owner_down_hold", 1)
			}
		})
	}
}

// Facts: G4-16
func TestPoolDown(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(101).set(true, false)
		b.at(102).set(true, false)
		time.Sleep(2 * time.Minute)
		b.clear()
		bss := b.at(2001)
		bss.send(20011, ul(tlliOf(3, 1), cell20011, "01"))
		bss.want() // never a STATUS
		b.wantDrop("pool_down", 1)
		bss.sig("0b 1f84c0180001 1b8662f224334f00")
		bss.want("0:0d 1f84c0180001 1b8662f224334f00 078107") // SUSPEND-NACK, SGSN congestion
		bss.sig("0e 1f84c0180001 1b8662f224334f00 1d8105")
		bss.want("0:10 1f84c0180001 1b8662f224334f00 078107")
		bss.send(20011, "59 1f84c0180001 078108 0888"+cell20011.id+" 778100") // PS-HANDOVER-REQUIRED
		bss.want("20011:5b 1f84c0180001 078107")
		b.wantIdle()
	})
}

// An SGSN without an unblocked BVC for the cell is no choice for a subscriber
// that nobody owns; an owned one's PDU is dropped.
// Facts: G-15, G-16, G4-17, G4-18
func TestSecondChoice(t *testing.T) {
	run(t, config(2), func(b *bed) {
		b.at(102).set(false, true) // acknowledges no BVC
		b.bss(2001, cell20011)
		b.clear()
		if !b.snapshot().Pool.SGSNs[1].Up {
			t.Fatal("its signalling BVC was acknowledged before")
		}
		for i := uint32(0); i < 20; i++ {
			b.at(2001).put(20011, ul(0x78000000|i*7919, cell20011, "01"))
		}
		if n := len(b.at(101).taken()); n != 20 {
			t.Errorf("%d of 20 found the SGSN that can serve the cell", n)
		}
		b.at(2001).send(20011, ul(tlliOf(4, 1), cell20011, "01"))
		b.wantDrop("no_bvc_at_sgsn", 1)
	})
}

// Facts: G4-13
func TestFixedSelection(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		if err := b.gw.FixSelection("nobody"); err == nil {
			t.Error("a name that no member has was taken")
		}
		if err := b.gw.FixSelection("NSE(00102)"); err != nil {
			t.Fatal(err)
		}
		for i := uint32(0); i < 8; i++ {
			b.at(2001).put(20011, ul(0x78000000|i*7919, cell20011, "01"))
		}
		if n := len(b.at(102).taken()); n != 8 {
			t.Errorf("%d of 8", n)
		}
	})
}

func TestSubscriber(t *testing.T) {
	run(t, config(2), func(b *bed) {
		tlli := tlliOf(4, 1)
		a, err := b.gw.Subscriber(gb.Query{TLLI: &tlli})
		if err != nil || a.NSEI != 102 || a.Reason != "nri" || a.Kind != "local" || a.NRI == nil || *a.NRI != 4 {
			t.Errorf("%+v, %v", a, err)
		}
		before := b.snapshot().Pool.Reasons["nri"]
		if a, _ = b.gw.Subscriber(gb.Query{IMSI: "001010000000001"}); a.Member == "" {
			t.Errorf("%+v", a)
		}
		tmsi := tlli &^ 0xC0000000
		for _, q := range []gb.Query{{PTMSI: &tlli}, {TMSI: &tmsi}} {
			if a, err = b.gw.Subscriber(q); err != nil || a.NSEI != 102 || a.Reason != "nri" {
				t.Errorf("%+v, %v", a, err)
			}
		}
		if _, err = b.gw.Subscriber(gb.Query{TLLI: &tlli, IMSI: "1"}); !errors.Is(err, gb.ErrQuery) {
			t.Error(err)
		}
		if b.snapshot().Pool.Reasons["nri"] != before {
			t.Error("asking counted")
		}
	})
}
