package logging

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collect opens a session that keeps its lines.
func collect(h *Hub) (*Session, *[]string) {
	var got []string
	return h.Open(func(l string) { got = append(got, l) }), &got
}

func level(l slog.Level) *slog.Level { return &l }

func TestLevelsByCategory(t *testing.T) {
	h := New()
	s, got := collect(h)
	defer s.Close()
	s.Set(Levels{ByCategory: map[string]slog.Level{"lns": LevelDebug}, All: level(LevelError)}, DefaultFormat, Filter{})
	log := h.Logger()
	log.With("cat", "lns").Debug("a", "nsei", 101)
	log.With("cat", "lbssgp").Info("b")
	log.Error("c d", "why", "two words")
	want := []string{"DLNS DEBUG a nsei=101", `DLGLOBAL ERROR c d why="two words"`}
	if strings.Join(*got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", *got, want)
	}
}

func TestForceBeatsAll(t *testing.T) {
	l := Levels{ByCategory: map[string]slog.Level{"lns": LevelFatal}, Force: level(LevelDebug)}
	if l.Of("lns") != LevelDebug || l.min() != LevelDebug {
		t.Error("force-all does not win")
	}
}

func TestEnabledFollowsSinks(t *testing.T) {
	h := New()
	log := h.Logger()
	if log.Enabled(t.Context(), LevelFatal) {
		t.Error("enabled without a sink")
	}
	s, _ := collect(h)
	if !log.Enabled(t.Context(), LevelNotice) || log.Enabled(t.Context(), LevelInfo) {
		t.Error("the default level is not NOTICE")
	}
	s.Set(Levels{}, DefaultFormat, Filter{Only: true})
	if log.Enabled(t.Context(), LevelFatal) {
		t.Error("enabled though all is discarded")
	}
	s.Close()
}

func TestLimitCountsAndTells(t *testing.T) {
	h := New()
	now := time.Unix(1000, 0)
	h.now = func() time.Time { return now }
	h.SetLimit(10)
	s, got := collect(h)
	defer s.Close()
	for range 100 {
		h.Logger().Error("flood")
	}
	if len(*got) != 10 || h.Muted() != 90 {
		t.Fatalf("%d lines, %d held back", len(*got), h.Muted())
	}
	now = now.Add(time.Second)
	h.Logger().Error("after")
	if l := (*got)[10]; !strings.Contains(l, "90 log lines held back") {
		t.Errorf("line after the flood: %q", l)
	}
}

func TestControlCharactersNeverPass(t *testing.T) {
	h := New()
	s, got := collect(h)
	defer s.Close()
	h.Logger().Error("a\x1b[2Jb\n", "k", "\x07\r\nx")
	if l := (*got)[0]; strings.ContainsAny(l, "\x1b\n\r\x07") {
		t.Errorf("control characters in %q", l)
	}
}

func TestFileTargetReplacedAndDrained(t *testing.T) {
	h := New()
	name := filepath.Join(t.TempDir(), "log")
	set, err := h.SetTargets(nil, []Target{{Kind: "file", Arg: name, Format: Format{Level: true}}})
	if err != nil {
		t.Fatal(err)
	}
	h.Logger().Error("one")
	if _, err := h.SetTargets(set, []Target{{Kind: "file", Arg: "/nonexistent/x"}}); err == nil {
		t.Fatal("a bad file was accepted")
	}
	h.Logger().Error("two")
	if _, err = h.SetTargets(set, nil); err != nil {
		t.Fatal(err)
	}
	h.Logger().Error("three")
	b, err := os.ReadFile(name)
	if err != nil || string(b) != "ERROR one\nERROR two\n" {
		t.Errorf("file has %q, %v", b, err)
	}
}

// stuck is an output that takes nothing until gate is closed.
type stuck struct{ gate chan struct{} }

func (o stuck) write(entry, string) error { <-o.gate; return nil }
func (o stuck) close()                    {}

