package gb

import (
	"time"

	"poolgw/bssgp"
)

// bssBVC returns the BVC that a BSS's management PDU is for; a reset makes it.
func (g *Gateway) bssBVC(m *message, bvci uint16) (*bvc, outcome) {
	p := m.from
	reset := m.typ == bssgp.TypeBVCReset
	switch {
	case reset && g.cfg.PoolDownRefuse && !g.poolUp():
		return nil, dropped(dropRefused)
	case bvci == 0 && (p.sig != nil || reset):
		if p.sig == nil {
			p.sig = g.newBVC(0, p, nil, nil)
		}
		return p.sig, done
	case reset && bssgp.KindOf(bvci) == bssgp.PTP:
		return g.claim(m, bvci)
	case p.bvcs[bvci] != nil:
		return p.bvcs[bvci], done
	}
	return nil, refused(dropBVCManagement, bssgp.CauseInvalidMandatoryInformation)
}

// claim gives the BVCI that a BSS resets to that BSS, if it may have it.
func (g *Gateway) claim(m *message, bvci uint16) (*bvc, outcome) {
	id, _ := bssgp.ReadCellID(m.pdu) // Check has seen it
	c := g.cellOf(bvci)
	switch {
	case c == nil && len(g.byBVCI) >= int(g.cfg.Limits.BVCs):
		return nil, dropped(dropLimit)
	case c == nil:
		c = newCell(bvci, m.from.nsei, id)
		g.cells[bvci].Store(c)
		g.byBVCI[bvci] = c
	case c.nsei != m.from.nsei:
		if !g.takeOver(c, m) {
			c.bss.Load().events.invNSEI.Add(1)
			return nil, dropped(dropConflict)
		}
	}
	g.setCellID(c, id)
	return g.activate(c, m.from), done
}

// activate makes the BSS's end of a cell's BVC.
func (g *Gateway) activate(c *cell, p *peer) *bvc {
	if b := c.bss.Load(); b != nil {
		return b
	}
	b := g.newBVC(c.bvci, p, nil, c)
	p.bvcs[c.bvci] = b
	g.tellPeers(1)
	c.bss.Store(b)
	g.areaIndex = nil
	return b
}

func (g *Gateway) setCellID(c *cell, id bssgp.CellID) {
	if *c.id.Load() == id {
		return
	}
	c.id.Store(&id)
	g.areaIndex = nil
	c.links(func(l *bvc) { l.fsm.SetCell(id) })
}

// deactivate takes the BSS's end away; the cell stays, blocked at the SGSNs.
func (g *Gateway) deactivate(now time.Time, c *cell, why bssgp.Cause) {
	b := c.bss.Load()
	if b == nil {
		return
	}
	c.bss.Store(nil)
	delete(b.peer.bvcs, c.bvci)
	g.tellPeers(-1)
	b.drop(now)
	c.flow, c.why, c.idle = nil, why, now
	g.areaIndex = nil
	c.syncAll(now)
}

// bssSignallingReset: the BSS has forgotten its PTP BVCs, or must. The SGSNs
// see them blocked until the BSS resets each (TS 48.018 8.4).
func (g *Gateway) bssSignallingReset(now time.Time, p *peer, cause bssgp.Cause) {
	g.log.Info("signalling BVC reset", "cat", "lbssgp", "nsei", p.nsei, "side", "BSS", "cause", cause,
		"features", p.features)
	for _, b := range sorted(p.bvcs) {
		g.deactivate(now, b.cell, cause)
	}
}

// bssCellReset: a cell's BVC was reset. If the BSS did it, every SGSN must hear
// of it; the cell's flow control begins anew. The acknowledge of a reset that
// an SGSN wanted concerns the others only as far as it unblocks.
func (g *Gateway) bssCellReset(now time.Time, b *bvc, locally bool) {
	if id, ok := b.fsm.Cell(); ok {
		g.setCellID(b.cell, id)
	}
	if locally {
		b.cell.syncAll(now)
		return
	}
	b.cell.flow = nil
	for _, m := range g.members {
		if m.up {
			g.resetInTurn(now, b.cell, m)
		}
	}
}

// bssBVCBlocked carries a cell's blocking and unblocking to the SGSNs, with the
// BSS's cause. BVCI 0 is never blocked.
func (g *Gateway) bssBVCBlocked(now time.Time, b *bvc) {
	if b.cell == nil {
		return
	}
	if b.State() == bssgp.BVCBlocked {
		b.cell.why = b.fsm.BlockCause()
	}
	b.cell.syncAll(now)
}

// bssDown: the NSE failed. Its cells stay; they are blocked at every SGSN.
func (g *Gateway) bssDown(now time.Time, p *peer) {
	for _, b := range sorted(p.bvcs) {
		g.deactivate(now, b.cell, bssgp.CauseEquipmentFailure)
	}
	if p.sig != nil {
		p.sig.drop(now)
		p.sig = nil
	}
}

// recoverAfter is how long a BSS whose NSE is back, or whose BVCI 0 was reset, has
// to reset its BVCs by itself; then we do it, for it may not have noticed.
const recoverAfter = 5 * time.Second

// bssUp: the NSE is alive (again).
func (g *Gateway) bssUp(now time.Time, p *peer) {
	g.timers.at(now.Add(recoverAfter), func(now time.Time) {
		if !p.alive() || g.peers[p.nsei] != p || p.member.Load() != nil || p.sig != nil {
			return
		}
		for _, c := range g.cellsOf(p.nsei) {
			if !c.active() {
				g.activate(c, p).reset(now, bssgp.CauseOMIntervention)
			}
		}
	})
}

// reclaim resets the BVC of an inactive cell whose BSS takes it for unblocked, as
// what it sends there shows: its reset of BVCI 0 came twice, the second time after
// the cell's, or ours was not what it took it for.
func (g *Gateway) reclaim(c *cell, p *peer) {
	if p.alive() && g.now.Sub(c.idle) >= recoverAfter {
		g.log.Warn("BVC reset: the BSS uses it after a reset of BVCI 0", "cat", "lbssgp", "nsei", p.nsei, "bvci", c.bvci)
		g.activate(c, p).reset(g.now, bssgp.CauseOMIntervention)
	}
}
