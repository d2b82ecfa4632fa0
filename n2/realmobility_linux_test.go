package n2_test

import (
	"testing"
	"time"

	"poolgw/lab/n2sim"
)

// Two AMFs that both count AMF UE NGAP IDs from 1: Xn path switch, N2 handover, NG
// Reset of either side and release by the AMF's ID alone reach the right one.
// Facts: N1-20
func TestRealSameIDs(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		startReal(t, s, realConfig{capacities: []uint8{100, 100}}).sameIDs()
	})
}

func (r *real) sameIDs() {
	r.Helper()
	const n = 30
	r.newcomers(n, 1)
	r.answered(n)
	var us []*n2sim.UE
	for i := range n {
		us = append(us, r.ran.UE(i))
	}
	for round := range 2 {
		for i, u := range us {
			from, to := u.GNB(), r.ran.GNB((i+round+1)%realGNBs)
			if from == to {
				to = r.ran.GNB((i + round + 2) % realGNBs)
			}
			if i%2 == 0 {
				to.PathSwitch(u)
			} else {
				from.Handover(u, to)
			}
		}
		r.until("they are elsewhere", 30*time.Second, func() bool {
			u := r.ran.Truth()
			return u.PathSwitches == uint64(n/2*(round+1)) && u.Handovers == uint64(n/2*(round+1)) && r.gnbTruth().Contexts == n
		})
		for _, u := range us {
			u.Echo()
		}
		r.answered(n * (round + 2))
	}
	if u := r.ran.Truth(); u.MobilityFails+u.AMFChanges+u.Lost+u.Interrupted > 0 {
		r.Errorf("%+v", u)
	}
	has := func(one, two int) func() bool {
		return func() bool {
			return r.truth(0).Contexts == one && r.truth(1).Contexts == two && r.gnbTruth().Contexts == one+two && r.snapshot().UEs == int64(one+two)
		}
	}
	r.until("each AMF has its half", 10*time.Second, has(n/2, n/2))
	gone := map[string]int{}
	for _, u := range us[:10] { // a gNB's reset, by pairs of IDs
		gone[u.AMF()]++
		u.GNB().Reset(u)
	}
	r.until("the gNBs' resets reach the right AMFs", 10*time.Second, has(n/2-gone["amf-1"], n/2-gone["amf-2"]))
	r.order(1, "release by AMF UE NGAP ID")
	r.until("releases reach the right UEs", 10*time.Second, has(n/2-gone["amf-1"], 0))
	r.order(0, "reset")
	r.until("an AMF's reset reaches the right UEs", 10*time.Second, has(0, 0))
	if a, b := r.truth(0), r.truth(1); a.WrongIDs+b.WrongIDs+a.Errors+b.Errors > 0 || gone["amf-1"] == 0 || gone["amf-2"] == 0 {
		r.Errorf("reset by gNBs %v: %+v %+v", gone, a, b)
	}
	r.atRest()
}

// answered waits until so many messages of UEs were answered.
func (r *real) answered(n int) {
	r.Helper()
	r.until("UEs have answers", 20*time.Second, func() bool { return r.ran.Truth().Answered == uint64(n) })
}
