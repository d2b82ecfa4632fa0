package lab

import (
	"strings"
	"testing"
	"time"
)

// aScreenView is aView with four BSSs, as the demonstration has by default.
func aScreenView(t *testing.T) (*view, *plan) {
	t.Helper()
	v := aView()
	v.bsss, v.cells = append(v.bsss, v.bsss...), append(v.cells, v.cells...)
	for state := range v.states {
		v.states[state] *= 2
	}
	(&demo{differs: map[string]time.Time{}}).compare(v)
	o, err := Options{GatewayBinary: "x"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.remove() })
	return v, p
}

// What a terminal shows by its size, and what it never goes without.
func TestScreenFits(t *testing.T) {
	v, p := aScreenView(t)
	v.members[0].drainedFor, v.members[0].emptyFor, v.members[0].serves = 30*time.Second, 12*time.Second, 0
	v.checks[7].holds, v.checks[7].note = false, "1 echoes were overtaken"
	for _, c := range []struct {
		rows, columns int
		has, not      []string
	}{
		{60, 120, []string{"watch SGSN 101 empty", "\n\n", "attaches 1100", " 2001 ", "echoes:", "ok    every PDU could be read"}, []string{"checks hold"}},
		{24, 80, []string{"no allow-attach", "attaches 1100", " 2001 ", "echoes:", "8 of 9 checks hold", "serves nobody since 12 s"}, []string{"watch SGSN", "ok    every PDU"}},
		{16, 80, []string{"echoes:", "FAIL  user data stayed in order"}, []string{" 2001 ", "attaches", "\n\n", "no allow"}},
		{12, 40, []string{"FAIL  user data"}, []string{"echoes:"}},
	} {
		rows := screen(v, p, c.rows, c.columns)
		text := strings.Join(rows, "\n")
		if len(rows) > c.rows {
			t.Errorf("%d rows on %d", len(rows), c.rows)
		}
		for _, l := range rows {
			if len(l) > c.columns {
				t.Errorf("%d columns on %d: %s", len(l), c.columns, l)
			}
		}
		for _, w := range append(c.has, "telnet 127.0.0.1 "+p.vtyPort, "00:01:23", "  101   up", "  103   up") {
			if !strings.Contains(text, w) {
				t.Errorf("%dx%d lacks %q:\n%s", c.rows, c.columns, w, text)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%dx%d has %q:\n%s", c.rows, c.columns, w, text)
			}
		}
	}
}

// The table is drawn anew when the terminal changes.
func TestRedrawnOnResize(t *testing.T) {
	v, p := aScreenView(t)
	var out strings.Builder
	rows := 24
	d := &demo{plan: p, opt: Options{Out: &out, IsTerminal: true, Size: func() (int, int) { return rows, 80 }}}
	d.draw(v)
	if n := strings.Count(out.String(), "\n"); n >= 24 || !strings.HasSuffix(out.String(), "\x1b[J") {
		t.Errorf("%d line ends on 24 rows", n)
	}
	out.Reset()
	rows = 10
	d.draw(v)
	if n := strings.Count(out.String(), "\n"); n >= 10 {
		t.Errorf("%d line ends on 10 rows", n)
	}
	rows = 0
	if r, c := d.size(); r != 24 || c != 80 {
		t.Errorf("unknown size taken for %dx%d", r, c)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"", 10, 2, ""},
		{"one two", 7, 2, "one two"},
		{"one two three", 8, 2, "one two\n  three"},
		{"  ok    one two three", 13, 8, "  ok    one\n        two\n        three"},
		{"averylongwordindeed and more", 8, 0, "averylongwordindeed\nand more"},
		{"averylongwordindeed", 8, 0, "averylongwordindeed"},
	} {
		if got := strings.Join(wrap(c.text, c.width, c.indent), "\n"); got != c.want {
			t.Errorf("wrap(%q, %d, %d) = %q, want %q", c.text, c.width, c.indent, got, c.want)
		}
	}
	_, p := aScreenView(t)
	for _, l := range strings.Split(p.intro(80), "\n") {
		if len(l) > 80 {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
}

// The last word claims no more than was judged.
func TestVerdictOnWhatWasJudged(t *testing.T) {
	v := aView()
	v.states = map[string]int{"registered": 607, "attaching": 393}
	(&demo{differs: map[string]time.Time{}}).compare(v)
	if s := oneLine(summary(v)); !v.holds() || strings.Contains(s, "agree") ||
		!strings.Contains(s, "8 hold; not judged yet: the subscribers are registered.") {
		t.Errorf("holds=%t: %s", v.holds(), s)
	}
	v = aView()
	v.states, v.bssCut = map[string]int{"registered": 0, "attaching": 1000}, "the gateway does not listen"
	(&demo{differs: map[string]time.Time{"the subscribers are registered": time.Now().Add(-time.Hour)}}).compare(v)
	if s := table(v); !v.holds() || !strings.Contains(oneLine(summary(v)), "8 hold; not judged, by what the operator did: the subscribers are registered.") ||
		!strings.Contains(s, "--    the subscribers are registered: not judged, the gateway does not listen") {
		t.Errorf("holds=%t:\n%s", v.holds(), s)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestDrainIsTold(t *testing.T) {
	for _, c := range []struct {
		drained, empty time.Duration
		bound, serves  int
		want           string
	}{
		{0, 0, 12, 7, ""},
		{3 * time.Second, 0, 12, 7, "SGSN 101 empties since 3 s and serves 7 still"},
		{30 * time.Second, 12 * time.Second, 12, 0, "SGSN 101 serves nobody since 12 s; the gateway's estimate follows within its activity window of 1 min"},
		{90 * time.Second, 70 * time.Second, 0, 0, ""},
	} {
		m := member{nsei: 101, drainedFor: c.drained, emptyFor: c.empty, serves: c.serves, gw: gwSGSN{Bound: c.bound}}
		if got := m.drain(time.Minute); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
