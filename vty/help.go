package vty

import (
	"fmt"
	"slices"
	"strings"
)

// HelpRow is one line that "?" shows.
type HelpRow struct {
	Token string // keyword, WORD, <0-9>, [optional], …, or "<cr>" when the line may end here
	Doc   string
}

const endOfLine = "<cr>"

// Help returns what "?" shows for line, typed in a node up to the cursor: the
// tokens that could be the word being typed (or come next, after a space). The
// error is printed as it is: ErrNoHelp or ErrAmbiguous.
func (t *Tree) Help(in Node, expert bool, line string) ([]HelpRow, error) {
	words, last := splitAtCursor(line)
	in, words = t.place(in, words)
	m, first := matcher{abbrev: true, expert: expert}, error(ErrNoHelp)
	for n := t.nodes[in]; n != nil; n = t.fallback(n, words, last) {
		paths, err := m.narrow(n, words)
		switch err {
		case ErrUnknown:
			continue
		case ErrAmbiguous: // a parent may have it written out
			m.abbrev, first = false, err
			continue
		case nil:
			if rows := helpRows(paths, m, len(words), last.text); len(rows) > 0 {
				return rows, nil
			}
		default:
			return nil, err
		}
	}
	return nil, first
}

func helpRows(paths []*path, m matcher, i int, w string) []HelpRow {
	var rows []HelpRow
	mayEnd := false
	for _, p := range paths {
		if !p.cmd.visible(m.expert) {
			continue
		}
		if t := p.at(i); t != nil {
			rows = t.addRows(rows, w)
		}
		mayEnd = mayEnd || len(p.tokens) <= i
	}
	if mayEnd && w == "" {
		rows = append(rows, HelpRow{Token: endOfLine})
	}
	return rows
}

// addRows adds the alternatives that w could become, each token name once.
func (t *token) addRows(rows []HelpRow, w string) []HelpRow {
	for _, x := range t.terms {
		row := HelpRow{t.label(x), x.doc}
		known := slices.ContainsFunc(rows, func(r HelpRow) bool { return r.Token == row.Token })
		if x.couldBecome(w) && !known {
			rows = append(rows, row)
		}
	}
	return rows
}

// minDoc is the narrowest column that documentation is folded into.
const minDoc = 20

// FormatHelp renders rows in aligned columns; documentation longer than width
// columns is folded (width 0: never). Lines end in \n.
func FormatHelp(rows []HelpRow, width int) string {
	w := 0
	for _, r := range rows {
		w = max(w, len(r.Token))
	}
	room := 0
	if width > 0 {
		room = max(minDoc, width-w-4)
	}
	var b strings.Builder
	for _, r := range rows {
		token := r.Token
		for _, line := range fold(r.Doc, room) {
			fmt.Fprintf(&b, "  %-*s  %s\n", w, token, line)
			token = ""
		}
	}
	return b.String()
}

// fold breaks text at spaces into lines of at most width octets (0: one line);
// longer words stay whole.
func fold(text string, width int) []string {
	if width == 0 || len(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for w := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = w
		case len(line)+1+len(w) > width:
			lines = append(lines, line)
			line = w
		default:
			line += " " + w
		}
	}
	return append(lines, line)
}
