package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"poolgw/config"
	"poolgw/finding"
	"poolgw/ns"
	"poolgw/vty"
)

// loading is a file being read: one transaction for all its lines.
type loading struct {
	c     config.Config
	lines map[string][]changedBy // by finding.Finding.Node
}

// changedBy is a line that changed a node.
type changedBy struct {
	line int
	args vty.Args
}

// edit runs one line's editor.
func (l *loading) edit(s *vty.Session, e *edit, f editor) error {
	e.c, e.loading = &l.c, true
	if err := f(e); err != nil {
		return describe(err)
	}
	name := nodeName(s.Node(), e.key)
	l.lines[name] = append(l.lines[name], changedBy{s.Origin().Line, e.args})
	return nil
}

// nodeName is how a Finding names the node in which a command stands.
func nodeName(n vty.Node, key any) string {
	switch n {
	case nodeSGSN:
		return fmt.Sprintf("sgsn nsei %v", key)
	case nodeNSE:
		return fmt.Sprintf("nse %v", key)
	case nodeNSBind:
		return fmt.Sprintf("bind %v", key)
	case nodeLine:
		return "line vty"
	}
	return strings.TrimPrefix(string(n), "config-")
}

func noBind(name string) string { return fmt.Sprintf("Can not find the given bind '%s'", name) }

// LoadError is a configuration that can't be started with.
type LoadError struct {
	File string
	Line int    // 0: not a single line's fault
	Text string // the line
	Err  error
}

func (e *LoadError) Error() string {
	reason := strings.TrimPrefix(e.Err.Error(), "% ")
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, reason)
	case e.Text == "":
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, reason)
	}
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, strings.TrimSpace(e.Text), reason)
}

func (e *LoadError) Unwrap() error { return e.Err }

// LoadFile reads a configuration file. It returns all findings of what was
// read, and a *LoadError when it must not be started with.
func LoadFile(tree *vty.Tree, path string) (config.Config, []finding.Finding, error) {
	f, err := os.Open(path)
	if err != nil {
		return config.Default(), nil, &LoadError{File: path, Err: unwrapPath(err)}
	}
	defer f.Close()
	return Load(tree, path, f)
}

// unwrapPath drops the file name that a LoadError has anyway.
func unwrapPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// maxFile bounds what is read of a file, in octets.
const maxFile = 64 << 20

// Load is LoadFile for a file that is open already; name is for messages.
func Load(tree *vty.Tree, name string, r io.Reader) (config.Config, []finding.Finding, error) {
	l := &loading{c: config.Default(), lines: make(map[string][]changedBy)}
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("longer than %d octets", maxFile)
	}
	if err != nil {
		return l.c, nil, &LoadError{File: name, Err: unwrapPath(err)}
	}
	if err := tree.ReadFile(name, strings.NewReader(string(text)), l, io.Discard); err != nil {
		return l.c, nil, fileError(name, err)
	}
	lines := strings.Split(string(text), "\n")
	fs := append(l.c.Validate(), environment(&l.c)...)
	return l.c, fs, l.refused(name, lines, fs)
}

// refused says why one can't start with these findings, at the line where the
// gravest of them comes from.
func (l *loading) refused(name string, lines []string, fs []finding.Finding) error {
	err := config.RefuseStart(fs)
	var r *config.Refused
	if !errors.As(err, &r) {
		return nil
	}
	first := r.Findings[0]
	for _, f := range r.Findings {
		if f.Class > first.Class {
			first = f
		}
	}
	n := l.lineFor(first)
	why := errors.New(first.Text)
	if aboutRange(first) {
		why = errOverlap // the findings tell each
	}
	return &LoadError{name, n, lineOf(lines, n), why}
}

// lineFor returns the line of the finding's node of which the finding names the
// most arguments, or the node's last line; 0 when there is none.
func (l *loading) lineFor(f finding.Finding) int {
	line, best := 0, 0
	for _, n := range l.lines[f.Node] {
		if named := n.namedIn(f.Text); named >= best {
			line, best = n.line, named
		}
	}
	return line
}

// namedIn counts the arguments that are all in text; 0 when one is not.
func (n changedBy) namedIn(text string) int {
	named := 0
	for _, a := range n.args {
		if !strings.Contains(text, a) {
			return 0
		}
		named++
	}
	return named
}

var errOverlap = errors.New("NRI ranges overlap: poolgw does not start with this")

func lineOf(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n-1], "\r")
}

func fileError(name string, err error) error {
	var fe *vty.FileError
	if errors.As(err, &fe) {
		return &LoadError{name, fe.Line, fe.Text, fe.Err}
	}
	return &LoadError{File: name, Err: err}
}

// ExitCode is what the program ends with for an error of its start: 2 for a
// configuration that is refused or an NS bind that can't be had, 1 for all
// else, such as a VTY or CTRL port in use.
func ExitCode(err error) int {
	var le *LoadError
	var be *ns.BindError
	var re *config.Refused
	switch {
	case err == nil:
		return 0
	case errors.As(err, &le), errors.As(err, &be), errors.As(err, &re):
		return 2
	}
	return 1
}

// Check reads and validates the file at path, writes every finding and the
// verdict to out, and tells whether poolgw would start with it.
func Check(path string, out io.Writer) bool {
	_, fs, err := LoadFile(New(Env{}), path)
	PrintFindings(out, fs)
	if err != nil {
		fmt.Fprintf(out, "%v\n%s: would not start\n", err, path)
		return false
	}
	fmt.Fprintf(out, "%s: would start\n", path)
	return true
}
