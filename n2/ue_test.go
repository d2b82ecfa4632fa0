package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// ue starts a UE and has the first AMF that gets it answer with its own ID.
func (b *bed) ue(g *peer, ran uint32, amfID uint64) (*amf, uint64) {
	b.Helper()
	g.send(1, initial(ran, nil))
	a := b.where()
	p := a.last()
	for _, q := range a.peers { // the association of this gNB
		if len(q.got) > 0 {
			p = q
		}
	}
	p.want(ngap.CodeInitialUEMessage, ngap.Initiating)
	p.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, amfID, ran, nas))
	pdu := g.want(ngap.CodeDownlinkNASTransport, ngap.Initiating)
	outer, _, err := pdu.AMFUENGAPID()
	if err != nil {
		b.Fatal(err)
	}
	return a, outer
}

// from is the association of a to the gNB with that number, from 0.
func (a *amf) from(gnb int) *peer { return a.peers[gnb] }

// Facts: N6-13, N6-14, N9-41
func TestUEGoesAndComesBack(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		if outer != uint64(a.id)<<32|1 {
			t.Errorf("the gNB sees %#x", outer)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		// Released: the AMF by both IDs, the gNB answers, and the IDs are free.
		a.last().send(1, release(ngap.UENGAPIDs{AMF: 1, RAN: 1, HasRAN: true}))
		p := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		v, _ := p.Value(ngap.IEUENGAPIDs)
		if i, err := ngap.ReadUENGAPIDs(v); err != nil || i.AMF != outer || i.RAN != 1 {
			t.Errorf("%+v %v", i, err)
		}
		g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, 1))
		a.last().wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, 1, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		a.last().wantNothing()
		b.ue(g, 1, 5)
	})
}

func release(i ngap.UENGAPIDs) []byte {
	var p ngap.PDU
	p.New(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
	p.Add(ngap.IEUENGAPIDs, ngap.Reject, i.Append(nil))
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, ngap.CauseNormalRelease))
	return p.Append(nil)
}

// A UE stays on one stream, which is not the one of what belongs to no UE.
// Facts: N2-03
func TestStreams(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0]
		used := map[uint16]bool{}
		for ran := uint32(1); ran <= 20; ran++ {
			g.send(1, initial(ran, nil))
			first := a.last().next()
			a.last().send(4, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(ran), ran, nas))
			if r := g.next(); r.stream != 1 {
				t.Errorf("the gNB began on stream 1 and was answered on %d", r.stream)
			}
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|uint64(ran), ran, nas))
			if next := a.last().next(); next.stream != first.stream || first.stream == 0 {
				t.Errorf("streams %d, then %d", first.stream, next.stream)
			}
			used[first.stream] = true
		}
		if len(used) < 5 {
			t.Errorf("only streams %v are used", used)
		}
	})
}

// A large AMF UE NGAP ID does not fit beside the member's number.
// Facts: N1-02, N6-18
func TestLargeID(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		for i, id := range []uint64{1<<32 - 1, 1 << 32, 1<<40 - 1, 1 << 39} {
			ran := uint32(i + 1)
			a, outer := b.ue(g, ran, id)
			if fits := id < 1<<32; fits != (outer>>32 == uint64(a.id)) || !fits && outer>>32 != 255 {
				t.Errorf("%#x became %#x", id, outer)
			}
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
			a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, id, ran)
		}
	})
}

// The second Initial UE Message with a RAN UE NGAP ID in use is refused, and the
// context that is there stays (10.4).
// Facts: N4-09
func TestDuplicateRANID(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		g.send(1, initial(1, nil))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	})
}

