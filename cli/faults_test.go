package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// deliberate are the lines of the transcript "faults" that poolgw answers in
// another way than osmo-gbproxy, and why.
var deliberate = map[string]string{
	"nri null add 99":      "the warning is printed once",
	"nri null add 7 3":     "the error is printed once",
	"no sgsn nsei 101":     "members can be removed",
	"no sgsn nsei 65534":   "members can be removed",
	"listen 999.1.1.1 1":   "what is no address is no command",
	"listen 127.0.0.55 80": "a bind can move",
	"login":                "a note says that there is no password",
	"write":                "what would not start is not saved",
	"write memory":         "what would not start is not saved",
	"show running-config":  "poolgw's own settings, and what was answered otherwise",
	"show startup-config":  "it was not written",
	"do show nri all":      "what was answered otherwise",
}

// further are lines that poolgw adds behind an answer of osmo-gbproxy's.
var further = regexp.MustCompile(`(?m)^% (\S+ is not in <.*>|\((in a configuration node: |first: |a command of ).*\)|the first value is greater than the last|Note: .*)\n`)

// exchange is a typed line and what came.
type exchange struct{ line, answer string }

func exchanges(text, host string) []exchange {
	prompt := regexp.MustCompile(`^(.*?)` + host + `(\([a-z-]+\))?[#>] ?(.*)$`)
	var out []exchange
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		m := prompt.FindStringSubmatch(l)
		switch {
		case m == nil && len(out) > 0:
			out[len(out)-1].answer += l + "\n"
		case m != nil:
			if m[1] != "" && len(out) > 0 {
				out[len(out)-1].answer += m[1] + "\n"
			}
			out = append(out, exchange{line: m[3]})
		}
	}
	return out
}

// TestFaultsAsInOsmoGbproxy compares our transcript of faults with what
// osmo-gbproxy answered to the same lines, where that is at hand.
// Facts: G4-20, G11-13
func TestFaultsAsInOsmoGbproxy(t *testing.T) {
	theirs, err := os.ReadFile("../../shared/gb/errors.txt")
	if err != nil {
		t.Skip("what osmo-gbproxy answers is not here")
	}
	a, err := txtar.ParseFile("testdata/transcripts/faults.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := exchanges(string(theirs), "OsmoGbProxy")
	got := exchanges(string(part(a, "session")), "PoolGW")[1:] // after "enable"
	compared, j := 0, 0
	for _, w := range want {
		if w.line == "" {
			continue // the prompt at the end
		}
		if j == len(got) {
			t.Fatalf("our transcript ends before %q", w.line)
		}
		g := got[j]
		j++
		if _, ok := deliberate[w.line]; ok {
			continue
		}
		g.answer = further.ReplaceAllString(g.answer, "")
		if d := cmp.Diff(w, g, cmp.AllowUnexported(exchange{})); d != "" {
			t.Errorf("(-osmo-gbproxy +poolgw)\n%s", d)
		}
		compared++
	}
	if compared < 60 {
		t.Errorf("only %d lines were compared", compared)
	}
}
