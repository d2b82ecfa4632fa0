//lint:file-ignore ST1005 the texts are libosmocore's

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"poolgw/ctrl"
	"poolgw/stats"
)

// What libosmocore answers.
var (
	errNoInterval  = errors.New("Missing interval.")
	errInterval    = errors.New("Wrong interval. Expecting 'per_sec', 'per_min', 'per_hour', 'per_day' or 'abs' value.")
	errGroupForm   = errors.New("Counter group must be of name.index form e. g. e1inp.0")
	errNoGroup     = errors.New("Counter group with given name and index not found")
	errNoCounter   = errors.New("Counter name not found.")
	errNoSet       = errors.New("Can't set rate counter.")
	errItemForm    = errors.New("Stat item must be of form stat_item.type.group_name.N.item_name, e.g. 'stat_item.last.bsc.0.msc_num:connected'")
	errNoItemGroup = errors.New("Stat group with given name and index not found")
	errNoItem      = errors.New("No such stat item found")
)

// intervalOf maps the words for what is asked of a counter; -1 is its value.
var intervalOf = map[string]int{"abs": -1, "per_sec": 0, "per_min": 1, "per_hour": 2, "per_day": 3}

// vars are rate_ctr.INTERVAL.GROUP.INDEX[.NAME] and stat_item.last.GROUP.INDEX.NAME
// as libosmocore has them; rate_ctr.list and stat_item.list tell which there are.
func (s *statistics) vars() []ctrl.Var {
	return []ctrl.Var{
		{Name: "rate_ctr.", Get: s.rateCounter, Set: func(string, string) (string, error) { return "", errNoSet }},
		{Name: "stat_item.", Get: s.statItem},
		{Name: "counter.", Get: func(string) (string, error) { return "", errNoCounter }}, // there are none without a group
	}
}

func (s *statistics) rateCounter(name string) (string, error) {
	interval, rest, _ := strings.Cut(strings.TrimPrefix(name, "rate_ctr."), ".")
	if interval == "list" {
		return s.list(false)
	}
	at, known := intervalOf[interval]
	switch {
	case interval == "":
		return "", errNoInterval
	case !known:
		return "", errInterval
	}
	group, rest, _ := strings.Cut(rest, ".")
	index, counter, _ := strings.Cut(rest, ".")
	if group == "" || index == "" {
		return "", errGroupForm
	}
	r, err := s.one(group, index, false, errNoGroup)
	if err != nil {
		return "", err
	}
	return counterValue(r, at, counter)
}

// counterValue is a counter's, or with an empty name all of the group's.
func counterValue(r stats.Reading, at int, name string) (string, error) {
	var all strings.Builder
	for i, c := range r.Group.Counters {
		v := r.Values[i].Value
		if at >= 0 {
			v = r.Values[i].Rates[at]
		}
		if c.Name == name {
			return strconv.FormatUint(v, 10), nil
		}
		fmt.Fprintf(&all, "%s %d;", c.Name, v)
	}
	if name != "" {
		return "", errNoCounter
	}
	return all.String(), nil
}

// one reads a group by its index or its name; none is the error when there is
// none.
func (s *statistics) one(group, index string, items bool, none error) (stats.Reading, error) {
	q := stats.Query{Group: group}
	if n, err := strconv.ParseUint(index, 10, 32); err == nil {
		i := uint32(n)
		q.Index = &i
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshotWait)
	defer cancel()
	list, err := s.registry.Read(ctx, q)
	for _, r := range list {
		if r.Group.Items == items && (q.Index != nil || r.Name == index) {
			return r, nil
		}
	}
	if err == nil {
		err = none
	}
	return stats.Reading{}, err
}

// statItem takes the dots of a group's name, which libosmocore does not, or
// colons for them.
func (s *statistics) statItem(name string) (string, error) {
	rest := strings.TrimPrefix(name, "stat_item.")
	if rest == "list" {
		return s.list(true)
	}
	kind, rest, _ := strings.Cut(rest, ".")
	for _, g := range append(s.groups[:len(s.groups):len(s.groups)], stats.TCPGroup()) {
		for _, word := range []string{g.Name, strings.ReplaceAll(g.Name, ".", ":")} {
			if of, ok := strings.CutPrefix(rest, word+"."); ok && g.Items && kind == "last" {
				return s.itemOf(g.Name, of)
			}
		}
	}
	if kind != "last" || strings.Count(rest, ".") < 2 {
		return "", errItemForm
	}
	return "", errNoItemGroup
}

// itemOf answers for what stands after the group: "0.alive.delay" or
// "by_name.NAME.alive.delay".
func (s *statistics) itemOf(group, rest string) (string, error) {
	index, item, _ := strings.Cut(rest, ".")
	if index == "by_name" {
		index, item, _ = strings.Cut(item, ".")
	} else if _, err := strconv.ParseUint(index, 10, 32); err != nil {
		return "", errItemForm
	}
	if item == "" {
		return "", errItemForm
	}
	r, err := s.one(group, index, true, errNoItemGroup)
	if err != nil {
		return "", err
	}
	for i, c := range r.Group.Counters {
		if c.Name == item {
			return strconv.FormatUint(r.Values[i].Value, 10), nil
		}
	}
	return "", errNoItem
}

// list names the groups: "GROUP.INDEX;" for each.
func (s *statistics) list(items bool) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), snapshotWait)
	defer cancel()
	all, err := s.registry.Read(ctx, stats.Query{})
	var b strings.Builder
	for _, r := range all {
		if r.Group.Items == items {
			fmt.Fprintf(&b, "%s.%d;", r.Group.Name, r.Index)
		}
	}
	return b.String(), err
}
