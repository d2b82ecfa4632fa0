package cli

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"poolgw/config"
	"poolgw/finding"
	"poolgw/gb"
	"poolgw/n2"
	"poolgw/ns"
	"poolgw/vty"
)

// edit is one change under way.
type edit struct {
	c    *config.Config // the copy to change
	key  any            // of the node, see vty.Session.Enter
	args vty.Args
	// loading tells that a file is being read: a name that isn't defined may be
	// defined later, and the validation of the whole looks for it.
	loading bool

	// live is the gateway before an edit that removes something; nil when there
	// is none to be asked.
	live   *gb.Snapshot
	liveN2 *n2.Snapshot // likewise

	said []string // lines that are told when the change is made
	told func(finding.Finding) bool
}

// editor changes e.c; it looks at nothing but e.
type editor func(e *edit) error

// say has a line printed after the change, unless a file is being read: then
// the findings of the whole say what there is to say.
func (e *edit) say(format string, args ...any) {
	e.said = append(e.said, fmt.Sprintf(format, args...))
}

// warn is say with "% " before it.
func (e *edit) warn(format string, args ...any) { e.say("%% "+format, args...) }

// covers names findings that the warnings have told already.
func (e *edit) covers(is func(finding.Finding) bool) { e.told = is }

// refusal is an error in the words of the interface, which begin with a capital.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// needBind refuses the name of a bind that isn't there with the text missing.
func (e *edit) needBind(name, missing string) error {
	if !e.loading && e.c.Gb.NS.Bind(name) == nil {
		return vty.Raw(missing)
	}
	return nil
}

// uint16 returns argument i, which the syntax has made sure of.
func (e *edit) uint16(i int) uint16 { return uint16(e.uint32(i)) }

func (e *edit) uint32(i int) uint32 {
	v, _ := strconv.ParseUint(e.args[i], 10, 32)
	return uint32(v)
}

// addrPort returns the address in argument i with the port in i+1, or with
// port when that one is absent.
func (e *edit) addrPort(i int, port uint16) (netip.AddrPort, error) {
	a, err := netip.ParseAddr(e.args[i])
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("'%s' is no IP address", e.args[i])
	}
	if e.args.Has(i + 1) {
		port = e.uint16(i + 1)
	}
	return netip.AddrPortFrom(a.Unmap(), port), nil
}

// edit makes a command of an editor.
func (p *program) edit(f editor) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		return p.change(s, &edit{key: s.Key(), args: a}, f, allNotes)
	}
}

// set is edit for what can't fail.
func (p *program) set(f func(e *edit)) vty.Handler {
	return p.edit(func(e *edit) error { f(e); return nil })
}

// enter makes a command that creates the thing called key, if need be, and
// goes to its node.
func (p *program) enter(n vty.Node, key func(a vty.Args) any, f editor) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		k := key(a)
		noteEntry(s, n, k)
		if err := p.change(s, &edit{key: k, args: a}, f, keptNotes); err != nil {
			return err
		}
		s.Enter(n, k)
		return nil
	}
}

// goTo makes a command that only goes to a node.
func goTo(n vty.Node) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		noteEntry(s, n, nil)
		s.Enter(n, nil)
		return nil
	}
}

// change runs one editor as a transaction of its own, or on the copy of a file
// being read.
func (p *program) change(s *vty.Session, e *edit, f editor, notes noteFilter) error {
	if l, ok := s.Data.(*loading); ok {
		return l.edit(s, e, f)
	}
	if p.Store == nil {
		return errors.New("there is no configuration to change")
	}
	fs, err := p.Store.Edit(func(c *config.Config) error {
		e.c = c
		return f(e)
	})
	if err != nil {
		return describe(err)
	}
	for _, line := range e.said {
		s.Printf("%s\n", line)
	}
	for _, f := range fs {
		if e.told != nil && e.told(f) || f.Class == finding.Note && !notes(f) {
			continue
		}
		io.WriteString(s, findingLine(f))
	}
	return nil
}

// noteFilter tells which notes are worth a line after a typed command.
type noteFilter func(finding.Finding) bool

func allNotes(finding.Finding) bool { return true }

// keptNotes spares who begins a node from hearing that it is not complete.
func keptNotes(f finding.Finding) bool { return strings.HasSuffix(f.Text, "kept; not acted on") }

// findingLine is one line for a finding, as osmo-gbproxy words those that it
// has.
func findingLine(f finding.Finding) string {
	switch {
	case f.Class == finding.Error:
		return fmt.Sprintf("%% Error: %s\n", f.Text)
	case f.Class == finding.FatalAtStart || strings.Contains(f.Text, "/SGSN): Warning: "):
		return fmt.Sprintf("%% Warning: %s\n", f.Text)
	case f.Node == "gbproxy":
		return fmt.Sprintf("%% %s\n", f.Text)
	case f.Node == "":
		return fmt.Sprintf("%% Note: %s\n", f.Text)
	}
	return fmt.Sprintf("%% Note: %s: %s\n", f.Node, f.Text)
}

// PrintFindings writes one line for each finding, in the words that
// osmo-gbproxy's users know.
func PrintFindings(w io.Writer, fs []finding.Finding) {
	for _, f := range fs {
		io.WriteString(w, findingLine(f))
	}
}

// printPlaced is PrintFindings with the place before each, where it is known.
func printPlaced(w io.Writer, fs []finding.Finding) {
	for _, f := range fs {
		if f.Place != "" {
			io.WriteString(w, f.Place+": ")
		}
		io.WriteString(w, findingLine(f))
	}
}

// describe makes one error of what a transaction was refused for.
func describe(err error) error {
	var be *ns.BindError
	if errors.As(err, &be) {
		return vty.Raw(fmt.Sprintf("Failed to create the bind: %v", be.Err))
	}
	var r *config.Refused
	if !errors.As(err, &r) {
		return err
	}
	var b strings.Builder
	PrintFindings(&b, r.Findings)
	return vty.Raw(strings.TrimSuffix(b.String(), "\n"))
}
