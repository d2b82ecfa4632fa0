package n2_test

import (
	"net/netip"
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/n2"
)

var uneven = []uint8{100, 100, 50}

func wantServed(t *testing.T, got map[string]int, tolerance int) {
	t.Helper()
	for name, want := range map[string]int{"amf-1": 400, "amf-2": 400, "amf-3": 200} {
		if d := got[name] - want; d < -tolerance || d > tolerance {
			t.Errorf("%s serves %d of 1000, want %d: %v", name, got[name], want, got)
		}
	}
}

// A thousand UEs that register through three gNBs, one after the other: 400, 400,
// 200, exact to one.
// Facts: N1-10
func TestWholeDistribution(t *testing.T) {
	runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 3}, func(w *whole) {
		for _, u := range w.rans[0].Add(1000, 1) {
			u.Register()
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(time.Second)
		wantServed(t, w.served(), 1)
		w.calm()
	})
}

// The same at once, by gNBs that race: within the number of gNBs.
func TestWholeDistributionRacing(t *testing.T) {
	racing := func(_ int, r *n2sim.RANConfig) {
		r.Behaviour = n2sim.Behaviour{Start: 2 * time.Second, Inactivity: time.Second}
	}
	runWhole(t, wholeConfig{capacities: uneven, rans: 3, gnbs: 1, ran: racing}, func(w *whole) {
		for i, r := range w.rans {
			r.Add([]int{334, 333, 333}[i], uint32(1+1000*i))
			r.Live()
		}
		time.Sleep(20 * time.Second)
		wantServed(t, w.served(), 3)
		w.calm()
	})
}

// Every UE comes back to the AMF that it has, through any gNB, also when that AMF
// is drained; new ones go elsewhere.
func TestWholeAffinityAndDrain(t *testing.T) {
	busy := func(_ int, r *n2sim.RANConfig) { r.Behaviour = n2sim.Behaviour{Inactivity: time.Second} }
	runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 3, ran: busy}, func(w *whole) {
		r := w.rans[0]
		us := r.Add(250, 1)
		for _, u := range us {
			u.Register()
		}
		time.Sleep(3 * time.Second)
		drained := w.cfg.Clone()
		drained.AMFs[0].AllowAttach = false
		if err := w.gw.Apply(w.cfg, drained, time.Now()); err != nil {
			t.Fatal(err)
		}
		for i, u := range us {
			u.Camp(r.GNB((i + 1) % 3))
			u.Service()
		}
		time.Sleep(3 * time.Second)
		for _, u := range us {
			u.Periodic()
		}
		time.Sleep(3 * time.Second)
		if u := r.Truth(); u.AMFChanges != 0 || u.Services != 250 || u.Periodic != 250 || u.Identified != 0 {
			t.Errorf("%+v", u)
		}
		before := w.served()
		for _, u := range r.Add(100, 1000) {
			u.Register()
		}
		time.Sleep(3 * time.Second)
		if after := w.served(); after["amf-1"] != before["amf-1"] || before["amf-1"] != 100 || after["amf-2"]+after["amf-3"] != 250 {
			t.Errorf("%v, then %v", before, after)
		}
		w.calm()
	})
}

// Paging reaches the UE at whatever gNB it is, and the answer the AMF that paged.
func TestWholePaging(t *testing.T) {
	runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 3, ran: inactive(time.Second)}, func(w *whole) {
		us := w.rans[0].Add(30, 1)
		for _, u := range us {
			u.Register()
		}
		time.Sleep(3 * time.Second)
		paged := 0
		for _, u := range us {
			for _, a := range w.amfs {
				if a.Page(u.MSIN()) {
					paged++
				}
			}
		}
		time.Sleep(3 * time.Second)
		if u := w.rans[0].Truth(); paged != 30 || u.Paged != 30 || u.Services != 30 || u.AMFChanges != 0 {
			t.Errorf("%d paged: %+v", paged, u)
		}
		w.calm()
	})
}

func inactive(d time.Duration) func(int, *n2sim.RANConfig) {
	return func(_ int, r *n2sim.RANConfig) { r.Behaviour.Inactivity = d }
}

