package gb_test

import (
	"fmt"
	"testing"
	"time"

	"poolgw/gb"
)

// Bitmaps: PFC 01, CBL 02, INR 04, LCS 08, RIM 10, PFC-FC 20, MBMS 80; extended
// PSHO 01, GBIT 02 (TS 48.018 11.3.40, 11.3.84).

func withFeatures(bitmap, extended uint8) gb.Config {
	c := config(2)
	c.FeatureBitmap, c.ExtendedFeatureBitmap = bitmap, extended
	return c
}

const resetSIG, resetAckSIG = "22048200000781083b81%02x6981%02x", "0:23048200003b81%02x6981%02x"

// tellFeatures has a peer reset its signalling BVC with its bitmaps, and returns what
// it got.
func (p *peer) tellFeatures(bitmap, extended uint8) []got {
	p.sig(fmt.Sprintf(resetSIG, bitmap, extended))
	return p.taken()
}

func wantFeatures(t *testing.T, in []got, bitmap, extended uint8) {
	t.Helper()
	if want := fmt.Sprintf(resetAckSIG, bitmap, extended); len(in) == 0 || in[0].String() != want {
		t.Errorf("got %v, want %s", in, want)
	}
}

// Facts: G-25, G-26, G-27, G3-11
func TestFeaturesOffered(t *testing.T) {
	run(t, withFeatures(0x11, 0x02), func(b *bed) {
		b.at(101).want("0:2204820000078108 3b8111 698102") // before any BSS is there
		bss := b.add(2001, false)
		bss.start()
		wantFeatures(t, bss.tellFeatures(0xff, 0xff), 0, 0) // the SGSNs have told none
		wantFeatures(t, b.at(101).tellFeatures(0xff, 0xff), 0x11, 0x02)
		wantFeatures(t, bss.tellFeatures(0xff, 0xff), 0, 0) // 102 still has none
		b.at(102).taken()
		wantFeatures(t, b.at(102).tellFeatures(0xff, 0xff), 0x11, 0x02)
		bss.want() // no reset because of it
		wantFeatures(t, bss.tellFeatures(0xff, 0xff), 0x11, 0x02)
		wantFeatures(t, b.at(102).tellFeatures(0x01, 0), 0x11, 0x02)
		bss.want()
		wantFeatures(t, bss.tellFeatures(0xff, 0xff), 0x01, 0)
		b.at(102).set(true, false) // what is down does not count
		time.Sleep(2 * time.Minute)
		b.clear()
		wantFeatures(t, bss.tellFeatures(0xff, 0xff), 0x11, 0x02)
	})
}

// A change of the bitmaps causes no reset and counts from the next.
// Facts: G-27
func TestFeaturesChange(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		next := b.cfg.Clone()
		next.FeatureBitmap = 0x01
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		b.wantIdle()
		wantFeatures(t, b.at(101).tellFeatures(0x01, 0), 0x01, 0)
	})
}

const qos11 = "3a8b0000000000000000000000"

// ofFeatures are downlink PDUs of the features that a BSS may lack, for the cell
// 20011 (PTP) or 20021 by %s.
var ofFeatures = []struct {
	name, pdu string
	ptp       bool
}{
	{"CREATE-BSS-PFC", "51 1f84c0180001 288101 298101" + qos11, true},
	{"MODIFY-BSS-PFC", "54 1f84c0180001 288101" + qos11, true},
	{"DELETE-BSS-PFC", "56 1f84c0180001 288101", true},
	{"FLOW-CONTROL-PFC-ACK", "2e 1f84c0180001 1e8101", true},
	{"PS-HANDOVER-REQUIRED-NACK", "5b 1f84c0180001 078108", true},
	{"PS-HANDOVER-COMPLETE-ACK", "93 1f84c0180001", true},
	{"PERFORM-LOCATION-REQUEST", "60 1f84c0180001 0482%04x", false},
	{"POSITION-RESPONSE", "64 1f84c0180001 0482%04x", false},
	{"MBMS-SESSION-START-REQUEST", "80 0482%04x", false},
	{"RAN-INFORMATION-REQUEST", "71 548900%s 548702 62f2240001 01 578100", false},
}

// featurePDU is an entry of ofFeatures for a cell.
func featurePDU(i int, c cell) string {
	f := ofFeatures[i]
	switch {
	case f.ptp:
		return f.pdu
	case f.name == "RAN-INFORMATION-REQUEST":
		return fmt.Sprintf(f.pdu, c.id)
	}
	return fmt.Sprintf(f.pdu, c.bvci)
}

// Two BSSs, of which one has negotiated everything and one nothing.
func withAndWithout(t *testing.T, cfg gb.Config, f func(b *bed, with, without *peer, cells [2]cell)) {
	t.Helper()
	cells := [2]cell{cell20011, cellOf(20021, 13135, 1, 30021)}
	run(t, cfg, func(b *bed) {
		b.at(101).tellFeatures(0xff, 0xff)
		b.at(102).tellFeatures(0xff, 0xff)
		with, without := b.bss(2001), b.bss(2002)
		with.tellFeatures(0xff, 0xff)
		for i, p := range []*peer{with, without} {
			p.sig(fmt.Sprintf("220482%04x0781080888%s", cells[i].bvci, cells[i].id))
		}
		b.clear()
		f(b, with, without, cells)
	})
}

