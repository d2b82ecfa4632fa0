package ns

import (
	"cmp"
	"slices"
	"time"
)

// defaultTxQueue is Config.TxQueueMax when it is 0.
const defaultTxQueue = 128

// Apply makes the stack what cfg says and disturbs nothing else: it opens and
// closes binds, makes and deletes NSEs and NS-VCs. When a bind's sockets can't
// be had it returns a *BindError and the stack is as before.
func (s *Stack) Apply(cfg Config, now time.Time) error {
	cfg = cfg.Clone()
	cfg.Indexed(true)
	plan := s.planBinds(cfg.Binds)
	if err := s.openBinds(plan); err != nil {
		return err
	}
	old := s.cfg
	s.cfg = cfg
	s.txMax.Store(int32(cmp.Or(cfg.TxQueueMax, defaultTxQueue)))
	touched := s.swapBinds(plan, now)
	s.applyNSEs(old, touched, now)
	s.settle(now)
	s.Flush()
	return nil
}

// bindPlan says what has to happen to the sockets.
type bindPlan struct {
	gone    []*bind // to be closed
	wanted  []BindConfig
	opened  map[string][]Conn
	updated []BindConfig // stay open
	early   []*bind      // of gone: closed before wanted were opened
}

// sameSocket tells whether a bind can stay open.
func sameSocket(a, b BindConfig) bool {
	return a.Link == b.Link && a.Listen == b.Listen && a.FRNetIf == b.FRNetIf && a.FRNetwork == b.FRNetwork
}

func (s *Stack) planBinds(cfgs []BindConfig) *bindPlan {
	p := &bindPlan{opened: map[string][]Conn{}}
	keep := map[string]bool{}
	for _, c := range cfgs {
		if !c.opens() {
			continue
		}
		b := s.binds[c.Name]
		if b != nil && sameSocket(b.cfg, c) && b.tune(c) {
			keep[c.Name] = true
			p.updated = append(p.updated, c)
			continue
		}
		p.wanted = append(p.wanted, c)
	}
	for _, b := range s.slots {
		if b != nil && !keep[b.cfg.Name] {
			p.gone = append(p.gone, b)
		}
	}
	return p
}

// tune sets DSCP and priority on open sockets; false when they can't take it.
func (b *bind) tune(c BindConfig) bool {
	if b.cfg.DSCP == c.DSCP && b.cfg.Priority == c.Priority {
		return true
	}
	for _, conn := range b.conns {
		t, ok := conn.(Tuner)
		if !ok || t.Tune(c.DSCP, c.Priority) != nil {
			return false
		}
	}
	return true
}

// untune gives the sockets of the bind back what its configuration says.
func (b *bind) untune() {
	for _, conn := range b.conns {
		if t, ok := conn.(Tuner); ok {
			_ = t.Tune(b.cfg.DSCP, b.cfg.Priority) // they had it before
		}
	}
}

// openBinds opens what is wanted. A bind in whose place a wanted one comes is
// closed first, since an address can't be had twice; on error it is opened
// again.
func (s *Stack) openBinds(p *bindPlan) error {
	for _, c := range p.wanted {
		for _, b := range p.gone {
			if !b.closed && overlap(b.cfg, c) {
				s.closeConns(b)
				p.early = append(p.early, b)
			}
		}
		conns, err := s.listen(c)
		if err != nil {
			s.undoOpen(p)
			return &BindError{Bind: c.Name, Addr: c.Listen, Err: err}
		}
		p.opened[c.Name] = conns
	}
	return nil
}

// overlap tells whether two binds can't be open at once.
func overlap(a, b BindConfig) bool {
	if a.Link != b.Link || a.Link == LinkFR {
		return a.Link == b.Link && a.FRNetIf == b.FRNetIf
	}
	x, y := a.Listen, b.Listen
	return x.Port() == y.Port() && (x.Addr() == y.Addr() || x.Addr().IsUnspecified() || y.Addr().IsUnspecified())
}

