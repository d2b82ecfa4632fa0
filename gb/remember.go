package gb

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
	"poolgw/pool"
)

// memory is what the gateway remembers of subscribers: where they were seen
// going, and who awaits an answer for them.
//
// There is an activity table for each worker and direction, and one for the
// loop. A worker reads the binds of one side on one goroutine each; with several
// binds on a side they share a table, where two that make the same entry at
// once may lose one of them: it is an estimate.
type memory struct {
	tables  activities
	workers int

	suspends, resumes  *cache[tlliKey]    // the BSS that sent it
	pagings, enquiries *cache[bssgp.IMSI] // the SGSN that paged; the BSS that enquired
}

// tlliKey holds the SGSN that was asked: no other one's answer counts.
type tlliKey struct {
	tlli uint32
	sgsn uint16 // NSEI
}

func newMemory(workers int, c *Config) memory {
	n := c.Limits.CacheEntries
	m := memory{workers: workers,
		suspends: newCache[tlliKey](n, c.Timers.seconds(TimerT3)), resumes: newCache[tlliKey](n, c.Timers.seconds(TimerT4)),
		pagings: newCache[bssgp.IMSI](n, c.Timers.seconds(TimerPaging)), enquiries: newCache[bssgp.IMSI](n, c.Timers.seconds(TimerEnquiry))}
	for range 2*workers + 1 {
		m.tables = append(m.tables, newActivity(c.Limits.Subscribers, c.kept()))
	}
	return m
}

// kept is how long an entry of the activity tables is worth something.
func (c *Config) kept() time.Duration { return max(c.window(), c.Timers.pin()) }

func (c *Config) window() time.Duration { return time.Duration(c.ActivityWindow) * time.Minute }

// change takes over what may change at run time; the bound of the activity
// tables may not.
func (m *memory) change(c *Config) {
	m.tables.setLife(c.kept())
	m.suspends.change(c.Limits.CacheEntries, c.Timers.seconds(TimerT3))
	m.resumes.change(c.Limits.CacheEntries, c.Timers.seconds(TimerT4))
	m.pagings.change(c.Limits.CacheEntries, c.Timers.seconds(TimerPaging))
	m.enquiries.change(c.Limits.CacheEntries, c.Timers.seconds(TimerEnquiry))
}

// loopWorker stands for the loop where a worker's number is asked.
const loopWorker = -1

// saw notes that the subscriber of a TLLI was seen going to a member.
func (g *Gateway) saw(worker int, dir bssgp.Dir, tlli uint32, member uint16, now time.Time) {
	table := len(g.memory.tables) - 1
	if worker != loopWorker {
		table = 2*worker + int(dir)
	}
	g.memory.tables[table].touch(tlli, member, now.Sub(g.epoch))
}

// sawChange notes that a subscriber changes its TLLI, which a DL-UNITDATA tells
// (TLLI (old), TS 48.018 10.2.1).
func (g *Gateway) sawChange(tlli uint32, pdu []byte) {
	if bssgp.PDUType(pdu[0]) != bssgp.TypeDLUnitdata {
		return
	}
	v, ok := bssgp.Find(pdu, bssgp.IETLLI)
	if !ok || len(v) < 4 {
		return
	}
	if old := binary.BigEndian.Uint32(v); nri.Key(old) != nri.Key(tlli) {
		g.memory.tables.former(old)
	}
}

// pin is the member that an unowned subscriber was seen going to lately.
func (g *Gateway) pin(tlli uint32, now, life time.Duration) pool.Ref {
	if life == 0 {
		return pool.Ref{}
	}
	if member, _, ok := g.memory.tables.lookup(tlli, now, life); ok {
		return pool.To(member)
	}
	return pool.Ref{}
}

// lastSeen is when a subscriber was seen last within the window.
func (g *Gateway) lastSeen(tlli uint32, now time.Time) time.Time {
	if _, at, ok := g.memory.tables.lookup(tlli, now.Sub(g.epoch), g.cfg.window()); ok {
		return g.epoch.Add(at)
	}
	return time.Time{}
}

// expire ends what the caches hold no longer.
func (m *memory) expire(now time.Time) {
	m.suspends.expire(now)
	m.resumes.expire(now)
	m.pagings.expire(now)
	m.enquiries.expire(now)
}

// forget removes what is known of an NSE that is gone.
func (m *memory) forget(nsei uint16) {
	m.suspends.purge(nsei)
	m.resumes.purge(nsei)
	m.pagings.purge(nsei)
	m.enquiries.purge(nsei)
}

// asked is the BSS that awaits an SGSN's answer for a TLLI, whichever.
func (m *memory) asked(k tlliKey, now time.Time) (nsei uint16, ok bool) {
	if nsei, ok = m.suspends.get(k, now); ok {
		return nsei, true
	}
	return m.resumes.get(k, now)
}

func (m *memory) evicted() map[string]uint64 {
	return map[string]uint64{"tlli_cache": m.suspends.evicted + m.resumes.evicted,
		"imsi_cache": m.pagings.evicted + m.enquiries.evicted, "activity": m.tables.evicted()}
}

func (m *memory) entries(now time.Time) (tllis []TLLIEntry, imsis []IMSIEntry) {
	for usage, c := range map[string]*cache[tlliKey]{"suspend": m.suspends, "resume": m.resumes} {
		c.each(now, func(k tlliKey, nsei uint16, left time.Duration) {
			tllis = append(tllis, TLLIEntry{TLLI: k.tlli, Usage: usage, NSEI: nsei, Valid: left})
		})
	}
	for usage, c := range map[string]*cache[bssgp.IMSI]{"paging": m.pagings, "ms-reg-enq": m.enquiries} {
		c.each(now, func(k bssgp.IMSI, nsei uint16, left time.Duration) {
			imsis = append(imsis, IMSIEntry{IMSI: k.String(), Usage: usage, NSEI: nsei, Valid: left})
		})
	}
	// What ends first comes first.
	slices.SortFunc(tllis, func(a, b TLLIEntry) int {
		return cmp.Or(cmp.Compare(a.Valid, b.Valid), cmp.Compare(a.TLLI, b.TLLI), cmp.Compare(a.Usage, b.Usage))
	})
	slices.SortFunc(imsis, func(a, b IMSIEntry) int {
		return cmp.Or(cmp.Compare(a.Valid, b.Valid), cmp.Compare(a.IMSI, b.IMSI), cmp.Compare(a.Usage, b.Usage))
	})
	return tllis, imsis
}
