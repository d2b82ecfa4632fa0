package logging

import (
	"context"
	"log/slog"
	"testing"
)

// busy is a hub of a gateway at work: two targets, and one category that is
// shown in every detail.
func busy(t testing.TB) *Hub {
	h := New("lns", "lbssgp", "lnsdata")
	for range 2 {
		s := h.Open(func(string) {})
		s.Set(Levels{ByCategory: map[string]slog.Level{"lns": LevelDebug}}, DefaultFormat, Filter{})
		t.Cleanup(s.Close)
	}
	return h
}

// A category that is off costs no allocation, even while another one is on.
func TestOffAllocatesNothing(t *testing.T) {
	log := busy(t).Logger().With("cat", "lnsdata")
	ctx, nsei := t.Context(), uint64(40000)
	if log.Enabled(ctx, LevelDebug) {
		t.Fatal("the category is on")
	}
	if n := testing.AllocsPerRun(1000, func() {
		if log.Enabled(ctx, LevelDebug) {
			log.Debug("x", "nsei", nsei)
		}
		log.LogAttrs(ctx, LevelDebug, "x", slog.Uint64("nsei", nsei), slog.String("why", "because"))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whether a line of a category is wanted is known before it is made, for each
// category by itself, and at once after a change.
func TestEnabledIsByCategory(t *testing.T) {
	h := busy(t)
	lns, data := h.Logger().With("cat", "lns"), h.Logger().With("cat", "lnsdata")
	if !lns.Enabled(t.Context(), LevelDebug) || data.Enabled(t.Context(), LevelInfo) {
		t.Error("lns is off, or lnsdata on")
	}
	s := h.Open(func(string) {})
	s.Set(Levels{ByCategory: map[string]slog.Level{"lnsdata": LevelDebug}}, DefaultFormat, Filter{})
	if !data.Enabled(t.Context(), LevelDebug) {
		t.Error("lnsdata is not on")
	}
	s.Set(Levels{ByCategory: map[string]slog.Level{"lnsdata": LevelDebug}}, DefaultFormat, Filter{Only: true})
	if data.Enabled(t.Context(), LevelDebug) {
		t.Error("lnsdata is on though nothing passes")
	}
	s.Close()
	if data.Enabled(t.Context(), LevelDebug) {
		t.Error("lnsdata stays on after the session's end")
	}
}

func BenchmarkOff(b *testing.B) {
	log, ctx := busy(b).Logger().With("cat", "lnsdata"), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if log.Enabled(ctx, LevelDebug) {
			b.Fatal("on")
		}
	}
}

func BenchmarkOn(b *testing.B) {
	log, ctx := busy(b).Logger().With("cat", "lns"), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		log.LogAttrs(ctx, LevelDebug, "NS PDU received", slog.Uint64("nsei", 101), slog.String("bind", "ran"))
	}
}
