package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shortened is what is put behind a command of the manual, so that it takes no minute; the
// last one of an option counts.
var shortened = []struct{ begins, options string }{
	{"gb", "--duration 300ms --subscribers 1000 --loss 100 --no-pin"},
	{"sustain n2", "--duration 1s --look 200ms --bound 50 --over 0.2 --limit 0.05"},
	{"sustain", "--duration 1s --look 100ms --subscribers 1000 --part 0.1 --over 0.2 --lossy --no-pin"},
	{"start", "--nses 20 --subscribers 1000 --no-pin"},
	{"soak gb", "--duration 2s --look 100ms --subscribers 1000 --part 0.2 --no-pin"},
	{"soak n2", "--duration 2s --look 100ms --part 0.2 --subscribers 1000"},
	{"n2", "--duration 500ms --loss 100"},
	{"bench", "--duration 50ms --rounds 1 --subscribers 1000 --sustain 0 --nses 30 --transport none"},
}

// TestManualLoad runs every "poolgw load" of the manual, for a moment.
func TestManualLoad(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	other := "env " + runAsProgram + "=1 " + poolgw(t).Path + " run"
	begun := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ {4}poolgw load (.+)$`).FindAllStringSubmatch(string(text), -1) {
		args := strings.Fields(m[1])
		i := slices.IndexFunc(shortened, func(s struct{ begins, options string }) bool { return strings.HasPrefix(m[1]+" ", s.begins+" ") })
		if i < 0 {
			t.Errorf("%q: how to shorten it is not known", m[0])
			continue
		}
		begun[shortened[i].begins] = true
		for k := range args {
			if args[k] == "osmo-gbproxy" {
				args[k] = other // not everybody has it
			}
		}
		args = append(args, strings.Fields(shortened[i].options)...)
		t.Run(m[1], func(t *testing.T) {
			run := runLoad
			if slices.Contains(args, "n2") {
				run = func(t *testing.T, args ...string) (string, int) { return runLoadN2Of(t, nil, args...) }
			}
			if out, code := run(t, args...); code != exitOK && !unproven(out, code) {
				t.Errorf("exit status %d\n%s", code, out)
			}
		})
	}
	if len(begun) != len(shortened) {
		t.Errorf("the manual has only %v", begun)
	}
}
