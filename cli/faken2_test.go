package cli

import (
	"context"
	"fmt"
	"time"

	"poolgw/config"
	"poolgw/n2"
)

// fakeN2 follows the configuration, and has two gNBs.
type fakeN2 struct {
	cfg   n2.Config
	calls []string
	fail  error // of the next Apply
	empty bool  // nothing is there
}

func (g *fakeN2) Apply(_, new *config.Config, _ time.Time) error {
	err := g.fail
	g.fail = nil
	if err == nil {
		g.cfg = new.N2.Clone()
	}
	return err
}

func (g *fakeN2) Snapshot(context.Context) (n2.Snapshot, error) {
	s := n2.Snapshot{Time: now, Running: g.cfg.Enabled, Limits: g.cfg.Limits, UEs: 1000}
	if g.empty {
		return s, nil
	}
	s.Pool = n2.PoolState{BitLen: g.cfg.BitLen, Selection: "weighted", Affinity: true, Reasons: map[string]uint64{"nri": 1200, "unowned": 34, "no_identity": 5}}
	for i, a := range g.cfg.AMFs {
		m := n2.AMFState{ID: a.ID, Name: a.Name, Announced: fmt.Sprintf("amf%d.5gc", a.ID), Remote: a.Remote.String(), Up: i == 0, Since: now.Add(-26 * time.Hour),
			Associations: 2 - 2*min(i, 1), AllowAttach: a.AllowAttach, Capacity: 100, Told: 100, Share: 100, NRI: a.NRI.String(), Bound: int64(700 - 400*i),
			PLMNs: []string{"262-42"}, Lost: uint64(i), Decisions: map[string]uint64{"nri": 600, "unowned": 17}, FromPDUs: 5000, ToPDUs: 6000,
			GUAMIs: []n2.GUAMIState{{GUAMI: fmt.Sprintf("262-42 1/1/%d", a.ID), PLMN: "262-42", Region: 1, Set: 1, Pointer: a.ID, NRI: 64 + uint16(a.ID)}}}
		if !a.AllowAttach {
			m.DrainedSince = now.Add(-5 * time.Minute)
		}
		s.Pool.AMFs = append(s.Pool.AMFs, m)
	}
	return s, nil
}
