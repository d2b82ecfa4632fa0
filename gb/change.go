package gb

import "poolgw/bssgp"

// Change is what Options.Notify is told: one of the types below.
type Change interface{ change() }

// PeersChange tells how many PTP BVCs the BSSs have now.
type PeersChange struct{ BVCs int }

// BVCChange tells the state of one end of a BVC.
type BVCChange struct {
	NSEI, BVCI uint16
	SGSN       bool // toward an SGSN, else a BSS
	State      string
}

// NSEChange tells whether an NSE can carry signalling and data.
type NSEChange struct {
	NSEI  uint16
	SGSN  bool
	Alive bool
}

// SGSNChange tells whether an SGSN can serve: its NSE is alive and its
// signalling BVC unblocked.
type SGSNChange struct {
	NSEI uint16
	Name string
	Up   bool
}

func (PeersChange) change() {}
func (BVCChange) change()   {}
func (NSEChange) change()   {}
func (SGSNChange) change()  {}

// tellPeers counts a BSS's PTP BVC that came or went.
func (g *Gateway) tellPeers(more int) {
	g.bssBVCs += more
	g.opt.Notify(PeersChange{g.bssBVCs})
}

func (b *bvc) tellState(s bssgp.BVCState) {
	b.gw.opt.Notify(BVCChange{NSEI: b.peer.nsei, BVCI: b.bvci, SGSN: b.member != nil, State: s.String()})
}
