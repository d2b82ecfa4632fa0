package lab

import (
	"container/heap"
	"time"
)

// agenda orders what has a next deadline; equal deadlines keep the order in
// which they were set, so that runs can be repeated.
type agenda[K comparable] struct {
	entries entries[K]
	byKey   map[K]*entry[K]
	seq     uint64
}

type entry[K comparable] struct {
	key   K
	due   time.Time
	seq   uint64
	place int
}

// set gives k its deadline; the zero time takes k out.
func (a *agenda[K]) set(k K, due time.Time) {
	e := a.byKey[k]
	switch {
	case e == nil && due.IsZero():
		return
	case e == nil:
		if a.byKey == nil {
			a.byKey = map[K]*entry[K]{}
		}
		a.seq++
		e = &entry[K]{key: k, due: due, seq: a.seq}
		a.byKey[k] = e
		heap.Push(&a.entries, e)
	case due.IsZero():
		heap.Remove(&a.entries, e.place)
		delete(a.byKey, k)
	case !due.Equal(e.due):
		a.seq++
		e.due, e.seq = due, a.seq
		heap.Fix(&a.entries, e.place)
	}
}

// next takes out what is due; ok is false when nothing is.
func (a *agenda[K]) next(now time.Time) (k K, ok bool) {
	if len(a.entries) == 0 || a.entries[0].due.After(now) {
		return k, false
	}
	e := heap.Pop(&a.entries).(*entry[K])
	delete(a.byKey, e.key)
	return e.key, true
}

// first is the earliest deadline; zero: none.
func (a *agenda[K]) first() time.Time {
	if len(a.entries) == 0 {
		return time.Time{}
	}
	return a.entries[0].due
}

type entries[K comparable] []*entry[K]

func (e entries[K]) Len() int { return len(e) }
func (e entries[K]) Less(i, j int) bool {
	return e[i].due.Before(e[j].due) || e[i].due.Equal(e[j].due) && e[i].seq < e[j].seq
}
func (e entries[K]) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].place, e[j].place = i, j
}
func (e *entries[K]) Push(x any) {
	n := x.(*entry[K])
	n.place = len(*e)
	*e = append(*e, n)
}
func (e *entries[K]) Pop() any {
	old := *e
	x := old[len(old)-1]
	old[len(old)-1] = nil
	*e = old[:len(old)-1]
	return x
}

// earliest is the earlier of two deadlines, either of which may be none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
