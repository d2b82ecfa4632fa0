package pool

import (
	"fmt"
	"sync/atomic"

	"poolgw/nri"
)

// GUAMI names an AMF (TS 23.003 2.10.1): Region 8 bits, Set 10, Pointer 6.
type GUAMI struct {
	PLMN    nri.PLMN
	Region  uint8
	Set     uint16
	Pointer uint8
}

// AMFMember is one AMF of a pool. MemberConfig.NRI holds configured values of
// Set and Pointer (16 bits), or of the Pointer alone (6 bits), for any PLMN.
type AMFMember struct {
	MemberConfig
	GUAMIs  []GUAMI  // learned from it; they are kept while it is down
	Away    []GUAMI  // of these, those that it calls unavailable: as if it were down for them
	Backups []uint16 // IDs of members that it named as its backup
	Down    bool     // up nowhere: the round-robin gives it no turn
}

// AMFConfig is all that a pool of AMFs is built of.
type AMFConfig struct {
	Members     []AMFMember // in configuration order
	PointerOnly bool        // an NRI is the AMF Pointer within the pool's sets, not Set and Pointer
	Hash        bool        // unowned UEs by rendezvous hash, else by smooth weighted round-robin
}

// AMFs is a pool of AMFs with its lookup tables, immutable but for the count of
// the round-robin, and safe for use by any number of goroutines. Who is up is
// said by each request: every gNB has associations of its own.
type AMFs struct {
	members  []amf
	hash     bool
	pointers bool
	learned  map[uint64]Mask // ownerKey
	away     map[uint64]Mask // owners for whom it is unavailable
	ranges   map[nri.V]Mask  // configured, for any PLMN
	inSet    map[uint16]Mask
	open     Mask     // allow attach
	orders   [3]turns // of the round-robin: open members by weight, all by weight, all alike
	turn     *atomic.Uint64
}

// amf is a member with what the choice needs of it.
type amf struct {
	Member
	backups Mask
}

func ownerKey(p nri.PLMN, set uint16, pointer uint8) uint64 {
	return uint64(p[0])<<32 | uint64(p[1])<<24 | uint64(p[2])<<16 | uint64(setPointer(set, pointer))
}

func setPointer(set uint16, pointer uint8) nri.V { return set<<6 | uint16(pointer)&63 }

// NewAMFs builds a pool. The count of the round-robin is prev's, if there is
// one. The error wraps ErrTooMany or ErrDuplicate.
func NewAMFs(cfg AMFConfig, prev *AMFs) (*AMFs, error) {
	if len(cfg.Members) > MaxAMFs {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(cfg.Members), MaxAMFs)
	}
	p := &AMFs{hash: cfg.Hash, pointers: cfg.PointerOnly, learned: make(map[uint64]Mask), away: make(map[uint64]Mask), ranges: make(map[nri.V]Mask),
		inSet: make(map[uint16]Mask), turn: new(atomic.Uint64)}
	if prev != nil {
		p.turn = prev.turn
	}
	index := make(map[uint16]int)
	for i, m := range cfg.Members {
		if _, ok := index[m.ID]; ok {
			return nil, fmt.Errorf("%w: %d", ErrDuplicate, m.ID)
		}
		index[m.ID] = i
		mc := m.MemberConfig
		mc.NRI = mc.NRI.Clone()
		p.members = append(p.members, amf{Member: Member{MemberConfig: mc, Index: i, seed: memberSeed(m.ID)}})
		p.learn(i, m)
	}
	for i, m := range cfg.Members {
		for _, b := range m.Backups {
			if j, ok := index[b]; ok {
				p.members[i].backups.Add(j)
			}
		}
	}
	p.orders = [...]turns{
		p.turns(func(m *amf) uint16 {
			if cfg.Members[m.Index].Down || !m.AllowAttach {
				return 0
			}
			return m.Weight
		}),
		p.turns(func(m *amf) uint16 { return m.Weight }),
		p.turns(func(m *amf) uint16 { return 1 }),
	}
	return p, nil
}

