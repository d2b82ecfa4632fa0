package gb_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"poolgw/gb"
	"poolgw/ns"
)

// Faults of peers, each with what is expected everywhere: a log line, a counter,
// the rest undisturbed, recovery without an operator. The victims are BSS 2001
// and SGSN 101 (NRI 3); BSS 2003 and SGSN 102 (NRI 4) are the rest.

// ward is a bed with a log and metrics.
type ward struct {
	*bed
	reg *prometheus.Registry
	log notes
	n   uint32 // PDUs of the bystanders
}

// notes keeps a log as text.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(p)
}

func (n *notes) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.b.Reset()
	return n.b.String()
}

var (
	cell20031 = cellOf(20031, 13135, 1, 30031)
	cell20032 = cellOf(20032, 13300, 0, 30032)
)

// hospital is the suite's topology with log and metrics.
func hospital(t *testing.T, cfg gb.Config, f func(w *ward)) {
	t.Helper()
	w := &ward{}
	hospitalWith(t, w, cfg, func() { f(w) })
}

func hospitalWith(t *testing.T, w *ward, cfg gb.Config, f func(), opts ...func(*gb.Gateway)) {
	t.Helper()
	w.reg = prometheus.NewRegistry()
	register := func(g *gb.Gateway) {
		if err := g.Register(w.reg); err != nil {
			t.Fatal(err)
		}
	}
	runLogged(t, cfg, slog.New(slog.NewTextHandler(&w.log, nil)), func(b *bed) {
		w.bed = b
		b.bss(2001, cell20011)
		b.bss(2003, cell20031, cell20032)
		b.clear()
		w.log.take()
		f()
	}, append(opts, register)...)
}

// count is the sum of a metric's series that have all of the labels "name=value".
func (w *ward) count(metric string, labels ...string) (sum float64) {
	w.t.Helper()
	families, err := w.reg.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "poolgw_gb_"+metric && hasLabels(m, labels) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func hasLabels(m *dto.Metric, labels []string) bool {
	for _, want := range labels {
		if !slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName()+"="+l.GetValue() == want }) {
			return false
		}
	}
	return true
}

// wantLog checks that lines with all these texts, each list in one line, were
// logged since the last call.
func (w *ward) wantLog(lines ...string) {
	w.t.Helper()
	text := w.log.take()
next:
	for _, want := range lines {
		for line := range strings.Lines(text) {
			if containsAll(line, strings.Split(want, " … ")) {
				continue next
			}
		}
		w.t.Errorf("no log line %q in\n%s", want, text)
	}
}

func containsAll(line string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(line, p) {
			return false
		}
	}
	return true
}

// serves tells whether a subscriber of a cell is served both ways by the owner of
// its NRI.
func (w *ward) serves(bss uint16, c cell, owner uint16) bool {
	w.t.Helper()
	w.n++
	tlli := tlliOf(uint32(owner-98), w.n)
	up, down := ul(tlli, c, "0102"), dl(tlli, "0a0b")
	w.at(bss).send(c.bvci, up)
	got := w.at(owner).taken()
	w.at(owner).send(c.bvci, down)
	return slices.Contains(got, gotOf(c.bvci, strings.ReplaceAll(up, " ", ""))) &&
		slices.Contains(w.at(bss).taken(), gotOf(c.bvci, strings.ReplaceAll(down, " ", "")))
}

// pass lets time pass; each second the bystanders have a PDU each way.
func (w *ward) pass(d time.Duration) {
	w.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
		if !w.serves(2003, cell20031, 102) {
			w.t.Fatalf("the rest is disturbed, %v before the end", time.Until(end))
		}
	}
}

// recovers waits until the victim is served again, without anybody's doing.
func (w *ward) recovers(within time.Duration, bss uint16, c cell, owner uint16) {
	w.t.Helper()
	for end := time.Now().Add(within); !w.serves(bss, c, owner); w.pass(time.Second) {
		if time.Now().After(end) {
			w.t.Fatalf("BSS %d and SGSN %d are not back after %v\n%s", bss, owner, within, w.log.take())
		}
	}
}

// crash closes a peer's socket; respawn opens one, at another address if that is
// valid.
func (p *peer) crash() { _ = p.conn.Close() }

