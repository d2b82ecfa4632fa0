package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/n2"
	"poolgw/ns"
	"poolgw/vty"
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
		{"show nri nsei 101 json", map[string]any{"nsei": 101, "name": "SGSN01", "nri": "1-511"}},
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
		{"show timer json", s.Timers},
		{"show timer pool json", s.Timers[gb.TimerPaging:]},
		{"show nri json", []map[string]any{{"nsei": 101, "name": "SGSN01", "nri": "1-511"}}},
		{"show nri all json", []map[string]any{{"nsei": 101, "name": "SGSN01", "nri": "1-511"}}},
		{"show subscriber tlli c0000001 json", answer},
	} {
		out.Reset()
		if err := b.Exec(c.command); err != nil {
			t.Errorf("%s: %v", c.command, err)
			continue
		}
		if d := cmp.Diff(decode(t, mustJSON(t, filled(c.want))), decode(t, out.Bytes())); d != "" {
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
	s.Pool.Reasons = map[string]uint64{}
	for _, r := range []string{"nri", "overlap_second", "null_nri", "unowned", "owner_down", "hold", "no_nri", "no_member"} {
		s.Pool.Reasons[r] = 999999999999
	}
	s.Cells = []gb.CellState{{BVCI: 65534, RAI: "262-042-65535-255", CI: 65535, BSS: 65534, SGSNs: []uint16{1, 2, 3, 4, 5, 6, 7, 8, 9, 65534}}}
	s.Pool.Null, s.Pool.NullByPLMN = "0,5-7", map[string]string{"262-42": "32000-32767", "001-001": "7", "310-410": "1,3,5,7,9", "901-70": "32767"}
	for range 2 {
		s.Pool.SGSNs = append(s.Pool.SGSNs, gb.SGSNState{NSEI: 65534, Name: strings.Repeat("N", 40), Since: now.Add(-999 * time.Hour),
			Weight: 65535, Bound: 9999999, Active: 9999999, LastSeen: now.Add(-99 * time.Hour), DrainedSince: now.Add(-999 * time.Hour),
			NRI: strings.Repeat("1-2,", 30)})
	}
	var w writer
	textPool(&w, s, nil)
	textDrain(&w, s, nil)
	textCells(&w, s, nil)
	for i, d := range gb.TimerDefs {
		s.Timers = append(s.Timers, gb.TimerState{Group: d.Group, Name: d.Name, Value: d.Max, Unit: d.Unit, Default: d.Default,
			Min: d.Min, Max: d.Max, Doc: gb.TimerDefs[gb.NumTimers-1-gb.Timer(i)].Doc})
	}
	for _, d := range ns.TimerDefs {
		s.Timers = append(s.Timers, gb.TimerState{Group: "ns", Name: d.Name, Value: 65535, Unit: "s", Max: 65535, Doc: d.Doc})
	}
	(&program{}).textTimers(&w, s, nil)
	(&program{Env: Env{Store: config.NewStore(config.Config{N2: n2.Default()}, time.Now)}}).textTimers(&w, s, vty.Args{ngapTimers})
	s.Limits = gb.Limits{DynamicNSEs: 65536, Subscribers: 1 << 28, CacheEntries: 1 << 28, QueueLength: 1 << 20}
	s.Evicted = map[string]uint64{"activity": 999999999}
	textLimits(&w, &bothStates{gb: *s}, nil)
	for line := range strings.Lines(w.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, part := range []string{"show nri all", " overlap_second 999999999999  it owns the NRI", "SGSN NSEI     2,     3"} {
		if !strings.Contains(w.String(), part) {
			t.Errorf("%q is missing:\n%s", part, w.String())
		}
	}
	if !strings.Contains(w.String(), "stimate") {
		t.Error("nothing says that the numbers are estimates")
	}
}

// Every json form is valid for a gateway that has nothing, never null, and all
// its keys are in snake_case.
func TestJSONOfNothing(t *testing.T) {
	key, null := regexp.MustCompile(`"([^"]+)":`), regexp.MustCompile(`\bnull\b`)
	for _, empty := range []bool{true, false} {
		var out bytes.Buffer
		b := newBench(t, benchN2, &out)
		b.gw.empty, b.n2.empty = empty, empty
		if err := b.Exec("list"); err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split(out.String(), "\n") {
			if c = strings.TrimSpace(c); !strings.HasPrefix(c, "show ") || !strings.HasSuffix(c, " json") {
				continue
			}
			out.Reset()
			line := strings.NewReplacer("(bss|sgsn)", "bss", "(global|peer|subscriber)", "peer", "instances NAME", "instances BSSGP-BVC", "(nsei|nsvc)", "nsei", "(bssgp|pool|ns|ngap)", "ngap", "<0-65535>", "101", "(tlli|ptmsi|tmsi|imsi) ID", "tlli c0000001",
				"MCC MNC", "262 42", "<1-254>", "1", "5g-s-tmsi ID", "5g-s-tmsi 0041c0000001", "gnb ID", "gnb 262-42-1").Replace(c)
			if err := b.Exec(line); err != nil {
				if !empty || !strings.Contains(line, "nsei 101") && !strings.Contains(line, "amf 1") && !strings.Contains(line, "gnb 262") {
					t.Errorf("%s: %v", line, err)
				}
				continue
			}
			decode(t, out.Bytes())
			if null.MatchString(out.String()) {
				t.Errorf("%s has a null:\n%s", line, &out)
			}
			for _, k := range key.FindAllStringSubmatch(out.String(), -1) {
				if strings.ToLower(k[1]) != k[1] || strings.ContainsAny(k[1], "- ") {
					t.Errorf("%s: key %q is not in snake_case", line, k[1])
				}
			}
		}
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
