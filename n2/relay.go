package n2

import (
	"time"

	"poolgw/ngap"
	"poolgw/pool"
)

// relayUE is the way of a PDU of a bound UE, in either direction.
func (g *gnb) relayUE(m *msg) {
	if m.leg == nil {
		g.uplink(m)
	} else {
		g.downlink(m)
	}
}

// uplink checks that the pair of IDs is a UE of this gNB and sends the PDU to its
// AMF, with the ID that the AMF gave.
func (g *gnb) uplink(m *msg) {
	u, at, ok := g.ownedByGNB(m)
	if !ok {
		return
	}
	if u.has(orphaned | unbound) {
		g.bindAnew(m, u)
		return
	}
	l := g.legs[u.member]
	if l == nil || l.state != legUp {
		g.decline(m, DropNoLeg, ngap.CauseTransportUnavailable)
		return
	}
	id := u.ref().own()
	if old, changing := g.oldID(u, m); changing {
		id = old
	}
	g.pdu.SetAMFUENGAPID(at, id)
	ran := u.ran
	done := g.after(m, u)
	if !g.deliver(l.link, l.stream(ran), g.octets(&g.pdu)) {
		g.congested(ran, m.now)
		return
	}
	if done {
		g.unbind(ran)
	}
}

// stream spreads UEs over the streams of an association, and keeps a UE on one;
// stream 0 is for what belongs to no UE (TS 38.412 clause 7).
func (l *leg) stream(ran uint32) uint16 {
	if n := l.link.streams; n > 1 {
		return 1 + uint16(ran%uint32(n-1))
	}
	return 0
}

// ownedByGNB finds the UE of a PDU from the gNB, and the place of the AMF UE NGAP
// ID in it. When it isn't a UE of this gNB the PDU is answered and dropped.
func (g *gnb) ownedByGNB(m *msg) (u *ue, at int, ok bool) {
	ran, r, errR := g.pdu.RANUENGAPID()
	id, at, errA := g.pdu.AMFUENGAPID()
	if errR != nil || errA != nil || r < 0 || at < 0 {
		g.malformed(m, unreadable(r, errR, at, errA)...)
		return nil, 0, false
	}
	if u = g.ues.get(ran); u == nil {
		g.unknownUE(m, ngap.CauseUnknownLocalUENGAPID)
		return nil, 0, false
	}
	if !g.names(u, id) {
		g.lose(DropNotOwner)
		if u.has(hasAMF) && !answersRelease(m) {
			g.errorIndication(m, g.idsOf(m), ngap.CauseInconsistentRemoteUENGAPID)
		} // else the pair of before a release, or before the UE was bound anew: an error would end it
		return nil, 0, false
	}
	if u.has(switching) && m.Code != ngap.CodeUplinkNASTransport && m.Code != ngap.CodePathSwitchRequest {
		g.lose(DropNotOwner) // it is another gNB's until its AMF has agreed
		return nil, 0, false
	}
	return u, at, true
}

// unreadable names those of a message's two IDs that are missing or can't be read.
func unreadable(ran int, errRAN error, amf int, errAMF error) (list []ngap.IEID) {
	if errAMF != nil || amf < 0 {
		list = append(list, ngap.IEAMFUENGAPID)
	}
	if errRAN != nil || ran < 0 {
		list = append(list, ngap.IERANUENGAPID)
	}
	return list
}

func answersRelease(m *msg) bool {
	return m.Code == ngap.CodeUEContextReleaseCommand && m.Kind == ngap.Successful
}

// names reports whether id, as the gNB says it, is u's.
func (g *gnb) names(u *ue, id uint64) bool {
	d := g.gw.dir.Load()
	if !u.has(hasAMF) {
		return false
	}
	r, ok := d.ids.inner(id)
	if d.ids.transparent {
		r.member = u.member
	}
	if ok && r == u.ref() {
		return true
	}
	old, changing := g.ues.changes[u.ran]
	return ok && changing && r == old
}

// uses reports whether id is what u's AMF calls it: while the ID changes it is
// also the one before.
func (g *gnb) uses(u *ue, id uint64) bool {
	if own := u.ref().own() == id; own || !u.has(changing) {
		return own
	}
	old, ok := g.ues.changes[u.ran]
	return ok && old.own() == id
}

// downlink checks that the UE is this AMF's and sends the PDU to the gNB, with
// the ID that the gNB knows.
func (g *gnb) downlink(m *msg) {
	u, at, ok := g.ownedByAMF(m)
	if !ok {
		return
	}
	g.toUE(m, u, at)
}

// toUE translates the IDs of a PDU from an AMF, and sends it.
func (g *gnb) toUE(m *msg, u *ue, at int) {
	if !g.translate(m, u, at) {
		return
	}
	if u.has(leaving) { // its AMF is busy with it, and so alive
		u.since = m.now.UnixNano()
	}
	stream, ran := u.stream, u.ran
	g.watchNAS(m, u)
	g.after(m, u)
	if !g.deliver(g.ran, stream, g.octets(&g.pdu)) {
		g.askRelease(ran, m)
	}
}

