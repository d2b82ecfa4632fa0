package n2

import (
	"sync"
	"sync/atomic"
)

// place is where a UE's binding is: a gNB's serial number and the RAN UE NGAP ID
// there. No gNB has number 0.
type place struct {
	gnb uint32
	ran uint32
}

// bindings finds the bindings of a UE by what its AMF calls it, over all gNBs:
// for what carries the AMF UE NGAP ID alone, and for path switches. The owner of
// a gNB enters and deletes its own.
type bindings struct {
	shards [1024]bindingShard
	rested atomic.Bool // some ref has rested; see lives.go
}

type bindingShard struct {
	mu  sync.Mutex
	one compact[uint64, place] // by ref.key: the latest
	old map[uint64][]place     // the others, while a handover has two legs

	rest  compact[uint64, int64] // ns until when refs rest; see lives.go
	purge int64                  // ns when to look for those that do not any more
	_     [40]byte               // the next shard's lock is in another cache line
}

func (b *bindings) shard(key uint64) *bindingShard {
	return &b.shards[(key*0x9E3779B97F4A7C15)>>54]
}

// maxPlaces bounds the bindings of one UE: two while it moves, some more when it
// moves on at once. An AMF that calls many UEs alike has the latest found by that.
const maxPlaces = 8

// add enters a binding.
func (b *bindings) add(r ref, p place) {
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.one.get(r.key())
	s.one.put(r.key(), p)
	if !ok || was == p {
		return
	}
	if s.old == nil {
		s.old = make(map[uint64][]place)
	}
	old := append(without(s.old[r.key()], p), was)
	if len(old) >= maxPlaces {
		old = append(old[:0], old[1:]...)
	}
	s.old[r.key()] = old
}

// del takes a binding out.
func (b *bindings) del(r ref, p place) {
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	k := r.key()
	rest := without(s.old[k], p)
	if now, ok := s.one.get(k); ok && now == p {
		s.one.del(k)
		if n := len(rest); n > 0 {
			s.one.put(k, rest[n-1])
			rest = rest[:n-1]
		}
	}
	if len(rest) > 0 {
		s.old[k] = rest
	} else {
		delete(s.old, k)
	}
}

func without(list []place, p place) []place {
	out := list[:0]
	for _, q := range list {
		if q != p {
			out = append(out, q)
		}
	}
	return out
}

// find appends the bindings of r to list, the latest first.
func (b *bindings) find(r ref, list []place) []place {
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.one.get(r.key())
	if !ok {
		return list
	}
	list = append(list, p)
	return append(list, s.old[r.key()]...)
}

// in returns the RAN UE NGAP ID of r at one gNB.
func (b *bindings) in(r ref, gnb uint32) (uint32, bool) {
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.one.get(r.key()); ok && p.gnb == gnb {
		return p.ran, true
	}
	for _, p := range s.old[r.key()] {
		if p.gnb == gnb {
			return p.ran, true
		}
	}
	return 0, false
}

// elsewhere reports whether r is bound at another gNB than one.
func (b *bindings) elsewhere(r ref, gnb uint32) bool {
	s := b.shard(r.key())
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.one.get(r.key()); ok && p.gnb != gnb {
		return true
	}
	for _, p := range s.old[r.key()] {
		if p.gnb != gnb {
			return true
		}
	}
	return false
}
