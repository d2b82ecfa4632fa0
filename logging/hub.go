package logging

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Hub takes records from slog and gives them to its targets.
type Hub struct {
	mu      sync.Mutex // guards changes of sinks
	sinks   atomic.Pointer[[]*sink]
	lowest  atomic.Int64 // lowest level that any sink takes
	limit   atomic.Pointer[rate.Limiter]
	muted   atomic.Uint64 // records over the limit since the last line
	mutedIn atomic.Uint64 // records over the limit ever
	cats    []string
	now     func() time.Time
}

// sink is one receiver of lines; levels and format change as a whole.
type sink struct {
	rule  atomic.Pointer[rule]
	write func(e entry, line string)
	close func()
}

type rule struct {
	levels Levels
	format Format
}

// New returns a hub without targets. categories, in the order of their
// numbers, serve "print category-hex" alone: others are logged too.
func New(categories ...string) *Hub {
	h := &Hub{now: time.Now, cats: categories}
	h.sinks.Store(&[]*sink{})
	h.lowest.Store(int64(LevelFatal) + 1)
	h.SetLimit(0)
	return h
}

// Logger returns a logger whose records go to h.
func (h *Hub) Logger() *slog.Logger { return slog.New(&handler{hub: h, cat: "lglobal"}) }

// SetLimit bounds the records per second, FATAL ones excepted; 0 is no limit.
// What is held back is counted, and told in a line before the next one that
// passes.
func (h *Hub) SetLimit(perSecond int) {
	if perSecond <= 0 {
		h.limit.Store(rate.NewLimiter(rate.Inf, 0))
		return
	}
	h.limit.Store(rate.NewLimiter(rate.Limit(perSecond), perSecond))
}

// Muted returns how many records the limit has held back.
func (h *Hub) Muted() uint64 { return h.mutedIn.Load() }

func (h *Hub) add(s *sink) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := append(append([]*sink(nil), *h.sinks.Load()...), s)
	h.store(list)
}

func (h *Hub) remove(s *sink) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*sink
	for _, o := range *h.sinks.Load() {
		if o != s {
			list = append(list, o)
		}
	}
	h.store(list)
}

// store publishes the sinks; the caller holds mu.
func (h *Hub) store(list []*sink) {
	lowest := LevelFatal + 1
	for _, s := range list {
		if r := s.rule.Load(); !r.format.Discard {
			lowest = min(lowest, r.levels.min())
		}
	}
	h.sinks.Store(&list)
	h.lowest.Store(int64(lowest))
}

func (h *Hub) relevel() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store(*h.sinks.Load())
}

// emit gives e to the sinks whose rule takes it.
func (h *Hub) emit(e entry) {
	e.index = max(slices.Index(h.cats, e.cat), 0)
	for _, s := range *h.sinks.Load() {
		r := s.rule.Load()
		if r.format.Discard || e.level < r.levels.Of(e.cat) {
			continue
		}
		s.write(e, r.format.line(e))
	}
}

// admit applies the limit; it returns how many records were held back before
// this one.
func (h *Hub) admit(level slog.Level) (before uint64, ok bool) {
	if level < LevelFatal && !h.limit.Load().AllowN(h.now(), 1) {
		h.muted.Add(1)
		h.mutedIn.Add(1)
		return 0, false
	}
	return h.muted.Swap(0), true
}

// handler is the slog side of a Hub.
type handler struct {
	hub    *Hub
	cat    string
	attrs  string // rendered
	prefix string // of groups
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool {
	return int64(l) >= h.hub.lowest.Load()
}

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	before, ok := h.hub.admit(r.Level)
	if !ok {
		return nil
	}
	var b strings.Builder
	b.WriteString(clean(r.Message))
	b.WriteString(h.attrs)
	cat := h.cat
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "cat" {
			cat = a.Value.String()
		} else {
			appendAttr(&b, h.prefix, a)
		}
		return true
	})
	t := r.Time
	if t.IsZero() {
		t = h.hub.now()
	}
	if before > 0 {
		h.hub.emit(entry{time: t, level: LevelNotice, cat: "lglobal",
			text: fmt.Sprintf("%d log lines held back by the limit", before)})
	}
	h.hub.emit(entry{time: t, level: r.Level, cat: cat, text: b.String(), pc: r.PC})
	return nil
}

func (h *handler) WithAttrs(as []slog.Attr) slog.Handler {
	n := *h
	var b strings.Builder
	b.WriteString(h.attrs)
	for _, a := range as {
		if a.Key == "cat" {
			n.cat = a.Value.String()
			continue
		}
		appendAttr(&b, h.prefix, a)
	}
	n.attrs = b.String()
	return &n
}

func (h *handler) WithGroup(name string) slog.Handler {
	n := *h
	n.prefix = h.prefix + name + "."
	return &n
}
