package gb

import (
	"math/bits"
	"sync/atomic"
	"time"

	"poolgw/nri"
)

// pinLife is the default of how long a subscriber without an owner stays with the
// SGSN it was seen going to, and the least time for which an entry is kept: T3310
// and T3330 are 15 s, five times (TS 24.008 11.2.2).
const pinLife = 75 * time.Second

// activity remembers to which member each subscriber was seen going and when:
// an estimate, for pins, "show pool", "show drain" and "show subscriber".
//
// It is best written by one goroutine (each worker and the loop have their own)
// and may be read by any, without locks: an entry is two atomic words. Writers
// at once do no harm but to the estimate: an entry that two make at the same
// moment may be lost or be there twice until it is too old. Times are those
// since the gateway's epoch, kept in whole seconds.
//
// A subscriber's entry stands in one bucket of sixteen. The table consists of
// segments, each of which doubles when a bucket is full until the table's bound
// is reached, so that a small network has a small table and no doubling holds
// a worker up for long (at most 64 KiB are moved per segment at the default
// bound). Beyond it the entry of the bucket that was seen longest ago gives way
// and is counted. An entry takes 16 octets; a table for 1,000,000 subscribers
// grows to 32 MiB.
type activity struct {
	segments []atomic.Pointer[segment]
	shift    uint          // hash >> shift is the segment
	maxSlots int           // of a segment
	life     atomic.Uint32 // s; older entries may be replaced without being missed
	evicted  atomic.Uint64 // entries that gave way while they were younger than life
}

// segment is a power of two of slots, in buckets.
type segment struct{ slots []slot }

// slot is one entry. who is key, member and a one bit, 0 when the slot is
// empty, and formerBit; seen may lag behind it for an instant.
type slot struct {
	who  atomic.Uint64
	seen atomic.Uint32
}

const (
	bucketSlots   = 16
	startSlots    = 64 // of a segment
	maxSegments   = 256
	bytesPerEntry = 16
)

// newActivity makes a table that holds limit subscribers: at most one in a
// thousand gives way before there are more. Entries older than life are worth
// nothing.
func newActivity(limit uint32, life time.Duration) *activity {
	slots := ceilPow2(max(bucketSlots, 2*uint64(limit)))
	segments := min(maxSegments, max(1, slots/startSlots))
	a := &activity{
		segments: make([]atomic.Pointer[segment], segments),
		shift:    uint(64 - bits.TrailingZeros64(segments)),
		maxSlots: int(slots / segments),
	}
	a.setLife(life)
	return a
}

func ceilPow2(n uint64) uint64 { return 1 << bits.Len64(n-1) }

// setLife sets the age from which entries count no longer, at least pinLife.
func (a *activity) setLife(life time.Duration) {
	a.life.Store(uint32(max(life, pinLife) / time.Second))
}

// formerBit marks a TLLI that its subscriber has given up for another: it is
// still good as a pin, while the change may need repetition, but no subscriber.
const formerBit = 2

func pack(key uint32, member uint16) uint64 { return uint64(key)<<32 | uint64(member)<<16 | 1 }

func keyOf(who uint64) uint32    { return uint32(who >> 32) }
func memberOf(who uint64) uint16 { return uint16(who >> 16) }

func seconds(t time.Duration) uint32 { return uint32(t / time.Second) }

// age is how long ago seen was, in seconds; a moment that is still to come, as
// another goroutine's clock may have it, is now. It is right across the
// wrap-around of the seconds.
func age(now, seen uint32) uint32 { return uint32(max(0, int32(now-seen))) }

