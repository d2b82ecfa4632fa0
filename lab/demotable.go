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

// table is the whole view, at most 80 columns wide.
func table(v *view) string {
	var p page
	p.line("%s  %d subscribers: %s", clock(v.elapsed), v.subscribers(), counts(v.states))
	p.WriteByte('\n')
	memberTable(&p, v)
	p.WriteByte('\n')
	bssTable(&p, v)
	p.WriteByte('\n')
	m := &v.ms
	p.line("echoes: %d sent, %d answered, %d lost, %d interrupted", m.Sent, m.Echoed, m.Lost, m.Interrupted)
	p.line("attaches %d, updates %d (%d rejected), moves %d, suspensions %d", m.Attaches, m.RAUs, m.RAURejects, m.Moves, m.Suspends)
	p.line("dropped by the gateway: %s", counts(v.drops))
	p.WriteByte('\n')
	checkTable(&p, v)
	return p.String()
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
		p.line("%5d   %-5s %-6s %6d %6d   %6d %7s %7d %8d  %s", m.gw.NSEI, word(m.gw.Up, "up", "down"),
			word(m.gw.AllowAttach, "yes", "no"), m.gw.Bound, m.gw.Active, m.serves,
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
		head += fmt.Sprintf(" %6d", m.gw.NSEI)
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
		switch {
		case c.holds:
			p.line("  ok    %s", c.what)
		case c.failed():
			p.line("  FAIL  %s: %s", c.what, c.note)
		default:
			p.line("  ...   %s: %s (%ds)", c.what, c.note, int(c.since/time.Second))
		}
	}
}

// plainLines is the view as one line for the whole and one for each SGSN.
func plainLines(v *view) string {
	var p page
	p.line("%s registered=%d/%d sent=%d answered=%d lost=%d interrupted=%d check=%s", clock(v.elapsed), v.registered(),
		v.subscribers(), v.ms.Sent, v.ms.Echoed, v.ms.Lost, v.ms.Interrupted, word(v.holds(), "ok", "FAIL"))
	for i := range v.members {
		m := &v.members[i]
		p.line("%s sgsn=%d state=%s attach=%s bound=%d active=%d serves=%d seen=%d-%d mode=%s", clock(v.elapsed), m.gw.NSEI,
			word(m.gw.Up, "up", "down"), word(m.gw.AllowAttach, "yes", "no"), m.gw.Bound, m.gw.Active, m.serves,
			m.least, m.most, m.mode())
	}
	for _, c := range v.checks {
		if c.failed() {
			p.line("%s FAIL %s: %s", clock(v.elapsed), c.what, c.note)
		}
	}
	return p.String()
}

// summary is the last word; when the cross-check does not hold, with all that
// the simulators counted.
func summary(v *view) string {
	if v.holds() {
		return fmt.Sprintf("After %s the gateway's figures and the simulators' truth agree.\n", clock(v.elapsed))
	}
	var p page
	p.line("After %s the cross-check does NOT hold; see FAIL above. What was counted:", clock(v.elapsed))
	p.line("subscribers:%s", counted(v.ms))
	for _, m := range v.members {
		p.line("SGSN %d:%s", m.gw.NSEI, counted(m.truth.SGSN))
	}
	for _, b := range v.bsss {
		p.line("BSS %d:%s", b.truth.NSEI, counted(b.truth.BSS))
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
