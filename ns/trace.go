package ns

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// loggers are those with a category, which know without a lock whether it is on.
type loggers struct{ signal, data *slog.Logger }

func newLoggers(l *slog.Logger) loggers {
	return loggers{l.With("cat", "lnssignal"), l.With("cat", "lnsdata")}
}

// newNoise bounds the lines that peers provoke, unless the log does so itself,
// behind its filters.
func newNoise(l *slog.Logger) *rate.Limiter {
	if h, ok := l.Handler().(interface{ LimitsItself() bool }); ok && h.LimitsItself() {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(noiseRate, noiseRate)
}

// warn logs what a peer provokes, at a bounded rate.
func (s *Stack) warn(now time.Time, msg string, args ...any) {
	if s.noise.AllowN(now, 1) {
		s.log.Warn(msg, append(args, "cat", "lns")...)
	}
}

// trace logs an NS PDU that passes the loop, at level debug: the NS-ALIVEs that
// workers answer are not logged.
func (s *Stack) trace(what string, with path, p *PDU) {
	if !s.logs.signal.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	s.logs.signal.Debug("NS PDU "+what, append(with.named(), "pdu", p.Type)...)
}

// named are the attributes of where a PDU comes from or goes.
func (p path) named() []any {
	args := []any{"bind", p.bind.cfg.Name, "remote", p.remote}
	if v := p.bind.vcs[p.remote]; v != nil {
		args = append(args, "nsvc", v)
	}
	return args
}

// trace logs user data that comes, at level debug: off, it costs one atomic load.
func (p *Port) trace(v *VC, bvci uint16, octets int) {
	if l := p.stack.logs.data; l.Enabled(context.Background(), slog.LevelDebug) {
		args := []any{"nsei", v.nse.nsei, "bvci", bvci, "octets", octets, "remote", v.remote}
		if id, ok := v.NSVCI(); ok {
			args = append(args, "nsvci", id)
		}
		l.Debug("NS-UNITDATA received", args...)
	}
}

// NSEI is that of the NS-VC's NSE.
func (v *VC) NSEI() uint16 { return v.nse.nsei }

// NSVCI is the NS-VC's identifier; ok tells that it has one. It may be asked
// for from anywhere.
func (v *VC) NSVCI() (id uint16, ok bool) {
	w := v.shown.Load()
	return uint16(w), w>>16 != 0
}

// setNSVCI gives the NS-VC an identifier.
func (v *VC) setNSVCI(id uint16, has bool) {
	v.nsvci, v.hasNSVCI = id, has
	if has {
		v.shown.Store(1<<16 | uint32(id))
	}
}
