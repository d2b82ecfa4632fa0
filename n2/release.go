package n2

import (
	"slices"
	"time"

	"poolgw/ngap"
)

// releaseCommand ends a UE's context: by both IDs, or by the AMF's alone.
func (g *gnb) releaseCommand(m *msg) {
	at := g.pdu.Find(ngap.IEUENGAPIDs)
	if at < 0 {
		g.malformed(m, ngap.IEUENGAPIDs)
		return
	}
	i, err := ngap.ReadUENGAPIDs(g.pdu.IEs[at].Value)
	if err != nil {
		g.malformed(m, ngap.IEUENGAPIDs)
		return
	}
	u := g.connectionOf(m.leg.m.id, ngap.Connection{AMF: i.AMF, HasAMF: true, RAN: i.RAN, HasRAN: i.HasRAN})
	if u == nil {
		g.releaseIncoming(m, at, i)
		return
	}
	if !u.has(hasAMF) {
		g.learnID(u, g.newRef(u.member, i.AMF))
	}
	outer, ok := g.gw.dir.Load().ids.outer(g.refOf(u, i.AMF))
	if !ok {
		g.lose(DropLimit)
		return
	}
	i.AMF = outer
	g.pdu.SetUENGAPIDs(at, i)
	g.after(m, u)
	g.deliver(g.ran, u.stream, g.octets(&g.pdu))
}

// releaseIncoming is a release of a UE that the gNB has not named yet (a handover
// that is cancelled), or of one that is not there. The name of another UE is not
// let through.
func (g *gnb) releaseIncoming(m *msg, at int, i ngap.UENGAPIDs) {
	if i.HasRAN && g.ues.get(i.RAN) != nil {
		g.lose(DropNotOwner)
		e := &ids{ran: i.RAN, hasRAN: true}
		g.errorIndication(m, e.withAMF(i.AMF), ngap.CauseInconsistentRemoteUENGAPID)
		return
	}
	r, ok := g.incomingOf(m.leg.m.id, i.AMF)
	if !ok {
		g.lose(DropUnknownUE)
		e := &ids{ran: i.RAN, hasRAN: i.HasRAN}
		g.errorIndication(m, e.withAMF(i.AMF), ngap.CauseUnknownLocalUENGAPID)
		return
	}
	outer, ok := g.gw.dir.Load().ids.outer(r)
	if !ok {
		g.lose(DropLimit)
		return
	}
	i.AMF = outer
	g.pdu.SetUENGAPIDs(at, i)
	g.deliver(g.ran, 0, g.octets(&g.pdu))
}

// sendRelease is a UE Context Release Command of the gateway's own.
func (g *gnb) sendRelease(i ngap.UENGAPIDs, stream uint16, c ngap.Cause) {
	p := g.made.New(ngap.CodeUEContextReleaseCommand, ngap.Initiating)
	p.Add(ngap.IEUENGAPIDs, ngap.Reject, i.Append(nil))
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, c))
	g.originate(g.ran, stream, p.Append(nil))
}

// releaseToGNB commands the release of a bound UE. One whose AMF never answered
// gets an ID of the gateway's own.
func (g *gnb) releaseToGNB(u *ue, c ngap.Cause) {
	r := u.ref()
	if !u.has(hasAMF) {
		r = ref{0, uint64(u.ran)}
	}
	outer, _ := g.gw.dir.Load().ids.outer(r)
	g.sendRelease(ngap.UENGAPIDs{AMF: outer, RAN: u.ran, HasRAN: true}, u.stream, c)
}

// Releases after the loss of an AMF are paced: gNBs were seen to crash.
const (
	releaseBurst = 50
	releasePause = 20 * time.Millisecond
)

