package pool

import (
	"sync/atomic"
	"time"

	"poolgw/nri"
)

// MaxMembers is the greatest number of members of a pool.
const MaxMembers = 1024

// MemberConfig is what an operator sets of one member.
type MemberConfig struct {
	ID          uint16 // NSEI of an SGSN, number of an AMF; unique in the pool
	Name        string
	NRI         nri.Set
	Weight      uint16 // share of unbound subscribers, 0..65535
	AllowAttach bool   // false: drained
}

// Member is one core node of a Pool. All but its state is immutable; its state
// is shared by all Pools built one after the other with the same ID in them.
type Member struct {
	MemberConfig
	Index int // place in configuration order, 0..MaxMembers-1

	state *atomic.Int64 // the entry: stateNew, stateUp or down since
	seed  uint64        // of the hash; depends on the ID alone
}

// A member's state in one word; a positive value is the time it went down.
const (
	stateNew int64 = 0 // never was up: no hold
	stateUp  int64 = -1
)

// Up reports whether the member is up.
func (m *Member) Up() bool { return m.state.Load() == stateUp }

// SetUp tells that the member is up. It may be called from any goroutine and
// takes effect in all Pools that have the member.
func (m *Member) SetUp() { m.state.Store(stateUp) }

// SetDown tells that the member is down since now, from when on owner-down-hold
// counts. A member that was down keeps its earlier time; one that was never up
// takes now, so that a hold also covers a start of the gateway.
func (m *Member) SetDown(now time.Duration) {
	for {
		s := m.state.Load()
		if s > 0 || m.state.CompareAndSwap(s, max(1, int64(now))) {
			return
		}
	}
}

// DownFor returns how long the member has been down at now; 0 when it is up or
// was never told to be down.
func (m *Member) DownFor(now time.Duration) time.Duration {
	if s := m.state.Load(); s > 0 {
		return max(0, now-time.Duration(s))
	}
	return 0
}

// holding reports whether m is down for less than hold.
func (m *Member) holding(now, hold time.Duration) bool {
	s := m.state.Load()
	return s > 0 && now-time.Duration(s) < hold
}
