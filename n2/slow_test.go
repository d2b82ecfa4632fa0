package n2_test

import (
	"errors"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// long is an Uplink or Downlink NAS Transport of some 8,000 octets.
func long(c ngap.Code, amf uint64, ran uint32) []byte {
	return message(c, ngap.Initiating, amf, ran, ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, make([]byte, 8000))})
}

// press sends data until the association takes no more, at most n times, and
// returns how often it was taken.
func (p *peer) press(n int, data []byte) int {
	return p.pour(n, func(int) []byte { return data })
}

// pour sends ever other data so.
func (p *peer) pour(n int, make func(i int) []byte) int {
	for i := range n {
		data := make(i)
		for tries := 0; ; tries++ {
			err := p.assoc.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: data})
			if err == nil {
				break
			}
			if !errors.Is(err, sctp.ErrFull) || tries == 20 {
				return i
			}
			p.b.settle()
		}
	}
	p.b.settle()
	return n
}

// twoUEs are UEs of one gNB on AMFs 1 and 2.
func (b *bed) twoUEs(g *peer) (ran [3]uint32, outer [3]uint64) {
	b.Helper()
	for n := uint32(1); ran[1] == 0 || ran[2] == 0; n++ {
		a, id := b.ue(g, n, uint64(n))
		ran[a.id], outer[a.id] = n, id
	}
	return ran, outer
}

// queuedMost is the most that may stand in the queue of one link.
const queuedMost = 5 << 20

// An AMF that does not read disturbs nobody else's UEs: what its UEs send waits up
// to a bound, new UEs go elsewhere, then its UEs are released, each counted, none
// silently; in the end its association falls.
func TestSlowAMF(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, other := b.up(7), b.up(8)
		ran, outer := b.twoUEs(g)
		a := b.amfs[0].from(0)
		a.deaf()
		sent := g.press(200, long(ngap.CodeUplinkNASTransport, outer[1], ran[1]))
		if s := b.snapshot(); sent != 200 || s.Counts.QueuedOctets < 1<<20 || s.Counts.QueuedOctets > queuedMost {
			t.Fatalf("of %d, %d octets stand", sent, s.Counts.QueuedOctets)
		}
		got := b.count(g, 100, 20, nobody)
		if got[2] != 20 {
			t.Errorf("new UEs went to %v: AMF 1 does not read", got)
		}
		for ; ; sent++ {
			if s := b.snapshot(); s.Counts.Congested > 0 || sent > 2000 {
				break
			}
			g.press(1, long(ngap.CodeUplinkNASTransport, outer[1], ran[1]))
		}
		s := b.snapshot()
		if s.Counts.Congested != 1 || s.Conservation.Dropped["queue_full"] != 1 || s.Counts.QueuedOctets > queuedMost {
			t.Errorf("%+v %+v", s.Counts, s.Conservation)
		}
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		b.amfs[1].from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
		other.send(1, initial(1, nil))
		if b.where().last().want(ngap.CodeInitialUEMessage, ngap.Initiating) == nil {
			t.Error("another gNB's UE went nowhere")
		}
		g.got = nil
		b.sleep(time.Minute)
		b.settle()
		if s := b.snapshot(); s.Counts.Stalled != 1 || s.Counts.QueuedOctets != 0 || s.Conservation.Queued != 0 {
			t.Errorf("%+v", s.Counts)
		}
		g.got = nil
	})
}

// An AMF that reads again in time gets everything, in order.
func TestAMFReadsAgain(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		hear := a.last().deaf()
		for i := range 300 {
			data := message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1,
				ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, append(make([]byte, 2000), byte(i>>8), byte(i)))})
			if g.press(1, data) != 1 {
				t.Fatal(i)
			}
		}
		b.sleep(25 * time.Second)
		hear()
		b.sleep(time.Second)
		if s := b.snapshot(); s.Counts.QueuedOctets != 0 || s.Counts.Stalled != 0 || len(s.Conservation.Dropped) != 0 {
			t.Errorf("%+v %+v", s.Counts, s.Conservation)
		}
		for i := range 300 {
			v, _ := a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1).Value(ngap.IENASPDU)
			if n, err := ngap.ReadOctets(v); err != nil || int(n[2000])<<8|int(n[2001]) != i {
				t.Fatalf("message %d is another: %v", i, err)
			}
		}
	})
}

