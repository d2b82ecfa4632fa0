package n2_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
	"poolgw/lab/simsctp"
	"poolgw/n2"
	"poolgw/sctp"
)

// whole is a gateway between simulated gNBs with UEs and AMFs that share none of
// its code but the transport.
type whole struct {
	*testing.T
	net     *simsctp.Network
	gw      *n2.Gateway
	cfg     n2.Config
	amfs    []*n2sim.AMF
	rans    []*n2sim.RAN
	killed  bool // associations were cut: what was under way in them is lost
	packets []simsctp.Packet
}

type wholeConfig struct {
	gateway    func(c *n2.Config)
	amf        func(i int, c *n2sim.AMFConfig)
	ran        func(i int, c *n2sim.RANConfig)
	rans, gnbs int // RANs, each with so many gNBs
	capacities []uint8
}

var simPLMN = [3]byte{0x00, 0xf1, 0x10}

func amfConfig(t sctp.Transport, listen sctp.Endpoint, i int, capacity uint8) n2sim.AMFConfig {
	return n2sim.AMFConfig{Transport: t, Listen: listen, Options: sctp.Defaults(), Name: fmt.Sprintf("amf-%d", i), Capacity: capacity,
		GUAMIs: []ngmsg.GUAMI{{PLMN: simPLMN, Region: 1, Set: 1, Pointer: uint8(i)}}, Slices: []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}}
}

func runWhole(t *testing.T, c wholeConfig, f func(w *whole)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &whole{T: t, net: simsctp.New(time.Millisecond), cfg: n2.Default()}
		w.net.Tap(func(p simsctp.Packet) {
			p.Data = append([]byte(nil), p.Data...)
			w.packets = append(w.packets, p)
		})
		w.cfg.Enabled = true
		w.cfg.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, address(0, 1))}}
		for i, capacity := range c.capacities {
			w.addAMF(i+1, capacity, c.amf)
		}
		if c.gateway != nil {
			c.gateway(&w.cfg)
		}
		w.gw = n2.New(n2.Options{Transport: func(n2.Transport) (sctp.Transport, string, error) { return w.net, "", nil }})
		if err := w.gw.Start(w.cfg); err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(time.Minute) // what closes, closes
		defer w.end()
		for i := range c.rans {
			w.addRAN(i, c.gnbs, c.ran)
		}
		time.Sleep(2 * time.Second)
		f(w)
		time.Sleep(time.Minute)
		w.judge()
	})
}

func (w *whole) addAMF(i int, capacity uint8, change func(int, *n2sim.AMFConfig)) {
	a := amfConfig(w.net, sctp.At(n2.DefaultPort, address(1, i)), i, capacity)
	if change != nil {
		change(i, &a)
	}
	s := n2sim.NewAMF(a)
	if err := s.Start(); err != nil {
		w.Fatal(err)
	}
	w.amfs = append(w.amfs, s)
	w.cfg.AMFs = append(w.cfg.AMFs, n2.AMF{ID: uint8(i), Name: fmt.Sprintf("AMF%02d", i), Remote: a.Listen,
		Local: []netip.Addr{address(0, 2)}, Capacity: -1, AllowAttach: true})
}

func (w *whole) addRAN(i, gnbs int, change func(int, *n2sim.RANConfig)) {
	r := n2sim.RANConfig{Transport: w.net, AMF: w.cfg.Binds[0].Listen, Options: sctp.Defaults(), PLMN: simPLMN,
		Slices: []ngmsg.Slice{{SST: 1, SD: ngmsg.NoSD}}, Seed: uint64(i + 1)}
	for j := range gnbs {
		id := i*gnbs + j + 1
		r.GNBs = append(r.GNBs, n2sim.GNBConfig{ID: uint32(id), Name: fmt.Sprintf("gnb-%d", id), Local: sctp.At(0, address(2, id)), TAC: 1})
	}
	if change != nil {
		change(i, &r)
	}
	ran := n2sim.NewRAN(r)
	ran.Start()
	w.rans = append(w.rans, ran)
}

