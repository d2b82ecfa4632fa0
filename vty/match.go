package vty

import "strings"

// What a line can do wrong. The texts are printed as they are.
const (
	ErrUnknown    Raw = "% Unknown command."
	ErrAmbiguous  Raw = "% Ambiguous command."
	ErrIncomplete Raw = "% Command incomplete."
	ErrNoHelp     Raw = "% There is no matched command."
)

// matcher says how words are compared.
type matcher struct {
	abbrev bool // keywords may be abbreviated (those of hidden commands never)
	expert bool
}

// match finds the command that a line means in the node.
func (m matcher) match(n *node, line string, words []word) (*command, Args, error) {
	paths, err := m.narrow(n, words)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range paths {
		if len(words) == len(p.tokens) || len(words) > len(p.tokens) && p.at(len(words)) != nil {
			return p.cmd, m.args(p, line, words), nil
		}
	}
	return nil, nil, ErrIncomplete
}

// narrow returns the forms of the node's commands that begin with words. Each
// word keeps those where it fits best; it is ambiguous when it abbreviates
// several keywords or lies in several ranges.
func (m matcher) narrow(n *node, words []word) ([]*path, error) {
	paths := n.paths
	for i, w := range words {
		kept, ambiguous := m.keep(paths, i, w.text)
		switch {
		case len(kept) == 0:
			return nil, ErrUnknown
		case ambiguous:
			return nil, ErrAmbiguous
		}
		paths = kept
	}
	return paths, nil
}

func (m matcher) keep(paths []*path, i int, w string) (kept []*path, ambiguous bool) {
	best, text := noFit, ""
	var from *command
	for _, p := range paths {
		fits := noFit
		for _, x := range p.terms(i) {
			s := m.fit(p, x, w)
			if s > best {
				best, text, from, kept, ambiguous = s, x.text, p.cmd, nil, false
			} else if s == best && x.text != text {
				ambiguous = ambiguous || s == fitPrefix || s == fitValue && p.cmd != from
			}
			fits = max(fits, s)
		}
		if fits != noFit && fits == best {
			kept = append(kept, p)
		}
	}
	return kept, ambiguous
}

func (p *path) terms(i int) []*term {
	if t := p.at(i); t != nil {
		return t.terms
	}
	return nil
}

// fit is term.fit, but an unseen command must be spelt out: "sh" is "show"
// though there is a hidden "shutdown".
func (m matcher) fit(p *path, x *term, w string) strength {
	return x.fit(w, m.abbrev && p.cmd.visible(m.expert))
}

// args collects the values of the words. Keywords are given in full.
func (m matcher) args(p *path, line string, words []word) Args {
	a := make(Args, p.cmd.args)
	for i, t := range p.tokens {
		if t.arg >= 0 {
			a[t.arg] = m.value(p, t, line, words[i])
		}
	}
	return a
}

func (m matcher) value(p *path, t *token, line string, w word) string {
	best, value := noFit, w.text
	for _, x := range t.terms {
		s := m.fit(p, x, w.text)
		if s <= best {
			continue
		}
		switch best = s; x.kind {
		case keyword:
			value = x.text
		case rest:
			value = strings.TrimRight(line[w.off:], space)
		default:
			value = w.text
		}
	}
	return value
}
