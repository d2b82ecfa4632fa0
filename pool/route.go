package pool

import (
	"fmt"
	"strings"
	"time"

	"poolgw/nri"
)

// Identity is what a Request knows of the subscriber.
type Identity uint8

const (
	None  Identity = iota // nothing; Key may still tell subscribers apart
	TLLI                  // Value is a TLLI; its kind tells whether it has an NRI
	PTMSI                 // Value is a P-TMSI, or a TMSI with an NRI in it
)

// Ref names a member by its ID, or none; the zero value is none.
type Ref struct {
	ID  uint16
	Set bool
}

// To returns the Ref to the member with that ID.
func To(id uint16) Ref { return Ref{ID: id, Set: true} }

// Exclude is a set of members for which a choice could not be carried out. The
// zero value is empty.
type Exclude struct {
	bits [MaxMembers / 64]uint64
}

// Add puts m in the set.
func (e *Exclude) Add(m *Member) { e.bits[m.Index/64] |= 1 << (m.Index % 64) }

// Has reports whether m is in the set; a nil set is empty.
func (e *Exclude) Has(m *Member) bool {
	return e != nil && e.bits[m.Index/64]&(1<<(m.Index%64)) != 0
}

// Request is one question to the pool.
type Request struct {
	Identity Identity
	Value    uint32   // TLLI or P-TMSI
	Key      uint64   // with None: what the hash takes instead, see KeyOf; 0: nothing, the first member is taken
	PLMN     nri.PLMN // of the cell
	Pin      Ref      // where the subscriber was seen going lately
	Fixed    Ref      // where the operator sends all unowned subscribers
	// Exclude holds members for which an earlier choice could not be carried
	// out; owners are not excluded, for nobody else has their subscribers.
	Exclude *Exclude
	Now     time.Duration // on the clock of Member.SetDown; only the hold needs it
}

// Decision is the answer.
type Decision struct {
	Member *Member // nil: drop, Reason is Hold or NoMember
	Reason Reason
	Cause  Reason  // why no owner decided; Reason when nothing overrode it
	Owner  *Member // the first owner of the NRI, also when it is down; else nil
	NRI    nri.V   // valid when HasNRI
	HasNRI bool
}

// Owned reports whether the member was chosen as an owner of the NRI: there is
// no second choice then.
func (d Decision) Owned() bool { return d.Reason == ByNRI || d.Reason == OverlapSecond }

// Route decides where a subscriber goes. It takes no lock and allocates nothing.
func (p *Pool) Route(r *Request) Decision {
	var d Decision
	avoid := uint32(noOwner) // owners of a NULL-NRI
	if !p.hasNRI(r, &d) {
		return p.choose(r, d, avoid)
	}
	node := p.owners.first(d.NRI)
	if node != noOwner {
		d.Owner = &p.members[p.owners.nodes[node].member]
	}
	switch {
	case p.null.contains(r.PLMN, d.NRI):
		d.Cause, avoid = NullNRI, node
	case node == noOwner:
		d.Cause = Unowned
	default:
		if p.byOwner(node, &d) {
			return d
		}
		if p.anyHolding(node, r.Now) {
			d.Reason = Hold
			return d
		}
	}
	return p.choose(r, d, avoid)
}

// hasNRI fills in the NRI of the request, or the cause why it has none.
func (p *Pool) hasNRI(r *Request, d *Decision) bool {
	switch {
	case r.Identity == None:
		d.Cause = NoIdentity
	case p.bitLen == 0:
		d.Cause = BitLenZero
	case r.Identity == TLLI && !nri.KindOf(r.Value).HasNRI():
		d.Cause = NoNRI
	default:
		d.NRI, d.HasNRI = nri.FromTMSI(r.Value, p.bitLen), true
	}
	return d.HasNRI
}

// byOwner takes the first owner that is up.
func (p *Pool) byOwner(node uint32, d *Decision) bool {
	for n := node; n != noOwner; n = p.owners.nodes[n].next {
		m := &p.members[p.owners.nodes[n].member]
		if !m.Up() {
			continue
		}
		d.Member, d.Reason = m, ByNRI
		if n != node {
			d.Reason = OverlapSecond
		}
		d.Cause = d.Reason
		return true
	}
	d.Cause = OwnerDown
	return false
}

