package lab

import (
	"slices"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// The SGSN as the user of its NS stack and owner of its BVCs. It resets BVCI 0
// some time after NS came up, unless the BSS did; PTP BVCs come to be by the
// BSS's resets (TS 48.018 8.4).
//
// The wait is there since two resets that cross are both taken for the answer
// (8.4): if one end could not send its own yet, the other would wait for T2.
const resetWait = 2 * time.Second

// NewNSE makes the peer of an NSE.
func (c *sgsn) NewNSE(n *ns.NSE) any {
	p := &peer{s: c, nse: n, cells: map[uint16]*sgsnCell{}}
	p.sig = bssgp.NewBVC(bssgp.BVCConfig{NSEI: n.NSEI(), Role: bssgp.RoleSGSN, Owner: p, Timers: bssgp.Every(bssgpT)})
	c.peers[n.NSEI()] = p
	c.order = append(c.order, p)
	return p
}

// FreeNSE forgets it.
func (c *sgsn) FreeNSE(now time.Time, n *ns.NSE) {
	if p := c.peers[n.NSEI()]; p != nil && p.nse == n {
		p.down(now)
		delete(c.peers, n.NSEI())
		c.order = slices.DeleteFunc(c.order, func(o *peer) bool { return o == p })
	}
}

// Status brings the BVCs up and down with the NSE.
func (c *sgsn) Status(now time.Time, n *ns.NSE, ev ns.Event) {
	p := c.peers[n.NSEI()]
	if p == nil {
		return
	}
	switch ev {
	case ns.EventRecovery:
		p.resetDue = now.Add(resetWait)
	case ns.EventFailure:
		p.down(now)
	}
}

func (p *peer) down(now time.Time) {
	p.sig.Drop(now)
	p.resetDue = time.Time{}
	p.cells = map[uint16]*sgsnCell{}
	p.order = nil
}

// SendBVC sends a BVC management PDU.
func (p *peer) SendBVC(_ *bssgp.BVC, pdu []byte) { p.send(0, 0, pdu) }

func (p *peer) send(bvci uint16, lsp uint32, pdu []byte) bool {
	n := p.s.out.node.Load()
	return n != nil && n.stack.Send(p.nse, bvci, lsp, pdu)
}

// BVCReset forgets the cells when BVCI 0 was reset: the BSS resets each then.
func (p *peer) BVCReset(now time.Time, v *bssgp.BVC, _ bssgp.Cause, locally bool) {
	switch {
	case v == p.sig:
		if !locally {
			p.s.count.SIGResets++
		}
		p.cells = map[uint16]*sgsnCell{}
		p.order = nil
	case !locally:
		p.s.count.PTPResets++
		if c := p.cells[v.BVCI()]; c != nil {
			c.flowControl = false
		}
	}
}

// BVCStateChanged counts blocks.
func (p *peer) BVCStateChanged(_ time.Time, _ *bssgp.BVC, _, to bssgp.BVCState) {
	if to == bssgp.BVCBlocked {
		p.s.count.Blocks++
	}
}

// BVCAlarm counts.
func (p *peer) BVCAlarm(time.Time, *bssgp.BVC, string) { p.s.count.Alarms++ }

// maxCells bounds the BVCs of a peer.
const maxCells = 4096

// cellFor returns the cell of a BVC management PDU; a reset makes it.
func (p *peer) cellFor(bvci uint16, pdu []byte) *sgsnCell {
	c := p.cells[bvci]
	if t, _ := bssgp.Type(pdu); c == nil && t == bssgp.TypeBVCReset && len(p.cells) < maxCells {
		c = &sgsnCell{bvc: bssgp.NewBVC(bssgp.BVCConfig{NSEI: p.nse.NSEI(), BVCI: bvci,
			Role: bssgp.RoleSGSN, Owner: p, Timers: bssgp.Every(bssgpT)})}
		p.cells[bvci] = c
		p.order = append(p.order, bvci)
	}
	return c
}

// UnitData takes one BSSGP PDU.
func (c *sgsn) UnitData(now time.Time, n *ns.NSE, bvci uint16, pdu []byte) {
	p := c.peers[n.NSEI()]
	kind := bssgp.KindOf(bvci)
	if p == nil {
		return
	}
	if e := bssgp.Check(pdu, bssgp.Uplink, kind); e != nil {
		c.count.Malformed++
		return
	}
	if kind != bssgp.SIG && p.cells[bvci] == nil {
		c.count.UnknownBVC++
		p.status(bssgp.CauseBVCIUnknown, bvci, pdu)
		return
	}
	t, _ := bssgp.Type(pdu)
	if h := sgsnHandlers[t]; h != nil {
		h(c, now, p, bvci, pdu)
		return
	}
	c.count.Others++
}

// status tells the peer what is wrong with a PDU; never about a STATUS.
func (p *peer) status(cause bssgp.Cause, bvci uint16, pdu []byte) {
	if t, _ := bssgp.Type(pdu); t != bssgp.TypeStatus {
		p.send(0, 0, bssgp.AppendStatus(nil, cause, bvci, pdu, p.nse.MTU()))
	}
}

// expire runs the timers of BVCs, subscribers and paging.
func (c *sgsn) expire(now time.Time) {
	for _, p := range c.order {
		p.sig.Expire(now)
		p.resetIfDue(now)
		for _, bvci := range p.order {
			p.cells[bvci].bvc.Expire(now)
		}
	}
	for x, ok := c.timers.next(now); ok; x, ok = c.timers.next(now) {
		c.contextDue(now, x)
	}
	if !c.pageDue.IsZero() && !c.pageDue.After(now) {
		c.drawPage(now)
		if len(c.reg) > 0 {
			c.page(c.reg[c.rng.IntN(len(c.reg))])
		}
	}
}

// resetIfDue resets BVCI 0 if nobody has.
func (p *peer) resetIfDue(now time.Time) {
	if p.resetDue.IsZero() || p.resetDue.After(now) {
		return
	}
	p.resetDue = time.Time{}
	if p.sig.State() == bssgp.BVCNull {
		p.sig.Reset(now, bssgp.CauseOMIntervention)
	}
}

func (c *sgsn) deadline() time.Time {
	next := earliest(c.timers.first(), c.pageDue)
	for _, p := range c.order {
		next = earliest(earliest(next, p.sig.Deadline()), p.resetDue)
		for _, cell := range p.cells {
			next = earliest(next, cell.bvc.Deadline())
		}
	}
	return next
}

func (c *sgsn) drawPage(now time.Time) {
	if c.cfg.Page > 0 {
		c.pageDue = now.Add(c.cfg.Page)
	}
}