// No gNB touches another's UE, no AMF another AMF's.
// Facts: N6-11, N6-49, N8-09
func TestOwnership(t *testing.T) {
	other := func(c *n2.Config) {}
	run(t, 2, other, func(b *bed) {
		b.amfs[1].guamis[0].Set = 2 // not of one set: no takeover
		g, h := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 1)
		_ = a
		// The other gNB uses the IDs.
		h.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		e := h.want(ngap.CodeErrorIndication, ngap.Initiating)
		if id, _, _ := e.AMFUENGAPID(); id != outer {
			t.Errorf("the error names %#x", id)
		}
		// The same gNB with another AMF ID.
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer+1, 1, nas))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		// The other AMF answers, with IDs of its own.
		x := b.amfs[2-a.id]
		x.from(0).send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, nas))
		x.from(0).want(ngap.CodeErrorIndication, ngap.Initiating)
		x.from(0).send(1, release(ngap.UENGAPIDs{AMF: 1, RAN: 1, HasRAN: true}))
		x.from(0).want(ngap.CodeErrorIndication, ngap.Initiating)
		g.wantNothing()
		h.wantNothing()
		for _, a := range b.amfs {
			for _, p := range a.peers {
				p.wantNothing()
			}
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	})
}

// Another AMF of the set answers for the UE: it is bound there from now on.
// Facts: N6-10, N6-12
func TestAnotherAMFOfTheSetAnswers(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, _ := b.ue(g, 1, 1)
		x := b.amfs[2-a.id]
		x.last().send(1, message(ngap.CodeInitialContextSetupRequest, ngap.Initiating, 77, 1,
			ngap.IE{ID: ngap.IEOldAMF, Value: ngap.AppendName(nil, "amf-1")}))
		outer := uint64(x.id)<<32 | 77
		p := g.wantIDs(ngap.CodeInitialContextSetupRequest, ngap.Initiating, outer, 1)
		if p.Find(ngap.IEOldAMF) >= 0 {
			t.Error("the gNB is told of another AMF")
		}
		g.send(1, message(ngap.CodeInitialContextSetupRequest, ngap.Successful, outer, 1))
		x.last().wantIDs(ngap.CodeInitialContextSetupRequest, ngap.Successful, 77, 1)
	})
}

// What happens to the UEs of an AMF that is lost.
// Facts: N6-51, N6-52, N6-53, N6-54, N8-02
func TestAMFLost(t *testing.T) {
	for how := range n2.LossNames {
		t.Run(n2.LossNames[how], func(t *testing.T) {
			run(t, 2, func(c *n2.Config) { c.OnLoss = n2.OnLoss(how) }, func(b *bed) {
				g := b.up(7)
				outers := map[uint32]uint64{}
				lost := 0
				for ran := uint32(1); ran <= 300; ran++ {
					a, outer := b.ue(g, ran, uint64(ran))
					outers[ran] = outer
					if a.id == 1 {
						lost++
					}
				}
				b.amfs[0].listener.Close()
				b.amfs[0].last().assoc.Abort("killed")
				b.settle()
				switch n2.OnLoss(how) {
				case n2.LossRelease:
					if n := len(g.got); n == lost || n == 0 {
						t.Errorf("%d of %d released at once: not paced", n, lost)
					}
					b.sleep(time.Second)
					b.settle()
					for range lost {
						p := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
						v, _ := p.Value(ngap.IEUENGAPIDs)
						if i, err := ngap.ReadUENGAPIDs(v); err != nil || i.AMF != outers[i.RAN] || i.AMF>>32 != 1 {
							t.Fatalf("%+v %v", i, err)
						}
					}
				case n2.LossReset:
					p := g.want(ngap.CodeNGReset, ngap.Initiating)
					v, _ := p.Value(ngap.IEResetType)
					all, list, err := ngap.ReadResetType(v, nil)
					if err != nil || all || len(list) != lost {
						t.Errorf("%v, %d of %d, %v", all, len(list), lost, err)
					}
				case n2.LossRebind:
					b.rebinds(g, outers)
				}
				g.wantNothing()
				for ran, outer := range outers { // the others' go on
					if outer>>32 == 2 {
						g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
						b.amfs[1].last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, uint64(ran), ran)
						break
					}
				}
			})
		})
	}
}

// rebinds sends the uplink of a UE of the lost AMF 1: AMF 2 gets it as a new one.
func (b *bed) rebinds(g *peer, outers map[uint32]uint64) {
	b.Helper()
	for ran, outer := range outers {
		if outer>>32 != 1 {
			continue
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
		p := b.amfs[1].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		if v, ok := p.Value(ngap.IENASPDU); !ok || string(v) != string(nas.Value) {
			b.Errorf("the NAS message is %x", v)
		}
		b.amfs[1].last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 9999, ran, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 2<<32|9999, ran)
		return
	}
}

