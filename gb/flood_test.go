package gb_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func manyCells(n uint16) (all []cell) {
	for i := range n {
		all = append(all, cellOf(20100+i, 13135, 0, 30100+i))
	}
	return all
}

// An SGSN that has just started gets the resets of many cells in portions: 16
// at once, the next ones 10 ms later.
// Facts: G-20
func TestBringUpIsPaced(t *testing.T) {
	const cells = 40
	run(t, config(1), func(b *bed) {
		all := manyCells(cells)
		b.bss(2001, all...)
		b.clear()
		s := b.at(101)
		s.sig("220482000007810a 3b8100") // it has restarted
		for step, want := range []int{16, 32, cells} {
			if n := s.resets(); n != want {
				t.Errorf("%d cells were reset within %d ms, want %d", n, 10*step, want)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// Cells that begin at once, as when the power is back or this gateway was started anew,
// come to an SGSN in the same portions; a cell whose BSS resets it again meanwhile is
// reset there once. It does not matter whether the SGSN has had them before.
// Facts: G-20
func TestCellsAtOnceArePaced(t *testing.T) {
	const cells = 40
	run(t, config(2), func(b *bed) {
		all := manyCells(cells)
		bss := b.add(2001, false)
		for _, when := range []string{"first", "again"} {
			bss.start()
			bss.reset() // BVCI 0
			b.clear()
			for _, c := range append(all, all[cells-1]) {
				bss.put(0, fmt.Sprintf("220482%04x0781080888%s", c.bvci, c.id))
			}
			for step, want := range []int{16, 32, cells, cells} {
				for _, nsei := range []uint16{101, 102} {
					if n := b.at(nsei).resets(); n != want {
						t.Errorf("%s: %d cells were reset at %d within %d ms, want %d", when, n, nsei, 10*step, want)
					}
				}
				time.Sleep(10 * time.Millisecond)
			}
			for _, m := range b.snapshot().Pool.SGSNs {
				for _, v := range m.BVCs {
					if v.State != "UNBLOCKED" {
						t.Errorf("%s: BVC %d is %s at %d", when, v.BVCI, v.State, m.NSEI)
					}
				}
			}
		}
	})
}

// resets counts the BVC-RESETs of cells that came; they stay in the inbox.
func (p *peer) resets() (n int) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.inbox {
		if strings.HasPrefix(g.pdu, "2204824e") {
			n++
		}
	}
	return n
}

// dropLog counts the log lines about dropped PDUs.
type dropLog struct{ lines atomic.Int64 }

func (l *dropLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *dropLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *dropLog) WithGroup(string) slog.Handler            { return l }

func (l *dropLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "PDU dropped" {
		l.lines.Add(1)
	}
	return nil
}

// A peer that floods with PDUs for a BVC that is not there fills the counter,
// not the log.
func TestDropsAreLoggedWithALimit(t *testing.T) {
	const perSecond, flood = 10, 35
	cfg := config(1)
	cfg.Limits.LogLines = perSecond
	var log dropLog
	runLogged(t, cfg, slog.New(&log), func(b *bed) {
		bss := b.bss(2001, cell20011)
		for range 2 {
			time.Sleep(time.Second)
			log.lines.Store(0)
			for range flood {
				bss.put(2222, ul(tlliOf(3, 1), cell20011, "01"))
			}
			synctest.Wait()
			if n := log.lines.Load(); n != perSecond {
				t.Errorf("%d lines of %d drops within a second, want %d", n, flood, perSecond)
			}
		}
		b.wantDrop("bvci_unknown", 2*flood)
	})
}

// The PDUs and octets of an SGSN are counted both ways, user data of the
// workers too.
// Facts: G9-05
func TestSGSNTrafficIsCounted(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		bss, s := b.at(2001), b.at(101)
		before := b.snapshot().Pool.SGSNs[0]
		for range 3 {
			bss.send(20011, ul(tlliOf(3, 1), cell20011, "010203"))
		}
		for range 2 {
			s.send(20011, dl(tlliOf(3, 1), "0a"))
		}
		m := b.snapshot().Pool.SGSNs[0]
		const ulOctets, dlOctets = 8 + 10 + 2 + 5, 8 + 4 + 3 // header to QoS, IEs by hand
		if pdus, octets := m.ToPDUs-before.ToPDUs, m.ToBytes-before.ToBytes; pdus != 3 || octets != 3*ulOctets {
			t.Errorf("to the SGSN: %d PDUs, %d octets", pdus, octets)
		}
		if pdus, octets := m.FromPDUs-before.FromPDUs, m.FromBytes-before.FromBytes; pdus != 2 || octets != 2*dlOctets {
			t.Errorf("from the SGSN: %d PDUs, %d octets", pdus, octets)
		}
	})
}
