package cli

import (
	"slices"
	"strconv"
	"strings"

	"poolgw/config"
	"poolgw/finding"
	"poolgw/gb"
	"poolgw/vty"
)

const (
	sgsnHelp = "A member of the pool"
	nseiHelp = "By its NSEI"
	nseiNum  = "NSEI"
)

// defaultWeight is a member's share of the subscribers that have no owner.
const defaultWeight = 100

func sgsnOf(c *config.Config, nsei uint16) *gb.SGSN {
	i := slices.IndexFunc(c.Gb.SGSNs, func(s gb.SGSN) bool { return s.NSEI == nsei })
	if i < 0 {
		return nil
	}
	return &c.Gb.SGSNs[i]
}

// sgsnCommands are the node "sgsn nsei N".
func (p *program) sgsnCommands() []vty.Command {
	in := []vty.Node{nodeSGSN}
	enter := p.enter(nodeSGSN, nseiKey, func(e *edit) error {
		if nsei := e.key.(uint16); sgsnOf(e.c, nsei) == nil {
			e.c.Gb.SGSNs = append(e.c.Gb.SGSNs, gb.SGSN{NSEI: nsei, Name: gb.DefaultName(nsei), AllowAttach: true, Weight: defaultWeight})
		}
		return nil
	})
	return []vty.Command{
		{Nodes: inConfig, Syntax: "sgsn nsei <0-65534>", Help: []string{sgsnHelp, nseiHelp, nseiNum}, Run: enter},
		{Nodes: inConfig, Syntax: "sgsn <0-65534>", Flags: vty.Hidden, Help: []string{sgsnHelp, nseiNum}, Run: enter},
		{Nodes: inConfig, Syntax: "no sgsn nsei <0-65534>", Help: []string{no, sgsnHelp, nseiHelp, nseiNum},
			Run: p.removal(removeSGSN)},
		{Nodes: in, Syntax: "name NAME", Help: []string{"Name of the SGSN", "The name"},
			Run: p.sgsn(func(e *edit, s *gb.SGSN) error { s.Name = e.args[0]; return nil })},
		{Nodes: in, Syntax: "no name", Help: []string{no, "The name made of the NSEI"},
			Run: p.sgsn(func(e *edit, s *gb.SGSN) error { s.Name = gb.DefaultName(s.NSEI); return nil })},
		{Nodes: in, Syntax: "allow-attach", Help: []string{"Take new subscribers"},
			Run: p.sgsn(func(e *edit, s *gb.SGSN) error { s.AllowAttach = true; return nil })},
		{Nodes: in, Syntax: "no allow-attach", Help: []string{no, "Take no new subscribers, to empty the SGSN"},
			Run: p.sgsn(func(e *edit, s *gb.SGSN) error { e.allowAttach(s, false); return nil })},
		{Nodes: in, Syntax: "weight <0-65535>",
			Help: []string{"Share of the subscribers that have no owner", "In relation to the other SGSNs'; 0: none"},
			Run:  p.sgsn(func(e *edit, s *gb.SGSN) error { s.Weight = e.uint16(0); return nil })},
		{Nodes: in, Syntax: "no weight", Help: []string{no, "A weight of 100"},
			Run: p.sgsn(func(e *edit, s *gb.SGSN) error { s.Weight = defaultWeight; return nil })},
		{Nodes: in, Syntax: "nri add <0-32767> [<0-32767>]",
			Help: []string{nriHelp, "Add a value or a range", "The value, or the first of the range", "The last of the range"},
			Run:  p.sgsn(addNRI)},
		{Nodes: in, Syntax: "nri del <0-32767> [<0-32767>]",
			Help: []string{nriHelp, "Remove a value or a range", "The value, or the first of the range", "The last of the range"},
			Run:  p.sgsn(delNRI)},
	}
}

// nseiKey is the key of a node whose command has the NSEI as first argument.
func nseiKey(a vty.Args) any {
	n, _ := strconv.ParseUint(a[0], 10, 16)
	return uint16(n)
}

