package n2

import (
	"time"

	"poolgw/ngap"
)

// maxIncoming bounds the handovers to one gNB that are under way.
const maxIncoming = 4096

// handoverRequest brings a UE of the AMF to this gNB, which names it in its
// answer (8.4.2). Until then the AMF UE NGAP ID alone stands for it.
func (g *gnb) handoverRequest(m *msg) {
	id, at, err := g.pdu.AMFUENGAPID()
	if err != nil || at < 0 {
		g.malformed(m, ngap.IEAMFUENGAPID)
		return
	}
	r := g.gw.present(m.leg.m.id, id)
	if len(g.incoming) >= maxIncoming || g.full() {
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	}
	outer, ok := g.gw.dir.Load().ids.outer(r)
	if !ok {
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	}
	g.incoming[r] = m.now
	g.sweepLater()
	g.pdu.SetAMFUENGAPID(at, outer)
	g.deliver(g.ran, 0, g.octets(&g.pdu))
}

// refuseHandover is a Handover Failure of the gateway's own.
func (g *gnb) refuseHandover(l *leg, r ref, c ngap.Cause) {
	p := g.made.New(ngap.CodeHandoverRequest, ngap.Unsuccessful)
	p.Add(ngap.IEAMFUENGAPID, ngap.Ignore, ngap.AppendAMFUENGAPID(nil, r.own()))
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, c))
	g.originate(l.link, 0, p.Append(nil))
}

// handoverAnswer is the gNB's answer to a Handover Request: Acknowledge binds the
// UE, Failure ends it.
func (g *gnb) handoverAnswer(m *msg) {
	id, at, err := g.pdu.AMFUENGAPID()
	if err != nil || at < 0 {
		g.malformed(m, ngap.IEAMFUENGAPID)
		return
	}
	r, l, ok := g.incomingBy(id)
	if !ok {
		g.unknownUE(m, ngap.CauseUnknownLocalUENGAPID)
		return
	}
	delete(g.incoming, r)
	if m.Kind == ngap.Successful && !g.bindTarget(m, r) {
		g.refuseHandover(l, r, ngap.CauseControlProcessingOverload)
		g.forgetRef(r)
		return
	}
	ran, i, err := g.pdu.RANUENGAPID()
	named, stream := err == nil && i >= 0, uint16(0)
	if named {
		stream = l.stream(ran)
	}
	g.pdu.SetAMFUENGAPID(at, r.own())
	taken := g.deliver(l.link, stream, g.octets(&g.pdu))
	switch {
	case m.Kind != ngap.Successful:
		g.forgetRef(r)
	case !taken:
		g.congested(ran, m.now)
	}
}

// incomingBy finds a handover by the ID that the gNB knows, and its AMF.
func (g *gnb) incomingBy(id uint64) (ref, *leg, bool) {
	d := g.gw.dir.Load()
	r, ok := d.ids.inner(id)
	if d.ids.transparent {
		n := 0
		for o := range g.incoming {
			if o.id == id {
				r = o
				n++
			}
		}
		ok = n == 1
	}
	if _, under := g.incoming[r]; !ok || !under {
		return r, nil, false
	}
	l := g.legs[r.member]
	return r, l, l != nil && l.state == legUp
}

// incomingOf finds a handover by what its AMF calls the UE.
func (g *gnb) incomingOf(member uint8, own uint64) (ref, bool) {
	r := ref{member, own}
	if _, ok := g.incoming[r]; ok {
		return r, true
	}
	if g.gw.bindings.rested.Load() {
		for o := range g.incoming {
			if o.member == member && o.own() == own {
				return o, true
			}
		}
	}
	return r, false
}

