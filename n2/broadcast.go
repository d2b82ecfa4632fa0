package n2

import (
	"slices"

	"poolgw/ngap"
	"poolgw/pool"
)

// anyAMF: what belongs to no UE and that any AMF can do goes to exactly one, the
// first in configuration order that is up, so that answers can be told apart.
func (g *gnb) anyAMF(m *msg) {
	d := g.gw.dir.Load()
	i := g.up(d).First()
	if i < 0 {
		g.decline(m, DropNoMember, ngap.CauseTransportUnavailable)
		return
	}
	g.deliver(g.legs[d.members[i].id].link, 0, g.octets(&g.pdu))
}

// allAMFs: every AMF gets a copy.
func (g *gnb) allAMFs(m *msg) {
	first := true
	data := g.octets(&g.pdu)
	for _, l := range g.legs {
		if l.state != legUp {
			continue
		}
		if first {
			g.deliver(l.link, 0, data)
		} else {
			g.copyTo(l.link, 0, data)
		}
		first = false
	}
	if first {
		g.lose(DropNoMember)
	}
}

// toTheGNB: what an AMF sends on the association of this gNB is for this gNB.
func (g *gnb) toTheGNB(m *msg) { g.deliver(g.ran, 0, g.octets(&g.pdu)) }

// requesters are the AMFs that wait for a gNB's answer, or have a session with
// it. There is no transaction ID: what identifies a request is its procedure and
// the message or session that it is about; equal ones are answered in their order.
type requesters map[requestKey][]uint8

type requestKey struct {
	code    ngap.Code
	warning ngap.WarningKey
	session ngap.MBSSession
}

// Bounds of the requests that wait, per gNB: of different ones, and of equal ones.
const (
	maxRequests = 4096
	maxAlike    = 256
)

// forgetMember takes the requests of an AMF out: nobody waits for their answers.
func (r requesters) forgetMember(member uint8) {
	for k, list := range r {
		if list = slices.DeleteFunc(list, func(m uint8) bool { return m == member }); len(list) == 0 {
			delete(r, k)
		} else {
			r[k] = list
		}
	}
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

// sessionKey stands for the AMF of an MBS session, whatever the procedure.
func sessionKey(k requestKey) requestKey { return requestKey{session: k.session} }

// requestToGNB notes who asks, and sends the request to the gNB.
func (g *gnb) requestToGNB(m *msg) {
	if m.Kind == ngap.Initiating {
		k := keyOf(&g.pdu)
		if len(g.asked) >= maxRequests || len(g.asked[k]) >= maxAlike {
			g.refuse(m, DropLimit, ngap.CauseControlProcessingOverload)
			return
		}
		g.asked[k] = append(g.asked[k], m.leg.m.id)
		if k.session != (ngap.MBSSession{}) {
			g.asked[sessionKey(k)] = []uint8{m.leg.m.id}
		}
	}
	g.deliver(g.ran, 0, g.octets(&g.pdu))
}

// toRequester brings an answer to the AMF that asked, and what a gNB begins to
// the AMF of the session, or else to one AMF.
func (g *gnb) toRequester(m *msg) {
	k := keyOf(&g.pdu)
	list := g.asked[k]
	if m.Kind == ngap.Initiating {
		if list = g.asked[sessionKey(k)]; len(list) == 0 || k.session == (ngap.MBSSession{}) {
			g.anyAMF(m)
			return
		}
	} else if len(list) == 0 {
		g.lose(DropNobody)
		return
	}
	l := g.legs[list[0]]
	if m.Kind != ngap.Initiating {
		if list = list[1:]; len(list) == 0 {
			delete(g.asked, k)
		} else {
			g.asked[k] = list
		}
	}
	if l == nil || l.state != legUp {
		g.decline(m, DropNoLeg, ngap.CauseTransportUnavailable)
		return
	}
	g.deliver(l.link, 0, g.octets(&g.pdu))
}

// Bounds of the Routing IDs that are remembered, per gNB: their number, and the
// octets of one.
const (
	maxRouting    = 1024
	maxRoutingLen = 64
)

// routedToGNB remembers which AMF uses a Routing ID.
func (g *gnb) routedToGNB(m *msg) {
	if id, ok := routingOf(&g.pdu); ok && len(id) <= maxRoutingLen {
		if _, there := g.routingID[id]; !there && len(g.routingID) >= maxRouting {
			for old := range g.routingID { // any one gives way
				delete(g.routingID, old)
				break
			}
		}
		g.routingID[id] = m.leg.m.id
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
	if l := g.legs[g.routingID[id]]; ok && l != nil && l.state == legUp {
		g.deliver(l.link, 0, g.octets(&g.pdu))
		return
	}
	g.anyAMF(m)
}

// paging goes to the gNB when it serves one of the areas: an AMF that pages
// everywhere wakes no gNB in vain.
func (g *gnb) paging(m *msg) {
	v, ok := m.Value(ngap.IETAIListForPaging)
	if !ok {
		g.malformed(m, ngap.IETAIListForPaging)
		return
	}
	list, err := ngap.ReadPagingTAIs(v, nil)
	if err != nil {
		g.malformed(m, ngap.IETAIListForPaging)
		return
	}
	for _, t := range list {
		if g.node.serves(t) {
			g.deliver(g.ran, 0, g.octets(&g.pdu))
			return
		}
	}
	g.absorb()
}

// serves reports whether a TAI is one of the gNB's.
func (n *node) serves(t ngap.TAI) bool {
	for _, s := range n.tas {
		for _, p := range s.PLMNs {
			if s.TAC == t.TAC && p.PLMN == t.PLMN {
				return true
			}
		}
	}
	return false
}

// bySTMSI goes to the AMF that owns the 5G-S-TMSI of the message.
func (g *gnb) bySTMSI(m *msg) {
	dec := g.choose(&g.pdu, g.identify(&g.pdu), pool.Mask{}, m.now)
	g.gw.counters.decisions[dec.Reason].Add(1)
	if dec.Member == nil {
		g.lose(DropNoMember)
		return
	}
	g.deliver(g.legs[uint8(dec.Member.ID)].link, 0, g.octets(&g.pdu))
}

// relocation is a UE with control plane CIoT optimisation that comes to this gNB:
// bound like a new one, to the owner of its 5G-S-TMSI (8.3.9).
func (g *gnb) relocation(m *msg) { g.initialUE(m) }

// ngRemoval: the gNB goes. It is answered here, and every AMF is told.
func (g *gnb) ngRemoval(m *msg) {
	if m.Kind != ngap.Initiating {
		g.absorb()
		return
	}
	g.absorb()
	for _, l := range g.legs {
		if l.state == legUp {
			g.originate(l.link, 0, g.octets(&g.pdu))
		}
	}
	g.originate(g.ran, 0, g.made.New(m.Code, ngap.Successful).Append(nil))
}

// unknownUp is what a later release adds: by UE when it names one.
func (g *gnb) unknownUp(m *msg) {
	if g.pdu.Find(ngap.IEAMFUENGAPID) >= 0 && g.pdu.Find(ngap.IERANUENGAPID) >= 0 {
		g.uplink(m)
		return
	}
	if m.Kind != ngap.Initiating {
		g.toRequester(m)
		return
	}
	g.anyAMF(m)
}

func (g *gnb) unknownDown(m *msg) {
	if g.pdu.Find(ngap.IEAMFUENGAPID) >= 0 && g.pdu.Find(ngap.IERANUENGAPID) >= 0 {
		g.downlink(m)
		return
	}
	g.requestToGNB(m)
}
