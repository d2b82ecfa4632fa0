package gb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"poolgw/bssgp"
)

// DeleteMode selects what DeletePeer deletes.
type DeleteMode uint8

const (
	DeleteBVCs  DeleteMode = iota // only-bvc
	DeleteNSVCs                   // only-nsvc
	DeleteAll
)

// DeletePeer deletes the BVCs or NS-VCs of a BSS-side NSE ("delete-gbproxy-peer
// N …"); it returns how many of each it deleted, or would delete when dryRun.
// NS-VCs of a configured NSE stay. An NSE that is not there is ErrNoPeer.
func (g *Gateway) DeletePeer(nsei uint16, mode DeleteMode, dryRun bool) (bvcs, nsvcs int, err error) {
	if e := g.do(context.Background(), func(now time.Time) {
		bvcs, nsvcs, err = g.deletePeer(now, nsei, mode, dryRun)
	}); e != nil {
		return 0, 0, e
	}
	return bvcs, nsvcs, err
}

func (g *Gateway) deletePeer(now time.Time, nsei uint16, mode DeleteMode, dryRun bool) (bvcs, nsvcs int, err error) {
	p := g.peers[nsei]
	cells := g.cellsOf(nsei)
	if p != nil && p.member.Load() != nil || p == nil && len(cells) == 0 {
		return 0, 0, fmt.Errorf("%w: %d", ErrNoPeer, nsei)
	}
	if mode != DeleteNSVCs {
		bvcs = g.deleteBVCs(now, p, cells, dryRun)
	}
	if mode != DeleteBVCs && p != nil && p.nse != nil && !p.nse.Persistent() {
		nsvcs = g.countVCs(now, nsei)
		if !dryRun {
			err = g.stack.DeleteDynamic(nsei, now)
		}
	}
	return bvcs, nsvcs, err
}

func (g *Gateway) deleteBVCs(now time.Time, p *peer, cells []*cell, dryRun bool) (n int) {
	n = len(cells)
	if p != nil && p.sig != nil {
		n++
		if !dryRun {
			p.sig.drop(now)
			p.sig = nil
		}
	}
	if !dryRun {
		for _, c := range cells {
			g.deleteCell(now, c)
		}
	}
	return n
}

func (g *Gateway) countVCs(now time.Time, nsei uint16) int {
	for _, e := range g.stack.Snapshot(now).NSEs {
		if e.NSEI == nsei {
			return len(e.VCs)
		}
	}
	return 0
}

func compareBVCI(a, b *cell) int { return cmp.Compare(a.bvci, b.bvci) }

// cellsOf returns the cells of a BSS-side NSE, inactive ones too.
func (g *Gateway) cellsOf(nsei uint16) (list []*cell) {
	for _, c := range g.byBVCI {
		if c.nsei == nsei {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, compareBVCI)
	return list
}

// deleteCell forgets a cell; the SGSNs see its BVC blocked for the last time.
func (g *Gateway) deleteCell(now time.Time, c *cell) {
	if b := c.bss.Load(); b != nil {
		c.bss.Store(nil)
		delete(b.peer.bvcs, c.bvci)
		g.tellPeers(-1)
		b.drop(now)
	}
	c.links(func(l *bvc) { g.retire(now, l, bssgp.CauseOMIntervention) })
	g.cells[c.bvci].Store(nil)
	delete(g.byBVCI, c.bvci)
	g.areaIndex = nil
}

// DeleteBVC deletes one BVC with its cell ("delete-gbproxy-peer N bvci B"). One
// that is not there is ErrNoBVC.
func (g *Gateway) DeleteBVC(nsei, bvci uint16) error {
	var err error
	if e := g.do(context.Background(), func(now time.Time) { err = g.deleteBVC(now, nsei, bvci) }); e != nil {
		return e
	}
	return err
}

func (g *Gateway) deleteBVC(now time.Time, nsei, bvci uint16) error {
	if p := g.peers[nsei]; bvci == 0 && p != nil && p.member.Load() == nil && p.sig != nil {
		g.bssDown(now, p)
		return nil
	}
	c := g.cellOf(bvci)
	if bvci == 0 || c == nil || c.nsei != nsei {
		return fmt.Errorf("%w: NSEI %d BVCI %d", ErrNoBVC, nsei, bvci)
	}
	g.deleteCell(now, c)
	return nil
}
