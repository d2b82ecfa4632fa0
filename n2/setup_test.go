package n2_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

func guamisOf(t *testing.T, p *ngap.PDU) (pointers []uint8) {
	t.Helper()
	v, _ := p.Value(ngap.IEServedGUAMIList)
	list, err := ngap.ReadServedGUAMIs(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range list {
		pointers = append(pointers, g.GUAMI.Pointer)
	}
	return pointers
}

// The gNB sees one AMF: the pool's name, the union of GUAMIs and slices. Every
// AMF gets the gNB's request as it came.
// Facts: N2-02, N4-07, N6-32, N7-02, N9-21
func TestSetupIsMerged(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.gnb(7)
		p := g.want(ngap.CodeNGSetupRequest, ngap.Successful)
		if got := guamisOf(t, p); string(got) != "\x01\x02\x03" {
			t.Errorf("GUAMIs %v", got)
		}
		v, _ := p.Value(ngap.IEAMFName)
		if name, err := ngap.ReadName(v); err != nil || string(name) != n2.DefaultName {
			t.Errorf("name %q %v", name, err)
		}
		v, _ = p.Value(ngap.IEPLMNSupportList)
		if plmns, err := ngap.ReadPLMNSupport(v, nil); err != nil || len(plmns) != 1 || len(plmns[0].Slices) != 3 {
			t.Errorf("%v %v", plmns, err)
		}
		for _, a := range b.amfs {
			if got := a.last().next().data; string(got) != string(setupOf(7)) {
				t.Errorf("AMF %d got %x", a.id, got)
			}
		}
		g.wantNothing()
	})
}

// One AMF refuses, one is silent: the gNB is served by the others, after the
// grace at the latest.
// Facts: N6-29, N6-30
func TestSetupWithSomeAMFs(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		b.amfs[0].refuse, b.amfs[2].silent = true, true
		g := b.gnb(7)
		g.wantNothing()
		b.sleep(n2.DefaultGrace)
		b.settle()
		if got := guamisOf(t, g.want(ngap.CodeNGSetupRequest, ngap.Successful)); string(got) != "\x02" {
			t.Errorf("GUAMIs %v", got)
		}
		b.amfs[0].refuse = false
		b.sleep(3 * time.Second)
		b.settle()
		p := g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		if got := guamisOf(t, p); string(got) != "\x01\x02" {
			t.Errorf("GUAMIs %v", got)
		}
		g.send(0, new(ngap.PDU).New(ngap.CodeAMFConfigurationUpdate, ngap.Successful).Append(nil))
		g.wantNothing()
	})
}

// All AMFs refuse: the gNB gets the first one's cause, and may try again.
// Facts: N6-37
func TestSetupRefused(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[0].refuse, b.amfs[1].silent = true, true
		b.amfs[1].play = func(p *peer, _ []byte) {
			if b.amfs[1].silent {
				p.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: failure(ngap.CauseMiscUnspecified)})
			}
		}
		g := b.gnb(7)
		p := g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		v, _ := p.Value(ngap.IECause)
		if c, err := ngap.ReadCause(v); err != nil || c != ngap.CauseUnknownPLMN {
			t.Errorf("cause %v %v", c, err)
		}
		b.amfs[0].refuse, b.amfs[1].silent = false, false
		g.send(0, setupOf(7))
		b.settle()
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
	})
}

// No AMF is there at all: a Failure with a time to wait, within the time-out.
func TestSetupWithoutAMFs(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.amfs[0].stop()
		g := b.gnb(7)
		b.sleep(n2.DefaultSetup)
		b.settle()
		p := g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		if _, ok := p.Value(ngap.IETimeToWait); !ok {
			t.Error("no time to wait")
		}
	})
}

// NG Setup comes first (8.7.1): before it nothing reaches an AMF.
// Facts: N4-01
func TestOrder(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.associate()
		g.send(1, initial(1, nil))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		if len(b.amfs[0].peers) != 0 {
			t.Error("an AMF was dialled")
		}
		g.send(0, setupOf(7))
		b.settle()
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
	})
}

// An association without NG Setup is ended after a minute.
func TestNoSetup(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.associate()
		b.sleep(61 * time.Second)
		b.settle()
		if c, _ := sctp.CauseOf(g.down); g.down == nil || c != sctp.PeerShutdown {
			t.Errorf("got %v", g.down)
		}
	})
}

// A second gNB with the ID of a live one is refused; with that of a dead one it
// is let in as soon as the old association is known to be dead.
// Facts: N6-68
func TestSecondGNBWithTheID(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		old := b.up(7)
		forged := b.gnb(7)
		forged.wantNothing()
		b.sleep(3 * time.Second)
		b.settle()
		forged.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		old.send(1, initial(1, nil))
		b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)

		b.net.Vanish(address(2, 1)) // without a word
		again := b.gnb(7)
		b.sleep(3 * time.Second)
		b.settle()
		again.want(ngap.CodeNGSetupRequest, ngap.Successful)
	})
}

// A gNB that goes takes its associations to all AMFs with it.
// Facts: N8-07
func TestGNBLost(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.assoc.Abort("power cut")
		b.settle()
		for _, a := range b.amfs {
			if a.last().down == nil {
				t.Errorf("AMF %d still has the association", a.id)
			}
		}
	})
}

