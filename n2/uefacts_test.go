package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
)

// Who may answer for a UE that another AMF has: as long as that one has not
// answered, any; later one of the same set, or one that says whose it was.
// Facts: N6-09, N6-10, N6-11
func TestWhoMayTakeAUEOver(t *testing.T) {
	oldAMF := ngap.IE{ID: ngap.IEOldAMF, Criticality: ngap.Reject, Value: ngap.AppendName(nil, "amf")}
	for _, c := range []struct {
		what               string
		answered, set, old bool
		may                bool
	}{
		{"not answered yet", false, false, false, true},
		{"answered", true, false, false, false},
		{"answered, of one set", true, true, false, true},
		{"answered, Old AMF", true, false, true, true},
	} {
		for _, code := range []ngap.Code{ngap.CodeDownlinkNASTransport, ngap.CodeInitialContextSetupRequest} {
			t.Run(c.what+" "+code.String(), func(t *testing.T) {
				run(t, 2, nil, func(b *bed) {
					if !c.set {
						b.amfs[1].guamis[0].Set = 2
					}
					g := b.up(7)
					g.send(1, initial(1, nil))
					a := b.where()
					x := b.amfs[2-a.id].last()
					a.last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
					if c.answered {
						a.last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 5, 1, nas))
						g.want(ngap.CodeDownlinkNASTransport, ngap.Initiating)
					}
					more := []ngap.IE{nas}
					if c.old {
						more = append(more, oldAMF)
					}
					x.send(1, message(code, ngap.Initiating, 77, 1, more...))
					if !c.may {
						x.want(ngap.CodeErrorIndication, ngap.Initiating)
						g.wantNothing()
						return
					}
					outer := uint64(3-a.id)<<32 | 77
					if g.wantIDs(code, ngap.Initiating, outer, 1).Find(ngap.IEOldAMF) >= 0 {
						t.Error("the gNB is told of the old AMF")
					}
					g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
					x.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 77, 1)
					a.last().wantNothing()
				})
			})
		}
	}
}

// A rerouted message goes with what the AMF adds to it, the rest as it was.
// Facts: N6-19
func TestRerouteCarriesWhatTheAMFAdds(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.amfs[1].guamis[0].Set = 5
		g := b.up(7)
		g.send(1, first(1, func(p *ngap.PDU) { p.Add(ngap.IEAMFSetID, ngap.Ignore, ngap.AppendAMFSetID(nil, 1)) }))
		a := b.amfs[0].last()
		contained := a.next().data
		info := []byte("not looked into")
		a.send(1, simple(ngap.CodeRerouteNASRequest, ngap.Initiating,
			ngap.IE{ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, 1)}, ngap.IE{ID: ngap.IENGAPMessage, Value: ngap.AppendOctets(nil, contained)},
			ngap.IE{ID: ngap.IEAMFSetID, Value: ngap.AppendAMFSetID(nil, 5)}, ngap.IE{ID: ngap.IESourceToTargetAMFInformationReroute, Value: info}))
		p := b.amfs[1].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		if v, _ := p.Value(ngap.IESourceToTargetAMFInformationReroute); string(v) != string(info) {
			t.Errorf("information %x", v)
		}
		if v, _ := p.Value(ngap.IEAMFSetID); string(v) != string(ngap.AppendAMFSetID(nil, 5)) {
			t.Errorf("set %x", v)
		}
		var was ngap.PDU
		if was.Walk(contained) != nil {
			t.Fatal("walk")
		}
		for _, ie := range was.IEs {
			if v, ok := p.Value(ie.ID); ie.ID != ngap.IEAMFSetID && (!ok || string(v) != string(ie.Value)) {
				t.Errorf("%s is %x, was %x", ie.ID, v, ie.Value)
			}
		}
		b.amfs[1].last().send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 4, 1, nas))
		g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 2<<32|4, 1)
		a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, 1, 1, nas)) // the UE is another's now
		a.want(ngap.CodeErrorIndication, ngap.Initiating)
		if s := b.snapshot(); s.AMF(1).Bound != 0 || s.AMF(2).Bound != 1 {
			t.Errorf("bound %d and %d", s.AMF(1).Bound, s.AMF(2).Bound)
		}
	})
}

