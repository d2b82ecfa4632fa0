package gb

import (
	"slices"
	"time"

	"poolgw/bssgp"
)

// earlyFor is how long a signalling reset that came before its NSE could be
// answered is kept.
const earlyFor = 5 * time.Second

// early is a BVC-RESET of BVCI 0 from a peer whose NSE is not alive: the peer
// has our NS-ALIVE-ACK, we still await its own. It can't be acknowledged yet;
// were it lost, or crossed by a reset of ours, T2 (10 s) would pass before the
// peer serves.
type early struct {
	pdu []byte
	at  time.Time
}

// tooEarly keeps or drops the BVC management PDUs of a peer that can't be
// answered.
func (g *Gateway) tooEarly(m *message, bvci uint16) (o outcome, is bool) {
	if m.from.alive() {
		return done, false
	}
	if m.typ == bssgp.TypeBVCReset && bvci == 0 {
		m.from.early = early{slices.Clone(m.pdu), g.now}
		return done, true
	}
	return dropped(dropNSE), true
}

// catchUp deals with the reset that came too early, now that the NSE is alive;
// it tells whether there was one.
func (g *Gateway) catchUp(now time.Time, p *peer) bool {
	e := p.early
	p.early = early{}
	if e.pdu == nil || now.Sub(e.at) > earlyFor {
		return false
	}
	g.UnitData(now, p.nse, 0, e.pdu)
	return true
}
