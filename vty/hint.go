package vty

import (
	"fmt"
	"slices"
	"strings"
)

// hint is a line that helps after "% Unknown command.": the range that a value
// is not in, or, in a configuration node, the command with "do" before it, or where
// the command is known. It is "" when nothing is known.
func (s *Session) hint(line string) string {
	words := split(line)
	in, after := s.tree.place(s.Node(), words)
	m := s.matcher()
	nodes := []*node{s.tree.nodes[in]}
	if len(after) == len(words) { // not "do …"
		nodes = s.tried()
	}
	for _, n := range nodes {
		if r := m.missed(n, after); r != nil {
			return r.Error()
		}
	}
	if len(after) < len(words) {
		return ""
	}
	if !s.tree.isConfig(s.Node()) {
		return m.first(s.tree, s.Node(), line, words)
	}
	cmd, _, err := m.match(s.tree.nodes[EnableNode], line, words)
	switch {
	case err != nil:
		return m.elsewhere(s.tree, line, words, "%% (a command of %s)")
	case slices.Contains(modeChanges, strings.Fields(cmd.Syntax)[0]):
		return ""
	}
	return "% (in a configuration node: do " + strings.TrimSpace(line) + ")"
}

// wayIn are the commands that lead from ViewNode to ConfigNode, and where to.
var wayIn = []struct {
	to      Node
	command string
}{{EnableNode, "enable"}, {ConfigNode, "configure terminal"}}

// first tells what to type before a line that a node further in knows.
func (m matcher) first(t *Tree, in Node, line string, words []word) string {
	var typed []string
	for _, step := range wayIn {
		if in == EnableNode && step.to == EnableNode {
			continue
		}
		typed = append(typed, step.command)
		if n := t.nodes[step.to]; n != nil {
			if cmd, _, err := m.match(n, line, words); err == nil && cmd.Syntax != "disable" {
				return "% (first: " + strings.Join(typed, ", ") + ")"
			}
		}
	}
	return ""
}

// shownNodes bounds the list of nodes that know a command.
const shownNodes = 3

// elsewhere words, by format, which configuration nodes know the line; "" when none
// does, or so many that it says little.
func (m matcher) elsewhere(t *Tree, line string, words []word, format string) string {
	var names []string
	for _, n := range t.order {
		if !t.isConfig(n.Name) {
			continue
		}
		if cmd, _, err := m.match(n, line, words); err == nil && cmd.visible(m.expert) {
			names = append(names, strings.TrimPrefix(string(n.Name), "config-"))
		}
	}
	switch {
	case len(names) == 0 || len(names) > shownNodes:
		return ""
	case len(names) == 1:
		return fmt.Sprintf(format, "node "+names[0])
	}
	return fmt.Sprintf(format, "nodes "+strings.Join(names, ", "))
}

// modeChanges are the commands of the enable node that "do" makes no sense with.
var modeChanges = []string{"configure", "disable"}

// tried are the nodes in which an unknown command was looked for.
func (s *Session) tried() (nodes []*node) {
	for depth := len(s.stack); depth > 0; depth-- {
		n := s.tree.nodes[s.stack[depth-1].node]
		nodes = append(nodes, n)
		if n.Name == ConfigNode {
			break
		}
	}
	return nodes
}

// missedRange is a number outside the one range that it could have been in.
type missedRange struct{ word, form string }

func (r *missedRange) Error() string { return fmt.Sprintf("%% %s is not in %s", r.word, r.form) }

// missed returns the range that the first word which fits nothing should have
// been in, or nil.
func (m matcher) missed(n *node, words []word) *missedRange {
	i, terms := m.stuck(n, words)
	if i < 0 {
		return nil
	}
	if _, ok := decimal(words[i].text); !ok {
		return nil
	}
	form := ""
	for _, x := range terms {
		switch {
		case x.kind != number:
		case form != "":
			return nil
		default:
			form = x.text
		}
	}
	if form == "" {
		return nil
	}
	return &missedRange{words[i].text, form}
}

// stuck returns the index of the first word that fits nothing, and what could
// stand in its place; -1 when all fit.
func (m matcher) stuck(n *node, words []word) (at int, terms []*term) {
	paths := n.paths
	for i, w := range words {
		kept, _ := m.keep(paths, i, w.text)
		if len(kept) == 0 {
			return i, m.possible(paths, i)
		}
		paths = kept
	}
	return -1, nil
}

// possible lists what may stand at place i of the paths that a user sees, each
// once.
func (m matcher) possible(paths []*path, i int) (terms []*term) {
	for _, p := range paths {
		if !p.cmd.visible(m.expert) {
			continue
		}
		for _, x := range p.terms(i) {
			if !slices.ContainsFunc(terms, func(y *term) bool { return y.text == x.text }) {
				terms = append(terms, x)
			}
		}
	}
	return terms
}

// shownChoices bounds the list of what would have been possible, in octets.
const shownChoices = 160

// inFile is how a file's error names the node and the word that is not
// understood, and the nodes that know the line; err is what match said.
func (m matcher) inFile(t *Tree, n *node, line string, words []word, err error) error {
	name := strings.TrimPrefix(string(n.Name), "config-")
	switch err {
	case ErrAmbiguous:
		return &lineError{ErrFileAmbiguous, fmt.Sprintf("Ambiguous command in node %s", name)}
	case ErrIncomplete:
		return &lineError{ErrFileIncomplete, fmt.Sprintf("Command incomplete in node %s", name)}
	}
	i, terms := m.stuck(n, words)
	if i < 0 {
		return ErrFileUnknown
	}
	text := fmt.Sprintf("There is no such command in node %s: %s", name, words[i].text)
	if i > 0 {
		text += wouldFit(words[:i], terms)
	} else {
		text += m.elsewhere(t, line, words, " (a command of %s)")
	}
	return &lineError{ErrFileUnknown, text}
}

// wouldFit tells what could have stood behind words.
func wouldFit(words []word, terms []*term) string {
	if len(terms) == 0 {
		return " (the command ends before it)"
	}
	texts := make([]string, len(terms))
	for i, x := range terms {
		texts[i] = x.text
	}
	if list := strings.Join(texts, ", "); len(list) <= shownChoices {
		return " (possible: " + list + ")"
	}
	var before []string
	for _, w := range words {
		before = append(before, w.text)
	}
	return fmt.Sprintf(" (the VTY lists what is possible: %s ?)", strings.Join(before, " "))
}

// lineError is what a line of a file does wrong, with the particulars.
type lineError struct {
	kind Raw
	text string
}

func (e *lineError) Error() string { return e.text }
func (e *lineError) Unwrap() error { return e.kind }
