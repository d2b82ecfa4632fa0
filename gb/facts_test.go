package gb_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What users of Gb gateways reported, and what poolgw does where osmo-gbproxy is
// silent or wrong, as far as no other test shows it.

// A BVCI that comes back with another Cell-ID is no longer paged in its old area.
// Facts: U-02
func TestOldAreaIsNotPaged(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		old := paging(false, "1b8662f224334f00") // where only it is
		b.at(101).sig(old)
		b.at(2001).want("0:" + old)
		b.at(2001).sig("2204824e2b078108 0888 62f22433f4007777")
		b.clear()
		b.at(101).sig(old)
		b.wantIdle()
		b.wantDrop("unknown_rai", 1)
	})
}

// A Routeing Area longer than specified is taken by what is specified.
// Facts: U-19
func TestPagingWithLongRoutingArea(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, ie := range []string{"1b8762f224334f00ff", "1b000862f224334f000000", "1b8862f224334f007777"} {
			for _, cs := range []bool{false, true} {
				pdu := paging(cs, ie)
				b.at(101).sig(pdu)
				b.at(2001).want("0:" + pdu)
				b.wantIdle()
			}
		}
		short := paging(false, "1b8562f224334f")
		b.at(101).sig(short)
		b.wantIdle(b.at(101))
	})
}

const suspendID = "1f84c0180009 1b8662f224334f00"

// An answer later than the cache is refused with a STATUS; a repeated SUSPEND
// has its full time again.
// Facts: G8-01, G8-03, U-04
func TestLateSuspendAck(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		suspend, ack := "0b"+suspendID, "0c"+suspendID+"1d8101"
		b.at(2002).sig(suspend)
		time.Sleep(9 * time.Second)
		b.at(2002).sig(suspend) // T3
		time.Sleep(9 * time.Second)
		b.clear()
		b.at(101).sig(ack)
		b.at(2002).want("0:" + ack)
		b.at(2002).sig(suspend)
		time.Sleep(11 * time.Second)
		b.clear()
		b.at(101).sig(ack)
		b.at(101).want(status("21", "", 0, ack))
		b.wantIdle()
		b.wantDrop("no_cache_entry", 1)
	})
}

// Only the SGSN that was asked may answer.
// Facts: G5.4-27
func TestAnswerOfAnotherSGSN(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, c := range [][2]string{{"0b" + suspendID, "0c" + suspendID + "1d8101"}, {"0e" + suspendID + "1d8101", "0f" + suspendID}} {
			b.at(2002).sig(c[0])
			b.at(101).want("0:" + c[0])
			b.at(102).sig(c[1])
			b.at(102).want(status("21", "", 0, c[1]))
			b.at(101).sig(c[1])
			b.at(2002).want("0:" + c[1])
			b.wantIdle()
		}
	})
}

// With many SGSNs each has its share, and none is left out at the end of the
// list.
// Facts: G0-21, G2-02, U-20
func TestManySGSNs(t *testing.T) {
	const sgsns, subscribers = 40, 800
	c := config(sgsns)
	c.BitLen = 8
	run(t, c, func(b *bed) {
		b.bss(2001, cell20011)
		b.clear()
		for i := range uint32(subscribers) {
			b.at(2001).put(20011, ul(0x78000000|i*7919, cell20011, "01"))
			if i%50 == 0 {
				synctest.Wait()
			}
		}
		sum := 0
		for _, s := range c.SGSNs {
			n := len(b.at(s.NSEI).taken())
			if sum += n; n == 0 || n > 3*subscribers/sgsns {
				t.Errorf("SGSN %d got %d of %d", s.NSEI, n, subscribers)
			}
		}
		if sum != subscribers {
			t.Errorf("%d of %d arrived", sum, subscribers)
		}
	})
}

// An SGSN that resets its signalling BVC without end makes no storm: the BSSs
// notice nothing, its cells are reset at the pace of any.
// Facts: U-10
func TestSGSNResetStorm(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		time.Sleep(time.Second)
		for range 100 {
			b.at(101).sig("220482000007810a")
		}
		cells := 0
		for _, g := range b.at(101).taken() {
			if strings.HasPrefix(g.pdu, "2204824e") {
				cells++
			}
		}
		if cells > 16 {
			t.Errorf("%d resets of 6 cells at once", cells)
		}
		b.wantIdle()
		time.Sleep(time.Second)
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		b.clear()
		b.at(2001).send(20011, pdu)
		b.at(101).want(at(20011, pdu))
	})
}