// undoOpen closes what openBinds has opened and opens what it has closed.
func (s *Stack) undoOpen(p *bindPlan) {
	for _, conns := range p.opened {
		closeAll(conns)
	}
	for _, c := range p.updated {
		if b := s.binds[c.Name]; b.cfg.DSCP != c.DSCP || b.cfg.Priority != c.Priority {
			b.untune()
		}
	}
	for _, b := range p.early {
		conns, err := s.listen(b.cfg)
		if err != nil {
			s.log.Error("bind is lost", "cat", "lns", "bind", b.cfg.Name, "err", err)
			continue
		}
		s.reopen(b, conns)
	}
}

// reopen gives a closed bind new sockets: as a new bind, to which the NS-VCs
// move, because workers may still use the old one.
func (s *Stack) reopen(b *bind, conns []Conn) {
	nb := newBind(b.cfg, b.slot, s.workers, conns)
	nb.vcs, nb.dirty = b.vcs, true
	if nb.fr = b.fr; nb.fr != nil {
		nb.fr.bind = nb
	}
	for _, v := range nb.vcs {
		v.bind = nb
	}
	for _, n := range s.nses {
		n.share.Store(newShare(n.vcs))
		if n.sns != nil {
			n.sns.rebind(b, nb)
		}
	}
	s.slots[b.slot], s.binds[b.cfg.Name] = nb, nb
	nb.publish()
	s.startReaders(nb)
}

func (x *sns) rebind(from, to *bind) {
	if x.path.bind == from {
		x.path.bind = to
	}
	for i := range x.local {
		if x.local[i].bind == from {
			x.local[i].bind = to
		}
	}
}

func closeAll(conns []Conn) {
	for _, c := range conns {
		_ = c.Close() // nothing can be done about it
	}
}

func (s *Stack) closeConns(b *bind) {
	b.closed = true
	closeAll(b.conns)
}

// swapBinds puts the new binds in place and returns the names of those whose
// endpoint or weights are not what they were.
func (s *Stack) swapBinds(p *bindPlan, now time.Time) map[string]bool {
	touched := map[string]bool{}
	for _, b := range p.gone {
		touched[b.cfg.Name] = true
		s.dropBind(b, now)
	}
	for _, c := range p.updated {
		b := s.binds[c.Name]
		if b.cfg.SigWeight != c.SigWeight || b.cfg.DataWeight != c.DataWeight {
			touched[c.Name] = true
		}
		if b.cfg.buffers() != c.buffers() {
			b.setBuffers(c.buffers())
		}
		if b.cfg.Segmentation != c.Segmentation {
			b.setSegmentation(c.Segmentation)
		}
		b.dirty = b.dirty || !slices.Equal(b.cfg.Accept, c.Accept)
		b.cfg = c
	}
	for _, c := range p.wanted {
		touched[c.Name] = true
		slot := s.freeSlot()
		b := newBind(c, slot, s.workers, p.opened[c.Name])
		s.slots[slot], s.binds[c.Name] = b, b
		if c.Link != LinkUDP {
			b.fr = newFRBind(s, b)
			b.fr.start(now)
		}
		s.log.Info("bind opened", "cat", "lns", "bind", c.Name, "addr", b.local)
		s.startReaders(b)
	}
	return touched
}

func (s *Stack) freeSlot() int {
	if i := slices.Index(s.slots, nil); i >= 0 {
		return i
	}
	s.slots = append(s.slots, nil)
	return len(s.slots) - 1
}

func (s *Stack) startReaders(b *bind) {
	for w := range b.conns {
		s.wg.Add(1)
		go s.read(b, w)
	}
}

// dropBind deletes a bind with the NS-VCs on it; a dynamic NSE that has no
// other goes too.
func (s *Stack) dropBind(b *bind, now time.Time) {
	if !b.closed {
		s.flushBind(b)
		s.closeConns(b)
	}
	if b.fr != nil {
		b.fr.stop()
	}
	for _, v := range b.vcs {
		n := v.nse
		s.deleteVC(v, now)
		if !n.persistent && len(n.vcs) == 0 {
			s.deleteNSE(n, now)
		}
	}
	s.slots[b.slot] = nil
	delete(s.binds, b.cfg.Name)
	s.log.Info("bind closed", "cat", "lns", "bind", b.cfg.Name)
}
