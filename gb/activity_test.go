package gb

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func TestActivityKeys(t *testing.T) {
	a := newActivity(1000, time.Hour)
	a.touch(0x92D54321, 101, 100*time.Second) // foreign
	if m, seen, ok := a.lookup(0xD2D54321, 130*time.Second, time.Minute); !ok || m != 101 || seen != 100*time.Second {
		t.Errorf("local TLLI of the same P-TMSI: %d, %v, %v", m, seen, ok)
	}
	a.touch(0x7AD54321, 102, 100*time.Second) // random
	if m, _, _ := a.lookup(0x7AD54321, 100*time.Second, time.Minute); m != 102 {
		t.Errorf("random TLLI: %d", m)
	}
	if _, _, ok := a.lookup(0x72D54321, 100*time.Second, time.Minute); ok {
		t.Error("an auxiliary TLLI is taken for a random one")
	}
	a.touch(0, 0, 100*time.Second) // all zero, yet not an empty slot
	if m, _, ok := a.lookup(0, 100*time.Second, time.Minute); !ok || m != 0 {
		t.Errorf("TLLI 0 to NSE 0: %d, %v", m, ok)
	}
}

func TestActivityAge(t *testing.T) {
	a := newActivity(1000, time.Hour)
	a.touch(0xC0000001, 101, 1000*time.Second)
	for now, want := range map[time.Duration]bool{
		999 * time.Second: true, 1000 * time.Second: true, 1075 * time.Second: true, 1076 * time.Second: false, 40 * time.Hour: false,
	} {
		if _, _, ok := a.lookup(0xC0000001, now, pinLife); ok != want {
			t.Errorf("at %v: %v", now, ok)
		}
	}
	a.touch(0xC0000001, 102, 1070*time.Second)
	if m, seen, ok := a.lookup(0xC0000001, 1100*time.Second, pinLife); !ok || m != 102 || seen != 1070*time.Second {
		t.Errorf("after another touch: %d, %v, %v", m, seen, ok)
	}
}

// The seconds wrap around after 136 years; ages stay right.
func TestActivityAgeAcrossWrap(t *testing.T) {
	for _, c := range []struct{ now, seen, want uint32 }{
		{5, 0xFFFFFFFB, 10}, {0xFFFFFFFB, 5, 0}, {7, 7, 0}, {100, 25, 75}, {25, 100, 0},
	} {
		if got := age(c.now, c.seen); got != c.want {
			t.Errorf("age(%d, %d) = %d, want %d", c.now, c.seen, got, c.want)
		}
	}
	a := newActivity(100, time.Hour)
	const wrap = time.Duration(1<<32) * time.Second
	a.touch(0xC0000001, 7, wrap-10*time.Second)
	if _, _, ok := a.lookup(0xC0000001, wrap+20*time.Second, 30*time.Second); !ok {
		t.Error("lost at the wrap-around")
	}
	if _, _, ok := a.lookup(0xC0000001, wrap+21*time.Second, 30*time.Second); ok {
		t.Error("too old, after the wrap-around")
	}
}

