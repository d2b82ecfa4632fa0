package n2

import (
	"time"

	"poolgw/ngap"
)

// Limits bound what peers can have the gateway hold, and do. What is beyond is
// refused and counted.
type Limits struct {
	GNBs      uint32 // associations of gNBs
	UEsPerGNB uint32 // UEs of one gNB
	UEs       uint32 // UEs of all gNBs
	NewUEs    uint32 // UEs that one gNB may begin in a second, emergencies aside
	Queue     uint32 // kilobytes of PDUs that wait for gNBs and AMFs that are slow
}

// DefaultLimits are those of a configuration that says nothing.
func DefaultLimits() Limits {
	return Limits{GNBs: 4096, UEsPerGNB: 65536, UEs: 4000000, NewUEs: 1000, Queue: 262144}
}

// limit is one of those that UEs and gNBs are refused by.
type limit uint8

const (
	limitGNBs limit = iota
	limitUEsPerGNB
	limitUEs
	limitNewUEs
	limitSlow // the gNB does not read what is sent to it
	limitStorm
	limits = iota
)

// What a gNB may do on one association: NG Setups, and associations begun anew.
const (
	setupRate  = 1 // in a second
	setupBurst = 5
	maxSetup   = 128 << 10 // octets of an NG Setup Request, with what later updates add
)

// full reports whether one more UE of this gNB would be beyond a limit, and counts
// it.
func (g *gnb) full() bool {
	l, hits := &g.gw.dir.Load().cfg.Limits, &g.gw.counters.limited
	switch {
	case g.ues.len() >= int(l.UEsPerGNB):
		hits[limitUEsPerGNB].Add(1)
	case g.gw.ues.Load() >= int64(l.UEs):
		hits[limitUEs].Add(1)
	case g.ran.high():
		hits[limitSlow].Add(1)
	default:
		return false
	}
	return true
}

// tooFast reports whether a gNB begins UEs faster than it may, and counts it.
// Emergencies and the like are not held up.
func (g *gnb) tooFast(p *ngap.PDU, now time.Time) bool {
	n := float64(g.gw.dir.Load().cfg.Limits.NewUEs)
	if g.newUEs.take(now, n, n) || demandOf(p) == urgent {
		return false
	}
	g.gw.counters.limited[limitNewUEs].Add(1)
	return true
}

// allowance is how much more somebody may do: it grows with time up to a most.
type allowance struct {
	left float64
	at   time.Time // of left; zero: never used, the most is left
}

// take uses one of it, when there is one; rate is by how much it grows in a
// second.
func (a *allowance) take(now time.Time, rate, most float64) bool {
	if a.at.IsZero() {
		a.left = most
	} else {
		a.left = min(most, a.left+now.Sub(a.at).Seconds()*rate)
	}
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
