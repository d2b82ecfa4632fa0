package cli

import (
	"fmt"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/vty"
)

// limitDefs are the settings of the node "limits": commands and writer both
// read this table.
var limitDefs = []struct {
	name, doc, unit string
	max             uint32
	field           func(l *gb.Limits) *uint32
}{
	{"dynamic-nses", "NSEs made by peers; more are refused", "NSEs", 65536, func(l *gb.Limits) *uint32 { return &l.DynamicNSEs }},
	{"ns-vcs-per-nse", "NS-VCs of one NSE; more are refused", "NS-VCs", 65536, func(l *gb.Limits) *uint32 { return &l.VCsPerNSE }},
	{"bvcs", "BVCs of all BSSs; more are refused", "BVCs", 1 << 24, func(l *gb.Limits) *uint32 { return &l.BVCs }},
	{"cache-entries", "TLLI and IMSI cache; the oldest entry goes", "Entries", 1 << 28, func(l *gb.Limits) *uint32 { return &l.CacheEntries }},
	{"subscribers", "Activity table; the oldest entry goes", "Subscribers", 1 << 28, func(l *gb.Limits) *uint32 { return &l.Subscribers }},
	{"vty-sessions", "Telnet sessions; more are refused", "Sessions", 1024, func(l *gb.Limits) *uint32 { return &l.VTYSessions }},
	{"queue-length", "Control datagrams waiting; more are dropped", "Datagrams", 1 << 20, func(l *gb.Limits) *uint32 { return &l.QueueLength }},
	{"log-lines", "Log lines per second; more are left out and counted", "Lines", 1 << 20, func(l *gb.Limits) *uint32 { return &l.LogLines }},
}

// limitsCommands are the node "limits".
func (p *program) limitsCommands() []vty.Command {
	in := []vty.Node{nodeLimits}
	cmds := []vty.Command{{Nodes: inConfig, Syntax: "limits",
		Help: []string{"How much poolgw takes, so that nobody can exhaust it"}, Run: goTo(nodeLimits)}}
	for _, d := range limitDefs {
		cmds = append(cmds,
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("%s <1-%d>", d.name, d.max), Help: []string{d.doc, d.unit},
				Run: p.set(func(e *edit) { *d.field(&e.c.Gb.Limits) = e.uint32(0) })},
			vty.Command{Nodes: in, Syntax: "no " + d.name, Help: []string{no, d.doc},
				Run: p.set(func(e *edit) {
					def := gb.DefaultLimits()
					*d.field(&e.c.Gb.Limits) = *d.field(&def)
				})})
	}
	return cmds
}

func writeLimits(w *writer, c *config.Config) {
	if c.Gb.Limits == gb.DefaultLimits() {
		return
	}
	w.line("limits")
	have, def := c.Gb.Limits, gb.DefaultLimits()
	for _, d := range limitDefs {
		if v := *d.field(&have); v != *d.field(&def) {
			w.line(" %s %d", d.name, v)
		}
	}
}
