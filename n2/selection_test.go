package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// count starts UEs and says how many each AMF got.
func (b *bed) count(g *peer, first, n int, s func(i int) *ngap.STMSI) map[int]int {
	b.Helper()
	for i := range n {
		g.send(1, initial(uint32(first+i), s(i)))
	}
	got := make(map[int]int)
	for _, a := range b.amfs {
		for _, p := range a.peers {
			for _, r := range p.got {
				var pdu ngap.PDU
				if pdu.Walk(r.data) == nil && pdu.Code == ngap.CodeInitialUEMessage {
					got[a.id]++
				}
			}
			p.got = nil
		}
	}
	return got
}

func nobody(int) *ngap.STMSI { return nil }

// With capacities 100, 100 and 50 a thousand new UEs are spread 400, 400, 200,
// exact to one.
// Facts: N1-10, N9-15
func TestNewUEsByCapacity(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		b.amfs[2].capacity = 50
		g := b.up(7)
		got := b.count(g, 1, 1000, nobody)
		for id, want := range map[int]int{1: 400, 2: 400, 3: 200} {
			if d := got[id] - want; d < -1 || d > 1 {
				t.Errorf("AMF %d has %d UEs, want %d", id, got[id], want)
			}
		}
	})
}

// A returning UE goes to the owner of its 5G-S-TMSI, drained or not; within
// another PLMN the same Set and Pointer are nobody's.
// Facts: N9-15
func TestReturningUE(t *testing.T) {
	drained := func(c *n2.Config) { c.AMFs[1].AllowAttach = false }
	run(t, 3, drained, func(b *bed) {
		g := b.up(7)
		for id := 1; id <= 3; id++ {
			got := b.count(g, 100*id, 10, func(i int) *ngap.STMSI {
				return &ngap.STMSI{Set: 1, Pointer: uint8(id), TMSI: uint32(i * 7919)}
			})
			if got[id] != 10 {
				t.Errorf("of 10 UEs of AMF %d it got %v", id, got)
			}
		}
		if got := b.count(g, 1000, 100, nobody); got[2] != 0 || got[1] != 50 || got[3] != 50 {
			t.Errorf("AMF 2 is drained; new UEs went to %v", got)
		}
	})
}

// A UE that is on its way is not moved by what the 5G-S-TMSI does not say: the
// second try goes where the first went.
func TestPinned(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		s := func(int) *ngap.STMSI { return &ngap.STMSI{Set: 9, Pointer: 9, TMSI: 42} }
		first := b.count(g, 1, 1, s)
		again := b.count(g, 2, 20, s)
		for id := range first {
			if again[id] != 20 {
				t.Errorf("first %v, then %v", first, again)
			}
		}
		b.sleep(76 * time.Second)
		for id := range b.count(g, 100, 1, s) {
			if first[id] != 0 {
				t.Errorf("the pin has no end: AMF %d again", id)
			}
		}
	})
}

// A Registration or Service Reject with cause 9 or 10 means that the owner, here a
// drained one, does not know the UE: its next try is a new UE's.
// Facts: N6-01, N6-02
func TestStaleIdentity(t *testing.T) {
	for _, c := range []struct {
		nas   string
		stale bool
	}{{"7e004d09", true}, {"7e00440a", true}, {"7e00440b", false}, {"7e005609", false}} {
		run(t, 2, func(c *n2.Config) { c.AMFs[0].AllowAttach = false }, func(b *bed) {
			g := b.up(7)
			s := func(int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: 4711} }
			g.send(1, initial(1, s(0)))
			b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
			b.amfs[0].last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1,
				ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, unhex(c.nas))}))
			want := 1
			if c.stale {
				want = 2
			}
			if got := b.count(g, 2, 20, s); got[want] != 20 {
				t.Errorf("after NAS %s UEs went to %v", c.nas, got)
			}
			b.sleep(76 * time.Second)
			if got := b.count(g, 50, 10, s); got[1] != 10 {
				t.Errorf("after a minute UEs went to %v", got)
			}
			g.got = nil
		})
	}
}

