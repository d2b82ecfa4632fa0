package lab

import (
	"fmt"
	"slices"
	"time"
)

// check is one comparison of the gateway's figures with the truth, or one thing
// that must not happen.
type check struct {
	what  string
	holds bool
	since time.Duration // it has not held
	grace time.Duration // how long it may not hold: figures are not of one moment
	note  string        // what differs
}

// failed tells that a check has not held for longer than it may.
func (c check) failed() bool { return !c.holds && c.since >= c.grace }

// rules are all checks, in the order shown. rule gives "" when it holds.
var rules = []struct {
	what  string
	grace time.Duration
	rule  func(v *view) string
}{
	{"the gateway knows which SGSNs are up", 20 * time.Second, upAndDown},
	{"every cell has a BVC at every SGSN that is up", 20 * time.Second, cellsEverywhere},
	{"bound is what the SGSNs saw", 10 * time.Second, boundAsSeen},
	{"the subscribers are registered", 30 * time.Second, mostRegistered},
	{"a drained SGSN is empty after 75 s", 0, drainedEmpty},
	{"no PDU came to a wrong SGSN", 0, noWrongSGSN},
	{"no user data was lost", 0, noLoss},
	{"user data stayed in order", 0, inOrder},
	{"every PDU could be read", 0, readable},
}

// compare runs the rules.
func (d *demo) compare(v *view) {
	now := time.Now()
	for _, r := range rules {
		c := check{what: r.what, grace: r.grace, note: r.rule(v)}
		c.holds = c.note == ""
		since, known := d.differs[r.what]
		switch {
		case c.holds:
			delete(d.differs, r.what)
		case !known:
			d.differs[r.what] = now
		default:
			c.since = now.Sub(since)
		}
		v.checks = append(v.checks, c)
	}
}

// holds tells that no check has failed.
func (v *view) holds() bool { return !slices.ContainsFunc(v.checks, check.failed) }

func upAndDown(v *view) string {
	for _, m := range v.members {
		if m.gw.Up != m.truth.Running {
			return fmt.Sprintf("SGSN %d: the gateway says up=%t, it is up=%t", m.gw.NSEI, m.gw.Up, m.truth.Running)
		}
	}
	return ""
}

func cellsEverywhere(v *view) string {
	want, cells := 0, 0
	for _, m := range v.members {
		if m.truth.Running {
			want++
		}
	}
	for _, b := range v.bsss {
		cells += b.truth.Cells
		if b.truth.Up != b.truth.Cells {
			return fmt.Sprintf("BSS %d: %d of %d cells are up", b.truth.NSEI, b.truth.Up, b.truth.Cells)
		}
	}
	if len(v.cells) != cells {
		return fmt.Sprintf("the gateway has %d cells, the BSSs %d", len(v.cells), cells)
	}
	for _, c := range v.cells {
		if len(c.SGSNs) < want {
			return fmt.Sprintf("cell %d is at %d SGSNs, want %d", c.BVCI, len(c.SGSNs), want)
		}
	}
	return ""
}

// boundAsSeen: the estimate lies between what surely is in the window and what
// may be.
func boundAsSeen(v *view) string {
	for _, m := range v.members {
		if m.gw.Bound < m.least || m.gw.Bound > m.most {
			return fmt.Sprintf("SGSN %d: bound %d, seen %d to %d", m.gw.NSEI, m.gw.Bound, m.least, m.most)
		}
	}
	return ""
}

func mostRegistered(v *view) string {
	if n, all := v.registered(), v.subscribers(); n < all*85/100 {
		return fmt.Sprintf("%d of %d", n, all)
	}
	return ""
}

// drainedEmpty: T3312, offload timer and an attach are over by then. With no
// other SGSN to go to nobody leaves.
func drainedEmpty(v *view) string {
	others := slices.ContainsFunc(v.members, func(m member) bool { return m.gw.Up && m.gw.AllowAttach })
	for _, m := range v.members {
		if others && m.drainedFor > 75*time.Second && m.serves > 0 {
			return fmt.Sprintf("SGSN %d still serves %d", m.gw.NSEI, m.serves)
		}
	}
	return ""
}

func noWrongSGSN(v *view) string {
	for _, m := range v.members {
		if n := m.truth.SGSN.WrongSGSN; n > 0 {
			s := m.truth.Strays[0]
			return fmt.Sprintf("SGSN %d got %d, the first with TLLI %08x on BVCI %d", m.gw.NSEI, n, s.TLLI, s.BVCI)
		}
	}
	if n := v.ms.WrongSGSN; n > 0 {
		return fmt.Sprintf("%d answers came from another SGSN than the serving one", n)
	}
	return ""
}

// noLoss leaves out what was under way to an SGSN that was killed.
func noLoss(v *view) string {
	for _, m := range v.members {
		if m.lost > 0 && !m.killed {
			return fmt.Sprintf("%d echoes with SGSN %d", m.lost, m.gw.NSEI)
		}
	}
	return ""
}

func inOrder(v *view) string {
	n := v.ms.Disordered
	for _, m := range v.members {
		n += m.truth.SGSN.Disordered
	}
	if n > 0 {
		return fmt.Sprintf("%d echoes were overtaken", n)
	}
	return ""
}

func readable(v *view) string {
	n := v.ms.Unintelligible
	for _, m := range v.members {
		n += m.truth.SGSN.Malformed
	}
	for _, b := range v.bsss {
		n += b.truth.BSS.Malformed + b.truth.BSS.UnknownBVC + b.truth.BSS.WrongCell
	}
	if n > 0 {
		return fmt.Sprintf("%d could not, or came to a cell that is not there", n)
	}
	return ""
}
