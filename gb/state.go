package gb

import (
	"context"
	"maps"
	"slices"
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
	"poolgw/pool"
)

// Snapshot copies the gateway's state.
func (g *Gateway) Snapshot(ctx context.Context) (Snapshot, error) {
	var s Snapshot
	var tables activities
	var epoch time.Time
	if err := g.do(ctx, func(now time.Time) {
		s, tables, epoch = g.snapshot(now), g.memory.tables, g.epoch
	}); err != nil {
		return Snapshot{}, err
	}
	// They may be large: this goroutine reads them, not the loop.
	known := tables.count(s.Time.Sub(epoch), s.Pool.ActivityWindow, s.Pool.ActiveWindow)
	for i := range s.Pool.SGSNs {
		m := &s.Pool.SGSNs[i]
		k, ok := known[m.NSEI]
		m.Bound, m.Active = k.Bound, k.Active
		if ok {
			m.LastSeen = epoch.Add(k.Last)
		}
	}
	return s, nil
}

func (g *Gateway) snapshot(now time.Time) Snapshot {
	s := Snapshot{Time: now, Drops: g.drops.snapshot(), NS: g.stack.Snapshot(now), Timers: g.cfg.timerStates(), Limits: g.cfg.Limits,
		Pool: PoolState{BitLen: g.cfg.BitLen, Null: g.cfg.Null.Any.String(), NullByPLMN: nullByPLMN(g.cfg.Null), ActivityWindow: g.cfg.window(), ActiveWindow: min(activeWithin, g.cfg.window()), Reasons: make(map[string]uint64),
			Undecided: make(map[string]uint64)}, Alarms: g.alarms.Load(), LostBSSs: g.lostBSSs.Load(), Takeovers: g.takeovers.Load(),
		Stalls: g.watch.stalls.Load(), ClockSteps: g.watch.steps.Load(), Evicted: g.memory.evicted()}
	for r := range g.undecided {
		s.Pool.Reasons[pool.Reason(r).String()] += g.undecided[r].Load()
		if n := g.undecided[r].Load(); n > 0 {
			s.Pool.Undecided[pool.Reason(r).String()] = n
		}
	}
	for _, m := range g.directory.Load().members {
		s.Pool.SGSNs = append(s.Pool.SGSNs, m.state())
		m.decisions.each(func(r pool.Reason, n uint64) { s.Pool.Reasons[r.String()] += n })
	}
	for _, p := range g.bssList() {
		s.BSSs = append(s.BSSs, p.state())
	}
	for _, c := range slices.SortedFunc(maps.Values(g.byBVCI), compareBVCI) {
		s.Cells = append(s.Cells, g.cellState(c))
	}
	s.TLLIs, s.IMSIs = g.memory.entries(now)
	return s
}

func nullByPLMN(n nri.NullSet) map[string]string {
	m := make(map[string]string)
	for _, p := range n.PLMNs() {
		m[p.String()] = n.Of(p).String()
	}
	return m
}

// activeWithin is what Active of an SGSNState means.
const activeWithin = 5 * time.Minute

// state copies a member's state but for what the activity tables know.
func (m *member) state() SGSNState {
	n := m.flows.sum()
	s := SGSNState{NSEI: m.cfg.NSEI, Name: m.cfg.Name, Up: m.up, Since: m.since, AllowAttach: m.cfg.AllowAttach,
		DrainedSince: m.drainedSince, Weight: m.cfg.Weight, NRI: m.cfg.NRI.String(), Restarts: m.restarts,
		Decisions: make(map[string]uint64),
		ToPDUs:    n.toPDUs, ToBytes: n.toBytes, FromPDUs: n.fromPDUs, FromBytes: n.fromBytes}
	m.decisions.each(func(r pool.Reason, n uint64) {
		if n > 0 {
			s.Decisions[r.String()] = n
		}
	})
	if m.sig != nil {
		s.BVCs = append(s.BVCs, m.sig.copy())
	}
	for _, l := range sorted(m.bvcs) {
		s.BVCs = append(s.BVCs, l.copy())
	}
	return s
}

func (p *peer) state() BSSState {
	s := BSSState{NSEI: p.nsei, Alive: p.alive()}
	if p.sig != nil {
		s.BVCs = append(s.BVCs, p.sig.copy())
	}
	for _, b := range sorted(p.bvcs) {
		s.BVCs = append(s.BVCs, b.copy())
	}
	return s
}

func (b *bvc) copy() BVCState {
	n := b.flows.sum()
	s := BVCState{BVCI: b.bvci, State: b.State().String(), Drops: b.drops.Load(),
		ToPDUs: n.toPDUs, ToBytes: n.toBytes, FromPDUs: n.fromPDUs, FromBytes: n.fromBytes}
	if b.cell != nil {
		id := b.cell.id.Load()
		s.RAI, s.CI = id.RAI().String(), id.CI()
	}
	return s
}

func (g *Gateway) cellState(c *cell) CellState {
	id := c.id.Load()
	s := CellState{BVCI: c.bvci, RAI: id.RAI().String(), CI: id.CI(), BSS: c.nsei, Active: c.active()}
	for _, m := range g.directory.Load().members {
		if c.link(m.slot) != nil {
			s.SGSNs = append(s.SGSNs, m.cfg.NSEI)
		}
	}
	return s
}

// Subscriber tells where a subscriber would go. It asks the pool as a PDU
// would, but for the cell: which PLMN and BVCs it would find is not known. A query
// that does not name exactly one identity is ErrQuery.
func (g *Gateway) Subscriber(q Query) (Answer, error) {
	if bit(q.TLLI != nil)+bit(q.PTMSI != nil)+bit(q.TMSI != nil)+bit(q.IMSI != "") != 1 {
		return Answer{}, ErrQuery
	}
	var a Answer
	err := g.do(context.Background(), func(now time.Time) { a = g.subscriber(q, now) })
	return a, err
}

// asTLLI is the TLLI that stands for the identity asked for, as in the rules:
// that of a TMSI is foreign.
func (q *Query) asTLLI() (tlli uint32, known bool) {
	switch {
	case q.TLLI != nil:
		return *q.TLLI, true
	case q.PTMSI != nil:
		return nri.LocalTLLI(*q.PTMSI), true
	case q.TMSI != nil:
		return nri.ForeignTLLI(*q.TMSI), true
	}
	return 0, false
}

func (g *Gateway) subscriber(q Query, now time.Time) Answer {
	dir := g.directory.Load()
	var a Answer
	var r pool.Request
	tlli, known := q.asTLLI()
	if known {
		r = g.request(tlli, q.PLMN, now)
	} else {
		imsi, _ := bssgp.ParseIMSI(q.IMSI)
		r = g.imsiRequest(imsi, now)
	}
	switch {
	case q.TLLI != nil:
		a.Kind = nri.KindOf(tlli).String()
	case q.PTMSI != nil:
		r.Identity, r.Value = pool.PTMSI, *q.PTMSI
	}
	r.Fixed = dir.fixed
	d := g.choose(dir, &r)
	a.Reason, a.Text = d.Reason.String(), d.Explain()
	if d.Member != nil {
		a.NSEI, a.Member = d.Member.ID, d.Member.Name
	}
	if q.IMSI != "" && d.Reason == pool.Pinned {
		a.Text = a.Member + ": it paged the IMSI lately"
	}
	if d.HasNRI {
		v := d.NRI
		a.NRI = &v
	}
	if known {
		a.LastSeen = g.lastSeen(tlli, now)
	}
	return a
}

var _ bssgp.BVCOwner = (*bvc)(nil)
