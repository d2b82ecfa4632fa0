package simsctp

import (
	"net/netip"
	"sort"
	"time"

	"poolgw/sctp"
)

// reaches tells whether one of a's own addresses reaches r.
func (a *assoc) reaches(r netip.Addr) bool {
	for _, l := range a.local.Addrs {
		if !a.net.cut(l, r) {
			return true
		}
	}
	return false
}

func (a *assoc) anyPath() bool {
	for _, p := range a.paths {
		if a.reaches(p.Addr) {
			return true
		}
	}
	return false
}

// timeout is how long an idle association needs to find that tries+1
// heartbeats in a row stay without answer: RTO doubles (RFC 9260 clause 6.3.3).
func (a *assoc) timeout(tries uint16) time.Duration {
	d, rto := a.options.HeartbeatInterval, a.options.RTOMin
	for range tries + 1 {
		d += rto
		rto = min(2*rto, a.options.RTOMax)
	}
	return d
}

// judgePaths looks at every path after a change of the network; a way that was
// cut before and is cut now keeps its timer.
func (a *assoc) judgePaths() {
	before := a.connected
	a.connected = a.anyPath()
	for i := range a.paths {
		if r := a.reaches(a.paths[i].Addr); r != a.reach[i] {
			a.reach[i] = r
			a.judgePath(i)
		}
	}
	switch {
	case a.connected && !before:
		a.release()
	case !a.connected && before:
		a.cuts++
		round := a.cuts
		a.after(a.timeout(a.options.AssocMaxRetrans), func() {
			if !a.connected && a.cuts == round {
				a.end(&sctp.Down{Cause: sctp.Timeout})
			}
		})
	}
}

// judgePath tells of path i what it is by then, once a heartbeat would have
// found out.
func (a *assoc) judgePath(i int) {
	want, wait := sctp.Active, a.options.HeartbeatInterval
	if !a.reach[i] {
		want, wait = sctp.Inactive, a.timeout(a.options.PathMaxRetrans)
	}
	a.changes[i]++
	round := a.changes[i]
	a.after(wait, func() {
		if a.changes[i] == round && a.paths[i].State != want {
			a.setPath(i, want)
		}
	})
}

func (a *assoc) setPath(i int, s sctp.PathState) {
	a.paths[i].State = s
	a.push(sctp.Event{Kind: sctp.PathChange, Path: a.paths[i]})
}

// release sends what was held while no path worked, and finds out whether the
// peer is still there.
func (a *assoc) release() {
	if a.peer == nil {
		a.after(a.options.HeartbeatInterval, func() {
			if a.peer == nil && a.anyPath() {
				a.end(&sctp.Down{Cause: sctp.PeerAbort})
			}
		})
		return
	}
	for _, m := range a.held {
		a.carry(m)
	}
	held := len(a.held)
	a.held = nil
	if a.closing && held > 0 {
		a.shutdown()
	}
}

// schedule runs f under the lock, d from now. What is due at one moment runs in
// the order of the calls.
func (n *Network) schedule(d time.Duration, f func()) {
	n.serial++
	e := event{time.Now().Add(d), n.serial, f}
	i := sort.Search(len(n.events), func(i int) bool { return n.events[i].after(e) })
	n.events = append(n.events, event{})
	copy(n.events[i+1:], n.events[i:])
	n.events[i] = e
	time.AfterFunc(d, n.runDue)
}

type event struct {
	at     time.Time
	serial uint64
	run    func()
}

func (e event) after(f event) bool {
	return e.at.After(f.at) || e.at.Equal(f.at) && e.serial > f.serial
}

func (n *Network) runDue() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for len(n.events) > 0 && !n.events[0].at.After(now) {
		e := n.events[0]
		n.events = n.events[1:]
		e.run()
	}
}