// Well below the limit the table is a map.
func TestActivityAgainstMap(t *testing.T) {
	type entry struct {
		member uint16
		at     time.Duration
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	a, want := newActivity(30000, time.Hour), map[uint32]entry{}
	now := time.Duration(0)
	for range 30000 {
		now += time.Duration(rnd.IntN(20)) * time.Millisecond
		key := 0xC0000000 | rnd.Uint32N(10000)<<rnd.IntN(3)*7
		e := entry{uint16(rnd.IntN(5)), now.Truncate(time.Second)}
		a.touch(key, e.member, now)
		want[key] = e
	}
	if n := a.evicted.Load(); n != 0 {
		t.Fatalf("%d entries of %d gave way below the limit", n, len(want))
	}
	for key, e := range want {
		if m, at, ok := a.lookup(key, now, time.Hour); !ok || m != e.member || at != e.at {
			t.Fatalf("%08X: %d, %v, %v, want %+v", key, m, at, ok, e)
		}
	}
	n := 0
	a.each(func(key uint32, member uint16, _ uint32) {
		if n++; want[key].member != member {
			t.Fatalf("%08X is at %d", key, member)
		}
	})
	if n != len(want) {
		t.Errorf("%d entries, want %d", n, len(want))
	}
}

// Facts: G-13
func TestActivityHoldsItsLimit(t *testing.T) {
	for name, key := range map[string]func(i uint32) uint32{
		"sequential": func(i uint32) uint32 { return 0xC0000000 + i },
		"one NRI":    func(i uint32) uint32 { return 0xC0154000 + i&0x3FFF + i>>14<<24 },
		"random":     func(i uint32) uint32 { return i*2654435761 | 0xC0000000 },
	} {
		t.Run(name, func(t *testing.T) {
			const limit = 1 << 14 // the fullest: twice as many slots
			a := newActivity(limit, time.Hour)
			for i := range uint32(limit) {
				a.touch(key(i), 1, time.Second)
			}
			if n := a.evicted.Load(); n > limit/1000 {
				t.Errorf("%d of %d gave way", n, limit)
			}
			if b := a.bytes(); b > 2*limit*bytesPerEntry {
				t.Errorf("%d octets", b)
			}
		})
	}
}

// Whatever comes, the table stays within its bound, the newest entry is there,
// and the oldest of its bucket gave way.
// Facts: G-13
func TestActivityFull(t *testing.T) {
	a := newActivity(8, time.Hour) // sixteen slots
	const subscribers = 1000
	for i := range uint32(subscribers) {
		a.touch(0xC0000000+i, 1, time.Duration(i)*time.Second)
		if _, _, ok := a.lookup(0xC0000000+i, time.Duration(i)*time.Second, 0); !ok {
			t.Fatalf("subscriber %d is not there", i)
		}
	}
	left, youngest := 0, uint32(subscribers)
	a.each(func(key uint32, _ uint16, at uint32) {
		left++
		youngest = min(youngest, at)
	})
	if left > 16 || a.bytes() > 16*bytesPerEntry || a.evicted.Load() != uint64(subscribers-left) {
		t.Errorf("%d left in %d octets, %d gave way", left, a.bytes(), a.evicted.Load())
	}
	if youngest < subscribers-100 {
		t.Errorf("an entry of second %d outlived younger ones", youngest)
	}
}

// An entry older than the window gives way uncounted and before any other.
func TestActivityReusesExpired(t *testing.T) {
	a := newActivity(8, 100*time.Second) // one bucket
	for i := range uint32(16) {
		a.touch(0xC0000000+i, 1, time.Duration(i*100)*time.Second)
	}
	now := 1550 * time.Second // all but the last are too old to matter
	for i := range uint32(15) {
		a.touch(0xC0000100+i, 1, now)
	}
	if _, _, ok := a.lookup(0xC000000F, now, time.Hour); !ok || a.evicted.Load() != 0 {
		t.Errorf("%d gave way, though 15 were too old to matter", a.evicted.Load())
	}
	a.touch(0xC0000200, 1, now)
	if _, _, ok := a.lookup(0xC000000F, now, time.Hour); ok || a.evicted.Load() != 1 {
		t.Errorf("%d gave way, and not the oldest", a.evicted.Load())
	}
}

func TestActivityStartsSmall(t *testing.T) {
	a := newActivity(1000000, time.Hour)
	for i := range uint32(1000) {
		a.touch(0xC0000000+i, 1, 0)
	}
	if b := a.bytes(); b > 1<<19 {
		t.Errorf("%d octets for 1,000 subscribers", b)
	}
	if unsafe.Sizeof(slot{}) != bytesPerEntry {
		t.Errorf("an entry takes %d octets", unsafe.Sizeof(slot{}))
	}
}

func TestActivitiesMerge(t *testing.T) {
	as := activities{newActivity(100, time.Hour), newActivity(100, time.Hour), newActivity(100, time.Hour)}
	s := time.Second
	as[0].touch(0xC0000001, 101, 1000*s) // uplink seen by one worker,
	as[1].touch(0xC0000001, 102, 1200*s) // later downlink by another
	as[0].touch(0xC0000002, 101, 1500*s)
	as[1].touch(0xC0000002, 101, 1500*s) // the same, twice
	as[2].touch(0xC0000003, 102, 1590*s)
	as[2].touch(0xC0000004, 103, 900*s) // outside the window
	if m, seen, ok := as.lookup(0xC0000001, 1600*s, 1000*s); !ok || m != 102 || seen != 1200*s {
		t.Errorf("%d, %v, %v", m, seen, ok)
	}
	got := as.count(1600*s, 600*s, 300*s)
	if len(got) != 2 || got[101] != (memberActivity{1, 1, 1500 * s}) || got[102] != (memberActivity{2, 1, 1590 * s}) {
		t.Errorf("%+v", got)
	}
	as.forget(102)
	// What another table had seen before is the newest now.
	if got := as.count(1600*s, 600*s, 300*s); got[102].Bound != 0 || got[101].Bound != 2 {
		t.Errorf("after forget: %+v", got)
	}
	as.setLife(0)
	if l := as[1].life.Load(); l != 75 {
		t.Errorf("life %d, though pins need 75", l)
	}
}

// Writers, readers and a forget at once: for the race detector, and that nobody
// ever sees one subscriber's member for another.
func TestActivityAtOnce(t *testing.T) {
	for writers := 1; writers <= 3; writers += 2 {
		a := newActivity(500, time.Hour)
		var writing, reading sync.WaitGroup
		stop := make(chan struct{})
		for range 2 {
			reading.Go(func() { watchActivity(t, a, stop) })
		}
		for w := range uint32(writers) {
			writing.Go(func() {
				for i := range uint32(4000) { // more subscribers than it holds
					k := (i*77 + w) % 2000
					a.touch(0xC0000000|k, uint16(k), time.Duration(i)*time.Millisecond)
				}
			})
		}
		writing.Wait()
		close(stop)
		reading.Wait()
		if a.bytes() > 1024*bytesPerEntry {
			t.Errorf("%d octets", a.bytes())
		}
	}
}

func watchActivity(t *testing.T, a *activity, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		a.each(func(key uint32, member uint16, _ uint32) {
			if uint16(key) != member {
				t.Errorf("%08X at %d", key, member)
			}
		})
		a.forget(3)
	}
}

