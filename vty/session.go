package vty

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Session is one user of the tree: a telnet session or a file being read. It
// belongs to one goroutine.
type Session struct {
	// Data is the program's own, for instance the configuration copy that a
	// file's lines work on.
	Data any

	tree   *Tree
	term   Terminal // nil for a file
	out    io.Writer
	origin Origin
	stack  []frame // from ViewNode, EnableNode or ConfigNode to the present node
	expert bool
	quit   bool // "exit" from the last node
}

type frame struct {
	node Node
	key  any
}

// NewSession begins a session on a terminal, which must not be nil, in ViewNode
// or as Settings.Advanced says. The caller must Close it.
func NewSession(t *Tree, term Terminal) *Session {
	first := ViewNode
	if c := term.Settings(); c.Advanced && c.EnablePassword == "" {
		first = EnableNode
	}
	return &Session{
		tree: t, term: term, out: term,
		origin: Origin{Remote: term.Remote()},
		stack:  []frame{{node: first}},
	}
}

// Write writes to the terminal, or to the notes of the file being read.
func (s *Session) Write(p []byte) (int, error) { return s.out.Write(p) }

// Printf formats to Write.
func (s *Session) Printf(format string, a ...any) { fmt.Fprintf(s, format, a...) }

// Terminal is what the session writes to; nil for a file.
func (s *Session) Terminal() Terminal { return s.term }

// Origin says where the present line comes from.
func (s *Session) Origin() Origin { return s.origin }

// FromFile tells that a file is being read.
func (s *Session) FromFile() bool { return s.term == nil }

// Expert tells whether "enable expert-mode" was given.
func (s *Session) Expert() bool { return s.expert }

// Node is the present node.
func (s *Session) Node() Node { return s.top().node }

// Key is what Enter was given for the present node; nil in the nodes that every
// tree has.
func (s *Session) Key() any { return s.top().key }

func (s *Session) top() frame { return s.stack[len(s.stack)-1] }

// Enter goes to node n of the object that key names, leaving nodes that are
// not n's ancestors. It panics when the tree has no such node.
func (s *Session) Enter(n Node, key any) {
	def := s.tree.nodes[n]
	if def == nil {
		panic(fmt.Sprintf("vty: no node %q", n))
	}
	parent := slices.IndexFunc(s.stack, func(f frame) bool { return f.node == def.Parent })
	if parent < 0 {
		parent = len(s.stack) - 1
	}
	s.stack = append(s.stack[:parent+1], frame{n, key})
}

// leave goes to the parent node; from ConfigNode that is EnableNode, and the
// lock is released. The last node is never left.
func (s *Session) leave() {
	if len(s.stack) > 1 {
		s.stack = s.stack[:len(s.stack)-1]
	}
	if s.Node() == EnableNode {
		s.tree.lock.release(s)
	}
}

// End goes from a configuration node to EnableNode (^Z), releasing the lock;
// elsewhere it does nothing.
func (s *Session) End() {
	if s.tree.isConfig(s.Node()) {
		s.stack = []frame{{node: EnableNode}}
		s.tree.lock.release(s)
	}
}

// Close gives back what the session holds: the configuration lock.
func (s *Session) Close() { s.tree.lock.release(s) }

// Prompt is host name, node prompt, sign and a space: "PoolGW(config)# ".
func (s *Session) Prompt() string {
	sign := "# "
	if s.Node() == ViewNode {
		sign = "> "
	}
	return s.hostname() + s.tree.nodes[s.Node()].Prompt + sign
}

// hostname is the configured name, or else the program's.
func (s *Session) hostname() string {
	if h := s.term.Settings().Hostname; h != "" {
		return h
	}
	if p := s.term.Program(); p != nil {
		return p.Name()
	}
	return ""
}

// Execute runs a line as typed and prints its error, if any. It reports
// whether the session is to end ("exit" in ViewNode or EnableNode).
func (s *Session) Execute(line string) (quit bool) {
	if err := s.Exec(line); err != nil && !errors.Is(err, ErrQuit) {
		s.Printf("%s\n", ErrorLine(err))
		if err == ErrUnknown {
			s.printHint(line)
		}
	}
	return s.quit
}

func (s *Session) printHint(line string) {
	if h := s.hint(line); h != "" {
		s.Printf("%s\n", h)
	}
}

// ErrorLine is how an error is shown: with "% " before it unless it is Raw or
// has it already.
func ErrorLine(err error) string {
	var raw Raw
	text := err.Error()
	if errors.As(err, &raw) || strings.HasPrefix(text, "% ") {
		return text
	}
	return "% " + text
}

// Exec is Execute for programs: the error is returned and not printed. A line
// that a file could not hold is refused.
func (s *Session) Exec(line string) error {
	switch {
	case strings.IndexByte(line, 0) >= 0:
		return errNUL
	case len(line) > MaxFileLine:
		return errLongLine
	}
	words := split(line)
	if isComment(words) {
		return nil
	}
	in, after := s.tree.place(s.Node(), words)
	if len(after) < len(words) {
		return s.do(in, line, after)
	}
	return s.run(line, words)
}

// do runs a line in another node and comes back.
func (s *Session) do(in Node, line string, words []word) error {
	if len(words) == 0 {
		return ErrIncomplete
	}
	cmd, args, err := s.matcher().match(s.tree.nodes[in], line, words)
	if err != nil {
		return err
	}
	here := slices.Clone(s.stack)
	defer func() { s.stack = here }()
	s.stack = []frame{{node: in}}
	return cmd.Run(s, args)
}

// run tries the line in the present node and then in its parents up to
// ConfigNode. The node that knows the command becomes the present one. What is
// ambiguous in a node may be a command of a parent that is written out, as "amf 1"
// in node ngap, which has amf-name and amf-ue-ngap-id.
func (s *Session) run(line string, words []word) error {
	m, first := s.matcher(), error(ErrUnknown)
	for depth := len(s.stack); depth > 0; depth-- {
		n := s.tree.nodes[s.stack[depth-1].node]
		cmd, args, err := m.match(n, line, words)
		if err == nil {
			s.stack = s.stack[:depth]
			return cmd.Run(s, args)
		}
		if first == ErrUnknown {
			first = err
		}
		if err == ErrAmbiguous {
			m.abbrev = false
		}
		if err == ErrIncomplete || n.Name == ConfigNode {
			break
		}
	}
	return first
}

func (s *Session) matcher() matcher { return matcher{abbrev: true, expert: s.expert} }

// Complete answers TAB: insert replaces the last word of line (which is empty
// after a space). With several choices insert is their common beginning, or ""
// if it adds nothing.
func (s *Session) Complete(line string) (insert string, choices []string) {
	c := s.tree.Complete(s.Node(), s.expert, line)
	if c.Line == line {
		return "", c.Choices
	}
	_, last := splitAtCursor(line)
	return c.Line[last.off:], c.Choices
}

// Describe answers "?": the whole text, each line ended by \n.
func (s *Session) Describe(line string) string {
	rows, err := s.tree.Help(s.Node(), s.expert, line)
	if err != nil {
		return ErrorLine(err) + "\n"
	}
	width := s.term.Width()
	if width <= 0 {
		width = 80
	}
	return FormatHelp(rows, width)
}
