package cli

import (
	"fmt"
	"slices"
	"strings"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/vty"
)

const timerHelp = "Timers and counters of retries"

var timerGroups = map[string]string{"bssgp": "Of the BSSGP procedures (TS 48.018 12)", "pool": "Of the pool", "ns": "Of the NS layer"}

// poolTimerCommands are the timers of node "gbproxy", made of their table.
func (p *program) poolTimerCommands() []vty.Command {
	in := []vty.Node{nodeGbproxy}
	var cmds []vty.Command
	for i, d := range gb.TimerDefs {
		unit := "Seconds"
		if d.Unit == "" {
			unit = "How many"
		}
		help := []string{timerHelp, timerGroups[d.Group], d.Doc}
		reset := p.set(func(e *edit) { e.c.Gb.Timers[i] = d.Default })
		cmds = append(cmds,
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("timer %s %s <%d-%d>", d.Group, d.Name, d.Min, d.Max),
				Help: append(slices.Clone(help), unit), Run: p.set(func(e *edit) { e.c.Gb.Timers[i] = e.uint16(0) })},
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("timer %s %s default", d.Group, d.Name),
				Help: append(slices.Clone(help), inUnit(d.Default, d.Unit)), Run: reset},
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("no timer %s %s", d.Group, d.Name),
				Help: append([]string{no}, help...), Run: reset})
	}
	return cmds
}

// inUnit is "5 s", or "3" for a number.
func inUnit(v uint16, unit string) string { return strings.TrimSpace(fmt.Sprintf("%d %s", v, unit)) }

func writePoolTimers(w *writer, c *config.Config) {
	for i, d := range gb.TimerDefs {
		w.lineIf(c.Gb.Timers[i] != d.Default, " timer %s %s %d", d.Group, d.Name, c.Gb.Timers[i])
	}
}

// timerShows show the timers of the gateway and the NS layer, all or of a group.
func (p *program) timerShows() []vty.Command {
	v := view{pickTimers, textTimers}
	return slices.Concat(
		p.shows("show timer", []string{showHelp, timerHelp}, v),
		p.shows("show timer (bssgp|pool|ns)", []string{showHelp, timerHelp, timerGroups["bssgp"], timerGroups["pool"], timerGroups["ns"]}, v))
}

func timersOf(s *gb.Snapshot, a vty.Args) []gb.TimerState {
	list := []gb.TimerState{}
	for _, t := range s.Timers {
		if !a.Has(0) || a[0] == t.Group {
			list = append(list, t)
		}
	}
	return list
}

func pickTimers(s *gb.Snapshot, a vty.Args) (any, error) { return timersOf(s, a), nil }

// textTimers has one line a timer, its description folded at its column.
func textTimers(w *writer, s *gb.Snapshot, a vty.Args) {
	const line = "%-5s %-23s %6s %7s %-10s "
	w.line(line+"%s", "Group", "Timer", "Value", "Default", "Range", "What")
	for _, t := range timersOf(s, a) {
		head := fmt.Sprintf(line, t.Group, t.Name, inUnit(t.Value, t.Unit), inUnit(t.Default, t.Unit), fmt.Sprintf("%d..%d", t.Min, t.Max))
		for _, l := range wrap(strings.Fields(t.Doc), " ", screen-len(head)) {
			w.line("%s%s", head, l)
			head = strings.Repeat(" ", len(head))
		}
	}
}
