package n2_test

import (
	"testing"

	"poolgw/ngap"
)

// Two AMFs that both count from 1 behind one gateway: whatever carries the AMF UE
// NGAP ID alone reaches the right one.
// Facts: N1-20, N6-15, N6-22, N6-23, N9-25
func TestPathSwitch(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		for i := range 2 {
			a, outer := b.ue(g, uint32(1+i), 1)
			other := b.amfs[2-a.id]
			ran := uint32(50 + i)
			h.send(1, pathSwitch(outer, ran))
			p := a.from(1).want(ngap.CodePathSwitchRequest, ngap.Initiating)
			v, _ := p.Value(ngap.IESourceAMFUENGAPID)
			if id, err := ngap.ReadAMFUENGAPID(v); err != nil || id != 1 {
				t.Errorf("source ID %#x %v", id, err)
			}
			other.from(1).wantNothing()
			// Until the AMF agrees the source's binding is there.
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, uint32(1+i), nas))
			a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, uint32(1+i))
			a.from(1).send(1, message(ngap.CodePathSwitchRequest, ngap.Successful, 1, ran))
			h.wantIDs(ngap.CodePathSwitchRequest, ngap.Successful, outer, ran)
			h.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
			a.from(1).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, ran)
			g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, uint32(1+i), nas))
			g.want(ngap.CodeErrorIndication, ngap.Initiating)
		}
	})
}

func pathSwitch(source uint64, ran uint32) []byte {
	var p ngap.PDU
	p.New(ngap.CodePathSwitchRequest, ngap.Initiating)
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran))
	p.Add(ngap.IESourceAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, source))
	p.Add(ngap.IESessionsToBeSwitchedDL, ngap.Reject, unhex(switchedSessions))
	return p.Append(nil)
}

// switchedSessions is a PDU Session Resource to be Switched in Downlink List of the
// sessions 1 and 9, encoded by free5gc/ngap.
const switchedSessions = "0100010c001f7f00000100000001000200090c001f7f000001000000010002"

// A failure leaves the UE where it was; an ID that no member explains is refused
// here.
// Facts: N6-24, N6-25
func TestPathSwitchFails(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		a, outer := b.ue(g, 1, 1)
		h.send(1, pathSwitch(outer, 50))
		a.from(1).want(ngap.CodePathSwitchRequest, ngap.Initiating)
		a.from(1).send(1, message(ngap.CodePathSwitchRequest, ngap.Unsuccessful, 1, 50))
		h.wantIDs(ngap.CodePathSwitchRequest, ngap.Unsuccessful, outer, 50)
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, 1, nas))
		a.from(0).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, 1, 1)
		h.send(1, pathSwitch(99<<32|1, 51))
		h.wantIDs(ngap.CodePathSwitchRequest, ngap.Unsuccessful, 99<<32|1, 51)
	})
}

// A handover by the AMF: the target is known by the AMF's ID alone until it has
// answered; then both legs live until the source is released.
// Facts: N1-20, N6-28, N9-13
func TestHandover(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g, h := b.up(7), b.up(8)
		for i, target := range []*peer{h, g} { // also within one gNB
			a, outer := b.ue(g, uint32(1+i), uint64(10+i))
			id, from := uint64(10+i), map[*peer]int{g: 0, h: 1}[target]
			var hr ngap.PDU
			hr.New(ngap.CodeHandoverRequest, ngap.Initiating)
			hr.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, id))
			a.from(from).send(1, hr.Append(nil))
			p := target.want(ngap.CodeHandoverRequest, ngap.Initiating)
			if got, _, err := p.AMFUENGAPID(); err != nil || got != outer {
				t.Errorf("Handover Request with %#x %v", got, err)
			}
			ran := uint32(60 + i)
			target.send(1, message(ngap.CodeHandoverRequest, ngap.Successful, outer, ran))
			a.from(from).wantIDs(ngap.CodeHandoverRequest, ngap.Successful, id, ran)
			target.send(1, message(ngap.CodeHandoverNotify, ngap.Initiating, outer, ran))
			a.from(from).wantIDs(ngap.CodeHandoverNotify, ngap.Initiating, id, ran)
			// The source is released by its own pair; the target stays.
			a.from(0).send(1, release(ngap.UENGAPIDs{AMF: id, RAN: uint32(1 + i), HasRAN: true}))
			g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
			g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, outer, uint32(1+i)))
			a.from(0).wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, id, uint32(1+i))
			target.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, outer, ran, nas))
			a.from(from).wantIDs(ngap.CodeUplinkNASTransport, ngap.Initiating, id, ran)
		}
	})
}

// The target refuses: it has no ID of its own, and nothing is bound.
// Facts: N6-27
func TestHandoverFails(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a := b.amfs[1]
		for _, answer := range []bool{true, false} {
			var p ngap.PDU
			p.New(ngap.CodeHandoverRequest, ngap.Initiating)
			p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 3))
			a.last().send(1, p.Append(nil))
			g.want(ngap.CodeHandoverRequest, ngap.Initiating)
			if answer {
				var f ngap.PDU
				f.New(ngap.CodeHandoverRequest, ngap.Unsuccessful)
				f.Add(ngap.IEAMFUENGAPID, ngap.Ignore, ngap.AppendAMFUENGAPID(nil, 2<<32|3))
				g.send(1, f.Append(nil))
				p := a.last().want(ngap.CodeHandoverRequest, ngap.Unsuccessful)
				if id, _, err := p.AMFUENGAPID(); err != nil || id != 3 {
					t.Errorf("%#x %v", id, err)
				}
				g.send(1, f.Append(nil)) // once more: nobody asked
				g.want(ngap.CodeErrorIndication, ngap.Initiating)
				continue
			}
			// Released before it answered: by the AMF's ID alone.
			a.last().send(1, release(ngap.UENGAPIDs{AMF: 3}))
			c := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
			v, _ := c.Value(ngap.IEUENGAPIDs)
			if i, err := ngap.ReadUENGAPIDs(v); err != nil || i.HasRAN || i.AMF != 2<<32|3 {
				t.Errorf("%+v %v", i, err)
			}
		}
	})
}

