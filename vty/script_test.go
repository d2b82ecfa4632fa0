package vty_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"poolgw/vty"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){}) }

// TestScripts runs transcripts. Their commands are:
//
//	vty [-enable PASSWORD] [-answers no,yes] FILE   types the lines of FILE
//	read FILE                                       reads it as a configuration
//	reference (markdown|xml)
//
// In typed lines "?" and "<TAB>" at the end are keys, "^Z" is one too, "<quit>"
// drops the connection, and "@1 " before a line types it in another session.
// Facts: G0-24 (fail_indent_less), G0-25 (fail_indent_tabs), G0-26 (fail_ambiguous_prefix), G11-01 (nodes), G11-04 (nodes), G11-08 (lock), G11-11 (match), G11-12 (nodes), G11-13 (match), G11-15 (nodes), G11-16 (help), G11-17 (complete)
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"vty": scriptVTY, "read": scriptRead, "reference": scriptReference,
		},
	})
}

func scriptVTY(ts *testscript.TestScript, neg bool, args []string) {
	fs := flag.NewFlagSet("vty", flag.ContinueOnError)
	enable := fs.String("enable", "", "enable password")
	answers := fs.String("answers", "", "whether passwords given are right")
	ts.Check(fs.Parse(args))
	r := newRoom()
	r.conf.EnablePassword = *enable
	out := ts.Stdout()
	sessions := map[string]*vty.Session{}
	for line := range strings.Lines(ts.ReadFile(fs.Arg(0))) {
		who, line := speaker(strings.TrimSuffix(line, "\n"))
		s := sessions[who]
		if s == nil {
			var c *screen
			s, c = r.open(out)
			sessions[who] = s
			for a := range strings.SplitSeq(*answers, ",") {
				c.answers = append(c.answers, a == "yes")
			}
		}
		if len(sessions) > 1 {
			fmt.Fprintf(out, "[%s] ", who)
		}
		if typeLine(s, out, line) {
			s.Close()
			delete(sessions, who)
		}
	}
}

func speaker(line string) (who, rest string) {
	if strings.HasPrefix(line, "@") {
		who, rest, _ = strings.Cut(line[1:], " ")
		return who, rest
	}
	return "0", line
}

// typeLine tells whether the session has ended.
func typeLine(s *vty.Session, out io.Writer, line string) (quit bool) {
	fmt.Fprintf(out, "%s%s\n", s.Prompt(), line)
	switch {
	case line == "^Z":
		s.End()
	case line == "<quit>":
		return true
	case strings.HasSuffix(line, "?"):
		fmt.Fprint(out, s.Describe(strings.TrimSuffix(line, "?")))
	case strings.HasSuffix(line, "<TAB>"):
		insert, choices := s.Complete(strings.TrimSuffix(line, "<TAB>"))
		fmt.Fprintf(out, "%q\n%s", insert, vty.FormatChoices(choices, 0))
	default:
		if quit = s.Execute(line); quit {
			fmt.Fprintln(out, "closed")
		}
	}
	return quit
}

func scriptRead(ts *testscript.TestScript, neg bool, args []string) {
	err := demoTree().ReadFile(args[0], strings.NewReader(ts.ReadFile(args[0])), nil, ts.Stdout())
	var fe *vty.FileError
	switch {
	case err == nil:
		fmt.Fprintln(ts.Stdout(), "ok")
	case errors.As(err, &fe):
		fmt.Fprintf(ts.Stdout(), "%v\n", fe)
	default:
		ts.Fatalf("%T is no *FileError: %v", err, err)
	}
	if neg != (err != nil) {
		ts.Fatalf("read: %v", err)
	}
}

func scriptReference(ts *testscript.TestScript, neg bool, args []string) {
	if args[0] == "xml" {
		ts.Check(demoTree().WriteXML(ts.Stdout()))
		return
	}
	ts.Check(demoTree().WriteMarkdown(ts.Stdout()))
}
