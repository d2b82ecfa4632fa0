package n2_test

import (
	"net/netip"
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/n2"
	"poolgw/sctp"
)

const realUEs = 60

var busy = n2sim.Behaviour{Start: time.Second, Inactivity: 500 * time.Millisecond, Service: 2 * time.Second, Periodic: 5 * time.Second,
	Move: 5 * time.Second, Xn: 0.1, N2: 0.1, Talk: 0.2}

// living are UEs that live at three AMFs.
func living(t *testing.T, s realStack, change func(*n2.Config)) *real {
	t.Helper()
	r := startReal(t, s, realConfig{capacities: uneven, behaviour: busy, gateway: change})
	r.ran.Add(realUEs, 1)
	r.ran.Live()
	r.allServed("all are served", 20*time.Second, realUEs, "")
	return r
}

func probing(c *n2.Config) { c.Probe = 2 * time.Second }

// back checks that an AMF that was away has gNBs again and takes UEs.
func (r *real) back(i int) {
	r.Helper()
	r.amfIsUp(i)
	name := r.amfs[i].Config.Name
	r.until("UEs come to "+name+" again", 40*time.Second, func() bool {
		return r.newcomers(10, uint32(1000+total(r.ran.Served())))[name] > 0
	})
	r.atRest()
}

// Signal 9 ends an AMF: its UEs are served by the others; its next life is used
// as soon as it is there.
// Facts: N8-01
func TestRealKill(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := living(t, s, nil)
		r.amfs[0].Kill()
		r.allServed("UEs of the killed AMF are served by others", 40*time.Second, realUEs, "amf-1")
		r.startAMF(0, r.amfs[0].Config)
		r.back(0)
	})
}

// An AMF that is there again before anybody has missed it knows no UE of its
// former life, and nobody waits for those.
func TestRealRestart(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := living(t, s, nil)
		r.amfs[1].Kill()
		r.startAMF(1, r.amfs[1].Config)
		r.until("the new AMF has gNBs", 40*time.Second, func() bool { return r.truth(1).Setups >= realGNBs })
		r.allServed("all are served", 40*time.Second, realUEs, "")
		r.back(1)
	})
}

// A process that is stopped: its userspace stack stops with it, so that SCTP is
// not answered; the kernel's answers in its stead, and only NGAP is silent.
func TestRealFrozen(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := living(t, s, probing)
		if err := r.amfs[1].Freeze(); err != nil {
			t.Fatal(err)
		}
		r.allServed("UEs of the frozen AMF are served by others", 60*time.Second, realUEs, "amf-2")
		if err := r.amfs[1].Thaw(); err != nil {
			t.Fatal(err)
		}
		r.back(1)
	})
}

// An AMF that answers SCTP but no NGAP.
// Facts: N8-12
func TestRealHang(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := living(t, s, probing)
		r.order(2, "hang")
		r.allServed("UEs of the AMF that answers no NGAP are served by others", 60*time.Second, realUEs, "amf-3")
		r.order(2, "go on")
		r.back(2)
	})
}

// The address of an AMF is a black hole: no SCTP answer, on any stack.
// Facts: N6-70
func TestRealBlackHole(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := living(t, s, nil)
		r.cut(3)
		r.allServed("UEs of the AMF in the black hole are served by others", 60*time.Second, realUEs, "amf-3")
		r.restore(3)
		r.back(2)
	})
}

// A drained AMF keeps its UEs and gets no new ones; undrained it gets some.
func TestRealDrain(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := startReal(t, s, realConfig{capacities: uneven, behaviour: n2sim.Behaviour{Inactivity: 500 * time.Millisecond}})
		r.newcomers(20, 1)
		had := r.ran.Served()["amf-1"]
		drained := r.cfg.Clone()
		drained.AMFs[0].AllowAttach = false
		if err := r.gw.Apply(r.cfg, drained, time.Now()); err != nil {
			t.Fatal(err)
		}
		if took := r.newcomers(10, 1000); took["amf-1"] != 0 || had == 0 {
			t.Errorf("the drained AMF had %d; now %v", had, took)
		}
		r.until("they are idle", 20*time.Second, func() bool { return r.ran.Phases()["idle"] == 30 })
		for i := range 20 {
			r.ran.UE(i).Service()
		}
		r.until("all had a service", 20*time.Second, func() bool { return r.ran.Truth().Services == 20 })
		if u := r.ran.Truth(); u.AMFChanges != 0 || r.ran.Served()["amf-1"] != had {
			t.Errorf("%+v", u)
		}
		if err := r.gw.Apply(drained, r.cfg, time.Now()); err != nil {
			t.Fatal(err)
		}
		if took := r.newcomers(10, 2000); took["amf-1"] == 0 {
			t.Errorf("undrained: %v", took)
		}
		r.atRest()
	})
}

// A gNB is gone and comes back: its UEs return to the AMFs that they had.
func TestRealGNBRestart(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := startReal(t, s, realConfig{capacities: uneven, behaviour: n2sim.Behaviour{Inactivity: time.Second}})
		r.newcomers(30, 1)
		r.until("they are idle", 20*time.Second, func() bool { return r.ran.Phases()["idle"] == 30 })
		r.ran.GNB(0).Disconnect(true)
		r.until("it is back", 20*time.Second, func() bool { g := r.ran.GNB(0).Truth(); return g.Up && g.Lost == 1 })
		for i := range r.amfs {
			r.amfIsUp(i)
		}
		for i := range 30 {
			r.ran.UE(i).Service()
		}
		r.until("all had a service", 20*time.Second, func() bool { return r.ran.Truth().Services == 30 })
		if u := r.ran.Truth(); u.AMFChanges != 0 {
			t.Errorf("%+v", u)
		}
		r.atRest()
	})
}

// A second gNB with the ID of one that lives is refused, and that one notices
// nothing; when it is gone the second one is let in at its next association.
// Facts: N6-68
func TestRealSecondGNB(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		r := startReal(t, s, realConfig{capacities: uneven, behaviour: n2sim.Behaviour{Inactivity: time.Second},
			habits: n2sim.Habits{NeverReconnect: true}})
		r.newcomers(15, 1)
		r.until("they are idle", 20*time.Second, func() bool { return r.ran.Phases()["idle"] == 15 })
		c := r.ranConfig(n2sim.Behaviour{})
		c.GNBs = []n2sim.GNBConfig{{ID: 1, Name: "second", Local: sctp.At(0, netip.MustParseAddr("127.0.0.2")), TAC: 1}}
		second := n2sim.NewRAN(c)
		r.others = append(r.others, second)
		second.Start()
		r.until("the second one is refused", 30*time.Second, func() bool { return second.GNB(0).Truth().SetupFailures > 0 })
		for i := range 15 {
			r.ran.UE(i).Service()
		}
		r.until("the first one serves", 20*time.Second, func() bool { return r.ran.Truth().Services == 15 })
		if g := r.ran.GNB(0).Truth(); !g.Up || g.Lost != 0 {
			t.Errorf("the first one: %+v", g)
		}
		r.until("they are idle again", 20*time.Second, func() bool { return r.ran.Phases()["idle"] == 15 })
		r.ran.GNB(0).Disconnect(true)
		r.until("the first one is gone", 20*time.Second, func() bool { return !r.ran.GNB(0).Truth().Up })
		second.GNB(0).Disconnect(true) // it need not wait for the time it was told
		r.until("the second one is let in", 20*time.Second, func() bool { return second.GNB(0).Truth().Up })
		r.atRest()
	})
}
