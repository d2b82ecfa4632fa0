package gb

import "time"

// activities are the tables of all writers: what they know together. The newest
// entry of a subscriber counts, for its uplink and downlink may be seen by
// different workers. All methods may be called by any goroutine; count takes
// its time and is better not called from the loop.
type activities []*activity

// lookup is as activity.lookup, over all tables.
func (as activities) lookup(tlli uint32, now, within time.Duration) (member uint16, seen time.Duration, ok bool) {
	for _, a := range as {
		m, at, has := a.lookup(tlli, now, within)
		if has && (!ok || at > seen) {
			member, seen, ok = m, at, true
		}
	}
	return member, seen, ok
}

// memberActivity is what the tables know of one member.
type memberActivity struct {
	Bound  int           // subscribers seen going there within the window
	Active int           // of them, within the shorter time
	Last   time.Duration // when any was seen last, since the epoch
}

// count counts the subscribers of each member that were seen within window, and
// those within recent.
func (as activities) count(now, window, recent time.Duration) map[uint16]memberActivity {
	counts := make(map[uint16]memberActivity)
	at := seconds(now)
	for i, a := range as {
		a.each(func(key uint32, member uint16, seen uint32) {
			old := age(at, seen)
			if old > seconds(window) || as.knownBetter(i, key, at, old) {
				return
			}
			c := counts[member]
			c.Bound++
			if old <= seconds(recent) {
				c.Active++
			}
			c.Last = max(c.Last, time.Duration(seen)*time.Second)
			counts[member] = c
		})
	}
	return counts
}

// knownBetter reports whether another table than the i-th saw the subscriber
// more recently, or as recently and comes first.
func (as activities) knownBetter(i int, key, now, old uint32) bool {
	for j, a := range as {
		if j == i {
			continue
		}
		if _, seen, ok := a.read(key); ok {
			if other := age(now, seen); other < old || other == old && j < i {
				return true
			}
		}
	}
	return false
}

// former marks a TLLI as given up for another: it counts no longer.
func (as activities) former(tlli uint32) {
	for _, a := range as {
		a.former(tlli)
	}
}

// forget removes a member's entries from all tables. Where another table has an
// older entry of a subscriber, that counts again.
func (as activities) forget(member uint16) {
	for _, a := range as {
		a.forget(member)
	}
}

// setLife sets the activity window of all tables.
func (as activities) setLife(life time.Duration) {
	for _, a := range as {
		a.setLife(life)
	}
}

// evicted is how many entries gave way because a table was full.
func (as activities) evicted() (n uint64) {
	for _, a := range as {
		n += a.evicted.Load()
	}
	return n
}
