package nri

import "maps"

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
