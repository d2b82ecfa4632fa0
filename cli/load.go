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
	c       config.Config
	lines   map[string][]changedBy // by finding.Finding.Node
	entered map[string]int         // the first line that enters a node
}

// noteEntry keeps in which line a file enters a node.
func noteEntry(s *vty.Session, n vty.Node, key any) {
	if l, ok := s.Data.(*loading); ok {
		if name := nodeName(n, key); l.entered[name] == 0 {
			l.entered[name] = s.Origin().Line
		}
	}
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
	case nodeNGAPBind:
		return fmt.Sprintf("ngap bind %v", key)
	case nodeAMF:
		return fmt.Sprintf("amf %v", key)
	case nodeLine:
		return "line vty"
	case nodeLog:
		k, _ := key.(config.LogKey)
		return strings.TrimSpace("log " + k.Kind + " " + k.File)
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
	reason := strings.ReplaceAll(strings.TrimPrefix(e.Err.Error(), "% "), "\n% ", "; ")
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
	c, fs, errs := loadLines(tree, name, r, 1, nil)
	if len(errs) > 0 {
		return *c, fs, errs[0]
	}
	return *c, fs, nil
}

// loadLines reads a file up to limit refused lines and validates what was read of
// it; further, if any, finds more.
func loadLines(tree *vty.Tree, name string, r io.Reader, limit int,
	further func(*config.Config) []finding.Finding) (*config.Config, []finding.Finding, []error) {
	l := &loading{c: config.Default(), lines: make(map[string][]changedBy), entered: make(map[string]int)}
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("longer than %d octets", maxFile)
	}
	if err != nil {
		return &l.c, nil, []error{&LoadError{File: name, Err: unwrapPath(err)}}
	}
	var errs []error
	l.c.Gb.NS.Indexed(true)
	for _, e := range tree.ReadFileOn(name, strings.NewReader(string(text)), l, io.Discard, limit) {
		errs = append(errs, &LoadError{name, e.Line, e.Text, e.Err})
	}
	l.c.Gb.NS.Indexed(false)
	if len(errs) >= limit {
		return &l.c, nil, errs
	}
	lines := strings.Split(string(text), "\n")
	fs := append(l.c.Validate(), environment(&l.c)...)
	if err := l.refused(name, lines, fs); err != nil {
		errs = append(errs, err)
	}
	if further != nil {
		fs = append(fs, further(&l.c)...)
	}
	return &l.c, l.placed(name, fs), errs
}

// placed adds the places to findings.
func (l *loading) placed(name string, fs []finding.Finding) []finding.Finding {
	for i := range fs {
		n, named := l.nearest(fs[i])
		if named == 0 && fs[i].Class == finding.Note {
			n = l.entered[fs[i].Node]
		}
		if n > 0 {
			fs[i].Place = fmt.Sprintf("%s:%d", name, n)
		}
	}
	return fs
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
	n, _ := l.nearest(first)
	why := errors.New(first.Text)
	if aboutRange(first) {
		why = errOverlap // the findings tell each
	}
	return &LoadError{name, n, lineOf(lines, n), why}
}

// nearest returns the line of the finding's node of which the finding names the
// most arguments, and how many; or the node's last line and 0; or 0 when there
// is none.
func (l *loading) nearest(f finding.Finding) (line, named int) {
	for _, n := range l.lines[f.Node] {
		if k := n.namedIn(f.Text); k >= named {
			line, named = n.line, k
		}
	}
	return line, named
}

// namedIn counts the arguments that are all in text; 0 when one is not.
func (n changedBy) namedIn(text string) int {
	named := 0
	for _, a := range n.args {
		switch {
		case a == "": // an optional word that was not given
		case !mentions(text, a):
			return 0
		default:
			named++
		}
	}
	return named
}

// mentions tells whether text has the word, and not only within a longer one.
func mentions(text, word string) bool {
	isPart := func(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isPart(text[i-1])) && (end == len(text) || !isPart(text[end])) {
			return true
		}
		from = i + 1
	}
	return false
}

var errOverlap = errors.New("NRI ranges overlap: poolgw does not start with this")

func lineOf(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n-1], "\r")
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

// shownRefusals bounds how many refused lines Check tells.
const shownRefusals = 100

// Check reads and validates the file at path, writes every refused line, every
// finding and the verdict to out, and tells whether poolgw would start with it.
func Check(path string, out io.Writer) bool {
	fs, errs := checkFile(path)
	printPlaced(out, fs)
	for _, err := range errs {
		fmt.Fprintf(out, "%v\n", err)
	}
	if len(errs) == shownRefusals {
		fmt.Fprintf(out, "%s: not read beyond the %dth refused line\n", path, shownRefusals)
	}
	if len(errs) > 0 {
		fmt.Fprintf(out, "%s: would not start\n", path)
		return false
	}
	fmt.Fprintf(out, "%s: would start\n", path)
	return true
}

// checkFile is LoadFile that goes on after refused lines and looks at ports.
func checkFile(path string) ([]finding.Finding, []error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, []error{&LoadError{File: path, Err: unwrapPath(err)}}
	}
	defer f.Close()
	_, fs, errs := loadLines(New(Env{}), path, f, shownRefusals, inUse)
	return fs, errs
}
