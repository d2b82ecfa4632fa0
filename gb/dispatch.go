package gb

import (
	"context"
	"log/slog"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// UnitData takes a PDU that no worker dealt with; it implements ns.Upper.
func (g *Gateway) UnitData(now time.Time, nse *ns.NSE, bvci uint16, pdu []byte) {
	p, ok := nse.Owner.(*peer)
	if !ok {
		return
	}
	g.now = now
	m := message{from: p, bvci: bvci, pdu: pdu, kind: bssgp.KindOf(bvci), dir: bssgp.Uplink}
	if mb := p.member.Load(); mb != nil {
		m.dir = bssgp.Downlink
		mb.flows.from(loopWorker, len(pdu))
	}
	if b := p.bvc(bvci); b != nil && m.kind == bssgp.SIG {
		b.flows.from(loopWorker, len(pdu))
	}
	g.trace("received", p, bvci, pdu)
	if o := g.route(&m); o.drop != delivered {
		g.refuse(&m, o)
	}
}

// route does the checks in the order of the specification (TS 48.018 9, 10 and
// clause 5.4 for the kinds of BVC) and hands the PDU to its rule.
func (g *Gateway) route(m *message) outcome {
	if len(m.pdu) == 0 {
		return refused(dropEmpty, bssgp.CauseSemanticallyIncorrectPDU)
	}
	m.typ = bssgp.PDUType(m.pdu[0])
	if m.from.parts(g.now, m.typ) {
		return dropped(dropFormer)
	}
	r := g.routes.Load()[m.dir][m.kind][m.typ]
	if r == refuse {
		return refused(dropType, bssgp.CauseProtocolErrorUnspecified)
	}
	if m.kind == bssgp.PTP {
		if o := g.findBVC(m); o.drop != delivered {
			return o
		}
		m.bvc.flows.from(loopWorker, len(m.pdu))
	}
	if r != unknownUp && r != unknownDown {
		if e := bssgp.Check(m.pdu, m.dir, m.kind); e != nil {
			return refused(dropMalformed, e.Cause)
		}
	}
	return rules[r].do(g, m)
}

func (g *Gateway) findBVC(m *message) outcome {
	m.cell = g.cells[m.bvci].Load()
	if m.dir == bssgp.Uplink {
		return g.findBVCUp(m)
	}
	return g.findBVCDown(m)
}

// findBVCUp never makes a BSS believe that a cell which exists is unknown or
// blocked: it would reset the BVC and drop its subscribers.
func (g *Gateway) findBVCUp(m *message) outcome {
	if m.cell == nil {
		return refusedBVCI(dropBVCI, bssgp.CauseBVCIUnknown, m.bvci)
	}
	m.bvc = m.cell.bss.Load()
	switch {
	case m.cell.nsei != m.from.nsei:
		return dropped(dropOtherBSS)
	case m.bvc == nil:
		g.reclaim(m.cell, m.from)
		return dropped(dropInactive)
	case !m.bvc.unblocked() && m.typ != bssgp.TypeStatus:
		return dropped(dropBlocked)
	}
	return done
}

func (g *Gateway) findBVCDown(m *message) outcome {
	if mb := m.from.member.Load(); m.cell != nil && mb != nil {
		m.bvc = m.cell.link(mb.slot)
	}
	if m.bvc == nil {
		return refusedBVCI(dropBVCI, bssgp.CauseBVCIUnknown, m.bvci)
	}
	if !m.bvc.unblocked() && m.typ != bssgp.TypeStatus && m.typ != bssgp.TypeFlowControlBVCAck {
		return refusedBVCI(dropBlocked, bssgp.CauseBVCIBlocked, m.bvci)
	}
	return done
}

// refuse counts and logs a dropped PDU and answers it if that is called for;
// a STATUS never is (TS 48.018 10.4.14).
func (g *Gateway) refuse(m *message, o outcome) {
	g.countDrop(o.drop, m.dir, m.bvc)
	if g.logs.pdus.Enabled(context.Background(), slog.LevelInfo) && g.limit.allow(g.now) {
		g.logs.pdus.LogAttrs(context.Background(), slog.LevelInfo, "PDU dropped",
			append([]slog.Attr{slog.Any("reason", o.drop)}, about(m.from, m.bvci, m.pdu)...)...)
	}
	if o.answer && m.typ != bssgp.TypeStatus {
		g.sendStatus(m, o)
	}
}

// send sends a PDU on a BVC of a peer. What can't be sent is counted.
func (g *Gateway) send(p *peer, bvci uint16, lsp uint32, pdu []byte) bool {
	if p == nil || p.nse == nil || !g.stack.Send(p.nse, bvci, lsp, pdu) {
		g.drops[dropNSE].Add(1)
		if p != nil {
			g.notSent(p, p.bvc(bvci))
		}
		return false
	}
	g.trace("sent", p, bvci, pdu)
	if m := p.member.Load(); m != nil {
		m.flows.to(loopWorker, len(pdu))
	}
	if b := p.bvc(bvci); b != nil {
		b.flows.to(loopWorker, len(pdu))
	}
	return true
}
