package gb

import (
	"slices"
	"sync/atomic"
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
)

// cell is one cell of a BSS, known by its BVCI, which must be unique over all
// BSSs. It outlives its BSS's failures: until the BSS resets the BVC again, it
// is inactive and its BVCs at the SGSNs are blocked.
type cell struct {
	bvci    uint16
	nsei    uint16                       // of the BSS that has it
	id      atomic.Pointer[bssgp.CellID] // never nil
	bss     atomic.Pointer[bvc]          // nil: inactive
	to      atomic.Pointer[[]*bvc]       // the BVC at each SGSN, by the member's slot; never nil
	flow    []byte                       // the BSS's last FLOW-CONTROL-BVC; nil: none since the reset
	why     bssgp.Cause                  // why it is blocked at the SGSNs, if it is
	idle    time.Time                    // since when it is inactive, if it is
	bid     *claim
	tallies map[uint16]*tally // of the BVC's ends, by NSEI
	last    time.Time         // when such a claim was decided last
	told    time.Time         // when a move to another BSS was logged last
	untold  int               // moves since then
}

func newCell(bvci, nsei uint16, id bssgp.CellID) *cell {
	c := &cell{bvci: bvci, nsei: nsei, tallies: make(map[uint16]*tally)}
	c.id.Store(&id)
	c.to.Store(new([]*bvc))
	return c
}

func (c *cell) plmn() nri.PLMN { return nri.PLMN(c.id.Load().RAI().PLMN()) }

// link returns the BVC at the member with that slot, or nil.
func (c *cell) link(slot int) *bvc {
	if to := *c.to.Load(); slot < len(to) {
		return to[slot]
	}
	return nil
}

// setLink makes b the BVC at the member with that slot; nil: none.
func (c *cell) setLink(slot int, b *bvc) {
	to := slices.Clone(*c.to.Load())
	for len(to) <= slot {
		to = append(to, nil)
	}
	to[slot] = b
	c.to.Store(&to)
}

// links calls f for each BVC of the cell at an SGSN.
func (c *cell) links(f func(l *bvc)) {
	for _, l := range *c.to.Load() {
		if l != nil {
			f(l)
		}
	}
}

// active tells that the BSS is there and the BVC was reset.
func (c *cell) active() bool { return c.bss.Load() != nil }

// sync wants the cell's BVC at an SGSN blocked or not, as it is at the BSS.
// While a reset toward the BSS runs, nothing changes.
func (c *cell) sync(l *bvc, now time.Time) {
	b := c.bss.Load()
	switch {
	case b == nil || b.State() == bssgp.BVCBlocked:
		l.block(now, c.why)
	case b.unblocked():
		l.unblock(now)
	}
}

func (c *cell) syncAll(now time.Time) { c.links(func(l *bvc) { c.sync(l, now) }) }
