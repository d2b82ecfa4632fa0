package n2

import (
	"net/netip"
	"time"
)

// A peer that does the same again and again, faster than anybody needs to, is
// slowed down before it costs others anything: a gNB that associates and goes, an
// AMF that comes and goes, one whose announcements change without end.

// Associations of one address that end within shortLife may be so many.
const (
	shortLife   = time.Second
	stormRate   = 0.5 // in a second
	stormBurst  = 64
	maxStorming = 4096 // addresses that are remembered
)

// ended notes how an association of a gNB ended. It is called with the lock held.
func (g *Gateway) ended(o *gnb, now time.Time) {
	if !o.left || now.Sub(o.since) >= shortLife || len(o.from) == 0 {
		return
	}
	a := g.storms[o.from[0]]
	if a == nil {
		g.forgetStorms(now)
		a = &allowance{}
		g.storms[o.from[0]] = a
	}
	a.take(now, stormRate, stormBurst)
}

// storming reports whether the associations of an address end too fast. It is
// called with the lock held.
func (g *Gateway) storming(from []netip.Addr, now time.Time) bool {
	if len(from) == 0 || g.storms[from[0]] == nil {
		return false
	}
	a := *g.storms[from[0]]
	return !a.take(now, stormRate, stormBurst)
}

// forgetStorms makes room for one more address: those that are calm go, else any.
func (g *Gateway) forgetStorms(now time.Time) {
	if len(g.storms) < maxStorming {
		return
	}
	for at, a := range g.storms {
		if now.Sub(a.at).Seconds() > stormBurst/stormRate {
			delete(g.storms, at)
		}
	}
	for at := range g.storms {
		if len(g.storms) < maxStorming {
			return
		}
		delete(g.storms, at)
	}
}

// Associations without NG Setup give way to new ones when "limits gnbs" is
// reached, the oldest first, once they had their time.
const (
	freshLife  = 2 * time.Second
	maxLeaving = 64
)

// giveWay ends the oldest association without NG Setup; false: there is none that
// had its time. It is called with the lock held.
func (g *Gateway) giveWay(now time.Time) bool {
	var oldest *gnb
	leaving := 0
	for _, o := range g.gnbs {
		switch {
		case o.leaving:
			leaving++
		case !o.settled.Load() && now.Sub(o.since) >= freshLife && (oldest == nil || o.serial < oldest.serial):
			oldest = o
		}
	}
	if oldest == nil || leaving >= maxLeaving {
		return false
	}
	o := oldest
	o.leaving = true
	o.ask(leave{}, func(time.Time) {
		o.log.Warn("an association without NG Setup gives way to a new one")
		o.abort, o.state = "gives way to another", gnbGone
	})
	return true
}

// The directory is published at once when a peer changes something, unless that
// happens again and again.
const (
	publishRate  = 50 // in a second
	publishBurst = 256
	publishPause = time.Second / publishRate
)

// changed publishes what a peer has changed; false: soon, and then everybody is
// told. It is called with the lock held.
func (g *Gateway) changed() bool {
	if g.unpublished {
		return false
	}
	if g.changes.take(g.clock(), publishRate, publishBurst) {
		g.publish()
		return true
	}
	g.unpublished = true
	time.AfterFunc(publishPause, g.publishLate)
	return false
}

func (g *Gateway) publishLate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.unpublished || g.life == nil {
		return
	}
	g.publish()
	for _, o := range g.gnbs {
		o.ask(poolNews{}, o.poolChanged)
	}
}

// A gNB hears of changes of the pool so often.
const (
	unionRate  = 1 // in a second
	unionBurst = 10
)

// An AMF that was up for less than stableAfter is dialled again the later the
// oftener that happens.
const stableAfter = 10 * time.Second

// lostAgain notes that a leg that was up is lost.
func (l *leg) lostAgain(now time.Time) {
	if now.Sub(l.since) >= stableAfter {
		l.flaps = 0
	}
	l.flaps++
}