// learn enters member i in the tables of owners.
func (p *AMFs) learn(i int, m AMFMember) {
	if m.AllowAttach {
		p.open.Add(i)
	}
	for _, g := range m.GUAMIs {
		put(p.learned, ownerKey(g.PLMN, g.Set, g.Pointer), i)
		put(p.learned, ownerKey(nri.PLMN{}, g.Set, g.Pointer), i)
		put(p.inSet, g.Set, i)
	}
	for _, g := range m.Away {
		put(p.away, ownerKey(g.PLMN, g.Set, g.Pointer), i)
	}
	for _, r := range m.NRI {
		for v := int(r.First); v <= int(r.Last); v++ {
			put(p.ranges, nri.V(v), i)
		}
	}
}

func put[K comparable](t map[K]Mask, k K, i int) {
	m := t[k]
	m.Add(i)
	t[k] = m
}

// Len is how many members there are.
func (p *AMFs) Len() int { return len(p.members) }

// Member returns member i, 0..Len()-1, in configuration order.
func (p *AMFs) Member(i int) *Member { return &p.members[i].Member }

// Open is the set of members that allow attach.
func (p *AMFs) Open() Mask { return p.open }

// InSet is the set of members that serve an AMF Set.
func (p *AMFs) InSet(set uint16) Mask { return p.inSet[set] }

// Owners is the set of members that own a Set and Pointer within a PLMN, by what
// they announced or by configuration. The zero PLMN stands for none known: any.
func (p *AMFs) Owners(plmn nri.PLMN, set uint16, pointer uint8) Mask {
	owners := p.learned[ownerKey(plmn, set, pointer)]
	if !p.pointers {
		return owners.Or(p.ranges[setPointer(set, pointer)])
	}
	if p.inSet[set].Empty() && len(p.inSet) > 0 {
		return owners
	}
	return owners.Or(p.ranges[nri.V(pointer)&63])
}

// AMFRequest is one question to a pool of AMFs.
type AMFRequest struct {
	Up     Mask // members that the gNB has a way to, by index
	Serves Mask // of these, who serves the area and takes this kind of request

	HasIdentity bool // the next five are valid
	PLMN        nri.PLMN
	Set         uint16
	Pointer     uint8
	TMSI        uint32 // 5G-TMSI: what the hash takes, with the others
	Key         uint64 // what the hash takes without an identity

	// Within confines the choice to these members (a reroute to an AMF Set).
	Within    Mask
	Confined  bool
	Pin       Ref  // where the UE was seen going lately
	MustServe bool // emergency, high priority: never refused while anyone is up
	Peek      bool // it is only asked what would be: no turn of the round-robin is taken
}

// AMFDecision is the answer.
type AMFDecision struct {
	Member *Member // nil: nobody, Reason is NoMember
	Reason Reason
	Cause  Reason // why no owner decided; Reason when nothing overrode it
	Owners Mask   // of the identity, also those that are down
}

// Owned reports whether an owner of the identity was chosen.
func (d AMFDecision) Owned() bool { return d.Reason == ByNRI }

// Route decides where a UE goes. It takes no lock and allocates nothing.
func (p *AMFs) Route(r *AMFRequest) AMFDecision {
	d := AMFDecision{Cause: NoIdentity}
	up := r.Up
	if r.Confined {
		up = up.And(r.Within)
	}
	if r.HasIdentity {
		d.Owners = p.Owners(r.PLMN, r.Set, r.Pointer)
		if len(p.away) > 0 {
			up = up.Without(p.away[ownerKey(r.PLMN, r.Set, r.Pointer)])
		}
		if owners := d.Owners.And(up); !owners.Empty() {
			d.Cause, d.Reason = ByNRI, ByNRI
			d.Member = p.among(owners, r)
			return d
		}
		d.Cause = Unowned
		if !d.Owners.Empty() {
			d.Cause = OwnerDown
		}
	}
	d.Reason = d.Cause
	open := up.And(p.open).And(r.Serves)
	d.Member, d.Reason = p.choose(up, open, &d, r)
	if d.Member == nil {
		d.Reason = NoMember
	}
	return d
}

