package gb

import (
	"time"

	"poolgw/nri"
	"poolgw/pool"
)

// directory is what a decision needs, published as one pointer: workers see
// either the pool before a change of configuration or the one after it.
type directory struct {
	pool    *pool.Pool
	members []*member // as pool.Members
	fixed   pool.Ref  // "sgsn-pool nsf fixed"
	pin     time.Duration
}

// member is one SGSN of the pool at run time.
type member struct {
	nsei uint16 // what workers see of cfg; it never changes
	cfg  SGSN
	slot int // in cell.to; stays while the member lives
	peer *peer
	sig  *bvc
	bvcs map[uint16]*bvc // PTP

	up           bool // NSE alive and signalling BVC unblocked
	since        time.Time
	drainedSince time.Time
	restarts     uint64
	resets       resets
	retired      map[uint16]time.Time // BVCIs taken down: their last acknowledge may still come

	sigTally  *tally
	flows     flows
	decisions choices
}

// decision is a pool.Decision with the member's state.
type decision struct {
	pool.Decision
	member *member
}

// decide asks the pool. ptpOf tells that the PDU goes to a PTP BVC of that cell:
// then a member without an unblocked one is no choice, and for a subscriber
// that nobody owns another one is chosen (DESIGN 5.2). worker counts it.
func (g *Gateway) decide(r pool.Request, ptpOf *cell, worker int) (decision, *bvc) {
	dir := g.directory.Load()
	r.Fixed = dir.fixed
	var tried pool.Exclude
	for {
		d := decision{Decision: g.choose(dir, &r)}
		if d.Member == nil {
			g.undecided[d.Reason].Add(1)
			return d, nil
		}
		d.member = dir.members[d.Member.Index]
		if ptpOf == nil {
			d.member.decisions.add(worker, d.Reason)
			return d, nil
		}
		if b := ptpOf.link(d.member.slot); b != nil && b.member == d.member && b.unblocked() {
			d.member.decisions.add(worker, d.Reason)
			return d, b
		}
		if d.Owned() {
			d.member.decisions.add(worker, d.Reason)
			return d, nil
		}
		tried.Add(d.Member)
		r.Exclude = &tried
	}
}

// request makes the pool's question for a TLLI; plmn is the cell's.
func (g *Gateway) request(tlli uint32, plmn nri.PLMN, now time.Time) pool.Request {
	return pool.Request{Identity: pool.TLLI, Value: tlli, PLMN: plmn, Now: now.Sub(g.epoch)}
}

// choose asks the pool, with the subscriber's pin if nobody owns it: only then
// are the activity tables looked at.
func (g *Gateway) choose(dir *directory, r *pool.Request) pool.Decision {
	d := dir.pool.Route(r)
	if d.Owned() || d.Reason == pool.Hold || r.Identity == pool.None {
		return d
	}
	if r.Pin = g.pin(r.Value, r.Now, dir.pin); r.Pin.Set {
		d = dir.pool.Route(r)
	}
	return d
}

// reasonDropped is the drop reason of a decision that chose nobody, or somebody
// that can't be reached.
func (d decision) reasonDropped() dropReason {
	switch {
	case d.Member != nil:
		return dropNoBVC
	case d.Reason == pool.Hold:
		return dropOwnerHold
	}
	return dropPoolDown
}
