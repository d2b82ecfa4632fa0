package nri

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Set is a set of NRI values: sorted ranges that neither overlap nor touch.
// It is a value: Add and Del return a new one and leave the old as it was. The
// zero value is the empty set.
type Set []Range

// Add returns s with r added, merged with the ranges it overlaps or touches.
// The error wraps ErrOrder or ErrMax; s is returned then.
func (s Set) Add(r Range) (Set, error) {
	if err := r.Check(); err != nil {
		return s, err
	}
	return s.add(r), nil
}

// AddAMF is Add for NRIs of 16 bits, AMF Set ID and AMF Pointer: 0..65535.
func (s Set) AddAMF(r Range) (Set, error) {
	if err := r.checkOrder(); err != nil {
		return s, err
	}
	return s.add(r), nil
}

func (s Set) add(r Range) Set {
	// int, so that a neighbour of 65535 or 0 is no special case.
	touches := func(o Range) bool {
		return int(o.First) <= int(r.Last)+1 && int(r.First) <= int(o.Last)+1
	}
	out := make(Set, 0, len(s)+1)
	i := 0
	for ; i < len(s) && s[i].Last < r.First && !touches(s[i]); i++ {
		out = append(out, s[i])
	}
	for ; i < len(s) && touches(s[i]); i++ {
		r.First, r.Last = min(r.First, s[i].First), max(r.Last, s[i].Last)
	}
	return append(append(out, r), s[i:]...)
}

// Del returns s without the values of r; a range with r in its middle is split.
// Values that were not there do no harm. The error wraps ErrOrder or ErrMax; s
// is returned then.
func (s Set) Del(r Range) (Set, error) {
	if err := r.Check(); err != nil {
		return s, err
	}
	return s.del(r), nil
}

// DelAMF is Del for NRIs of 16 bits.
func (s Set) DelAMF(r Range) (Set, error) {
	if err := r.checkOrder(); err != nil {
		return s, err
	}
	return s.del(r), nil
}

func (s Set) del(r Range) Set {
	out := make(Set, 0, len(s)+1)
	for _, o := range s {
		if !o.Overlaps(r) {
			out = append(out, o)
			continue
		}
		if o.First < r.First {
			out = append(out, Range{o.First, r.First - 1})
		}
		if o.Last > r.Last {
			out = append(out, Range{r.Last + 1, o.Last})
		}
	}
	return out
}

// Contains reports whether v is in s.
func (s Set) Contains(v V) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].Last >= v })
	return i < len(s) && s[i].First <= v
}

// Overlap returns the values that are in both s and o.
func (s Set) Overlap(o Set) Set {
	var out Set
	for i, j := 0, 0; i < len(s) && j < len(o); {
		if s[i].Overlaps(o[j]) {
			out = append(out, Range{max(s[i].First, o[j].First), min(s[i].Last, o[j].Last)})
		}
		if s[i].Last < o[j].Last {
			i++
		} else {
			j++
		}
	}
	return out
}

// Overlaps reports whether s has a value of r.
func (s Set) Overlaps(r Range) bool { return slices.ContainsFunc(s, r.Overlaps) }

// Union returns the values that are in s or o.
func (s Set) Union(o Set) Set {
	out := s.Clone()
	for _, r := range o {
		out = out.add(r)
	}
	return out
}

// Exceeds returns the ranges of s that have values bitLen bits can't hold.
func (s Set) Exceeds(bitLen uint8) []Range {
	var out []Range
	for _, r := range s {
		if r.Exceeds(bitLen) {
			out = append(out, r)
		}
	}
	return out
}

// Len is the number of values in s.
func (s Set) Len() int {
	n := 0
	for _, r := range s {
		n += r.Len()
	}
	return n
}

// Equal reports whether s and o hold the same values.
func (s Set) Equal(o Set) bool { return slices.Equal(s, o) }

// Clone returns a copy of s.
func (s Set) Clone() Set { return slices.Clone(s) }

// String is the form of shows: "1-341,500"; "" for the empty set.
func (s Set) String() string {
	parts := make([]string, len(s))
	for i, r := range s {
		parts[i] = r.String()
	}
	return strings.Join(parts, ",")
}

// VTY returns the arguments of the "nri add" lines that make s: "1 341", "500".
func (s Set) VTY() []string {
	lines := make([]string, len(s))
	for i, r := range s {
		lines[i] = r.VTY()
	}
	return lines
}

// ParseSet reads the form of String: values and ranges in any order, with
// commas between.
func ParseSet(text string) (Set, error) {
	var s Set
	if text == "" {
		return s, nil
	}
	for _, part := range strings.Split(text, ",") {
		r, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		if s, err = s.Add(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func parseRange(text string) (Range, error) {
	first, last, isRange := strings.Cut(strings.TrimSpace(text), "-")
	if !isRange {
		last = first
	}
	a, errA := parseValue(first)
	b, errB := parseValue(last)
	if errA != nil || errB != nil {
		return Range{}, fmt.Errorf("nri: %q is neither a value nor a range of 0..%d", text, Max)
	}
	return Range{a, b}, nil
}

func parseValue(text string) (V, error) {
	n, err := strconv.ParseUint(text, 10, MaxBitLen)
	return V(n), err
}