// New GUAMI beside a new AMF UE NGAP ID is the gNB's: it goes on as it is.
// Facts: N6-17
func TestNewGUAMIGoesOn(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a, old := b.ue(g, 1, 1)
		guami := ngap.AppendGUAMI(nil, ngap.GUAMI{PLMN: home, Region: 1, Set: 1, Pointer: 9})
		a.last().send(1, message(ngap.CodeUEContextModificationRequest, ngap.Initiating, 1, 1, ngap.IE{ID: ngap.IENewGUAMI, Value: guami},
			ngap.IE{ID: ngap.IENewAMFUENGAPID, Value: ngap.AppendAMFUENGAPID(nil, 500)}))
		p := g.wantIDs(ngap.CodeUEContextModificationRequest, ngap.Initiating, old, 1)
		if v, _ := p.Value(ngap.IENewGUAMI); string(v) != string(guami) {
			t.Errorf("New GUAMI %x", v)
		}
	})
}

// A UE that came by another gateway with the same numbers of AMFs: nothing here
// knows it but the number in its ID.
// Facts: N6-26
func TestPathSwitchFromAnotherGateway(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		for id := uint64(1); id <= 2; id++ {
			g.send(1, pathSwitch(id<<32|4711, uint32(id)))
			a := b.amfs[id-1].last()
			v, _ := a.want(ngap.CodePathSwitchRequest, ngap.Initiating).Value(ngap.IESourceAMFUENGAPID)
			if own, err := ngap.ReadAMFUENGAPID(v); err != nil || own != 4711 {
				t.Errorf("source ID %d %v", own, err)
			}
			a.send(1, message(ngap.CodePathSwitchRequest, ngap.Successful, 4711, uint32(id)))
			g.wantIDs(ngap.CodePathSwitchRequest, ngap.Successful, id<<32|4711, uint32(id))
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, id<<32|4711, uint32(id), nas))
			a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 4711, uint32(id))
		}
	})
}

// A UE whose relocation a gNB tells is bound like a new one, to the owner of its
// 5G-S-TMSI; what retrieves a UE goes there too, and binds nothing.
// Facts: N6-66, N9-55, N9-57
func TestRelocationGoesByTheTMSI(t *testing.T) {
	run(t, 3, func(c *n2.Config) { c.AMFs[1].AllowAttach = false }, func(b *bed) {
		g := b.up(7)
		tmsi := ngap.IE{ID: ngap.IEFiveGSTMSI, Value: ngap.AppendSTMSI(nil, ngap.STMSI{Set: 1, Pointer: 2, TMSI: 42})}
		a := b.amfs[1].last()
		g.send(1, simple(ngap.CodeRetrieveUEInformation, ngap.Initiating, tmsi))
		a.want(ngap.CodeRetrieveUEInformation, ngap.Initiating)
		if s := b.snapshot(); s.UEs != 0 {
			t.Errorf("%d UEs", s.UEs)
		}
		g.send(1, simple(ngap.CodeRANCPRelocationIndication, ngap.Initiating, ngap.IE{ID: ngap.IERANUENGAPID, Value: ngap.AppendRANUENGAPID(nil, 1)}, tmsi))
		a.want(ngap.CodeRANCPRelocationIndication, ngap.Initiating)
		a.send(1, message(ngap.CodeConnectionEstablishmentIndication, ngap.Initiating, 9, 1))
		g.wantIDs(ngap.CodeConnectionEstablishmentIndication, ngap.Initiating, 2<<32|9, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 2<<32|9, 1, nas))
		a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 9, 1)
		if s := b.snapshot(); s.UEs != 1 || s.AMF(2).Bound != 1 {
			t.Errorf("%d UEs", s.UEs)
		}
		for _, i := range []int{0, 2} {
			b.amfs[i].last().wantNothing()
		}
	})
}

// A suspended UE is bound still, however long, and is resumed by its IDs.
// Facts: N6-67
func TestSuspendedUEsAreBound(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a, outer := b.ue(g, 1, 1)
		for _, c := range []ngap.Code{ngap.CodeUEContextSuspendRequest, ngap.CodeUEContextResumeRequest} {
			g.send(1, message(c, ngap.Initiating, outer, 1))
			a.last().wantIDs(c, ngap.Initiating, 1, 1)
			a.last().send(1, message(c, ngap.Successful, 1, 1))
			g.wantIDs(c, ngap.Successful, outer, 1)
			b.sleep(time.Hour)
			if s := b.snapshot(); s.UEs != 1 || s.AMF(uint8(a.id)).Bound != 1 {
				t.Errorf("after %s %d UEs", c, s.UEs)
			}
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.last().wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
	})
}

