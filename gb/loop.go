package gb

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"

	"poolgw/ns"
)

// run is the loop: it owns the NS stack, the BVC machines, the cells and the
// caches, and ends when stop is closed.
func (g *Gateway) run(stop, done chan struct{}) {
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	for {
		g.arm(wake)
		select {
		case grp := <-g.stack.Control():
			g.turn(func(now time.Time) { g.stack.Handle(now, grp) })
		case f := <-g.ops:
			g.turn(f)
		case <-wake.C:
			g.turn(func(time.Time) {})
		case <-stop:
			_ = g.stack.Close() // sockets that close badly are gone as well
			g.ended.Store(true)
			close(done)
			return
		}
	}
}

// turn is one turn of the loop: what came, what is due, what is to be sent.
func (g *Gateway) turn(f func(now time.Time)) {
	now := g.clock()
	g.now = now
	g.watchTurn(now)
	f(now)
	g.stack.Expire(now)
	g.timers.expire(now)
	g.memory.expire(now)
	g.stack.Flush()
}

// arm sets the timer to the earliest deadline.
func (g *Gateway) arm(wake *time.Timer) {
	next, armed := g.stack.Deadline()
	if t, ok := g.timers.next(); ok && (!armed || t.Before(next)) {
		next, armed = t, true
	}
	now, wait := g.clock(), time.Hour
	if armed {
		wait = next.Sub(now)
	}
	wait = max(0, wait)
	g.watch.arm(now.Add(wait))
	wake.Reset(wait)
}

// NewNSE implements ns.Upper.
func (g *Gateway) NewNSE(nse *ns.NSE) any {
	p := &peer{nse: nse, nsei: nse.NSEI(), bvcs: make(map[uint16]*bvc)}
	g.peers[p.nsei] = p
	g.setLacks(p)
	if m := g.members[p.nsei]; m != nil {
		g.adopt(m, p)
	}
	return p
}

// FreeNSE implements ns.Upper.
func (g *Gateway) FreeNSE(now time.Time, nse *ns.NSE) {
	g.now = now
	p, ok := nse.Owner.(*peer)
	if !ok {
		return
	}
	if m := p.member.Load(); m != nil {
		g.abandon(now, m)
	} else {
		g.bssDown(now, p)
	}
	if g.peers[p.nsei] == p {
		delete(g.peers, p.nsei)
		g.memory.forget(p.nsei)
	}
}

// Status implements ns.Upper.
func (g *Gateway) Status(now time.Time, nse *ns.NSE, ev ns.Event) {
	g.now = now
	p, ok := nse.Owner.(*peer)
	if !ok {
		return
	}
	m := p.member.Load()
	if ev == ns.EventRecovery || ev == ns.EventFailure {
		g.opt.Notify(NSEChange{NSEI: p.nsei, SGSN: m != nil, Alive: ev == ns.EventRecovery})
	}
	switch {
	case ev == ns.EventRecovery && g.catchUp(now, p):
	case ev == ns.EventRecovery && m != nil:
		g.sgsnUp(now, m)
	case ev == ns.EventRecovery:
		g.bssUp(now, p)
	case ev == ns.EventFailure && m != nil:
		g.sgsnDown(now, m)
	case ev == ns.EventFailure:
		g.lostBSSs.Add(1)
		g.bssDown(now, p)
	}
}

// logLimit limits log lines that peers can provoke.
type logLimit struct{ l *rate.Limiter }

func newLogLimit(l *slog.Logger, perSecond uint32) logLimit {
	if limitsItself(l) {
		return logLimit{rate.NewLimiter(rate.Inf, 0)}
	}
	return logLimit{rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond)))}
}

func (l logLimit) allow(now time.Time) bool { return l.l.AllowN(now, 1) }
