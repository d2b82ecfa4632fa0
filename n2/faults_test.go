package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// A reset list may name a UE twice, by its pair and by the AMF's ID.
func TestResetNamesAUETwice(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		a.last().send(0, reset([]ngap.Connection{{AMF: 1, HasAMF: true, RAN: 1, HasRAN: true}, {RAN: 1, HasRAN: true}, {AMF: 1, HasAMF: true}}))
		v, _ := g.want(ngap.CodeNGReset, ngap.Initiating).Value(ngap.IEResetType)
		if _, list, err := ngap.ReadResetType(v, nil); err != nil || len(list) != 1 || list[0].AMF != outer {
			t.Errorf("%v %v", list, err)
		}
		a.last().want(ngap.CodeNGReset, ngap.Successful)
	})
}

// While the AMF UE NGAP ID changes the AMF may use the old one, too; when the gNB
// refuses, the old one is the UE's again (8.3.4).
// Facts: N6-17
func TestChangeOfIDRefused(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, old := b.ue(g, 1, 1)
		a.last().send(1, message(ngap.CodeUEContextModificationRequest, ngap.Initiating, 1, 1,
			ngap.IE{ID: ngap.IENewAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 500)}))
		g.want(ngap.CodeUEContextModificationRequest, ngap.Initiating)
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, old, 1)
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 500, 1, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1<<32|500, 1)
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 77, 1, nas))
		a.last().want(ngap.CodeErrorIndication, ngap.Initiating)
		g.send(1, message(ngap.CodeUEContextModificationRequest, ngap.Unsuccessful, old, 1))
		a.last().wantIDs(ngap.CodeUEContextModificationRequest, ngap.Unsuccessful, 1, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, old, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|500, 1, nas))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
	})
}

// A Reroute NAS Request sends on the UE's own Initial UE Message, nothing else.
// Facts: N6-21
func TestRerouteOfSomethingElse(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.send(1, initial(1, nil))
		a := b.where()
		a.last().next()
		for _, contained := range [][]byte{reset(nil), initial(2, nil), {0, 15},
			message(ngap.CodeUplinkNASTransport, ngap.Initiating, 9, 1, nas)} {
			var p ngap.PDU
			p.New(ngap.CodeRerouteNASRequest, ngap.Initiating)
			p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, 1))
			p.Add(ngap.IENGAPMessage, ngap.Reject, ngap.AppendOctets(nil, contained))
			p.Add(ngap.IEAMFSetID, ngap.Reject, ngap.AppendAMFSetID(nil, 1))
			a.last().send(1, p.Append(nil))
			a.last().want(ngap.CodeErrorIndication, ngap.Initiating)
		}
		b.amfs[2-a.id].last().wantNothing()
		g.wantNothing()
	})
}

// Another AMF of the set takes a UE over by the two messages that may (8.6.2,
// 8.3.1), by no other.
// Facts: N6-11
func TestTakeoverByOtherMessages(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		x := b.amfs[2-a.id]
		for _, c := range []ngap.Code{ngap.CodePDUSessionResourceSetupRequest, ngap.CodeUEContextModificationRequest, ngap.CodeUETNLABindingReleaseRequest} {
			x.last().send(1, message(c, ngap.Initiating, 1, 1))
			x.last().want(ngap.CodeErrorIndication, ngap.Initiating)
		}
		g.wantNothing()
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	})
}

// A second NG Setup has its own time: the first one's timer does not end it.
func TestSetupOnceMoreHasItsTime(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.amfs[0].refuse = true
		g := b.gnb(7)
		g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		b.sleep(3 * time.Second)
		b.amfs[0].refuse, b.amfs[0].silent = false, true
		g.send(0, setupOf(7))
		b.sleep(4 * time.Second)
		b.settle()
		g.wantNothing()
		b.sleep(2 * time.Second)
		b.settle()
		g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		b.sleep(50 * time.Second) // the first minute is long over: it may try again
		if g.down != nil {
			t.Errorf("ended: %v", g.down)
		}
		b.sleep(15 * time.Second)
		b.settle()
		if g.down == nil {
			t.Error("an association without NG Setup has no end")
		}
	})
}

