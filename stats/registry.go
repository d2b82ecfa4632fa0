package stats

import (
	"context"
	"sync"
)

// maxSeries bounds the groups for which rates are kept. Beyond it groups are
// read all the same, without rates and reports; Left counts them.
const maxSeries = 1 << 17

// Registry keeps the rates of what its sources count. Its methods may be called
// from any goroutine; each waits for the sources.
type Registry struct {
	mu      sync.Mutex // one reads at a time: values must not seem to go back
	sources []Source
	series  map[key]*series
	round   uint32 // of whole readings
	seconds int64  // at the last tick
	left    int
}

type key struct {
	group *Group
	index uint32
}

// series is a group over time. A counter that never counted has no track.
type series struct {
	tracks []*track
	round  uint32
}

// track is a counter over time, by its value at the source.
type track struct {
	now      uint64
	base     uint64 // at the last reset
	reported uint64
	high     uint64 // items: the most since the last report
	last     [intervals]uint64
	rates    [intervals]uint64
}

// NewRegistry returns a registry of the sources' groups.
func NewRegistry(sources ...Source) *Registry {
	return &Registry{sources: sources, series: map[key]*series{}}
}

// Left returns how many groups were too many at the last whole reading.
func (r *Registry) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// Read returns the groups that q wants, in the sources' order. An error is a
// source's.
func (r *Registry) Read(ctx context.Context, q Query) ([]Reading, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Reading
	err := r.visit(ctx, q, func(g *Group, index uint32, name string, values []uint64, s *series) {
		if q.Group != "" && q.Group != g.Name || q.Index != nil && *q.Index != index {
			return
		}
		rd := Reading{Group: g, Index: index, Name: name, Values: make([]Value, len(values))}
		for i, v := range values {
			rd.Values[i] = s.value(g, i, v)
		}
		list = append(list, rd)
	})
	return list, err
}

// value is what readers see of counter i, whose source says v.
func (s *series) value(g *Group, i int, v uint64) Value {
	t := s.track(i)
	if t == nil || g.Items {
		return Value{Value: v}
	}
	return Value{Value: v - t.base, Rates: t.rates}
}

func (s *series) track(i int) *track {
	if s == nil {
		return nil
	}
	return s.tracks[i]
}

// visit reads the sources, notes the values and calls f; s is nil for groups
// beyond the bound. The caller holds mu.
func (r *Registry) visit(ctx context.Context, q Query, f func(g *Group, index uint32, name string, values []uint64, s *series)) error {
	if q.whole() {
		r.round++
		r.left = 0
	}
	for _, src := range r.sources {
		if err := src(ctx, q, func(g *Group, index uint32, name string, values []uint64) {
			s := r.note(key{g, index}, values)
			f(g, index, name, values, s)
		}); err != nil {
			return err
		}
	}
	if q.whole() {
		for k, s := range r.series {
			if s.round != r.round {
				delete(r.series, k)
			}
		}
	}
	return nil
}

func (r *Registry) note(k key, values []uint64) *series {
	s := r.series[k]
	if s == nil {
		if len(r.series) >= maxSeries {
			r.left++
			return nil
		}
		s = &series{tracks: make([]*track, len(values))}
		r.series[k] = s
	}
	s.round = r.round
	for i, v := range values {
		if s.tracks[i] == nil && v != 0 {
			s.tracks[i] = &track{}
		}
		if t := s.tracks[i]; t != nil {
			t.note(v, k.group.Items)
		}
	}
	return s
}

// note takes the source's value. A counter that goes back was made anew.
func (t *track) note(v uint64, item bool) {
	if !item && v < t.now {
		*t = track{rates: t.rates}
	}
	t.now, t.high = v, max(t.high, v)
}

// Tick reads everything and ends the intervals that are over, seconds after the
// registry's first.
func (r *Registry) Tick(ctx context.Context, seconds int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.visit(ctx, Query{}, func(*Group, uint32, string, []uint64, *series) {}); err != nil {
		return err
	}
	var over [intervals]bool
	for i, n := range intervalSeconds {
		over[i] = seconds/n != r.seconds/n
	}
	r.seconds = seconds
	for _, s := range r.series {
		for _, t := range s.tracks {
			if t != nil {
				t.end(over)
			}
		}
	}
	return nil
}

func (t *track) end(over [intervals]bool) {
	for i := range over {
		if over[i] {
			t.rates[i], t.last[i] = t.now-t.last[i], t.now
		}
	}
}

// Reset has all counters begin at zero for readers and reports.
func (r *Registry) Reset(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.visit(ctx, Query{}, func(g *Group, _ uint32, _ string, _ []uint64, s *series) {
		if s == nil || g.Items {
			return
		}
		for _, t := range s.tracks {
			if t != nil {
				*t = track{now: t.now, base: t.now, reported: t.now, last: [intervals]uint64{t.now, t.now, t.now, t.now}}
			}
		}
	})
}

// sample is one value for reporters.
type sample struct {
	group   *Group
	index   uint32
	name    string // of the group; "": none
	counter *Counter
	value   uint64 // an item's: the most since the last report
	delta   uint64 // since the last report
	changed bool
}

// report reads everything and gives each value to tell; what is told counts as
// reported.
func (r *Registry) report(ctx context.Context, tell func(s *sample)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.visit(ctx, Query{}, func(g *Group, index uint32, name string, values []uint64, s *series) {
		if s == nil {
			return
		}
		for i := range values {
			x := sample{group: g, index: index, name: name, counter: &g.Counters[i]}
			if t := s.tracks[i]; t != nil {
				t.report(&x, g.Items)
			}
			tell(&x)
		}
	})
}

func (t *track) report(x *sample, item bool) {
	if item {
		x.value, x.changed = t.high, t.high != t.reported
		t.reported, t.high = t.high, t.now
		return
	}
	x.value, x.delta = t.now-t.base, t.now-t.reported
	x.changed = x.delta != 0
	t.reported = t.now
}
