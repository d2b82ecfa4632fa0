package n2

import (
	"math/bits"
	"math/rand/v2"
)

// compact is a map for millions of small entries: open addressing with linear
// probing, in one slice that the garbage collector need not look into. Go's map
// takes up to twice the memory. A zero value is no entry, so none can be put. The
// zero compact is empty.
type compact[K ~uint32 | ~uint64, V comparable] struct {
	slots []slot[K, V]
	n     int
}

type slot[K ~uint32 | ~uint64, V comparable] struct {
	key   K
	value V
}

// hashSeed keeps peers, who choose the keys, from choosing such as collide.
var hashSeed = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func hash(key uint64) uint64 {
	hi, lo := bits.Mul64(key^hashSeed[0], hashSeed[1])
	return (hi ^ lo) * hashSeed[1]
}

// home is the slot where the search for a key begins.
func (c *compact[K, V]) home(k K) int {
	i, _ := bits.Mul64(hash(uint64(k)), uint64(len(c.slots)))
	return int(i)
}

func (c *compact[K, V]) after(i int) int {
	if i++; i == len(c.slots) {
		return 0
	}
	return i
}

// find returns where k stands, or the empty slot where it would.
func (c *compact[K, V]) find(k K) (at int, there bool) {
	var none V
	for i := c.home(k); ; i = c.after(i) {
		if s := &c.slots[i]; s.value == none {
			return i, false
		} else if s.key == k {
			return i, true
		}
	}
}

// get returns the value of k.
func (c *compact[K, V]) get(k K) (v V, ok bool) {
	if c.n == 0 {
		return v, false
	}
	at, ok := c.find(k)
	return c.slots[at].value, ok
}

// put sets the value of k; v is not the zero value.
func (c *compact[K, V]) put(k K, v V) {
	if 5*(c.n+1) > 4*len(c.slots) {
		c.grow()
	}
	at, there := c.find(k)
	if !there {
		c.n++
	}
	c.slots[at] = slot[K, V]{k, v}
}

// grow makes room: a load between 0.53 and 0.8.
func (c *compact[K, V]) grow() {
	old := c.slots
	c.slots = make([]slot[K, V], max(8, len(old)*3/2))
	var none V
	for _, s := range old {
		if s.value != none {
			at, _ := c.find(s.key)
			c.slots[at] = s
		}
	}
}

// del takes k out, and moves up those that stand behind it for want of room.
func (c *compact[K, V]) del(k K) {
	if c.n == 0 {
		return
	}
	hole, there := c.find(k)
	if !there {
		return
	}
	c.n--
	var none V
	for i := c.after(hole); c.slots[i].value != none; i = c.after(i) {
		if h := c.home(c.slots[i].key); !within(hole, h, i) {
			c.slots[hole] = c.slots[i]
			hole = i
		}
	}
	c.slots[hole] = slot[K, V]{}
}

// within reports whether i comes after low and not after high, round the end.
func within(low, i, high int) bool {
	if low <= high {
		return low < i && i <= high
	}
	return low < i || i <= high
}

// each calls f with every entry, until it returns false. f must not change c.
func (c *compact[K, V]) each(f func(K, V) bool) { c.eachFrom(0, f) }

// eachFrom is each, beginning at some slot.
func (c *compact[K, V]) eachFrom(start int, f func(K, V) bool) {
	var none V
	for i := range c.slots {
		s := &c.slots[(start+i)%len(c.slots)]
		if s.value != none && !f(s.key, s.value) {
			return
		}
	}
}
