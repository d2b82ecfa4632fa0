package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolgw/vty"
)

func stringReader(s string) io.Reader { return strings.NewReader(s) }

const benchConfig = `
log stderr
stats reporter statsd
sgsn nsei 101
 name SGSN01
 nri add 1 511
ns
 bind udp core
  listen 127.0.0.1 23000
 nse 101
  nsvc udp core 127.0.0.10 23000
`

// nodeEntries are the lines that lead from the view node to a node.
var nodeEntries = map[string][]string{
	"view":             nil,
	"enable":           {"enable"},
	"enable_expert":    {"enable expert-mode"},
	"config":           {"enable", "configure terminal"},
	"config-line":      {"enable", "configure terminal", "line vty"},
	"config-log":       {"enable", "configure terminal", "log stderr"},
	"config-stats":     {"enable", "configure terminal", "stats reporter statsd"},
	"config-ctrl":      {"enable", "configure terminal", "ctrl"},
	"config-cpu-sched": {"enable", "configure terminal", "cpu-sched"},
	"config-gbproxy":   {"enable", "configure terminal", "gbproxy"},
	"config-sgsn":      {"enable", "configure terminal", "sgsn nsei 101"},
	"config-ns":        {"enable", "configure terminal", "ns"},
	"config-ns_expert": {"enable expert-mode", "configure terminal", "ns"},
	"config-ns-bind":   {"enable", "configure terminal", "ns", "bind udp core"},
	"config-ns-nse":    {"enable", "configure terminal", "ns", "nse 101"},
	"config-ngap":      {"enable", "configure terminal", "ngap"},
	"config-ngap-bind": {"enable", "configure terminal", "ngap", "bind ran"},
	"config-amf":       {"enable", "configure terminal", "amf 1"},
}

// parseErrors are what a line can be refused with for its words.
var parseErrors = []error{vty.ErrUnknown, vty.ErrAmbiguous, vty.ErrIncomplete}

