package n2

import (
	"time"

	"poolgw/ngap"
)

// guard is what a UE waits for, not for ever: a binding whose procedure has no end
// would be there as long as its gNB. Guards are looked at by a sweep of all UEs
// every so often, so that a UE costs no timer.
type guard uint8

// The guards, each with a "timer" of its name.
const (
	guardInitial  guard = iota // an AMF's first answer
	guardRelease               // the command after a gNB's request; the gNB's Complete after a command
	guardHandover              // the answer to a Handover Request or Path Switch Request; Handover Notify
	guardRequest               // a gNB's answer to a request that belongs to no UE
	guards        = iota
)

var guardNames = [guards]string{"initial-ue", "release", "handover", "request"}

func (w guard) String() string { return guardNames[w] }

// guardOf is how long a guard waits.
func (c *Config) guardOf(w guard) time.Duration {
	return [guards]time.Duration{c.InitialGuard, c.ReleaseGuard, c.HandoverGuard, c.RequestGuard}[w]
}

// waits returns what a UE waits for since u.since; false: for nothing that must come.
func (u *ue) waits() (guard, bool) {
	switch {
	case u.has(orphaned): // its release is under way, or its next uplink decides
		return 0, false
	case !u.has(hasAMF):
		return guardInitial, true
	case u.has(releasing | leaving):
		return guardRelease, true
	case u.has(switching | arriving):
		return guardHandover, true
	}
	return 0, false
}

// begins notes that a UE waits from now on.
func (u *ue) begins(f ueFlags, now time.Time) {
	u.flags |= f
	u.since = now.UnixNano()
}

// sweepLater has the sweeps go on while there is something to watch.
func (g *gnb) sweepLater() {
	if g.sweeping {
		return
	}
	g.sweeping = true
	c := g.gw.dir.Load().cfg
	every := min(c.InitialGuard, c.ReleaseGuard, c.HandoverGuard, c.RequestGuard) / 4
	g.timers.set(sweepTimer{}, g.gw.clock(), min(max(every, 100*time.Millisecond), 5*time.Second), func(now time.Time) {
		g.sweeping = false
		g.sweep(now)
		if g.ues.len() > 0 || len(g.incoming) > 0 || len(g.asked.by) > 0 {
			g.sweepLater()
		}
	})
}

// sweep ends what has waited too long.
func (g *gnb) sweep(now time.Time) {
	c := g.gw.dir.Load().cfg
	var late [guards][]uint32
	g.ues.each(func(u *ue) {
		if w, ok := u.waits(); ok && now.UnixNano()-u.since >= int64(c.guardOf(w)) {
			late[w] = append(late[w], u.ran)
		}
	})
	for w, list := range late {
		if len(list) > 0 {
			g.gw.counters.guards[w].Add(uint64(len(list)))
			g.log.Warn("UEs have waited too long", "timer", guard(w).String(), "ues", len(list))
		}
	}
	g.release(late[guardInitial], ngap.CauseRelease5GCReason, now)
	g.endReleases(late[guardRelease], now)
	g.endHandovers(late[guardHandover], now)
	g.endIncoming(c.HandoverGuard, now)
	g.endRequests(c.RequestGuard, now)
}

// release commands the gNB to release UEs, paced, and forgets them.
func (g *gnb) release(list []uint32, c ngap.Cause, now time.Time) {
	for _, ran := range list {
		g.ues.get(ran).flags |= orphaned
	}
	g.releasePaced(list, c, now)
}

// endReleases: a gNB that does not complete a release has ended it, for all that is
// known. An AMF that does not answer a gNB's request is told by NG Reset that the UE
// is gone (8.7.4), and the gNB gets its command.
func (g *gnb) endReleases(list []uint32, now time.Time) {
	parts := make(map[uint8][]ngap.Connection)
	var leaving []uint32
	for _, ran := range list {
		u := g.ues.get(ran)
		if u.has(releasing) {
			g.unbind(ran)
			continue
		}
		parts[u.member] = append(parts[u.member], ngap.Connection{AMF: u.ref().own(), HasAMF: true, RAN: ran, HasRAN: true})
		leaving = append(leaving, ran)
	}
	for id, part := range parts {
		if l := g.legs[id]; l != nil && l.state == legUp {
			g.sendReset(l.link, ngap.AppendCause(nil, ngap.CauseReleaseNGRANReason), part)
		}
	}
	g.release(leaving, ngap.CauseReleaseNGRANReason, now)
}

// endHandovers: a UE whose path no AMF switches is released. The AMF of one that never
// arrives is asked to release it, as the target gNB would ask.
func (g *gnb) endHandovers(list []uint32, now time.Time) {
	var switched []uint32
	for _, ran := range list {
		u := g.ues.get(ran)
		l := g.legs[u.member]
		if u.has(switching) || l == nil || l.state != legUp {
			switched = append(switched, ran)
			continue
		}
		u.flags &^= arriving
		u.begins(leaving, now)
		g.requestRelease(l, u, ngap.CauseNGRelocOverallExpiry)
	}
	g.release(switched, ngap.CauseNGRelocOverallExpiry, now)
}

// endIncoming answers Handover Requests in the place of a gNB that does not.
func (g *gnb) endIncoming(patience time.Duration, now time.Time) {
	for r, at := range g.incoming {
		if now.Sub(at) < patience {
			continue
		}
		g.gw.counters.guards[guardHandover].Add(1)
		delete(g.incoming, r)
		if l := g.legs[r.member]; l != nil && l.state == legUp {
			g.refuseHandover(l, r, ngap.CauseNGRelocPrepExpiry)
		}
		g.forgetRef(r)
	}
}
