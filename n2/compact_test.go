package n2

import (
	"math/rand/v2"
	"testing"
)

// The table does what Go's map does, whatever is put and taken out in whatever
// order, from small to large and back.
func TestCompactIsAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, keys := range []int{1, 5, 30, 3000} {
		var c compact[uint32, uint64]
		want := make(map[uint32]uint64)
		for range 50000 {
			k, v := uint32(rng.IntN(keys)), 1+rng.Uint64N(1<<40)
			if rng.IntN(3) == 0 {
				c.del(k)
				delete(want, k)
			} else {
				c.put(k, v)
				want[k] = v
			}
			if probe := uint32(rng.IntN(keys)); !c.same(want, probe) {
				t.Fatalf("%d keys: key %d differs", keys, probe)
			}
		}
		n := 0
		c.each(func(k uint32, v uint64) bool { n++; return want[k] == v })
		if n != len(want) || c.n != len(want) {
			t.Errorf("%d keys: %d entries counted, %d met, want %d", keys, c.n, n, len(want))
		}
	}
}

func (c *compact[K, V]) same(want map[K]V, k K) bool {
	v, ok := c.get(k)
	w, there := want[k]
	return ok == there && v == w
}

// Keys that differ in high bits only, or by a multiple of the size, do not make it
// slow: the longest search stays short.
func TestCompactSpreads(t *testing.T) {
	for name, step := range map[string]uint64{"1": 1, "1<<32": 1 << 32, "1<<40": 1 << 40, "1024": 1024, "golden": 0x9E3779B97F4A7C15} {
		var c compact[uint64, uint32]
		for i := uint64(1); i <= 20000; i++ {
			c.put(i*step, 1)
		}
		total := 0
		c.each(func(k uint64, _ uint32) bool {
			at, _ := c.find(k)
			total += (at - c.home(k) + len(c.slots)) % len(c.slots)
			return true
		})
		if mean := float64(total) / 20000; mean > 8 {
			t.Errorf("step %s: %.1f slots are searched on average", name, mean)
		}
	}
}
