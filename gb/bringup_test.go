package gb_test

import (
	"testing"
	"time"

	"poolgw/lab/simnet"
)

// Facts: G2-10, G2-13, G3-05, G3-06, G3-07, G3-10, G3-12, G3-13, G3-23, G3.1-01, G3.1-08
func TestBringUp(t *testing.T) {
	run(t, config(2), func(b *bed) {
		b.at(101).want("0:2204820000078108 3b8100 698100")
		b.at(102).want("0:2204820000078108 3b8100 698100")
		bss := b.bss(2001, cellOf(20011, 13135, 0, 30011))
		bss.want("0:23048200003b8100698100", "0:2304824e2b")
		reset := "0:2204824e2b078108088862f224334f00753b"
		b.at(101).want(reset)
		b.at(102).want(reset)
		s := b.snapshot()
		for _, m := range s.Pool.SGSNs {
			if !m.Up || len(m.BVCs) != 2 || m.BVCs[0].State != "UNBLOCKED" || m.BVCs[1].State != "UNBLOCKED" {
				t.Errorf("SGSN %+v", m)
			}
		}
		if len(s.BSSs) != 1 || len(s.BSSs[0].BVCs) != 2 || s.BSSs[0].BVCs[1].State != "UNBLOCKED" {
			t.Errorf("BSSs %+v", s.BSSs)
		}
		if len(s.Cells) != 1 || s.Cells[0].RAI != "262-42-13135-0" || s.Cells[0].CI != 30011 || len(s.Cells[0].SGSNs) != 2 {
			t.Errorf("cells %+v", s.Cells)
		}
		time.Sleep(5 * time.Minute) // acknowledged procedures don't come again
		b.wantIdle()
	})
}

// What is lost is sent again: with a third of all datagrams lost, each BVC is
// unblocked in the end.
// Facts: G-08, G3-02
func TestBringUpUnderLoss(t *testing.T) {
	run(t, config(2), func(b *bed) {
		b.net.SetFaults(simnet.Faults{Loss: 0.33})
		bss := b.add(2001, false)
		for range 8 { // the BSS's own retries
			bss.start()
			time.Sleep(15 * time.Second)
			bss.reset(cell20011)
		}
		time.Sleep(10 * time.Minute)
		b.net.SetFaults(simnet.Faults{})
		time.Sleep(3 * time.Minute)
		s := b.snapshot()
		for _, m := range s.Pool.SGSNs {
			if !m.Up || len(m.BVCs) != 2 || m.BVCs[0].State != "UNBLOCKED" || m.BVCs[1].State != "UNBLOCKED" {
				t.Errorf("SGSN %+v", m)
			}
		}
		b.clear()
		for i, nsei := range []uint16{101, 102} {
			pdu := ul(tlliOf(uint32(3+i), 1), cell20011, "01")
			bss.send(20011, pdu)
			b.at(nsei).want(at(20011, pdu))
		}
	})
}
