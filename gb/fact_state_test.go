package gb_test

import (
	"slices"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/nri"
	"poolgw/ns"
)

// Facts of states and their propagation that no other test names.

// takeDown lets an SGSN die, and NS find out.
func (b *bed) takeDown(nsei uint16) {
	b.t.Helper()
	b.at(nsei).set(true, false)
	time.Sleep(2 * time.Minute)
	for _, s := range b.snapshot().Pool.SGSNs {
		if s.NSEI == nsei && s.Up {
			b.t.Fatalf("SGSN %d is still up", nsei)
		}
	}
	b.clear()
}

// An SGSN whose NS is alive and whose signalling BVC is not reset gets nothing.
//
// Facts: G3.1-01, G3.1-02, G3.1-03, G4-22
func TestUpMeansReset(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.takeDown(102)
		b.at(102).set(false, true) // NS is back; nobody acknowledges the reset
		time.Sleep(time.Minute)
		b.clear()
		s := b.snapshot()
		if i := slices.IndexFunc(s.NS.NSEs, func(n ns.NSEState) bool { return n.NSEI == 102 }); !s.NS.NSEs[i].Alive {
			t.Fatal("its NS is not alive")
		}
		if s.Pool.SGSNs[1].Up {
			t.Error("it is up")
		}
		owned := ul(tlliOf(4, 1), cell20011, "01")
		b.at(2001).send(20011, owned)
		b.at(101).want(at(20011, owned))
		for i := range uint32(20) {
			if to := goesTo(b, 0x78000000|i*7919); to != 101 {
				t.Errorf("subscriber %d went to %d", i, to)
			}
		}
		if n := b.snapshot().Pool.Reasons["owner_down"]; n != 1 {
			t.Errorf("%d decisions because the owner was down", n)
		}
		b.at(102).set(false, false)
		time.Sleep(time.Minute)
		b.clear()
		if to := goesTo(b, tlliOf(4, 2)); to != 102 {
			t.Errorf("it is back, but its subscriber went to %d", to)
		}
	})
}

// An SGSN that node ns does not have: others serve those who are its, and who
// are nobody's.
// Facts: G2-04
func TestSGSNWithoutNSE(t *testing.T) {
	c := config(2)
	c.NS.NSEs = c.NS.NSEs[:1]
	run(t, c, func(b *bed) {
		b.bss(2001, cell20011)
		time.Sleep(5 * time.Minute)
		b.clear()
		if s := b.snapshot().Pool.SGSNs; !s[0].Up || s[1].Up {
			t.Errorf("up: %v, %v", s[0].Up, s[1].Up)
		}
		for i := range uint32(20) {
			for _, tlli := range []uint32{tlliOf(4, i), 0x78000000 | i*7919} {
				if to := goesTo(b, tlli); to != 101 {
					t.Errorf("%x went to %d", tlli, to)
				}
			}
		}
	})
}

// Facts: G3.1-12
func TestCellBeforeSignalling(t *testing.T) {
	run(t, config(2), func(b *bed) {
		p := b.add(2001, false)
		p.start()
		p.sig("2204824e2b0781080888" + cell20011.id)
		p.want("0:2304824e2b")
		b.clear()
		if to := goesTo(b, tlliOf(4, 1)); to != 102 {
			t.Errorf("user data of the cell went to %d", to)
		}
	})
}

// Facts: G3.1-19, G5-06
func TestDownlinkForACellThatIsAway(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).set(true, false)
		time.Sleep(3 * time.Minute)
		b.clear()
		pdu := dl(tlliOf(3, 1), "01")
		b.at(101).send(20011, pdu)
		b.at(101).want(status("09", "04824e2b", 20011, pdu))
		b.wantDrop("bvc_blocked", 1)
	})
}

// Facts: G3-24
func TestFlowControlOfABlockedCell(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).sig("2004824e2b078108")
		b.clear()
		b.at(2001).send(20011, "26 1e8101 05820064 03820064 0182000a 1c82000a")
		b.wantIdle()
		b.wantDrop("bvc_blocked", 1)
	})
}

// Facts: G0-10
func TestStopSaysNothing(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.gw.Stop()
		b.wantIdle()
	})
}

// An SGSN that is being emptied: drained, and answering with a NULL-NRI that is
// among its own.
//
// Facts: G-06, G4-09, G4-10
func TestOffload(t *testing.T) {
	c := config(3)
	c.Null, _ = c.Null.Add(nri.PLMN{}, nri.Single(3))
	own, _ := c.SGSNs[0].NRI.Add(nri.Single(9))
	c.SGSNs[0].NRI, c.SGSNs[0].AllowAttach = own, false
	suite(t, c, func(b *bed) {
		got := map[uint16]int{}
		for i := range uint32(40) {
			got[goesTo(b, tlliOf(3, i))]++ // offered back
			if to := goesTo(b, tlliOf(9, i)); to != 101 {
				t.Errorf("a subscriber that has not been moved yet went to %d", to)
			}
		}
		if got[101] != 0 || got[102] == 0 || got[103] == 0 {
			t.Errorf("with the NULL-NRI: %v", got)
		}
	})
}

