package logging

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Hub takes records from slog and gives them to its targets.
type Hub struct {
	mu     sync.Mutex // guards changes of sinks
	sinks  atomic.Pointer[[]*sink]
	any    atomic.Int64             // lowest level that any sink takes of any category
	byCat  map[string]*atomic.Int64 // … of one category; the map never changes
	cats   []string
	limits atomic.Pointer[[numClasses]*rate.Limiter]
	muted  atomic.Uint64 // records over the limit that are not told yet
	tells  *rate.Limiter // of lines that tell of them
	counts counts
	now    func() time.Time
	key    []byte // of the pseudonyms
}

// counts are what Register exports.
type counts struct {
	held    atomic.Uint64 // over the limit
	dropped atomic.Uint64 // a target's queue was full
	failed  atomic.Uint64 // a target could not write
}

// sink is one receiver of lines; what it takes changes as a whole.
type sink struct {
	out   output // nil: a session
	name  string // for the line that says that it does not work
	rule  atomic.Pointer[rule]
	write func(e entry, line string) // of one sink: never blocks unless the target is a blocking one
	close func()
}

type rule struct {
	levels Levels
	format Format
	filter Filter
}

// New returns a hub without targets. categories, in the order of their
// numbers, have a level word each, so that a logger with one of them
// (With("cat", …)) costs nothing while its category is off; others are logged
// too.
func New(categories ...string) *Hub {
	h := &Hub{now: time.Now, cats: categories, byCat: make(map[string]*atomic.Int64, len(categories)), key: newKey(),
		tells: rate.NewLimiter(1, 1)}
	for _, c := range append([]string{defaultCategory}, categories...) {
		h.byCat[c] = new(atomic.Int64)
	}
	h.store(nil)
	h.SetLimit(0)
	return h
}

// defaultCategory is that of a record which names none.
const defaultCategory = "lglobal"

// Logger returns a logger whose records go to h.
func (h *Hub) Logger() *slog.Logger {
	return slog.New(&handler{hub: h, cat: defaultCategory, lowest: &h.any})
}

// Unlimited returns a logger like Logger's whose records the limit never holds
// back: for what the configuration asks for, not a peer.
func (h *Hub) Unlimited() *slog.Logger {
	return slog.New(&handler{hub: h, cat: defaultCategory, lowest: &h.any, free: true})
}

// The limit holds for each class by itself, so that what a peer provokes at
// level info never hides an error.
const (
	classLow    = iota // debug, info
	classNotice        // notice
	classHigh          // warnings, errors
	numClasses
)

func classOf(l slog.Level) int {
	switch {
	case l < LevelNotice:
		return classLow
	case l == LevelNotice:
		return classNotice
	}
	return classHigh
}

// SetLimit bounds the lines per second of each class of levels (debug and info;
// notice; warnings and errors), FATAL ones excepted; 0 is no limit. What is
// held back is counted, and told before the next line that passes, once a
// second at most.
func (h *Hub) SetLimit(perSecond int) {
	var l [numClasses]*rate.Limiter
	for i := range l {
		l[i] = rate.NewLimiter(rate.Limit(perSecond), perSecond)
		if perSecond <= 0 {
			l[i] = rate.NewLimiter(rate.Inf, 0)
		}
	}
	h.limits.Store(&l)
}

// Muted returns how many records the limit has held back.
func (h *Hub) Muted() uint64 { return h.counts.held.Load() }

// Dropped returns how many lines slow targets have lost.
func (h *Hub) Dropped() uint64 { return h.counts.dropped.Load() }

// Failed returns how many lines targets could not write.
func (h *Hub) Failed() uint64 { return h.counts.failed.Load() }

func (h *Hub) add(s *sink) { h.replace(nil, []*sink{s}) }

func (h *Hub) remove(s *sink) { h.replace([]*sink{s}, nil) }

// replace swaps sinks in one step, so that no line is written twice or by none.
func (h *Hub) replace(old, new []*sink) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(*h.sinks.Load()), func(s *sink) bool { return slices.Contains(old, s) })
	h.store(append(list, new...))
}

// store publishes the sinks and the levels that they take; the caller holds mu.
func (h *Hub) store(list []*sink) {
	lowest := func(of func(*Levels) slog.Level) int64 {
		l := LevelFatal + 1
		for _, s := range list {
			if r := s.rule.Load(); !r.filter.none() {
				l = min(l, of(&r.levels))
			}
		}
		return int64(l)
	}
	h.sinks.Store(&list)
	h.any.Store(lowest((*Levels).min))
	for cat, word := range h.byCat {
		word.Store(lowest(func(l *Levels) slog.Level { return l.Of(cat) }))
	}
}

func (h *Hub) relevel() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store(*h.sinks.Load())
}

// emit gives e, which is about the attributes of about, to the sinks whose rule
// takes it, except one.
func (h *Hub) emit(e entry, about attrs, except *sink) {
	e.index = max(slices.Index(h.cats, e.cat), 0)
	plain, masked := e.text, ""
	for _, s := range *h.sinks.Load() {
		r := s.rule.Load()
		if s == except || !r.takes(&e, about) {
			continue
		}
		e.text = plain
		if r.format.Mask {
			if masked == "" {
				masked = h.mask(plain)
			}
			e.text = masked
		}
		s.write(e, r.format.line(e))
	}
}

// wanted tells whether any sink takes e.
func (h *Hub) wanted(e *entry, about attrs) bool {
	return slices.ContainsFunc(*h.sinks.Load(), func(s *sink) bool { return s.rule.Load().takes(e, about) })
}

func (r *rule) takes(e *entry, about attrs) bool {
	return e.level >= r.levels.Of(e.cat) && r.filter.takes(about)
}

// admit applies the limit; it returns how many records that were held back are
// to be told now.
func (h *Hub) admit(level slog.Level) (before uint64, ok bool) {
	if level < LevelFatal && !h.limits.Load()[classOf(level)].AllowN(h.now(), 1) {
		h.muted.Add(1)
		h.counts.held.Add(1)
		return 0, false
	}
	if h.muted.Load() == 0 || !h.tells.AllowN(h.now(), 1) {
		return 0, true
	}
	return h.muted.Swap(0), true
}

// tell writes a line of the log's own to all sinks except one.
func (h *Hub) tell(level slog.Level, except *sink, format string, args ...any) {
	h.emit(entry{time: h.now(), level: level, cat: defaultCategory, text: clean(fmt.Sprintf(format, args...))}, attrs{}, except)
}
