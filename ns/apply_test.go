package ns

import (
	"errors"
	"testing"
)

// What a change does not name goes on undisturbed.
func TestApplyDisturbsNothingElse(t *testing.T) {
	r := ipaRig(t)
	r.up()
	since := r.nse(101).Since
	r.now = r.now.Add(sec)
	r.edit(func(c *Config) {
		must(t, c.AddBind(LinkUDP, "x"))
		must(t, c.SetListen("x", ap("10.0.0.3:23000")))
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "x", remote, 1, 1))
		must(t, ipaVC(c, 101, "a", "10.0.1.2:1", 102))
		must(t, c.SetDSCP("a", 10))
		must(t, c.SetAcceptIPAccess("a", true))
		must(t, c.AddBind(LinkFR, "f"))
	})
	r.wantTo("10.0.0.1:23000>10.0.1.2:1 020081010182006604820065", "10.0.0.3:23000>10.0.1.1:23000 0a")
	r.wantVCs(101, "UNBLOCKED", "RESET")
	r.wantEvents("new 7")
	if r.nse(101).Since != since || !r.nse(101).Alive {
		t.Error("NSE 101 was disturbed")
	}
	if c := r.net.open[ap("10.0.0.1:23000")]; c.tuned != 1 {
		t.Errorf("tuned %d times", c.tuned)
	}
	// and back
	r.edit(func(c *Config) {
		must(t, c.RemoveBind("x"))
		must(t, c.RemoveNSVCI(101, 102))
		must(t, c.RemoveNSE(7))
	})
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED")
	r.wantEvents("free 7")
	if len(r.net.open) != 2 {
		t.Errorf("%d sockets", len(r.net.open))
	}
	if c := r.nse(101).Counters; c.PacketsOut != 4 { // of both NS-VCs: RESET, UNBLOCK, ALIVE; RESET
		t.Errorf("counters of the NSE: %+v", c)
	}
	must(t, r.s.Apply(r.cfg, r.now))
	r.wantEvents()
	r.wantIdle()
}

// A bind that can't be had: the error names it, all stays as it was.
func TestApplyFails(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.net.bad = ap("192.0.2.1:23000")
	c := r.cfg.Clone()
	must(t, c.AddBind(LinkUDP, "ok"))
	must(t, c.SetListen("ok", ap("10.0.0.9:1")))
	must(t, c.AddBind(LinkUDP, "bad"))
	must(t, c.SetListen("bad", r.net.bad))
	must(t, c.RemoveNSE(101))
	err := r.s.Apply(c, r.now)
	var be *BindError
	if !errors.As(err, &be) || be.Bind != "bad" || be.Addr != r.net.bad {
		t.Fatalf("%v", err)
	}
	if len(r.net.open) != 2 {
		t.Errorf("%d sockets", len(r.net.open))
	}
	r.wantVCs(101, "UNBLOCKED")
	r.wantEvents()
	// two binds change places with one that can't be had: the old come back
	c = r.cfg.Clone()
	c.Bind("a").Listen, c.Bind("b").Listen = c.Bind("b").Listen, c.Bind("a").Listen
	must(t, c.AddBind(LinkUDP, "bad"))
	must(t, c.SetListen("bad", r.net.bad))
	if r.s.Apply(c, r.now) == nil {
		t.Fatal("no error")
	}
	r.wantVCs(101, "UNBLOCKED")
	r.write("a", remote, alive)
	r.wantTo("10.0.0.1:23000>10.0.1.1:23000 0b")
	r.s.Send(r.s.NSE(101), 0, 0, []byte{1})
	r.turn()
	r.wantTo("10.0.0.1:23000>10.0.1.1:23000 0000000001")
	// without the bad one they do change places
	c.Binds = c.Binds[:2]
	must(t, r.s.Apply(c, r.now))
	r.wantTo("10.0.0.2:23000>10.0.1.1:23000 " + reset101)
}

// no listen, no bind: what stands on it goes, and comes with the bind.
func TestApplyBindGoesAndComes(t *testing.T) {
	r := ipaRig(t)
	r.edit(func(c *Config) { must(t, c.SetAcceptIPAccess("a", true)) })
	r.up()
	r.write("a", bts, reset2001, unblock)
	r.events = nil
	r.edit(func(c *Config) { must(t, c.ClearListen("a")) })
	if n := len(r.events); n != 5 {
		t.Errorf("%q", r.events)
	}
	r.wantVCs(101)
	if r.s.NSE(2001) != nil || r.s.NSE(101) == nil {
		t.Error("NSEs")
	}
	r.frames()
	r.edit(func(c *Config) { must(t, c.SetListen("a", ap("10.0.0.77:5"))) })
	r.wantTo("10.0.0.77:5>10.0.1.1:23000 " + reset101)
}

// Facts: G1.5-01
func TestApplyKindChanges(t *testing.T) {
	r := ipaRig(t)
	r.up()
	// the same remote as static-alive of another NSE
	r.edit(func(c *Config) {
		must(t, c.RemoveNSE(101))
		must(t, c.AddNSE(8, RoleBSS))
		must(t, staticVC(c, 8, "a", remote, 0, 5))
	})
	r.want(alive)
	r.wantEvents("vc down 101", "failure 101", "free 101", "new 8")
	r.write("a", remote, aliveAckHex)
	if n := r.nse(8); n.Alive || n.VCs[0].DataWeight != 5 {
		t.Errorf("%+v", n)
	}
	// a weight at run time: signalling has a way now
	r.events = nil
	r.edit(func(c *Config) { c.NSE(8).VCs[0].SigWeight = 1 })
	r.wantEvents("recovery 8")
	// a dynamic NSE gives way to a configured one
	r.edit(func(c *Config) { must(t, c.SetAcceptIPAccess("b", true)) })
	r.write("b", bts, reset2001)
	r.events = nil
	r.edit(func(c *Config) { must(t, c.AddNSE(2001, RoleSGSN)) })
	r.wantEvents("free 2001", "new 2001")
	r.wantSNS(2001, "UNCONFIGURED")
}

// A configured NS-VC takes the address from a dynamic one.
func TestApplyTakesAddress(t *testing.T) {
	r := newRig(t, func(c *Config) { must(t, c.SetAcceptIPAccess("b", true)) })
	r.write("b", bts, reset2001, unblock)
	r.events = nil
	r.edit(func(c *Config) {
		must(t, c.AddNSE(5, RoleBSS))
		must(t, ipaVC(c, 5, "b", bts, 55))
	})
	r.wantVCs(5, "RESET")
	r.wantEvents("new 5", "vc down 2001", "failure 2001", "free 2001")
}

// Applied again and again, nothing is left behind.
func TestApplyRepeats(t *testing.T) {
	r := newRig(t, func(c *Config) {})
	empty := r.cfg
	for range 50 {
		r.edit(func(c *Config) {
			must(t, c.AddNSE(101, RoleBSS))
			must(t, c.AddSNSBind(101, "a"))
			must(t, c.AddSNSRemote(101, ap(sgsn1)))
			must(t, c.AddNSE(102, RoleBSS))
			must(t, ipaVC(c, 102, "b", remote, 5))
		})
		r.snsUp()
		r.cfg = empty
		must(t, r.s.Apply(empty, r.now))
	}
	if len(r.s.timers) != 0 || len(r.s.nses) != 0 || len(r.s.binds["a"].vcs) != 0 || len(r.s.slots) != 2 {
		t.Errorf("%d timers, %d NSEs", len(r.s.timers), len(r.s.nses))
	}
}
