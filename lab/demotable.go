package lab

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// page is text that grows by lines.
type page struct{ strings.Builder }

func (p *page) line(format string, a ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	p.WriteByte('\n')
}

func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// table is the whole view, at most 80 columns wide but for what the operator
// did.
func table(v *view) string {
	var p page
	for _, part := range parts {
		if part.draw != nil {
			p.WriteString(part.draw(v))
		} else {
			p.WriteByte('\n')
		}
	}
	return p.String()
}

// drawn makes a part's text.
func drawn(f func(p *page, v *view)) func(v *view) string {
	return func(v *view) string {
		var p page
		f(&p, v)
		return p.String()
	}
}

// parts are what the table has, from above. Each is shown on a terminal up to a
// level of thrift (see screen); a part without draw is an empty line.
var parts = []struct {
	level int
	draw  func(v *view) string
}{
	{always, drawn(statusLine)},
	{1, nil},
	{always, drawn(memberTable)},
	{4, drawn(estimateLine)},
	{always, drawn(noteLines)},
	{1, nil},
	{3, drawn(bssTable)},
	{1, nil},
	{4, drawn(echoLine)},
	{2, drawn(n2Table)},
	{2, drawn(counterLines)},
	{1, nil},
	{always, drawn(checkTable)},
}

func statusLine(p *page, v *view) {
	p.line("%s  %d subscribers: %s", clock(v.elapsed), v.subscribers(), counts(v.states))
}

func estimateLine(p *page, v *view) {
	p.line("Bound is an estimate: who was seen going there within the last %s.", short(v.window))
}

func noteLines(p *page, v *view) {
	for _, n := range notes(v) {
		p.wrapped(2, "! %s", n)
	}
}

func echoLine(p *page, v *view) {
	m := &v.ms
	p.line("echoes: %d sent, %d answered, %d lost, %d interrupted", m.Sent, m.Echoed, m.Lost, m.Interrupted)
}

func counterLines(p *page, v *view) {
	m := &v.ms
	p.line("attaches %d, updates %d (%d rejected), moves %d, suspensions %d", m.Attaches, m.RAUs, m.RAURejects, m.Moves, m.Suspends)
	p.wrapped(2, "dropped by the gateway: %s", counts(v.drops))
}

// counts lists what is not zero.
func counts[N int | uint64](m map[string]N) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func memberTable(p *page, v *view) {
	p.line("       |---- the gateway says ----| |------- the simulators know -------|")
	p.line(" NSEI   State Attach  Bound Active   Serves    Seen  Uplink Downlink  Mode")
	for i := range v.members {
		m := &v.members[i]
		said := "not in the gateway's pool"
		if m.inPool {
			said = fmt.Sprintf("%-5s %-6s %6d %6d", word(m.gw.Up, "up", "down"),
				word(m.gw.AllowAttach, "yes", "no"), m.gw.Bound, m.gw.Active)
		}
		p.line("%5d   %-26s   %6d %7s %7d %8d  %s", m.nsei, said, m.serves,
			fmt.Sprintf("%d-%d", m.least, m.most), m.truth.SGSN.ULUnitdata, m.truth.SGSN.DLUnitdata, m.mode())
	}
}

func word(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func (m *member) mode() string {
	switch {
	case !m.truth.Running:
		return "killed"
	case m.cut != "":
		return "cut off"
	case m.truth.Offload:
		return "offload"
	}
	return "normal"
}

// maxColumns is how many SGSNs have a column of their own beside a BSS.
const maxColumns = 8

func bssTable(p *page, v *view) {
	shown := v.members[:min(len(v.members), maxColumns)]
	head := "  BSS   Cells   Here "
	for _, m := range shown {
		head += fmt.Sprintf(" %6d", m.nsei)
	}
	p.line("%s  nobody   (who serves whom)", head)
	for _, b := range v.bsss {
		row := fmt.Sprintf("%5d   %5s %6d ", b.truth.NSEI, fmt.Sprintf("%d/%d", b.truth.Up, b.truth.Cells), b.truth.Subscribers)
		for i := range shown {
			row += fmt.Sprintf(" %6d", b.serves[i])
		}
		p.line("%s  %6d", row, b.nobody)
	}
}

func checkTable(p *page, v *view) {
	for _, c := range v.checks {
		p.wrapped(8, "  %s", c.line())
	}
}

// line is the check's line.
func (c check) line() string {
	switch {
	case c.but != "":
		return fmt.Sprintf("ok    %s but %s", c.what, c.but)
	case c.holds:
		return "ok    " + c.what
	case c.failed():
		return fmt.Sprintf("FAIL  %s: %s", c.what, c.note)
	case c.excuse != "":
		return fmt.Sprintf("--    %s: not judged, %s", c.what, c.excuse)
	}
	return fmt.Sprintf("...   %s: %s (%ds)", c.what, c.note, int(c.since/time.Second))
}

// plainLines is the view as one line for the whole and one for each SGSN.
func plainLines(v *view) string {
	var p page
	at := clock(v.elapsed)
	p.line("%s registered=%d/%d sent=%d answered=%d lost=%d interrupted=%d check=%s", at, v.registered(),
		v.subscribers(), v.ms.Sent, v.ms.Echoed, v.ms.Lost, v.ms.Interrupted, word(v.holds(), "ok", "FAIL"))
	for i := range v.members {
		m := &v.members[i]
		said := "state=not-in-pool"
		if m.inPool {
			said = fmt.Sprintf("state=%s attach=%s bound=%d active=%d", word(m.gw.Up, "up", "down"),
				word(m.gw.AllowAttach, "yes", "no"), m.gw.Bound, m.gw.Active)
		}
		p.line("%s sgsn=%d %s serves=%d seen=%d-%d mode=%s", at, m.nsei, said, m.serves,
			m.least, m.most, strings.ReplaceAll(m.mode(), " ", "-"))
	}
	for _, n := range notes(v) {
		p.line("%s note %s", at, n)
	}
	for _, c := range v.checks {
		if c.failed() {
			p.line("%s FAIL %s: %s", at, c.what, c.note)
		}
	}
	return p.String()
}

// counted lists the counters of a struct that are not zero.
func counted(c any) string {
	var s strings.Builder
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if n := v.Field(i).Uint(); n > 0 {
			fmt.Fprintf(&s, " %s=%d", v.Type().Field(i).Name, n)
		}
	}
	return s.String()
}
