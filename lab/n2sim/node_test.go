package n2sim_test

import (
	"testing"
	"time"

	"poolgw/lab/n2sim"
	"poolgw/lab/ngmsg"
)

// NG Setup that is refused is repeated after the Time To Wait, not before.
func TestTimeToWait(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		w.amf.Stop(false)
		w.amf.Refuse(5 * time.Second)
		if err := w.amf.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		w.amf.Refuse(0)
		before := w.ran.GNB(0).Truth()
		time.Sleep(5 * time.Second)
		after := w.ran.GNB(0).Truth()
		if before.Up || before.SetupFailures != 1 || !after.Up || after.SetupFailures != 1 || after.Setups != 2 {
			t.Errorf("%+v\n%+v", before, after)
		}
	})
}

// A gNB associates again, and its UEs go on; one with UERANSIM's habit does not.
func TestReconnect(t *testing.T) {
	habit := func(_ *n2sim.AMFConfig, r *n2sim.RANConfig) { r.GNBs[1].Habits.NeverReconnect = true }
	run(t, 2, habit, func(w *world) {
		us := w.ran.Add(2, 1)
		us[0].Register()
		w.settle()
		w.ran.GNB(0).Disconnect(true)
		w.ran.GNB(1).Disconnect(false)
		time.Sleep(5 * time.Second)
		if g, h := w.ran.GNB(0).Truth(), w.ran.GNB(1).Truth(); !g.Up || g.Lost != 1 || h.Up || h.Lost != 1 {
			t.Errorf("%+v\n%+v", g, h)
		}
		if p := us[0].Phase(); p != "idle" {
			t.Error(p)
		}
		us[0].Service()
		w.settle()
		if u := us[0].Truth(); u.Services != 1 || u.Answered != 2 {
			t.Errorf("%+v", u)
		}
	})
}

// NG Reset, whole and partial, from both sides; a gNB with UERANSIM's habit
// ignores it.
func TestReset(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		us := w.ran.Add(4, 1)
		for _, u := range us {
			u.Register()
		}
		w.settle()
		g := w.ran.GNB(0)
		g.Reset(us[1], us[2])
		w.settle()
		if a, g := w.amf.Truth(), g.Truth(); a.Contexts != 2 || g.Contexts != 2 || a.Resets != 1 || g.ResetsDone != 1 {
			t.Errorf("%+v\n%+v", a, g)
		}
		g.Reset()
		w.settle()
		if a, g := w.amf.Truth(), g.Truth(); a.Contexts != 0 || g.Contexts != 0 || g.ResetsDone != 2 {
			t.Errorf("%+v\n%+v", a, g)
		}
		us[3].Service()
		w.settle()
		w.amf.ResetAll()
		w.settle()
		if a, g := w.amf.Truth(), g.Truth(); a.Contexts != 0 || g.Contexts != 0 || g.Resets != 1 || a.Resets != 3 {
			t.Errorf("%+v\n%+v", a, g)
		}
		w.clean(1)
	})
	habit := func(_ *n2sim.AMFConfig, r *n2sim.RANConfig) { r.GNBs[0].Habits.IgnoreReset = true }
	run(t, 1, habit, func(w *world) {
		w.ran.Add(1, 1)[0].Register()
		w.settle()
		w.amf.ResetAll()
		w.settle()
		if a, g := w.amf.Truth(), w.ran.GNB(0).Truth(); a.Resets != 0 || g.Resets != 1 || g.Contexts != 1 {
			t.Errorf("%+v\n%+v", a, g)
		}
	})
}

// Updates both ways, overload and status: told and stored.
func TestNodeProcedures(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		w.ran.GNB(0).Update("another name")
		w.amf.Configure(7, []ngmsg.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: 1}, {PLMN: home, Region: 1, Set: 1, Pointer: 2}})
		w.amf.Overload(0, 30)
		w.amf.OverloadStop()
		w.amf.Unavailable("amf-2")
		w.settle()
		a, g := w.amf.Truth(), w.ran.GNB(0).Truth()
		if g.RANUpdates != 1 || g.Updates != 1 || g.Capacity != 7 || g.GUAMIs != 2 || g.Overloads != 1 || g.Statuses != 1 ||
			a.RANUpdates != 1 || a.Acknowledged != 1 {
			t.Errorf("%+v\n%+v", a, g)
		}
		w.clean(1)
	})
}

// An AMF that hangs answers nothing; a UE gives up after T3510 and is served when
// it answers again.
func TestHang(t *testing.T) {
	run(t, 1, nil, func(w *world) {
		w.amf.Hang(true)
		u := w.ran.Add(1, 1)[0]
		u.Register()
		time.Sleep(16 * time.Second)
		w.amf.Hang(false)
		if a := w.amf.Truth(); a.Ignored != 1 || u.Truth().TimedOut != 1 {
			t.Errorf("%+v %+v", a, u.Truth())
		}
		time.Sleep(20 * time.Second)
		if u.Truth().Registrations != 1 {
			t.Errorf("%+v", u.Truth())
		}
	})
}

// UEs live for four minutes; nothing is lost, and both ends agree.
func TestLive(t *testing.T) {
	live := func(_ *n2sim.AMFConfig, r *n2sim.RANConfig) {
		r.Behaviour = n2sim.Behaviour{Start: 10 * time.Second, Inactivity: 2 * time.Second, Service: 30 * time.Second, Periodic: time.Minute,
			Move: time.Minute, Off: time.Minute, Xn: 0.2, N2: 0.2, Talk: 0.3}
	}
	run(t, 3, live, func(w *world) {
		w.ran.Add(30, 1)
		w.ran.Live()
		time.Sleep(4 * time.Minute)
		w.ran.Rest()
		time.Sleep(time.Minute)
		w.clean(3)
		u, a := w.ran.Truth(), w.amf.Truth()
		if u.Answered != a.Echoes || u.Services != a.Services || u.Handovers != a.Handovers || u.PathSwitches != a.PathSwitches ||
			u.Handovers == 0 || u.PathSwitches == 0 || u.Deregistered == 0 || u.Periodic == 0 || a.Contexts != 0 {
			t.Errorf("%+v\n%+v", u, a)
		}
	})
}
