package gb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Facts: G3-15, G3-20, G3.1-15, G3.1-16, G5-06, G5-07, G5.2-01, G5.4-01
func TestBlockAndUnblock(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss := b.at(2001)
		bss.sig("2004824e2b078108")
		bss.want("0:2104824e2b")
		b.at(101).want("0:2004824e2b078108") // the BSS's cause
		b.at(102).want("0:2004824e2b078108")
		bss.send(20011, ul(tlliOf(3, 1), cell20011, "01"))
		b.wantIdle()
		b.wantDrop("bvc_blocked", 1)
		b.at(101).send(20011, dl(tlliOf(3, 1), "01"))
		b.at(101).want(status("09", "04824e2b", 20011, dl(tlliOf(3, 1), "01")))
		bss.sig("2404824e2b")
		bss.want("0:2504824e2b")
		b.at(101).want("0:2404824e2b")
		b.at(102).want("0:2404824e2b")
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		bss.send(20011, pdu)
		b.at(101).want(at(20011, pdu))
		b.wantIdle()
	})
}

// status is the STATUS that answers a PDU (TS 48.018 10.4.14).
func status(cause, bvciIE string, bvci uint16, pdu string) string {
	n := 0
	for _, r := range pdu {
		if r != ' ' {
			n++
		}
	}
	return fmt.Sprintf("%d:410781%s%s15%02x%s", bvci, cause, bvciIE, 0x80|n/2, pdu)
}

// Facts: G3.1-10, U-02
func TestResetByBSS(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).sig("2204824e2b078108 0888 62f22433f4007777") // another cell now
		b.at(2001).want("0:2304824e2b")
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).want("0:2204824e2b078108 0888 62f22433f4007777")
		}
		b.at(101).sig(paging(false, "108562f22433f4"))
		b.at(2001).want("0:" + paging(false, "108562f22433f4"))
	})
}

// Facts: G-10, G-37, G3.1-06, G3.1-07, G5.2-01
func TestSignallingResetByBSS(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss := b.at(2002)
		bss.sig("2204820000078101")
		bss.want("0:23048200003b8100698100")
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).want("0:2004824e35078101", "0:2004824e36078101") // acknowledged, and no STATUS for it
		}
		b.at(101).send(20021, dl(tlliOf(3, 1), "01"))
		b.at(101).want(status("09", "04824e35", 20021, dl(tlliOf(3, 1), "01")))
		bss.send(20021, ul(tlliOf(3, 1), cellOf(20021, 13135, 1, 30021), "01"))
		bss.want() // never "BVCI unknown" while the cell is there
		b.wantDrop("cell_inactive", 1)
		bss.sig("2204824e35078108 0888 62f224334f017545")
		b.at(101).want("0:2204824e35078108 0888 62f224334f017545")
		pdu := ul(tlliOf(3, 1), cellOf(20021, 13135, 1, 30021), "01")
		bss.send(20021, pdu)
		b.at(101).want(at(20021, pdu))
	})
}

// A BSS's reset of BVCI 0 comes twice, late the second time: the BSS does not know
// that its cells wait for a reset, and uses them. They are reset, some seconds
// after; one that it does not use stays as it is.
func TestSignallingResetComesLate(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss := b.at(2002)
		used := ul(tlliOf(3, 1), cellOf(20021, 13135, 1, 30021), "01")
		bss.sig("2204820000078101")
		bss.want("0:23048200003b8100698100")
		bss.send(20021, used)
		time.Sleep(4900 * time.Millisecond)
		bss.send(20021, used)
		bss.want()
		time.Sleep(200 * time.Millisecond)
		bss.send(20021, used)
		bss.send(20021, used)
		bss.want("0:2204824e35078108") // which the BSS acknowledges
		b.clear()
		bss.send(20021, used)
		b.at(101).want(at(20021, used))
		time.Sleep(time.Minute)
		bss.want()
	})
}

// Facts: G3-14, G3.1-13, G3.1-14, G5.4-03
func TestResetBySGSN(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(101).sig("2204824e2b078104")
		b.at(101).want("0:2304824e2b 0888 62f224334f00753b")
		b.at(2001).want("0:2204824e2b078104")
		b.wantIdle()
		b.at(101).sig("2204828235078104") // unknown
		b.at(101).want(status("05", "04828235", 0, "2204828235078104"))
	})
}

