package logging

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// handler is the slog side of a Hub.
type handler struct {
	hub    *Hub
	cat    string
	lowest *atomic.Int64 // of cat; of any category while cat may come with the record
	text   string        // the attributes, rendered
	bound  []slog.Attr
	prefix string // of groups
	free   bool   // of the limit
}

// attrs are all attributes of one record.
type attrs struct {
	bound  []slog.Attr
	record *slog.Record // nil: none
}

// any tells whether f holds for one of them.
func (as attrs) any(f func(slog.Attr) bool) bool {
	if slices.ContainsFunc(as.bound, f) {
		return true
	}
	found := false
	if as.record != nil {
		as.record.Attrs(func(a slog.Attr) bool {
			found = f(a)
			return !found
		})
	}
	return found
}

// Enabled costs one atomic load and allocates nothing.
func (h *handler) Enabled(_ context.Context, l slog.Level) bool {
	return int64(l) >= h.lowest.Load()
}

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	e := entry{time: r.Time, level: r.Level, cat: h.cat, pc: r.PC}
	about := attrs{h.bound, &r}
	about.any(func(a slog.Attr) bool {
		if a.Key == "cat" {
			e.cat = a.Value.String()
		}
		return false
	})
	if !h.hub.wanted(&e, about) {
		return nil
	}
	before, ok := uint64(0), true
	if !h.free {
		before, ok = h.hub.admit(r.Level)
	}
	if !ok {
		return nil
	}
	if e.time.IsZero() {
		e.time = h.hub.now()
	}
	if before > 0 {
		h.hub.tell(LevelNotice, nil, "%d log lines held back by the limit", before)
	}
	e.text, e.tid = h.render(&r), unix.Gettid()
	h.hub.emit(e, about, nil)
	return nil
}

// maxText bounds a line's text, in octets; the rest is cut off.
const maxText = 4096

// render writes the message and its attributes.
func (h *handler) render(r *slog.Record) string {
	var b strings.Builder
	b.WriteString(clean(r.Message))
	b.WriteString(h.text)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "cat" {
			appendAttr(&b, h.prefix, a)
		}
		return b.Len() < maxText
	})
	if b.Len() > maxText {
		return strings.ToValidUTF8(b.String()[:maxText], "") + "…"
	}
	return b.String()
}

func (h *handler) WithAttrs(as []slog.Attr) slog.Handler {
	n := *h
	var b strings.Builder
	b.WriteString(h.text)
	n.bound = slices.Clip(h.bound)
	for _, a := range as {
		if a.Key == "cat" {
			n.cat = a.Value.String()
			n.lowest = h.hub.word(n.cat)
			continue
		}
		n.bound = append(n.bound, a)
		appendAttr(&b, h.prefix, a)
	}
	n.text = b.String()
	return &n
}

func (h *handler) WithGroup(name string) slog.Handler {
	n := *h
	n.prefix = h.prefix + name + "."
	return &n
}

// word is the lowest level that is taken of a category.
func (h *Hub) word(cat string) *atomic.Int64 {
	if w, ok := h.byCat[cat]; ok {
		return w
	}
	return &h.any
}

// LimitsItself tells those who would bound what peers make them log that the
// Hub does.
func (h *handler) LimitsItself() bool { return true }
