package n2_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// heap is the live heap in octets.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// clear forgets what peers got.
func (b *bed) clear(gnbs ...*peer) {
	for _, a := range b.amfs {
		for _, p := range a.peers {
			p.got = nil
		}
	}
	for _, g := range gnbs {
		g.got = nil
	}
}

// serves checks that a new UE of a gNB gets an AMF and can talk.
func (b *bed) serves(g *peer, ran uint32) {
	b.Helper()
	b.clear(g)
	a, outer := b.ue(g, ran, uint64(ran)+1<<20)
	g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
	for _, p := range a.peers {
		if len(p.got) > 0 {
			p.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran)+1<<20, ran)
		}
	}
}

// urgentUE is an Initial UE Message of an emergency.
func urgentUE(ran uint32) []byte {
	var p ngap.PDU
	if err := p.Walk(initial(ran, nil)); err != nil {
		panic(err)
	}
	p.Replace(ngap.IERRCEstablishmentCause, ngap.Ignore, ngap.AppendEstablishment(nil, ngap.EstablishmentEmergency))
	return p.Append(nil)
}

// A gNB that floods Initial UE Messages gets what it may have in a second and at
// all; each one more is released and counted, emergencies are not held up, another
// gNB's UEs are served.
func TestFloodOfNewUEs(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.Limits.NewUEs, c.Limits.UEsPerGNB, c.InitialGuard = 100, 350, time.Hour }, func(b *bed) {
		g, other := b.up(7), b.up(8)
		sent := 0
		flood := func(n int) {
			g.pour(n, func(int) []byte {
				sent++
				return initial(uint32(sent), nil)
			})
		}
		began := time.Now()
		flood(3000)
		allowed := int64(100 + 100*time.Since(began).Seconds() + 1)
		s := b.snapshot()
		if s.UEs > min(allowed, 350) || s.UEs < 100 || s.Counts.LimitedNewUEs == 0 {
			t.Errorf("in %v %d UEs began: %+v", time.Since(began), s.UEs, s.Counts)
		}
		b.serves(other, 1)
		b.sleep(time.Minute)
		b.clear(g)
		flood(2000)
		s = b.snapshot()
		if s.UEs > 351 || s.UEs < 190 {
			t.Errorf("%d UEs: %+v", s.UEs, s.Counts)
		}
		for range 5 {
			b.sleep(10 * time.Second)
			flood(2000)
		}
		b.sleep(time.Minute)
		b.clear(g)
		if s = b.snapshot(); s.UEs != 351 || s.Counts.LimitedPerGNB == 0 {
			t.Errorf("%d UEs: %+v", s.UEs, s.Counts)
		}
		g.send(1, initial(99999, nil))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		b.serves(other, 2)
		s = b.snapshot()
		if refused := s.Counts.LimitedNewUEs + s.Counts.LimitedPerGNB; s.Conservation.Dropped["limit"] != refused {
			t.Errorf("%d refused, %v dropped", refused, s.Conservation.Dropped)
		}
		g.got = nil
	})
}

func TestEmergencyInAFlood(t *testing.T) {
	run(t, 1, func(c *n2.Config) { c.Limits.NewUEs = 1 }, func(b *bed) {
		g := b.up(7)
		for ran := range uint32(10) {
			g.press(1, initial(ran, nil))
		}
		b.clear(g)
		g.send(1, initial(100, nil))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		g.send(1, urgentUE(101))
		b.amfs[0].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
	})
}

// Long Initial UE Messages that no AMF answers are not all kept for a second try.
func TestLongFirstMessages(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		before := heap()
		for ran := range uint32(300) {
			var p ngap.PDU
			if p.Walk(initial(ran, nil)) != nil {
				t.Fatal("walk")
			}
			p.Replace(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, make([]byte, 60000)))
			if g.press(1, p.Append(nil)) != 1 {
				t.Fatal("not taken")
			}
			b.clear(g)
		}
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("300 messages of 60,000 octets hold %d octets", grown)
		}
		if s := b.snapshot(); s.UEs != 300 {
			t.Errorf("%d UEs", s.UEs)
		}
	})
}

