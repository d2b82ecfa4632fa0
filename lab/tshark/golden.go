package tshark

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
)

// Golden is a captured PDU and what tshark showed of it then.
type Golden struct {
	Octets []byte
	Fields map[string]string // by field name, several values joined by ","
}

// ReadGolden reads a file of captured PDUs: a line for each, hex octets and
// then FIELD=VALUE words, and lines that begin with "#" about where they come
// from.
func ReadGolden(t testing.TB, file string) (all []Golden) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		g := Golden{Fields: map[string]string{}}
		if g.Octets, err = hex.DecodeString(words[0]); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			g.Fields[name] = value
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no PDU", file)
	}
	return all
}

// StillShows asks the tshark that is installed for the same fields; wrap makes
// the NS PDU around the octets. Tests skip without tshark.
func StillShows(t testing.TB, all []Golden, wrap func(Golden) []byte) {
	t.Helper()
	var names []string
	var pdus [][]byte
	for _, g := range all {
		pdus = append(pdus, wrap(g))
		for name := range g.Fields {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, f := range Dissect(t, pdus, names...) {
		if f.Malformed {
			t.Errorf("%x: malformed to tshark: %s", all[i].Octets, f.Expert)
		}
		for name, want := range all[i].Fields {
			if got := f.Field(name); got != want {
				t.Errorf("%x: tshark shows %s %q, and %q when captured", all[i].Octets, name, got, want)
			}
		}
	}
}

// Compare checks what a decoder says against what tshark showed: got is called
// with each field's name. Every field must be known to it, so that none goes
// unchecked.
func (g Golden) Compare(t testing.TB, got func(field string) string) {
	t.Helper()
	for name, want := range g.Fields {
		if v := got(name); v != want {
			t.Errorf("%x: %s is %q, tshark shows %q", g.Octets, name, v, want)
		}
	}
}
