package cli

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"poolgw/gb"
	"poolgw/nri"
	"poolgw/vty"
)

// poolShows show the pool and its members.
func (p *program) poolShows() []vty.Command {
	nriOf := "Which SGSN has which NRIs"
	var cmds []vty.Command
	for _, c := range [][]vty.Command{
		p.shows("show pool", []string{showHelp, "The pool of SGSNs"}, view{pickPool, textPool}),
		p.shows("show drain", []string{showHelp, "How the emptying of SGSNs goes on"}, view{pickDrain, textDrain}),
		p.shows("show nri all", []string{showHelp, nriOf, "Of every SGSN"}, view{pickNRIs, textNRIs}),
		p.shows("show nri nsei <0-65535>", []string{showHelp, nriOf, "Of one SGSN", "NSEI of the SGSN"}, view{pickNRI, textNRI}),
		p.subscriberShows(),
	} {
		cmds = append(cmds, c...)
	}
	// Short for "show nri all json".
	return append(cmds, p.showJSONOf("show nri", []string{showHelp, nriOf}, view{pick: pickNRIs}))
}

func pickPool(s *gb.Snapshot, _ vty.Args) (any, error) { return s.Pool, nil }

func upDown(up bool) string {
	if up {
		return "up"
	}
	return "down"
}

func textPool(w *writer, s *gb.Snapshot, _ vty.Args) {
	w.line("NRI bitlen %d; bound: seen in the last %d min (an estimate)",
		s.Pool.BitLen, s.Pool.ActivityWindow/time.Minute)
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

func pickDrain(s *gb.Snapshot, _ vty.Args) (any, error) { return drained(s), nil }

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

func pickNRIs(s *gb.Snapshot, _ vty.Args) (any, error) {
	list := []nriEntry{}
	for _, m := range s.Pool.SGSNs {
		list = append(list, nriEntry{m.NSEI, m.Name, m.NRI})
	}
	return list, nil
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

// subscriberShows tell where a subscriber would go.
func (p *program) subscriberShows() []vty.Command {
	syntax := "show subscriber (tlli|ptmsi|imsi) ID"
	help := []string{showHelp, "Where a subscriber would go, and why", "By its TLLI, hexadecimal", "By its P-TMSI, hexadecimal",
		"By its IMSI", "The identity"}
	ask := func(render func(s *vty.Session, a gb.Answer) error) vty.Handler {
		return func(s *vty.Session, a vty.Args) error {
			q, err := query(a[0], a[1])
			if err != nil {
				return err
			}
			if p.Gateway == nil {
				return errNoGateway
			}
			answer, err := p.Gateway.Subscriber(q)
			if err != nil {
				return err
			}
			return render(s, answer)
		}
	}
	return []vty.Command{
		{Nodes: inView, Syntax: syntax, Help: help, Run: ask(p.textAnswer)},
		{Nodes: inView, Syntax: syntax + " json", Help: append(help[:len(help):len(help)], jsonHelp),
			Run: ask(func(s *vty.Session, a gb.Answer) error { return writeJSON(s, a) })},
	}
}

// query reads a subscriber's identity: eight hexadecimal digits, with or
// without 0x, or an IMSI of 6 to 15 digits.
func query(kind, id string) (gb.Query, error) {
	if kind == "imsi" {
		if len(id) < 6 || len(id) > 15 || strings.Trim(id, "0123456789") != "" {
			return gb.Query{}, refuse("An IMSI has 6 to 15 digits")
		}
		return gb.Query{IMSI: id}, nil
	}
	b, err := hex.DecodeString(strings.TrimPrefix(strings.ToLower(id), "0x"))
	if err != nil || len(b) != 4 {
		return gb.Query{}, refuse("A TLLI or P-TMSI has 8 hexadecimal digits")
	}
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	if kind == "tlli" {
		return gb.Query{TLLI: &v}, nil
	}
	return gb.Query{PTMSI: &v}, nil
}

func (p *program) textAnswer(s *vty.Session, a gb.Answer) error {
	if a.Kind != "" {
		s.Printf("Identity: %s TLLI\n", a.Kind)
	}
	if a.NRI != nil {
		s.Printf("NRI: %d\n", *a.NRI)
	}
	if a.Member == "" {
		s.Printf("Goes to: no SGSN\n")
	} else {
		s.Printf("Goes to: NSE(%05d/SGSN) %s\n", a.NSEI, a.Member)
	}
	s.Printf("Reason: %s\n", a.Reason)
	if a.Text != "" {
		s.Printf("%s\n", a.Text)
	}
	if !a.LastSeen.IsZero() {
		s.Printf("Last seen: %s ago\n", ago(p.Now(), a.LastSeen))
	}
	return nil
}