func TestSlowTargetDropsAndCounts(t *testing.T) {
	h := New()
	gate := make(chan struct{})
	s := h.newSink("x", stuck{gate}, false)
	h.add(s)
	for range queueLen + 10 {
		h.Logger().Error("x")
	}
	if d := h.Dropped(); d < 9 || d > 10 {
		t.Errorf("dropped %d lines, want 9 or 10", d)
	}
	close(gate)
	h.remove(s)
	s.close()
}

// A pipe that nobody reads holds up neither a change of the log nor the end.
func TestStuckTargetIsGivenUp(t *testing.T) {
	h := New()
	gate := make(chan struct{})
	s := h.newSink("x", stuck{gate}, false)
	h.add(s)
	set := &TargetSet{sinks: map[key]*sink{{}: s}}
	h.Logger().Error("x")
	closed := make(chan struct{})
	go func() { set.Close(h); close(closed) }()
	select {
	case <-closed:
	case <-time.After(5 * drainTime):
		t.Error("waits for ever")
	}
	close(gate)
}

func TestFIFOWithoutReaderIsAnError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := New().SetTargets(nil, []Target{{Kind: "file", Arg: name}})
		failed <- err
	}()
	select {
	case err := <-failed:
		if !errors.Is(err, syscall.ENXIO) {
			t.Errorf("error %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("waits for a reader")
	}
}

func TestAlarms(t *testing.T) {
	h := New()
	set, err := h.SetTargets(nil, []Target{{Kind: "alarms", Arg: "2", Format: DefaultFormat}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(h)
	for _, m := range []string{"a", "b", "c"} {
		h.Logger().Error(m)
	}
	if got, ok := set.Alarms(); !ok || strings.Join(got, "|") != "DLGLOBAL ERROR b|DLGLOBAL ERROR c" {
		t.Errorf("alarms %q", got)
	}
	// The list goes on when another target, or its length, is changed.
	set, err = h.SetTargets(set, []Target{{Kind: "alarms", Arg: "1", Format: DefaultFormat}, {Kind: "stderr", Filter: Filter{Only: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(h)
	if got, _ := set.Alarms(); strings.Join(got, "|") != "DLGLOBAL ERROR c" {
		t.Errorf("alarms %q after a change", got)
	}
}

func TestSourceAndHex(t *testing.T) {
	h := New("gprs", "lns")
	s, got := collect(h)
	defer s.Close()
	s.Set(Levels{}, Format{CategoryHex: true, File: FileBase, FileLast: true}, Filter{})
	h.Logger().Error("x", "cat", "lns")
	if l := (*got)[0]; !strings.HasPrefix(l, "<0001> x (hub_test.go:") {
		t.Errorf("line %q", l)
	}
}

// In a flood that goes on for a second, what is held back is told once, not
// before each of the lines that pass.
func TestHeldBackIsToldOnceASecond(t *testing.T) {
	h := New()
	now := time.Unix(1000, 0)
	h.now = func() time.Time { return now }
	h.SetLimit(10)
	s, got := collect(h)
	defer s.Close()
	for range 1000 {
		h.Logger().Error("flood")
		now = now.Add(2 * time.Millisecond)
	}
	told := 0
	for _, l := range *got {
		if strings.Contains(l, "held back") {
			told++
		}
	}
	if told < 1 || told > 3 || len(*got) < 20 {
		t.Errorf("told %d times in two seconds, among %d lines", told, len(*got))
	}
}

// What the configuration asks for is no flood, and takes nothing from those who
// are limited.
func TestUnlimitedLogger(t *testing.T) {
	h := New()
	h.SetLimit(5)
	s, got := collect(h)
	defer s.Close()
	for range 100 {
		h.Unlimited().With("cat", "lstats").Error("value")
	}
	h.Logger().Error("after")
	if len(*got) != 101 || h.Muted() != 0 {
		t.Errorf("%d lines, %d held back", len(*got), h.Muted())
	}
}