// Facts: G-28
func TestLackedFeaturesAreRefused(t *testing.T) {
	withAndWithout(t, withFeatures(0xbf, 0x03), func(b *bed, with, without *peer, cells [2]cell) {
		for i, f := range ofFeatures {
			bvci := func(c cell) uint16 {
				if f.ptp {
					return c.bvci
				}
				return 0
			}
			pdu := featurePDU(i, cells[0])
			b.at(101).send(bvci(cells[0]), pdu)
			with.want(at(bvci(cells[0]), pdu))
			pdu = featurePDU(i, cells[1])
			b.at(101).send(bvci(cells[1]), pdu)
			b.at(101).want(status("28", "", bvci(cells[1]), pdu)) // PDU not compatible with the feature set
			b.wantIdle()
			b.wantDrop("feature_not_negotiated", uint64(i+1))
			if t.Failed() {
				t.Fatal(f.name)
			}
		}
		down := dl(tlliOf(3, 1), "01") // user data is of no feature
		b.at(101).send(20021, down)
		without.want(at(20021, down))
	})
}

// Between two BSSs: the one that asks has no part in it and gets no STATUS.
func TestRIMBetweenBSSs(t *testing.T) {
	withAndWithout(t, withFeatures(0x10, 0), func(b *bed, with, without *peer, cells [2]cell) {
		pdu := func(dst, src cell) string { return "71 548900" + dst.id + " 548900" + src.id + " 578100" }
		with.sig(pdu(cells[1], cells[0]))
		b.wantIdle()
		b.wantDrop("feature_not_negotiated", 1)
		without.sig(pdu(cells[0], cells[1]))
		with.want("0:" + pdu(cells[0], cells[1]))
	})
}

// With no bitmap configured everything is relayed, negotiated or not; so it is
// at once after the bitmaps were taken away.
// Facts: G7-08
func TestNoFeaturesConfigured(t *testing.T) {
	for _, cfg := range []gb.Config{config(2), withFeatures(0xff, 0xff)} {
		withAndWithout(t, cfg, func(b *bed, _, without *peer, cells [2]cell) {
			if err := b.gw.Apply(cfg, config(2), time.Now()); err != nil {
				t.Fatal(err)
			}
			for i, f := range ofFeatures {
				bvci, pdu := uint16(0), featurePDU(i, cells[1])
				if f.ptp {
					bvci = cells[1].bvci
				}
				b.at(101).send(bvci, pdu)
				without.want(at(bvci, pdu))
				b.wantIdle()
			}
		})
	}
}

// The new NSE in a FLUSH-LL is of inter-NSE re-routeing.
func TestFlushLLNewNSE(t *testing.T) {
	flush := "2a 1f84c0180001 0482%04x 0482%04x"
	withAndWithout(t, withFeatures(0x04, 0), func(b *bed, with, without *peer, cells [2]cell) {
		for i, p := range []*peer{with, without} {
			pdu := fmt.Sprintf(flush, cells[i].bvci, cells[i].bvci)
			b.at(101).sig(pdu + "3e820065")
			if p == with {
				pdu += "3e820065"
			}
			p.want("0:" + pdu)
		}
	})
}

// An SGSN without CBL gets no bucket full ratio, one without GBIT steps of 100.
// Facts: G-28
func TestFlowControlByFeatures(t *testing.T) {
	run(t, withFeatures(0x03, 0x02), func(b *bed) {
		b.at(101).tellFeatures(0x02, 0x02)
		b.at(102).tellFeatures(0x01, 0x00)
		bss := b.bss(2001, cell20011)
		b.clear()
		bss.send(20011, "26 1e8101 05820014 03820200 0182000a 1c82000a 3c8180 06820010 7e8101")
		b.at(101).want("20011:26 1e8101 05820014 03820200 0182000a 1c82000a 3c8180 06820010 7e8101")
		b.at(102).want("20011:26 1e8101 058200c8 03821400 01820064 1c820064 06820010")
	})
}

// While a reset of ours runs, what it has told is what counts, though the bitmap
// changes and the peer's own reset crosses it.
// Facts: G-09, G3-08
func TestFeaturesOfCrossedReset(t *testing.T) {
	run(t, config(2), func(b *bed) {
		sgsn := b.at(101)
		sgsn.set(true, false)
		time.Sleep(2 * time.Minute)
		sgsn.set(false, true) // NS is back; our reset stays unanswered
		time.Sleep(35 * time.Second)
		if err := b.gw.Apply(b.cfg, withFeatures(0x02, 0), time.Now()); err != nil {
			t.Fatal(err)
		}
		b.clear()
		sgsn.set(false, false)
		sgsn.sig(fmt.Sprintf(resetSIG, 0x02, 0))
		sgsn.want() // no BVC-RESET-ACK
		bss := b.bss(2001, cell20011)
		b.clear()
		bss.send(20011, "26 1e8101 05820014 03820200 0182000a 1c82000a 3c8180")
		sgsn.want("20011:26 1e8101 05820014 03820200 0182000a 1c82000a")
	})
}
