package cli

import (
	"errors"
	"slices"

	"poolgw/vty"
)

// Stats are the program's counter groups as the VTY sees them.
type Stats interface {
	// Groups returns all groups with their values.
	Groups() ([]StatsGroup, error)
	// Kinds returns what kinds of groups there may be, without values.
	Kinds() []StatsGroup
	// Report sends them to the reporters now; Reset has them count from zero.
	Report() error
	Reset() error
}

// StatsGroup is one group of counters, or of stat items: values that go up and
// down.
type StatsGroup struct {
	Group     string       `json:"group"`
	Text      string       `json:"text"`
	Level     string       `json:"level"` // global, peer, subscriber
	Items     bool         `json:"items"`
	Index     uint32       `json:"index"`
	IndexName string       `json:"name,omitempty"`
	Values    []StatsValue `json:"values"`
}

// StatsValue is one counter since its reset, with what came in the last whole
// second, minute, hour and day; a stat item has a unit instead.
type StatsValue struct {
	Name      string `json:"name"`
	Text      string `json:"text"`
	Unit      string `json:"unit,omitempty"`
	Value     uint64 `json:"value"`
	PerSecond uint64 `json:"per_second"`
	PerMinute uint64 `json:"per_minute"`
	PerHour   uint64 `json:"per_hour"`
	PerDay    uint64 `json:"per_day"`
}

var errNoStats = errors.New("there are no statistics here")

const (
	skipHelp     = "Only what was counted"
	countersHelp = "Counters with their rates"
)

// statsShows show the counter groups in libosmocore's forms.
func (p *program) statsShows() []vty.Command {
	level := []string{showHelp, statsHelp, "Up to one level", "The gateway", "Peers too", "Subscribers too"}
	kinds := func(g *StatsGroup, a vty.Args) bool { return !g.Items }
	within := func(g *StatsGroup, a vty.Args) bool { return statsLevel(g.Level) <= statsLevel(arg(a, 0)) }
	var cmds []vty.Command
	for _, s := range []struct {
		syntax string
		help   []string
		wants  func(g *StatsGroup, a vty.Args) bool
		text   func(w *writer, g *StatsGroup)
		first  string
	}{
		{"show stats", level[:2], func(*StatsGroup, vty.Args) bool { return true }, textStats, "Ungrouped counters:\n"},
		{"show stats level (global|peer|subscriber)", level, within, textStats, "Ungrouped counters:\n"},
		{"show rate-counters", []string{showHelp, countersHelp}, kinds, textRateCounters, ""},
	} {
		cmds = append(cmds, vty.Command{Nodes: inView, Syntax: s.syntax + " [skip-zero]", Help: append(s.help[:len(s.help):len(s.help)], skipHelp),
			Run: func(v *vty.Session, a vty.Args) error {
				groups, err := p.statsGroups(func(g *StatsGroup) bool { return s.wants(g, a) })
				var w writer
				w.WriteString(s.first)
				for i := range groups {
					if len(a) == 0 || a[len(a)-1] != "skip-zero" || groups[i].skipZero() {
						s.text(&w, &groups[i])
					}
				}
				v.Write(w.Bytes())
				return err
			}},
			vty.Command{Nodes: inView, Syntax: s.syntax + " json", Help: append(s.help[:len(s.help):len(s.help)], jsonHelp),
				Run: func(v *vty.Session, a vty.Args) error {
					groups, err := p.statsGroups(func(g *StatsGroup) bool { return s.wants(g, a) })
					if err != nil {
						return err
					}
					return writeJSON(v, groups)
				}})
	}
	return append(cmds,
		vty.Command{Nodes: inView, Syntax: "show asciidoc counters", Run: p.asciidocCounters,
			Help: []string{showHelp, "As AsciiDoc", "What counters there are"}},
		vty.Command{Nodes: inEnable, Syntax: "stats report", Run: p.statsDo(Stats.Report), Help: []string{statsHelp, "Send them now"}},
		vty.Command{Nodes: inEnable, Syntax: "stats reset", Run: p.statsDo(Stats.Reset), Help: []string{statsHelp, "Count from zero"}})
}

func (p *program) statsDo(f func(Stats) error) vty.Handler {
	return func(*vty.Session, vty.Args) error {
		if p.Stats == nil {
			return errNoStats
		}
		return f(p.Stats)
	}
}

// statsGroups returns the groups that wants does.
func (p *program) statsGroups(wants func(g *StatsGroup) bool) ([]StatsGroup, error) {
	if p.Stats == nil {
		return nil, errNoStats
	}
	groups, err := p.Stats.Groups()
	return slices.DeleteFunc(groups, func(g StatsGroup) bool { return !wants(&g) }), err
}

// statsLevel orders levels; none is the first.
func statsLevel(name string) int { return slices.Index([]string{"global", "peer", "subscriber"}, name) }

// skipZero takes out what is zero and tells whether anything is left.
func (g *StatsGroup) skipZero() bool {
	g.Values = slices.DeleteFunc(g.Values, func(v StatsValue) bool { return v.Value == 0 })
	return len(g.Values) > 0
}

func textStats(w *writer, g *StatsGroup) {
	name := ""
	if g.IndexName != "" {
		name = "('" + g.IndexName + "')"
	}
	w.line("%s (%d)%s:", g.Text, g.Index, name)
	width := 0
	for i := range g.Values {
		width = max(width, len(g.Values[i].Text))
	}
	for i := range g.Values {
		v := &g.Values[i]
		if g.Items {
			w.line(" %-*s: %8d %s", width, v.Text, v.Value, v.Unit)
		} else {
			w.line(" %-*s: %8d (%d/s %d/m %d/h %d/d)", width, v.Text, v.Value, v.PerSecond, v.PerMinute, v.PerHour, v.PerDay)
		}
	}
}

func textRateCounters(w *writer, g *StatsGroup) {
	name := ""
	if g.IndexName != "" {
		name = " (" + g.IndexName + ")"
	}
	w.line("%s %d%s:", g.Text, g.Index, name)
	for i := range g.Values {
		v := &g.Values[i]
		w.line("%25s: %10d (%d/s %d/m %d/h %d/d) %s", v.Name, v.Value, v.PerSecond, v.PerMinute, v.PerHour, v.PerDay, v.Text)
	}
}

// asciidocCounters describes the counters, for manuals.
func (p *program) asciidocCounters(s *vty.Session, _ vty.Args) error {
	if p.Stats == nil {
		return errNoStats
	}
	var w writer
	w.line("// autogenerated by show asciidoc counters")
	w.line("These counters and their description are based on PoolGW %s (PoolGW).\n", p.Version)
	for _, part := range []struct {
		items bool
		title string
	}{{false, "Rate Counters"}, {true, "Osmo Stat Items"}} {
		w.line("=== %s\n", part.title)
		for _, g := range p.Stats.Kinds() {
			if g.Items == part.items {
				asciidocTable(&w, &g)
			}
		}
	}
	w.line("// there are no ungrouped osmo_counters")
	_, err := s.Write(w.Bytes())
	return err
}

func asciidocTable(w *writer, g *StatsGroup) {
	head, unit := "| Name | Reference | Description", func(*StatsValue) string { return "" }
	if g.Items {
		head += " | Unit"
		unit = func(v *StatsValue) string { return " | " + v.Unit }
	}
	w.line(".%s - %s\n[options=\"header\"]\n|===\n%s", g.Group, g.Text, head)
	for i := range g.Values {
		v := &g.Values[i]
		w.line("| %s | <<%s_%s>> | %s%s", v.Name, g.Group, v.Name, v.Text, unit(v))
	}
	w.line("|===")
}
