package lab

import (
	"sync"
	"time"

	"poolgw/nri"
)

// settle is how long after an SGSN came up its subscribers may still be taken
// elsewhere without anybody being wrong: the gateway sees it up after the NS
// test, the signalling reset and the reset of each cell.
const settle = 20 * time.Second

// Register is what the SGSNs of a pool share: the location register (who serves
// whom, TS 23.060 6.9) and which NRIs are whose. It is the lab's truth.
// Its methods may be called from any goroutine.
type Register struct {
	BitLen uint8
	Null   nri.Set

	mu      sync.Mutex
	serving map[string]*SGSN // by IMSI
	members map[uint16]*memberTruth
	seen    map[uint32]sighting // by nri.Key
}

// sighting is where the last uplink PDU of a TLLI came to.
type sighting struct {
	nsei uint16
	at   time.Time
	old  bool // its SGSN has told of another TLLI since
}

// maxSeen bounds the sightings; beyond it new TLLIs are not recorded.
const maxSeen = 1 << 20

type memberTruth struct {
	nris  nri.Set
	up    bool
	cut   bool      // by the gateway's operator: nothing can come to it
	since time.Time // of the last change
}

// NewRegister returns an empty register for a pool with NRIs of bitLen bits
// and the NULL-NRIs null.
func NewRegister(bitLen uint8, null nri.Set) *Register {
	return &Register{BitLen: bitLen, Null: null,
		serving: map[string]*SGSN{}, members: map[uint16]*memberTruth{}, seen: map[uint32]sighting{}}
}

// update notes that s serves the subscriber from now on; the SGSN before it
// drops its context (Cancel Location).
func (r *Register) update(imsi string, s *SGSN) {
	r.mu.Lock()
	old := r.serving[imsi]
	r.serving[imsi] = s
	r.mu.Unlock()
	if old != nil && old != s {
		old.cancelLocation(imsi)
	}
}

// purge notes that s serves the subscriber no longer.
func (r *Register) purge(imsi string, s *SGSN) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.serving[imsi] == s {
		delete(r.serving, imsi)
	}
}

// purgeAll notes that s has lost all its contexts.
func (r *Register) purgeAll(s *SGSN) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for imsi, o := range r.serving {
		if o == s {
			delete(r.serving, imsi)
		}
	}
}

// Serving returns the NSEI of the SGSN that serves the subscriber.
func (r *Register) Serving(imsi string) (nsei uint16, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.serving[imsi]
	if s == nil {
		return 0, false
	}
	return s.cfg.NSEI, true
}

// Counts returns how many subscribers each SGSN serves.
func (r *Register) Counts() map[uint16]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := map[uint16]int{}
	for _, s := range r.serving {
		counts[s.cfg.NSEI]++
	}
	return counts
}

func (r *Register) setMember(nsei uint16, nris nri.Set, up bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cut := r.members[nsei] != nil && r.members[nsei].cut
	r.members[nsei] = &memberTruth{nris, up, cut, now}
}

// pooled notes what the gateway's operator made of an SGSN: which NRIs take
// PDUs to it, and whether it is cut off. It tells whether that is new.
func (r *Register) pooled(nsei uint16, nris nri.Set, cut bool, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.members[nsei]
	if m == nil || m.cut == cut && m.nris.Equal(nris) {
		return false
	}
	m.nris, m.cut, m.since = nris, cut, now
	return true
}

// wrong tells whether a PDU of the subscriber tlli should not have come to the
// SGSN nsei: another one owns its NRI and has been up long enough.
func (r *Register) wrong(tlli uint32, nsei uint16, now time.Time) bool {
	v, ok := nri.FromTLLI(tlli, r.BitLen)
	if !ok || r.BitLen == 0 || r.Null.Contains(v) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.members[nsei]; m != nil && m.nris.Contains(v) {
		return false
	}
	for _, m := range r.members {
		if m.nris.Contains(v) && m.up && !m.cut && now.Sub(m.since) > settle {
			return true
		}
	}
	return false
}

// saw records an uplink PDU of tlli at the SGSN nsei.
func (r *Register) saw(tlli uint32, nsei uint16, now time.Time) {
	key := nri.Key(tlli)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.seen[key]; ok || len(r.seen) < maxSeen {
		r.seen[key] = sighting{nsei: nsei, at: now}
	}
}

// gaveUp records that the subscriber of tlli has another one now.
func (r *Register) gaveUp(tlli uint32) {
	key := nri.Key(tlli)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.seen[key]; ok {
		s.old = true
		r.seen[key] = s
	}
}

// Bound counts, for each SGSN, the subscribers whose last uplink PDU within the
// window came to it. A subscriber is told by its TLLI, as the gateway tells it:
// one that changed it counts twice unless the SGSN told of the change. Least
// leaves out random TLLIs, what is older than the window less slack, and TLLIs
// given up; most has random ones, what is older by slack, and TLLIs given up
// within slack.
func (r *Register) Bound(window, slack time.Duration, now time.Time) (least, most map[uint16]int) {
	least, most = map[uint16]int{}, map[uint16]int{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, s := range r.seen {
		age := now.Sub(s.at)
		if age <= window+slack && (!s.old || age <= slack) {
			most[s.nsei]++
		}
		if age <= window-slack && !s.old && nri.KindOf(key).HasNRI() {
			least[s.nsei]++
		}
		if age > 2*window+slack {
			delete(r.seen, key)
		}
	}
	return least, most
}
