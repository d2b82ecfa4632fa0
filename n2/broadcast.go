package n2

import (
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
