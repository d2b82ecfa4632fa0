package vty

import (
	"fmt"
	"slices"
	"strings"
)

// Completion is what TAB makes of a line.
type Completion struct {
	// Line is the line with what is certain added: a unique word with a space
	// behind it, or the common beginning of several. It equals the given line
	// when nothing can be added; otherwise it always begins with it.
	Line string
	// Choices are the keywords that could stand there, when it is not certain
	// which: several, or one beside values. They are to be shown only when Line
	// adds nothing.
	Choices []string
}

// Complete returns what TAB makes of line, typed in a node up to the cursor.
// Values (WORD, <0-9>, addresses) complete to nothing.
func (t *Tree) Complete(in Node, expert bool, line string) Completion {
	words, last := splitAtCursor(line)
	in, words = t.place(in, words)
	m := matcher{abbrev: true, expert: expert}
	for n := t.nodes[in]; n != nil; n = t.fallback(n, words, last) {
		paths, err := m.narrow(n, words)
		if err == ErrUnknown {
			continue
		}
		if err == ErrAmbiguous { // a parent may have it written out
			m.abbrev = false
			continue
		}
		c, values := choices(paths, m, len(words), last.text)
		switch {
		case values && last.text == "":
			return Completion{Line: line, Choices: c}
		case err != nil || values || len(c) > 0:
			return complete(line, last.text, c)
		}
	}
	return Completion{Line: line}
}

// choices are the keywords that may stand at place i and begin with w; values
// tells that a value may.
func choices(paths []*path, m matcher, i int, w string) (c []string, values bool) {
	for _, p := range paths {
		if !p.cmd.visible(m.expert) {
			continue
		}
		for _, x := range p.terms(i) {
			switch {
			case !x.couldBecome(w) || slices.Contains(c, x.text):
			case x.kind == keyword:
				c = append(c, x.text)
			default:
				values = true
			}
		}
	}
	return c, values
}

func complete(line, last string, c []string) Completion {
	switch len(c) {
	case 0:
		return Completion{Line: line}
	case 1:
		return Completion{Line: line + c[0][len(last):] + " "}
	}
	common := c[0]
	for _, w := range c[1:] {
		common = commonPrefix(common, w)
	}
	return Completion{Line: line + common[len(last):], Choices: c}
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// place applies "do": after it, a configuration node's line is one of EnableNode.
func (t *Tree) place(in Node, words []word) (Node, []word) {
	if len(words) > 0 && words[0].text == "do" && t.isConfig(in) {
		return EnableNode, words[1:]
	}
	return in, words
}

// fallback is the node where the line is tried next: the parent, up to
// ConfigNode, unless nothing has been typed yet.
func (t *Tree) fallback(n *node, words []word, last word) *node {
	if len(words) == 0 && last.text == "" || !t.isConfig(n.Parent) {
		return nil
	}
	return t.nodes[n.Parent]
}

// columnWidth is the least width of a column of choices, as in Osmocom's VTY.
const columnWidth = 10

// FormatChoices renders the words of a Completion in columns that fit width (0:
// 80). Lines end in \n.
func FormatChoices(words []string, width int) string {
	if width <= 0 {
		width = 80
	}
	w := columnWidth
	for _, x := range words {
		w = max(w, len(x))
	}
	perLine := max(1, width/(w+1))
	var b strings.Builder
	for line := range slices.Chunk(words, perLine) {
		for _, x := range line {
			fmt.Fprintf(&b, "%-*s ", w, x)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
