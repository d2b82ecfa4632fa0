package gb

import (
	"encoding/binary"
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
	tllis   *cache[tlliKey] // SUSPEND and RESUME: the BSS
	imsis   *cache[imsiKey] // paging: the SGSN; registration enquiry: the BSS
}

// usage is what an entry of the IMSI cache is for.
type usage uint8

const (
	usagePaging usage = iota
	usageEnquiry
)

func (u usage) String() string { return [...]string{"paging", "ms-reg-enq"}[u] }

// tlliKey holds the SGSN that was asked: no other one's answer counts.
type tlliKey struct {
	tlli uint32
	sgsn uint16 // NSEI
}

type imsiKey struct {
	imsi  bssgp.IMSI
	usage usage
}

// cacheTimeout is the life of a TLLI and IMSI cache entry: the times that T3 and
// T4 may take (10 s, TS 48.018 12.1), and osmo-gbproxy's.
const cacheTimeout = 10 * time.Second

func newMemory(workers int, c *Config) memory {
	m := memory{workers: workers, tllis: newCache[tlliKey](c.Limits.CacheEntries, cacheTimeout),
		imsis: newCache[imsiKey](c.Limits.CacheEntries, cacheTimeout)}
	for range 2*workers + 1 {
		m.tables = append(m.tables, newActivity(c.Limits.Subscribers, c.window()))
	}
	return m
}

func (c *Config) window() time.Duration { return time.Duration(c.ActivityWindow) * time.Minute }

// change takes over what may change at run time; the bound of the activity
// tables may not.
func (m *memory) change(c *Config) {
	m.tables.setLife(c.window())
	m.tllis.limit, m.imsis.limit = int(max(1, c.Limits.CacheEntries)), int(max(1, c.Limits.CacheEntries))
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
func (g *Gateway) pin(tlli uint32, now time.Duration) pool.Ref {
	if member, _, ok := g.memory.tables.lookup(tlli, now, pinLife); ok {
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
	m.tllis.expire(now)
	m.imsis.expire(now)
}

// forget removes what is known of an NSE that is gone.
func (m *memory) forget(nsei uint16) {
	m.tllis.purge(nsei)
	m.imsis.purge(nsei)
}

func (m *memory) evicted() map[string]uint64 {
	return map[string]uint64{"tlli_cache": m.tllis.evicted, "imsi_cache": m.imsis.evicted, "activity": m.tables.evicted()}
}

func (m *memory) entries(now time.Time) (tllis []TLLIEntry, imsis []IMSIEntry) {
	m.tllis.each(now, func(k tlliKey, nsei uint16, left time.Duration) {
		tllis = append(tllis, TLLIEntry{TLLI: k.tlli, NSEI: nsei, Valid: left})
	})
	m.imsis.each(now, func(k imsiKey, nsei uint16, left time.Duration) {
		imsis = append(imsis, IMSIEntry{IMSI: k.imsi.String(), Usage: k.usage.String(), NSEI: nsei, Valid: left})
	})
	return tllis, imsis
}
