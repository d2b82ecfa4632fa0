package n2sim_test

import (
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/nas5g"
)

// A UE's day at one gNB: registration with user data, idle, service, periodic
// registration, paging, de-registration.
func TestUE(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		u := w.ran.Add(1, 1)[0]
		u.Register()
		w.settle()
		if p := u.Phase(); p != "connected" {
			t.Fatalf("%s: %+v %+v %+v", p, u.Truth(), w.amf.Truth(), w.ran.GNB(0).Truth())
		}
		g, ok := u.GUTI()
		if !ok || g != (nas5g.GUTI{PLMN: home, Region: 1, Set: 1, Pointer: 1, TMSI: 1}) {
			t.Errorf("GUTI %v", g)
		}
		u.Release()
		w.settle()
		u.Service()
		w.settle()
		u.Release()
		w.settle()
		u.Periodic()
		w.settle()
		if !w.amf.Page(u.MSIN()) {
			t.Error("it can't be paged")
		}
		w.settle()
		u.Deregister()
		w.settle()
		want := n2sim.UETruth{Registrations: 1, Periodic: 1, Services: 2, Paged: 1, Deregistered: 1, Echoes: 3, Answered: 3}
		if got := u.Truth(); got != want {
			t.Errorf("%+v\nwant %+v", got, want)
		}
		a := w.amf.Truth()
		if a.Contexts != 0 || a.Subscribers != 0 || a.Registrations != 1 || a.Services != 2 || a.Periodic != 1 || a.Deregistered != 1 || a.Echoes != 3 {
			t.Errorf("%+v", a)
		}
		if g := w.ran.GNB(0).Truth(); g.Contexts != 0 || g.Sent != a.Got || g.Got != a.Sent || g.AMFName != "amf-1" {
			t.Errorf("%+v", g)
		}
		w.clean(1)
	})
}

// An AMF that forgot a UE asks who it is, and rejects its service with cause 9.
func TestForgotten(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		us := w.ran.Add(2, 1)
		for _, u := range us {
			u.Register()
		}
		w.settle()
		w.amf.Stop(false)
		if err := w.amf.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		us[0].Periodic()
		us[1].Service()
		time.Sleep(3 * time.Second)
		a, b := us[0].Truth(), us[1].Truth()
		if a.Identified != 1 || b.Stale != 1 || b.Registrations != 2 || us[1].Phase() != "connected" {
			t.Errorf("%+v\n%+v", a, b)
		}
		if t := w.amf.Truth(); t.Unknown != 2 || t.Subscribers != 2 {
			w.Errorf("%+v", t)
		}
	})
}

// Handover by Xn and by N2, and an idle move.
func TestMobility(t *testing.T) {
	run(t, 2, nil, func(w *world) {
		us := w.ran.Add(4, 1)
		for _, u := range us {
			u.Register()
		}
		w.settle()
		g, h := w.ran.GNB(0), w.ran.GNB(1)
		if !h.PathSwitch(us[0]) || !g.Handover(us[2], h) || h.PathSwitch(us[1]) {
			t.Fatal("who is where?")
		}
		w.settle()
		for _, u := range us {
			u.Echo()
		}
		us[3].Release()
		w.settle()
		us[3].Camp(g)
		us[3].Periodic()
		w.settle()
		for i, want := range []n2sim.UETruth{{Registrations: 1, Echoes: 2, Answered: 2, PathSwitches: 1}, {Registrations: 1, Echoes: 2, Answered: 2},
			{Registrations: 1, Echoes: 2, Answered: 2, Handovers: 1}, {Registrations: 1, Echoes: 2, Answered: 2, Moves: 1, Periodic: 1}} {
			if got := us[i].Truth(); got != want {
				t.Errorf("%d: %+v\nwant %+v", i, got, want)
			}
		}
		if g, h := g.Truth(), h.Truth(); g.Contexts != 0 || h.Contexts != 3 {
			t.Errorf("%+v\n%+v", g, h)
		}
		if a := w.amf.Truth(); a.PathSwitches != 1 || a.Handovers != 1 || a.Contexts != 3 {
			t.Errorf("%+v", a)
		}
		w.clean(2)
	})
}
