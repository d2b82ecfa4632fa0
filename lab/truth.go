package lab

import (
	"maps"

	"poolgw/bssgp"
)

// BSSTruth is what happened at a BSS so far.
type BSSTruth struct {
	NSEI        uint16
	Running     bool
	Subscribers int
	States      map[string]int // subscribers by the name of their state
	MS          MSCounters     // of the subscribers that are here now
	LostBy      map[uint16]uint64
	BSS         BSSCounters
	Up          int // cells whose BVC is unblocked
	Cells       int
	FlowAcked   int // cells whose last FLOW-CONTROL-BVC was acknowledged; while that is awaited, the one before
}

// Truth returns what happened so far.
func (b *BSS) Truth() (t BSSTruth) {
	b.do(func(c *bss) {
		t = BSSTruth{NSEI: c.cfg.NSEI, Running: c.node.Load() != nil, Subscribers: len(c.all),
			States: map[string]int{}, LostBy: maps.Clone(c.lostBy), BSS: c.count, Cells: len(c.order)}
		for _, m := range c.all {
			t.States[m.state.String()]++
			t.MS.add(&m.count)
		}
		for _, cl := range c.order {
			if cl.bvc.State() == bssgp.BVCUnblocked {
				t.Up++
			}
			if cl.fcAckd {
				t.FlowAcked++
			}
		}
	})
	return t
}

// SubscriberTruth is one subscriber as it is.
type SubscriberTruth struct {
	IMSI       string
	State      string
	TLLI       uint32
	PTMSI      uint32 // with HasPTMSI
	HasPTMSI   bool
	RAI        bssgp.RAI // where the P-TMSI is valid
	BSS        uint16    // NSEI
	BVCI       uint16
	Serving    uint16 // NSEI of the SGSN, by the Register; with Served
	Served     bool
	Awaited    int // echoes under way
	MSCounters MSCounters
}

// Subscribers returns the subscribers that are at the BSS, by their numbers.
func (b *BSS) Subscribers() (all []SubscriberTruth) {
	b.do(func(c *bss) {
		for _, m := range c.sorted() {
			s := SubscriberTruth{IMSI: m.imsi, State: m.state.String(), TLLI: m.tlli, PTMSI: m.ptmsi,
				HasPTMSI: m.hasPTMSI, RAI: bssgp.RAI(m.rai), BSS: c.cfg.NSEI, BVCI: m.cell.BVCI, Awaited: len(m.outstanding), MSCounters: m.count}
			s.Serving, s.Served = c.serving(m.imsi)
			all = append(all, s)
		}
	})
	return all
}

// SGSNTruth is what happened at an SGSN so far.
type SGSNTruth struct {
	NSEI       uint16
	Running    bool
	Offload    bool
	Contexts   int // subscribers known, registered or in a procedure
	Registered int
	ByBSS      map[uint16]int // registered ones by the NSEI of the peer they are at
	SGSN       SGSNCounters
	Strays     []Stray
	Peers      int // whose signalling BVC is unblocked
	Cells      int // BVCs of all peers that are unblocked
}

// Truth returns what happened so far.
func (s *SGSN) Truth() (t SGSNTruth) {
	s.do(func(c *sgsn) {
		t = SGSNTruth{NSEI: c.cfg.NSEI, Running: s.node.Load() != nil, Offload: c.offload,
			Contexts: len(c.byIMSI), Registered: len(c.reg), ByBSS: map[uint16]int{},
			SGSN: c.count, Strays: append([]Stray(nil), c.strays...)}
		for _, x := range c.reg {
			t.ByBSS[x.at.nse.NSEI()]++
		}
		for _, p := range c.order {
			if p.sig.State() == bssgp.BVCUnblocked {
				t.Peers++
			}
			for _, cell := range p.cells {
				if cell.bvc.State() == bssgp.BVCUnblocked {
					t.Cells++
				}
			}
		}
	})
	return t
}
