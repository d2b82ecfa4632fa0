package vty_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"poolgw/vty"
)

func TestExecReturnsErrors(t *testing.T) {
	var b strings.Builder
	s, _ := newRoom().open(&b)
	for _, tt := range []struct {
		line string
		want error
	}{
		{"foo", vty.ErrUnknown}, {"show por", vty.ErrAmbiguous}, {"show", vty.ErrIncomplete},
		{"show port all", nil}, {"", nil}, {"! foo", nil},
	} {
		if err := s.Exec(tt.line); err != tt.want {
			t.Errorf("Exec(%q) = %v, want %v", tt.line, err, tt.want)
		}
	}
	if strings.Contains(b.String(), "%") {
		t.Errorf("Exec printed an error: %s", b.String())
	}
}

func TestErrorLine(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("no such bind"), "% no such bind"},
		{vty.Raw("No such bind!"), "No such bind!"},
		{fmt.Errorf("bind: %w", vty.Raw("none")), "bind: none"},
		{errors.New("% Warning: overlap"), "% Warning: overlap"},
		{vty.ErrUnknown, "% Unknown command."},
	} {
		if got := vty.ErrorLine(tt.err); got != tt.want {
			t.Errorf("ErrorLine(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}

// quitter answers as a pager that the user left.
type quitter struct{}

func (quitter) Write([]byte) (int, error) { return 0, vty.ErrQuit }

func TestLeavingThePagerIsNoError(t *testing.T) {
	var b strings.Builder
	r := newRoom()
	s, c := r.open(&b)
	s.Execute("enable")
	c.Out = quitter{}
	if err := s.Exec("show running-config"); !errors.Is(err, vty.ErrQuit) {
		t.Errorf("Exec = %v, want ErrQuit", err)
	}
	c.Out = quitterOnce(&b)
	s.Execute("show running-config")
	if strings.Contains(b.String(), "%") {
		t.Errorf("printed %q", b.String())
	}
}

// quitterOnce refuses what RunningConfig writes and takes everything else.
func quitterOnce(w io.Writer) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		if strings.HasPrefix(string(p), "port") {
			return 0, vty.ErrQuit
		}
		return w.Write(p)
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Facts: G11-23
func TestTerminalCommands(t *testing.T) {
	r := newRoom()
	s, c := r.open(io.Discard)
	for _, tt := range []struct {
		line    string
		length  int
		monitor bool
	}{
		{"terminal length 24", 24, false},
		{"terminal length 0", 0, false},
		{"terminal no length", -1, false},
		{"enable", -1, false},
		{"terminal monitor", -1, true},
		{"terminal no monitor", -1, false},
	} {
		s.Execute(tt.line)
		if c.length != tt.length || c.monitor != tt.monitor {
			t.Errorf("%s: length %d, monitor %v", tt.line, c.length, c.monitor)
		}
	}
	s.Execute("shutdown")
	if !r.prog.down {
		t.Error("shutdown did not reach the program")
	}
}

func TestShowOfTheProcess(t *testing.T) {
	var b strings.Builder
	s, c := newRoom().open(&b)
	c.lines = []string{"first", "second one"}
	for _, l := range []string{"show pid", "show uptime", "show history"} {
		s.Execute(l)
	}
	want := fmt.Sprintf("^%d\nDemo has been running for 0d 0h 0m [0-9]+s\n  first\n  second one\n$", os.Getpid())
	if !regexp.MustCompile(want).MatchString(b.String()) {
		t.Errorf("got %q, want %s", b.String(), want)
	}
}

// Facts: G11-03
func TestPromptHasTheHostname(t *testing.T) {
	r := newRoom()
	s, _ := r.open(io.Discard)
	if p := s.Prompt(); p != "Demo> " {
		t.Errorf("prompt %q without a host name", p)
	}
	r.conf.Hostname = "lab7"
	s.Execute("enable")
	s.Execute("configure")
	if p := s.Prompt(); p != "lab7(config)# " {
		t.Errorf("prompt %q", p)
	}
}

func TestAdvancedSessionsBeginPrivileged(t *testing.T) {
	for _, tt := range []struct {
		conf vty.Settings
		want vty.Node
	}{
		{vty.Settings{}, vty.ViewNode},
		{vty.Settings{Advanced: true}, vty.EnableNode},
		{vty.Settings{Advanced: true, EnablePassword: "secret"}, vty.ViewNode},
	} {
		r := newRoom()
		r.conf = tt.conf
		if s, _ := r.open(io.Discard); s.Node() != tt.want {
			t.Errorf("%+v: a session begins in %s, want %s", tt.conf, s.Node(), tt.want)
		}
	}
}

func TestDescribeFoldsAtTheWindow(t *testing.T) {
	rows := []vty.HelpRow{{Token: "up", Doc: "Switch the port on and wait for it"}, {Token: "description", Doc: "Text"}}
	const want = "" +
		"  up           Switch the port on\n" +
		"               and wait for it\n" +
		"  description  Text\n"
	if got := vty.FormatHelp(rows, 35); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := vty.FormatHelp(rows, 0); strings.Count(got, "\n") != 2 {
		t.Errorf("width 0 folds:\n%s", got)
	}
}

func TestFormatChoices(t *testing.T) {
	// As Osmocom's VTY shows them.
	if got := vty.FormatChoices([]string{"bvc", "cell", "tlli-cache", "imsi-cache"}, 80); got != "bvc        cell       tlli-cache imsi-cache \n" {
		t.Errorf("got %q", got)
	}
	if got := vty.FormatChoices([]string{"a", "b", "c"}, 23); got != "a          b          \nc          \n" {
		t.Errorf("narrow: %q", got)
	}
	if got := vty.FormatChoices([]string{"a-very-long-keyword", "b"}, 10); got != "a-very-long-keyword \nb                   \n" {
		t.Errorf("too narrow: %q", got)
	}
	if got := vty.FormatChoices(nil, 80); got != "" {
		t.Errorf("none: %q", got)
	}
}

// Of many sessions that want to configure at once, one is let in.
// Facts: G11-08
func TestLockIsExclusive(t *testing.T) {
	r := newRoom()
	var sessions []*vty.Session
	for range 16 {
		s, _ := r.open(io.Discard)
		s.Execute("enable")
		sessions = append(sessions, s)
	}
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() { errs[i] = s.Exec("configure terminal") })
	}
	wg.Wait()
	in := -1
	for i, err := range errs {
		if err == nil && in >= 0 {
			t.Fatalf("sessions %d and %d configure at once", in, i)
		}
		if err == nil {
			in = i
		}
	}
	want := fmt.Sprintf("VTY configuration is locked by vty %d (127.0.0.1:%d)", in, 40000+in)
	for i, err := range errs {
		if i != in && (err == nil || err.Error() != want) {
			t.Errorf("session %d: %v, want %s", i, err, want)
		}
	}
}

func TestEnterUnknownNode(t *testing.T) {
	s, _ := newRoom().open(io.Discard)
	wantPanic(t, `no node "nowhere"`, func() { s.Enter("nowhere", nil) })
}

// A program that runs commands without a user.
func TestHeadless(t *testing.T) {
	var b strings.Builder
	closed := false
	h := &vty.Headless{Out: &b, Conf: vty.Settings{EnablePassword: "secret"}}
	h.OnClose(func() { closed = true })
	s := vty.NewSession(demoTree(), h)
	for _, l := range []string{"show port 7", "show version", "enable"} {
		s.Execute(l)
	}
	h.Close()
	const want = "ran show port <1-48> [stats] with [\"7\" \"\"]\n% no program behind this terminal\n% nobody can be asked for a password\n"
	if b.String() != want || !closed {
		t.Errorf("closed %v, printed %q", closed, b.String())
	}
}

// What a file could not hold is not taken from a session: it would be written
// and not read again.
func TestExecRefusesWhatNoFileHolds(t *testing.T) {
	r := newRoom()
	s, _ := r.open(io.Discard)
	defer s.Close()
	for _, line := range []string{"title a\x00b", "\x00", "title " + strings.Repeat("x", vty.MaxFileLine)} {
		s.Execute("enable")
		s.Execute("configure")
		if err := s.Exec(line); err == nil {
			t.Errorf("%.20q was taken", line)
		}
	}
}
