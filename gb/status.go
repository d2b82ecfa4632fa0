package gb

import (
	"context"
	"log/slog"

	"poolgw/bssgp"
	"poolgw/nri"
)

// sendStatus answers a PDU with a STATUS on the BVCI it came on (TS 48.018
// 10.4.14), the PDU in error cut to what the NSE can carry.
func (g *Gateway) sendStatus(m *message, o outcome) {
	mtu := defaultMTU
	if m.from.nse != nil {
		if n := m.from.nse.MTU() - nsHeader; n > 0 {
			mtu = n
		}
	}
	lsp, _ := bssgp.ReadTLLI(m.pdu)
	// A slice that is not nil, so that an empty PDU gives an empty IE.
	inError := append([]byte{}, m.pdu...)
	g.send(m.from, m.bvci, lsp, bssgp.AppendStatus(nil, o.cause, o.bvci, inError, mtu))
}

const defaultMTU = 1594 // octets of BSSGP before the NS layer has told

// statusLocal tells the causes that speak of this BVC between the peer and us:
// passed on, they would speak of another one.
func statusLocal(pdu []byte) bool {
	c, _ := bssgp.ReadCause(pdu)
	return c == bssgp.CauseBVCIUnknown || c == bssgp.CauseBVCIBlocked
}

// statusUp routes a BSS's STATUS by what the PDU in error tells.
func (g *Gateway) statusUp(m *message) outcome {
	if statusLocal(m.pdu) {
		g.logStatus(m)
		return dropped(dropStatusLocal)
	}
	inner, _ := bssgp.ReadPDUInError(m.pdu)
	if tlli, ok := bssgp.ReadTLLI(inner); ok {
		return g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	}
	if tmsi, ok := bssgp.ReadTMSI(inner); ok {
		tlli := nri.ForeignTLLI(tmsi)
		return g.up(m, g.request(tlli, g.plmnOf(m), g.now), tlli)
	}
	return g.up(m, g.anyRequest(inner), 0)
}

// statusDown routes an SGSN's STATUS.
func (g *Gateway) statusDown(m *message) outcome {
	if statusLocal(m.pdu) {
		g.logStatus(m)
		g.mend(m)
		return dropped(dropStatusLocal)
	}
	if m.kind == bssgp.PTP {
		return g.relayToCell(m)
	}
	inner, _ := bssgp.ReadPDUInError(m.pdu)
	if bvci, ok := bssgp.ReadBVCI(inner); ok {
		if c := g.cellOf(bvci); c != nil && c.active() {
			return g.toBSS(c.bss.Load().peer, m, 0)
		}
	}
	if tlli, ok := bssgp.ReadTLLI(inner); ok {
		if nsei, ok := g.memory.asked(tlliKey{tlli, m.from.nsei}, g.now); ok {
			return g.toBSS(g.peers[nsei], m, tlli)
		}
	}
	return dropped(dropStatus)
}

func (g *Gateway) logStatus(m *message) {
	if g.limit.allow(g.now) {
		c, _ := bssgp.ReadCause(m.pdu)
		bvci, _ := bssgp.ReadBVCI(m.pdu)
		inner, _ := bssgp.ReadPDUInError(m.pdu)
		as := []slog.Attr{slog.Uint64("nsei", uint64(m.from.nsei)), slog.String("side", m.from.side()), slog.Any("cause", c),
			slog.Uint64("bvci", uint64(bvci))}
		if tlli, ok := bssgp.ReadTLLI(inner); ok {
			as = append(as, logTLLI(tlli))
		}
		g.logs.pdus.LogAttrs(context.Background(), slog.LevelWarn, "STATUS", as...)
	}
}

// mend resets a BVC that an SGSN does not know though we have it unblocked: it
// has lost it without a reset of its signalling BVC.
func (g *Gateway) mend(m *message) {
	mb := m.from.member.Load()
	bvci, ok := bssgp.ReadBVCI(m.pdu)
	c, _ := bssgp.ReadCause(m.pdu)
	if mb == nil || !ok || c != bssgp.CauseBVCIUnknown {
		return
	}
	if l := mb.bvcs[bvci]; l != nil && l.unblocked() && g.now.Sub(l.mended) >= mendEvery {
		l.mended = g.now
		l.reset(g.now, bssgp.CauseOMIntervention)
	}
}
