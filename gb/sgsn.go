package gb

import (
	"context"
	"log/slog"
	"time"

	"poolgw/bssgp"
)

// levelNotice is the field's level between info and warning, which is shown by
// default.
const levelNotice = slog.Level(2)

// retiredFor is how long acknowledges for a BVC that was taken down are
// expected, and not answered as for an unknown BVC.
const retiredFor = 60 * time.Second

// sgsnBVC returns the BVC that an SGSN's management PDU is for.
func (g *Gateway) sgsnBVC(m *message, mb *member, bvci uint16) (*bvc, outcome) {
	if bvci == 0 {
		return mb.sig, done
	}
	b, reset := mb.bvcs[bvci], m.typ == bssgp.TypeBVCReset
	switch {
	case b != nil && (b.cell.active() || !reset):
		return b, done
	case reset:
		return nil, refusedBVCI(dropBVCManagement, bssgp.CauseBVCIUnknown, bvci)
	case g.now.Before(mb.retired[bvci]):
		return nil, done
	}
	return nil, refused(dropBVCManagement, bssgp.CauseInvalidMandatoryInformation)
}

// sgsnUp: the SGSN's NSE can carry data; its signalling BVC is reset next.
func (g *Gateway) sgsnUp(now time.Time, m *member) { m.sig.reset(now, bssgp.CauseOMIntervention) }

// sgsnDown: the SGSN's NSE failed. The BSSs are not told.
func (g *Gateway) sgsnDown(now time.Time, m *member) {
	g.dropLinks(now, m)
	m.sig.fsm.Drop(now)
	g.restarted(m)
	g.setUp(now, m, false)
}

// restarted counts the failure or reset of an SGSN that was up.
func (g *Gateway) restarted(m *member) {
	if m.up {
		m.restarts++
		g.globals.add(restartSGSN)
	}
}

func (g *Gateway) setUp(now time.Time, m *member, up bool) {
	if pm := g.directory.Load().pool.Member(m.cfg.NSEI); pm != nil {
		if up {
			pm.SetUp()
		} else {
			pm.SetDown(now.Sub(g.epoch))
		}
	}
	if m.up == up {
		return
	}
	m.up, m.since = up, now
	g.opt.Notify(SGSNChange{NSEI: m.cfg.NSEI, Name: m.cfg.Name, Up: up})
	g.refuseNew()
	if up {
		g.log.Log(context.Background(), levelNotice, "SGSN is up", "cat", "gprs", "nsei", m.cfg.NSEI, "name", m.cfg.Name)
	} else {
		g.log.Warn("SGSN is down", "cat", "gprs", "nsei", m.cfg.NSEI, "name", m.cfg.Name)
		if !g.poolUp() {
			g.log.Error("the pool is down: no SGSN is up", "cat", "gprs")
		}
	}
	g.sharesChanged(now)
}

// sgsnSignallingReset: by either side. The SGSN knows none of our cells now.
// With isolate we make them known to it again and the BSSs don't notice; with
// propagate every BSS starts anew, as osmo-gbproxy does.
func (g *Gateway) sgsnSignallingReset(now time.Time, m *member, cause bssgp.Cause) {
	g.log.Info("signalling BVC reset", "cat", "lbssgp", "nsei", m.cfg.NSEI, "side", "SGSN", "cause", cause,
		"features", m.peer.features)
	g.restarted(m)
	g.dropLinks(now, m)
	g.setUp(now, m, true)
	if g.cfg.SGSNReset == ResetPropagate {
		for _, p := range g.bssList() {
			if p.sig != nil && p.alive() {
				p.sig.reset(now, bssgp.CauseOMIntervention)
			}
		}
		return
	}
	g.bringUpCells(now, m)
}

// resetAt makes the cell's BVC at an SGSN, if there is none, and resets it.
func (g *Gateway) resetAt(now time.Time, c *cell, m *member) {
	if m.peer == nil {
		return
	}
	l := m.bvcs[c.bvci]
	if l == nil {
		l = g.newBVC(c.bvci, m.peer, m, c)
		m.bvcs[c.bvci] = l
		delete(m.retired, c.bvci)
		c.setLink(m.slot, l)
	}
	l.reset(now, bssgp.CauseOMIntervention)
	c.sync(l, now)
}

// sgsnCellReset: the cell's BVC at an SGSN was reset. That SGSN has no flow
// control of the cell now. If the SGSN did it, the BSS must hear of it, for
// whoever has contexts there has lost them.
func (g *Gateway) sgsnCellReset(now time.Time, l *bvc, cause bssgp.Cause, locally bool) {
	g.resendFlow(l)
	if b := l.cell.bss.Load(); b != nil && !locally {
		b.reset(now, cause)
	}
}

// dropLinks forgets the cells' BVCs at an SGSN.
func (g *Gateway) dropLinks(now time.Time, m *member) {
	for bvci, l := range m.bvcs {
		l.cell.setLink(m.slot, nil)
		l.drop(now)
		delete(m.bvcs, bvci)
	}
	m.resets.clear()
}

// retire blocks a cell's BVC at an SGSN for the last time.
func (g *Gateway) retire(now time.Time, l *bvc, why bssgp.Cause) {
	if l.State() != bssgp.BVCNull {
		g.send(l.peer, 0, 0, bssgp.AppendBVCBlock(nil, l.bvci, why))
	}
	m := l.member
	for bvci, until := range m.retired {
		if !now.Before(until) {
			delete(m.retired, bvci)
		}
	}
	m.retired[l.bvci] = now.Add(retiredFor)
	l.cell.setLink(m.slot, nil)
	delete(m.bvcs, l.bvci)
	l.drop(now)
}
