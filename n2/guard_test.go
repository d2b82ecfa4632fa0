package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// guarded checks how many UEs are bound, and how often each guard ended.
func (b *bed) guarded(ues int64, initial, release, handover uint64) {
	b.Helper()
	s := b.snapshot()
	if c := s.Counts; s.UEs != ues || c.InitialLate != initial || c.ReleaseLate != release || c.HandoverLate != handover {
		b.Errorf("%d UEs, guards ended %d %d %d; want %d, %d %d %d", s.UEs, c.InitialLate, c.ReleaseLate, c.HandoverLate, ues, initial, release, handover)
	}
}

func (p *peer) wantCause(pdu *ngap.PDU, want ngap.Cause) {
	p.b.Helper()
	v, _ := pdu.Value(ngap.IECause)
	if c, err := ngap.ReadCause(v); err != nil || c != want {
		p.b.Errorf("%s: cause %v %v, want %v", pdu.Name(), c, err, want)
	}
}

// A UE that no AMF answers is released after "timer initial-ue"; the answer that comes
// then is for nobody.
func TestUEWithoutAnswer(t *testing.T) {
	for _, guard := range []time.Duration{n2.DefaultInitial, 4 * time.Second} {
		run(t, 1, func(c *n2.Config) { c.InitialGuard = guard }, func(b *bed) {
			g, a := b.up(7), b.amfs[0].last()
			g.send(1, initial(1, nil))
			a.want(ngap.CodeInitialUEMessage, ngap.Initiating)
			b.sleep(guard - time.Second)
			g.wantNothing()
			b.guarded(1, 0, 0, 0)
			b.sleep(4 * time.Second)
			c := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
			v, _ := c.Value(ngap.IEUENGAPIDs)
			if i, err := ngap.ReadUENGAPIDs(v); err != nil || !i.HasRAN || i.RAN != 1 {
				t.Errorf("%+v %v", i, err)
			} else {
				g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, i.AMF, 1))
			}
			b.guarded(0, 1, 0, 0)
			a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 5, 1, nas))
			a.want(ngap.CodeErrorIndication, ngap.Initiating)
			g.wantNothing()
			b.ue(g, 1, 6) // the ID is free
			b.sleep(2 * guard)
			b.guarded(1, 1, 0, 0) // who is answered is not released
		})
	}
}

// A gNB that never completes a release: the UE is forgotten after "timer release".
func TestReleaseWithoutComplete(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 5)
		a.last().send(1, release(ngap.UENGAPIDs{AMF: 5, RAN: 1, HasRAN: true}))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.sleep(n2.DefaultRelease - time.Second)
		b.guarded(1, 0, 0, 0)
		a.last().send(1, release(ngap.UENGAPIDs{AMF: 5, RAN: 1, HasRAN: true})) // once more: no more time for it
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.sleep(4 * time.Second)
		b.guarded(0, 0, 1, 0)
		g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 1)) // too late, and no fault
		g.wantNothing()
		a.last().wantNothing()
	})
}

// An AMF that never commands the release that a gNB asks for is told that the UE is
// gone, and the gNB gets its command. One that is busy with the UE has time.
func TestReleaseWithoutCommand(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 5)
		g.send(1, message(ngap.CodeUEContextReleaseRequest, ngap.Initiating, outer, 1))
		a.last().want(ngap.CodeUEContextReleaseRequest, ngap.Initiating)
		b.sleep(8 * time.Second)
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 5, 1, nas))
		g.want(ngap.CodeDownlinkNASTransport, ngap.Initiating)
		b.sleep(8 * time.Second)
		b.guarded(1, 0, 0, 0)
		b.sleep(6 * time.Second)
		p := a.last().want(ngap.CodeNGReset, ngap.Initiating)
		v, _ := p.Value(ngap.IEResetType)
		if all, list, err := ngap.ReadResetType(v, nil); err != nil || all || len(list) != 1 || list[0].AMF != 5 || list[0].RAN != 1 {
			t.Errorf("%v %v %v", all, list, err)
		}
		a.last().wantCause(p, ngap.CauseReleaseNGRANReason)
		a.last().send(0, simple(ngap.CodeNGReset, ngap.Successful))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.guarded(0, 0, 1, 0)
		a.last().wantNothing()
	})
}

// Handovers without end: a Handover Request without answer is answered in the gNB's
// place, a UE that does not arrive is asked back, a path that is not switched ends the
// UE at the gNB; the source's binding stays.
func TestHandoverWithoutEnd(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 5)
		x := a.from(1)
		request := simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 5)})
		x.send(1, request)
		h.want(ngap.CodeHandoverRequest, ngap.Initiating)
		b.sleep(n2.DefaultHandover - time.Second)
		x.wantNothing()
		b.sleep(5 * time.Second)
		x.wantCause(x.want(ngap.CodeHandoverRequest, ngap.Unsuccessful), ngap.CauseNGRelocPrepExpiry)
		h.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, outer, 60)) // too late
		h.want(ngap.CodeErrorIndication, ngap.Initiating)
		b.guarded(1, 0, 0, 1)

		x.send(1, request)
		h.want(ngap.CodeHandoverRequest, ngap.Initiating)
		h.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, outer, 61))
		x.wantIDs(ngap.CodeHandoverRequest, ngap.Successful, 5, 61)
		b.sleep(n2.DefaultHandover + 4*time.Second)
		x.wantCause(x.wantIDs(ngap.CodeUEContextReleaseRequest, ngap.Initiating, 5, 61), ngap.CauseNGRelocOverallExpiry)
		x.send(1, release(ngap.UENGAPIDs{AMF: 5, RAN: 61, HasRAN: true}))
		h.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		h.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 61))
		x.wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, 5, 61)
		b.guarded(1, 0, 0, 2)

		h.send(1, pathSwitch(outer, 62))
		x.want(ngap.CodePathSwitchRequest, ngap.Initiating)
		b.sleep(n2.DefaultHandover + 4*time.Second)
		h.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.guarded(1, 0, 0, 3)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 5, 1)
	})
}

// A handover and a path switch that end in time are left alone, and a UE that was let
// go of by its AMF and is to be released by the gNB's wish is released.
func TestGuardsEndWithTheirProcedure(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 5)
		x := a.from(1)
		x.send(1, simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 5)}))
		h.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, outer, 60))
		h.send(1, message(ngap.CodeHandoverNotify, ngap.Initiating, outer, 60))
		h.got, x.got = nil, nil
		b.sleep(5 * time.Minute)
		h.wantNothing()
		x.wantNothing()
		b.guarded(2, 0, 0, 0)
		a.from(0).send(1, message(ngap.CodeUETNLABindingReleaseRequest, ngap.Initiating, 5, 1))
		g.send(1, message(ngap.CodeUEContextReleaseRequest, ngap.Initiating, outer, 1))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.guarded(1, 0, 0, 0)
	})
}