// What belongs to no UE goes on stream 0, either way; a UE that a gNB has on
// stream 0, as UERANSIM has all, is served, and answered there.
// Facts: N2-03, N2-04, N7-05
func TestAnyStreamIsTaken(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].last()
		for _, s := range []uint16{0, 1, 9} {
			ran := uint32(s) + 1
			g.send(s, initial(ran, nil))
			if r := a.next(); r.stream == 0 {
				t.Error("the UE is on stream 0 toward the AMF")
			}
			a.send(3, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(ran), ran, nas))
			if r := g.next(); r.stream != s {
				t.Errorf("the gNB began on stream %d and was answered on %d", s, r.stream)
			}
			a.send(s, simple(ngap.CodeDownlinkRANConfigurationTransfer, ngap.Initiating))
			if r := g.next(); r.stream != 0 {
				t.Errorf("what belongs to no UE came on stream %d", r.stream)
			}
			g.send(s, simple(ngap.CodeUplinkRANConfigurationTransfer, ngap.Initiating))
			if r := a.next(); r.stream != 0 {
				t.Errorf("what belongs to no UE came on stream %d", r.stream)
			}
		}
	})
}

// A gNB that never acknowledges a reset, as UERANSIM does not, is not waited for:
// its UEs are gone, and their IDs free.
// Facts: N7-01
func TestResetIsNotWaitedFor(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.OnLoss = n2.LossReset }, func(b *bed) {
		g := b.up(7)
		a, _ := b.ue(g, 1, 1)
		a.last().send(0, reset(nil))
		a.last().want(ngap.CodeNGReset, ngap.Successful)
		g.want(ngap.CodeNGReset, ngap.Initiating)
		x, _ := b.ue(g, 1, 2)
		x.listener.Close()
		x.last().assoc.Abort("killed")
		b.settle()
		g.want(ngap.CodeNGReset, ngap.Initiating)
		b.ue(g, 1, 3)
	})
}

// NG Reset is answered with the list that came, whatever stands in it, and when
// nothing of it is there.
// Facts: N8-10
func TestResetIsAlwaysAnswered(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[0].last()
		for _, list := range [][]ngap.Connection{
			{{AMF: 1<<40 - 1, HasAMF: true}}, {{RAN: 1 << 31, HasRAN: true}}, {{}, {}}, {{AMF: 5, HasAMF: true, RAN: 5, HasRAN: true}, {AMF: 5, HasAMF: true, RAN: 5, HasRAN: true}},
		} {
			for _, p := range []*peer{g, a} {
				p.send(0, reset(list))
				v, _ := p.want(ngap.CodeNGReset, ngap.Successful).Value(ngap.IEUEAssociatedLogicalNGConnectionList)
				if string(v) != string(ngap.AppendConnections(nil, list)) {
					t.Errorf("%v is answered with %x", list, v)
				}
			}
		}
		a.send(0, reset(nil))
		a.want(ngap.CodeNGReset, ngap.Successful)
		g.send(0, reset(nil))
		g.want(ngap.CodeNGReset, ngap.Successful)
		a.want(ngap.CodeNGReset, ngap.Initiating)
	})
}

// The same UE registers again by another RRC connection, while its old context
// lives: it goes to its AMF, both are bound, and the AMF ends the old one.
// Facts: N8-08
func TestSameUETwice(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		s := &ngap.STMSI{Set: 1, Pointer: 2, TMSI: 42}
		a := b.amfs[1].last()
		for ran := uint32(1); ran <= 2; ran++ {
			g.send(1, initial(ran, s))
			a.want(ngap.CodeInitialUEMessage, ngap.Initiating)
			a.send(1, message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(ran), ran, nas))
			g.wantIDs(ngap.CodeDownlinkNASTransport, ngap.Initiating, 2<<32|uint64(ran), ran)
		}
		a.send(1, release(ngap.UENGAPIDs{AMF: 1, RAN: 1, HasRAN: true}))
		g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
		g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, 2<<32|1, 1))
		a.wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, 1, 1)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, 2<<32|2, 2, nas))
		a.wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 2, 2)
	})
}