func (w *ward) respawn(p *peer, at ...string) {
	w.t.Helper()
	if len(at) > 0 {
		p.addr = netip.MustParseAddrPort(at[0])
	}
	conns, err := w.net.Listen(ns.BindConfig{Listen: p.addr}, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	p.conn = conns[0]
	go p.read()
}

// grown checks that a counter has grown since it was n.
func (w *ward) grown(n float64, metric string, labels ...string) {
	w.t.Helper()
	if now := w.count(metric, labels...); now <= n {
		w.t.Errorf("%s%v was %v and is %v", metric, labels, n, now)
	}
}

func TestFaultBSSDies(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.at(2001).crash()
		w.pass(2 * time.Minute)
		w.wantLog("NSE availability … NSE(02001) … alive=false", "BVC state … nsei=101 … bvci=20011 … to=BLOCKED")
		w.grown(0, "bss_failures_total")
		w.grown(0, "cells", "state=inactive")
		w.respawn(w.at(2001))
		w.at(2001).start()
		w.at(2001).reset(cell20011)
		w.recovers(time.Second, 2001, cell20011, 101)
		w.wantLog("NSE availability … NSE(02001) … alive=true")
	})
}

func TestFaultBSSHangs(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		bss := w.at(2001)
		bss.set(true, false)
		w.pass(2 * time.Minute)
		w.wantLog("NS-VC is dead … NSE(02001)", "NSE availability … NSE(02001) … alive=false")
		w.grown(0, "bss_failures_total")
		bss.set(false, false)
		bss.start() // it hears NS-STATUS "NS-VC unknown", and remembers its BVCs
		w.recovers(10*time.Second, 2001, cell20011, 101)
	})
}

// A BSS that hung too shortly for NS to notice goes on as if nothing was.
func TestFaultBSSHangsShortly(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.at(2001).set(true, false)
		w.pass(25 * time.Second)
		w.at(2001).set(false, false)
		w.recovers(0, 2001, cell20011, 101)
		if n := w.count("bss_failures_total"); n != 0 {
			t.Errorf("%v failures", n)
		}
	})
}

func TestFaultBSSReconnects(t *testing.T) {
	for name, addr := range map[string][]string{"the same address": nil, "another address": {"10.2.99.1:25000"}} {
		t.Run(name, func(t *testing.T) {
			hospital(t, config(2), func(w *ward) {
				bss := w.at(2001)
				bss.crash()
				w.respawn(bss, addr...)
				bss.start()
				bss.reset(cell20011)
				w.recovers(time.Second, 2001, cell20011, 101)
				w.wantLog("signalling BVC reset … nsei=2001 … side=BSS")
				if len(addr) > 0 {
					w.grown(0, "ns_moves_total")
				}
				if n := len(w.snapshot().BSSs); n != 2 {
					t.Errorf("%d BSSs", n)
				}
			})
		})
	}
}

// Facts: G3.1-20, G3.1-22
func TestFaultSGSNDies(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		before := w.count("nse_lost_answers_total", "nsei=101")
		w.at(101).crash()
		w.pass(2 * time.Minute)
		w.at(2001).want() // it is not told
		w.wantLog("NS-VC is dead … NSE(00101)", "SGSN is down … nsei=101")
		w.grown(before, "nse_lost_answers_total", "nsei=101", "procedure=alive")
		w.grown(0, "sgsn_restarts_total", "nsei=101")
		if w.count("sgsn_up", "nsei=101") != 0 {
			t.Error("it is shown as up")
		}
		tlli := tlliOf(3, 7)
		w.at(2001).send(20011, ul(tlli, cell20011, "01")) // whom it owned goes to who is up
		if !slices.Contains(w.at(102).taken(), gotOf(20011, strings.ReplaceAll(ul(tlli, cell20011, "01"), " ", ""))) {
			t.Error("SGSN 102 did not get the subscriber")
		}
		w.respawn(w.at(101))
		w.recovers(2*time.Minute, 2001, cell20011, 101)
		w.wantLog("SGSN is up … nsei=101")
	})
}

// An SGSN whose NS lives, but whose BSSGP answers nothing any more: nothing that
// worked is taken from it, what it does not answer is an alarm.
func TestFaultSGSNHangsAboveNS(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.at(101).set(false, true)
		w.at(2001).sig("2204824e2b078108 0888" + cell20011.id)
		w.pass(2 * time.Minute)
		w.wantLog("BVC procedure without an answer … nsei=101 … bvci=20011")
		w.grown(0, "bvc_alarms_total")
		w.at(101).set(false, false)
		w.recovers(10*time.Minute, 2001, cell20011, 101)
	})
}

func TestFaultSGSNRestarts(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.at(101).sig("220482000007810a 3b8100")
		w.recovers(time.Second, 2001, cell20011, 101)
		w.wantLog("signalling BVC reset … nsei=101 … side=SGSN")
		w.grown(0, "sgsn_restarts_total", "nsei=101")
		if n := w.count("bvc_alarms_total"); n != 0 {
			t.Errorf("%v alarms", n)
		}
	})
}

