package gb

import (
	"context"
	"fmt"
	"log/slog"

	"poolgw/bssgp"
)

// about says whom a PDU is about: the NSE it came from or goes to, the BVC, the
// cell and the subscriber that it names. The log's filters go by these.
func about(p *peer, bvci uint16, pdu []byte) []slog.Attr {
	as := []slog.Attr{slog.Uint64("nsei", uint64(p.nsei)), slog.String("side", p.side()), slog.Uint64("bvci", uint64(bvci))}
	if len(pdu) > 0 {
		as = append(as, slog.Any("pdu", bssgp.PDUType(pdu[0])))
	}
	if named, ok := bssgp.ReadBVCI(pdu); ok && named != bvci {
		as = append(as, slog.Uint64("names_bvci", uint64(named)))
	}
	if tlli, ok := bssgp.ReadTLLI(pdu); ok {
		as = append(as, logTLLI(tlli))
	}
	if imsi, ok := bssgp.ReadIMSI(pdu); ok {
		as = append(as, slog.String("imsi", imsi.String()))
	}
	return append(as, slog.Int("octets", len(pdu)))
}

func logTLLI(tlli uint32) slog.Attr { return slog.String("tlli", fmt.Sprintf("0x%08x", tlli)) }

// trace logs a PDU that passes the loop, at level debug.
func (g *Gateway) trace(what string, p *peer, bvci uint16, pdu []byte) {
	if len(pdu) > 0 && g.logs.pdus.Enabled(context.Background(), slog.LevelDebug) {
		g.logs.pdus.LogAttrs(context.Background(), slog.LevelDebug, "PDU "+what, about(p, bvci, pdu)...)
	}
}

// traceUp and traceDown log user data that a worker relays, at level debug:
// off, they cost one atomic load.
func (g *Gateway) traceUp(from *peer, bvci uint16, pdu []byte, d *decision) {
	if g.logs.routing.Enabled(context.Background(), slog.LevelDebug) {
		as := append(about(from, bvci, pdu), slog.String("reason", d.Reason.String()))
		if d.Member != nil {
			as = append(as, slog.Uint64("sgsn", uint64(d.Member.ID)))
		}
		g.logs.routing.LogAttrs(context.Background(), slog.LevelDebug, "user data relayed", as...)
	}
}

func (g *Gateway) traceDown(from, to *peer, bvci uint16, pdu []byte) {
	if g.logs.routing.Enabled(context.Background(), slog.LevelDebug) {
		g.logs.routing.LogAttrs(context.Background(), slog.LevelDebug, "user data relayed",
			append(about(from, bvci, pdu), slog.Uint64("bss", uint64(to.nsei)))...)
	}
}

// loggers are those with a category, which know without a lock whether it is on.
type loggers struct{ pdus, routing *slog.Logger }

func newLoggers(l *slog.Logger) loggers {
	return loggers{l.With("cat", "lbssgp"), l.With("cat", "gprs")}
}

// selfLimiting is a log that bounds its lines itself, behind its filters: what
// nobody wants to see must not use up what somebody wants.
type selfLimiting interface{ LimitsItself() bool }

func limitsItself(l *slog.Logger) bool {
	s, ok := l.Handler().(selfLimiting)
	return ok && s.LimitsItself()
}
