package n2

import (
	"slices"
	"time"

	"poolgw/ngap"
)

// Bounds of what is remembered of AMFs, per gNB. Every AMF has an equal share: one
// that fills its own is in nobody's way.
const (
	maxRequests   = 4096 // requests that wait for the gNB's answer
	maxAlike      = 256  // of these, equal ones
	maxSessions   = 4096 // MBS sessions
	maxRouting    = 1024 // Routing IDs
	maxRoutingLen = 64   // octets of one
)

// share is an AMF's part of a bound.
func (g *gnb) share(most int) int { return max(most/max(len(g.gw.dir.Load().members), 1), 1) }

// requests are those of AMFs that the gNB has not answered. There is no transaction
// ID: what identifies a request is its procedure and the message or session that it
// is about; equal ones are answered in their order.
type requests struct {
	by map[requestKey][]asked
	n  map[uint8]int // by member
}

type requestKey struct {
	code    ngap.Code
	warning ngap.WarningKey
	session ngap.MBSSession
}

// asked is one request.
type asked struct {
	member uint8
	at     time.Time
}

func keyOf(p *ngap.PDU) requestKey {
	k := requestKey{code: p.Code}
	if w, ok := p.WarningKey(); ok {
		k.warning = w
	}
	if v, ok := p.Value(ngap.IEMBSSessionID); ok {
		if s, err := ngap.ReadMBSSession(v); err == nil {
			k.session = s
		}
	}
	return k
}

// alike is how many equal requests of a member wait.
func (r *requests) alike(k requestKey, member uint8) (n int) {
	for _, a := range r.by[k] {
		if a.member == member {
			n++
		}
	}
	return n
}

func (r *requests) add(k requestKey, a asked) {
	if r.by == nil {
		r.by, r.n = make(map[requestKey][]asked), make(map[uint8]int)
	}
	r.by[k] = append(r.by[k], a)
	r.n[a.member]++
}

// take takes the oldest of equal requests out.
func (r *requests) take(k requestKey) (member uint8, ok bool) {
	list := r.by[k]
	if len(list) == 0 {
		return 0, false
	}
	member = list[0].member
	r.keep(k, list[1:])
	r.less(member)
	return member, true
}

func (r *requests) keep(k requestKey, list []asked) {
	if len(list) == 0 {
		delete(r.by, k)
	} else {
		r.by[k] = list
	}
}

func (r *requests) less(member uint8) {
	if r.n[member]--; r.n[member] == 0 {
		delete(r.n, member)
	}
}

// forget takes requests out for which f is true, and returns how many of them must
// have an answer: of procedures that later releases add nobody knows.
func (r *requests) forget(f func(a asked) bool) (n int) {
	for k, list := range r.by {
		left := slices.DeleteFunc(list, func(a asked) bool {
			if !f(a) {
				return false
			}
			r.less(a.member)
			if ngap.Lookup(k.code) != nil {
				n++
			}
			return true
		})
		r.keep(k, left)
	}
	return n
}

// users remembers which AMF uses something: a Routing ID, an MBS session.
type users[K comparable] struct {
	by map[K]uint8
	n  map[uint8]int // by member
}

// put notes that a member uses k, the latest of several. Of a member that has its
// share already any other one gives way.
func (u *users[K]) put(k K, member uint8, share int) {
	if u.by == nil {
		u.by, u.n = make(map[K]uint8), make(map[uint8]int)
	}
	if was, there := u.by[k]; there {
		if was == member {
			return
		}
		u.n[was]--
	}
	if u.n[member] >= share {
		for old, m := range u.by {
			if m == member && old != k {
				delete(u.by, old)
				u.n[member]--
				break
			}
		}
	}
	u.by[k] = member
	u.n[member]++
}

func (u *users[K]) forget(member uint8) {
	for k, m := range u.by {
		if m == member {
			delete(u.by, k)
		}
	}
	delete(u.n, member)
}

// answered reports whether the gNB answers a request of that procedure.
func answered(c ngap.Code) bool {
	row := ngap.Lookup(c)
	return row == nil || row.Message(ngap.Successful) != ""
}

// requestToGNB notes who asks, and sends the request to the gNB.
func (g *gnb) requestToGNB(m *msg) {
	if m.Kind == ngap.Initiating {
		k, id := keyOf(&g.pdu), m.leg.m.id
		if answered(m.Code) {
			if g.asked.n[id] >= g.share(maxRequests) || g.asked.alike(k, id) >= g.share(maxAlike) {
				g.refuse(m, DropLimit, ngap.CauseControlProcessingOverload)
				return
			}
			g.asked.add(k, asked{id, m.now})
			g.sweepLater()
		}
		if k.session != (ngap.MBSSession{}) {
			g.sessions.put(k.session, id, g.share(maxSessions))
		}
	}
	g.deliver(g.ran, 0, g.octets(&g.pdu))
}

// toRequester brings an answer to the AMF that asked, and what a gNB begins to
// the AMF of the session, or else to one AMF.
func (g *gnb) toRequester(m *msg) {
	k := keyOf(&g.pdu)
	var member uint8
	var ok bool
	if m.Kind == ngap.Initiating {
		if member, ok = g.sessions.by[k.session]; !ok {
			g.anyAMF(m)
			return
		}
	} else if member, ok = g.asked.take(k); !ok {
		g.lose(DropNobody)
		return
	}
	l := g.legs[member]
	if l == nil || l.state != legUp {
		g.decline(m, DropNoLeg, ngap.CauseTransportUnavailable)
		return
	}
	g.deliver(l.link, 0, g.octets(&g.pdu))
}

// endRequests forgets requests that the gNB does not answer: each AMF has a time-out
// of its own for them.
func (g *gnb) endRequests(patience time.Duration, now time.Time) {
	n := g.asked.forget(func(a asked) bool { return now.Sub(a.at) >= patience })
	if n > 0 {
		g.gw.counters.guards[guardRequest].Add(uint64(n))
		g.log.Warn("the gNB has not answered requests of AMFs", "timer", guardRequest.String(), "requests", n)
	}
}

// forgetRequests: nobody waits for the answers to an AMF that is lost, and it has no
// session.
func (g *gnb) forgetRequests(member uint8) {
	g.asked.forget(func(a asked) bool { return a.member == member })
	g.sessions.forget(member)
}

// routedToGNB remembers which AMF uses a Routing ID.
func (g *gnb) routedToGNB(m *msg) {
	if id, ok := routingOf(&g.pdu); ok && len(id) <= maxRoutingLen {
		g.routing.put(id, m.leg.m.id, g.share(maxRouting))
	}
	g.requestToGNB(m)
}

func routingOf(p *ngap.PDU) (string, bool) {
	v, ok := p.Value(ngap.IERoutingID)
	if !ok {
		return "", false
	}
	o, err := ngap.ReadOctets(v)
	return string(o), err == nil
}

// byRouting goes to the AMF that used the Routing ID, else to one AMF.
func (g *gnb) byRouting(m *msg) {
	id, ok := routingOf(&g.pdu)
	if l := g.legs[g.routing.by[id]]; ok && l != nil && l.state == legUp {
		g.deliver(l.link, 0, g.octets(&g.pdu))
		return
	}
	g.anyAMF(m)
}