// amfLost decides about the UEs of an AMF that is lost.
func (g *gnb) amfLost(l *leg, now time.Time) {
	g.sendAgain(l.m.id, now)
	g.forgetRequests(l.m.id)
	list := g.ues.of(l.m.id)
	for _, ran := range list {
		g.outlive(g.ues.get(ran))
	}
	g.forgetIncoming(l.m.id)
	if len(list) == 0 {
		return
	}
	how := g.gw.dir.Load().cfg.OnLoss
	g.log.Warn("UEs of the lost AMF", "amf", l.m.label, "ues", len(list), "on-amf-loss", how.String())
	switch how {
	case LossSilent:
		for _, ran := range list {
			g.unbind(ran)
		}
	case LossReset:
		g.resetGNB(list, ngap.AppendCause(nil, ngap.CauseHardwareFailure))
	case LossRebind:
		for _, ran := range list {
			g.ues.get(ran).flags |= orphaned
		}
	default:
		for _, ran := range list {
			g.ues.get(ran).flags |= orphaned
		}
		g.releasePaced(list, ngap.CauseRelease5GCReason, now)
	}
}

// forgetIncoming: nobody waits for the answers to an AMF's Handover Requests.
func (g *gnb) forgetIncoming(member uint8) {
	for r := range g.incoming {
		if r.member == member {
			delete(g.incoming, r)
			g.forgetRef(r)
		}
	}
}

// releaseUEs ends the UEs of a member that is taken out of the pool.
func (g *gnb) releaseUEs(l *leg, now time.Time) {
	list := g.ues.of(l.m.id)
	for _, ran := range list {
		u := g.ues.get(ran)
		g.outlive(u)
		u.flags |= orphaned
	}
	g.releasePaced(list, ngap.CauseOMIntervention, now)
}

// releasePaced releases UEs, a burst at a time, that are orphaned still.
func (g *gnb) releasePaced(list []uint32, c ngap.Cause, now time.Time) {
	n := min(len(list), releaseBurst)
	for _, ran := range list[:n] {
		if u := g.ues.get(ran); u != nil && u.has(orphaned) {
			g.releaseToGNB(u, c)
			g.unbind(ran)
		}
	}
	if rest := list[n:]; len(rest) > 0 {
		g.timers.set(pacedTimer{&rest}, now, releasePause, func(now time.Time) { g.releasePaced(rest, c, now) })
	}
}

// sendAgain gives the Initial UE Messages that the lost AMF never answered to
// another one.
func (g *gnb) sendAgain(member uint8, now time.Time) {
	for ran, p := range g.ues.pending {
		u := g.ues.get(ran)
		if u == nil || u.member != member || u.has(hasAMF) {
			continue
		}
		stream, raw := u.stream, slices.Clone(p.pdu) // its room may be the next message's
		g.unbind(ran)
		if err := g.pdu.Walk(raw); err != nil {
			continue
		}
		one(&g.led.originated)
		g.begin(&msg{PDU: &g.pdu, raw: raw, stream: stream, now: now}, ran, g.identify(&g.pdu))
	}
}

// bindAnew gives a UE whose AMF is lost, or has let go of it, to another AMF of
// the set with its next uplink (TS 23.502 4.2.7.1). That AMF fetches the context
// by what it gets: an Initial UE Message with the NAS message.
func (g *gnb) bindAnew(m *msg, u *ue) {
	nas, hasNAS := m.Value(ngap.IENASPDU)
	if m.Code != ngap.CodeUplinkNASTransport || !hasNAS {
		g.lose(DropNoLeg)
		if u.has(orphaned) || m.Code == ngap.CodeUEContextReleaseRequest {
			g.releaseToGNB(u, ngap.CauseRelease5GCReason)
			g.unbind(u.ran)
		}
		return
	}
	ran, stream, id := u.ran, u.stream, identity{plmn: plmnOf(m.PDU), near: g.gw.dir.Load().setOf(u.member)}
	if u.has(hasTMSI) {
		id.known = true
		id.stmsi = ngap.STMSI{Set: u.guami >> 6, Pointer: uint8(u.guami & 63), TMSI: u.tmsi}
	}
	location, _ := m.Value(ngap.IEUserLocationInformation)
	var p ngap.PDU
	p.New(ngap.CodeInitialUEMessage, ngap.Initiating)
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran))
	p.Add(ngap.IENASPDU, ngap.Reject, nas)
	if location != nil {
		p.Add(ngap.IEUserLocationInformation, ngap.Reject, location)
	}
	p.Add(ngap.IERRCEstablishmentCause, ngap.Ignore, ngap.AppendEstablishment(nil, ngap.EstablishmentMOSignalling))
	if id.known {
		p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, id.stmsi))
	}
	data := p.Append(nil)
	g.absorb()
	one(&g.led.originated)
	g.unbind(ran)
	if g.pdu.Walk(data) == nil {
		g.begin(&msg{PDU: &g.pdu, raw: data, stream: stream, now: m.now}, ran, id)
	}
}