func activityHash(key uint32) uint64 {
	h := uint64(key) * 0x9E3779B97F4A7C15
	h = (h ^ h>>32) * 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// segment returns the place of the segment of hash h. With a single segment
// the shift is 64, which gives 0.
func (a *activity) segment(h uint64) *atomic.Pointer[segment] { return &a.segments[h>>a.shift] }

func (s *segment) bucket(h uint64) []slot {
	i := int(h) & (len(s.slots) - 1) &^ (bucketSlots - 1)
	return s.slots[i : i+bucketSlots]
}

// touch notes that the subscriber of a TLLI was seen going to member. It
// allocates when a segment grows.
func (a *activity) touch(tlli uint32, member uint16, now time.Duration) {
	key, at := nri.Key(tlli), seconds(now)
	h := activityHash(key)
	place := a.segment(h)
	for seg := place.Load(); ; seg = a.grow(place, seg) {
		if seg == nil {
			continue
		}
		bucket := seg.bucket(h)
		s := a.find(bucket, key, at)
		if s == nil && len(seg.slots) < a.maxSlots {
			continue
		}
		if s == nil {
			s = oldest(bucket, at)
			a.evicted.Add(1)
		}
		s.set(pack(key, member), at)
		return
	}
}

// set writes only what changes: most PDUs find both words as they should be. A
// slot that changes hands is empty in between, so that no reader takes the new
// time for the old subscriber's; one that keeps its subscriber never is.
func (s *slot) set(who uint64, at uint32) {
	old := s.who.Load()
	if old != 0 && keyOf(old) != keyOf(who) {
		s.who.Store(0)
	}
	if old != 0 && keyOf(old) == keyOf(who) && old != who {
		s.who.Store(who)
	}
	if s.seen.Load() != at {
		s.seen.Store(at)
	}
	if s.who.Load() != who {
		s.who.Store(who)
	}
}

// find returns the slot of key, else one that is free or too old to matter,
// else nil. The usual case, a known key, looks at no more than the keys.
func (a *activity) find(bucket []slot, key, at uint32) *slot {
	for i := range bucket {
		if who := bucket[i].who.Load(); keyOf(who) == key && who != 0 {
			return &bucket[i]
		}
	}
	life := a.life.Load()
	for i := range bucket {
		if s := &bucket[i]; s.who.Load() == 0 || age(at, s.seen.Load()) > life {
			return s
		}
	}
	return nil
}

func oldest(bucket []slot, at uint32) *slot {
	old := &bucket[0]
	for i := range bucket {
		if age(at, bucket[i].seen.Load()) > age(at, old.seen.Load()) {
			old = &bucket[i]
		}
	}
	return old
}

// grow doubles a segment, or makes its first slots, and returns what is in place
// then: another writer may have been faster.
func (a *activity) grow(place *atomic.Pointer[segment], old *segment) *segment {
	size := min(startSlots, a.maxSlots)
	if old != nil {
		size = 2 * len(old.slots)
	}
	s := &segment{slots: make([]slot, size)}
	if old != nil {
		s.fill(old)
	}
	place.CompareAndSwap(old, s)
	return place.Load()
}

// fill copies the entries of a segment half as long. Those of one bucket part
// to two, so that none is lost.
func (s *segment) fill(old *segment) {
	for i := range old.slots {
		who, at := old.slots[i].read()
		if who == 0 {
			continue
		}
		bucket := s.bucket(activityHash(keyOf(who)))
		for j := range bucket {
			if bucket[j].who.Load() == 0 {
				bucket[j].set(who, at)
				break
			}
		}
	}
}

// lookup returns where the subscriber of a TLLI was seen going within the last
// within, and when, to the second. Any goroutine may call it.
func (a *activity) lookup(tlli uint32, now, within time.Duration) (member uint16, seen time.Duration, ok bool) {
	key := nri.Key(tlli)
	member, at, ok := a.read(key)
	if !ok || age(seconds(now), at) > seconds(within) {
		return 0, 0, false
	}
	return member, time.Duration(at) * time.Second, true
}

// read returns the entry of a key, however old.
func (a *activity) read(key uint32) (member uint16, at uint32, ok bool) {
	h := activityHash(key)
	seg := a.segment(h).Load()
	if seg == nil {
		return 0, 0, false
	}
	bucket := seg.bucket(h)
	for i := range bucket {
		if keyOf(bucket[i].who.Load()) != key {
			continue
		}
		if who, at := bucket[i].read(); who != 0 && keyOf(who) == key {
			return memberOf(who), at, true
		}
	}
	return 0, 0, false
}

// read returns both words of one entry: when the slot changed hands meanwhile
// it reads again, and takes it as empty if that goes on.
func (s *slot) read() (who uint64, at uint32) {
	for range 4 {
		who = s.who.Load()
		at = s.seen.Load()
		if s.who.Load() == who {
			return who, at
		}
	}
	return 0, 0
}

// former marks the entry of a TLLI as given up until it is touched again. Any
// goroutine may call it.
func (a *activity) former(tlli uint32) {
	key := nri.Key(tlli)
	h := activityHash(key)
	seg := a.segment(h).Load()
	if seg == nil {
		return
	}
	bucket := seg.bucket(h)
	for i := range bucket {
		if who := bucket[i].who.Load(); who != 0 && keyOf(who) == key && who&formerBit == 0 {
			bucket[i].who.CompareAndSwap(who, who|formerBit)
			return
		}
	}
}

// each calls f for every entry, however old, but those given up. Any goroutine
// may call it.
func (a *activity) each(f func(key uint32, member uint16, at uint32)) {
	for i := range a.segments {
		seg := a.segments[i].Load()
		if seg == nil {
			continue
		}
		for j := range seg.slots {
			if who, at := seg.slots[j].read(); who != 0 && who&formerBit == 0 {
				f(keyOf(who), memberOf(who), at)
			}
		}
	}
}

// forget removes the entries of a member. Any goroutine may call it: what is
// touched meanwhile stays.
func (a *activity) forget(member uint16) {
	for i := range a.segments {
		for seg := a.segments[i].Load(); seg != nil; {
			seg.forget(member)
			now := a.segments[i].Load()
			if now == seg {
				break
			}
			seg = now // it grew meanwhile
		}
	}
}

func (s *segment) forget(member uint16) {
	for i := range s.slots {
		if who := s.slots[i].who.Load(); who != 0 && memberOf(who) == member {
			s.slots[i].who.CompareAndSwap(who, 0)
		}
	}
}

// bytes is the memory of the entries.
func (a *activity) bytes() int {
	n := 0
	for i := range a.segments {
		if seg := a.segments[i].Load(); seg != nil {
			n += len(seg.slots) * bytesPerEntry
		}
	}
	return n
}
