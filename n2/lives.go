package n2

import "time"

// An AMF that was lost may count its AMF UE NGAP IDs from 1 again, while a gNB that
// has not heard yet, or that a UE moves to over Xn, still has one of before: a Path
// Switch Request, which carries nothing else, would move another UE. So the ID that a
// gNB has seen of a UE stands for no other UE for a while after the UE's end with an
// association. What the AMF calls alike meanwhile is a ref of another life: it does
// not fit below the member's number, and has a number of its own in the table of such.

const (
	keyBits  = 48 // of the id of a ref: 40 of the AMF's, 7 of the life, and pastLife
	pastLife = 1 << (keyBits - 1)
	maxLives = 15
	// idRest is how long an ID rests: longer than a gNB keeps a UE that nobody serves.
	idRest = 5 * time.Minute
)

// past is r for a binding whose AMF is lost: an AMF never means it.
func (r ref) past() ref { return ref{r.member, r.id | pastLife} }

// next is r in another life.
func (r ref) next() ref { return ref{r.member, r.id + 1<<idBits} }

// rest keeps r from use.
func (b *bindings) rest(r ref, now time.Time) {
	b.rested.Store(true)
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := now.UnixNano(); n >= s.purge { // those whose rest is over
		s.purge = n + int64(idRest)
		var left compact[uint64, int64]
		s.rest.each(func(k uint64, until int64) bool {
			if until > n {
				left.put(k, until)
			}
			return true
		})
		s.rest = left
	}
	s.rest.put(r.key(), now.Add(idRest).UnixNano())
}

// resting reports whether r may not be used: a gNB may have it for a UE of before.
func (b *bindings) resting(r ref, now time.Time) bool {
	if !b.rested.Load() {
		return false
	}
	s := b.shard(r.key())
	s.mu.Lock()
	until, ok := s.rest.get(r.key())
	s.mu.Unlock()
	return ok && until > now.UnixNano() || len(b.find(r.past(), nil)) > 0
}

// present is the ref of what an AMF calls so now. When the table has little room, or
// IDs go through unchanged, it is one that rests, and path switches of it are refused.
func (g *Gateway) present(member uint8, own uint64) ref {
	first := ref{member, own}
	if g.dir.Load().ids.transparent || !g.bindings.rested.Load() || g.overflow.held.Load() > maxOverflow/2 {
		return first
	}
	now := g.clock()
	for r, n := first, 0; n <= maxLives; r, n = r.next(), n+1 {
		if !g.bindings.resting(r, now) {
			return r
		}
	}
	return first
}

// newRef is present for a UE that an AMF names to this gNB for the first time. When it
// is bound elsewhere, that gNB has not heard yet that the AMF began anew.
func (g *gnb) newRef(member uint8, own uint64) ref {
	r, b := g.gw.present(member, own), &g.gw.bindings
	for n := 0; n < maxLives && b.elsewhere(r, g.serial); n++ {
		b.rest(r, g.gw.clock())
		next := g.gw.present(member, own)
		if next == r {
			break
		}
		r = next
	}
	return r
}

// refOf is the ref of a UE by one of the IDs that its AMF uses for it.
func (g *gnb) refOf(u *ue, own uint64) ref {
	if old, ok := g.ues.changes[u.ran]; ok && u.has(changing) && old.own() == own {
		return old
	}
	return u.ref()
}

// bound is what a UE is bound by.
func (u *ue) bound() ref {
	if u.has(past) {
		return u.ref().past()
	}
	return u.ref()
}

// outlive notes that a UE's association to its AMF has ended, and the gNB may not know:
// its ID rests, unless the UE is at another gNB as well.
func (g *gnb) outlive(u *ue) {
	if !u.has(hasAMF) || u.has(past) {
		return
	}
	b, r, now := &g.gw.bindings, u.ref(), g.gw.clock()
	if old, ok := g.ues.changes[u.ran]; ok && !b.elsewhere(old, g.serial) {
		b.rest(old, now)
	}
	if !b.elsewhere(r, g.serial) {
		b.rest(r, now)
	}
	b.del(r, place{g.serial, u.ran})
	u.flags |= past
	b.add(u.bound(), place{g.serial, u.ran})
}

// ranOf finds the UE of this gNB that an AMF calls so: one of its present life before
// those that are left of earlier ones.
func (g *gnb) ranOf(member uint8, own uint64) (uint32, bool) {
	b, first := &g.gw.bindings, ref{member, own}
	ran, ok := b.in(first, g.serial)
	if ok || !b.rested.Load() {
		return ran, ok
	}
	for _, earlier := range []uint64{0, pastLife} {
		for r, n := first, 0; n <= maxLives; r, n = r.next(), n+1 {
			if ran, ok = b.in(ref{member, r.id | earlier}, g.serial); ok {
				return ran, true
			}
		}
	}
	return 0, false
}