// A gNB that does not read makes its AMFs wait, on its own associations alone; it
// gets no new UEs and no paging; nothing of its UEs is lost until its association
// falls.
func TestSlowGNB(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, other := b.up(7), b.up(8)
		ran, _ := b.twoUEs(g)
		_, outer := b.ue(other, 1, 77)
		hear := g.deaf()
		a := b.amfs[0].from(0)
		data := long(ngap.CodeDownlinkNASTransport, uint64(ran[1]), ran[1])
		sent := a.press(10000, data)
		s := b.snapshot()
		if sent == 10000 || s.Counts.QueuedOctets < 1<<20 || s.Counts.QueuedOctets > 1<<20+2*9000 || len(s.Conservation.Dropped) != 0 {
			t.Errorf("%d PDUs went on, %d octets stand, dropped %v", sent, s.Counts.QueuedOctets, s.Conservation.Dropped)
		}
		if n := a.press(10000, data); n != 0 {
			t.Errorf("%d more went on", n)
		}
		g.send(1, initial(99, nil))
		if s := b.snapshot(); s.Counts.LimitedSlow != 1 {
			t.Errorf("a new UE: %+v", s.Counts)
		}
		other.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		for _, m := range b.amfs {
			for _, p := range m.peers {
				for _, r := range p.got {
					var pdu ngap.PDU
					pdu.Walk(r.data)
					if id, _, _ := pdu.AMFUENGAPID(); id != 77 {
						t.Errorf("AMF %d got %s of %d", m.id, pdu.Name(), id)
					}
				}
				p.got = nil
			}
		}
		hear()
		b.sleep(5 * time.Second)
		releases := 0
		for _, r := range g.got {
			var pdu ngap.PDU
			if pdu.Walk(r.data); pdu.Code == ngap.CodeUEContextReleaseCommand {
				releases++
			}
		}
		if len(g.got) != sent+releases || releases != 1 {
			t.Errorf("of %d PDUs and the release of a UE that was refused it got %d", sent, len(g.got))
		}
		if s := b.snapshot(); s.Counts.Stalled != 0 || s.Counts.QueuedOctets != 0 || len(s.Conservation.Dropped) != 1 {
			t.Errorf("%+v %v", s.Counts, s.Conservation.Dropped)
		}
		g.got = nil

		g.deaf()
		a.press(10000, data)
		b.sleep(time.Minute)
		b.settle()
		s = b.snapshot()
		if len(s.GNBs) != 1 || s.Counts.Stalled != 1 || s.Counts.QueuedOctets != 0 || s.Conservation.Balance() != 0 {
			t.Errorf("%d gNBs, %+v %+v", len(s.GNBs), s.Counts, s.Conservation)
		}
		other.wantNothing()
	})
}

// paging is a Paging in the tracking area of every gNB here, as TestPagingIsTargeted
// has it.
func paging() []byte {
	return simple(ngap.CodePaging, ngap.Initiating, ngap.IE{ID: ngap.IETAIListForPaging, Criticality: ngap.Ignore, Value: unhex("0000f110000001")})
}

// Paging gives way first: a flood of it from one AMF does not keep another AMF's
// UEs of that gNB waiting.
func TestPagingFlood(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		ran, outer := b.twoUEs(g)
		hear := g.deaf()
		page := paging()
		flooder, a := b.amfs[0].from(0), b.amfs[1].from(0)
		if n := flooder.press(20000, page); n != 20000 {
			t.Fatalf("the flood ended after %d", n)
		}
		s := b.snapshot()
		if s.Counts.QueuedOctets > 300<<10 || s.Conservation.Dropped["queue_full"] == 0 || s.Counts.Congested != 0 {
			t.Errorf("%+v %+v", s.Counts, s.Conservation.Dropped)
		}
		for range 10 {
			a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2], nas))
		}
		hear()
		b.sleep(5 * time.Second)
		n := 0
		for _, r := range g.got {
			var pdu ngap.PDU
			if pdu.Walk(r.data); pdu.Code == ngap.CodeDownlinkNASTransport {
				n++
			}
		}
		if n != 10 {
			t.Errorf("of 10 PDUs of the other AMF's UE %d came", n)
		}
		g.got = nil
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer[2], ran[2], nas))
		a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran[2]), ran[2])
	})
}

// All queues together have a bound; a link that has little in its own is not kept
// from it by others that have much.
func TestQueuesTogether(t *testing.T) {
	run(t, 1, func(c *n2.Config) { c.Limits.Queue = 512 }, func(b *bed) {
		var outers [5]uint64
		var gnbs [5]*peer
		for i := range gnbs {
			gnbs[i] = b.up(uint32(7 + i))
		}
		for i, g := range gnbs {
			g.send(1, initial(1, nil))
			p := b.amfs[0].from(i)
			p.want(ngap.CodeInitialUEMessage, ngap.Initiating)
			p.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(100+i), 1, nas))
			outers[i], _, _ = g.want(ngap.CodeDownlinkNASTransport, ngap.Initiating).AMFUENGAPID()
			p.deaf()
		}
		for i, g := range gnbs[:4] {
			g.press(200, long(ngap.CodeUplinkNASTransport, outers[i], 1))
		}
		s := b.snapshot()
		if s.Counts.QueuedOctets > 512<<10+4*(16<<10) || s.Counts.QueueFull == 0 || s.Counts.Congested == 0 {
			t.Errorf("%+v", s.Counts)
		}
		released := s.Counts.Congested
		gnbs[4].press(33, long(ngap.CodeUplinkNASTransport, outers[4], 1))
		if s := b.snapshot(); s.Counts.Congested != released {
			t.Errorf("a UE whose AMF has hardly anything in its queue was released: %+v", s.Counts)
		}
		b.sleep(time.Minute)
		for _, g := range gnbs {
			g.got = nil
		}
		if s := b.snapshot(); s.Counts.QueuedOctets != 0 {
			t.Errorf("%+v", s.Counts)
		}
	})
}