// An Initial UE Message that the lost AMF never answered is sent again to
// another.
// Facts: N6-55, N8-04
func TestSentAgain(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.send(1, initial(1, nil))
		a := b.where()
		a.listener.Close()
		a.last().assoc.Abort("killed")
		b.settle()
		x := b.amfs[2-a.id]
		if got := x.last().next().data; string(got) != string(initial(1, nil)) {
			t.Errorf("got %x", got)
		}
		x.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 3, 1, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(x.id)<<32|3, 1)
		g.wantNothing()
	})
}

// Each of many goes again as it came, and once: the room of one that is given up may be the
// next one's.
func TestManySentAgain(t *testing.T) {
	const ues = 20
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.send(1, initial(ues+1, nil))
		a := b.where()
		a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 3, ues+1, nas)) // its room is free then
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(a.id)<<32|3, ues+1)
		for ran := range uint32(ues) {
			g.send(1, initial(ran, nil))
		}
		b.settle()
		a.listener.Close()
		a.last().assoc.Abort("killed")
		b.settle()
		x, came := b.amfs[2-a.id], map[string]int{}
		for range ues {
			came[string(x.last().next().data)]++
		}
		for ran := range uint32(ues) {
			if n := came[string(initial(ran, nil))]; n != 1 {
				t.Errorf("Initial UE Message of UE %d came %d times as it was", ran, n)
			}
		}
	})
}

// The AMF lets go of a UE's association; the next uplink binds the UE anew, the
// gNB notices nothing (8.13.1).
// Facts: N6-57, N9-45
func TestTNLARelease(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		a.last().send(1, message(ngap.CodeUETNLABindingReleaseRequest, ngap.Initiating, 1, 1))
		g.wantNothing()
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
	})
}

// What the AMF can't serve it sends on: within the set that it names.
// Facts: N6-19, N6-20, N9-36
func TestReroute(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		b.amfs[2].guamis[0].Set = 5
		g := b.up(7)
		g.send(1, initial(1, nil))
		a := b.where()
		contained := a.last().next().data
		reroute := func(set uint16) []byte {
			var p ngap.PDU
			p.New(ngap.CodeRerouteNASRequest, ngap.Initiating)
			p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, 1))
			p.Add(ngap.IENGAPMessage, ngap.Reject, ngap.AppendOctets(nil, contained))
			p.Add(ngap.IEAMFSetID, ngap.Reject, ngap.AppendAMFSetID(nil, set))
			p.Add(ngap.IEAllowedNSSAI, ngap.Reject, ngap.AppendNSSAI(nil, []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: 3}}}))
			return p.Append(nil)
		}
		a.last().send(1, reroute(5))
		p := b.amfs[2].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		if v, _ := p.Value(ngap.IEAMFSetID); string(v) != string(ngap.AppendAMFSetID(nil, 5)) || p.Find(ngap.IEAllowedNSSAI) < 0 {
			t.Errorf("set %x", v)
		}
		b.amfs[2].last().send(1, reroute(9)) // nobody
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		for _, a := range b.amfs {
			a.last().wantNothing()
		}
	})
}

// The new AMF UE NGAP ID of a modification and the old one hold until the gNB has
// answered (8.3.4).
// Facts: N6-17
func TestNewAMFID(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, old := b.ue(g, 1, 1)
		a.last().send(1, message(ngap.CodeUEContextModificationRequest, ngap.Initiating, 1, 1,
			ngap.IE{ID: ngap.IENewAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 500)}))
		p := g.wantIDs(ngap.CodeUEContextModificationRequest, ngap.Initiating, old, 1)
		v, _ := p.Value(ngap.IENewAMFUENGAPID)
		if id, err := ngap.ReadAMFUENGAPID(v); err != nil || id != 1<<32|500 {
			t.Errorf("new ID %#x %v", id, err)
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, old, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		g.send(1, message(ngap.CodeUEContextModificationRequest, ngap.Successful, 1<<32|500, 1))
		a.last().wantIDs(ngap.CodeUEContextModificationRequest, ngap.Successful, 500, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 1<<32|500, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 500, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, old, 1, nas))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
	})
}
