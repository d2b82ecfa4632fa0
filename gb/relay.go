package gb

import (
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
	"poolgw/pool"
)

// relayByTLLI is the rule "by TLLI" in the loop: on the signalling BVC, and for
// what a worker left.
func (g *Gateway) relayByTLLI(m *message) outcome {
	tlli, ok := bssgp.ReadTLLI(m.pdu)
	if !ok {
		return refused(dropMalformed, bssgp.CauseMissingMandatoryIE)
	}
	if bvci, ok := bssgp.ReadBVCI(m.pdu); ok && m.typ == bssgp.TypeLLCDiscarded && g.cellOf(bvci) == nil {
		return refusedBVCI(dropUnknownBVCI, bssgp.CauseBVCIUnknown, bvci)
	}
	o := g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	if o.drop != delivered && m.typ == bssgp.TypePSHORequired {
		g.send(m.from, m.bvci, tlli, bssgp.AppendPSHONack(nil, bssgp.TypePSHORequiredNack, tlli, bssgp.CauseSGSNCongestion))
	}
	return o
}

// up sends a PDU to the SGSN that the pool chooses.
func (g *Gateway) up(m *message, r pool.Request, lsp uint32) outcome {
	_, o := g.ask(m, r, lsp)
	return o
}

// ask is up for what awaits an answer: it tells the SGSN, nil if the PDU was not
// sent.
func (g *Gateway) ask(m *message, r pool.Request, lsp uint32) (*member, outcome) {
	d, l := g.decide(r, m.cell, loopWorker)
	switch {
	case d.Member == nil || m.cell != nil && l == nil:
		return nil, dropped(d.reasonDropped())
	case !g.send(d.member.peer, m.bvci, lsp, m.pdu):
		return nil, done // counted by send
	}
	if r.Identity == pool.TLLI {
		g.saw(loopWorker, bssgp.Uplink, r.Value, d.Member.ID, g.now)
	}
	return d.member, done
}

// relayByIdentity is the rule of RADIO-STATUS.
func (g *Gateway) relayByIdentity(m *message) outcome {
	if tlli, ok := bssgp.ReadTLLI(m.pdu); ok {
		return g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	}
	if tmsi, ok := bssgp.ReadTMSI(m.pdu); ok {
		tlli := nri.ForeignTLLI(tmsi)
		return g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	}
	return g.up(m, g.anyRequest(m.pdu), 0)
}

// anyRequest is for what any SGSN may have; those of one IMSI go to one.
func (g *Gateway) anyRequest(pdu []byte) pool.Request {
	imsi, _ := bssgp.ReadIMSI(pdu)
	return g.imsiRequest(imsi, g.now)
}

// imsiRequest makes the pool's question for an IMSI, or for none: the SGSN that
// pages it has its subscriber.
func (g *Gateway) imsiRequest(imsi bssgp.IMSI, now time.Time) pool.Request {
	r := pool.Request{Identity: pool.None, Now: now.Sub(g.epoch)}
	if imsi.IsZero() {
		return r
	}
	r.Key = pool.KeyOf(imsi.String())
	if nsei, ok := g.memory.pagings.get(imsi, now); ok {
		r.Pin = pool.To(nsei)
	}
	return r
}

