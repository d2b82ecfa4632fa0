package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"poolgw/finding"
	"poolgw/gb"
	"poolgw/ns"
	"poolgw/vty"
)

// removal makes a command of an editor that takes something away and tells what
// went with it. The edit is made all the same: an operator must be able to.
func (p *program) removal(f editor) vty.Handler {
	return p.removalAfter(f, func(e *edit) {
		if live, err := p.snapshot(); err == nil {
			e.live = &live
		}
	})
}

// removalN2 is removal for what the N2 gateway knows of.
func (p *program) removalN2(f editor) vty.Handler {
	return p.removalAfter(f, func(e *edit) {
		if live, err := p.snapshotN2(); err == nil {
			e.liveN2 = &live
		}
	})
}

func (p *program) removalAfter(f editor, look func(e *edit)) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		e := &edit{key: s.Key(), args: a}
		if !s.FromFile() {
			look(e)
		}
		return p.change(s, e, f, allNotes)
	}
}

// removeBind tells the NS-VCs that ran on the bind, and who has lost it.
func removeBind(e *edit) error {
	name := e.args[0]
	c := &e.c.Gb.NS
	n, nseis := e.carried(name)
	before := e.c.Gb.Clone().NS
	if err := c.RemoveBind(name); err != nil {
		return osmo(err)
	}
	e.tellCarried(name, n, nseis)
	if slices.Contains(before.SNSDefaultBinds, name) {
		e.warn("Warning: ip-sns-default has lost bind %s", name)
	}
	for i := range c.NSEs {
		e.tellEmptied(&before.NSEs[i], &c.NSEs[i])
	}
	return nil
}

// clearListen tells the NS-VCs that ran on the bind.
func clearListen(e *edit) error { return e.clearing((*ns.Config).ClearListen) }

// clearing is an edit of a bind that closes it.
func (e *edit) clearing(f func(c *ns.Config, name string) error) error {
	name := e.key.(string)
	n, nseis := e.carried(name)
	if err := f(&e.c.Gb.NS, name); err != nil {
		return osmo(err)
	}
	e.tellCarried(name, n, nseis)
	return nil
}

func (e *edit) tellCarried(bind string, n int, nseis []uint16) {
	if n > 0 {
		e.warn("Warning: bind %s carried %s of NSE %s; gone with it", bind, count(n, "NS-VC"), list(nseis))
	}
}

// carried counts the NS-VCs on a bind, those of peers that came by themselves
// included, and names their NSEs. Without a gateway the configured ones are.
func (e *edit) carried(bind string) (n int, nseis []uint16) {
	add := func(nsei uint16) {
		n++
		if !slices.Contains(nseis, nsei) {
			nseis = append(nseis, nsei)
		}
	}
	if e.live != nil {
		for _, s := range e.live.NS.NSEs {
			for _, v := range s.VCs {
				if v.Bind == bind {
					add(s.NSEI)
				}
			}
		}
		return n, nseis
	}
	for _, s := range e.c.Gb.NS.NSEs {
		for _, v := range s.VCs {
			if b := e.c.Gb.NS.BindOf(v); b != nil && b.Name == bind {
				add(s.NSEI)
			}
		}
	}
	return n, nseis
}

// tellEmptied tells an NSE that has nothing left to come up with.
func (e *edit) tellEmptied(before, after *ns.NSEConfig) {
	switch {
	case len(before.VCs) > 0 && len(after.VCs) == 0:
		e.warn("Warning: nse %d has no NS-VC left", after.NSEI)
	case len(before.SNSBinds) > 0 && len(after.SNSBinds) == 0:
		e.warn("Warning: nse %d has no ip-sns-bind left", after.NSEI)
	default:
		return
	}
	e.covers(func(f finding.Finding) bool {
		return strings.Contains(f.Text, gb.NoVC) || strings.Contains(f.Text, "SNS has no endpoints")
	})
}

// tellNSE tells what an NSE that was removed had; configured is the number of
// its NS-VCs for want of a gateway.
func (e *edit) tellNSE(nsei uint16, configured int) {
	n := configured
	if e.live != nil {
		i := slices.IndexFunc(e.live.NS.NSEs, func(s ns.NSEState) bool { return s.NSEI == nsei })
		if i >= 0 {
			n = len(e.live.NS.NSEs[i].VCs)
		}
	}
	if n > 0 {
		e.warn("Warning: NSE %d had %s; gone with it", nsei, count(n, "NS-VC"))
	}
	e.tellServed(nsei)
}

// tellServed tells the cells and subscribers of an NSE of either side.
func (e *edit) tellServed(nsei uint16) {
	if e.live == nil {
		return
	}
	var of, its []gb.CellState
	for _, c := range e.live.Cells {
		if c.BSS == nsei {
			its = append(its, c)
		}
		if slices.Contains(c.SGSNs, nsei) {
			of = append(of, c)
		}
	}
	if len(its) > 0 {
		e.warn("Warning: NSE %d had %s", nsei, count(len(its), "cell"))
	}
	m := member(e.live, nsei)
	if m == nil {
		return
	}
	if len(of) > 0 || m.Bound > 0 {
		e.warn("Warning: %s served %s and about %s (seen in the last %d min)",
			nseName(e.live, nsei), count(len(of), "cell"), count(m.Bound, "subscriber"), e.live.Pool.ActivityWindow/time.Minute)
	}
}

// count is "1 cell", "2 cells".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shownNSEIs bounds a list of NSEIs in a line.
const shownNSEIs = 8

// list is "2001, 2002", or the first of many and their number.
func list(nseis []uint16) string {
	var words []string
	for _, n := range nseis[:min(len(nseis), shownNSEIs)] {
		words = append(words, fmt.Sprint(n))
	}
	if n := len(nseis) - len(words); n > 0 {
		words = append(words, fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}
