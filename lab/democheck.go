package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// check is one comparison of the gateway's figures with the truth, or one thing
// that must not happen.
type check struct {
	what   string
	holds  bool
	since  time.Duration // it has not held
	grace  time.Duration // how long it may not hold: figures are not of one moment
	note   string        // what differs
	excuse string        // why that says nothing about the gateway
	but    string        // what it holds apart from
}

// failed tells that a check has not held for longer than it may.
func (c check) failed() bool { return !c.holds && c.excuse == "" && c.since >= c.grace }

// open tells that a check is not judged: in its grace, or excused.
func (c check) open() bool { return !c.holds && !c.failed() }

// rule makes a check.
type rule struct {
	what   string
	grace  time.Duration
	rule   func(v *view) string
	excuse func(v *view) string
}

// rules are all checks, in the order shown. rule gives "" when it holds; excuse,
// if there is one, why the gateway's operator is the cause when it does not.
var rules = []rule{
	{"the gateway knows which SGSNs are up", 20 * time.Second, upAndDown, mute},
	{"every cell has a BVC at every SGSN that is up", 20 * time.Second, cellsEverywhere, bssSide},
	{"bound is what the SGSNs saw", 10 * time.Second, boundAsSeen, window},
	{"the subscribers are registered", 30 * time.Second, mostRegistered, service},
	{"a drained or removed SGSN is empty after 75 s", 0, drainedEmpty, service},
	{"no PDU came to a wrong SGSN", 0, noWrongSGSN, misfit},
	{"no user data was lost", 0, noLoss, nil},
	{"user data stayed in order", 0, inOrder, nil},
	{"every PDU could be read", 0, readable, nil},
}

// compare runs the rules.
func (d *demo) compare(v *view) {
	now := time.Now()
	all := rules
	if v.n2 != nil {
		all = slices.Concat(rules, n2Rules)
	}
	for _, r := range all {
		c := check{what: r.what, grace: r.grace, note: r.rule(v)}
		c.holds = c.note == ""
		if !c.holds && r.excuse != nil {
			c.excuse = r.excuse(v)
		}
		since, known := d.differs[r.what]
		switch {
		case c.holds || c.excuse != "":
			delete(d.differs, r.what)
		case !known:
			d.differs[r.what] = now
		default:
			c.since = now.Sub(since)
		}
		if r.what == lossRule && c.holds {
			c.but = tookWithIt(v)
		}
		v.checks = append(v.checks, c)
	}
}

// lossRule is the check that tookWithIt completes.
const lossRule = "no user data was lost"

// holds tells that no check has failed.
func (v *view) holds() bool { return !slices.ContainsFunc(v.checks, check.failed) }

// mute: what the gateway does not tell can't be compared.
func mute(v *view) string { return v.deaf }

func bssSide(v *view) string { return cmp.Or(v.deaf, v.bssCut) }

func window(v *view) string {
	if v.newWindow {
		return "the activity window was changed"
	}
	return v.deaf
}

func misfit(v *view) string { return v.misfit }

// service tells why subscribers can't be served, by the operator's will.
func service(v *view) string {
	none := !slices.ContainsFunc(v.members, func(m member) bool { return m.wants() })
	for _, m := range v.members {
		switch {
		case m.inPool && m.gw.AllowAttach && m.gw.NRI == "":
			return fmt.Sprintf("SGSN %d has no NRI at the gateway", m.nsei)
		case none && (m.cut != "" || m.drainedFor > 0):
			return "no SGSN takes newcomers"
		}
	}
	if len(v.others) > 0 {
		return fmt.Sprintf("SGSN %d of the gateway's pool is not there", v.others[0])
	}
	return cmp.Or(v.deaf, v.misfit, v.bssCut)
}

func upAndDown(v *view) string {
	for _, m := range v.members {
		if m.inPool && m.gw.Up != m.reachable() {
			return fmt.Sprintf("SGSN %d: the gateway says %s, it is %s", m.nsei,
				word(m.gw.Up, "up", "down"), word(m.reachable(), "up", "down"))
		}
	}
	return ""
}

func cellsEverywhere(v *view) string {
	want, cells := 0, 0
	for _, m := range v.members {
		if m.reachable() {
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
// may be. That of an SGSN put into the pool again begins at 0.
func boundAsSeen(v *view) string {
	for _, m := range v.members {
		fresh := m.joinedFor > 0 && m.joinedFor < v.window+slack
		if m.inPool && (m.gw.Bound < m.least && !fresh || m.gw.Bound > m.most) {
			return fmt.Sprintf("SGSN %d: bound %d, seen %d to %d", m.nsei, m.gw.Bound, m.least, m.most)
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
	others := slices.ContainsFunc(v.members, func(m member) bool { return m.wants() })
	for _, m := range v.members {
		if others && max(m.drainedFor, m.cutFor) > 75*time.Second && m.serves > 0 {
			return fmt.Sprintf("SGSN %d still serves %d", m.nsei, m.serves)
		}
	}
	return ""
}

func noWrongSGSN(v *view) string {
	for _, m := range v.members {
		if m.wrong > 0 {
			s := m.truth.Strays[len(m.truth.Strays)-1]
			return fmt.Sprintf("SGSN %d got %d, one of them with TLLI %08x on BVCI %d", m.nsei, m.wrong, s.TLLI, s.BVCI)
		}
	}
	if n := v.ms.WrongSGSN; n > 0 {
		return fmt.Sprintf("%d answers came from another SGSN than the serving one", n)
	}
	return ""
}

// noLoss leaves out what was under way to an SGSN that was killed or cut off.
func noLoss(v *view) string {
	for _, m := range v.members {
		if m.lost > 0 {
			return fmt.Sprintf("%d echoes with SGSN %d", m.lost, m.nsei)
		}
	}
	return ""
}

// tookWithIt tells what noLoss left out.
func tookWithIt(v *view) string {
	var parts []string
	for _, m := range v.members {
		if m.took > 0 {
			parts = append(parts, fmt.Sprintf("SGSN %d took with it (%d)", m.nsei, m.took))
		}
	}
	if parts == nil {
		return ""
	}
	return "what " + strings.Join(parts, " and ")
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