// The gNB is told to wait as long as the AMF said.
// Facts: N6-36
func TestTimeToWaitIsPassedOn(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		var f ngap.PDU
		f.New(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
		f.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, ngap.CauseUnknownPLMN))
		f.Add(ngap.IETimeToWait, ngap.Ignore, ngap.AppendTimeToWait(nil, time.Minute))
		b.amfs[0].silent = true
		g := b.gnb(7)
		b.amfs[0].last().send(0, f.Append(nil))
		v, _ := g.want(ngap.CodeNGSetupRequest, ngap.Unsuccessful).Value(ngap.IETimeToWait)
		if d, err := ngap.ReadTimeToWait(v); err != nil || d != time.Minute {
			t.Errorf("%v %v", d, err)
		}
	})
}

// An AMF that asks the same without end finds a bound.
func TestEqualRequestsAreBounded(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		w := new(ngap.PDU).New(ngap.CodeWriteReplaceWarningRequest, ngap.Initiating).Append(nil)
		for range 300 {
			b.amfs[0].last().send(0, w)
		}
		if n := len(g.got); n != 256 {
			t.Errorf("%d went on", n)
		}
		b.amfs[0].last().assoc.Abort("killed") // nobody waits any more
		b.sleep(3 * time.Second)
		g.got = nil
		b.amfs[0].last().send(0, w)
		g.want(ngap.CodeWriteReplaceWarningRequest, ngap.Initiating)
	})
}

// GUAMIs that an AMF never announced are not remembered as unavailable.
func TestUnavailableGUAMIsAreBounded(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		b.up(7)
		for region := range uint8(3) {
			var list []ngap.UnavailableGUAMI
			for i := range 256 {
				list = append(list, ngap.UnavailableGUAMI{GUAMI: ngap.GUAMI{PLMN: home, Region: 10 + region, Set: uint16(i), Pointer: 1}})
			}
			var p ngap.PDU
			p.New(ngap.CodeAMFStatusIndication, ngap.Initiating)
			p.Add(ngap.IEUnavailableGUAMIList, ngap.Reject, ngap.AppendUnavailableGUAMIs(nil, list))
			b.amfs[0].last().send(0, p.Append(nil))
		}
		for _, l := range b.gw.Leaks() {
			if l == "AMF01 unavailable GUAMIs: 768" {
				t.Error(l)
			}
		}
	})
}

// An AMF that starts anew is not overloaded (8.7.1).
// Facts: N4-02
func TestOverloadEndsWithTheAMF(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		b.amfs[0].last().send(0, overloadStart(0))
		b.amfs[0].last().assoc.Abort("killed")
		b.sleep(3 * time.Second)
		b.settle()
		g.got = nil
		if got := b.count(g, 1, 20, nobody); got[1] != 10 {
			t.Errorf("%v", got)
		}
	})
}

// A RAN UE NGAP ID whose release was commanded may come again at once; the late
// answer to the command harms nobody.
func TestRANIDComesAgain(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		a.last().send(1, release(ngap.UENGAPIDs{AMF: 1, RAN: 1, HasRAN: true}))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		g.send(2, initial(1, nil))
		a.last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 1))
		g.wantNothing()
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 2, 1, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1<<32|2, 1)
		g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 1))
		g.wantNothing()
	})
}

// UE Retention Information is stripped in either mode of the answer.
// Facts: N2-07
func TestRetentionIsStripped(t *testing.T) {
	for _, first := range []bool{false, true} {
		run(t, 1, func(c *n2.Config) { c.SetupFirst = first }, func(b *bed) {
			b.amfs[0].silent = true
			g := b.gnb(7)
			var p ngap.PDU
			if p.Walk(b.amfs[0].setupResponse()) != nil {
				t.Fatal("walk")
			}
			p.Add(ngap.IEUERetentionInformation, ngap.Ignore, []byte{0})
			b.amfs[0].last().send(0, p.Append(nil))
			if g.want(ngap.CodeNGSetupRequest, ngap.Successful).Find(ngap.IEUERetentionInformation) >= 0 {
				t.Errorf("first %v: it is there", first)
			}
		})
	}
}

// When IDs are made in another way, those that gNBs have mean nothing: they
// associate anew.
func TestIDsMadeInAnotherWay(t *testing.T) {
	for _, change := range []func(c *n2.Config){
		func(c *n2.Config) { c.IndexBits = 4 }, func(c *n2.Config) { c.Transparent = true }, func(c *n2.Config) { c.Name = "OTHER" },
	} {
		run(t, 1, nil, func(b *bed) {
			g := b.up(7)
			c := b.cfg.Clone()
			change(&c)
			if err := b.gw.Apply(b.cfg, c, time.Now()); err != nil {
				t.Fatal(err)
			}
			b.settle()
			if over := c.Name != "OTHER"; (g.down != nil) != over {
				t.Errorf("ended: %v", g.down)
			}
			g.got = nil
		})
	}
}