func (w *whole) end() {
	for _, r := range w.rans {
		r.Stop()
	}
	w.gw.Stop()
	for _, a := range w.amfs {
		a.Stop(false)
	}
}

// gnbTruth is the sum over all gNBs that matters for the account.
func (w *whole) gnbTruth() (t n2sim.GNBTruth) {
	for _, r := range w.rans {
		for i := range r.GNBs() {
			g := r.GNB(i).Truth()
			t.Sent, t.Got, t.Errors, t.ErrorsSent = t.Sent+g.Sent, t.Got+g.Got, t.Errors+g.Errors, t.ErrorsSent+g.ErrorsSent
			t.Unexpected, t.Unreadable, t.UnknownUE, t.Contexts = t.Unexpected+g.Unexpected, t.Unreadable+g.Unreadable, t.UnknownUE+g.UnknownUE, t.Contexts+g.Contexts
		}
	}
	return t
}

func (w *whole) amfTruth() (t n2sim.AMFTruth) {
	for _, a := range w.amfs {
		o := a.Truth()
		t.Sent, t.Got, t.Errors, t.WrongIDs, t.WrongUE = t.Sent+o.Sent, t.Got+o.Got, t.Errors+o.Errors, t.WrongIDs+o.WrongIDs, t.WrongUE+o.WrongUE
		t.Unreadable, t.Contexts, t.Echoes, t.Foreign, t.Unknown = t.Unreadable+o.Unreadable, t.Contexts+o.Contexts, t.Echoes+o.Echoes, t.Foreign+o.Foreign, t.Unknown+o.Unknown
	}
	return t
}

// judge compares the gateway's account with the peers' at rest.
func (w *whole) judge() {
	w.Helper()
	c, g, a := w.gw.Conservation(), w.gnbTruth(), w.amfTruth()
	if c.Balance() != 0 || c.Queued != 0 {
		w.Errorf("not balanced by %d: %+v", c.Balance(), c)
	}
	for _, x := range []struct {
		what          string
		gateway, peer uint64
		lossy         bool // an association that is cut loses what is under way
	}{{"from gNBs", c.FromGNB, g.Sent, false}, {"to gNBs", c.ToGNB, g.Got, false}, {"from AMFs", c.FromAMF, a.Sent, true}, {"to AMFs", c.ToAMF, a.Got, true}} {
		if x.gateway != x.peer && !(w.killed && x.lossy) {
			w.Errorf("%s: the gateway counted %d, the peers %d", x.what, x.gateway, x.peer)
		}
	}
	if s, err := w.gw.Snapshot(context.Background()); err != nil || s.UEs != int64(g.Contexts) {
		w.Errorf("the gateway has %d UEs bound, the gNBs %d contexts, %v", s.UEs, g.Contexts, err)
	}
	for _, r := range w.rans {
		if u := r.Truth(); u.WrongAMF+u.WrongUE+u.Unreadable > 0 {
			w.Errorf("misrouted: %+v", u)
		}
	}
	if a.WrongUE+a.Unreadable+g.Unreadable+g.Unexpected > 0 {
		w.Errorf("misrouted: %+v %+v", a, g)
	}
}

// calm checks that nobody complained.
func (w *whole) calm() {
	w.Helper()
	g, a := w.gnbTruth(), w.amfTruth()
	if g.Errors+g.ErrorsSent+g.UnknownUE+a.Errors+a.WrongIDs > 0 {
		w.Errorf("errors: %+v\n%+v", g, a)
	}
	for _, r := range w.rans {
		if u := r.Truth(); u.Lost+u.Interrupted+u.TimedOut > 0 {
			w.Errorf("lost: %+v", u)
		}
	}
}

// served is how many UEs each AMF answers.
func (w *whole) served() map[string]int {
	sum := make(map[string]int)
	for _, r := range w.rans {
		for name, n := range r.Served() {
			sum[name] += n
		}
	}
	return sum
}
