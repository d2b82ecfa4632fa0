package gb_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"poolgw/gb"
	"poolgw/ns"
)

// Faults by load and by the machine: floods, garbage, a set clock, a pause.

// A flood of signalling overflows the queue to the loop, here while the loop is
// busy with something else: user data of others goes on, and so does the flooder
// when it is over.
func TestFaultFlood(t *testing.T) {
	const flood = 20000
	hospital(t, config(2), func(w *ward) {
		busy, idle := make(chan struct{}), make(chan struct{})
		go w.gw.NS(func(*ns.Stack, time.Time) error { close(busy); <-idle; return nil })
		<-busy
		for i := range flood {
			if w.at(2001).put(0, "22"); i%100 == 0 {
				synctest.Wait() // the workers take it
			}
		}
		up := ul(tlliOf(4, 9), cell20031, "0102")
		w.at(2003).send(20031, up)
		if !slices.Contains(w.at(102).taken(), gotOf(20031, strings.ReplaceAll(up, " ", ""))) {
			t.Error("user data of others waits for the loop")
		}
		close(idle)
		synctest.Wait()
		w.wantLog("level=WARN … the control queue is full … class=queue_signalling")
		w.grown(1000, "bind_dropped_datagrams_total", "bind=bss", "reason=queue_signalling")
		w.clear()
		w.pass(10 * time.Second)
		w.recovers(0, 2001, cell20011, 101)
	})
}

// Datagrams from more forged addresses than there may be NSEs keep nobody out.
// Facts: G1.3-47
func TestFaultForgedAddresses(t *testing.T) {
	cfg := config(2)
	cfg.Limits.DynamicNSEs = 8
	hospital(t, cfg, func(w *ward) {
		for i := range uint16(200) {
			forged, err := w.net.Listen(ns.BindConfig{Listen: netip.AddrPortFrom(netip.MustParseAddr("10.3.0.1"), 1+i)}, 1)
			if err != nil {
				t.Fatal(err)
			}
			b := (&ns.PDU{Type: ns.PDUSNSSize, Has: has(ns.IEResetFlag, ns.IEMaxNSVCs, ns.IEIPv4Count, ns.IENSEI), Reset: true,
				MaxNSVCs: 8, IPv4Count: 1, NSEI: 3000 + i}).Append(nil)
			forged[0].WriteBatch([]ns.Message{{Buf: b, N: len(b), Addr: bssSide}})
			synctest.Wait()
			forged[0].Close()
		}
		if n := len(w.snapshot().NS.NSEs); n > 2+8 {
			t.Errorf("%d NSEs", n)
		}
		w.wantLog("NSE created … NSE(03000)", "level=WARN … dynamic NSEs are full; a dead one gives way")
		w.bss(2002, cellOf(20021, 13135, 1, 30021))
		w.clear()
		w.pass(time.Minute)
		w.recovers(0, 2002, cellOf(20021, 13135, 1, 30021), 101)
		w.recovers(0, 2001, cell20011, 101)
	})
}

// Garbage in NS, in BSSGP and in LLC, from a peer and from strangers.
func TestFaultGarbage(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		rng := rand.New(rand.NewPCG(1, 2))
		junk := func(n int) []byte {
			b := make([]byte, rng.IntN(n))
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			return b
		}
		bss := w.at(2001)
		for i := range 5000 {
			if i%50 == 0 {
				synctest.Wait() // none for want of room in the control queue
			}
			switch rng.IntN(3) {
			case 0:
				bss.write(junk(80))
			case 1:
				bss.write(append([]byte{0, 0, 0, 0}, junk(80)...))
			default:
				bss.write(append([]byte{0, 0, 20011 >> 8, 20011 & 0xff}, junk(80)...))
			}
		}
		synctest.Wait()
		w.wantLog("malformed NS PDU … bind=bss", "PDU dropped … reason=malformed … nsei=2001")
		w.grown(100, "bind_dropped_datagrams_total", "bind=bss", "reason=malformed")
		w.grown(100, "dropped_pdus_total", "reason=malformed")
		w.clear()
		w.pass(5 * time.Second)
		bss.start() // whatever it told of itself by chance
		bss.reset(cell20011)
		w.recovers(time.Second, 2001, cell20011, 101)
		llc := fmt.Sprintf("%x", junk(80))
		bss.send(20011, ul(tlliOf(3, 5), cell20011, llc))
		if !slices.Contains(w.at(101).taken(), gotOf(20011, strings.ReplaceAll(ul(tlliOf(3, 5), cell20011, llc), " ", ""))) {
			t.Error("what is in LLC is not the gateway's business")
		}
	})
}

