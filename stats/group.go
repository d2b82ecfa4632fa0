package stats

import (
	"context"
	"slices"
)

// Group describes the groups of one kind; a group has an index beside, and may
// have a name that reports use instead.
type Group struct {
	Name, Text string
	Level      string // one of Levels; "" counts as global
	Items      bool   // values that go up and down, not counters
	Counters   []Counter
}

// Counter describes one counter, or stat item with its unit.
type Counter struct{ Name, Text, Unit string }

// Levels are the classes of groups, those of the whole program first.
var Levels = []string{"global", "peer", "subscriber"}

// within tells whether a level lets a group pass. A reporter without a level
// reports what is global.
func (g *Group) within(level string) bool {
	return slices.Index(Levels, g.Level) <= max(0, slices.Index(Levels, level))
}

// Query narrows what is read; empty fields do not.
type Query struct {
	Group string
	Index *uint32
}

func (q Query) whole() bool { return q.Group == "" && q.Index == nil }

// Source calls visit for every group that q wants; values stand in the order of
// the Group's Counters and are valid during the call. A source may tell more than
// q wants.
type Source func(ctx context.Context, q Query, visit Visit) error

// Visit is what a Source calls.
type Visit func(g *Group, index uint32, name string, values []uint64)

// Reading is one group with its values.
type Reading struct {
	Group  *Group
	Index  uint32
	Name   string // "": none
	Values []Value
}

// Value is a counter's value since it was reset, and how much of it came in the
// last whole second, minute, hour and day; an item has no rates.
type Value struct {
	Value uint64
	Rates [intervals]uint64
}

const intervals = 4

// intervalSeconds are the intervals of Value.Rates.
var intervalSeconds = [intervals]int64{1, 60, 3600, 86400}
