package n2_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/sctp"
)

// inUse is the heap and the stacks in use, in octets.
func inUse() (heap, stacks int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.StackInuse)
}

// Octets that a gNB and its associations to eight AMFs take at rest, both ends of
// the simulated network and the peers included.
const mostPerGNB = 130 << 10

// Many gNBs with eight AMFs each are up over associations in memory; what they take
// is moderate.
func TestMemoryOfGNBs(t *testing.T) {
	if n2.RaceDetector() {
		t.Skip("the race detector takes memory of its own")
	}
	gnbs := 250
	if testing.Short() {
		gnbs = 100
	}
	run(t, 8, func(c *n2.Config) { c.Limits.GNBs = 1000 }, func(b *bed) {
		b.up(1)
		heap, stacks := inUse()
		for i := 1; i < gnbs; i++ {
			a, err := b.net.Dial(context.Background(), sctp.At(0, address(3+i/250, 1+i%250)), sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			b.newPeer("gNB", a, nil)
			a.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: setupOf(uint32(1 + i))})
		}
		b.sleep(3 * time.Second)
		b.settle()
		s := b.snapshot()
		up := 0
		for _, g := range s.GNBs {
			if g.State == "up" {
				up++
			}
		}
		b.clear()
		h, st := inUse()
		h, st = (h-heap)/int64(gnbs-1), (st-stacks)/int64(gnbs-1)
		t.Logf("%d gNBs with 8 AMFs each: %d octets of heap and %d of stacks a gNB, %d an association, with the simulated peers", up, h, st, (h+st)/9)
		if up != gnbs || h+st > mostPerGNB {
			t.Errorf("%d of %d gNBs are up, %d octets each", up, gnbs, h+st)
		}
	})
}