// choose is the rule for a UE without an owner that is up.
func (p *AMFs) choose(up, open Mask, d *AMFDecision, r *AMFRequest) (*Member, Reason) {
	if m := p.pinned(up, r.Pin); m != nil {
		return m, Pinned
	}
	if d.Cause == OwnerDown {
		for _, near := range [2]Mask{p.backups(d.Owners), p.inSet[r.Set]} {
			if c := open.And(near); !c.Empty() {
				return p.among(c, r), OwnerDown
			}
		}
	}
	if open.Empty() && r.MustServe {
		open = up
	}
	if open.Empty() {
		return nil, NoMember
	}
	return p.among(open, r), d.Cause
}

func (p *AMFs) pinned(up Mask, pin Ref) *Member {
	if !pin.Set {
		return nil
	}
	for i := range p.members {
		if p.members[i].ID == pin.ID && up.Has(i) {
			return &p.members[i].Member
		}
	}
	return nil
}

// backups are the members that any of the owners named.
func (p *AMFs) backups(owners Mask) (b Mask) {
	for i := range p.members {
		if owners.Has(i) {
			b = b.Or(p.members[i].backups)
		}
	}
	return b
}

// among takes one of c, which is not empty.
func (p *AMFs) among(c Mask, r *AMFRequest) *Member {
	if i := c.First(); c.Len() == 1 {
		return &p.members[i].Member
	}
	if pin := p.pinned(c, r.Pin); pin != nil {
		return pin
	}
	if p.hash {
		return p.byHash(c, r)
	}
	orders := p.orders[:]
	if !c.Without(p.open).Empty() { // owners, drained ones among them
		orders = orders[1:]
	}
	n := p.turn.Load()
	if !r.Peek {
		n = p.turn.Add(1) - 1
	}
	for _, t := range orders {
		if i := t.next(n, c); i >= 0 {
			return &p.members[i].Member
		}
	}
	return nil
}

// byHash is the weighted rendezvous hash.
func (p *AMFs) byHash(c Mask, r *AMFRequest) *Member {
	key := r.Key
	if r.HasIdentity {
		key = ownerKey(nri.PLMN{}, r.Set, r.Pointer)<<32 | uint64(r.TMSI)
	}
	var best contender
	mixed := mix(key)
	for i := range p.members {
		m := &p.members[i].Member
		if !c.Has(i) {
			continue
		}
		if u := draw(mixed, m.seed); best.beats(m, u, m.Weight) {
			best = contender{m, u, m.Weight}
		}
	}
	return best.member
}

// turns is the order of a smooth weighted round-robin: of every stretch of it
// each member has its share, as evenly as can be.
type turns []uint8

// turns precomputes the order for the members' weights.
func (p *AMFs) turns(weight func(m *amf) uint16) turns {
	total, divisor := 0, 0
	for i := range p.members {
		w := int(weight(&p.members[i]))
		total += w
		divisor = gcd(divisor, w)
	}
	if total == 0 {
		return nil
	}
	total /= divisor
	t := make(turns, total)
	current := make([]int, len(p.members))
	for n := range t {
		best := -1
		for i := range p.members {
			w := int(weight(&p.members[i])) / divisor
			current[i] += w
			if w > 0 && (best < 0 || current[i] > current[best]) {
				best = i
			}
		}
		current[best] -= total
		t[n] = uint8(best)
	}
	return t
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// next is turn n, or the first after it whose member is in c; -1: none.
func (t turns) next(n uint64, c Mask) int {
	if len(t) == 0 {
		return -1
	}
	at := int(n % uint64(len(t)))
	for range t {
		if i := int(t[at]); c.Has(i) {
			return i
		}
		if at++; at == len(t) {
			at = 0
		}
	}
	return -1
}
