package lab

import (
	"fmt"
	"net/netip"
	"time"
)

// What the gateway's JSON says, as far as the lab reads it.
type (
	gwPool struct {
		BitLen  uint8             `json:"nri_bitlen"`
		Window  time.Duration     `json:"activity_window_ns"`
		SGSNs   []gwSGSN          `json:"sgsns"`
		Reasons map[string]uint64 `json:"reasons"`
	}
	gwSGSN struct {
		NSEI        uint16 `json:"nsei"`
		Name        string `json:"name"`
		NRI         string `json:"nri"` // as nri.ParseSet reads it
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
	gwNS struct {
		NSEs  []gwNSE  `json:"nses"`
		Binds []gwBind `json:"binds"`
	}
	gwNSE struct {
		NSEI uint16 `json:"nsei"`
		VCs  []gwVC `json:"nsvcs"`
	}
	gwVC struct {
		BlockedBy string         `json:"blocked_by"`
		Local     netip.AddrPort `json:"local"`
		Remote    netip.AddrPort `json:"remote"`
	}
	gwBind struct {
		Local          netip.AddrPort `json:"local"`
		AcceptIPAccess bool           `json:"accept_ipaccess"`
		AcceptSNS      bool           `json:"accept_dynamic_ip_sns"`
	}
)

// byOperator is what gwVC.BlockedBy says of a block by a VTY command.
const byOperator = "O&M/vty"

// find returns an SGSN of the pool; nil: it is not there.
func (p *gwPool) find(nsei uint16) *gwSGSN {
	for i := range p.SGSNs {
		if p.SGSNs[i].NSEI == nsei {
			return &p.SGSNs[i]
		}
	}
	return nil
}

// ready tells that the SGSN is up and its signalling BVC at rest.
func (g *gwSGSN) ready() bool {
	return g.Up && len(g.BVCs) > 0 && g.BVCs[0].BVCI == 0 && g.BVCs[0].State == "UNBLOCKED"
}

// view is one look at everything: the gateway's figures beside the truth.
type view struct {
	elapsed time.Duration
	window  time.Duration // the gateway's activity window
	members []member      // the lab's SGSNs
	bsss    []bssView
	cells   []gwCell
	drops   map[string]uint64
	states  map[string]int // subscribers
	ms      MSCounters
	checks  []check
	n2      *n2View // nil: there is no N2 part

	// What the gateway's operator did, in words; empty if nothing.
	deaf      string // the gateway tells no figures: those of before are shown
	misfit    string // the gateway reads NRIs in another way than the SGSNs
	bssCut    string
	newWindow bool     // some figures are still of another activity window
	others    []uint16 // in the gateway's pool, not of the lab
}

// member is one SGSN.
type member struct {
	nsei        uint16
	inPool      bool   // the gateway's
	gw          gwSGSN // with inPool
	truth       SGSNTruth
	serves      int    // by the Register
	least, most int    // what Bound may be
	wrong       uint64 // PDUs that should not have come here
	lost        uint64 // echoes, but for those that
	took        uint64 // its absence took
	cut         string // why the gateway can't reach it by its operator's will
	reviving    string // what hinders it

	// How long so; 0: not.
	drainedFor time.Duration
	cutFor     time.Duration
	emptyFor   time.Duration
	joinedFor  time.Duration // it was put into the pool again; 0: never
}

// reachable tells that nothing hinders the SGSN from being up.
func (m *member) reachable() bool { return m.truth.Running && m.cut == "" }

// wants tells that newcomers may come to the SGSN.
func (m *member) wants() bool { return m.reachable() && m.gw.Up && m.gw.AllowAttach }

// bssView is one BSS.
type bssView struct {
	truth  BSSTruth
	serves []int // its subscribers by the SGSN that serves them, as members
	nobody int
}

// slack is how far gateway and simulators may be apart in time.
const slack = 3 * time.Second

// observe looks at the truth, then asks the gateway: what its operator changed
// is known then before anything is judged by it.
func (d *demo) observe() *view {
	v := &view{elapsed: time.Since(d.started), states: map[string]int{}}
	d.lookAtBSSs(v)
	d.lookAtSGSNs(v)
	var pool gwPool
	var ns gwNS
	questions := map[string]any{"show pool json": &pool, "show ns json": &ns,
		"show gbproxy cell json": &v.cells, "show gbproxy drops json": &v.drops}
	if d.n2 != nil {
		v.n2 = d.n2.look()
		questions["show amf json"] = &v.n2.gw
	}
	err := d.gateway.askAll(questions)
	now := time.Now()
	if err != nil {
		d.remember(v, err)
	} else {
		d.take(v, &pool, &ns)
		d.follow(v, &pool, now)
	}
	d.excuse(v, now)
	d.measure(v, now)
	return v
}

// take fills in what the gateway says.
func (d *demo) take(v *view, pool *gwPool, ns *gwNS) {
	v.bssCut = d.bssCut(ns)
	if pool.BitLen != planBitLen {
		v.misfit = fmt.Sprintf("the gateway's NRIs have %d bits, the SGSNs' %d", pool.BitLen, planBitLen)
	}
	for i := range v.members {
		m := &v.members[i]
		m.cut = "it is not in the gateway's pool"
		if g := pool.find(m.nsei); g != nil {
			m.inPool, m.gw = true, *g
			m.cut = d.cutBy(m.nsei, d.plan.sgsnAddrs[i], ns)
		}
	}
	for _, g := range pool.SGSNs {
		if d.history[g.NSEI] == nil {
			v.others = append(v.others, g.NSEI)
		}
	}
}

// remember keeps the gateway's figures of before when it does not answer.
func (d *demo) remember(v *view, err error) {
	v.deaf = fmt.Sprintf("the gateway's VTY at %s does not answer (%v)", d.plan.vty, err)
	if d.last == nil {
		return
	}
	v.bssCut, v.misfit, v.others, v.cells, v.drops = d.last.bssCut, d.last.misfit, d.last.others, d.last.cells, d.last.drops
	for i := range v.members {
		m, old := &v.members[i], &d.last.members[i]
		m.inPool, m.gw, m.cut = old.inPool, old.gw, old.cut
	}
}

// measure adds how long things have been so, and what Bound may be.
func (d *demo) measure(v *view, now time.Time) {
	v.window = d.window
	v.newWindow = !d.changed.IsZero() && now.Sub(d.changed) < 2*d.window
	counts := d.reg.Counts()
	least, most := d.reg.Bound(d.window, slack, now)
	for i := range v.members {
		m := &v.members[i]
		h := d.history[m.nsei]
		m.serves, m.least, m.most = counts[m.nsei], least[m.nsei], most[m.nsei]
		mark(&h.empty, m.serves == 0, now)
		m.wrong = m.truth.SGSN.WrongSGSN - min(h.forgiven, m.truth.SGSN.WrongSGSN)
		m.drainedFor, m.cutFor, m.emptyFor = since(h.drained, now), since(h.cut, now), since(h.empty, now)
		m.joinedFor, m.reviving = since(h.joined, now), h.reviving
	}
}

func (d *demo) lookAtSGSNs(v *view) {
	for _, s := range d.sgsns {
		m := member{nsei: s.NSEI(), truth: s.Truth()}
		for _, b := range v.bsss {
			m.lost += b.truth.LostBy[m.nsei]
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