// allowAttach warns when nobody is left for new subscribers.
func (e *edit) allowAttach(s *gb.SGSN, allow bool) {
	s.AllowAttach = allow
	e.tellNobodyLeft()
}

func (e *edit) tellNobodyLeft() {
	if !slices.ContainsFunc(e.c.Gb.SGSNs, func(s gb.SGSN) bool { return s.AllowAttach }) {
		e.warn("Warning: no SGSN takes new subscribers any more")
	}
}

// removeSGSN tells what the member had: the edit is made all the same.
func removeSGSN(e *edit) error {
	nsei := e.uint16(0)
	s := sgsnOf(e.c, nsei)
	if s == nil {
		return errNoSGSN(nsei)
	}
	e.tellServed(nsei)
	if len(s.NRI) > 0 {
		e.warn("Warning: NRI %s: no owner any more, the subscribers go to other SGSNs", s.NRI)
	}
	e.c.Gb.SGSNs = slices.DeleteFunc(e.c.Gb.SGSNs, func(s gb.SGSN) bool { return s.NSEI == nsei })
	e.tellNobodyLeft()
	return nil
}

func errNoSGSN(nsei uint16) error { return refuse("There is no sgsn nsei %d", nsei) }

// sgsn makes an editor of one that changes the SGSN of the node.
func (p *program) sgsn(f func(e *edit, s *gb.SGSN) error) vty.Handler {
	return p.edit(func(e *edit) error {
		s := sgsnOf(e.c, e.key.(uint16))
		if s == nil {
			return errGone
		}
		return f(e, s)
	})
}

// addNRI warns of overlaps with the range as typed, from the view of the SGSN
// being edited, as osmo-gbproxy does.
func addNRI(e *edit, s *gb.SGSN) error {
	r := e.nriRange()
	set, err := s.NRI.Add(r)
	if err != nil {
		return refuse("Warning: NSE(%05d/SGSN): Error: failed to add NRI range: %s%s", s.NSEI, r.Dots(), whyNot(err))
	}
	s.NRI = set
	e.covers(aboutRange)
	if r.Exceeds(e.c.Gb.BitLen) {
		e.warn("Warning: NSE(%05d/SGSN): Warning: NRI range surpasses current NRI bitlen: %s", s.NSEI, r.Dots())
	}
	first := true // the SGSNs before s come first, and win
	for i := range e.c.Gb.SGSNs {
		o := &e.c.Gb.SGSNs[i]
		if o == s {
			first = false
			continue
		}
		if !o.NRI.Overlaps(r) {
			continue
		}
		high, low := o.NSEI, s.NSEI
		if !first {
			high, low = low, high
		}
		e.warn("Warning: NSE(%05d/SGSN): NRI range [%d..%d] overlaps between NSE %05d and NSE %05d. "+
			"For overlaps, NSE %05d has higher priority than NSE %05d", s.NSEI, r.First, r.Last, s.NSEI, o.NSEI, high, low)
	}
	return nil
}

func aboutRange(f finding.Finding) bool {
	return surpasses(f) || strings.Contains(f.Text, " overlaps between NSE ") || strings.Contains(f.Text, " overlaps between amf ")
}

func delNRI(e *edit, s *gb.SGSN) error {
	r := e.nriRange()
	set, err := s.NRI.Del(r)
	if err != nil {
		return refuse("Warning: NSE(%05d/SGSN): Error: failed to remove NRI range: %s%s", s.NSEI, r.Dots(), whyNot(err))
	}
	s.NRI = set
	e.covers(aboutRange)
	return nil
}

func writeSGSNs(w *writer, c *config.Config) {
	for i := range c.Gb.SGSNs {
		s := &c.Gb.SGSNs[i]
		w.line("sgsn nsei %d", s.NSEI)
		w.line(" name %s", s.Name)
		if s.AllowAttach {
			w.line(" allow-attach")
		} else {
			w.line(" no allow-attach")
		}
		w.lineIf(s.Weight != defaultWeight, " weight %d", s.Weight)
		for _, r := range s.NRI.VTY() {
			w.line(" nri add %s", r)
		}
	}
}