// What an SGSN asks of a subscriber that nobody owns is answered to that SGSN.
// Facts: G-12
func TestAnswersFindTheSGSNThatAsked(t *testing.T) {
	const qos = "3a8b0000000000000000000000"
	for i, c := range []struct {
		name     string
		bvci     uint16
		ask, ack string
	}{
		{"FLUSH-LL", 0, "2a%s 04824e2b", "2b%s 0c8100 258300000a"},
		{"CREATE-BSS-PFC", 20011, "51%s 288101 298101" + qos, "52%s 288101" + qos},
		{"CREATE-BSS-PFC refused", 20011, "51%s 288101 298101" + qos, "53%s 288101 07810a"},
		{"MODIFY-BSS-PFC", 20011, "54%s 288101" + qos, "55%s 288101 298101" + qos},
		{"DELETE-BSS-PFC", 20011, "56%s 288101", "57%s 288101"},
		{"PS-HANDOVER-REQUEST", 20011, "5c%s" + imsiIE + "078108 0888" + cell20011.id + "0888" + cell20011.id + "648100 678100", "5e%s 078108"},
	} {
		suite(t, config(2), func(b *bed) {
			for n := range uint16(12) { // so many that no hash could do it
				nsei := 101 + n%2
				id := fmt.Sprintf("1f84%08x", 0x78000000+uint32(i)<<8+uint32(n))
				ask, ack := fmt.Sprintf(c.ask, id), fmt.Sprintf(c.ack, id)
				b.at(nsei).send(c.bvci, ask)
				b.at(2001).want(at(c.bvci, ask))
				b.at(2001).send(c.bvci, ack)
				b.at(nsei).want(at(c.bvci, ack))
				b.wantIdle()
			}
		})
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
}

// Shares that change often are told at most once a second, the last ones.
// Facts: G-22
func TestSharesAtMostOnceASecond(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		b.at(2001).send(20011, "26 1e8105 05820064 03820064 0182000a 1c82000a")
		b.clear()
		old := b.cfg
		for _, ratio := range []uint8{50, 25, 75, 10} {
			next := old.Clone()
			next.FlowControlRatio = ratio
			if err := b.gw.Apply(old, next, time.Now()); err != nil {
				t.Fatal(err)
			}
			old = next
			time.Sleep(200 * time.Millisecond)
		}
		time.Sleep(900 * time.Millisecond)
		for _, nsei := range []uint16{101, 102} {
			b.at(nsei).want("20011:26 1e8101 0582000a 0382000a 0182000a 1c82000a")
		}
		b.wantIdle()
	})
}

// With shares by weight, an SGSN that goes down gives its share to the others.
// Facts: G-21
func TestSharesFollowTheLiveSGSNs(t *testing.T) {
	cfg := config(2)
	cfg.FlowControlAuto = true
	suite(t, cfg, func(b *bed) {
		time.Sleep(2 * time.Second)
		b.at(2001).send(20011, "26 1e8105 05820064 03820064 0182000a 1c82000a")
		b.at(101).want("20011:26 1e8105 05820032 03820032 0182000a 1c82000a")
		b.at(102).set(true, false)
		time.Sleep(2 * time.Minute)
		b.at(101).want("20011:26 1e8101 05820064 03820064 0182000a 1c82000a")
	})
}

// Facts: G-23, G6-08
func TestEveryGranularity(t *testing.T) {
	cfg := config(1)
	cfg.FlowControlRatio = 50
	suite(t, cfg, func(b *bed) {
		for g := range 4 {
			ie := fmt.Sprintf("7e810%d", g)
			b.at(2001).send(20011, "26 1e8101 0582ffff 0382ffff 0182ffff 1c82ffff"+ie)
			b.at(101).want("20011:26 1e8101 05827fff 03827fff 0182ffff 1c82ffff" + ie)
		}
	})
}

// Of the further IEs of a cell's flow control a bounded number of octets is kept
// for an SGSN that restarts; what comes is passed on whole.
// Facts: G-24, G6-09
func TestKeptFlowControlIsBounded(t *testing.T) {
	suite(t, config(1), func(b *bed) {
		other := "e1f8" + strings.Repeat("a5", 120)
		flow := "0582006403820064 0182000a 1c82000a"
		b.at(2001).send(20011, "26 1e8107"+flow+strings.Repeat(other, 3))
		b.at(101).want("20011:26 1e8107" + flow + strings.Repeat(other, 3))
		b.at(101).sig("220482000007810a")
		time.Sleep(time.Second)
		var told []string
		for _, g := range b.at(101).taken() {
			if g.bvci == 20011 {
				told = append(told, g.String())
			}
		}
		if want := strings.ReplaceAll("20011:26 1e8101"+flow+strings.Repeat(other, 2), " ", ""); len(told) != 1 || told[0] != want {
			t.Errorf("told %v, want %s", told, want)
		}
	})
}

// LCS and MBMS PDUs go by the BVCI and TLLI in them.
// Facts: G-34, G-35
func TestLCSAndMBMS(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for _, typ := range []string{"60", "62", "64", "80", "82", "84"} { // from an SGSN
			pdu := typ + "1f84c0180001 04824e36"
			b.at(102).sig(pdu)
			b.at(2002).want("0:" + pdu)
			b.wantIdle()
		}
		for _, typ := range []string{"61", "63", "81", "83", "85"} { // from a BSS
			pdu := typ + "1f84c0180001 04824e36"
			b.at(2002).sig(pdu)
			b.at(101).want("0:" + pdu)
			b.wantIdle()
		}
		bare := "80 718100" // TMGI only: nothing to go by
		b.at(102).sig(bare)
		b.at(102).want(status("27", "", 0, bare))
		b.wantIdle()
	})
}

// Whatever the state of a cell that exists, its BSS hears no STATUS "BVCI
// unknown" or "blocked": it would reset the BVC.
// Facts: G-37, G5-07
func TestNoStatusWhileTheCellExists(t *testing.T) {
	cases := []struct {
		name, reason string
		before       func(b *bed)
		bvci         uint16
	}{
		{"blocked", "bvc_blocked", func(b *bed) { b.at(2001).sig("2004824e2b078108") }, 20011},
		{"signalling BVC reset, not yet the cell's", "cell_inactive", func(b *bed) { b.at(2001).sig("2204820000078108") }, 20011},
		{"another BSS's", "bvci_of_other_bss", func(*bed) {}, 20021},
		{"reset by an SGSN, not acknowledged", "bvc_blocked", func(b *bed) {
			b.at(2001).set(false, true)
			b.at(101).sig("2204824e2b078108")
		}, 20011},
	}
	for _, c := range cases {
		suite(t, config(2), func(b *bed) {
			c.before(b)
			b.clear()
			b.at(2001).send(c.bvci, ul(tlliOf(3, 1), cell20011, "01"))
			b.wantIdle()
			b.wantDrop(c.reason, 1)
		})
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
}
