package gb

import (
	"sync/atomic"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// peer is one NSE as the gateway sees it: the Owner of its ns.NSE. Whether it
// is a BSS or an SGSN may change by configuration, while workers look.
type peer struct {
	nse    *ns.NSE // nil: an SGSN that node ns does not have
	nsei   uint16
	member atomic.Pointer[member] // nil: a BSS

	// Of a BSS; an SGSN's stand in its member.
	sig  *bvc
	bvcs map[uint16]*bvc // PTP

	left time.Time // when it was an SGSN last; zero: it was none

	early    early
	sigTally *tally

	features bssgp.Features // negotiated by the last reset of the signalling BVC
	lacks    atomic.Uint32  // the bssgp.Features whose PDUs and IEs it does not get
}

func (p *peer) side() string {
	if p.member.Load() != nil {
		return "SGSN"
	}
	return "BSS"
}

// parts tells that a PDU still comes as from an SGSN, which its NSE was until
// lately: an acknowledge, or what was on its way. A BSS begins with a reset.
func (p *peer) parts(now time.Time, typ bssgp.PDUType) bool {
	return !p.left.IsZero() && typ != bssgp.TypeBVCReset && now.Sub(p.left) < retiredFor
}

func (p *peer) alive() bool { return p.nse != nil && p.nse.Alive() }

// bvc is the peer's end of a BVC, nil when there is none. It is the loop's.
func (p *peer) bvc(bvci uint16) *bvc {
	sig, ptp := p.sig, p.bvcs
	if m := p.member.Load(); m != nil {
		sig, ptp = m.sig, m.bvcs
	}
	if bvci == 0 {
		return sig
	}
	return ptp[bvci]
}