// An AMF that comes back gets the gNB's NG Setup again, with what the gNB said
// later.
// Facts: N6-45, N8-11
func TestReplay(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		var u ngap.PDU
		u.New(ngap.CodeRANConfigurationUpdate, ngap.Initiating)
		u.Add(ngap.IERANNodeName, ngap.Ignore, ngap.AppendName(nil, "renamed"))
		g.send(0, u.Append(nil))
		for _, a := range b.amfs {
			a.last().want(ngap.CodeRANConfigurationUpdate, ngap.Initiating)
			a.last().send(0, new(ngap.PDU).New(ngap.CodeRANConfigurationUpdate, ngap.Successful).Append(nil))
		}
		g.want(ngap.CodeRANConfigurationUpdate, ngap.Successful)
		b.amfs[1].last().assoc.Abort("restart")
		b.sleep(3 * time.Second)
		b.settle()
		if len(b.amfs[1].peers) != 2 {
			t.Fatalf("%d associations", len(b.amfs[1].peers))
		}
		p := b.amfs[1].last().want(ngap.CodeNGSetupRequest, ngap.Initiating)
		v, _ := p.Value(ngap.IERANNodeName)
		if n, err := ngap.ReadName(v); err != nil || string(n) != "renamed" {
			t.Errorf("name %q %v", n, err)
		}
		g.wantNothing() // nothing has changed for the gNB
	})
}

// One AMF refuses an update, the other takes it: the gNB's update holds.
// Facts: N6-45, N9-35
func TestRANUpdateMerged(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		for _, all := range []bool{false, true} {
			g.send(0, new(ngap.PDU).New(ngap.CodeRANConfigurationUpdate, ngap.Initiating).Append(nil))
			var f ngap.PDU
			f.New(ngap.CodeRANConfigurationUpdate, ngap.Unsuccessful)
			f.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, ngap.CauseUnknownPLMN))
			b.amfs[0].last().send(0, f.Append(nil))
			g.wantNothing()
			if all {
				b.amfs[1].last().send(0, f.Append(nil))
				g.want(ngap.CodeRANConfigurationUpdate, ngap.Unsuccessful)
			} else {
				b.amfs[1].last().send(0, new(ngap.PDU).New(ngap.CodeRANConfigurationUpdate, ngap.Successful).Append(nil))
				g.want(ngap.CodeRANConfigurationUpdate, ngap.Successful)
			}
		}
	})
}

// An AMF's own update is acknowledged at once, whatever the gNB does; the gNB
// gets the whole union.
// Facts: N6-39, N6-42, N9-00
func TestAMFUpdate(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		var u ngap.PDU
		u.New(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		u.Add(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil,
			[]ngap.ServedGUAMI{{GUAMI: ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 9}}}))
		a := b.amfs[0].peers[0]
		a.send(0, u.Append(nil))
		a.want(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
		for _, r := range []*peer{g, h} {
			if got := guamisOf(t, r.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)); string(got) != "\x09\x02" {
				t.Errorf("GUAMIs %v", got)
			}
		}
		// The gNBs are silent: they are told the same once more. The next change
		// reaches them all the same.
		b.sleep(6 * time.Second)
		if got := guamisOf(t, g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)); string(got) != "\x09\x02" {
			t.Errorf("GUAMIs %v", got)
		}
		b.sleep(6 * time.Second)
		g.wantNothing()
		u.Replace(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil,
			[]ngap.ServedGUAMI{{GUAMI: ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 1}}}))
		a.send(0, u.Append(nil))
		if got := guamisOf(t, g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)); string(got) != "\x01\x02" {
			t.Errorf("GUAMIs %v", got)
		}
	})
}

// Members come and go at run time.
func TestMembersAtRunTime(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		b.amfs = append(b.amfs, b.newAMF(2))
		c := b.cfg.Clone()
		c.AMFs = append(c.AMFs, n2.AMF{ID: 2, Remote: sctp.At(n2.DefaultPort, address(1, 2)), Local: []netip.Addr{address(0, 2)},
			Capacity: -1, AllowAttach: true})
		if err := b.gw.Apply(b.cfg, c, time.Now()); err != nil {
			t.Fatal(err)
		}
		b.settle()
		g.want(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		g.send(0, new(ngap.PDU).New(ngap.CodeAMFConfigurationUpdate, ngap.Successful).Append(nil))
		if got := b.count(g, 1, 10, nobody); got[2] != 5 {
			t.Errorf("the new AMF got %v", got)
		}
		// Gone again: its UEs are released.
		if err := b.gw.Apply(c, b.cfg, time.Now()); err != nil {
			t.Fatal(err)
		}
		b.settle()
		for range 5 {
			g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		}
		if b.amfs[1].last().down == nil {
			t.Error("the association is still there")
		}
		g.got = nil // the union without it
	})
}

// Who is not in the access list is not served.
func TestAccessList(t *testing.T) {
	only := func(c *n2.Config) { c.Binds[0].Accept = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }
	run(t, 1, only, func(b *bed) {
		a, err := b.net.Dial(context.Background(), sctp.At(0, address(2, 9)), sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		p := b.newPeer("stranger", a, nil)
		b.settle()
		if c, _ := sctp.CauseOf(p.down); p.down == nil || c != sctp.PeerAbort {
			t.Errorf("got %v", p.down)
		}
	})
}
