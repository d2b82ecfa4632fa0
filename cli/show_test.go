package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolgw/gb"
)

// TestJSONIsTheSnapshot asserts that each json form is the part of the snapshot
// that its text form shows.
func TestJSONIsTheSnapshot(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchConfig, &out)
	s, _ := b.gw.Snapshot(context.Background())
	sgsns := []gb.BSSState{{NSEI: 101, Alive: true, BVCs: s.Pool.SGSNs[0].BVCs}}
	answer, _ := b.gw.Subscriber(gb.Query{TLLI: new(uint32)})
	for _, c := range []struct {
		command string
		want    any
	}{
		{"show pool json", s.Pool},
		{"show nri nsei 101 json", s.Pool.SGSNs[0]},
		{"show gbproxy bvc bss json", s.BSSs},
		{"show gbproxy bvc bss nsei 2001 json", s.BSSs},
		{"show gbproxy bvc bss nsei 7 json", []int{}},
		{"show gbproxy bvc sgsn json", sgsns},
		{"show gbproxy bvc json", map[string]any{"bss": s.BSSs, "sgsn": sgsns}},
		{"show gbproxy cell json", s.Cells},
		{"show gbproxy cell nsei 101 json", s.Cells},
		{"show gbproxy tlli-cache json", s.TLLIs},
		{"show gbproxy imsi-cache json", s.IMSIs},
		{"show gbproxy drops json", s.Drops},
		{"show ns json", s.NS},
		{"show ns binds json", s.NS.Binds},
		{"show ns entities json", s.NS.NSEs},
		{"show ns persistent json", s.NS.NSEs[:2]},
		{"show ns nsei 101 json", s.NS.NSEs[0]},
		{"show ns nsvc 101 json", s.NS.NSEs[0].VCs[0]},
		{"show drain json", []int{}},
		{"show nri json", []map[string]any{{"nsei": 101, "name": "SGSN01", "nri": "1-511"}}},
		{"show nri all json", []map[string]any{{"nsei": 101, "name": "SGSN01", "nri": "1-511"}}},
		{"show subscriber tlli c0000001 json", answer},
	} {
		out.Reset()
		if err := b.Exec(c.command); err != nil {
			t.Errorf("%s: %v", c.command, err)
			continue
		}
		if d := cmp.Diff(decode(t, mustJSON(t, c.want)), decode(t, out.Bytes())); d != "" {
			t.Errorf("%s (-snapshot +shown):\n%s", c.command, d)
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestWidth asserts that poolgw's own shows fit 80 columns, with the largest
// figures and longest names.
func TestWidth(t *testing.T) {
	s := &gb.Snapshot{Time: now, Pool: gb.PoolState{BitLen: 15, ActivityWindow: 24 * time.Hour}}
	s.Pool.Reasons = map[string]uint64{strings.Repeat("x", 28): 1 << 62}
	for range 2 {
		s.Pool.SGSNs = append(s.Pool.SGSNs, gb.SGSNState{NSEI: 65534, Name: strings.Repeat("N", 40), Since: now.Add(-999 * time.Hour),
			Weight: 65535, Bound: 9999999, Active: 9999999, LastSeen: now.Add(-99 * time.Hour), DrainedSince: now.Add(-999 * time.Hour),
			NRI: strings.Repeat("1-2,", 30)})
	}
	var w writer
	textPool(&w, s, nil)
	textDrain(&w, s, nil)
	for line := range strings.Lines(w.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(w.String(), "stimate") {
		t.Error("nothing says that the numbers are estimates")
	}
}

func TestSince(t *testing.T) {
	for _, c := range []struct {
		d          time.Duration
		long, show string
	}{
		{0, "0d 0h 0m 0s", "0s"},
		{-time.Second, "0d 0h 0m 0s", "0s"},
		{119 * time.Second, "0d 0h 1m 59s", "119s"},
		{2 * time.Minute, "0d 0h 2m 0s", "2m"},
		{26*time.Hour + 61*time.Second, "1d 2h 1m 1s", "26h"},
		{72 * time.Hour, "3d 0h 0m 0s", "3d"},
	} {
		if got := since(now, now.Add(-c.d)); got != c.long {
			t.Errorf("since %v: %s, want %s", c.d, got, c.long)
		}
		if got := ago(now, now.Add(-c.d)); got != c.show {
			t.Errorf("ago %v: %s, want %s", c.d, got, c.show)
		}
	}
}