// askRelease asks an AMF to release a UE of which the gNB could not be told all.
func (g *gnb) askRelease(ran uint32, m *msg) {
	u := g.ues.get(ran)
	if u == nil || u.has(releasing) {
		return
	}
	g.gw.counters.congested.Add(1)
	u.begins(leaving, m.now)
	g.requestRelease(m.leg, u, ngap.CauseControlProcessingOverload)
}

// requestRelease is a UE Context Release Request of the gateway's own.
func (g *gnb) requestRelease(l *leg, u *ue, c ngap.Cause) {
	p := g.made.New(ngap.CodeUEContextReleaseRequest, ngap.Initiating)
	p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, u.ref().own()))
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, u.ran))
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, c))
	g.originate(l.link, l.stream(u.ran), p.Append(nil))
}

// translate puts the ID that the gNB sees in the place of the AMF's own, and
// takes out what tells of several AMFs.
func (g *gnb) translate(m *msg, u *ue, at int) bool {
	d, r := g.gw.dir.Load(), u.ref()
	if old, changing := g.oldOf(u, at); changing {
		r = old
	}
	outer, ok := d.ids.outer(r)
	if !ok {
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		g.log.Error("the table of large AMF UE NGAP IDs is full: more index bits are used than the AMF leaves", "amf", m.leg.m.label)
		return false
	}
	g.pdu.SetAMFUENGAPID(at, outer)
	if !tellsOfAMFs(&g.pdu) {
		return true
	}
	g.pdu.Remove(ngap.IEOldAMF)
	g.pdu.Remove(ngap.IEExtendedOldAMF)
	if i := g.pdu.Find(ngap.IEAMFUENGAPID2); i >= 0 {
		id, err := ngap.ReadAMFUENGAPID(g.pdu.IEs[i].Value)
		r := ref{u.member, id}
		if g.uses(u, id) {
			r = g.refOf(u, id)
		}
		if o, ok := d.ids.shown(r); err == nil && ok {
			g.pdu.SetAMFUENGAPID(i, o)
		} else {
			g.pdu.Remove(ngap.IEAMFUENGAPID2) // nobody would know when its place in the table is free again
		}
	}
	return true
}

// tellsOfAMFs reports whether a PDU has one of the rare IEs that translate takes
// out or changes: one look at each IE, where most have none.
func tellsOfAMFs(p *ngap.PDU) bool {
	for i := range p.IEs {
		switch p.IEs[i].ID {
		case ngap.IEOldAMF, ngap.IEExtendedOldAMF, ngap.IEAMFUENGAPID2:
			return true
		}
	}
	return false
}

// oldOf returns the ID that the AMF says in the IE at an index, when it is the
// one before a change.
func (g *gnb) oldOf(u *ue, at int) (ref, bool) {
	if !u.has(changing) {
		return ref{}, false
	}
	old, ok := g.ues.changes[u.ran]
	id, err := ngap.ReadAMFUENGAPID(g.pdu.IEs[at].Value)
	return old, ok && err == nil && id == old.own()
}

// ownedByAMF finds the UE of a PDU from an AMF and the place of the AMF UE NGAP
// ID in it. The first answer binds.
func (g *gnb) ownedByAMF(m *msg) (u *ue, at int, ok bool) {
	ran, r, errR := g.pdu.RANUENGAPID()
	id, at, errA := g.pdu.AMFUENGAPID()
	if errR != nil || errA != nil || r < 0 || at < 0 {
		g.malformed(m, unreadable(r, errR, at, errA)...)
		return nil, 0, false
	}
	if u = g.ues.get(ran); u == nil {
		g.unknownUE(m, ngap.CauseUnknownLocalUENGAPID)
		return nil, 0, false
	}
	if u.member != m.leg.m.id {
		if !g.mayTakeOver(m, u) {
			g.lose(DropNotOwner)
			g.errorIndication(m, g.idsOf(m), ngap.CauseInconsistentRemoteUENGAPID)
			return nil, 0, false
		}
		g.rebind(u, m.leg.m.id)
	}
	switch {
	case !u.has(hasAMF):
		g.learnID(u, g.newRef(u.member, id))
	case g.uses(u, id):
	case u.has(switching) && m.Code == ngap.CodePathSwitchRequest:
		g.renew(u, id)
	default:
		g.lose(DropNotOwner)
		g.errorIndication(m, g.idsOf(m), ngap.CauseInconsistentRemoteUENGAPID)
		return nil, 0, false
	}
	return u, at, true
}

