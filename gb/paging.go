package gb

import "poolgw/bssgp"

// pageCell is the rule of paging on a PTP BVC: it goes to that cell, whatever
// area it names.
func (g *Gateway) pageCell(m *message) outcome {
	g.rememberPaging(m)
	return g.relayToCell(m)
}

// pageArea is the rule of paging on the signalling BVC. An unknown area is no
// error of the SGSN's PDU: there is no STATUS for it.
func (g *Gateway) pageArea(m *message) outcome {
	to, o := g.paged(m)
	if o.drop != delivered {
		return o
	}
	g.rememberPaging(m)
	tlli, _ := bssgp.ReadTLLI(m.pdu)
	for _, p := range to {
		g.send(p, m.bvci, tlli, m.pdu)
	}
	return done
}

// paged returns the BSSs of the area that a paging names, each once.
func (g *Gateway) paged(m *message) ([]*peer, outcome) {
	if bvci, ok := bssgp.ReadBVCI(m.pdu); ok {
		c := g.cellOf(bvci)
		if c == nil || !c.active() {
			return nil, dropped(dropUnknownBVCI)
		}
		return []*peer{c.bss.Load().peer}, done
	}
	a := g.areas()
	if rai, ok := bssgp.ReadRAI(m.pdu); ok {
		return a.byRAI[rai], orDropped(a.byRAI[rai], dropUnknownRAI)
	}
	if lai, ok := bssgp.ReadLAI(m.pdu); ok {
		return a.byLAI[lai], orDropped(a.byLAI[lai], dropUnknownLAI)
	}
	return a.all, orDropped(a.all, dropNoDestination)
}

func orDropped(to []*peer, r dropReason) outcome {
	if len(to) == 0 {
		return dropped(r)
	}
	return done
}

// areaIndex tells the BSSs with active cells in an area.
type areaIndex struct {
	byRAI map[bssgp.RAI][]*peer
	byLAI map[bssgp.LAI][]*peer
	all   []*peer
}

// areas returns the index, made anew after cells have changed.
func (g *Gateway) areas() *areaIndex {
	if g.areaIndex != nil {
		return g.areaIndex
	}
	a := &areaIndex{byRAI: make(map[bssgp.RAI][]*peer), byLAI: make(map[bssgp.LAI][]*peer)}
	for _, p := range g.bssList() {
		for _, b := range sorted(p.bvcs) {
			rai := b.cell.id.Load().RAI()
			a.byRAI[rai] = addPeer(a.byRAI[rai], p)
			a.byLAI[rai.LAI()] = addPeer(a.byLAI[rai.LAI()], p)
			a.all = addPeer(a.all, p)
		}
	}
	g.areaIndex = a
	return a
}

// addPeer appends p unless it is the last: a BSS's cells come one after another.
func addPeer(list []*peer, p *peer) []*peer {
	if n := len(list); n > 0 && list[n-1] == p {
		return list
	}
	return append(list, p)
}

// rememberPaging keeps who paged, for PAGING-PS-REJECT and
// DUMMY-PAGING-PS-RESPONSE.
func (g *Gateway) rememberPaging(m *message) {
	if m.typ == bssgp.TypePagingCS {
		return
	}
	if imsi, ok := bssgp.ReadIMSI(m.pdu); ok {
		g.memory.pagings.put(imsi, m.from.nsei, g.now)
	}
}

// answerPaging is the rule of the answers to paging.
func (g *Gateway) answerPaging(m *message) outcome {
	imsi, ok := bssgp.ReadIMSI(m.pdu)
	if !ok {
		return refused(dropMalformed, bssgp.CauseInvalidMandatoryInformation)
	}
	nsei, ok := g.memory.pagings.get(imsi, g.now)
	mb := g.members[nsei]
	if !ok || mb == nil {
		return dropped(dropNoCache)
	}
	if m.cell != nil {
		if l := m.cell.link(mb.slot); l == nil || !l.unblocked() {
			return dropped(dropNoBVC)
		}
	}
	g.send(mb.peer, m.bvci, 0, m.pdu)
	return done
}

// registrationEnquiry asks all live SGSNs, since any of them may know the IMSI;
// or one, by "pool registration-enquiry any".
func (g *Gateway) registrationEnquiry(m *message) outcome {
	imsi, ok := bssgp.ReadIMSI(m.pdu)
	if !ok {
		return refused(dropMalformed, bssgp.CauseInvalidMandatoryInformation)
	}
	if g.cfg.RegistrationEnquiryAny {
		o := g.up(m, g.anyRequest(m.pdu), 0)
		if o.drop == delivered {
			g.memory.enquiries.put(imsi, m.from.nsei, g.now)
		}
		return o
	}
	n := 0
	for _, mb := range g.directory.Load().members {
		if mb.up && g.send(mb.peer, m.bvci, 0, m.pdu) {
			n++
		}
	}
	if n == 0 {
		return dropped(dropPoolDown)
	}
	g.memory.enquiries.put(imsi, m.from.nsei, g.now)
	return done
}

// answerEnquiry gives the first answer to the BSS that enquired. The later ones
// of the other SGSNs are no error: they find no entry.
func (g *Gateway) answerEnquiry(m *message) outcome {
	imsi, ok := bssgp.ReadIMSI(m.pdu)
	if !ok {
		return refused(dropMalformed, bssgp.CauseInvalidMandatoryInformation)
	}
	nsei, ok := g.memory.enquiries.take(imsi, g.now)
	switch {
	case ok:
		return g.toBSS(g.peers[nsei], m, 0)
	case len(g.members) > 1 && !g.cfg.RegistrationEnquiryAny:
		return dropped(dropNoCache)
	}
	return refused(dropNoCache, bssgp.CauseInvalidMandatoryInformation)
}