// A Private Message of the gNB concerns all AMFs, one of an AMF this gNB.
// Facts: N9-31
func TestPrivateMessages(t *testing.T) {
	// By hand: an empty container of private IEs can't be; one local ID 1, ignore.
	private := unhex("001f40 0c 000000 01 00 0001 40 03 616263")
	run(t, 2, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		g.send(0, private)
		for _, a := range b.amfs {
			if r := a.from(0).next(); string(r.data) != string(private) {
				t.Errorf("AMF %d got %x", a.id, r.data)
			}
			a.from(1).wantNothing()
		}
		b.amfs[1].from(0).send(0, private)
		if r := g.next(); string(r.data) != string(private) {
			t.Errorf("the gNB got %x", r.data)
		}
		h.wantNothing()
	})
}

// A gNB that removes itself is answered here, and every AMF is told.
// Facts: N6-65, N9-81
func TestNGRemoval(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(7)
		g.send(0, simple(ngap.CodeNGRemovalRequest, ngap.Initiating, later))
		g.want(ngap.CodeNGRemovalRequest, ngap.Successful)
		for _, a := range b.amfs {
			if v, _ := a.last().want(ngap.CodeNGRemovalRequest, ngap.Initiating).Value(later.ID); string(v) != "later" {
				t.Errorf("AMF %d got %q", a.id, v)
			}
			a.last().send(0, simple(ngap.CodeNGRemovalRequest, ngap.Successful))
		}
		g.wantNothing()
	})
}

// An AMF that takes nothing from this gNB any more is passed over: new UEs go to
// the others, one and all, and to it again when it reads.
// Facts: N8-03
func TestCongestedAMFIsPassedOver(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		b.net.Cut(address(1, 1), address(0, 2))
		long := func(p *ngap.PDU) {
			p.Replace(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, make([]byte, 30000)))
		}
		for ran := range uint32(100) { // 1.5 MB for each
			g.send(1, first(ran, long))
		}
		b.amfs[1].last().got = nil
		if got := b.count(g, 1000, 10, nobody); got[2] != 10 {
			t.Errorf("10 UEs went to %v", got)
		}
		g.wantNothing()
		b.net.Heal(address(1, 1), address(0, 2))
		b.sleep(3 * time.Second)
		b.settle()
		b.amfs[0].last().got = nil
		if got := b.count(g, 2000, 10, nobody); got[1] != 5 || got[2] != 5 {
			t.Errorf("later 10 UEs went to %v", got)
		}
	})
}

// UEs of a lost AMF that were new when they came, and UEs that their AMF lets go,
// stay in the AMF Set that has their context, though others have more room; when
// nobody of it is left they go anywhere.
// Facts: N6-54, N6-57
func TestBoundAnewWithinTheSet(t *testing.T) {
	change := func(c *n2.Config) {
		c.OnLoss = n2.LossRebind
		c.AMFs[2].Capacity = 255
	}
	run(t, 3, change, func(b *bed) {
		b.amfs[2].guamis[0].Set = 2
		g := b.up(7)
		of1, outers := []uint32{}, map[uint32]uint64{}
		for ran := uint32(1); len(of1) < 12; ran++ {
			a, outer := b.ue(g, ran, uint64(ran))
			if outers[ran] = outer; a.id == 1 {
				of1 = append(of1, ran)
			}
		}
		uplink := func(ran uint32) {
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outers[ran], ran, nas))
		}
		for _, ran := range of1[:4] {
			b.amfs[0].last().send(1, message(ngap.CodeUETNLABindingReleaseRequest, ngap.Initiating, uint64(ran), ran))
			uplink(ran)
			b.amfs[2].last().wantNothing()
		}
		b.amfs[0].stop()
		b.settle()
		b.amfs[1].last().got = nil
		for _, ran := range of1[4:8] {
			uplink(ran)
			b.amfs[1].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		}
		b.amfs[1].stop()
		b.settle()
		b.amfs[2].last().got = nil
		for _, ran := range of1[8:] {
			uplink(ran)
			b.amfs[2].last().want(ngap.CodeInitialUEMessage, ngap.Initiating)
		}
		g.got = nil
	})
}