// Nobody is left: the UE is released with an ID of the gateway's own. An
// emergency is served by a drained AMF.
// Facts: N6-56
func TestNobodyLeft(t *testing.T) {
	drained := func(c *n2.Config) { c.AMFs[0].AllowAttach = false }
	run(t, 1, drained, func(b *bed) {
		g := b.up(7)
		g.send(3, initial(5, nil))
		p := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		v, _ := p.Value(ngap.IEUENGAPIDs)
		i, err := ngap.ReadUENGAPIDs(v)
		if err != nil || !i.HasRAN || i.RAN != 5 {
			t.Errorf("%+v %v", i, err)
		}
		b.amfs[0].last().wantNothing()
		g.send(3, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, i.AMF, 5))
		g.wantNothing()

		var e ngap.PDU
		if e.Walk(initial(6, nil)) != nil {
			t.Fatal("walk")
		}
		e.Replace(ngap.IERRCEstablishmentCause, ngap.Ignore, ngap.AppendEstablishment(nil, ngap.EstablishmentEmergency))
		g.send(3, e.Append(nil))
		b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
	})
}

// An overloaded AMF gets the share that it asks for, or no ordinary new UE.
// Facts: N4-03, N4-06, N7-04, N9-22, N9-23
func TestOverload(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		b.amfs[0].last().send(0, overloadStart(80))
		if got := b.count(g, 1, 120, nobody); got[1] != 20 || got[2] != 100 {
			t.Errorf("with 80 %% less at AMF 1: %v", got)
		}
		b.amfs[0].last().send(0, overloadStart(0))
		if got := b.count(g, 1000, 100, nobody); got[1] != 0 {
			t.Errorf("AMF 1 takes no new UEs: %v", got)
		}
		b.amfs[0].last().send(0, new(ngap.PDU).New(ngap.CodeOverloadStop, ngap.Initiating).Append(nil))
		if got := b.count(g, 2000, 100, nobody); got[1] != 50 {
			t.Errorf("after Overload Stop: %v", got)
		}
		g.wantNothing()
	})
}

func overloadStart(percent uint8) []byte {
	var p ngap.PDU
	p.New(ngap.CodeOverloadStart, ngap.Initiating)
	p.Add(ngap.IEAMFOverloadResponse, ngap.Reject, ngap.AppendOverloadResponse(nil, ngap.RejectSignalling))
	if percent > 0 {
		p.Add(ngap.IEAMFTrafficLoadReductionIndication, ngap.Ignore, ngap.AppendLoadReduction(nil, percent))
	}
	return p.Append(nil)
}

// "no pool affinity": every UE is new.
func TestNoAffinity(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.NoAffinity = true }, func(b *bed) {
		g := b.up(7)
		got := b.count(g, 1, 10, func(i int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: uint32(i)} })
		if got[1] != 5 {
			t.Errorf("%v", got)
		}
	})
}

// A GUAMI that its AMF calls unavailable has no owner: its UEs go to the backup
// that is named (TS 23.501 5.21.2), until it is announced again.
// Facts: N1-13, N4-06, N7-04, N9-01
func TestUnavailableGUAMI(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		owned := func(i int) *ngap.STMSI { return &ngap.STMSI{Set: 1, Pointer: 1, TMSI: uint32(i)} }
		b.amfs[0].last().send(0, simple(ngap.CodeAMFStatusIndication, ngap.Initiating, ngap.IE{ID: ngap.IEUnavailableGUAMIList,
			Value: ngap.AppendUnavailableGUAMIs(nil, []ngap.UnavailableGUAMI{{GUAMI: b.amfs[0].guamis[0], Backup: []byte("amf-3")}})}))
		if got := b.count(g, 1, 12, owned); got[3] != 12 {
			t.Errorf("UEs of the unavailable GUAMI went to %v", got)
		}
		var u ngap.PDU
		u.New(ngap.CodeAMFConfigurationUpdate, ngap.Initiating)
		u.Add(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil, []ngap.ServedGUAMI{{GUAMI: b.amfs[0].guamis[0]}}))
		b.amfs[0].last().send(0, u.Append(nil))
		b.amfs[0].last().want(ngap.CodeAMFConfigurationUpdate, ngap.Successful)
		if got := b.count(g, 100, 12, owned); got[1] != 12 {
			t.Errorf("announced again: %v", got)
		}
		g.wantNothing()
	})
}
