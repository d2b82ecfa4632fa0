package vty

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a configuration file, in octets.
const (
	MaxFile     = 64 << 20
	MaxFileLine = 4096
)

// What a line of a file can do wrong, beside what its command says.
const (
	ErrFileUnknown    Raw = "There is no such command."
	ErrFileAmbiguous  Raw = "Ambiguous command."
	ErrFileIncomplete Raw = "Command incomplete."
	ErrFileIndent     Raw = "Inconsistent indentation -- leading whitespace must match adjacent lines, and " +
		"indentation must reflect child node levels. A mix of tabs and spaces is " +
		"allowed, but their sequence must not change within a child block."
)

// errInFile is what the errors of typed lines are called in a file.
var errInFile = map[error]error{
	ErrUnknown: ErrFileUnknown, ErrAmbiguous: ErrFileAmbiguous, ErrIncomplete: ErrFileIncomplete,
}

var (
	errNUL      = errors.New("the line has a NUL octet")
	errLongLine = fmt.Errorf("the line is longer than %d octets", MaxFileLine)
	errLongFile = fmt.Errorf("the file is longer than %d octets", MaxFile)
)

// FileError tells where a configuration file was refused.
type FileError struct {
	File string
	Line int    // from 1
	Text string // the line
	Err  error
}

// Error is one line: file, line number, the line and the reason.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d: %q: %v", e.File, e.Line, e.Text, e.Err)
}

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// ReadFile runs the lines of a configuration file: full words, indentation
// decides the node. data becomes Session.Data; notes that commands write go to
// out. It stops at the first error, which is a *FileError.
func (t *Tree) ReadFile(name string, r io.Reader, data any, out io.Writer) error {
	f := &fileReader{
		s: &Session{
			Data: data, tree: t, out: out, origin: Origin{File: name},
			stack: []frame{{node: EnableNode}, {node: ConfigNode}},
		},
		levels: []level{{depth: 2}},
	}
	lines := bufio.NewReaderSize(io.LimitReader(r, MaxFile+1), MaxFileLine+2)
	size := 0
	for {
		line, err := lines.ReadSlice('\n')
		size += len(line)
		f.s.origin.Line++
		if e := f.read(line, size, err); e != nil {
			return f.fail(line, e)
		}
		if err != nil {
			return nil
		}
	}
}

// read judges what was read of a line and runs it. err is the reader's.
func (f *fileReader) read(line []byte, size int, err error) error {
	text := bytes.TrimRight(line, "\r\n")
	switch {
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return err
	case size > MaxFile:
		return errLongFile
	case err == bufio.ErrBufferFull || len(text) > MaxFileLine:
		return errLongLine
	case bytes.IndexByte(text, 0) >= 0:
		return errNUL
	}
	return f.line(string(text))
}

// shownText bounds the line that an error shows.
const shownText = 200

func (f *fileReader) fail(line []byte, err error) error {
	text := strings.TrimRight(string(line), "\r\n")
	if len(text) > shownText {
		text = text[:shownText] + "…"
	}
	return &FileError{File: f.s.origin.File, Line: f.s.origin.Line, Text: text, Err: err}
}

// fileReader follows the nodes of a file by its indentation.
type fileReader struct {
	s      *Session
	levels []level // from ConfigNode to the present node
}

// level is an open node of the file.
type level struct {
	depth  int // of Session.stack
	known  bool
	indent string // of the node's lines, once one was seen
}

func (f *fileReader) line(line string) error {
	words := split(line)
	if isComment(words) {
		return nil
	}
	if err := f.indent(line[:words[0].off]); err != nil {
		return err
	}
	if !f.s.tree.isConfig(f.s.Node()) {
		return ErrFileUnknown // after "end"
	}
	cmd, args, err := matcher{}.match(f.s.tree.nodes[f.s.Node()], line, words)
	if err != nil {
		return errInFile[err]
	}
	if err := cmd.Run(f.s, args); err != nil {
		return err
	}
	f.follow()
	return nil
}

// indent goes to the node that a line's indentation belongs to. The first line
// of a node sets its indentation, which must go on from its parent's; a line
// with less belongs to the ancestor that has exactly as much.
func (f *fileReader) indent(in string) error {
	for {
		top := &f.levels[len(f.levels)-1]
		if !top.known && (len(f.levels) == 1 || f.isDeeper(in)) {
			top.known, top.indent = true, in
		}
		switch {
		case top.known && in == top.indent:
			f.s.stack = f.s.stack[:min(top.depth, len(f.s.stack))]
			return nil
		case len(f.levels) == 1:
			return ErrFileIndent
		}
		f.levels = f.levels[:len(f.levels)-1]
	}
}

func (f *fileReader) isDeeper(in string) bool {
	parent := f.levels[len(f.levels)-2].indent
	return len(in) > len(parent) && strings.HasPrefix(in, parent)
}

// follow opens a level for a node that a command entered and closes those that
// it left.
func (f *fileReader) follow() {
	depth := len(f.s.stack)
	if depth > f.levels[len(f.levels)-1].depth {
		f.levels = append(f.levels, level{depth: depth})
		return
	}
	for len(f.levels) > 1 && f.levels[len(f.levels)-1].depth > depth {
		f.levels = f.levels[:len(f.levels)-1]
	}
}
