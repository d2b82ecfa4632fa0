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

// ngapTimers is the group of the timers of node "ngap".
const ngapTimers = "ngap"

var timerGroups = map[string]string{"bssgp": "Of the BSSGP procedures (TS 48.018 12)", "pool": "Of the pool", "ns": "Of the NS layer",
	ngapTimers: "Of the N2 gateway"}

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
func inUnit[N uint16 | uint32](v N, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", v, unit))
}

func writePoolTimers(w *writer, c *config.Config) {
	for i, d := range gb.TimerDefs {
		w.lineIf(c.Gb.Timers[i] != d.Default, " timer %s %s %d", d.Group, d.Name, c.Gb.Timers[i])
	}
}

// timerRow is one timer as "show timer" tells it: of the Gb gateway, the NS layer or
// the node "ngap".
type timerRow struct {
	Group   string `json:"group"` // bssgp, pool, ns, ngap
	Name    string `json:"name"`
	Value   uint32 `json:"value"`
	Unit    string `json:"unit"` // "s", "ms"; "" for a number
	Default uint32 `json:"default"`
	Min     uint32 `json:"min"`
	Max     uint32 `json:"max"`
	Doc     string `json:"doc"`
}

// timerShows show the timers of both gateways and the NS layer, all or of a group.
func (p *program) timerShows() []vty.Command {
	v := view{func(s *gb.Snapshot, a vty.Args) (any, error) { return p.timersOf(s, a), nil }, p.textTimers}
	groups := []string{"bssgp", "pool", "ns", ngapTimers}
	help := []string{showHelp, timerHelp}
	for _, g := range groups {
		help = append(help, timerGroups[g])
	}
	return slices.Concat(p.shows("show timer", help[:2:2], v), p.shows("show timer ("+strings.Join(groups, "|")+")", help, v))
}

// timersOf are those of a group, or of what there is: of N2 when there is a node ngap.
func (p *program) timersOf(s *gb.Snapshot, a vty.Args) []timerRow {
	list := []timerRow{}
	for _, t := range s.Timers {
		if !a.Has(0) || a[0] == t.Group {
			list = append(list, timerRow{t.Group, t.Name, uint32(t.Value), t.Unit, uint32(t.Default), uint32(t.Min), uint32(t.Max), t.Doc})
		}
	}
	if p.Store == nil {
		return list
	}
	c := &p.Store.Current().N2
	if a.Has(0) && a[0] == ngapTimers || !a.Has(0) && c.Enabled {
		list = append(list, ngapTimerRows(c)...)
	}
	return list
}

// textTimers has one line a timer, its description folded at its column.
func (p *program) textTimers(w *writer, s *gb.Snapshot, a vty.Args) {
	list := p.timersOf(s, a)
	unit, span := 7, 10
	for _, t := range list {
		unit = max(unit, len(inUnit(t.Value, t.Unit)), len(inUnit(t.Default, t.Unit)))
		span = max(span, len(t.span()))
	}
	line := fmt.Sprintf("%%-5s %%-23s %%%ds %%%ds %%-%ds ", unit-1, unit, span)
	w.line(line+"%s", "Group", "Timer", "Value", "Default", "Range", "What")
	for _, t := range list {
		head := fmt.Sprintf(line, t.Group, t.Name, inUnit(t.Value, t.Unit), inUnit(t.Default, t.Unit), t.span())
		for _, l := range wrap(strings.Fields(t.Doc), " ", screen-len(head)) {
			w.line("%s%s", head, l)
			head = strings.Repeat(" ", len(head))
		}
	}
}

func (t *timerRow) span() string { return fmt.Sprintf("%d..%d", t.Min, t.Max) }
