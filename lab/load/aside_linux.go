package load

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// aside is work beside the process under test, on its processor.
type aside struct {
	stop  atomic.Bool
	ended sync.WaitGroup
	procs int   // GOMAXPROCS before
	tids  []int // the threads
}

// startBusy has n loops run on a processor (-1: any) that do nothing but take its time.
func startBusy(n, core int) (*aside, error) {
	return startAside(n, core, func(stop *atomic.Bool) {
		for !stop.Load() {
		}
	})
}

// startAside has work done n times at once on a processor (-1: any), each on a thread of
// its own, until it is told to stop.
//
// The scheduler of the run time has room for them meanwhile: they need not give way, so
// that without it the generator would have to wait for its turn among them.
func startAside(n, core int, work func(stop *atomic.Bool)) (*aside, error) {
	b := &aside{procs: runtime.GOMAXPROCS(0)}
	runtime.GOMAXPROCS(b.procs + n)
	started := make(chan begun)
	for range n {
		b.ended.Go(func() { b.run(core, started, work) })
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

// begun is a thread that begins.
type begun struct {
	tid int
	err error
}

// run is one of them. It gives its thread back as it was: where it can't, the thread ends
// with it (but for the process's first, which would stay and sleep).
func (b *aside) run(core int, started chan<- begun, work func(stop *atomic.Bool)) {
	runtime.LockOSThread()
	var before unix.CPUSet
	err := unix.SchedGetaffinity(0, &before)
	if err == nil {
		err = pin(0, core)
	}
	started <- begun{unix.Gettid(), err}
	if err == nil {
		work(&b.stop)
	}
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread()
	}
}

// end ends the work.
func (b *aside) end() {
	b.stop.Store(true)
	b.ended.Wait()
	runtime.GOMAXPROCS(b.procs)
}
