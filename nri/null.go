package nri

import (
	"cmp"
	"maps"
	"slices"
)

// NullSet holds the NULL-NRIs: those of every PLMN and those of single ones (TS
// 23.236 has one per PLMN). An SGSN being emptied gives P-TMSIs with a NULL-NRI,
// so that the pool finds another one for the subscriber. The zero value is empty.
type NullSet struct {
	Any    Set          // NULL-NRIs of every PLMN
	ByPLMN map[PLMN]Set // more of single PLMNs; nil: none
}

// Contains reports whether v is a NULL-NRI in the PLMN p.
func (n NullSet) Contains(p PLMN, v V) bool {
	return n.Any.Contains(v) || n.ByPLMN[p].Contains(v)
}

// Add returns n with r added to the NULL-NRIs of p, or of every PLMN if p is the
// zero value; Del returns it without r there. n stays as it was. The error is
// that of Set.Add and Set.Del.
func (n NullSet) Add(p PLMN, r Range) (NullSet, error) { return n.edit(p, r, Set.Add) }

// Del is described at Add.
func (n NullSet) Del(p PLMN, r Range) (NullSet, error) { return n.edit(p, r, Set.Del) }

func (n NullSet) edit(p PLMN, r Range, f func(Set, Range) (Set, error)) (NullSet, error) {
	set, err := f(n.Of(p), r)
	if err != nil {
		return n, err
	}
	n = n.Clone()
	switch {
	case p.IsAny():
		n.Any = set
	case len(set) == 0:
		delete(n.ByPLMN, p)
	case n.ByPLMN == nil:
		n.ByPLMN = map[PLMN]Set{p: set}
	default:
		n.ByPLMN[p] = set
	}
	return n, nil
}

// Of returns the NULL-NRIs set for p alone; for the zero value those of every
// PLMN.
func (n NullSet) Of(p PLMN) Set {
	if p.IsAny() {
		return n.Any
	}
	return n.ByPLMN[p]
}

// PLMNs lists the PLMNs with NULL-NRIs of their own, in the order of their text.
func (n NullSet) PLMNs() []PLMN {
	var list []PLMN
	for p, s := range n.ByPLMN {
		if len(s) > 0 {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b PLMN) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

// Clone returns a deep copy.
func (n NullSet) Clone() NullSet {
	n.Any = n.Any.Clone()
	n.ByPLMN = maps.Clone(n.ByPLMN)
	for p, s := range n.ByPLMN {
		n.ByPLMN[p] = s.Clone()
	}
	return n
}

// Equal reports whether n and o hold the same NULL-NRIs; an empty set for a
// PLMN is as none.
func (n NullSet) Equal(o NullSet) bool {
	return n.Any.Equal(o.Any) && n.covers(o) && o.covers(n)
}

func (n NullSet) covers(o NullSet) bool {
	for p, s := range o.ByPLMN {
		if !n.ByPLMN[p].Equal(s) {
			return false
		}
	}
	return true
}