// In a transparent pool, too, a gNB may name a UE by the AMF's ID alone, where it
// is one UE's.
func TestTransparentByAMFID(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.Transparent = true }, func(b *bed) {
		g := b.up(7)
		a1, _ := b.ue(g, 1, 1)
		a2, _ := b.ue(g, 2, 1)
		b.ue(g, 3, 5)
		for _, p := range []*peer{a1.last(), a2.last()} {
			p.got = nil
		}
		g.send(0, reset([]ngap.Connection{{AMF: 1, HasAMF: true}, {AMF: 5, HasAMF: true}}))
		g.want(ngap.CodeNGReset, ngap.Successful)
		v, _ := a1.last().want(ngap.CodeNGReset, ngap.Initiating).Value(ngap.IEResetType)
		if _, list, err := ngap.ReadResetType(v, nil); err != nil || len(list) != 1 || list[0].AMF != 5 {
			t.Errorf("%v %v", list, err)
		}
		a2.last().wantNothing()
	})
}

// Until the AMF has answered a path switch only the answer may bring another ID.
func TestNoOtherIDWhileSwitching(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 1)
		h.send(1, pathSwitch(outer, 50))
		a.from(1).want(ngap.CodePathSwitchRequest, ngap.Initiating)
		a.from(1).send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 9, 50, nas))
		a.from(1).want(ngap.CodeErrorIndication, ngap.Initiating)
		h.wantNothing()
	})
}

// A target that names a UE by an ID in use gets no UE, and the AMF is told.
func TestHandoverToAnIDInUse(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, _ := b.ue(g, 1, 1)
		var hr ngap.PDU
		hr.New(ngap.CodeHandoverRequest, ngap.Initiating)
		hr.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 3))
		a.last().send(1, hr.Append(nil))
		g.want(ngap.CodeHandoverRequest, ngap.Initiating)
		g.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, 1<<32|3, 1))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		if id, _, err := a.last().want(ngap.CodeHandoverRequest, ngap.Unsuccessful).AMFUENGAPID(); err != nil || id != 3 {
			t.Errorf("%d %v", id, err)
		}
	})
}

// An AMF that ends a handover under way by a pair names no other UE of the gNB
// thereby, be it another AMF's or its own; the AMF's ID alone ends it.
func TestReleaseOfAHandoverNamesNoOtherUE(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		own, _ := b.ue(g, 1, 1)
		other, _ := b.ue(g, 2, 1)
		if own == other {
			t.Fatal("both at one AMF")
		}
		var hr ngap.PDU
		hr.New(ngap.CodeHandoverRequest, ngap.Initiating)
		hr.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 4))
		own.last().send(1, hr.Append(nil))
		g.want(ngap.CodeHandoverRequest, ngap.Initiating)
		for ran := uint32(1); ran < 3; ran++ {
			own.last().send(1, release(ngap.UENGAPIDs{AMF: 4, RAN: ran, HasRAN: true}))
			g.wantNothing()
			own.last().wantIDs(ngap.CodeErrorIndication, ngap.Initiating, 4, ran)
		}
		own.last().send(1, release(ngap.UENGAPIDs{AMF: 4}))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
	})
}

// Large IDs are given back with all that used them: a handover under way, a
// change under way, when the gNB goes.
// Facts: N6-18
func TestLargeIDsAreGivenBack(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, _ := b.ue(g, 1, 1<<33)
		a.last().send(1, message(ngap.CodeUEContextModificationRequest, ngap.Initiating, 1<<33, 1,
			ngap.IE{ID: ngap.IENewAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 1<<34)}))
		var hr ngap.PDU
		hr.New(ngap.CodeHandoverRequest, ngap.Initiating)
		hr.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 1<<35))
		a.last().send(1, hr.Append(nil))
		g.assoc.Abort("gone")
		b.sleep(time.Minute)
		b.settle()
		for _, l := range b.gw.Leaks() {
			t.Errorf("left: %s", l)
		}
	})
}
