//go:build linux

package ns

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// The scheduler must not take the processor from a worker in the middle of a
// batch's system call: another goroutine gets its turn only when the worker has
// run for 10 ms, or waits.
func TestUDPBatchKeepsTheProcessor(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var others atomic.Int64 // turns of the other goroutine
	done := make(chan struct{})
	go func() {
		defer close(done)
		for others.Add(1) > 0 {
			runtime.Gosched()
		}
	}()
	out, in := room(udpBatch, 500), room(udpBatch, MaxDatagram)
	for i := range out {
		out[i].N, out[i].Addr = len(out[i].Buf), b.LocalAddr()
	}
	const batches = 3000
	before, start := others.Load(), time.Now()
	for range batches {
		a.WriteBatch(out)
		for left := len(out); left > 0; { // all there already: nobody waits
			n, _ := b.ReadBatch(in)
			left -= n
		}
	}
	turns, took := others.Load()-before, time.Since(start)
	others.Store(-1 << 62)
	<-done
	if most := 2*int64(took/(10*time.Millisecond)) + 20; turns > most {
		t.Errorf("the other goroutine had %d turns in %d batches, %v; at most %d are its own", turns, batches, took, most)
	}
}
