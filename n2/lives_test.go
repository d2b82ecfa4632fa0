package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// restart is the end of an AMF and its next life, which counts AMF UE NGAP IDs from 1
// again: every association of it ends, and its gNBs are back.
func (a *amf) restart(b *bed) {
	b.Helper()
	old := len(a.peers)
	for _, p := range a.peers {
		p.assoc.Abort("crash")
	}
	b.sleep(3 * time.Second)
	b.settle()
	for _, p := range a.peers[old:] {
		p.want(ngap.CodeNGSetupRequest, ngap.Initiating)
		p.got = nil
	}
}

// heard is the association of a to the gNB that an Initial UE Message just came from.
func (a *amf) heard() *peer {
	for _, p := range a.peers {
		if len(p.got) > 0 {
			return p
		}
	}
	return a.last()
}

// A Path Switch Request carries the AMF UE NGAP ID alone. That of a UE of the AMF's
// earlier life reaches no UE of its next one, whatever became of the old UE, and that
// of the new UE reaches it.
// Facts: N6-22, N6-25, N6-79
func TestPathSwitchAfterTheAMFsRestart(t *testing.T) {
	for _, how := range []n2.OnLoss{n2.LossRelease, n2.LossRebind, n2.LossReset, n2.LossSilent} {
		t.Run(how.String(), func(t *testing.T) {
			run(t, 1, func(c *n2.Config) { c.OnLoss = how }, func(b *bed) {
				g, h, target := b.up(7), b.up(8), b.up(9)
				a, old := b.ue(g, 1, 1)
				a.restart(b)
				g.got, h.got, target.got = nil, nil, nil
				_, outer := b.ue(h, 2, 1)
				if outer == old {
					t.Fatalf("two UEs are %#x", old)
				}
				for range 2 { // a while later, too
					target.send(1, pathSwitch(old, 50))
					target.wantIDs(ngap.CodePathSwitchRequest, ngap.Unsuccessful, old, 50)
					b.sleep(2 * time.Minute)
				}
				a.heard().wantNothing()
				b.switched(a, h, target, outer, 2)
			})
		})
	}
}

// switched has the new UE do all that goes by its ID: path switch, uplink, downlink,
// release by the AMF's ID alone.
func (b *bed) switched(a *amf, from, to *peer, outer uint64, ran uint32) {
	b.Helper()
	from.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
	a.heard().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, ran)
	to.send(1, pathSwitch(outer, 60))
	p := a.heard()
	v, _ := p.want(ngap.CodePathSwitchRequest, ngap.Initiating).Value(ngap.IESourceAMFUENGAPID)
	if id, err := ngap.ReadAMFUENGAPID(v); err != nil || id != 1 {
		b.Errorf("source ID %#x %v", id, err)
	}
	p.send(1, message(ngap.CodePathSwitchRequest, ngap.Successful, 1, 60))
	to.wantIDs(ngap.CodePathSwitchRequest, ngap.Successful, outer, 60)
	p.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 60, nas))
	to.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, outer, 60)
	p.send(1, release(ngap.UENGAPIDs{AMF: 1}))
	v, _ = to.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating).Value(ngap.IEUENGAPIDs)
	if i, err := ngap.ReadUENGAPIDs(v); err != nil || i.AMF != outer {
		b.Errorf("%+v %v", i, err)
	}
	to.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 60))
	p.wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, 1, 60)
}

// One gNB's association shows that the AMF began anew, another's does not yet: that one
// has a UE of before.
func TestOneGNBHearsOfTheRestartLater(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h, target := b.up(7), b.up(8), b.up(9)
		a, old := b.ue(g, 1, 1)
		a.from(1).assoc.Abort("crash")
		b.sleep(3 * time.Second)
		b.settle()
		a.last().got = nil
		_, outer := b.ue(h, 2, 1)
		target.send(1, pathSwitch(old, 50))
		target.wantIDs(ngap.CodePathSwitchRequest, ngap.Unsuccessful, old, 50)
		a.heard().wantNothing()
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, old, 1, nas))
		a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		b.switched(a, h, target, outer, 2)
	})
}

// A gNB that is lost may live, and hand its UEs over to others; its AMF may use their
// IDs anew at once. When that is long ago IDs are as they were.
func TestIDsOfALostGNBRest(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h, target := b.up(7), b.up(8), b.up(9)
		a, old := b.ue(g, 1, 1)
		g.assoc.Abort("lost")
		b.sleep(time.Second)
		b.settle()
		_, outer := b.ue(h, 2, 1)
		target.send(1, pathSwitch(old, 50))
		target.wantIDs(ngap.CodePathSwitchRequest, ngap.Unsuccessful, old, 50)
		a.heard().wantNothing()
		b.switched(a, h, target, outer, 2)
		b.sleep(6 * time.Minute)
		if _, outer = b.ue(h, 3, 1); outer != old {
			t.Errorf("the ID still rests: %#x", outer)
		}
		if s := b.snapshot(); s.UEs != 1 {
			t.Errorf("%d UEs", s.UEs)
		}
	})
}

// A handover by the AMF of a UE whose ID was another's before.
func TestHandoverAfterTheAMFsRestart(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		a, old := b.ue(g, 1, 1)
		a.restart(b)
		g.got, h.got = nil, nil
		_, outer := b.ue(g, 2, 1)
		var p ngap.PDU
		p.New(ngap.CodeHandoverRequest, ngap.Initiating)
		p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 1))
		for _, q := range a.peers {
			if q.down == nil {
				_ = q.assoc.Send(sctpMessage(p.Append(nil))) // to both gNBs
			}
		}
		b.settle()
		for i, target := range []*peer{g, h} {
			got := target.want(ngap.CodeHandoverRequest, ngap.Initiating)
			if id, _, err := got.AMFUENGAPID(); err != nil || id != outer || id == old {
				t.Errorf("Handover Request with %#x %v, want %#x", id, err, outer)
			}
			ran := uint32(60 + i)
			target.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, outer, ran))
			a.heard().wantIDs(ngap.CodeHandoverRequest, ngap.Successful, 1, ran)
		}
	})
}
