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

// What a line of a file can do wrong, beside what its command says. The texts go
// on with the node, and the word that is not understood.
const (
	ErrFileUnknown    Raw = "There is no such command"
	ErrFileAmbiguous  Raw = "Ambiguous command"
	ErrFileIncomplete Raw = "Command incomplete"
	ErrFileIndent     Raw = "Inconsistent indentation -- leading whitespace must match adjacent lines, and " +
		"indentation must reflect child node levels. A mix of tabs and spaces is " +
		"allowed, but their sequence must not change within a child block."
)

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
	if errs := t.ReadFileOn(name, r, data, out, 1); len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// ReadFileOn is ReadFile that goes on after lines that are refused, and ends
// after limit of them. Lines below a refused one, by their indentation, are
// passed over: they would be in the node that it did not enter.
func (t *Tree) ReadFileOn(name string, r io.Reader, data any, out io.Writer, limit int) (errs []*FileError) {
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
		last := err != nil
		e := unreadable(line, size, err)
		if e != nil {
			last = true
		} else {
			e = f.text(string(bytes.TrimRight(line, "\r\n")))
		}
		if e != nil {
			errs = append(errs, f.fail(line, e))
		}
		if last || len(errs) >= limit {
			return errs
		}
	}
}

// unreadable tells why what was read of a line, and all behind it, can't be run.
// err is the reader's.
func unreadable(line []byte, size int, err error) error {
	switch {
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		return err
	case size > MaxFile:
		return errLongFile
	case err == bufio.ErrBufferFull || len(bytes.TrimRight(line, "\r\n")) > MaxFileLine:
		return errLongLine
	}
	return nil
}

// shownText bounds the line that an error shows.
const shownText = 200

func (f *fileReader) fail(line []byte, err error) *FileError {
	text := strings.TrimRight(string(line), "\r\n")
	if len(text) > shownText {
		text = text[:shownText] + "…"
	}
	return &FileError{File: f.s.origin.File, Line: f.s.origin.Line, Text: text, Err: err}
}

// fileReader follows the nodes of a file by its indentation.
type fileReader struct {
	s       *Session
	levels  []level // from ConfigNode to the present node
	refused *string // the indentation of the last line, if that was refused
}

// level is an open node of the file.
type level struct {
	depth  int // of Session.stack
	known  bool
	indent string // of the node's lines, once one was seen
}

// text runs one line of the file.
func (f *fileReader) text(line string) error {
	if strings.IndexByte(line, 0) >= 0 {
		return errNUL
	}
	words := split(line)
	if isComment(words) {
		return nil
	}
	in := line[:words[0].off]
	if f.refused != nil && isDeeper(in, *f.refused) {
		return nil
	}
	f.refused = nil
	if err := f.indent(in); err != nil {
		return err
	}
	err := f.run(line, words)
	if err != nil {
		f.refused = &in
	}
	return err
}

func (f *fileReader) run(line string, words []word) error {
	n := f.s.tree.nodes[f.s.Node()]
	if !f.s.tree.isConfig(n.Name) { // after "end"
		return &lineError{ErrFileUnknown, "There is no such command after the end of the configuration: " + words[0].text}
	}
	m := matcher{}
	cmd, args, err := m.match(n, line, words)
	if err != nil {
		return m.inFile(f.s.tree, n, line, words, err)
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
	for depth := len(f.levels); ; depth-- {
		top := &f.levels[depth-1]
		if !top.known && (depth == 1 || isDeeper(in, f.levels[depth-2].indent)) {
			top.known, top.indent = true, in
		}
		switch {
		case top.known && in == top.indent:
			f.levels = f.levels[:depth]
			f.s.stack = f.s.stack[:min(top.depth, len(f.s.stack))]
			return nil
		case depth == 1:
			return ErrFileIndent
		}
	}
}

// isDeeper tells whether an indentation goes on from another.
func isDeeper(in, from string) bool { return len(in) > len(from) && strings.HasPrefix(in, from) }

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
