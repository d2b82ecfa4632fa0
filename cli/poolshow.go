package cli

import (
	"fmt"
	"strings"
	"time"

	"poolgw/gb"
	"poolgw/nri"
	"poolgw/vty"
)

// poolShows show the pool and its members.
func (p *program) poolShows() []vty.Command {
	nriOf := "Which member has which NRIs"
	var cmds []vty.Command
	for _, c := range [][]vty.Command{
		showsOf(p.snapshots, "show pool", []string{showHelp, "The pools of SGSNs and AMFs"}, viewOf[bothStates]{pickPools, textPools}),
		showsOf(p.snapshots, "show drain", []string{showHelp, "How the emptying of SGSNs and AMFs goes on"}, viewOf[bothStates]{pickDrains, textDrains}),
		showsOf(p.snapshots, "show nri all", []string{showHelp, nriOf, "Of every SGSN and AMF"}, viewOf[bothStates]{pickAllNRIs, textAllNRIs}),
		p.shows("show nri nsei <0-65535>", []string{showHelp, nriOf, "Of one SGSN", "NSEI of the SGSN"}, view{pickNRI, textNRI}),
		p.subscriberShows(),
	} {
		cmds = append(cmds, c...)
	}
	// Short for "show nri all json".
	return append(cmds, showJSONOf(p.snapshots, "show nri", []string{showHelp, nriOf}, viewOf[bothStates]{pick: pickAllNRIs}))
}

func upDown(up bool) string {
	if up {
		return "up"
	}
	return "down"
}

func textPool(w *writer, s *gb.Snapshot, _ vty.Args) {
	w.line("NRI bitlen %d; bound: seen in the last %d min (an estimate)",
		s.Pool.BitLen, s.Pool.ActivityWindow/time.Minute)
	textNull(w, &s.Pool)
	w.line(" NSEI Name             State    for Attach Weight    Bound   Active NRI")
	short := false
	for i := range s.Pool.SGSNs {
		m := &s.Pool.SGSNs[i]
		attach := "yes"
		if !m.AllowAttach {
			attach = "no"
		}
		w.line("%5d %-16s %-5s %6s %-6s %6d %8d %8d %s", m.NSEI, cut(m.Name, 16), upDown(m.Up), ago(s.Time, m.Since),
			attach, m.Weight, m.Bound, m.Active, cut(m.NRI, nriColumns))
		short = short || len(m.NRI) > nriColumns
	}
	w.lineIf(short, "~: \"show nri all\" has the whole lists of NRIs")
	if len(s.Pool.SGSNs) == 0 {
		w.line(" no SGSN is configured")
	}
	textReasons(w, s.Pool.Reasons)
}

// textNull tells the NULL-NRIs, those of single networks too.
func textNull(w *writer, p *gb.PoolState) {
	var sets []string
	if p.Null != "" {
		sets = append(sets, p.Null)
	}
	for _, plmn := range sortedKeys(p.NullByPLMN) {
		sets = append(sets, fmt.Sprintf("%s in %s", p.NullByPLMN[plmn], plmn))
	}
	if len(sets) == 0 {
		return
	}
	head := "NULL-NRI "
	for _, l := range wrap(sets, "; ", screen-len(head)) {
		w.line("%s%s", head, l)
		head = strings.Repeat(" ", len(head))
	}
}

// nriColumns is what a line has left for NRIs.
const nriColumns = 12

// textReasons tells why subscribers went where they did.
func textReasons(w *writer, reasons map[string]uint64) {
	title := "Decisions:"
	for _, name := range sortedKeys(reasons) {
		if reasons[name] == 0 {
			continue
		}
		w.lineIf(title != "", "%s", title)
		title = ""
		head := fmt.Sprintf(" %-14s %12d", name, reasons[name])
		for _, l := range wrap(strings.Fields(gb.ReasonText(name)), " ", screen-len(" ")*2-14-12-2) {
			w.line("%s  %s", head, l)
			head = strings.Repeat(" ", 1+14+1+12)
		}
	}
}

// screen is the width that poolgw's own shows keep to, in columns.
const screen = 80

// wrap joins words into lines of at most width octets, where a word fits; there
// is one line at least.
func wrap(words []string, sep string, width int) []string {
	lines := []string{""}
	for _, word := range words {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+len(sep)+len(word) > width:
			lines = append(lines, word)
		default:
			*last += sep + word
		}
	}
	return lines
}

// cut shortens a text to n columns.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "~"
}

// drainState is what "show drain json" shows of a drained member.
type drainState struct {
	gb.SGSNState
	Estimate bool `json:"estimate"` // Bound and Active are estimates
}

func drained(s *gb.Snapshot) []drainState {
	out := []drainState{}
	for _, m := range s.Pool.SGSNs {
		if !m.AllowAttach {
			out = append(out, drainState{m, true})
		}
	}
	return out
}

func textDrain(w *writer, s *gb.Snapshot, _ vty.Args) {
	list := drained(s)
	if len(list) == 0 {
		w.line("No SGSN is drained")
		return
	}
	w.line("Estimates. Bound: seen in the last %d min; active: in the last %d min",
		s.Pool.ActivityWindow/time.Minute, s.Pool.ActiveWindow/time.Minute)
	w.line(" NSEI Name             State  Drained    Bound   Active Last seen  Progress")
	for i := range list {
		m := &list[i]
		w.line("%5d %-16s %-5s %8s %8d %8d %9s  %s", m.NSEI, cut(m.Name, 16), upDown(m.Up),
			ago(s.Time, m.DrainedSince), m.Bound, m.Active, ago(s.Time, m.LastSeen), progress(m))
	}
}

func progress(m *drainState) string {
	switch {
	case m.Bound == 0:
		return "empty"
	case m.Active == 0:
		return "quiet"
	}
	return "in use"
}

// nriEntry is what the json forms of "show nri" show of a member.
type nriEntry struct {
	NSEI uint16 `json:"nsei"`
	Name string `json:"name"`
	NRI  string `json:"nri"`
}

func textNRIs(w *writer, s *gb.Snapshot, _ vty.Args) {
	for i := range s.Pool.SGSNs {
		writeNRIs(w, &s.Pool.SGSNs[i])
	}
}

func member(s *gb.Snapshot, nsei uint16) *gb.SGSNState {
	for i := range s.Pool.SGSNs {
		if s.Pool.SGSNs[i].NSEI == nsei {
			return &s.Pool.SGSNs[i]
		}
	}
	return nil
}

func pickNRI(s *gb.Snapshot, a vty.Args) (any, error) {
	nsei := nseiKey(a).(uint16)
	m := member(s, nsei)
	if m == nil {
		return nil, errNoSGSN(nsei)
	}
	return nriEntry{m.NSEI, m.Name, m.NRI}, nil
}

func textNRI(w *writer, s *gb.Snapshot, a vty.Args) { writeNRIs(w, member(s, nseiKey(a).(uint16))) }

// writeNRIs is a member's NRIs as its configuration has them.
func writeNRIs(w *writer, m *gb.SGSNState) {
	w.line("sgsn nsei %d", m.NSEI)
	set, err := nri.ParseSet(m.NRI)
	if err != nil || len(set) == 0 {
		w.line(" %% no NRI mappings")
	}
	for _, r := range set.VTY() {
		w.line(" nri add %s", r)
	}
}
