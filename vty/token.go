package vty

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// kind says what a term accepts.
type kind uint8

const (
	keyword  kind = iota // the word itself
	number               // <lo-hi>
	ipv4                 // A.B.C.D
	ipv6                 // X:X::X:X
	ipv4net              // A.B.C.D/M
	ipv6net              // X:X::X:X/M
	variable             // WORD: any word
	rest                 // .TEXT: all that follows
)

// term is one alternative of a token; most tokens have one.
type term struct {
	kind   kind
	text   string // as written in the syntax
	lo, hi int64  // of a number
	doc    string
}

// token is one place of a syntax.
type token struct {
	terms    []*term
	arg      int  // its place in Args; -1 for a literal keyword
	optional bool // [x] or (a|)
}

// maxOptional bounds the forms of a command, which double with each optional
// token.
const maxOptional = 6

var (
	keywordForm  = regexp.MustCompile(`^[a-z0-9][a-zA-Z0-9_.:+/-]*$`)
	variableForm = regexp.MustCompile(`^[A-Z][A-Z0-9_-]*$`)
	rangeForm    = regexp.MustCompile(`^<(-?[0-9]+)-(-?[0-9]+)>$`)
)

var addressForms = map[string]kind{
	"A.B.C.D": ipv4, "X:X::X:X": ipv6, "A.B.C.D/M": ipv4net, "X:X::X:X/M": ipv6net,
}

// parseSyntax turns a syntax into tokens, without their documentation.
func parseSyntax(syntax string) ([]*token, error) {
	words := strings.Fields(syntax)
	if len(words) == 0 || strings.Join(words, " ") != syntax {
		return nil, fmt.Errorf("syntax is empty or has surplus spaces")
	}
	tokens := make([]*token, len(words))
	args := 0
	for i, w := range words {
		t, err := parseToken(w)
		if err != nil {
			return nil, err
		}
		if t.arg == 0 {
			t.arg = args
			args++
		}
		tokens[i] = t
	}
	return tokens, checkTokens(tokens)
}

func checkTokens(tokens []*token) error {
	optional := 0
	for i, t := range tokens {
		if t.optional {
			optional++
		}
		switch {
		case i == 0 && (t.optional || t.terms[0].kind != keyword):
			return fmt.Errorf("a command begins with a keyword")
		case t.terms[0].kind == rest && i != len(tokens)-1:
			return fmt.Errorf("%s must be the last word", t.terms[0].text)
		case optional > maxOptional:
			return fmt.Errorf("more than %d optional words", maxOptional)
		}
	}
	return nil
}

// parseToken parses one word of a syntax. arg is 0 for what becomes an
// argument, to be numbered by the caller, and -1 for a literal keyword.
func parseToken(w string) (*token, error) {
	if inner, ok := enclosed(w, '[', ']'); ok {
		t, err := parseToken(inner)
		if err != nil {
			return nil, err
		}
		if t.optional {
			return nil, fmt.Errorf("%s is optional twice", w)
		}
		t.optional, t.arg = true, 0
		return t, nil
	}
	if inner, ok := enclosed(w, '(', ')'); ok {
		return parseChoice(inner)
	}
	x, err := parseTerm(w)
	if err != nil {
		return nil, err
	}
	t := &token{terms: []*term{x}}
	if x.kind == keyword {
		t.arg = -1
	}
	return t, nil
}

func enclosed(w string, open, shut byte) (string, bool) {
	if len(w) < 2 || w[0] != open || w[len(w)-1] != shut {
		return "", false
	}
	return w[1 : len(w)-1], true
}

func parseChoice(inner string) (*token, error) {
	t := &token{}
	seen := map[string]bool{}
	for alt := range strings.SplitSeq(inner, "|") {
		if seen[alt] {
			return nil, fmt.Errorf("(%s) has %q twice", inner, alt)
		}
		seen[alt] = true
		if alt == "" {
			t.optional = true
			continue
		}
		x, err := parseTerm(alt)
		if err != nil {
			return nil, err
		}
		if x.kind == rest {
			return nil, fmt.Errorf("%s can't be in a choice", alt)
		}
		t.terms = append(t.terms, x)
	}
	if len(seen) < 2 {
		return nil, fmt.Errorf("(%s) has no alternatives", inner)
	}
	return t, nil
}