func TestActivityAllocatesNothing(t *testing.T) {
	as := activities{newActivity(1000, time.Hour), newActivity(1000, time.Hour)}
	for i := range uint32(100) {
		as[0].touch(0xC0000000+i, 1, 0)
	}
	now := time.Duration(0)
	if n := testing.AllocsPerRun(100, func() {
		now += time.Second
		for i := range uint32(100) {
			as[0].touch(0xC0000000+i, 2, now)
			as.lookup(0xC0000000+i, now, pinLife)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkActivityTouch(b *testing.B) {
	const subscribers = 1 << 17
	a := newActivity(1000000, time.Hour)
	for i := range uint32(subscribers) {
		a.touch(0xC0000000+i*7919, 1, 0)
	}
	i := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		i++
		a.touch(0xC0000000+(i&(subscribers-1))*7919, 1, time.Duration(i)*time.Microsecond)
	}
}

func BenchmarkActivityLookup(b *testing.B) {
	as := activities{newActivity(1000000, time.Hour), newActivity(1000000, time.Hour)}
	for i := range uint32(1 << 17) {
		as[i&1].touch(0xC0000000+i*7919, 1, 0)
	}
	i := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		i++
		as.lookup(0xC0000000+(i&(1<<17-1))*7919, 0, pinLife)
	}
}