// TestCommandsParse types every command of osmo-gbproxy's nodes: in each of its
// forms it must be understood, whatever it then says.
// Facts: G11-19
func TestCommandsParse(t *testing.T) {
	files, err := filepath.Glob("testdata/commands/*.txt")
	if err != nil || len(files) != len(nodeEntries) {
		t.Fatalf("%d lists for %d nodes, %v", len(files), len(nodeEntries), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		t.Run(name, func(t *testing.T) {
			b := newBench(t, benchConfig, io.Discard)
			for _, syntax := range lines(t, f) {
				for _, line := range forms(syntax) {
					typeLine(t, b, name, line)
				}
			}
		})
	}
}

func typeLine(t *testing.T, b *bench, node, line string) {
	t.Helper()
	s := vty.NewSession(b.tree, b.term)
	defer s.Close()
	for _, entry := range nodeEntries[node] {
		if err := s.Exec(entry); err != nil {
			t.Fatalf("%s: %v", entry, err)
		}
	}
	if err := s.Exec(line); slices.ContainsFunc(parseErrors, func(e error) bool { return errors.Is(err, e) }) {
		t.Errorf("%s: %v", line, err)
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// forms makes lines of a syntax: the first and the last of each choice and
// range, with all its optional words and with none.
func forms(syntax string) []string {
	words := strings.Fields(syntax)
	seen := map[string]bool{}
	var out []string
	for _, full := range []bool{false, true} {
		for _, last := range []bool{false, true} {
			var line []string
			for _, w := range words {
				if opt, ok := strings.CutPrefix(w, "["); ok {
					if !full {
						continue
					}
					w = strings.TrimSuffix(opt, "]")
				}
				if v := value(w, last); v != "" {
					line = append(line, v)
				}
			}
			if l := strings.Join(line, " "); !seen[l] {
				seen[l] = true
				out = append(out, l)
			}
		}
	}
	return out
}

func value(w string, last bool) string {
	if alts, ok := strings.CutPrefix(w, "("); ok {
		list := strings.Split(strings.TrimSuffix(alts, ")"), "|")
		w = list[0]
		if last {
			w = list[len(list)-1]
		}
	}
	if r, ok := strings.CutPrefix(w, "<"); ok {
		lo, hi, _ := strings.Cut(strings.TrimSuffix(r, ">"), "-")
		if last {
			return hi
		}
		return lo
	}
	switch {
	case w == "":
	case w == "A.B.C.D":
		return "127.0.0.9"
	case w == "X:X::X:X":
		return "::1"
	case strings.HasPrefix(w, "."):
		return "some words"
	case w == "CPUHEXMASK":
		return "0x3"
	case w == strings.ToUpper(w) && strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return "word"
	}
	return w
}

// leftOut have no meaning in poolgw: its memory and its state machines are not
// libosmocore's.
var leftOut = []string{"show talloc-context ", "show fsm NAME", "show fsm all", "show fsm-state-graph "}

// TestCommandListsAreWhole compares our lists with the interface's description,
// where that is at hand.
// Facts: G11-19
func TestCommandListsAreWhole(t *testing.T) {
	dir := "../../shared/gb/vty-commands"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the lists of osmo-gbproxy's commands are not here")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	for _, f := range files {
		ours := lines(t, filepath.Join("testdata/commands", filepath.Base(f)))
		for _, l := range lines(t, f) {
			out := slices.ContainsFunc(leftOut, func(p string) bool { return strings.HasPrefix(l, p) })
			if !out && !slices.Contains(ours, l) {
				t.Errorf("%s: %s is in no list of ours", filepath.Base(f), l)
			}
		}
	}
}

// withoutNo have no "no" form: they begin a node that is always there, or undo
// each other.
var withoutNo = []string{"line vty", "ctrl", "cpu-sched", "limits", "gbproxy", "network", "ns", "nri add", "nri del",
	"nri null", "enable", "disable", "logging filter all", "logging color", "logging timestamp", "logging print",
	"logging level", "sgsn", "drain", "undrain"}

// TestEverySettingCanBeUndone looks for the "no" form of each setting.
func TestEverySettingCanBeUndone(t *testing.T) {
	p := newProgram(Env{})
	undo := map[vty.Node][]string{}
	var settings []vty.Command
	for _, c := range slices.Concat(p.hostCommands(), p.lineCommands(), p.logCommands(), p.statsCommands(), p.ctrlCommands(),
		p.cpuSchedCommands(), p.metricsCommands(), p.limitsCommands(), p.gbproxyCommands(), p.sgsnCommands(), p.nsCommands(),
		p.nsBindCommands(), p.nseCommands(), p.ngapCommands(), p.ngapBindCommands(), p.amfCommands()) {
		if rest, ok := strings.CutPrefix(c.Syntax, "no "); ok {
			for _, n := range c.Nodes {
				undo[n] = append(undo[n], rest)
			}
		} else if !strings.HasPrefix(c.Syntax, "show ") {
			settings = append(settings, c)
		}
	}
	if len(settings) < 90 {
		t.Errorf("only %d settings", len(settings))
	}
	for _, c := range settings {
		if slices.ContainsFunc(withoutNo, func(w string) bool { return strings.HasPrefix(c.Syntax+" ", w+" ") }) {
			continue
		}
		for _, n := range c.Nodes {
			if !slices.ContainsFunc(undo[n], func(u string) bool { return sameSetting(c.Syntax, u) }) {
				t.Errorf("%s: %s has no \"no\" form", n, c.Syntax)
			}
		}
	}
}

// sameSetting tells whether two syntaxes begin with the same keywords, as many
// as the shorter has.
func sameSetting(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	for i := range min(len(x), len(y)) {
		if x[i] != strings.ToLower(x[i]) || strings.ContainsAny(x[i], "<([") || strings.ContainsAny(y[i], "<([") {
			break
		}
		if x[i] != y[i] {
			return false
		}
	}
	return x[0] == y[0]
}
