package gb

import "time"

// cache is a bounded map from a subscriber's identity to an NSEI whose entries
// live for a fixed time after they were put or put again: TLLI to BSS for the
// answers to SUSPEND and RESUME, IMSI to SGSN or BSS for those to pagings and
// registration enquiries. The loop owns it.
//
// Since all entries live equally long, the order in which they were put is the
// order in which they end: a list, of which only the front is ever looked at.
// After a change of the life some may stay a little beyond their end; they are
// not found.
// When the cache is full the front gives way and is counted.
type cache[K comparable] struct {
	life    time.Duration
	limit   int
	index   map[K]uint32 // place in entries
	entries []cacheEntry[K]
	first   uint32 // the list: ends first; noEntry if empty
	last    uint32
	free    uint32 // unused places, linked by next
	evicted uint64 // entries that gave way before their time
}

type cacheEntry[K comparable] struct {
	key        K
	nsei       uint16
	prev, next uint32
	ends       time.Time
}

const noEntry = ^uint32(0)

// newCache makes a cache of at most limit entries, at least 1.
func newCache[K comparable](limit uint32, life time.Duration) *cache[K] {
	c := &cache[K]{index: make(map[K]uint32), first: noEntry, last: noEntry, free: noEntry}
	c.change(limit, life)
	return c
}

// change sets another limit and life; the life counts for what is put from now
// on.
func (c *cache[K]) change(limit uint32, life time.Duration) {
	c.limit, c.life = int(min(max(1, limit), noEntry-1)), life
}

// put notes key's NSEI; a known key gets the new NSEI and a full life again.
func (c *cache[K]) put(key K, nsei uint16, now time.Time) {
	i, known := c.index[key]
	if known {
		c.unlink(i)
	} else {
		i = c.place()
		c.index[key] = i
	}
	e := &c.entries[i]
	e.key, e.nsei, e.ends = key, nsei, now.Add(c.life)
	c.append(i)
}

// place returns an unused place, if need be that of the entry that ends first.
func (c *cache[K]) place() uint32 {
	for len(c.index) >= c.limit { // more than one when the limit was lowered
		c.remove(c.first)
		c.evicted++
	}
	if i := c.free; i != noEntry {
		c.free = c.entries[i].next
		return i
	}
	c.entries = append(c.entries, cacheEntry[K]{})
	return uint32(len(c.entries) - 1)
}

// get returns key's NSEI if it is still alive at now.
func (c *cache[K]) get(key K, now time.Time) (nsei uint16, ok bool) {
	i, ok := c.index[key]
	if !ok || !now.Before(c.entries[i].ends) {
		return 0, false
	}
	return c.entries[i].nsei, true
}

// take is get and delete.
func (c *cache[K]) take(key K, now time.Time) (nsei uint16, ok bool) {
	nsei, ok = c.get(key, now)
	c.delete(key)
	return nsei, ok
}

// delete removes key if it is there.
func (c *cache[K]) delete(key K) {
	if i, ok := c.index[key]; ok {
		c.remove(i)
	}
}

// expire removes the entries whose life is over at now and returns their number.
func (c *cache[K]) expire(now time.Time) (n int) {
	for ; c.first != noEntry && !now.Before(c.entries[c.first].ends); n++ {
		c.remove(c.first)
	}
	return n
}

// deadline is when the next entry ends; armed is false for an empty cache.
func (c *cache[K]) deadline() (t time.Time, armed bool) {
	if c.first == noEntry {
		return time.Time{}, false
	}
	return c.entries[c.first].ends, true
}

// purge removes the entries of an NSE that is gone and returns their number.
func (c *cache[K]) purge(nsei uint16) (n int) {
	for i := c.first; i != noEntry; {
		next := c.entries[i].next
		if c.entries[i].nsei == nsei {
			c.remove(i)
			n++
		}
		i = next
	}
	return n
}

// each calls f for the entries alive at now, those that end first first, with
// what is left of their life.
func (c *cache[K]) each(now time.Time, f func(key K, nsei uint16, left time.Duration)) {
	for i := c.first; i != noEntry; i = c.entries[i].next {
		if e := &c.entries[i]; now.Before(e.ends) {
			f(e.key, e.nsei, e.ends.Sub(now))
		}
	}
}

// len is the number of entries, those not yet expired included.
func (c *cache[K]) len() int { return len(c.index) }

func (c *cache[K]) remove(i uint32) {
	c.unlink(i)
	e := &c.entries[i]
	delete(c.index, e.key)
	*e = cacheEntry[K]{next: c.free}
	c.free = i
}

func (c *cache[K]) unlink(i uint32) {
	e := &c.entries[i]
	if e.prev == noEntry {
		c.first = e.next
	} else {
		c.entries[e.prev].next = e.next
	}
	if e.next == noEntry {
		c.last = e.prev
	} else {
		c.entries[e.next].prev = e.prev
	}
}

func (c *cache[K]) append(i uint32) {
	e := &c.entries[i]
	e.prev, e.next = c.last, noEntry
	if c.last == noEntry {
		c.first = i
	} else {
		c.entries[c.last].next = i
	}
	c.last = i
}
