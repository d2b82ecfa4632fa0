package n2_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// An AMF that comes, answers NG Setup and goes, again and again, is dialled ever
// more seldom.
func TestAMFComesAndGoes(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0]
		end := time.Now().Add(5 * time.Minute)
		for time.Now().Before(end) {
			if p := a.last(); p.down == nil && len(p.got) > 0 || len(a.peers) == 1 {
				p.assoc.Abort("again")
			}
			b.sleep(100 * time.Millisecond)
		}
		if n := len(a.peers); n > 30 {
			t.Errorf("%d associations in 5 minutes", n)
		}
		b.sleep(time.Minute)
		b.settle()
		if s := b.snapshot(); s.Pool.AMFs[0].Associations != 1 {
			t.Error("it is not used when it stays")
		}
		g.got = nil
		b.serves(g, 1)
	})
}

// An AMF that changes without end: every update is acknowledged, gNBs hear of the
// pool now and then and in the end of what it is, the other AMF's UEs are served.
func TestStormOfAMFUpdates(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		ran, outer := b.twoUEs(g)
		a := b.amfs[0].from(0)
		b.clear(g)
		before := heap()
		updates := 0
		answer := func() {
			for _, r := range g.got {
				updates++
				if err := g.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: simple(ngap.Code(r.data[1]), ngap.Successful)}); err != nil {
					t.Fatal(err)
				}
			}
			g.got = nil
		}
		began := time.Now()
		for i := range 2000 {
			var list []ngap.ServedGUAMI
			for k := range 256 {
				list = append(list, ngap.ServedGUAMI{GUAMI: ngap.GUAMI{PLMN: home, Region: uint8(i), Set: uint16(1 + k), Pointer: 1}})
			}
			u := simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating,
				ngap.IE{ID: ngap.IEAMFName, Value: ngap.AppendName(nil, fmt.Sprintf("amf-%d", i%3))},
				ngap.IE{ID: ngap.IEServedGUAMIList, Value: ngap.AppendServedGUAMIs(nil, list)},
				ngap.IE{ID: ngap.IERelativeAMFCapacity, Value: ngap.AppendCapacity(nil, uint8(i))})
			if a.press(1, u) != 1 {
				t.Fatal("not taken")
			}
			answer()
		}
		for _, r := range a.got {
			var p ngap.PDU
			if p.Walk(r.data) != nil || p.Code != ngap.CodeAMFConfigurationUpdate || p.Kind != ngap.Successful {
				t.Fatalf("it got %x", r.data)
			}
		}
		if len(a.got) != 2000 {
			t.Errorf("of 2000 updates %d were acknowledged", len(a.got))
		}
		most := 10 + int(time.Since(began)/time.Second) + 1
		if updates > most || updates < 5 {
			t.Errorf("the gNB heard %d times in %v, at most %d", updates, time.Since(began), most)
		}
		b.sleep(5 * time.Second)
		var last ngap.PDU
		for len(g.got) > 0 {
			if last.Walk(slices.Clone(g.got[len(g.got)-1].data)) != nil {
				t.Fatal("walk")
			}
			answer()
			b.sleep(5 * time.Second)
		}
		if v, ok := last.Value(ngap.IEServedGUAMIList); ok {
			list, err := ngap.ReadServedGUAMIs(v, nil)
			if want := uint8(1999 % 256); err != nil || !slices.ContainsFunc(list, func(s ngap.ServedGUAMI) bool { return s.GUAMI.Region == want }) {
				t.Errorf("in the end it has not heard of what is: %v", err)
			}
		}
		b.clear(g)
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%d octets are held", grown)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		b.amfs[1].from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
	})
}

// Overload Start and Stop without end, and a Start that is never stopped: the other
// AMF takes the new UEs.
func TestStormOfOverload(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].from(0)
		for i := range 1000 {
			a.press(1, overloadStart(uint8(1+i%99)))
			a.press(1, simple(ngap.CodeOverloadStop, ngap.Initiating))
		}
		a.press(1, overloadStart(0))
		b.sleep(24 * time.Hour)
		b.clear(g)
		if got := b.count(g, 1, 50, nobody); got[2] != 50 {
			t.Errorf("%v", got)
		}
		g.got = nil
	})
}

