package n2

// Limits bound what peers can have the gateway hold. What is beyond is refused
// and counted.
type Limits struct {
	GNBs      uint32 // associations of gNBs
	UEsPerGNB uint32 // UEs of one gNB
	UEs       uint32 // UEs of all gNBs
}

// DefaultLimits are those of a configuration that says nothing.
func DefaultLimits() Limits { return Limits{GNBs: 4096, UEsPerGNB: 65536, UEs: 4000000} }

// full reports whether one more UE of this gNB would be beyond a limit, and counts
// it.
func (g *gnb) full() bool {
	l, hits := &g.gw.dir.Load().cfg.Limits, &g.gw.counters.limited
	switch {
	case g.ues.len() >= int(l.UEsPerGNB):
		hits[1].Add(1)
	case g.gw.ues.Load() >= int64(l.UEs):
		hits[2].Add(1)
	default:
		return false
	}
	return true
}
