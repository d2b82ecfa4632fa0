package gb

import (
	"time"

	"poolgw/bssgp"
)

// Two BSSs that reset one BVCI: it is unique within an NSE only by TS 48.018
// 5.4.1, but a pool needs it unique over all BSSs. The older BSS is probed by an
// NS-ALIVE, which no subscriber notices, and keeps the BVC if it answers.

const (
	probeFor  = 3 * time.Second  // for the older BSS's answer
	probeDamp = 30 * time.Second // between two decisions about one BVCI, and two lines about its moves
)

// claim is a BSS's wish for a BVCI that another one has.
type claim struct {
	from *peer
	pdu  []byte // its BVC-RESET, without what we don't need
	at   time.Time
}

// takeOver decides about a claim: at once when the older BSS is gone, or with
// "pool sgsn-reset propagate"; else after a probe.
func (g *Gateway) takeOver(c *cell, m *message) bool {
	b := c.bss.Load()
	if b == nil || !b.peer.alive() || g.cfg.SGSNReset == ResetPropagate {
		g.moveCell(g.now, c, m.from)
		return true
	}
	switch {
	case c.bid != nil:
	case !c.last.IsZero() && g.now.Sub(c.last) < probeDamp:
	default:
		g.log.Error("conflicting BVCI configuration, the older BSS is probed", "cat", "lbssgp",
			"bvci", c.bvci, "nsei", c.nsei, "claimed_by", m.from.nsei)
		c.bid = newClaim(m, c.bvci, g.now)
		b.peer.nse.Probe(g.now)
		g.timers.at(g.now.Add(probeFor), func(now time.Time) { g.decideClaim(now, c) })
	}
	return false
}

func newClaim(m *message, bvci uint16, now time.Time) *claim {
	id, _ := bssgp.ReadCellID(m.pdu) // Check has seen it and the cause
	cause, _ := bssgp.ReadCause(m.pdu)
	return &claim{m.from, bssgp.AppendBVCReset(nil, bvci, cause, &id, nil), now}
}

func (g *Gateway) decideClaim(now time.Time, c *cell) {
	bid, b := c.bid, c.bss.Load()
	c.bid, c.last = nil, now
	if g.cellOf(c.bvci) != c || g.peers[bid.from.nsei] != bid.from || !bid.from.alive() {
		return
	}
	if b != nil && b.peer.nse.AnsweredSince(bid.at) {
		g.log.Error("conflicting BVCI configuration, the older BSS lives and keeps the BVC", "cat", "lbssgp",
			"bvci", c.bvci, "nsei", c.nsei, "refused", bid.from.nsei)
		return
	}
	g.moveCell(now, c, bid.from)
	if id, ok := bssgp.ReadCellID(bid.pdu); ok {
		g.setCellID(c, id)
	}
	g.activate(c, bid.from).recv(now, bid.pdu)
}

// moveCell gives the BVCI to another BSS; the cell there is another one. Where
// two BSSs take it from each other again and again, few lines tell so.
func (g *Gateway) moveCell(now time.Time, c *cell, to *peer) {
	g.takeovers.Add(1)
	if c.untold++; c.told.IsZero() || now.Sub(c.told) >= probeDamp {
		g.log.Error("conflicting BVCI configuration, the newer BSS takes the BVC", "cat", "lbssgp",
			"bvci", c.bvci, "nsei", c.nsei, "taken_by", to.nsei, "moves", c.untold)
		c.told, c.untold = now, 0
	}
	g.deactivate(now, c, bssgp.CauseEquipmentFailure)
	delete(c.tallies, c.nsei)
	c.nsei, c.last = to.nsei, now
}
