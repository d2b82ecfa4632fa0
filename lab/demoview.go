package lab

import (
	"fmt"
	"time"
)

// What the gateway's JSON says, as far as the lab reads it.
type (
	gwPool struct {
		Window  time.Duration     `json:"activity_window_ns"`
		SGSNs   []gwSGSN          `json:"sgsns"`
		Reasons map[string]uint64 `json:"reasons"`
	}
	gwSGSN struct {
		NSEI        uint16 `json:"nsei"`
		Name        string `json:"name"`
		Up          bool   `json:"up"`
		AllowAttach bool   `json:"allow_attach"`
		Bound       int    `json:"bound"`
		Active      int    `json:"active"`
		BVCs        []struct {
			BVCI  uint16 `json:"bvci"`
			State string `json:"state"`
		} `json:"bvcs"`
	}
	gwCell struct {
		BVCI  uint16   `json:"bvci"`
		SGSNs []uint16 `json:"sgsn_nseis"`
	}
)

// ready tells that the SGSN is up and its signalling BVC at rest.
func (g *gwSGSN) ready() bool {
	return g.Up && len(g.BVCs) > 0 && g.BVCs[0].BVCI == 0 && g.BVCs[0].State == "UNBLOCKED"
}

// view is one look at everything: the gateway's figures beside the truth.
type view struct {
	elapsed time.Duration
	members []member
	bsss    []bssView
	cells   []gwCell
	drops   map[string]uint64
	states  map[string]int // subscribers
	ms      MSCounters
	checks  []check
}

// member is one SGSN.
type member struct {
	gw          gwSGSN
	truth       SGSNTruth
	serves      int // by the Register
	least, most int // what Bound may be
	lost        uint64
	killed      bool // at some time
	drainedFor  time.Duration
}

// bssView is one BSS.
type bssView struct {
	truth  BSSTruth
	serves []int // its subscribers by the SGSN that serves them, as members
	nobody int
}

// slack is how far gateway and simulators may be apart in time.
const slack = 3 * time.Second

// observe asks the gateway, looks at the truth and compares.
func (d *demo) observe() (*view, error) {
	v := &view{elapsed: time.Since(d.started), states: map[string]int{}}
	var pool gwPool
	if err := d.gateway.ask("show pool json", &pool); err != nil {
		return nil, err
	}
	if err := d.gateway.ask("show gbproxy cell json", &v.cells); err != nil {
		return nil, err
	}
	if err := d.gateway.ask("show gbproxy drops json", &v.drops); err != nil {
		return nil, err
	}
	if len(pool.SGSNs) != len(d.sgsns) {
		return nil, fmt.Errorf("lab: the gateway has %d SGSNs, the lab %d", len(pool.SGSNs), len(d.sgsns))
	}
	d.lookAtBSSs(v)
	d.lookAtSGSNs(v, pool)
	d.compare(v)
	return v, nil
}

func (d *demo) lookAtSGSNs(v *view, pool gwPool) {
	now := time.Now()
	counts := d.reg.Counts()
	least, most := d.reg.Bound(pool.Window, slack, now)
	for i, s := range d.sgsns {
		n := s.NSEI()
		m := member{gw: pool.SGSNs[i], truth: s.Truth(), serves: counts[n], least: least[n], most: most[n]}
		_, m.killed = d.killed[n]
		if t, ok := d.drained[n]; ok {
			m.drainedFor = now.Sub(t)
		}
		for _, b := range v.bsss {
			m.lost += b.truth.LostBy[n]
		}
		v.members = append(v.members, m)
	}
}

func (d *demo) lookAtBSSs(v *view) {
	for _, b := range d.bsss {
		bv := bssView{truth: b.Truth(), serves: make([]int, len(d.sgsns))}
		for _, s := range b.Subscribers() {
			if i := int(s.Serving) - firstSGSN; s.Served && i >= 0 && i < len(bv.serves) {
				bv.serves[i]++
			} else {
				bv.nobody++
			}
		}
		for s, n := range bv.truth.States {
			v.states[s] += n
		}
		v.ms.add(&bv.truth.MS)
		v.bsss = append(v.bsss, bv)
	}
}

// registered counts the subscribers that can be reached.
func (v *view) registered() int { return v.states["registered"] + v.states["updating"] }

func (v *view) subscribers() (n int) {
	for _, b := range v.bsss {
		n += b.truth.Subscribers
	}
	return n
}