// NG Setups without end on one association reach the AMFs a few times, then once a
// second.
func TestSetupsWithoutEnd(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, other := b.up(7), b.up(8)
		a, began := len(b.amfs[0].peers), time.Now()
		for range 200 {
			g.press(1, setupOf(7))
			b.sleep(50 * time.Millisecond)
		}
		most := 5 + int(time.Since(began)/time.Second) + 1
		b.sleep(2 * time.Second)
		if n := len(b.amfs[0].peers) - a; n > most || n < 5 {
			t.Errorf("an AMF had %d associations more, at most %d", n, most)
		}
		if s := b.snapshot(); s.Conservation.Dropped["limit"] == 0 {
			t.Errorf("%+v", s.Conservation)
		}
		b.serves(other, 1)
		g.got = nil
		g.send(0, setupOf(7))
		b.sleep(time.Second)
		b.settle()
		g.want(ngap.CodeNGSetupRequest, ngap.Successful)
	})
}

// storm associates from one address, sends an NG Setup and goes, n times.
func (b *bed) storm(n, host int) (accepted int) {
	for i := range n {
		a, err := b.net.Dial(context.Background(), sctp.At(0, address(2, host)), sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
		if err != nil {
			b.Fatal(err)
		}
		p := b.newPeer("storm", a, nil)
		p.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: setupOf(uint32(1000 + i%3))})
		b.settle()
		if p.down == nil {
			accepted++
		}
		p.assoc.Abort("storm")
		b.settle()
	}
	return accepted
}

// Associations that come, set up and go in a loop are refused after a while, so
// that AMFs don't have them all; other gNBs are served, and the address itself is
// once it is calm.
func TestAssociationStorm(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		other := b.up(7)
		before := heap()
		accepted := b.storm(1000, 200)
		if accepted < 60 || accepted > 64+40 {
			t.Errorf("of 1000 associations %d were accepted", accepted)
		}
		s := b.snapshot()
		if s.Counts.Storms == 0 || len(s.GNBs) > 2 || len(b.amfs[0].peers) > 110 {
			t.Errorf("%d gNBs, %d associations to an AMF, %+v", len(s.GNBs), len(b.amfs[0].peers), s.Counts)
		}
		b.serves(other, 1)
		b.sleep(time.Minute)
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%d octets are held", grown)
		}
		if n := b.storm(1, 200); n != 1 {
			t.Error("still refused after a calm minute")
		}
	})
}

// When there are as many gNBs as may be, associations without NG Setup give way;
// gNBs don't.
func TestIdleAssociationsGiveWay(t *testing.T) {
	run(t, 1, func(c *n2.Config) { c.Limits.GNBs = 10 }, func(b *bed) {
		g := b.up(7)
		var idle []*peer
		for range 9 {
			idle = append(idle, b.associate())
		}
		b.settle()
		early := b.associate()
		b.settle()
		if early.down == nil {
			t.Error("there was room for one more")
		}
		b.sleep(3 * time.Second)
		h := b.up(8)
		gone := 0
		for _, p := range idle {
			if p.down != nil {
				gone++
			}
		}
		if gone != 1 || idle[0].down == nil {
			t.Errorf("%d gave way", gone)
		}
		for i := range 8 {
			b.up(uint32(10 + i))
		}
		last := b.associate()
		b.sleep(3 * time.Second)
		if g.down != nil || h.down != nil || last.down == nil {
			t.Errorf("gNBs gave way: %v %v, or an association too many did not: %v", g.down, h.down, last.down)
		}
		b.serves(g, 1)
	})
}

// What an association may add to its NG Setup Request, and how many updates may
// wait, is bounded.
func TestUpdatesWithoutEnd(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		before := heap()
		refused := 0
		for i := range 40 {
			var p ngap.PDU
			p.New(ngap.CodeRANConfigurationUpdate, ngap.Initiating)
			p.Add(ngap.IEID(1000+i), ngap.Ignore, make([]byte, 10000))
			g.send(0, p.Append(nil))
			b.sleep(10 * time.Second)
			for len(g.got) > 0 {
				if g.want(ngap.CodeRANConfigurationUpdate, ngap.Kind(g.got[0].data[0]>>5)).Kind == ngap.Unsuccessful {
					refused++
				}
			}
			b.clear(g)
		}
		if refused < 25 {
			t.Errorf("of 40 updates of 10,000 octets that add up %d were refused", refused)
		}
		p := simple(ngap.CodeRANConfigurationUpdate, ngap.Initiating)
		for range 3000 {
			g.press(1, p)
			b.clear()
		}
		failed := len(g.got)
		if failed < 2900 {
			t.Errorf("of 3000 updates that wait for one AMF's answer %d were refused", failed)
		}
		g.got = nil
		if grown := heap() - before; grown > 4<<20 {
			t.Errorf("%d octets are held", grown)
		}
		b.sleep(10 * time.Second)
		g.got = nil
		b.serves(g, 1)
	})
}