// A release may name a UE by the AMF's ID alone; what two AMFs call alike are two
// UEs.
// Facts: N1-20, N6-14, N9-41
func TestReleaseByTheAMFsID(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		for ran := uint32(1); ran <= 2; ran++ {
			b.ue(g, ran, 1)
		}
		for _, id := range []int{2, 1} {
			a := b.amfs[id-1].last()
			a.send(1, release(ngap.UENGAPIDs{AMF: 1}))
			v, _ := g.want(ngap.CodeUEContextReleaseCommand, ngap.Initiating).Value(ngap.IEUENGAPIDs)
			i, err := ngap.ReadUENGAPIDs(v)
			if err != nil || i.HasRAN || i.AMF != uint64(id)<<32|1 {
				t.Errorf("%+v %v", i, err)
			}
			for _, x := range b.amfs {
				x.last().wantNothing()
			}
			ran := uint32(id) // AMF 1 had the first UE
			g.send(1, message(ngap.CodeUEContextReleaseCommand, ngap.Successful, i.AMF, ran))
			a.wantIDs(ngap.CodeUEContextReleaseCommand, ngap.Successful, 1, ran)
		}
		if s := b.snapshot(); s.UEs != 0 {
			t.Errorf("%d UEs are left", s.UEs)
		}
	})
}

// NG Reset of the gNB: whole, and by either ID; every AMF gets its own part.
// Facts: N1-20, N6-16, N8-10, N9-20
func TestResetByGNB(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		a1, o1 := b.ue(g, 1, 1)
		a2, o2 := b.ue(g, 2, 1)
		a3, _ := b.ue(g, 3, 2)
		list := []ngap.Connection{{AMF: o1, HasAMF: true}, {RAN: 2, HasRAN: true}, {AMF: 77 << 32, HasAMF: true}}
		g.send(0, reset(list))
		p := g.want(ngap.CodeNGReset, ngap.Successful)
		v, _ := p.Value(ngap.IEUEAssociatedLogicalNGConnectionList)
		if back, err := ngap.ReadConnections(v, nil); err != nil || len(back) != 3 || back[0].AMF != o1 {
			t.Errorf("%v %v", back, err)
		}
		for i, a := range []*amf{a1, a2} {
			p := a.last().want(ngap.CodeNGReset, ngap.Initiating)
			v, _ := p.Value(ngap.IEResetType)
			all, part, err := ngap.ReadResetType(v, nil)
			if err != nil || all || len(part) != 1 || part[0].AMF != 1 || part[0].RAN != uint32(1+i) {
				t.Errorf("%v %v %v", all, part, err)
			}
			a.last().send(0, new(ngap.PDU).New(ngap.CodeNGReset, ngap.Successful).Append(nil))
		}
		g.send(1, message(ngap.CodeUplinkNASTransport, ngap.Initiating, o2, 2, nas))
		g.want(ngap.CodeErrorIndication, ngap.Initiating)
		g.send(0, reset(nil))
		g.want(ngap.CodeNGReset, ngap.Successful)
		for _, a := range b.amfs {
			a.last().want(ngap.CodeNGReset, ngap.Initiating)
		}
		_ = a3
		b.ue(g, 3, 9)
	})
}

// reset is an NG Reset of some connections, or of all.
func reset(list []ngap.Connection) []byte {
	var p ngap.PDU
	p.New(ngap.CodeNGReset, ngap.Initiating)
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, ngap.CauseMiscUnspecified))
	if list == nil {
		p.Add(ngap.IEResetType, ngap.Reject, ngap.AppendResetAll(nil))
	} else {
		p.Add(ngap.IEResetType, ngap.Reject, ngap.AppendResetPart(nil, list))
	}
	return p.Append(nil)
}

// NG Reset of an AMF: its own UEs only, at the gNB on whose association it came.
// Facts: N6-16, N8-09, N9-20
func TestResetByAMF(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		_, o1 := b.ue(g, 1, 1)
		a2, o2 := b.ue(g, 2, 1)
		a3, _ := b.ue(g, 3, 2)
		// A part that names another AMF's UE as well.
		a2.last().send(0, reset([]ngap.Connection{{AMF: 1, HasAMF: true, RAN: 1, HasRAN: true}, {AMF: 1, HasAMF: true}}))
		p := g.want(ngap.CodeNGReset, ngap.Initiating)
		v, _ := p.Value(ngap.IEResetType)
		_, list, err := ngap.ReadResetType(v, nil)
		if err != nil || len(list) != 1 || list[0].AMF != o2 || list[0].RAN != 2 {
			t.Errorf("%v %v", list, err)
		}
		a2.last().want(ngap.CodeNGReset, ngap.Successful)
		g.send(0, new(ngap.PDU).New(ngap.CodeNGReset, ngap.Successful).Append(nil))
		// All of an AMF.
		a3.last().send(0, reset(nil))
		p = g.want(ngap.CodeNGReset, ngap.Initiating)
		v, _ = p.Value(ngap.IEResetType)
		all, list, err := ngap.ReadResetType(v, nil)
		if err != nil || all || len(list) != 2 {
			t.Errorf("%v %v %v", all, list, err)
		}
		a3.last().want(ngap.CodeNGReset, ngap.Successful)
		_ = o1
	})
}
