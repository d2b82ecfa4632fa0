package n2

import (
	"sync"
	"sync/atomic"
)

// An AMF UE NGAP ID is unique in one AMF only, and a gNB sees one AMF. So what
// the gNB sees holds the member's number in its top bits: a pure function, equal
// on every gateway that numbers its AMFs alike. A value that has no room below
// stands in a table; its number there comes with all ones above.

const idBits = 40

// idScheme translates AMF UE NGAP IDs.
type idScheme struct {
	transparent bool
	low         uint8 // bits of the AMF's own value
	over        *overflow
}

func newIDScheme(c *Config, over *overflow) idScheme {
	return idScheme{transparent: c.Transparent, low: idBits - c.IndexBits, over: over}
}

// ref is a UE as an AMF knows it, in one of the AMF's lives; see lives.go.
type ref struct {
	member uint8  // number of the AMF
	id     uint64 // its own AMF UE NGAP ID, and the life above it
}

// own is the AMF UE NGAP ID as the AMF has it.
func (r ref) own() uint64 { return r.id & (1<<idBits - 1) }

// key is r in one word.
func (r ref) key() uint64 { return uint64(r.member)<<keyBits | r.id }

// outer is the ID that the gNB sees; false: the table of values that don't fit
// is full.
func (s *idScheme) outer(r ref) (uint64, bool) {
	if s.transparent {
		return r.own(), true
	}
	if r.id < 1<<s.low {
		return uint64(r.member)<<s.low | r.id, true
	}
	n, ok := s.over.add(r, 1<<s.low)
	return s.ones()<<s.low | n, ok
}

// shown is outer without a new entry in the table of values that don't fit.
func (s *idScheme) shown(r ref) (uint64, bool) {
	if s.transparent || r.id < 1<<s.low || s.over.has(r) {
		return s.outer(r)
	}
	return 0, false
}

func (s *idScheme) ones() uint64 { return 1<<(idBits-s.low) - 1 }

// inner is what an ID that a gNB uses stands for. In a transparent pool the
// member is 0: the binding tells it. False: no member explains it.
func (s *idScheme) inner(id uint64) (ref, bool) {
	if s.transparent {
		return ref{0, id}, true
	}
	top, low := id>>s.low, id&(1<<s.low-1)
	if top == s.ones() {
		return s.over.get(low)
	}
	return ref{uint8(top), low}, top != 0
}

// overflow is the table of values that don't fit. It is bounded: an AMF that
// chooses large values needs fewer index bits.
type overflow struct {
	mu    sync.RWMutex
	byRef map[ref]uint64
	byN   map[uint64]ref
	next  uint64
	count atomic.Uint64 // entries ever made
	full  atomic.Uint64 // values refused
	held  atomic.Int64  // entries now
}

const maxOverflow = 1 << 20

func newOverflow() *overflow {
	return &overflow{byRef: make(map[ref]uint64), byN: make(map[uint64]ref)}
}

// add returns the number of r, 0 to end-1.
func (o *overflow) add(r ref, end uint64) (uint64, bool) {
	if n, ok := o.number(r); ok {
		return n, true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if n, ok := o.byRef[r]; ok { // meanwhile
		return n, true
	}
	if len(o.byRef) >= maxOverflow {
		o.full.Add(1)
		return 0, false
	}
	for {
		n := o.next % end
		o.next++
		if _, taken := o.byN[n]; !taken {
			o.byRef[r], o.byN[n] = n, r
			o.count.Add(1)
			o.held.Add(1)
			return n, true
		}
	}
}

// number is the one that r has.
func (o *overflow) number(r ref) (uint64, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	n, ok := o.byRef[r]
	return n, ok
}

func (o *overflow) has(r ref) bool {
	_, ok := o.number(r)
	return ok
}

func (o *overflow) get(n uint64) (ref, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	r, ok := o.byN[n]
	return r, ok
}

// del forgets r, when its UE context has ended.
func (o *overflow) del(r ref) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n, ok := o.byRef[r]; ok {
		delete(o.byRef, r)
		delete(o.byN, n)
		o.held.Add(-1)
	}
}
