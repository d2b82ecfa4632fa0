package gb

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"poolgw/bssgp"
	"poolgw/pool"
)

// apply changes the configuration, in the loop. What can fail comes first: the
// pool is made, then the NS layer changes as a whole or not at all.
func (g *Gateway) apply(c Config, now time.Time) error {
	p, err := pool.New(poolConfig(c), g.directory.Load().pool)
	if err != nil {
		return err
	}
	gone := g.membersNotIn(c)
	for _, m := range gone {
		for _, l := range sorted(m.bvcs) {
			g.retire(now, l, bssgp.CauseOMIntervention)
		}
	}
	g.stack.Flush()
	if err := g.stack.Apply(c.NS, now); err != nil {
		for _, m := range gone {
			if m.up {
				g.bringUpCells(now, m)
			}
		}
		return err
	}
	old := g.cfg
	g.cfg, g.bvcTimers = c, c.Timers.bssgp()
	for _, m := range gone {
		g.removeMember(now, m)
	}
	for _, s := range c.SGSNs {
		g.setMember(now, s)
	}
	g.publish(p)
	g.adoptAll(now)
	g.applyLimits(c.Limits)
	g.memory.change(&g.cfg)
	g.refuseNew()
	for _, p := range g.peers {
		g.setLacks(p)
	}
	if old.FlowControlRatio != c.FlowControlRatio || old.FlowControlAuto != c.FlowControlAuto {
		g.ratioChanged = true
	}
	g.sharesChanged(now)
	return nil
}

func poolConfig(c Config) pool.Config {
	p := pool.Config{BitLen: c.BitLen, Null: c.Null,
		OwnerDownHold: time.Duration(c.OwnerDownHold) * time.Second}
	for _, s := range c.SGSNs {
		p.Members = append(p.Members, pool.MemberConfig{ID: s.NSEI, Name: s.name(), NRI: s.NRI,
			Weight: s.Weight, AllowAttach: s.AllowAttach})
	}
	return p
}

func (s *SGSN) name() string {
	if s.Name == "" {
		return DefaultName(s.NSEI)
	}
	return s.Name
}

func (g *Gateway) applyLimits(l Limits) {
	g.stack.SetLimits(nsLimits(l))
	g.limit = newLogLimit(g.log, l.LogLines)
}

func (g *Gateway) membersNotIn(c Config) []*member {
	keep := make(map[uint16]bool)
	for _, s := range c.SGSNs {
		keep[s.NSEI] = true
	}
	var gone []*member
	for nsei, m := range g.members {
		if !keep[nsei] {
			gone = append(gone, m)
		}
	}
	return gone
}

// removeMember makes an SGSN's NSE, if it stays in node ns, a BSS's.
func (g *Gateway) removeMember(now time.Time, m *member) {
	if p := m.peer; p != nil {
		g.abandon(now, m)
		p.member.Store(nil)
		p.left = now
	}
	delete(g.members, m.cfg.NSEI)
	for _, c := range g.byBVCI {
		delete(c.tallies, m.cfg.NSEI)
	}
	g.memory.forget(m.cfg.NSEI)
	g.memory.tables.forget(m.cfg.NSEI)
	g.slots[m.slot] = false
}

// setMember makes or changes a member.
func (g *Gateway) setMember(now time.Time, s SGSN) {
	m := g.members[s.NSEI]
	if m == nil {
		m = &member{nsei: s.NSEI, slot: g.takeSlot(), since: now, bvcs: make(map[uint16]*bvc), retired: make(map[uint16]time.Time),
			flows: newFlows(g.opt.Workers), decisions: newChoices(g.opt.Workers)}
		g.members[s.NSEI] = m
		g.missIfDown(now, m)
	}
	s.Name = s.name()
	switch {
	case s.AllowAttach:
		m.drainedSince = time.Time{}
	case m.drainedSince.IsZero():
		m.drainedSince = now
	}
	m.cfg = s
}

// missedAfter is when an SGSN that has not come up since it was configured is
// told of: NS has tried for a while then.
const missedAfter = 30 * time.Second

func (g *Gateway) missIfDown(now time.Time, m *member) {
	g.timers.at(now.Add(missedAfter), func(at time.Time) {
		if g.members[m.cfg.NSEI] == m && !m.up && m.since.Equal(now) {
			g.log.Warn("SGSN has not come up yet", "cat", "gprs", "nsei", m.cfg.NSEI, "name", m.cfg.Name,
				"after", at.Sub(now).Round(time.Second))
		}
	})
}

func (g *Gateway) takeSlot() int {
	i := slices.Index(g.slots, false)
	if i < 0 {
		i, g.slots = len(g.slots), append(g.slots, false)
	}
	g.slots[i] = true
	return i
}

// publish makes the directory that workers see.
func (g *Gateway) publish(p *pool.Pool) {
	d := &directory{pool: p, pin: g.cfg.Timers.pin()}
	for i := range p.Members() {
		d.members = append(d.members, g.members[p.Members()[i].ID])
	}
	if m := g.memberNamed(g.fixed); m != nil {
		d.fixed = pool.To(m.cfg.NSEI)
	} else {
		g.fixed = ""
	}
	g.directory.Store(d)
}

func (g *Gateway) memberNamed(name string) *member {
	for _, m := range g.members {
		if name != "" && m.cfg.Name == name {
			return m
		}
	}
	return nil
}

// adoptAll joins members and NSEs that have come to be in whatever order.
func (g *Gateway) adoptAll(now time.Time) {
	for _, s := range g.cfg.SGSNs {
		m := g.members[s.NSEI]
		p := g.peers[s.NSEI]
		if m.peer == nil {
			g.directory.Load().pool.Member(s.NSEI).SetDown(now.Sub(g.epoch)) // a hold also covers a start
		}
		if p == nil || m.peer == p {
			continue
		}
		g.bssDown(now, p)
		for _, c := range g.cellsOf(p.nsei) {
			g.deleteCell(now, c)
		}
		g.adopt(m, p)
		if p.alive() {
			g.sgsnUp(now, m)
		}
	}
}

// adopt makes an NSE a member's.
func (g *Gateway) adopt(m *member, p *peer) {
	m.peer, p.left = p, time.Time{}
	m.sig = g.newBVC(0, p, m, nil)
	p.member.Store(m)
}

// abandon takes the NSE from a member.
func (g *Gateway) abandon(now time.Time, m *member) {
	g.sgsnDown(now, m)
	m.sig.drop(now)
	m.peer, m.sig = nil, nil
}

// bssList returns the BSS-side NSEs in the order of their NSEI.
func (g *Gateway) bssList() []*peer {
	var list []*peer
	for p := range maps.Values(g.peers) {
		if p.member.Load() == nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *peer) int { return cmp.Compare(a.nsei, b.nsei) })
	return list
}

// refuseNew keeps new NS-VCs away while the pool is down, if "pool down refuse"
// says so.
func (g *Gateway) refuseNew() { g.stack.RefuseNew(g.cfg.PoolDownRefuse && !g.poolUp()) }

func (g *Gateway) poolUp() bool {
	for _, m := range g.members {
		if m.up {
			return true
		}
	}
	return false
}
