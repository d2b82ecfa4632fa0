package n2_test

import (
	"testing"
	"time"
)

// Each association of a snapshot tells its state, its transport, and its paths with
// the primary one; an AMF that is not reached has none.
func TestAssociationsTold(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		b.up(7)
		b.amfs[1].stop()
		b.sleep(10 * time.Second)
		g := b.snapshot().GNBs[0]
		for _, a := range []struct{ state, transport string }{{g.Association.State, g.Association.Transport}, {g.AMFs[0].Association.State, g.AMFs[0].Association.Transport}} {
			if a.state != "established" || a.transport != b.net.Name() {
				t.Errorf("%+v", a)
			}
		}
		if p := g.Association.Paths; len(p) != 1 || !p[0].Primary || p[0].State != "active" || p[0].RTO == 0 {
			t.Errorf("paths %+v", p)
		}
		if l := g.AMFs[1]; l.Association.State != "" || l.Attempts == 0 {
			t.Errorf("%+v", l)
		}
	})
}