func parseTerm(w string) (*term, error) {
	if k, ok := addressForms[w]; ok {
		return &term{kind: k, text: w}, nil
	}
	if m := rangeForm.FindStringSubmatch(w); m != nil {
		return parseRange(w, m[1], m[2])
	}
	switch {
	case keywordForm.MatchString(w):
		return &term{kind: keyword, text: w}, nil
	case variableForm.MatchString(w):
		return &term{kind: variable, text: w}, nil
	case strings.HasPrefix(w, ".") && variableForm.MatchString(w[1:]):
		return &term{kind: rest, text: w}, nil
	}
	return nil, fmt.Errorf("%q is neither keyword nor value", w)
}

func parseRange(w, lo, hi string) (*term, error) {
	l, err1 := strconv.ParseInt(lo, 10, 64)
	h, err2 := strconv.ParseInt(hi, 10, 64)
	if err1 != nil || err2 != nil || l > h {
		return nil, fmt.Errorf("%s is no range", w)
	}
	return &term{kind: number, text: w, lo: l, hi: h}, nil
}

// label is the token's alternative as "?" shows it: optional ones in brackets.
func (t *token) label(x *term) string {
	if t.optional {
		return "[" + x.text + "]"
	}
	return x.text
}

// strength orders how well a word fits; the best fit at each place decides
// which commands stay, as in Quagga's and Osmocom's VTY.
type strength uint8

const (
	noFit strength = iota
	fitRest
	fitVariable
	fitValue
	fitPrefix
	fitExact
)

// fit tells how well w fits; abbreviations fit if abbrev.
func (x *term) fit(w string, abbrev bool) strength {
	switch x.kind {
	case keyword:
		return x.fitKeyword(w, abbrev)
	case variable:
		return fitVariable
	case rest:
		return fitRest
	}
	if x.holds(w) {
		return fitValue
	}
	return noFit
}

func (x *term) fitKeyword(w string, abbrev bool) strength {
	switch {
	case w == x.text:
		return fitExact
	case abbrev && strings.HasPrefix(x.text, w):
		return fitPrefix
	}
	return noFit
}

// holds tells whether w is a value of the term's kind.
func (x *term) holds(w string) bool {
	switch x.kind {
	case number:
		n, ok := decimal(w)
		return ok && n >= x.lo && n <= x.hi
	case ipv4, ipv6:
		a, err := netip.ParseAddr(w)
		return err == nil && a.Zone() == "" && a.Is4() == (x.kind == ipv4)
	case ipv4net, ipv6net:
		p, err := netip.ParsePrefix(w)
		return err == nil && p.Addr().Is4() == (x.kind == ipv4net)
	}
	return false
}

// decimal parses digits with at most a minus before them.
func decimal(w string) (int64, bool) {
	if w == "" || w[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(w, 10, 64)
	return n, err == nil
}

// valueRunes are what addresses are written with, by kind.
var valueRunes = map[kind]string{
	ipv4: "0123456789.", ipv4net: "0123456789./",
	ipv6: "0123456789abcdefABCDEF:.", ipv6net: "0123456789abcdefABCDEF:./",
}

// couldBecome tells whether something beginning with w fits: "?" and TAB ask
// that of the word under the cursor.
func (x *term) couldBecome(w string) bool {
	switch x.kind {
	case keyword:
		return strings.HasPrefix(x.text, w)
	case variable, rest:
		return true
	case number:
		return x.couldBecomeNumber(w)
	}
	return strings.Trim(w, valueRunes[x.kind]) == ""
}

func (x *term) couldBecomeNumber(w string) bool {
	if w == "" || w == "-" && x.lo < 0 {
		return true
	}
	n, ok := decimal(w)
	if w[0] == '-' {
		return ok && n >= x.lo
	}
	return ok && n <= x.hi
}
