package gb

import (
	"poolgw/bssgp"
	"poolgw/ns"
)

// Data decides user data on a worker; it implements ns.DataPath. What it does
// not take (false) is looked at again by route in the loop: all that is not
// plain user data, and everything that is wrong.
func (g *Gateway) Data(p *ns.Port, nse *ns.NSE, bvci uint16, dgram []byte) bool {
	if len(dgram) < nsHeader+1 || bssgp.KindOf(bvci) != bssgp.PTP {
		return false
	}
	pdu := dgram[nsHeader:]
	from, ok := nse.Owner.(*peer)
	c := g.cells[bvci].Load()
	if !ok || c == nil {
		return false
	}
	if m := from.member.Load(); m != nil {
		return g.dataDown(p, c, m, dgram, pdu)
	}
	return g.dataUp(p, c, from, dgram, pdu)
}

// userData is what Data decides, by the PDU type.
func userData() ns.UserData {
	set, table := new([256]bool), compile(routing)
	for typ := range set {
		for _, dir := range []bssgp.Dir{bssgp.Uplink, bssgp.Downlink} {
			set[typ] = set[typ] || rules[table[dir][bssgp.PTP][typ]].data
		}
	}
	return set
}

const nsHeader = 4 // of an NS-UNITDATA: type, control bits, BVCI (TS 48.016 9.2.10)

func (g *Gateway) dataUp(p *ns.Port, c *cell, from *peer, dgram, pdu []byte) bool {
	typ := bssgp.PDUType(pdu[0])
	if !rules[g.routes.Load()[bssgp.Uplink][bssgp.PTP][typ]].data || typ == bssgp.TypePSHORequired { // that one may be answered
		return false
	}
	b := c.bss.Load()
	if b == nil || b.peer != from || !b.unblocked() || bssgp.Check(pdu, bssgp.Uplink, bssgp.PTP) != nil {
		return false
	}
	tlli, ok := bssgp.ReadTLLI(pdu)
	if !ok {
		return false
	}
	b.flows.from(p.Worker(), len(pdu))
	r := g.request(tlli, c.plmn(), p.Now())
	d, to := g.decide(r, c, p.Worker())
	g.traceUp(from, c.bvci, pdu, &d)
	switch {
	case to == nil:
		g.dropData(b, d.reasonDropped())
	case !p.Forward(to.peer.nse, c.bvci, tlli, dgram):
		g.dropData(b, dropNSE)
		g.notSent(to.peer, to)
	default:
		to.flows.to(p.Worker(), len(pdu))
		d.member.flows.to(p.Worker(), len(pdu))
		g.saw(p.Worker(), bssgp.Uplink, tlli, d.Member.ID, p.Now())
	}
	return true
}

func (g *Gateway) dataDown(p *ns.Port, c *cell, m *member, dgram, pdu []byte) bool {
	if !rules[g.routes.Load()[bssgp.Downlink][bssgp.PTP][pdu[0]]].data {
		return false
	}
	l, b := c.link(m.slot), c.bss.Load()
	if l == nil || !l.unblocked() || b == nil || !b.unblocked() || bssgp.Check(pdu, bssgp.Downlink, bssgp.PTP) != nil {
		return false
	}
	if b.peer.lacking(bssgp.PDUType(pdu[0])) {
		return false // the loop refuses it
	}
	l.flows.from(p.Worker(), len(pdu))
	m.flows.from(p.Worker(), len(pdu))
	tlli, known := bssgp.ReadTLLI(pdu)
	g.traceDown(l.peer, b.peer, c.bvci, pdu)
	if !p.Forward(b.peer.nse, c.bvci, tlli, dgram) {
		g.dropData(l, dropNSE)
		g.notSent(b.peer, b)
		return true
	}
	b.flows.to(p.Worker(), len(pdu))
	if known {
		g.saw(p.Worker(), bssgp.Downlink, tlli, m.nsei, p.Now())
		g.sawChange(tlli, pdu)
	}
	return true
}

func (g *Gateway) dropData(b *bvc, r dropReason) {
	dir := bssgp.Uplink
	if b.member != nil {
		dir = bssgp.Downlink
	}
	g.countDrop(r, dir, b)
}
