package logging

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// receiver is a socket as the system log or the journal has one.
type receiver struct {
	t *testing.T
	c net.PacketConn
}

func listen(t *testing.T, path string) receiver {
	c, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return receiver{t, c}
}

func (r receiver) next() string {
	r.t.Helper()
	b := make([]byte, 65536)
	r.c.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, _, err := r.c.ReadFrom(b)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b[:n])
}

// at puts a path in the place of the system's for one test.
func at[T any](t *testing.T, where *T, v T) {
	was := *where
	*where = v
	t.Cleanup(func() { *where = was })
}

// targets opens targets, and closes them at the end.
func targets(t *testing.T, h *Hub, ts ...Target) {
	t.Helper()
	set, err := h.SetTargets(nil, ts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close(h) })
}

// RFC 3164: facility times 8 plus severity, date, tag. Facilities and severities
// by their numbers in RFC 5424 6.2.1.
func TestSyslog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	at(t, &syslogPaths, []string{path})
	for facility, number := range map[string]string{"user": "1", "daemon": "3", "local 3": "19", "authpriv": "10"} {
		h := New()
		r := listen(t, path)
		set, err := h.SetTargets(nil, []Target{{Kind: "syslog", Arg: facility, Format: DefaultFormat}})
		if err != nil {
			t.Fatal(err)
		}
		for i, level := range []func(string, ...any){h.Logger().Error, h.Logger().Warn} {
			level("NSE is down", "nsei", 101)
			got := r.next()
			want := map[string][2]string{"1": {"11", "12"}, "3": {"27", "28"}, "19": {"155", "156"}, "10": {"83", "84"}}[number][i]
			if !regexp.MustCompile(`^<` + want + `>[A-Z][a-z]{2} [ 1-3]\d \d\d:\d\d:\d\d poolgw\[\d+\]: DLGLOBAL \w+ NSE is down nsei=101$`).MatchString(got) {
				t.Errorf("%s: %q, want priority %s", facility, got, want)
			}
		}
		set.Close(h)
		r.c.Close()
		os.Remove(path)
	}
}

// A system log that listens on a stream gets lines.
func TestSyslogStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	at(t, &syslogPaths, []string{path})
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := New()
	targets(t, h, Target{Kind: "syslog", Arg: "daemon"})
	h.Logger().Error("one")
	h.Logger().Error("two")
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	b := make([]byte, 1000)
	for got := ""; strings.Count(got, "\n") < 2; {
		n, err := c.Read(b)
		if got += string(b[:n]); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
	}
}

// poolgw starts without the receiver, tells that it is missing, and goes on when
// it comes; when it is started anew, nothing is lost that comes after.
func TestReceiverComesAndGoes(t *testing.T) {
	at(t, &redialAfter, time.Millisecond)
	path := filepath.Join(t.TempDir(), "socket")
	at(t, &journalSocket, path)
	h := New()
	told := make(chan string, 100)
	s := h.Open(func(l string) { told <- l })
	defer s.Close()
	targets(t, h, Target{Kind: "systemd-journal", Raw: true})
	wait := func(want string) {
		t.Helper()
		for limit := time.After(5 * time.Second); ; {
			select {
			case l := <-told:
				if strings.Contains(l, want) {
					return
				}
			case <-limit:
				t.Fatalf("no line with %q", want)
			}
		}
	}
	h.Logger().Error("lost")
	wait("log target systemd-journal does not work")
	r := listen(t, path)
	time.Sleep(2 * time.Millisecond)
	h.Logger().Error("first")
	wait("log target systemd-journal works again, 1 lines are lost")
	if got := r.next(); !strings.HasSuffix(got, "\nMESSAGE=first\n") {
		t.Errorf("%q", got)
	}
	r.c.Close()
	os.Remove(path)
	r = listen(t, path)
	h.Logger().Error("second")
	if got := r.next(); !strings.HasSuffix(got, "\nMESSAGE=second\n") {
		t.Errorf("%q", got)
	}
	if h.Failed() != 1 {
		t.Errorf("%d lines failed", h.Failed())
	}
}

// The journal's native protocol: FIELD=VALUE lines. No value may bring a line of
// its own.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	at(t, &journalSocket, path)
	r := listen(t, path)
	for _, c := range []struct {
		raw     bool
		message string
	}{{true, `a  PRIORITY=0 why="x\nPRIORITY=0"`}, {false, `DLNS NOTICE a  PRIORITY=0 why="x\nPRIORITY=0"`}} {
		h := New("gprs", "lns")
		f := DefaultFormat
		f.Color = true // not there
		set, err := h.SetTargets(nil, []Target{{Kind: "systemd-journal", Raw: c.raw, Format: f}})
		if err != nil {
			t.Fatal(err)
		}
		h.Logger().Log(t.Context(), LevelNotice, "a\n\x1bPRIORITY=0", "cat", "lns", "why", "x\nPRIORITY=0")
		fields := map[string]string{}
		for l := range strings.Lines(r.next()) {
			name, value, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "=")
			if _, twice := fields[name]; twice {
				t.Errorf("two fields %s", name)
			}
			fields[name] = value
		}
		for name, want := range map[string]string{"MESSAGE": c.message, "PRIORITY": "5", "SYSLOG_IDENTIFIER": "poolgw",
			"OSMO_SUBSYS": "DLNS", "OSMO_SUBSYS_HEX": "0001", "CODE_FILE": "logging/datagram_test.go"} {
			if fields[name] != want {
				t.Errorf("raw %v: %s=%q, want %q", c.raw, name, fields[name], want)
			}
		}
		set.Close(h)
	}
}

// Only the standard error that systemd has made is the journal's.
func TestOnJournal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for env, want := range map[string]bool{"": false, "1:1": false, "x": false, deviceInode(t, f): true} {
		t.Setenv("JOURNAL_STREAM", env)
		if got := onJournal(f); got != want {
			t.Errorf("JOURNAL_STREAM=%s: %v", env, got)
		}
	}
}

// A receiver that takes nothing costs lines, not the program.
func TestReceiverHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	at(t, &journalSocket, path)
	r := listen(t, path)
	h := New()
	set, err := h.SetTargets(nil, []Target{{Kind: "systemd-journal"}})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for range 2000 { // more than a socket holds
		h.Logger().Error(strings.Repeat("x", 4000))
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("logging took %v", d)
	}
	closed := make(chan struct{})
	go func() { set.Close(h); close(closed) }()
	select {
	case <-closed:
	case <-time.After(3 * drainTime):
		t.Error("the end waits for it")
	}
	r.c.Close()
}