// bindTarget binds a UE that was handed over to this gNB. While both legs live
// the AMF's ID stands for two.
func (g *gnb) bindTarget(m *msg, r ref) bool {
	ran, at, err := g.pdu.RANUENGAPID()
	if err != nil || at < 0 {
		g.malformed(m, ngap.IERANUENGAPID)
		return false
	}
	switch {
	case g.ues.get(ran) != nil:
		g.lose(DropDuplicate)
		g.errorIndication(m, g.idsOf(m), ngap.CauseNotCompatibleWithState)
		return false
	case g.full():
		g.lose(DropLimit)
		if outer, _, err := g.pdu.AMFUENGAPID(); err == nil {
			g.sendRelease(ngap.UENGAPIDs{AMF: outer, RAN: ran, HasRAN: true}, m.stream, ngap.CauseControlProcessingOverload)
		}
		return false
	}
	u := g.enter(ue{ran: ran, member: r.member, stream: m.stream, since: m.now.UnixNano()})
	u.begins(arriving, m.now)
	g.learnID(u, r)
	return true
}

// pathSwitch is a UE that came to this gNB over Xn. It carries the ID that the
// UE's AMF gave it at the other gNB, and so tells the AMF (8.4.4).
func (g *gnb) pathSwitch(m *msg) {
	ran, i, errR := g.pdu.RANUENGAPID()
	at := g.pdu.Find(ngap.IESourceAMFUENGAPID)
	if errR != nil || i < 0 {
		g.malformed(m, ngap.IERANUENGAPID)
		return
	}
	if at < 0 {
		g.malformed(m, ngap.IESourceAMFUENGAPID)
		return
	}
	id, err := ngap.ReadAMFUENGAPID(g.pdu.IEs[at].Value)
	if err != nil {
		g.malformed(m, ngap.IESourceAMFUENGAPID)
		return
	}
	r, ok := g.sourceOf(id)
	l := g.legs[r.member]
	if u := g.ues.get(ran); u != nil && u.has(switching) && u.ref() == r {
		g.unbind(ran) // once more: the AMF has not answered
	}
	switch {
	case ok && g.gw.bindings.resting(r, m.now):
		g.refuse(m, DropUnknownUE, ngap.CauseUnknownLocalUENGAPID)
		return
	case !ok || l == nil || l.state != legUp:
		g.refuse(m, DropNoLeg, ngap.CauseTransportUnavailable)
		return
	case g.full():
		g.refuse(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	case g.ues.get(ran) != nil:
		g.refuse(m, DropDuplicate, ngap.CauseNotCompatibleWithState)
		return
	}
	u := g.enter(ue{ran: ran, member: r.member, stream: m.stream, since: m.now.UnixNano()})
	u.amf, u.flags = r.id, hasAMF|switching
	g.gw.bindings.add(r, place{g.serial, ran})
	g.pdu.SetAMFUENGAPID(at, r.own())
	if !g.deliver(l.link, l.stream(ran), g.octets(&g.pdu)) {
		g.unbind(ran)
		g.pdu.SetAMFUENGAPID(at, id)
		g.fail(m, ngap.CauseControlProcessingOverload)
	}
}

// sourceOf is the UE that a source AMF UE NGAP ID means. In a transparent pool
// its binding tells the member, when only one has it.
func (g *gnb) sourceOf(id uint64) (ref, bool) {
	d := g.gw.dir.Load()
	if !d.ids.transparent {
		r, ok := d.ids.inner(id)
		return r, ok && d.byID[r.member] != nil
	}
	var found ref
	n := 0
	for _, m := range d.members {
		if r := (ref{m.id, id}); len(g.gw.bindings.find(r, nil)) > 0 {
			found = r
			n++
		}
	}
	return found, n == 1
}

// pathSwitchAnswer: with the Acknowledge the UE is this gNB's, and the source's
// binding ends, since the source gNB releases over Xn only; a Failure leaves it.
func (g *gnb) pathSwitchAnswer(m *msg) {
	ran, i, err := g.pdu.RANUENGAPID()
	u := g.ues.get(ran)
	if err != nil || i < 0 || u == nil || !u.has(switching) || u.member != m.leg.m.id {
		g.unknownUE(m, ngap.CauseUnknownLocalUENGAPID)
		return
	}
	before := u.ref()
	u, at, ok := g.ownedByAMF(m)
	if !ok {
		return
	}
	u.flags &^= switching
	if m.Kind == ngap.Successful {
		g.endSource(before, ran)
	}
	g.toUE(m, u, at)
	if m.Kind != ngap.Successful {
		g.unbind(ran)
	}
}

// endSource forgets a UE's binding at the gNB that it came from.
func (g *gnb) endSource(r ref, ran uint32) {
	here := place{g.serial, ran}
	for _, p := range g.gw.bindings.find(r, nil) {
		if p == here {
			continue
		}
		if p.gnb == g.serial {
			g.unbind(p.ran)
			continue
		}
		if o := g.gw.owner(p.gnb); o != nil {
			o.ask(movedUE(p.ran), func(time.Time) { o.endMoved(p.ran, r) })
		}
	}
}

// endMoved forgets a UE that another gNB has now.
func (g *gnb) endMoved(ran uint32, r ref) {
	if u := g.ues.get(ran); u != nil && u.has(hasAMF) && u.ref() == r {
		g.unbind(ran)
	}
}

// modification may give the UE a new AMF UE NGAP ID: both hold until the gNB has
// answered (8.3.4).
func (g *gnb) modification(m *msg) {
	at := g.pdu.Find(ngap.IENewAMFUENGAPID)
	if at < 0 {
		g.relayUE(m)
		return
	}
	id, err := ngap.ReadAMFUENGAPID(g.pdu.IEs[at].Value)
	u, cur, ok := g.ownedByAMF(m)
	if !ok {
		return
	}
	if err != nil {
		g.malformed(m, ngap.IENewAMFUENGAPID)
		return
	}
	r := u.ref()
	if r.own() != id {
		r = g.newRef(u.member, id)
	}
	outer, ok := g.gw.dir.Load().ids.outer(r)
	if !ok {
		g.decline(m, DropLimit, ngap.CauseControlProcessingOverload)
		return
	}
	g.pdu.SetAMFUENGAPID(at, outer)
	if !g.translate(m, u, cur) {
		return
	}
	g.beginChange(u, r)
	if ran := u.ran; !g.deliver(g.ran, u.stream, g.octets(&g.pdu)) {
		g.askRelease(ran, m)
	}
}

// beginChange gives a UE another ID. A change that is under way is given up: the
// ID that the gNB agreed to stays the old one.
func (g *gnb) beginChange(u *ue, r ref) {
	if u.has(changing) {
		g.endChange(u, true)
	}
	if u.amf == r.id {
		return
	}
	g.ues.changes[u.ran] = u.ref()
	u.amf = r.id
	u.flags |= changing
	g.gw.bindings.add(u.ref(), place{g.serial, u.ran})
}

// oldID returns the ID that the AMF knows until it has its answer, when the gNB
// still uses the old one.
func (g *gnb) oldID(u *ue, m *msg) (uint64, bool) {
	old, ok := g.ues.changes[u.ran]
	if !ok || !u.has(changing) {
		return 0, false
	}
	id, _, err := m.AMFUENGAPID()
	if o, fits := g.gw.dir.Load().ids.outer(old); err == nil && fits && o == id {
		return old.own(), true
	}
	return 0, false
}

// endChange ends a change of the AMF UE NGAP ID: the old one is no longer the
// UE's, or the new one, when the gNB refused it.
func (g *gnb) endChange(u *ue, refused bool) {
	old, ok := g.ues.changes[u.ran]
	if !ok {
		return
	}
	if refused {
		old.id, u.amf = u.amf, old.id
	}
	delete(g.ues.changes, u.ran)
	u.flags &^= changing
	g.gw.bindings.del(old, place{g.serial, u.ran})
	g.forgetRef(old)
}
