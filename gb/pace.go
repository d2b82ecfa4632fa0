package gb

import "time"

// The resets of cells at an SGSN are paced: neither an SGSN that has just started, nor
// one whose thousands of cells begin at once, gets more than its socket holds. What is lost
// there would be sent again after T2 only.
const (
	paceBatch = 16
	paceEvery = 10 * time.Millisecond
)

// resets are the cells that are to be reset at an SGSN, in turn, each once.
type resets struct {
	queue  []uint16 // BVCIs
	queued map[uint16]bool
	sent   int  // in the interval that runs
	runs   bool // the interval, with an empty queue too
}

func (r *resets) add(bvci uint16) {
	if r.queued == nil {
		r.queued = make(map[uint16]bool)
	}
	if !r.queued[bvci] {
		r.queued[bvci] = true
		r.queue = append(r.queue, bvci)
	}
}

// take returns the next one; ok is false when the interval has had its share.
func (r *resets) take() (bvci uint16, ok bool) {
	if len(r.queue) == 0 || r.sent == paceBatch {
		return 0, false
	}
	bvci = r.queue[0]
	r.queue = r.queue[1:]
	delete(r.queued, bvci)
	return bvci, true
}

func (r *resets) clear() { r.queue, r.queued = nil, nil }

// bringUpCells resets every active cell's BVC at an SGSN.
func (g *Gateway) bringUpCells(now time.Time, m *member) {
	m.resets.clear()
	for _, p := range g.bssList() {
		for _, b := range sorted(p.bvcs) {
			m.resets.add(b.bvci)
		}
	}
	g.pace(now, m)
}

// resetInTurn resets a cell's BVC at an SGSN, at once if the pace lets it.
func (g *Gateway) resetInTurn(now time.Time, c *cell, m *member) {
	m.resets.add(c.bvci)
	g.pace(now, m)
}

// pace resets what is due in the interval that runs; the rest follows in later ones.
func (g *Gateway) pace(now time.Time, m *member) {
	r := &m.resets
	for bvci, ok := r.take(); ok; bvci, ok = r.take() {
		if c := g.cellOf(bvci); c != nil && c.active() && m.up {
			r.sent++
			g.resetAt(now, c, m)
		}
	}
	if r.runs || r.sent == 0 {
		return
	}
	r.runs = true
	g.timers.at(now.Add(paceEvery), func(now time.Time) {
		r.runs, r.sent = false, 0
		g.pace(now, m)
	})
}
