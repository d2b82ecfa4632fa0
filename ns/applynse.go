package ns

import (
	"slices"
	"time"
)

// applyNSEs makes the configured NSEs what s.cfg says; touched are the binds
// that have changed since old.
func (s *Stack) applyNSEs(old Config, touched map[string]bool, now time.Time) {
	for _, n := range s.sortedNSEs() {
		if n.persistent && !s.sameKind(n) {
			s.deleteNSE(n, now)
		}
	}
	for i := range s.cfg.NSEs {
		e := &s.cfg.NSEs[i]
		n := s.nses[e.NSEI]
		if n != nil && !n.persistent {
			s.deleteNSE(n, now)
			n = nil
		}
		if n == nil {
			n = s.newNSE(e.NSEI, e.runDialect(), e.Role, true, now)
		}
		s.removeVCs(n, e, now)
	}
	for i := range s.cfg.NSEs { // after all removals: an address may move
		e := &s.cfg.NSEs[i]
		s.addVCs(s.nses[e.NSEI], e, now)
		s.applySNS(s.nses[e.NSEI], e, old.NSE(e.NSEI), touched, now)
	}
	s.changeDynamicSNS(now)
}

// runDialect is the dialect at run time: an NSE of SGSN role needs nothing
// else to be an IP-SNS one.
func (e *NSEConfig) runDialect() Dialect {
	if e.Dialect == DialectUndefined && e.Role == RoleSGSN {
		return DialectSNS
	}
	return e.Dialect
}

// sameKind tells whether a configured NSE is still configured, of its kind.
func (s *Stack) sameKind(n *NSE) bool {
	e := s.cfg.NSE(n.nsei)
	return e != nil && e.Role == n.role &&
		(e.runDialect() == n.dialect || n.dialect == DialectUndefined && e.runDialect() != DialectSNS)
}

func (s *Stack) sortedNSEs() []*NSE {
	list := make([]*NSE, 0, len(s.nses))
	for _, n := range s.nses {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *NSE) int { return int(a.nsei) - int(b.nsei) })
	return list
}

// matches tells whether an NS-VC is the configured one.
func (v *VC) matches(c VCConfig) bool {
	on := v.bind.cfg.Name
	if c.Link == LinkFR {
		on = v.bind.cfg.FRNetIf
	}
	return v.bind.cfg.Link == c.Link && on == c.Bind && v.remote == c.remote() && v.hasNSVCI == c.HasNSVCI && v.nsvci == c.NSVCI
}

// removeVCs deletes the NS-VCs that are not configured any more.
func (s *Stack) removeVCs(n *NSE, e *NSEConfig, now time.Time) {
	n.dialect = e.runDialect()
	if n.sns != nil {
		return
	}
	for _, v := range slices.Clone(n.vcs) {
		if !slices.ContainsFunc(e.VCs, v.matches) {
			s.deleteVC(v, now)
		}
	}
}

// addVCs makes the NS-VCs that are missing, of those whose bind is open, and
// gives the others their weights.
func (s *Stack) addVCs(n *NSE, e *NSEConfig, now time.Time) {
	for _, c := range e.VCs {
		b := s.bindOf(c)
		if b == nil {
			continue
		}
		v := b.vcs[c.remote()]
		switch {
		case v != nil && v.nse == n:
			s.setWeights(v, c, now)
			continue
		case v != nil && !v.persistent:
			s.deleteVC(v, now) // what is configured goes before what came by itself
			if was := v.nse; !was.persistent && len(was.vcs) == 0 {
				s.deleteNSE(was, now)
			}
		case v != nil:
			b.drop(DropConflict)
			s.log.Error("NS-VC belongs to another NSE", "cat", "lns", "nse", n, "nsvc", v)
			continue
		}
		s.startVC(n, b, c, now)
	}
}

func (s *Stack) startVC(n *NSE, b *bind, c VCConfig, now time.Time) {
	v := s.newVC(n, b, c.remote(), now)
	v.persistent, v.initiator = true, true
	v.setNSVCI(c.NSVCI, c.HasNSVCI)
	if !c.HasNSVCI {
		v.sigWeight, v.dataWeight = c.SigWeight, c.DataWeight
	}
	b.attach(now, v)
	v.event(now, evStart)
}

func (s *Stack) setWeights(v *VC, c VCConfig, now time.Time) {
	if c.HasNSVCI || v.sigWeight == c.SigWeight && v.dataWeight == c.DataWeight {
		return
	}
	v.sigWeight, v.dataWeight = c.SigWeight, c.DataWeight
	v.nse.recompute(now)
}

// applySNS gives a configured IP-SNS NSE its binds and endpoints. The peer is
// told of the difference, or all begins anew when the procedures have not come
// so far or the SGSN they run with is not configured any more.
func (s *Stack) applySNS(n *NSE, e, old *NSEConfig, touched map[string]bool, now time.Time) {
	x := n.sns
	if x == nil {
		return
	}
	changed := old == nil || !slices.Equal(x.binds, e.SNSBinds) ||
		slices.ContainsFunc(e.SNSBinds, func(b string) bool { return touched[b] })
	moreRemotes := !slices.Equal(x.endpoints, e.SNSRemotes)
	x.binds, x.endpoints = slices.Clone(e.SNSBinds), slices.Clone(e.SNSRemotes)
	if changed || moreRemotes {
		x.idle = false
	}
	switch {
	case n.role == RoleSGSN:
		x.sgsnChanged(now)
	case moreRemotes && !slices.Contains(x.endpoints, x.path.remote),
		!x.configured() && (changed || moreRemotes && x.state == snsUnconfigured):
		x.begin(now)
	case changed:
		x.localChanged(now)
	}
}

// changeDynamicSNS: the default binds are the endpoints of dynamic NSEs.
func (s *Stack) changeDynamicSNS(now time.Time) {
	for _, n := range s.sortedNSEs() {
		if !n.persistent && n.sns != nil {
			n.sns.sgsnChanged(now)
		}
	}
}

// sgsnChanged deals with a change of the configuration in the SGSN role. Before
// the endpoints are exchanged nothing but the loss of the way to the BSS counts:
// the rest is told afterwards.
func (x *sns) sgsnChanged(now time.Time) {
	switch {
	case x.configured():
		x.localChanged(now)
	case x.state != snsUnconfigured && x.path.bind.closed:
		x.sgsnGiveUp(now)
	}
}
