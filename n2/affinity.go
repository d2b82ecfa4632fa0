package n2

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"poolgw/ngap"
)

// affinity remembers, of 5G-S-TMSIs that were seen lately, which member they went
// to, and which of them their owner does not know. It is bounded: the oldest of a
// few gives way.
type affinity struct {
	shards [1024]affinityShard
}

type affinityShard struct {
	mu sync.Mutex
	m  compact[uint64, affinityEntry]
	_  [24]byte // the next shard's lock is in another cache line
}

type affinityEntry struct {
	pinned int64 // ns since 1970: when it was seen going to member; 0: not
	stale  int64 // ns since 1970: until then nobody knows it; 0: not
	member uint8
}

const (
	pinLife       = 75 * time.Second // T3510 x 5, as a registration in progress lasts
	affinityShare = 1000             // entries of a shard
)

func newAffinity() *affinity { return &affinity{} }

func (a *affinity) shard(key uint64) *affinityShard {
	return &a.shards[(key*0x9E3779B97F4A7C15)>>54]
}

// get returns what is known of a 5G-S-TMSI at now.
func (a *affinity) get(key uint64, now time.Time) (affinityEntry, bool) {
	s := a.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.m.get(key)
	if ok && e.over(now) {
		s.m.del(key)
		return e, false
	}
	return e, ok
}

func (e *affinityEntry) isStale(now time.Time) bool { return now.UnixNano() < e.stale }

func (e *affinityEntry) isPinned(now time.Time) bool { return now.UnixNano()-e.pinned < int64(pinLife) }

func (e *affinityEntry) over(now time.Time) bool { return !e.isStale(now) && !e.isPinned(now) }

// pin tells that a UE goes to a member.
func (a *affinity) pin(key uint64, member uint8, now time.Time) {
	a.put(key, now, func(e *affinityEntry) { e.pinned, e.member = now.UnixNano(), member })
}

// mark tells that nobody knows this 5G-S-TMSI: until then it has no owner, and
// is not where it was seen.
func (a *affinity) mark(key uint64, until, now time.Time) {
	a.put(key, now, func(e *affinityEntry) { e.stale, e.pinned = until.UnixNano(), 0 })
}

func (a *affinity) put(key uint64, now time.Time, change func(e *affinityEntry)) {
	s := a.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, there := s.m.get(key)
	if !there && s.m.n >= affinityShare {
		s.evict(now)
	}
	change(&e)
	s.m.put(key, e)
}

// evict makes room: it looks at some entries, from anywhere on, and takes out
// those that are over, or else the oldest.
func (s *affinityShard) evict(now time.Time) {
	var out [16]uint64
	over, looked, oldest, at := out[:0], 0, uint64(0), int64(math.MaxInt64)
	s.m.eachFrom(rand.IntN(len(s.m.slots)), func(k uint64, e affinityEntry) bool {
		if e.over(now) {
			over = append(over, k)
		} else if e.pinned < at {
			oldest, at = k, e.pinned
		}
		looked++
		return looked < len(out)
	})
	for _, k := range over {
		s.m.del(k)
	}
	if len(over) == 0 {
		s.m.del(oldest)
	}
}

// 5GMM causes (TS 24.501 annex A) by which an AMF says that it does not know the
// UE's identity.
const (
	causeIdentityUnderivable = 9
	causeImplicitlyDetached  = 10
)

// watchNAS marks the 5G-S-TMSI of a UE whose AMF rejects it as unknown.
func (g *gnb) watchNAS(m *msg, u *ue) {
	if m.Code != ngap.CodeDownlinkNASTransport || !u.has(hasTMSI) {
		return
	}
	cfg := g.gw.dir.Load().cfg
	if cfg.Stale == StaleOff {
		return
	}
	n := g.pdu.NAS()
	reject := n.Type == ngap.NASRegistrationReject || n.Type == ngap.NASServiceReject
	if reject && (n.Cause == causeIdentityUnderivable || n.Cause == causeImplicitlyDetached) {
		g.markStale(u, cfg, m.now)
	}
}

func (g *gnb) markStale(u *ue, cfg *Config, now time.Time) {
	key := uint64(u.guami)<<32 | uint64(u.tmsi)
	g.gw.affinity.mark(key, now.Add(cfg.StaleHold), now)
	g.gw.counters.stale.Add(1)
}

// earlyRelease marks the 5G-S-TMSI of a UE that is released right after it came,
// where that is configured to mean a stale one.
func (g *gnb) earlyRelease(u *ue, now time.Time) {
	cfg := g.gw.dir.Load().cfg
	if cfg.Stale == StaleEarlyRelease && u.has(hasTMSI) && !u.has(leaving) && now.UnixNano()-u.since < int64(cfg.EarlyRelease) {
		g.markStale(u, cfg, now)
	}
}