// tnlaRelease: the AMF wants this UE off its association; the gNB keeps context
// and user plane (8.13.1).
func (g *gnb) tnlaRelease(m *msg) {
	u, _, ok := g.ownedByAMF(m)
	if !ok {
		return
	}
	g.absorb()
	u.flags |= unbound
}

// rerouteNAS: the AMF can't serve the UE and names a set that can. The Initial UE
// Message that it got is sent again within that set (8.6.5).
func (g *gnb) rerouteNAS(m *msg) {
	u, ok := g.rerouted(m)
	if !ok {
		return
	}
	contained, _ := m.Value(ngap.IENGAPMessage)
	setValue, _ := m.Value(ngap.IEAMFSetID)
	allowed, _ := m.Value(ngap.IEAllowedNSSAI)
	info, _ := m.Value(ngap.IESourceToTargetAMFInformationReroute)
	ran, stream := u.ran, u.stream
	from := u.member
	if !g.isFirstOf(contained, ran) {
		g.refuse(m, DropMalformed, ngap.CauseSemanticError)
		return
	}
	g.made.Replace(ngap.IEAMFSetID, ngap.Ignore, setValue)
	if allowed != nil {
		g.made.Replace(ngap.IEAllowedNSSAI, ngap.Reject, allowed)
	}
	if info != nil {
		g.made.Replace(ngap.IESourceToTargetAMFInformationReroute, ngap.Ignore, info)
	}
	data := g.made.Append(nil)
	g.absorb()
	one(&g.led.originated)
	g.unbind(ran)
	if g.pdu.Walk(data) == nil {
		g.again(&msg{PDU: &g.pdu, raw: data, stream: stream, now: m.now}, ran, from)
	}
}

// isFirstOf walks what a Reroute NAS Request holds into made, and reports whether
// it is the Initial UE Message of that UE: nothing else may go to another AMF.
func (g *gnb) isFirstOf(contained []byte, ran uint32) bool {
	p := &g.made
	if p.WalkContained(contained) != nil || p.Code != ngap.CodeInitialUEMessage || p.Kind != ngap.Initiating {
		return false
	}
	_, twice := p.Repeated()
	id, at, err := p.RANUENGAPID()
	return !twice && err == nil && at >= 0 && id == ran
}

// rerouted finds the UE of a Reroute NAS Request, which may lack the AMF's ID.
func (g *gnb) rerouted(m *msg) (*ue, bool) {
	ran, at, err := m.RANUENGAPID()
	if err != nil || at < 0 {
		g.malformed(m, ngap.IERANUENGAPID)
		return nil, false
	}
	u := g.ues.get(ran)
	if u == nil || u.member != m.leg.m.id {
		g.unknownUE(m, ngap.CauseUnknownLocalUENGAPID)
		return nil, false
	}
	return u, true
}

// again gives a rerouted UE to a member of the set, never to the one that it
// comes from; without one it is released.
func (g *gnb) again(m *msg, ran uint32, from uint8) {
	d := g.gw.dir.Load()
	set := uint16(0)
	if v, ok := m.Value(ngap.IEAMFSetID); ok {
		set, _ = ngap.ReadAMFSetID(v)
	}
	within := d.amfs.InSet(set)
	within.Del(d.index[from])
	if within.And(g.up(d)).Empty() {
		g.lose(DropNoMember)
		g.refuseUE(ran, m.stream, ngap.CauseControlProcessingOverload)
		return
	}
	id := g.identify(m.PDU)
	id.known = false // its owner is who sent it away
	without := everyone.Without(within)
	dec := g.choose(m.PDU, id, without, m.now)
	g.gw.counters.decisions[dec.Reason].Add(1)
	if dec.Member == nil {
		g.lose(DropNoMember)
		g.refuseUE(ran, m.stream, ngap.CauseControlProcessingOverload)
		return
	}
	g.start(m, g.legs[uint8(dec.Member.ID)], ran, id)
}