// Facts: G3.1-23, G4-16
func TestFaultPoolGone(t *testing.T) {
	hospital(t, config(2), func(w *ward) {
		w.at(101).crash()
		w.at(102).crash()
		time.Sleep(2 * time.Minute)
		w.wantLog("SGSN is down … nsei=101", "SGSN is down … nsei=102", "level=ERROR … the pool is down")
		w.at(2001).send(20011, ul(tlliOf(3, 1), cell20011, "01"))
		w.at(2001).sig("0b 1f84c0180001 1b86" + rai(13135, 0)) // SUSPEND
		w.grown(0, "dropped_pdus_total", "reason=pool_down")
		w.grown(0, "undecided_total")
		in := fmt.Sprint(w.at(2001).taken())
		if strings.Contains(in, ":41") || !strings.Contains(in, "0:0d") {
			t.Errorf("no SUSPEND-NACK, or a STATUS: %s", in)
		}
		w.at(2003).want() // and nothing else comes to BSSs
		w.respawn(w.at(101))
		w.respawn(w.at(102))
		time.Sleep(2 * time.Minute)
		w.recovers(time.Second, 2001, cell20011, 101)
		w.wantLog("SGSN is up … nsei=101", "SGSN is up … nsei=102")
	})
}

// An SGSN pool that comes up only after the BSSs serves them all the same.
// Facts: G3.1-09, G3.1-23
func TestFaultPoolAbsentAtStart(t *testing.T) {
	run(t, config(1), func(b *bed) {
		b.at(101).set(true, false)
		time.Sleep(2 * time.Minute)
		bss := b.bss(2001, cell20011)
		b.clear()
		b.at(101).set(false, false)
		time.Sleep(2 * time.Minute)
		bss.want()
		b.clear()
		pdu := ul(tlliOf(3, 1), cell20011, "01")
		bss.send(20011, pdu)
		b.at(101).want(at(20011, pdu))
	})
}

func TestFaultBVCIClaimed(t *testing.T) {
	claim := "2204824e2b078108 0888 62f224334f017777"
	hospital(t, config(2), func(w *ward) {
		w.bss(2002, cellOf(20021, 13135, 1, 30021))
		w.clear()
		w.at(2002).sig(claim)
		w.pass(5 * time.Second)
		w.recovers(0, 2001, cell20011, 101)
		w.wantLog("older BSS is probed … bvci=20011 … nsei=2001 … claimed_by=2002", "older BSS lives and keeps the BVC … refused=2002")
		w.grown(0, "dropped_pdus_total", "reason=bvci_conflict")
		for range 60 { // both want it, again and again
			for range 20 {
				w.at(2002).put(0, claim)
				w.at(2001).put(0, "2204824e2b078108 0888"+cell20011.id)
			}
			w.pass(time.Second)
		}
		if n := strings.Count(w.log.take(), "BSS is probed"); n > 2 {
			t.Errorf("probed %d times within a minute", n)
		}
		w.clear()
		w.recovers(time.Second, 2001, cell20011, 101)
		w.at(2001).crash()
		w.pass(2 * time.Minute)
		w.at(2002).sig(claim)
		w.pass(5 * time.Second)
		w.wantLog("newer BSS takes the BVC … bvci=20011")
		w.recovers(0, 2002, cell{20011, "62f224334f017777"}, 101)
	})
}

// BSSs that die in turn take a BVC from each other at once, each time; the log
// tells it once in half a minute, the counter every time.
func TestFaultBVCIFlaps(t *testing.T) {
	cfg := config(2)
	cfg.NS.Timers[ns.TnsTest], cfg.NS.Timers[ns.TnsAlive], cfg.NS.Timers[ns.TnsAliveRetries] = 1, 1, 1
	hospital(t, cfg, func(w *ward) {
		taker := w.bss(2002)
		turn := []*peer{w.at(2001), taker}
		for i := range 10 {
			dead, next := turn[i%2], turn[1-i%2]
			dead.set(true, false)
			w.pass(5 * time.Second)
			next.sig("2204824e2b078108 0888" + cell20011.id)
			w.recovers(time.Second, next.nsei, cell20011, 101)
			dead.set(false, false)
			dead.start()
		}
		w.pass(30 * time.Second)
		if n := w.count("bvc_takeovers_total"); n != 10 {
			t.Errorf("%v takeovers of 10", n)
		}
		text := w.log.take()
		if n := strings.Count(text, "newer BSS takes the BVC"); n < 2 || n > 3 || !strings.Contains(text, "taken_by=2002 moves=1") {
			t.Errorf("%d lines about 10 moves in about a minute:\n%s", n, text)
		}
	})
}
