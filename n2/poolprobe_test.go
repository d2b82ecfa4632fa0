package n2_test

import (
	"testing"
	"time"

	"poolgw/n2"
)

// An AMF that answers its probes stays.
func TestWholeProbe(t *testing.T) {
	probe := func(c *n2.Config) { c.Probe = 2 * time.Second }
	runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 2, gateway: probe}, func(w *whole) {
		time.Sleep(5 * time.Minute)
		for _, a := range w.amfs {
			if t := a.Truth(); t.Setups != 2 || t.RANUpdates < 100 {
				w.Errorf("%+v", t)
			}
		}
		w.calm()
	})
}

// One that hung and answers again is as good as new: what it owes of its former
// association is not asked for.
func TestWholeProbeAfterHang(t *testing.T) {
	probe := func(c *n2.Config) { c.Probe = 2 * time.Second }
	runWhole(t, wholeConfig{capacities: uneven, rans: 1, gnbs: 2, gateway: probe}, func(w *whole) {
		w.amfs[0].Hang(true)
		time.Sleep(20 * time.Second)
		w.amfs[0].Hang(false)
		time.Sleep(time.Minute)
		before := w.amfs[0].Truth().Setups
		time.Sleep(5 * time.Minute)
		if after := w.amfs[0].Truth().Setups; before != 4 || after != before {
			t.Errorf("%d NG Setups, then %d", before, after)
		}
	})
}