// A phone attaches with a random TLLI; the SGSN that got it allocates a P-TMSI of
// its own NRI, and the local TLLI of it, and later its foreign one, stay there.
//
// Facts: G4-19
func TestAttachStaysWithItsSGSN(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i := range uint32(16) {
			random := 0x78000000 | i*7919
			first := goesTo(b, random)
			local := tlliOf(uint32(first-98), i)
			for n, tlli := range []uint32{random, local, local &^ 0x40000000, local} {
				if to := goesTo(b, tlli); to != first {
					t.Errorf("attach %d, PDU %d with %08x: at %d, begun at %d", i, n, tlli, to, first)
				}
			}
		}
	})
}

// A stranger on the BSSs' side that says an SGSN's NSEI gets no answer, and the
// SGSN notices nothing.
//
// Facts: G1.1-16
func TestBSSWithAnSGSNsNSEI(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		thief := b.add(2999, false)
		thief.nsei = 101
		thief.start()
		thief.sig("2204820000078108")
		for _, g := range thief.taken() {
			t.Errorf("it got %v", g)
		}
		thief.nsei = 2999
		b.wantIdle()
		if to := goesTo(b, tlliOf(3, 1)); to != 101 {
			t.Errorf("the SGSN's subscriber went to %d", to)
		}
	})
}

// Facts: G2-03
func TestAnyNSEIMayBeABSS(t *testing.T) {
	run(t, config(1), func(b *bed) {
		for i, nsei := range []uint16{0, 1, 100, 65535} {
			c := cellOf(20011+uint16(i), 13135, 0, 30011+uint16(i))
			b.bss(nsei, c).want("0:23048200003b8100698100", "0:2304824e"+c.bvciLow())
		}
		if n := len(b.snapshot().BSSs); n != 4 {
			t.Errorf("%d BSSs", n)
		}
	})
}

func (c cell) bvciLow() string {
	return string("0123456789abcdef"[c.bvci>>4&15]) + string("0123456789abcdef"[c.bvci&15])
}

// Facts: G2-15
func TestShownInOrder(t *testing.T) {
	run(t, config(3), func(b *bed) {
		b.bss(2003, cellOf(20033, 1, 1, 1), cellOf(20031, 1, 1, 2))
		b.bss(2001, cellOf(20012, 1, 1, 3), cellOf(20011, 1, 1, 4))
		b.bss(2002, cellOf(20021, 1, 1, 5))
		s := b.snapshot()
		var bsss, nses []uint16
		var cells []uint16
		for _, p := range s.BSSs {
			bsss = append(bsss, p.NSEI)
			if !slices.IsSortedFunc(p.BVCs, func(a, b gb.BVCState) int { return int(a.BVCI) - int(b.BVCI) }) {
				t.Errorf("BVCs of %d: %+v", p.NSEI, p.BVCs)
			}
		}
		for _, c := range s.Cells {
			cells = append(cells, c.BVCI)
		}
		for _, n := range s.NS.NSEs {
			nses = append(nses, n.NSEI)
		}
		if !slices.Equal(bsss, []uint16{2001, 2002, 2003}) || !slices.IsSorted(cells) || len(cells) != 5 ||
			!slices.IsSorted(nses) || len(nses) != 6 {
			t.Errorf("BSSs %v, cells %v, NSEs %v", bsss, cells, nses)
		}
	})
}

// Facts: G8-02, G8-08
func TestIMSICache(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		page, enquiry, response := paging(false, "04824e2b"), "14"+imsiIE, "15"+imsiIE
		b.at(102).sig(page)
		b.at(2002).sig(enquiry) // the same IMSI, from elsewhere
		b.clear()
		b.at(2001).sig(rejectPS)
		b.at(102).want("0:" + rejectPS)
		b.at(101).sig(response)
		b.at(2002).want("0:" + response)
		b.wantIdle()
		time.Sleep(9900 * time.Millisecond)
		b.at(2001).sig(rejectPS) // the paging is remembered still
		b.at(102).want("0:" + rejectPS)
		time.Sleep(200 * time.Millisecond)
		b.at(2001).sig(rejectPS)
		b.wantIdle()
		b.wantDrop("no_cache_entry", 1)
		b.at(2002).sig(enquiry)
		b.clear()
		time.Sleep(10100 * time.Millisecond)
		b.at(101).sig(response)
		b.wantIdle(b.at(101))
		b.wantDrop("no_cache_entry", 2)
	})
}

// Facts: G8-06
func TestCacheEntriesGoWithTheBSS(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).sig("0b 1f84c0180009 1b8662f224334f00")
		b.at(2002).sig("0b 1f84c018000a 1b8662f224334f00")
		b.at(2001).sig("14" + imsiIE)
		if s := b.snapshot(); len(s.TLLIs) != 2 || len(s.IMSIs) != 1 {
			t.Fatalf("%+v %+v", s.TLLIs, s.IMSIs)
		}
		if _, _, err := b.gw.DeletePeer(2001, gb.DeleteAll, false); err != nil {
			t.Fatal(err)
		}
		if s := b.snapshot(); len(s.TLLIs) != 1 || s.TLLIs[0].NSEI != 2002 || len(s.IMSIs) != 0 {
			t.Errorf("%+v %+v", s.TLLIs, s.IMSIs)
		}
	})
}
