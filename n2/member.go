package n2

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/ngap"
	"poolgw/nri"
	"poolgw/pool"
)

// member is one AMF over all gNBs. What it has taught is kept while it is down.
type member struct {
	id    uint8
	label string
	legs  atomic.Int32                     // associations that are up
	bound *atomic.Int64                    // UEs
	since atomic.Int64                     // ns since 1970: of the last change between up and down
	lost  atomic.Uint64                    // associations that ended
	past  struct{ from, to atomic.Uint64 } // PDUs of legs that are no more

	decisions reasonCounts // for it

	// Under the gateway's lock; owners read the directory's copy.
	cfg      AMF
	drained  time.Time // since when it does not allow attach
	learned  learned
	overload *overload
	away     map[ngap.GUAMI][]string // unavailable by AMF Status Indication, with the backup AMF's names
}

func (m *member) String() string { return m.label }

func (m *member) up() bool { return m.legs.Load() > 0 }

// legUp counts an association of m that came up, or ended. The first and the last
// one change the round-robin.
func (g *Gateway) legUp(m *member, up bool, now time.Time) {
	d := int32(1)
	if !up {
		d = -1
	}
	if n := m.legs.Add(d); n == 0 || n == 1 && up {
		m.since.Store(now.UnixNano())
		g.mu.Lock()
		defer g.mu.Unlock()
		if up {
			m.overload = nil // NG Setup erases it (8.7.1)
		}
		g.changed()
	}
}

// learned is what an AMF announced in NG Setup and its updates. It is immutable:
// a change makes a new one.
type learned struct {
	names    []string // the one that counts first
	capacity uint8
	guamis   []ngap.ServedGUAMI
	plmns    []ngap.PLMNSupport
	setup    []byte // the NG Setup Response as it came
	at       time.Time
}

// known reports whether the AMF ever answered.
func (l *learned) known() bool { return l.setup != nil }

// same reports whether l and o announce the same.
func (l *learned) same(o *learned) bool {
	return slices.Equal(l.names, o.names) && l.capacity == o.capacity && bytes.Equal(appendLists(nil, l), appendLists(nil, o))
}

func appendLists(b []byte, l *learned) []byte {
	if len(l.guamis) > 0 {
		b = ngap.AppendServedGUAMIs(b, l.guamis)
	}
	if len(l.plmns) > 0 {
		b = ngap.AppendPLMNSupport(b, l.plmns)
	}
	return b
}

// announce reads the IEs of an NG Setup Response or AMF Configuration Update into
// l; what the message does not hold stays as it was.
func (l *learned) announce(p *ngap.PDU) error {
	names, err := namesOf(p, ngap.IEAMFName, ngap.IEExtendedAMFName)
	if err != nil {
		return err
	}
	if names != nil {
		l.names = names
	}
	if v, ok := p.Value(ngap.IERelativeAMFCapacity); ok {
		n, err := ngap.ReadCapacity(v)
		if err != nil {
			return err
		}
		l.capacity = n
	}
	if v, ok := p.Value(ngap.IEServedGUAMIList); ok {
		list, err := ngap.ReadServedGUAMIs(bytes.Clone(v), nil)
		if err != nil {
			return err
		}
		l.guamis = list
	}
	if v, ok := p.Value(ngap.IEPLMNSupportList); ok {
		list, err := ngap.ReadPLMNSupport(bytes.Clone(v), nil)
		if err != nil {
			return err
		}
		l.plmns = list
	}
	return nil
}

// name is the AMF's own, "" before it has told one.
func (l *learned) name() string { return first(l.names) }

// namesOf reads a name and its extended form, which counts where it is there (8.7.1.2);
// nil: there is none.
func namesOf(p *ngap.PDU, plain, extended ngap.IEID) (names []string, err error) {
	if v, ok := p.Value(extended); ok {
		list, err := ngap.ReadExtendedName(v, nil)
		for _, n := range list {
			if err == nil { // else it is ignored, as its criticality says
				names = append(names, string(n))
			}
		}
	}
	if v, ok := p.Value(plain); ok {
		n, err := ngap.ReadName(v)
		if err != nil {
			return nil, err
		}
		names = append(names, string(n))
	}
	return names, nil
}

// directory is what owners know of the pool: immutable, published whole.
type directory struct {
	cfg     *Config
	ids     idScheme
	amfs    *pool.AMFs
	members []*member // by index in configuration order
	byID    [256]*member
	index   [256]int
	learned []learned // by index
	serves  map[ngap.PLMN]pool.Mask
	any     pool.Mask // members whose PLMNs aren't known
	merged  sync.Once
	one     union     // see union
	shut    pool.Mask // overloaded so much that no new UE of low priority goes there
}

// poolDown reports whether no member is up anywhere, though some was: then
// "pool down refuse" turns gNBs away. A gateway that just began lets them in.
func (d *directory) poolDown() bool {
	lost := false
	for _, m := range d.members {
		if m.up() {
			return false
		}
		lost = lost || m.since.Load() != 0
	}
	return lost
}

