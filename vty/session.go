package vty

import (
	"fmt"
	"io"
)

// Session is one user of the tree: a telnet session or a file being read.
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
