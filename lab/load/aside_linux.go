package load

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// busy is other work on a processor: loops that do nothing but take its time.
type busy struct {
	stop  atomic.Bool
	ended sync.WaitGroup
	procs int   // GOMAXPROCS before
	tids  []int // the loops' threads
}

// startBusy has n loops run on a processor (-1: any), each on a thread of its own.
//
// The scheduler of the run time has room for them meanwhile: they never give way, so
// that without it the generator would have to wait for its turn among them.
func startBusy(n, core int) (*busy, error) {
	b := &busy{procs: runtime.GOMAXPROCS(0)}
	runtime.GOMAXPROCS(b.procs + n)
	started := make(chan begun)
	for range n {
		b.ended.Go(func() { b.loop(core, started) })
	}
	var err error
	for range n {
		s := <-started
		b.tids, err = append(b.tids, s.tid), errors.Join(err, s.err)
	}
	if err != nil {
		b.end()
		return nil, err
	}
	return b, nil
}

// begun is a loop that begins.
type begun struct {
	tid int
	err error
}

// loop is one of them. It gives its thread back as it was: where it can't, the thread ends
// with it (but for the process's first, which would stay and sleep).
func (b *busy) loop(core int, started chan<- begun) {
	runtime.LockOSThread()
	var before unix.CPUSet
	err := unix.SchedGetaffinity(0, &before)
	if err == nil {
		err = pin(0, core)
	}
	started <- begun{unix.Gettid(), err}
	for err == nil && !b.stop.Load() {
	}
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread()
	}
}

// end ends the loops.
func (b *busy) end() {
	b.stop.Store(true)
	b.ended.Wait()
	runtime.GOMAXPROCS(b.procs)
}