// anyHolding reports whether an owner has been down for less than the hold.
func (p *Pool) anyHolding(node uint32, now time.Duration) bool {
	if p.hold <= 0 {
		return false
	}
	for n := node; n != noOwner; n = p.owners.nodes[n].next {
		if p.members[p.owners.nodes[n].member].holding(now, p.hold) {
			return true
		}
	}
	return false
}

// choose finds a member for a subscriber without one: rule 2 and 3. Members in
// the chain avoid are never taken.
func (p *Pool) choose(r *Request, d Decision, avoid uint32) Decision {
	d.Reason = d.Cause
	if m := p.usable(r.Fixed, r.Exclude, avoid); m != nil {
		d.Member, d.Reason = m, Fixed
	} else if m := p.usable(r.Pin, r.Exclude, avoid); m != nil {
		d.Member, d.Reason = m, Pinned
	} else if r.Identity == None && r.Key == 0 {
		d.Member = p.firstOpen(r.Exclude)
	} else {
		d.Member = p.byHash(r.key(), r.Exclude, avoid)
	}
	if d.Member == nil {
		d.Reason = NoMember
	}
	return d
}

// usable returns the member that ref names if it can be used, drained or not.
func (p *Pool) usable(ref Ref, ex *Exclude, avoid uint32) *Member {
	if !ref.Set {
		return nil
	}
	m := p.Member(ref.ID)
	if m == nil || !m.Up() || ex.Has(m) || p.owners.holds(avoid, m.Index) {
		return nil
	}
	return m
}

// key is what the hash takes: the low 30 bits of what was made of a P-TMSI, so
// that local and foreign TLLI choose alike, else the whole.
func (r *Request) key() uint64 {
	switch {
	case r.Identity == None:
		return r.Key
	case r.Identity == PTMSI || nri.KindOf(r.Value).HasNRI():
		return uint64(r.Value & 0x3FFFFFFF)
	}
	return uint64(r.Value)
}

// firstOpen is the first member that takes new subscribers, one with a weight
// before one without.
func (p *Pool) firstOpen(ex *Exclude) *Member {
	var standby *Member
	for i := range p.members {
		m := &p.members[i]
		if !m.AllowAttach || !m.Up() || ex.Has(m) {
			continue
		}
		if m.Weight > 0 {
			return m
		}
		if standby == nil {
			standby = m
		}
	}
	return standby
}

// byHash chooses among the members that take new subscribers.
func (p *Pool) byHash(key uint64, ex *Exclude, avoid uint32) *Member {
	var best contender
	mixed := mix(key)
	for i := range p.members {
		m := &p.members[i]
		if !m.AllowAttach || !m.Up() || ex.Has(m) || p.owners.holds(avoid, i) {
			continue
		}
		if u := draw(mixed, m.seed); best.beats(m, u, m.Weight) {
			best = contender{m, u, m.Weight}
		}
	}
	return best.member
}

// Explain says the decision in one sentence for the operator.
func (d Decision) Explain() string {
	s := d.because(d.Reason)
	switch {
	case d.Member == nil:
		s = "dropped: " + s
	case d.Reason != d.Cause:
		s = fmt.Sprintf("%s: %s (%s)", d.Member.Name, s, upToComma(d.because(d.Cause)))
	default:
		s = d.Member.Name + ": " + s
	}
	if d.HasNRI {
		s = fmt.Sprintf("NRI %d, %s", d.NRI, s)
	}
	return s
}

// because is the reason in words, with the owner's name where it is down.
func (d Decision) because(r Reason) string {
	if d.Owner != nil && (r == OwnerDown || r == Hold) {
		return strings.Replace(r.Text(), "the owner of the NRI", "its owner "+d.Owner.Name, 1)
	}
	return r.Text()
}

func upToComma(text string) string {
	if i := strings.IndexAny(text, ",;"); i >= 0 {
		return text[:i]
	}
	return text
}