// mayTakeOver reports whether another AMF may answer for u: it was asked for
// nothing yet, says whose UE it was, or is of the same AMF Set (8.6.2, 8.3.1).
func (g *gnb) mayTakeOver(m *msg, u *ue) bool {
	if m.Code != ngap.CodeDownlinkNASTransport && m.Code != ngap.CodeInitialContextSetupRequest {
		return false
	}
	if !u.has(hasAMF) || u.has(orphaned|unbound) {
		return true
	}
	if g.pdu.Find(ngap.IEOldAMF) >= 0 || g.pdu.Find(ngap.IEExtendedOldAMF) >= 0 {
		return true
	}
	d := g.gw.dir.Load()
	return d.byID[u.member] != nil && d.shareSet(d.index[u.member], d.index[m.leg.m.id])
}

// shareSet reports whether two members announce GUAMIs of one AMF Set.
func (d *directory) shareSet(i, j int) bool {
	for _, a := range d.learned[i].guamis {
		for _, b := range d.learned[j].guamis {
			if a.GUAMI.PLMN == b.GUAMI.PLMN && a.GUAMI.Region == b.GUAMI.Region && a.GUAMI.Set == b.GUAMI.Set {
				return true
			}
		}
	}
	return false
}

// setOf is the set of members that share an AMF Set with one, itself among them.
func (d *directory) setOf(member uint8) (s pool.Mask) {
	if d.byID[member] == nil {
		return s
	}
	for i := range d.members {
		if d.shareSet(d.index[member], i) {
			s.Add(i)
		}
	}
	return s
}

// enter binds a UE that goes to a member.
func (g *gnb) enter(u ue) *ue {
	g.countBound(u.member, 1)
	g.gw.ues.Add(1)
	g.sweepLater()
	return g.ues.add(u)
}

// learnID is the moment from which the gNB may use the UE.
func (g *gnb) learnID(u *ue, r ref) {
	u.amf = r.id
	u.flags |= hasAMF
	g.gw.bindings.add(u.ref(), place{g.serial, u.ran})
	g.ues.answered(u.ran)
}

// renew changes the ID that the AMF uses.
func (g *gnb) renew(u *ue, id uint64) {
	g.forgetID(u)
	u.amf = g.newRef(u.member, id).id
	g.gw.bindings.add(u.ref(), place{g.serial, u.ran})
}

func (g *gnb) forgetID(u *ue) {
	if !u.has(hasAMF) {
		return
	}
	g.endChange(u, false)
	g.gw.bindings.del(u.bound(), place{g.serial, u.ran})
	g.forgetRef(u.ref())
}

// forgetRef gives the place in the table of large IDs back when nobody uses it.
func (g *gnb) forgetRef(r ref) {
	b := &g.gw.bindings
	if g.gw.overflow.held.Load() > 0 && len(b.find(r, nil)) == 0 && len(b.find(r.past(), nil)) == 0 {
		g.gw.overflow.del(r)
	}
}

// rebind moves a UE to another member, whose ID is not known yet.
func (g *gnb) rebind(u *ue, member uint8) {
	g.forgetID(u)
	g.countBound(u.member, -1)
	g.countBound(member, 1)
	g.ues.move(u, member)
}

// countBound counts by number: a member that was removed may be there again
// before its UEs are gone.
func (g *gnb) countBound(member uint8, n int64) { g.gw.bound[member].Add(n) }

// unbind forgets a UE.
func (g *gnb) unbind(ran uint32) {
	u := g.ues.get(ran)
	if u == nil {
		return
	}
	g.forgetID(u)
	g.countBound(u.member, -1)
	g.gw.ues.Add(-1)
	g.ues.del(ran)
}

// after changes a UE's state by what a PDU of it says; true: the UE's context has
// ended with it.
func (g *gnb) after(m *msg, u *ue) (ended bool) {
	switch m.Code {
	case ngap.CodeUEContextReleaseCommand:
		if m.Kind == ngap.Initiating {
			g.earlyRelease(u, m.now)
			if !u.has(releasing) {
				u.begins(releasing, m.now)
			}
			return false
		}
		return true // Complete
	case ngap.CodeUEContextReleaseRequest:
		if !u.has(leaving) {
			u.begins(leaving, m.now)
		}
	case ngap.CodeHandoverNotify:
		u.flags &^= arriving
	case ngap.CodeUEContextSuspendRequest:
		if m.Kind == ngap.Successful {
			u.flags |= suspended
		}
	case ngap.CodeUEContextResumeRequest:
		if m.Kind == ngap.Successful {
			u.flags &^= suspended
		}
	case ngap.CodeUEContextModificationRequest:
		if m.leg == nil { // the gNB has answered
			g.endChange(u, m.Kind == ngap.Unsuccessful)
		}
	}
	return false
}

// congested ends a UE whose PDU found no room: it must not go on with a gap.
func (g *gnb) congested(ran uint32, now time.Time) {
	u := g.ues.get(ran)
	if u == nil {
		return
	}
	g.gw.counters.congested.Add(1)
	g.log.Warn("an AMF is too slow: UE released", "ran-ue-ngap-id", ran)
	g.releaseToGNB(u, ngap.CauseControlProcessingOverload)
	g.unbind(ran)
}
