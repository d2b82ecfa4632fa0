package lab

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/bssgp"
	"poolgw/lab/simnet"
	"poolgw/nri"
	"poolgw/ns"
)

// world is simulators that talk to each other without a gateway: every BSS has
// its own SGSN, or they share one.
type world struct {
	t     *testing.T
	net   *simnet.Network
	reg   *Register
	sgsns []*SGSN
	bsss  []*BSS
}

// worldConfig says what is in a world.
type worldConfig struct {
	seed        uint64
	faults      simnet.Faults
	dialect     ns.Dialect
	sgsns       int // BSS i belongs to SGSN i mod sgsns
	bsss        int
	subscribers int // of each BSS
	behaviour   Behaviour
	sgsn        SGSNConfig // what is common to all
}

func sgsnAddr(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i + 1)}), 23000)
}

func bssAddr(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 2, byte(i + 1)}), 23000)
}

func testTimers() *ns.Timers {
	t := ns.DefaultTimers()
	t[ns.TnsAlive], t[ns.TnsAliveRetries], t[ns.TnsTest] = 1, 5, 10
	return &t
}

// newWorld makes and starts everything; it is stopped when the test ends.
func newWorld(t *testing.T, c worldConfig) *world {
	t.Helper()
	w := &world{t: t, net: simnet.New(c.seed, c.faults), reg: NewRegister(10, nri.Set{nri.Single(0)})}
	for i := range max(c.sgsns, 1) {
		w.sgsns = append(w.sgsns, NewSGSN(w.sgsnConfig(i, c)))
	}
	for i := range max(c.bsss, 1) {
		w.bsss = append(w.bsss, NewBSS(w.bssConfig(i, c)))
	}
	Connect(w.bsss...)
	for _, s := range w.sgsns {
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range w.bsss {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// sgsnConfig: SGSN 101 has the NRIs 100 to 199, 102 those from 200.
func (w *world) sgsnConfig(i int, c worldConfig) SGSNConfig {
	s := c.sgsn
	s.NSEI = uint16(101 + i)
	s.Listen = []netip.AddrPort{sgsnAddr(i)}
	s.Timers, s.Network, s.Register, s.Seed = testTimers(), w.net, w.reg, c.seed
	s.NRI = nri.Set{{First: nri.V(100 + 100*i), Last: nri.V(199 + 100*i)}}
	s.Dynamic = c.dialect != ns.DialectStaticAlive
	for b := i; b < c.bsss && !s.Dynamic; b += max(c.sgsns, 1) {
		s.Links = append(s.Links, Link{NSEI: uint16(2001 + b), Dialect: c.dialect,
			Remotes: []netip.AddrPort{bssAddr(b)}})
	}
	return s
}

// bssConfig: two cells each, in routing areas of their own.
func (w *world) bssConfig(i int, c worldConfig) BSSConfig {
	cell := func(n int) Cell {
		return Cell{BVCI: uint16(10*(i+1) + n), RAI: bssgp.MakeRAI(262, 42, false, uint16(4096+i), uint8(n)), CI: uint16(i + 1)}
	}
	return BSSConfig{NSEI: uint16(2001 + i), Listen: []netip.AddrPort{bssAddr(i)},
		Link:   Link{Dialect: c.dialect, NSVCI: uint16(2001 + i), Remotes: []netip.AddrPort{sgsnAddr(i % max(c.sgsns, 1))}},
		Timers: testTimers(), Network: w.net, Register: w.reg, Seed: c.seed, Cells: []Cell{cell(1), cell(2)},
		Subscribers: c.subscribers, FirstID: uint32(1 + i*c.subscribers), Behaviour: c.behaviour}
}

func (w *world) stop() {
	for _, b := range w.bsss {
		b.Stop()
	}
	for _, s := range w.sgsns {
		s.Stop()
	}
	w.net.Close()
	synctest.Wait()
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ms sums the subscribers' counters over all BSSs.
func (w *world) ms() (c MSCounters) {
	for _, b := range w.bsss {
		t := b.Truth()
		c.add(&t.MS)
	}
	return c
}

func (w *world) states() map[string]int {
	all := map[string]int{}
	for _, b := range w.bsss {
		for s, n := range b.Truth().States {
			all[s] += n
		}
	}
	return all
}

func (w *world) subscribers() (all []SubscriberTruth) {
	for _, b := range w.bsss {
		all = append(all, b.Subscribers()...)
	}
	return all
}

// wantAllRegistered checks that every subscriber is registered with a P-TMSI of
// the SGSN that serves it.
func (w *world) wantAllRegistered() {
	w.t.Helper()
	bad := 0
	for _, s := range w.subscribers() {
		owner := uint16(101)
		if v := nri.FromTMSI(s.PTMSI, 10); v >= 200 {
			owner = 102
		}
		if s.State != "registered" || !s.Served || s.Serving != owner || s.TLLI != nri.LocalTLLI(s.PTMSI) {
			if bad++; bad < 4 {
				w.t.Errorf("subscriber %+v", s)
			}
		}
	}
	if bad > 0 {
		w.t.Errorf("%d subscribers are not registered where they should be; %v", bad, w.states())
	}
}

// wantClean checks that nothing happened that a clean network can't cause.
func (w *world) wantClean() {
	w.t.Helper()
	m := w.ms()
	if m.Lost+m.Interrupted+m.Duplicates+m.Disordered+m.WrongSGSN+m.Unintelligible+m.GaveUp+m.Retries > 0 {
		w.t.Errorf("subscribers: %+v", m)
	}
	for _, s := range w.sgsns {
		c := s.Truth().SGSN
		if c.WrongSGSN+c.Disordered+c.Malformed+c.NoCell+c.NoFlowControl+c.GaveUp+c.Alarms+c.Others > 0 {
			w.t.Errorf("SGSN %d: %+v", s.NSEI(), c)
		}
	}
	for _, b := range w.bsss {
		t := b.Truth()
		if c := t.BSS; c.WrongCell+c.UnknownBVC+c.UnknownTLLI+c.Malformed+c.Alarms+c.Others > 0 || t.Up != t.Cells || t.FlowAcked != t.Cells {
			w.t.Errorf("BSS %d: %+v", t.NSEI, t)
		}
	}
}

// wantConserved checks that every echo request is accounted for.
func (w *world) wantConserved() {
	w.t.Helper()
	awaited := uint64(0)
	for _, s := range w.subscribers() {
		awaited += uint64(s.Awaited)
	}
	if m := w.ms(); m.Sent != m.Echoed+m.Lost+m.Interrupted+awaited {
		w.t.Errorf("sent %d, echoed %d, lost %d, interrupted %d, awaited %d", m.Sent, m.Echoed, m.Lost, m.Interrupted, awaited)
	}
}

func inWorld(t *testing.T, c worldConfig, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, c)
		defer w.stop()
		f(w)
	})
}

func dialectName(d ns.Dialect) string {
	return fmt.Sprintf("dialect %s", [...]string{"undefined", "static-alive", "static-resetblock", "ipaccess", "sns"}[d])
}