// Two AMFs that both count from 1: UEs are handed over by Xn and by N2, there and
// back, and each stays with its AMF.
// Facts: N1-20
func TestWholeMobility(t *testing.T) {
	runWhole(t, wholeConfig{capacities: []uint8{100, 100}, rans: 1, gnbs: 3}, func(w *whole) {
		r := w.rans[0]
		us := r.Add(60, 1)
		for _, u := range us {
			u.Register()
		}
		time.Sleep(time.Second)
		for round := range 4 {
			for i, u := range us {
				from, to := u.GNB(), r.GNB((i+round+1)%3)
				if from == to {
					to = r.GNB((i + round + 2) % 3)
				}
				if i%2 == 0 {
					to.PathSwitch(u)
				} else {
					from.Handover(u, to)
				}
			}
			time.Sleep(time.Second)
			for _, u := range us {
				u.Echo()
			}
			time.Sleep(time.Second)
		}
		u := r.Truth()
		if u.PathSwitches != 120 || u.Handovers != 120 || u.MobilityFails != 0 || u.Answered != 300 || u.AMFChanges != 0 {
			t.Errorf("%+v", u)
		}
		if g, a := w.gnbTruth(), w.amfTruth(); g.Contexts != 60 || a.Contexts != 60 {
			t.Errorf("%+v %+v", g, a)
		}
		w.calm()
		w.judge()
		for _, u := range us { // by reset: each AMF's own UEs, and no other's
			u.GNB().Reset(u)
		}
		time.Sleep(time.Second)
		if g, a := w.gnbTruth(), w.amfTruth(); g.Contexts != 0 || a.Contexts != 0 || a.WrongIDs != 0 {
			t.Errorf("%+v %+v", g, a)
		}
	})
}

// UEs live while AMFs hang, are lost, come back empty, are cut off, and are drained. In the
// end every UE is served, nothing came to a wrong one, and each PDU is accounted for.
// Facts: N8-01, N8-02, N8-12
func TestWholeFaults(t *testing.T) {
	live := func(_ int, r *n2sim.RANConfig) {
		r.Behaviour = n2sim.Behaviour{Start: 5 * time.Second, Inactivity: 2 * time.Second, Service: 15 * time.Second, Periodic: time.Minute,
			Move: time.Minute, Xn: 0.1, N2: 0.1, Talk: 0.3}
	}
	for _, c := range []struct {
		name string
		how  n2.OnLoss
		do   func(w *whole)
	}{
		{"killed", n2.LossRelease, func(w *whole) { w.net.Vanish(address(1, 1)); w.amfs[0].Stop(false) }},
		{"killed, reset", n2.LossReset, func(w *whole) { w.net.Vanish(address(1, 1)); w.amfs[0].Stop(false) }},
		{"killed, rebind", n2.LossRebind, func(w *whole) { w.net.Vanish(address(1, 1)); w.amfs[0].Stop(false) }},
		{"stopped", n2.LossRelease, func(w *whole) { w.amfs[0].Stop(true) }},
		{"black hole", n2.LossRelease, func(w *whole) { w.net.Cut(address(1, 1), netip.Addr{}) }},
		{"hangs", n2.LossRelease, func(w *whole) { w.amfs[0].Hang(true) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := func(cfg *n2.Config) { cfg.OnLoss, cfg.Probe = c.how, 3*time.Second }
			runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 3, ran: live, gateway: change}, func(w *whole) {
				w.killed = true
				w.rans[0].Add(60, 1)
				w.rans[0].Live()
				time.Sleep(30 * time.Second)
				c.do(w)
				time.Sleep(2 * time.Minute)
				if n := w.served()["amf-1"]; n != 0 {
					t.Errorf("amf-1 serves %d still", n)
				}
				w.restored(1)
				time.Sleep(time.Minute)
				w.rans[0].Rest()
				time.Sleep(time.Minute)
				if n := w.rans[0].Phases(); n["idle"] != 60 {
					t.Errorf("%v", n)
				}
				if a, g := w.amfTruth(), w.gnbTruth(); a.Contexts != 0 || g.Contexts != 0 {
					t.Errorf("contexts are left: %+v %+v", a, g)
				}
			})
		})
	}
}

// restored brings an AMF back, whatever became of it.
func (w *whole) restored(i int) {
	w.net.Heal(address(1, i), netip.Addr{})
	w.amfs[i-1].Hang(false)
	w.amfs[i-1].Stop(false)
	if err := w.amfs[i-1].Start(); err != nil {
		w.Fatal(err)
	}
}
