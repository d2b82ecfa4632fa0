package pool

import "math/bits"

// MaxAMFs is the greatest number of members of a pool of AMFs.
const MaxAMFs = 256

// Mask is a set of AMFs by their index in configuration order.
type Mask [MaxAMFs / 64]uint64

// Add puts index i in the set.
func (m *Mask) Add(i int) { m[i/64] |= 1 << (i % 64) }

// Del takes index i out of the set.
func (m *Mask) Del(i int) { m[i/64] &^= 1 << (i % 64) }

// Has reports whether index i is in the set.
func (m *Mask) Has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

// And is the intersection.
func (m Mask) And(o Mask) Mask {
	for i := range m {
		m[i] &= o[i]
	}
	return m
}

// Without is m less what is in o.
func (m Mask) Without(o Mask) Mask {
	for i := range m {
		m[i] &^= o[i]
	}
	return m
}

// Or is the union.
func (m Mask) Or(o Mask) Mask {
	for i := range m {
		m[i] |= o[i]
	}
	return m
}

// Empty reports whether nothing is in the set.
func (m Mask) Empty() bool { return m == Mask{} }

// Len is how many are in the set.
func (m Mask) Len() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// First is the least index in the set, -1 when it is empty.
func (m Mask) First() int {
	for i, w := range m {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}