// reading is what the system says at t when somebody has set the clock by a
// duration: another wall clock, the same monotonic one. It knows how package time
// lays a Time out (within a synctest bubble time.Now has no monotonic reading):
// a flag, 33 bits of seconds since 1885, 30 bits of nanoseconds; then the
// monotonic clock.
func reading(t time.Time, by time.Duration) time.Time {
	year1885, boot := time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	wall, mono := t.Add(by), t.Sub(boot)
	words := (*struct {
		wall uint64
		ext  int64
	})(unsafe.Pointer(&t))
	words.wall = 1<<63 | uint64(wall.Unix()-year1885.Unix())<<30 | uint64(wall.Nanosecond())
	words.ext = int64(mono)
	return t
}

// The wall clock is set back and forth by ten years: no timer moves.
// Facts: U-12
func TestFaultClockSet(t *testing.T) {
	const decade = 10 * 365 * 24 * time.Hour
	for name, by := range map[string]time.Duration{"forth": decade, "back": -decade} {
		t.Run(name, func(t *testing.T) {
			var off atomic.Int64
			w := &ward{}
			clock := func() time.Time { return reading(time.Now(), time.Duration(off.Load())) }
			before := clock()
			off.Store(int64(by))
			if now := clock(); now.Sub(before).Abs() > time.Minute || (now.Round(0).Sub(before.Round(0))-by).Abs() > time.Minute {
				t.Fatalf("the test's clock is no clock: %v, then %v", before, now)
			}
			off.Store(0)
			hospitalWith(t, w, config(2), func() {
				before := w.count("nse_packets_total", "nsei=2001", "direction=to")
				w.pass(30 * time.Second)
				perHalfMinute := w.count("nse_packets_total", "nsei=2001", "direction=to") - before
				off.Store(int64(by))
				w.pass(30 * time.Second)
				if n := w.count("nse_packets_total", "nsei=2001", "direction=to") - before - perHalfMinute; n != perHalfMinute {
					t.Errorf("%v NS PDUs to the BSS in the half minute since, %v in that before", n, perHalfMinute)
				}
				w.wantLog("level=WARN … the clock was set")
				w.grown(0, "clock_steps_total")
				if n := w.count("stalls_total") + w.count("bvc_alarms_total") + w.count("nse_lost_answers_total"); n != 0 {
					t.Errorf("%v stalls, alarms and lost answers", n)
				}
				w.recovers(0, 2001, cell20011, 101)
			}, func(g *gb.Gateway) { g.SetClock(clock) })
		})
	}
}

// The process is stopped for a minute and goes on: the peers, who lived, are not
// found dead, and each procedure has cost one repetition.
func TestFaultPause(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.pass(31 * time.Second)
		busy, idle := make(chan struct{}), make(chan struct{})
		go w.gw.NS(func(*ns.Stack, time.Time) error { close(busy); <-idle; return nil })
		<-busy
		time.Sleep(time.Minute)
		close(idle)
		synctest.Wait()
		w.pass(time.Minute)
		w.recovers(0, 2001, cell20011, 101)
		if n := w.count("bss_failures_total") + w.count("sgsn_restarts_total"); n != 0 {
			t.Errorf("%v peers were found dead\n%s", n, w.log.take())
		}
	})
}