// relayRemembered is the rule of SUSPEND and RESUME.
func (g *Gateway) relayRemembered(m *message) outcome {
	tlli, _ := bssgp.ReadTLLI(m.pdu)
	to, o := g.ask(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	if to != nil {
		asked := g.memory.suspends
		if m.typ == bssgp.TypeResume {
			asked = g.memory.resumes
		}
		asked.put(tlliKey{tlli, to.cfg.NSEI}, m.from.nsei, g.now)
		return o
	}
	rai, _ := bssgp.ReadRAI(m.pdu)
	nack := bssgp.AppendSuspendNack
	if m.typ == bssgp.TypeResume {
		nack = bssgp.AppendResumeNack
	}
	g.send(m.from, m.bvci, tlli, nack(nil, tlli, rai, bssgp.CauseSGSNCongestion))
	return o
}

// answerByTLLI is the rule of their answers.
func (g *Gateway) answerByTLLI(m *message) outcome {
	tlli, _ := bssgp.ReadTLLI(m.pdu)
	asked := g.memory.suspends
	if m.typ == bssgp.TypeResumeAck || m.typ == bssgp.TypeResumeNack {
		asked = g.memory.resumes
	}
	nsei, ok := asked.take(tlliKey{tlli, m.from.nsei}, g.now)
	if !ok {
		return refused(dropNoCache, bssgp.CauseInvalidMandatoryInformation)
	}
	return g.toBSS(g.peers[nsei], m, tlli)
}

// toBSS sends a PDU to a BSS on the BVCI it came on.
func (g *Gateway) toBSS(p *peer, m *message, lsp uint32) outcome {
	if p == nil || p.member.Load() != nil {
		return dropped(dropNoDestination)
	}
	if p.lacking(m.typ) {
		return g.lacked(m)
	}
	g.send(p, m.bvci, lsp, m.pdu)
	return done
}

// relayToCell is the rule "to the cell" in the loop.
func (g *Gateway) relayToCell(m *message) outcome {
	b := m.cell.bss.Load()
	if b == nil || !b.unblocked() {
		return dropped(dropInactive)
	}
	if b.peer.lacking(m.typ) {
		return g.lacked(m)
	}
	tlli, known := bssgp.ReadTLLI(m.pdu)
	g.send(b.peer, m.bvci, tlli, m.pdu)
	if mb := m.from.member.Load(); known && mb != nil {
		g.saw(loopWorker, bssgp.Downlink, tlli, mb.cfg.NSEI, g.now)
		g.sawChange(tlli, m.pdu)
	}
	return done
}

// relayByBVCI sends to the BSS of the cell that the PDU names.
func (g *Gateway) relayByBVCI(m *message) outcome {
	bvci, _ := bssgp.ReadBVCI(m.pdu)
	c := g.cellOf(bvci)
	if c == nil || !c.active() {
		return refusedBVCI(dropUnknownBVCI, bssgp.CauseBVCIUnknown, bvci)
	}
	tlli, _ := bssgp.ReadTLLI(m.pdu)
	return g.toBSS(c.bss.Load().peer, m, tlli)
}

// relayFlush is the rule of FLUSH-LL. The new cell stays in it when the same
// BSS has it; else the BSS can't hand over what it has and must delete it (TS
// 48.018 8.1: we never ask for inter-NSE re-routeing).
func (g *Gateway) relayFlush(m *message) outcome {
	o := g.cellNamed(m)
	if o.drop != delivered {
		return o
	}
	tlli, _ := bssgp.ReadTLLI(m.pdu)
	old, _ := bssgp.ReadBVCI(m.pdu)
	if mb := m.from.member.Load(); mb != nil {
		g.saw(loopWorker, bssgp.Downlink, tlli, mb.cfg.NSEI, g.now) // the answer finds back to it
	}
	flush, from := *m, g.cellOf(old)
	flush.pdu = g.flushFor(m.pdu, bssgp.FlushLL{TLLI: tlli, OldBVCI: old}, from)
	return g.toBSS(from.bss.Load().peer, &flush, tlli)
}

// flushFor is the FLUSH-LL that the BSS of the old cell gets: f holds what stays
// in any case. The new NSE, which is the one that the SGSN takes us for, stays
// only toward a BSS that is not known to lack inter-NSE re-routeing.
func (g *Gateway) flushFor(pdu []byte, f bssgp.FlushLL, old *cell) []byte {
	bvci, ok := bssgp.ReadNewBVCI(pdu)
	if !ok {
		return pdu
	}
	if to := g.cellOf(bvci); to != nil && to.nsei == old.nsei {
		if _, named := bssgp.ReadNSEI(pdu); !named || !old.bss.Load().peer.lacksAny(bssgp.FeatINR) {
			return pdu
		}
		f.NewBVCI = &bvci
	}
	return f.Append(nil)
}

// cellNamed refuses a PDU whose BVCI IE names no active cell.
func (g *Gateway) cellNamed(m *message) outcome {
	bvci, _ := bssgp.ReadBVCI(m.pdu)
	if c := g.cellOf(bvci); c == nil || !c.active() {
		return refusedBVCI(dropUnknownBVCI, bssgp.CauseBVCIUnknown, bvci)
	}
	return done
}

// relayToAll is the rule of trace and overload.
func (g *Gateway) relayToAll(m *message) outcome {
	n := 0
	for _, p := range g.bssList() {
		if p.alive() && (p.sig != nil || len(p.bvcs) > 0) {
			g.send(p, m.bvci, 0, m.pdu)
			n++
		}
	}
	if n == 0 {
		return dropped(dropNoDestination)
	}
	return done
}

// unknownUp relays a PDU of a type that we don't know, if it says whose it is.
func (g *Gateway) unknownUp(m *message) outcome {
	if tlli, ok := bssgp.ReadTLLI(m.pdu); ok {
		return g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	}
	if _, ok := bssgp.ReadBVCI(m.pdu); ok {
		return g.up(m, g.anyRequest(m.pdu), 0)
	}
	return refused(dropType, bssgp.CauseProtocolErrorUnspecified)
}

func (g *Gateway) unknownDown(m *message) outcome {
	tlli, hasTLLI := bssgp.ReadTLLI(m.pdu)
	bvci, hasBVCI := bssgp.ReadBVCI(m.pdu)
	if m.kind == bssgp.PTP && (hasTLLI || hasBVCI) {
		return g.relayToCell(m)
	}
	if c := g.cellOf(bvci); hasBVCI && c != nil && c.active() {
		return g.toBSS(c.bss.Load().peer, m, tlli)
	}
	if nsei, ok := g.memory.asked(tlliKey{tlli, m.from.nsei}, g.now); hasTLLI && ok {
		return g.toBSS(g.peers[nsei], m, tlli)
	}
	return refused(dropType, bssgp.CauseProtocolErrorUnspecified)
}

func (g *Gateway) cellOf(bvci uint16) *cell { return g.cells[bvci].Load() }

// plmnOf is the PLMN in which a PDU's identity has its meaning: that of the
// cell, of the area it names, else of all cells of the BSS.
func (g *Gateway) plmnOf(m *message) nri.PLMN {
	if m.cell != nil {
		return m.cell.plmn()
	}
	if rai, ok := bssgp.ReadRAI(m.pdu); ok {
		return rai.PLMN()
	}
	if bvci, ok := bssgp.ReadBVCI(m.pdu); ok && g.cellOf(bvci) != nil {
		return g.cellOf(bvci).plmn()
	}
	return m.from.plmn()
}

// plmn is the PLMN that all active cells of a BSS have, zero when they differ:
// then no NULL-NRI of a single one counts.
func (p *peer) plmn() (all nri.PLMN) {
	for _, b := range p.bvcs {
		switch one := b.cell.plmn(); {
		case all.IsAny():
			all = one
		case all != one:
			return nri.PLMN{}
		}
	}
	return all
}
