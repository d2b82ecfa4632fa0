package vty

import (
	"fmt"
	"io"
)

// Session is one user of the tree: a telnet session or a file being read. It
// belongs to one goroutine.
type Session struct {
	// Data is the program's own, for instance the configuration copy that a
	// file's lines work on.
	Data any
}

func (s *Session) Write(p []byte) (int, error)    { return len(p), nil }
func (s *Session) Printf(format string, a ...any) { fmt.Fprintf(s, format, a...) }
func (s *Session) Node() Node                     { return "" }
func (s *Session) Key() any                       { return nil } // what Enter was given for the present node
func (s *Session) Enter(n Node, key any)          {}             // go to a child node
func (s *Session) Origin() Origin                 { return Origin{} }
func (s *Session) FromFile() bool                 { return false }

// NewSession begins a session in ViewNode on a terminal, which must not be nil.
// The caller must Close it.
func NewSession(t *Tree, term Terminal) *Session { return &Session{} }

// Terminal is what the session writes to; nil for a file.
func (s *Session) Terminal() Terminal { return nil }

// Execute runs a line as typed and prints its error, if any. It reports
// whether the session is to end ("exit" in ViewNode or EnableNode).
func (s *Session) Execute(line string) (quit bool) { return false }

// Exec is Execute for programs: the error is returned and not printed.
func (s *Session) Exec(line string) error { return nil }

// Complete answers TAB: insert replaces the last word of line (which is empty
// after a space). With several choices insert is their common beginning, or ""
// if it adds nothing.
func (s *Session) Complete(line string) (insert string, choices []string) { return "", nil }

// Describe answers "?": the whole text, each line ended by \n.
func (s *Session) Describe(line string) string { return "" }

// Prompt is host name, node prompt, sign and a space: "PoolGW(config)# ".
func (s *Session) Prompt() string { return "" }

// Expert tells whether "enable expert-mode" was given.
func (s *Session) Expert() bool { return false }

// End goes from a configuration node to EnableNode (^Z), releasing the lock;
// elsewhere it does nothing.
func (s *Session) End() {}

// Close gives back what the session holds: the configuration lock.
func (s *Session) Close() {}

// Tree is the command tree.
type Tree struct{}

// NewTree returns a tree with the built-in commands.
func NewTree() *Tree { return &Tree{} }

func (t *Tree) Node(d ...NodeDef) {}
func (t *Tree) Add(c ...Command)  {}

// ReadFile runs the lines of a configuration file: full words, indentation
// decides the node. data becomes Session.Data; notes that commands write go to
// out. The error is a *FileError.
func (t *Tree) ReadFile(name string, r io.Reader, data any, out io.Writer) error { return nil }

// FileError tells where a configuration file was refused.
type FileError struct {
	File string
	Line int
	Text string // the line
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d: %v: %s", e.File, e.Line, e.Err, e.Text)
}
func (e *FileError) Unwrap() error { return e.Err }
