package vty_test

import (
	"fmt"
	"strings"
	"testing"

	"poolgw/vty"
)

func TestAddPanics(t *testing.T) {
	config := []vty.Node{vty.ConfigNode}
	for _, tt := range []struct {
		name string
		c    vty.Command
		want string
	}{
		{"help missing", cmd(config, "a <0-9>", "A"), "1 help strings for 2 words: a, <0-9>"},
		{"help surplus", cmd(config, "a (b|c)", "A", "B", "C", "Choice"), "4 help strings for 3 words: a, b, c"},
		{"help empty", cmd(config, "a b", "A", " "), "help of b is empty"},
		{"nothing documents the empty alternative", cmd(config, "a (8|) WORD", "A", "8", "none", "W"), "4 help strings for 3 words: a, 8, WORD"},
		{"no node", cmd(nil, "a", "A"), "no node"},
		{"unknown node", cmd([]vty.Node{"config-nowhere"}, "a", "A"), `no node "config-nowhere"`},
		{"no function", vty.Command{Nodes: config, Syntax: "a", Help: []string{"A"}}, "no function"},
		{"twice", cmd(config, "title WORD", "Title", "Text"), "has it already"},
		{"as built in", cmd(config, "write", "Write"), "has it already"},
		{"empty", cmd(config, ""), "empty or has surplus spaces"},
		{"two spaces", cmd(config, "a  b", "A", "B"), "surplus spaces"},
		{"value first", cmd(config, "WORD", "W"), "begins with a keyword"},
		{"optional first", cmd(config, "[a]", "A"), "begins with a keyword"},
		{"rest not last", cmd(config, "a .TEXT b", "A", "T", "B"), ".TEXT must be the last word"},
		{"rest in a choice", cmd(config, "a (b|.TEXT)", "A", "B", "T"), "can't be in a choice"},
		{"choice of one", cmd(config, "a (b)", "A", "B"), "no alternatives"},
		{"choice of the same", cmd(config, "a (b|b)", "A", "B", "B"), "twice"},
		{"optional twice", cmd(config, "a [(b|)]", "A", "B"), "optional twice"},
		{"many optionals", cmd(config, "a [b] [c] [d] [e] [f] [g] [h]", "A", "B", "C", "D", "E", "F", "G", "H"), "more than 6 optional"},
		{"range upside down", cmd(config, "a <9-0>", "A", "N"), "<9-0> is no range"},
		{"range too large", cmd(config, "a <0-99999999999999999999>", "A", "N"), "is no range"},
		{"mixed case", cmd(config, "a Word", "A", "W"), "neither keyword nor value"},
		{"open bracket", cmd(config, "a [b", "A", "B"), "neither keyword nor value"},
		{"half a range", cmd(config, "a <0-", "A", "N"), "neither keyword nor value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantPanic(t, tt.want, func() { demoTree().Add(tt.c) })
		})
	}
}

func TestNodePanics(t *testing.T) {
	for _, tt := range []struct {
		d    vty.NodeDef
		want string
	}{
		{vty.NodeDef{Name: "config-x", Parent: "config-y"}, "no configuration node"},
		{vty.NodeDef{Name: "x", Parent: vty.EnableNode}, "no configuration node"},
		{vty.NodeDef{Name: portNode}, "exists already"},
		{vty.NodeDef{}, "has no name"},
	} {
		wantPanic(t, tt.want, func() { demoTree().Node(tt.d) })
	}
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q in it", got, want)
		}
	}()
	f()
}

// A node without a parent is one of ConfigNode; its commands may have all
// optional words that are allowed.
func TestNodeDefaults(t *testing.T) {
	r := newRoom()
	r.tree.Node(vty.NodeDef{Name: "config-x", Prompt: "(config-x)"})
	r.tree.Add(entering([]vty.Node{vty.ConfigNode}, "config-x", "x WORD", "X", "Name"),
		cmd([]vty.Node{"config-x"}, "a [b] [c] [d] [e] [f] [G]", "A", "B", "C", "D", "E", "F", "G"))
	var b strings.Builder
	s, _ := r.open(&b)
	for _, l := range []string{"enable", "configure", "x y", "a b d f 7", "a c", "exit"} {
		s.Execute(l)
	}
	const want = `ran x WORD with ["y"]
ran a [b] [c] [d] [e] [f] [G] with ["b" "" "d" "" "f" "7"] in config-x y
ran a [b] [c] [d] [e] [f] [G] with ["" "c" "" "" "" ""] in config-x y
`
	if b.String() != want || s.Node() != vty.ConfigNode {
		t.Errorf("node %s after\n%s", s.Node(), b.String())
	}
}