// An AMF that names UEs of another gNB, of another AMF, or that are not there,
// touches none of them.
func TestAMFNamesOthersUEs(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[0].guamis[0].Set = 2 // not of one set
		g, h := b.up(7), b.up(8)
		_, outer := b.ue(h, 1, 55)
		_, other := b.ue(h, 2, 56)
		b.clear(g, h)
		for i := range uint32(100) {
			for n := range b.amfs {
				p := b.amfs[n].from(0)
				for _, c := range []ngap.Code{ngap.CodeDownlinkNASTransport, ngap.CodeInitialContextSetupRequest, ngap.CodeUEContextModificationRequest,
					ngap.CodePDUSessionResourceSetupRequest, ngap.CodeUETNLABindingReleaseRequest, ngap.CodeHandoverCancel, ngap.CodeRerouteNASRequest} {
					p.press(1, message(c, ngap.Initiating, uint64(55+i%2), i, nas))
				}
				p.press(1, release(ngap.UENGAPIDs{AMF: 55}))
				p.press(1, release(ngap.UENGAPIDs{AMF: 56, RAN: 2, HasRAN: true}))
				p.press(1, reset([]ngap.Connection{{AMF: 55, HasAMF: true}, {AMF: 56, HasAMF: true}, {RAN: 1, HasRAN: true}, {RAN: 2, HasRAN: true}}))
			}
		}
		for n := range b.amfs {
			b.amfs[n].from(0).press(1, reset(nil))
		}
		for _, r := range g.got {
			var p ngap.PDU
			if p.Walk(r.data); p.Code != ngap.CodeNGReset {
				t.Fatalf("the gNB got %s", p.Name())
			}
		}
		h.wantNothing()
		b.clear(g)
		for ran, id := range map[uint32]uint64{1: outer, 2: other} {
			h.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, id, ran, nas))
			b.amfs[int(id>>32)-1].from(1).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 54+uint64(ran), ran)
		}
	})
}

// An AMF that calls all its UEs alike gets no more than a few of them found by
// that; others' UEs are served.
func TestOneIDForAllUEs(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		before := heap()
		for ran := range uint32(900) {
			g.press(1, initial(ran, nil))
		}
		for ran := range uint32(900) {
			b.amfs[0].from(0).press(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 5, ran, nas))
		}
		b.clear(g)
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%d octets are held", grown)
		}
		b.amfs[0].from(0).press(1, reset([]ngap.Connection{{AMF: 5, HasAMF: true}}))
		b.clear(g)
		b.sleep(3 * time.Second)
		for ran := uint32(2000); ; ran++ {
			g.send(1, initial(ran, nil))
			if p := b.amfs[1].from(0); len(p.got) > 0 {
				p.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 5, ran, nas))
				g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 2<<32|5, ran)
				break
			}
		}
		b.clear(g)
	})
}

// Handover Requests without end, the same and ever others, with IDs that need a
// place in the table of large ones: bounded, refused beyond, forgotten when nobody
// answers.
func TestFloodOfHandovers(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].from(0)
		request := func(id uint64) []byte {
			return simple(ngap.CodeHandoverRequest, ngap.Initiating, ngap.IE{ID: ngap.IEAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, id)})
		}
		before := heap()
		a.press(5000, request(1<<33))
		a.pour(5000, func(i int) []byte { return request(1<<34 + uint64(i)) })
		failures := 0
		for _, r := range a.got {
			var p ngap.PDU
			if p.Walk(r.data); p.Code == ngap.CodeHandoverRequest && p.Kind == ngap.Unsuccessful {
				failures++
			}
		}
		if failures < 900 {
			t.Errorf("%d were refused", failures)
		}
		b.clear(g)
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("%d octets are held", grown)
		}
		b.sleep(time.Minute)
		g.got = nil
		b.serves(g, 1)
		g.assoc.Abort("end")
		b.sleep(time.Second)
		for _, l := range b.gw.Leaks() {
			t.Errorf("left: %s", l)
		}
	})
}

// An AMF that takes another's name and GUAMIs gets new UEs as its share is, and
// none that is bound.
func TestAMFTakesAnothersName(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		ran, outer := b.twoUEs(g)
		b.clear(g)
		b.amfs[0].from(0).send(0, simple(ngap.CodeAMFConfigurationUpdate, ngap.Initiating,
			ngap.IE{ID: ngap.IEAMFName, Value: ngap.AppendName(nil, "amf-2")},
			ngap.IE{ID: ngap.IEServedGUAMIList, Value: ngap.AppendServedGUAMIs(nil, []ngap.ServedGUAMI{{GUAMI: b.amfs[1].guamis[0], Backup: []byte("amf-2")}})}))
		b.clear(g)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		b.amfs[1].from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
		s := &ngap.STMSI{Set: 1, Pointer: 2}
		if got := b.count(g, 100, 20, func(i int) *ngap.STMSI { s := *s; s.TMSI = uint32(i); return &s }); got[1] != 10 || got[2] != 10 {
			t.Errorf("%v", got)
		}
		g.got = nil
	})
}