// publish makes the directory anew. It is called with the lock held.
func (g *Gateway) publish() {
	d := &directory{cfg: &g.cfg, serves: make(map[ngap.PLMN]pool.Mask)}
	cfg := g.cfg
	d.cfg = &cfg
	d.ids = newIDScheme(&cfg, g.overflow)
	pc := pool.AMFConfig{Hash: cfg.Hash, PointerOnly: cfg.BitLen == 6}
	for i, a := range cfg.AMFs {
		m := g.members[a.ID]
		if m == nil {
			m = &member{id: a.ID, cfg: a, bound: &g.bound[a.ID]}
			m.label = labelOf(a)
			g.members[a.ID] = m
		}
		d.members = append(d.members, m)
		d.byID[a.ID], d.index[a.ID] = m, i
		d.learned = append(d.learned, m.learned)
		pc.Members = append(pc.Members, g.poolMember(m))
		d.areas(i, m)
	}
	var prev *pool.AMFs
	if old := g.dir.Load(); old != nil {
		prev = old.amfs
	}
	amfs, err := pool.NewAMFs(pc, prev)
	if err != nil {
		g.log.Error("the pool is as it was", "err", err) // Validate refuses such a configuration
		return
	}
	d.amfs = amfs
	g.unpublished = false
	g.dir.Store(d)
}

// areas enters the PLMNs that m serves, and whether it is shut.
func (d *directory) areas(i int, m *member) {
	if len(m.learned.plmns) == 0 {
		d.any.Add(i)
	}
	for _, p := range m.learned.plmns {
		s := d.serves[p.PLMN]
		s.Add(i)
		d.serves[p.PLMN] = s
	}
	if m.overload != nil && m.overload.shuts {
		d.shut.Add(i)
	}
}

func labelOf(a AMF) string {
	if a.Name == "" {
		return fmt.Sprintf("AMF%d", a.ID)
	}
	return a.Name
}

// poolMember is m as the pool sees it.
func (g *Gateway) poolMember(m *member) pool.AMFMember {
	w := uint16(m.learned.capacity)
	if !m.learned.known() {
		w = 255 // nothing goes there before it has answered; the schedule must not change much then
	}
	if m.cfg.Capacity >= 0 {
		w = uint16(m.cfg.Capacity)
	}
	if m.overload != nil {
		w = m.overload.reduce(w)
	}
	pm := pool.AMFMember{MemberConfig: pool.MemberConfig{ID: uint16(m.id), Name: m.label, NRI: m.cfg.NRI, Weight: w, AllowAttach: m.cfg.AllowAttach},
		Down: !m.up()}
	if len(m.cfg.NRI) == 0 {
		for _, s := range m.learned.guamis {
			pm.GUAMIs = append(pm.GUAMIs, poolGUAMI(s.GUAMI))
		}
	}
	for _, s := range m.learned.guamis {
		pm.Backups = g.membersNamed(pm.Backups, s.Backups())
	}
	for guami, names := range m.away {
		pm.Away = append(pm.Away, poolGUAMI(guami))
		pm.Backups = g.membersNamed(pm.Backups, names)
	}
	return pm
}

// membersNamed appends the members that announce one of some names.
func (g *Gateway) membersNamed(ids []uint16, names []string) []uint16 {
	for _, o := range g.members {
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(o.learned.names, n) }) && !slices.Contains(ids, uint16(o.id)) {
			ids = append(ids, uint16(o.id))
		}
	}
	return ids
}

func poolGUAMI(g ngap.GUAMI) pool.GUAMI {
	return pool.GUAMI{PLMN: nri.PLMN(g.PLMN), Region: g.Region, Set: g.Set, Pointer: g.Pointer}
}

// applyMembers makes the members those of the configuration.
func (g *Gateway) applyMembers(_ Config) {
	for id, m := range g.members {
		if g.cfg.AMF(id) == nil {
			g.log.Info("AMF removed", "amf", m.label)
			delete(g.members, id)
		}
	}
	for _, a := range g.cfg.AMFs {
		if m := g.members[a.ID]; m != nil {
			m.cfg = a
		}
	}
}

// noteDrained keeps since when members are drained.
func (g *Gateway) noteDrained() {
	for _, m := range g.members {
		switch {
		case m.cfg.AllowAttach:
			m.drained = time.Time{}
		case m.drained.IsZero():
			m.drained = g.clock()
		}
	}
}

// learn takes what an AMF announced, and tells all gNBs when the pool has
// changed by it. Called by owners.
func (g *Gateway) learn(m *member, l learned, from *gnb) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members[m.id] != m {
		return // it was removed meanwhile
	}
	back := m.announced(l.guamis)
	if m.learned.known() && m.learned.same(&l) && !back {
		return
	}
	m.learned = l
	if g.changed() {
		g.warnOverlaps(m)
	}
	for _, o := range g.gnbs {
		if o != from {
			o.ask(poolNews{}, o.poolChanged)
		}
	}
}

// announced takes GUAMIs off the list of unavailable ones; true: there was one.
func (m *member) announced(list []ngap.ServedGUAMI) (back bool) {
	for _, s := range list {
		if _, gone := m.away[s.GUAMI]; gone {
			delete(m.away, s.GUAMI)
			back = true
		}
	}
	return back
}

// warnOverlaps tells of GUAMIs, or their Set and Pointer, that another member
// has too.
func (g *Gateway) warnOverlaps(m *member) {
	for _, o := range g.members {
		if o == m {
			continue
		}
		for _, a := range m.learned.guamis {
			for _, b := range o.learned.guamis {
				if a.GUAMI.PLMN == b.GUAMI.PLMN && a.GUAMI.Set == b.GUAMI.Set && a.GUAMI.Pointer == b.GUAMI.Pointer {
					g.log.Warn("two AMFs have one AMF Pointer: UEs of it are spread over both", "amf", m.label, "other", o.label, "guami", a.GUAMI.String())
				}
			}
		}
	}
}
