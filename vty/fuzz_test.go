package vty_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"poolgw/vty"
)

// FuzzExec types lines. Whatever they are, the session has a prompt, its lock
// is free after Close, and what TAB makes of a line begins with the line.
func FuzzExec(f *testing.F) {
	for _, seed := range []string{
		"enable\nconfigure terminal\nport 1\nlane 2\nweight 3\ntitle x\nend\nexit",
		"enable expert-mode\nprod 1\necho a  b\ndo x\nconf\ndo show po\ntrim -5 now\nroute 10.0.0.0/8 1.2.3.4",
		"?\nsho\nshow port <1-48>\n[stats]\n(8|)\n.TEXT\n!\n#\n \t\v\r\x00\xff",
	} {
		f.Add(seed)
	}
	r := newRoom()
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := r.open(io.Discard)
		r.screens = r.screens[:0]
		for line := range strings.SplitSeq(text, "\n") {
			if s.Prompt() == "" {
				t.Fatal("no prompt")
			}
			s.Describe(line)
			checkCompletion(t, r.tree, s, line)
			if s.Execute(line) {
				break
			}
		}
		s.Close()
		next, _ := r.open(io.Discard)
		next.Execute("enable")
		if err := next.Exec("configure"); err != nil {
			t.Fatalf("after Close: %v", err)
		}
		next.Close()
	})
}

// checkCompletion sees that TAB only adds, that what it completed can go on or
// end there, and that a common beginning is all that several words have.
func checkCompletion(t *testing.T, tree *vty.Tree, s *vty.Session, line string) {
	c := tree.Complete(s.Node(), s.Expert(), line)
	switch {
	case !strings.HasPrefix(c.Line, line):
		t.Fatalf("TAB made %q of %q", c.Line, line)
	case c.Line == line:
	case strings.HasSuffix(c.Line, " "):
		if _, err := tree.Help(s.Node(), s.Expert(), c.Line); err != nil {
			t.Fatalf("TAB made %q of %q: %v", c.Line, line, err)
		}
	default:
		if again := tree.Complete(s.Node(), s.Expert(), c.Line); again.Line != c.Line {
			t.Fatalf("TAB made %q of %q and then %q", c.Line, line, again.Line)
		}
	}
}

// FuzzReadFile reads files: each is taken or refused with its place. A reader
// that goes on agrees on the first fault, and tells each line once.
func FuzzReadFile(f *testing.F) {
	for _, seed := range []string{
		"title x\nport 1\n up\n lane 2\n  weight 3\n ! c\n no up\nport 2\nend\n",
		"  port 1\r\n\tup\r\n  exit\nexit\nend", "port 1\n \tlane 1\n \t weight 1\n \t  weight 2\n", "limit 7", "\x00", "\xef\xbb\xbftitle x",
	} {
		f.Add(seed)
	}
	tree := demoTree()
	f.Fuzz(func(t *testing.T, text string) {
		err := tree.ReadFile("x.cfg", strings.NewReader(text), nil, io.Discard)
		var fe *vty.FileError
		all := tree.ReadFileOn("x.cfg", strings.NewReader(text), nil, io.Discard, 100)
		if (err == nil) != (len(all) == 0) || len(all) > 0 && all[0].Error() != err.Error() {
			t.Fatalf("error %v, and going on %v", err, all)
		}
		for i := 1; i < len(all); i++ {
			if all[i].Line <= all[i-1].Line {
				t.Fatalf("line %d after %d", all[i].Line, all[i-1].Line)
			}
		}
		if err == nil {
			return
		}
		if !errors.As(err, &fe) || fe.Err == nil || fe.Line < 1 || fe.Line > strings.Count(text, "\n")+1 {
			t.Fatalf("error %#v", err)
		}
	})
}
