package gb

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var cacheEpoch = time.Unix(1000, 0)

func after(s float64) time.Time { return cacheEpoch.Add(time.Duration(s * float64(time.Second))) }

func keys(c *cache[uint32], now time.Time) (ks []uint32) {
	c.each(now, func(k uint32, _ uint16, _ time.Duration) { ks = append(ks, k) })
	return ks
}

// Facts: G8-03, G8-04
func TestCacheLife(t *testing.T) {
	c := newCache[uint32](10, 10*time.Second)
	if _, armed := c.deadline(); armed {
		t.Error("an empty cache has a deadline")
	}
	c.put(1, 101, after(0))
	c.put(2, 102, after(1))
	if nsei, ok := c.get(1, after(9.9)); !ok || nsei != 101 {
		t.Errorf("%d, %v", nsei, ok)
	}
	if _, ok := c.get(1, after(10)); ok {
		t.Error("alive at the end of its life")
	}
	if _, ok := c.get(3, after(1)); ok {
		t.Error("never put")
	}
	c.put(1, 103, after(5)) // again: another NSE, a full life
	if d, armed := c.deadline(); !armed || !d.Equal(after(11)) {
		t.Errorf("deadline %v, %v", d.Sub(cacheEpoch), armed)
	}
	if n := c.expire(after(10.9)); n != 0 {
		t.Errorf("%d expired early", n)
	}
	if n := c.expire(after(11)); n != 1 || !slices.Equal(keys(c, after(11)), []uint32{1}) {
		t.Errorf("%d expired, left %v", n, keys(c, after(11)))
	}
	if nsei, ok := c.get(1, after(14.9)); !ok || nsei != 103 {
		t.Errorf("refreshed: %d, %v", nsei, ok)
	}
	if n := c.expire(after(100)); n != 1 || c.len() != 0 || c.evicted != 0 {
		t.Errorf("%d expired, %d left", n, c.len())
	}
}

func TestCacheTakeAndDelete(t *testing.T) {
	c := newCache[uint32](10, 10*time.Second)
	for k := range uint32(4) {
		c.put(k, uint16(k), after(0))
	}
	if nsei, ok := c.take(2, after(1)); !ok || nsei != 2 {
		t.Errorf("%d, %v", nsei, ok)
	}
	if _, ok := c.take(2, after(1)); ok {
		t.Error("taken twice")
	}
	c.delete(0)
	c.delete(0)
	c.delete(99)
	if got := keys(c, after(1)); !slices.Equal(got, []uint32{1, 3}) {
		t.Errorf("left %v", got)
	}
	if _, ok := c.take(3, after(10)); ok || c.len() != 1 {
		t.Error("taken when its life was over")
	}
}

// Facts: G8-05
func TestCacheFull(t *testing.T) {
	c := newCache[uint32](3, 10*time.Second)
	for k := range uint32(3) {
		c.put(k, 1, after(float64(k)))
	}
	c.put(0, 1, after(3)) // full, but known: nobody gives way
	if c.evicted != 0 || c.len() != 3 {
		t.Fatalf("%d gave way", c.evicted)
	}
	c.put(9, 1, after(4))
	if got := keys(c, after(4)); !slices.Equal(got, []uint32{2, 0, 9}) || c.evicted != 1 {
		t.Errorf("left %v, %d gave way", got, c.evicted)
	}
	if len(c.entries) != 3 {
		t.Errorf("%d places for 3 entries", len(c.entries))
	}
	c.limit = 1
	c.put(10, 1, after(5))
	if got := keys(c, after(5)); !slices.Equal(got, []uint32{10}) || c.evicted != 4 {
		t.Errorf("limit lowered: left %v, %d gave way", got, c.evicted)
	}
	if one := newCache[uint32](0, time.Second); one.limit != 1 {
		t.Error("a limit of 0 must hold one")
	}
}

func TestCachePurge(t *testing.T) {
	c := newCache[uint32](10, 10*time.Second)
	for k := range uint32(6) {
		c.put(k, uint16(k%3), after(0))
	}
	if n := c.purge(0); n != 2 || !slices.Equal(keys(c, after(0)), []uint32{1, 2, 4, 5}) {
		t.Errorf("%d purged, left %v", n, keys(c, after(0)))
	}
	if n := c.purge(7); n != 0 {
		t.Errorf("%d purged of an NSE that had none", n)
	}
}

// Every operation against a map, at random.
func TestCacheAgainstMap(t *testing.T) {
	type entry struct {
		nsei uint16
		ends time.Time
	}
	const life = 10 * time.Second
	rnd := rand.New(rand.NewPCG(2, 3))
	c, want, now := newCache[uint32](1000, life), map[uint32]entry{}, after(0)
	for range 50000 {
		now = now.Add(time.Duration(rnd.IntN(200)) * time.Millisecond)
		key, nsei := rnd.Uint32N(80), uint16(rnd.IntN(5))
		switch rnd.IntN(12) {
		default:
			c.put(key, nsei, now)
			want[key] = entry{nsei, now.Add(life)}
		case 0, 1:
			c.delete(key)
			delete(want, key)
		case 2:
			c.expire(now)
		case 3:
			c.purge(nsei)
			for k, e := range want {
				if e.nsei == nsei {
					delete(want, k)
				}
			}
		}
		e, there := want[key]
		if got, ok := c.get(key, now); ok != (there && now.Before(e.ends)) || ok && got != e.nsei {
			t.Fatalf("%d: %d, %v, want %+v", key, got, ok, e)
		}
	}
	alive := 0
	for _, e := range want {
		if now.Before(e.ends) {
			alive++
		}
	}
	if got := len(keys(c, now)); got != alive {
		t.Errorf("%d alive, want %d", got, alive)
	}
}

func TestCachePutAllocatesNothingWhenWarm(t *testing.T) {
	c := newCache[uint32](1000, 10*time.Second)
	round := func() {
		for k := range uint32(500) {
			c.put(k, 1, cacheEpoch)
		}
		c.expire(after(10))
	}
	round()
	if n := testing.AllocsPerRun(50, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCachePut(b *testing.B) {
	c := newCache[uint32](100000, 10*time.Second)
	k := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		k++
		c.put(k, 1, cacheEpoch)
	}
}
