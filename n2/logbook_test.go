package n2_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// logbook keeps what a gateway logs, a line for each record: "ngap INFO gNB up id=001-01-7".
type logbook struct {
	mu    *sync.Mutex
	lines *[]string
	cat   string
}

func newLogbook() *logbook { return &logbook{mu: new(sync.Mutex), lines: new([]string)} }

func (l *logbook) Enabled(_ context.Context, v slog.Level) bool { return v >= slog.LevelInfo }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.cat + " " + r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	*l.lines = append(*l.lines, line)
	return nil
}

func (l *logbook) WithAttrs(as []slog.Attr) slog.Handler {
	n := *l
	for _, a := range as {
		if a.Key == "cat" {
			n.cat = a.Value.String()
		}
	}
	return &n
}

func (l *logbook) WithGroup(string) slog.Handler { return l }

// count is how many lines hold a text.
func (l *logbook) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range *l.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// Lines about the pool and NGAP are of category ngap, those about associations of
// category sctp; none is of another.
func TestLogCategories(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(7)
		g.send(0, simple(9, 0))
		b.amfs[1].last().assoc.Abort("killed")
		b.sleep(5 * time.Second)
		g.assoc.Abort("gone")
		b.settle()
		for _, line := range []string{"sctp INFO gNBs may associate", "sctp INFO gNB associated", "ngap INFO AMF up", "ngap INFO gNB up",
			"ngap WARN Error Indication", "sctp WARN the association to the AMF ended", "sctp WARN the gNB's association ended"} {
			if b.log.count(line) == 0 {
				t.Errorf("no line %q", line)
			}
		}
		if all := len(*b.log.lines); b.log.count("sctp ")+b.log.count("ngap ") < all {
			t.Errorf("lines of other categories: %q", *b.log.lines)
		}
	})
}