// A BSS that is gone: its cells are blocked at every SGSN, they come back with
// it, from another address too.
// Facts: G3.1-17, G3.1-18, G3.1-26, U-03
func TestBSSFailure(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).set(true, false)
		time.Sleep(3 * time.Minute)
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).want("0:2004824e2b078101")
		}
		b.at(101).sig("2204824e2b078108") // must not become unblocked
		b.at(101).want(status("05", "04824e2b", 0, "2204824e2b078108"))
		if c := b.snapshot().Cells[0]; c.Active || c.BVCI != 20011 {
			t.Errorf("%+v", c)
		}
		b.clear()
		bss := b.at(2001)
		bss.set(false, false)
		bss.start()
		bss.reset(cell20011)
		if got := bss.taken(); !slices.Contains(got, gotOf(0, "2304824e2b")) {
			t.Errorf("%v", got)
		}
		b.at(101).want("0:2204824e2b078108088862f224334f00753b")
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		bss.send(20011, pdu)
		b.at(101).want(at(20011, pdu))
	})
}

func gotOf(bvci uint16, pdu string) got { return got{bvci, pdu} }

// A BSS that was cut off and never noticed is reset by us.
func TestBSSBackWithoutReset(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss := b.at(2001)
		bss.set(true, false)
		time.Sleep(3 * time.Minute)
		b.clear()
		bss.set(false, false)
		bss.start()
		time.Sleep(10 * time.Second)
		bss.want("0:2204824e2b078108")
		b.at(101).want("0:2404824e2b")
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		bss.send(20011, pdu)
		b.at(101).want(at(20011, pdu))
	})
}

// The SGSN's NS fails: the BSSs are not told; its cells come back by our resets.
// Facts: G3.1-20, G3.1-21, U-01
func TestSGSNFailure(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(101).set(true, false)
		time.Sleep(2 * time.Minute)
		b.clear()
		b.at(101).set(false, false)
		time.Sleep(2 * time.Minute)
		var resets int
		for _, g := range b.at(101).taken() {
			if g.bvci == 0 && g.pdu[:2] == "22" {
				resets++
			}
		}
		if resets != 7 { // BVCI 0 and six cells
			t.Errorf("%d resets at the SGSN", resets)
		}
		b.wantIdle()
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		b.at(2001).send(20011, pdu)
		b.at(101).want(at(20011, pdu))
	})
}

// Unanswered procedures are tried again every T2, then with back-off.
// Facts: G-08, G-31, G3-02
func TestResetRetries(t *testing.T) {
	run(t, config(1), func(b *bed) {
		b.at(101).set(false, true)
		b.bss(2001, cell20011)
		b.clear()
		time.Sleep(31 * time.Second)
		if n := len(b.at(101).taken()); n != 3 {
			t.Errorf("%d resets in 31 s", n)
		}
		time.Sleep(time.Hour)
		if n := len(b.at(101).taken()); n < 25 || n > 40 {
			t.Errorf("%d resets in the next hour", n)
		}
		if b.snapshot().Alarms != 1 {
			t.Error("no alarm")
		}
	})
}

// Facts: G-29, G2-12, G3.1-11
func TestConflictingBVCI(t *testing.T) {
	claim := "2204824e2b078108 0888 62f224334f017777"
	suite(t, config(2), func(b *bed) {
		b.at(2002).sig(claim)
		time.Sleep(5 * time.Second)
		b.wantIdle() // the older one was probed, on NS, and no cell was disturbed
		if c := b.snapshot().Cells[0]; c.BSS != 2001 {
			t.Errorf("%+v", c)
		}
		b.wantDrop("bvci_conflict", 1)
		for range 10 { // damped
			b.at(2002).sig(claim)
		}
		b.wantIdle()
		time.Sleep(time.Minute)
		b.at(2001).set(true, false) // NS has not noticed yet
		b.at(2002).sig(claim)
		time.Sleep(time.Second)
		b.at(2002).want()
		time.Sleep(5 * time.Second)
		b.at(2002).want("0:2304824e2b")
		if c := b.snapshot().Cells[0]; c.BSS != 2002 || c.CI != 0x7777 {
			t.Errorf("%+v", c)
		}
		pdu := ul(tlliOf(3, 1), cell{20011, "62f224334f017777"}, "01")
		b.clear()
		b.at(2002).send(20011, pdu)
		b.at(101).want(at(20011, pdu))
		b.at(2001).set(false, false)
		b.at(2001).send(20011, pdu)
		b.wantDrop("bvci_of_other_bss", 1)
		b.wantIdle()
	})
}

// Facts: G-30
func TestConflictingBVCIPropagate(t *testing.T) {
	cfg := config(2)
	cfg.SGSNReset = 1
	suite(t, cfg, func(b *bed) {
		b.at(2002).sig("2204824e2b078108 0888 62f224334f017777")
		b.at(2002).want("0:2304824e2b")
		if c := b.snapshot().Cells[0]; c.BSS != 2002 {
			t.Errorf("%+v", c)
		}
	})
}
