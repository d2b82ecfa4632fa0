package n2

import (
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
	m  map[uint64]affinityEntry
	_  [40]byte
}

type affinityEntry struct {
	pinned time.Time // when it was seen going to member; zero: not
	stale  time.Time // until then nobody knows it; zero: not
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
	e, ok := s.m[key]
	if ok && e.over(now) {
		delete(s.m, key)
		return e, false
	}
	return e, ok
}

func (e *affinityEntry) isStale(now time.Time) bool { return now.Before(e.stale) }

func (e *affinityEntry) isPinned(now time.Time) bool { return now.Sub(e.pinned) < pinLife }

func (e *affinityEntry) over(now time.Time) bool { return !e.isStale(now) && !e.isPinned(now) }

// pin tells that a UE goes to a member.
func (a *affinity) pin(key uint64, member uint8, now time.Time) {
	a.put(key, now, func(e *affinityEntry) { e.pinned, e.member = now, member })
}

// mark tells that nobody knows this 5G-S-TMSI: until then it has no owner, and
// is not where it was seen.
func (a *affinity) mark(key uint64, until, now time.Time) {
	a.put(key, now, func(e *affinityEntry) { e.stale, e.pinned = until, time.Time{} })
}

func (a *affinity) put(key uint64, now time.Time, change func(e *affinityEntry)) {
	s := a.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[uint64]affinityEntry)
	}
	e, there := s.m[key]
	if !there && len(s.m) >= affinityShare {
		s.evict(now)
	}
	change(&e)
	s.m[key] = e
}

// evict makes room: it looks at some entries, in the map's random order, and
// takes out those that are over, or the oldest.
func (s *affinityShard) evict(now time.Time) {
	const looks = 16
	n, oldest, at := 0, uint64(0), time.Time{}
	for k, e := range s.m {
		if e.over(now) {
			delete(s.m, k)
		} else if n == 0 || e.pinned.Before(at) {
			oldest, at = k, e.pinned
		}
		if n++; n == looks {
			break
		}
	}
	if len(s.m) >= affinityShare {
		delete(s.m, oldest)
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
	if cfg.Stale == StaleEarlyRelease && u.has(hasTMSI) && now.UnixNano()-u.since < int64(cfg.EarlyRelease) {
		g.markStale(u, cfg, now)
	}
}
