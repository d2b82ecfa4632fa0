package n2

import (
	"slices"

	"poolgw/ngap"
)

// resetFromGNB: the gNB is answered at once, with the list that it gave, and the
// AMFs concerned are told with their own IDs (8.7.4).
func (g *gnb) resetFromGNB(m *msg) {
	if m.Kind != ngap.Initiating {
		g.absorb() // the answer to ours
		return
	}
	all, list, ok := g.resetType(m)
	if !ok {
		return
	}
	g.absorb()
	parts := make(map[uint8][]ngap.Connection)
	if all {
		for _, l := range g.legs {
			if l.state == legUp {
				g.originate(l.link, 0, g.octets(&g.pdu))
			}
		}
		g.dropUEs()
	} else {
		for _, c := range list {
			g.resetOne(c, parts)
		}
		g.resetAMFs(parts, m)
	}
	g.acknowledgeReset(g.ran, m, all, list)
}

// resetOne forgets a UE of the gNB's list, and notes what its AMF is told.
func (g *gnb) resetOne(c ngap.Connection, parts map[uint8][]ngap.Connection) {
	u := g.connection(c)
	if u == nil {
		return
	}
	if u.has(hasAMF) && !u.has(switching) { // until its AMF agrees it is another gNB's
		parts[u.member] = append(parts[u.member], ngap.Connection{AMF: u.ref().own(), HasAMF: true, RAN: u.ran, HasRAN: true})
	}
	g.unbind(u.ran)
}

// connection finds the UE that the gNB means, by either ID, or nil.
func (g *gnb) connection(c ngap.Connection) *ue {
	if c.HasRAN {
		u := g.ues.get(c.RAN)
		if u != nil && c.HasAMF && !g.names(u, c.AMF) {
			return nil
		}
		return u
	}
	if !c.HasAMF {
		return nil
	}
	return g.byAMFID(c.AMF)
}

// byAMFID finds the UE of this gNB that it calls so. In a transparent pool that
// is none when the UEs of several AMFs are.
func (g *gnb) byAMFID(id uint64) (u *ue) {
	d := g.gw.dir.Load()
	r, ok := d.ids.inner(id)
	if !ok {
		return nil
	}
	if !d.ids.transparent {
		ran, ok := g.gw.bindings.in(r, g.serial)
		if !ok {
			ran, _ = g.gw.bindings.in(r.past(), g.serial)
		}
		if u = g.ues.get(ran); u != nil && g.names(u, id) {
			return u
		}
		return nil
	}
	for _, m := range d.members {
		ran, ok := g.gw.bindings.in(ref{m.id, id}, g.serial)
		if ok && u != nil {
			return nil
		} else if ok {
			u = g.ues.get(ran)
		}
	}
	return u
}

// resetAMFs sends each AMF the part of a reset that is its own.
func (g *gnb) resetAMFs(parts map[uint8][]ngap.Connection, m *msg) {
	cause, _ := m.Value(ngap.IECause)
	for id, list := range parts {
		if l := g.legs[id]; l != nil && l.state == legUp {
			g.sendReset(l.link, cause, list)
		}
	}
}

// resetPart is how many connections one NG Reset of the gateway's own names: some
// 50,000 octets, which every transport takes.
const resetPart = 4096

func (g *gnb) sendReset(k *link, cause []byte, list []ngap.Connection) {
	for part := range slices.Chunk(list, resetPart) {
		g.originate(k, 0, g.reset(cause, part))
	}
}

// reset is an NG Reset of some connections.
func (g *gnb) reset(cause []byte, list []ngap.Connection) []byte {
	p := g.made.New(ngap.CodeNGReset, ngap.Initiating)
	if cause == nil {
		cause = ngap.AppendCause(nil, ngap.CauseMiscUnspecified)
	}
	p.Add(ngap.IECause, ngap.Ignore, cause)
	p.Add(ngap.IEResetType, ngap.Reject, ngap.AppendResetPart(nil, list))
	return p.Append(nil)
}

// resetType reads what is to be reset.
func (g *gnb) resetType(m *msg) (all bool, list []ngap.Connection, ok bool) {
	v, ok := m.Value(ngap.IEResetType)
	if !ok {
		g.malformed(m, ngap.IEResetType)
		return false, nil, false
	}
	all, list, err := ngap.ReadResetType(v, nil)
	if err != nil {
		g.malformed(m, ngap.IEResetType)
		return false, nil, false
	}
	return all, list, true
}

// acknowledgeReset mirrors the list of a reset to its sender.
func (g *gnb) acknowledgeReset(k *link, _ *msg, all bool, list []ngap.Connection) {
	p := g.made.New(ngap.CodeNGReset, ngap.Successful)
	if !all {
		p.Add(ngap.IEUEAssociatedLogicalNGConnectionList, ngap.Ignore, ngap.AppendConnections(nil, list))
	}
	if !g.originate(k, 0, p.Append(nil)) { // too long, perhaps: without the list it is an answer still
		g.originate(k, 0, g.made.New(ngap.CodeNGReset, ngap.Successful).Append(nil))
	}
}

// resetFromAMF ends that AMF's UEs only, whatever it means by "all", and tells the
// gNB of these.
func (g *gnb) resetFromAMF(m *msg) {
	if m.Kind != ngap.Initiating {
		g.absorb()
		return
	}
	all, list, ok := g.resetType(m)
	if !ok {
		return
	}
	g.absorb()
	var gone []uint32
	if all {
		gone = g.ues.of(m.leg.m.id)
	} else {
		for _, c := range list {
			if u := g.connectionOf(m.leg.m.id, c); u != nil {
				gone = append(gone, u.ran)
			}
		}
	}
	cause, _ := m.Value(ngap.IECause)
	g.resetGNB(gone, cause)
	g.acknowledgeReset(m.leg.link, m, all, list)
}

// connectionOf finds the UE that an AMF means, when it is that AMF's.
func (g *gnb) connectionOf(member uint8, c ngap.Connection) *ue {
	ran, ok := c.RAN, c.HasRAN
	if !ok && c.HasAMF {
		ran, ok = g.ranOf(member, c.AMF)
	}
	if !ok {
		return nil
	}
	u := g.ues.get(ran)
	if u == nil || u.member != member || c.HasAMF && u.has(hasAMF) && !g.uses(u, c.AMF) {
		return nil
	}
	return u
}

// resetGNB tells the gNB that some of its UEs have ended, and forgets them.
func (g *gnb) resetGNB(rans []uint32, cause []byte) {
	d := g.gw.dir.Load()
	var list []ngap.Connection
	for _, ran := range rans {
		u := g.ues.get(ran)
		if u == nil {
			continue // it stood in the list twice
		}
		c := ngap.Connection{RAN: ran, HasRAN: true}
		if o, ok := d.ids.outer(u.ref()); ok && u.has(hasAMF) {
			c.AMF, c.HasAMF = o, true
		}
		list = append(list, c)
		g.unbind(ran)
	}
	g.sendReset(g.ran, cause, list)
}
