package load

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A yardstick tells how fast a processor is beside the process under test: fifty times a
// second it does the same small piece of work on it and takes its own CPU time. The piece
// is a relay's, without a relay: a batch of datagrams over a socket of its own, each looked
// up in a table. It takes a percent or two of the processor.
type yardstick struct {
	core  int
	fd    int
	self  *name
	v     *vector
	table []uint64
	next  uint64 // state of the lot that draws its entries
	aside *aside

	mu     sync.Mutex
	paces  []pace
	failed error
}

const (
	pieceEvery  = 20 * time.Millisecond
	pieceOctets = 300
	pieceTable  = 8 << 20 // octets
	paceTook    = 250 * time.Millisecond
)

// pace is how fast the processor was during a while. What the host takes lengthens single
// pieces at most, not their median, so that it is counted once.
type pace struct {
	until  time.Time
	took   time.Duration
	rate   float64 // pieces of the work a second: by their median, less what the host took
	stolen float64 // the part of the while that the host gave to others (steal of /proc/stat)
}

// startYardstick begins on a processor.
func startYardstick(core int) (*yardstick, error) {
	stolen, err := stolenOf(core)
	if err != nil {
		return nil, err
	}
	fd, local, err := openUDP(netip.AddrPortFrom(gatewayAddr(false), 0))
	if err != nil {
		return nil, err
	}
	y := &yardstick{core: core, fd: fd, self: nameOf(local), v: newVector(), table: make([]uint64, pieceTable/8)}
	for i := range y.table {
		y.table[i] = uint64(i) // there from now on: a page fault is no part of the work
	}
	if y.aside, err = startAside(1, core, func(stop *atomic.Bool) { y.loop(stop, stolen) }); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return y, nil
}

func (y *yardstick) loop(stop *atomic.Bool, stolen time.Duration) {
	var err error
	for err == nil && !stop.Load() {
		stolen, err = y.look(stolen)
	}
	y.mu.Lock()
	y.failed = err
	y.mu.Unlock()
}

// look has one pace more. It takes and returns what the host has taken so far.
func (y *yardstick) look(before time.Duration) (after time.Duration, err error) {
	var works []time.Duration
	var failed error
	began := time.Now()
	for time.Since(began) < paceTook {
		pause := unix.NsecToTimespec(int64(pieceEvery))
		_ = unix.Nanosleep(&pause, nil) // woken early it works early
		if work, err := y.piece(); err == nil {
			works = append(works, work)
		} else {
			failed = err // the kernel was short of memory, say; the next may do
		}
	}
	if len(works) == 0 {
		return 0, failed
	}
	if after, err = stolenOf(y.core); err != nil {
		return 0, err
	}
	now := time.Now()
	p := pace{until: now, took: now.Sub(began)}
	p.stolen = min(1, ratio((after-before).Seconds(), p.took.Seconds()))
	p.rate = (1 - p.stolen) / median(works).Seconds()
	y.mu.Lock()
	y.paces = append(y.paces, p)
	y.mu.Unlock()
	return after, nil
}

// piece does the work once and tells what it took.
func (y *yardstick) piece() (time.Duration, error) {
	began, err := threadCPU()
	if err != nil {
		return 0, err
	}
	for i := range batch {
		y.v.put(i, pieceOctets, y.self)
	}
	sent, came := y.v.send(y.fd, batch), 0
	for {
		n, _ := y.v.recv(y.fd)
		for range n {
			y.next = y.next*6364136223846793005 + 1442695040888963407
			y.table[y.next>>32%uint64(len(y.table))]++
		}
		if came += n; n == 0 || came == batch {
			break
		}
	}
	ended, err := threadCPU()
	if sent != batch || came != batch {
		err = fmt.Errorf("load: yardstick: %d of %d datagrams sent, %d came", sent, batch, came)
	}
	return max(1, ended-began), err
}

// since are the paces that ended after a moment, in order; the last, for which it waits,
// ends now or later.
func (y *yardstick) since(t time.Time) ([]pace, error) {
	const patience = 20 * paceTook // the processor may be another's for a while
	for now := time.Now(); ; time.Sleep(pieceEvery) {
		y.mu.Lock()
		paces, err := y.paces, y.failed
		y.mu.Unlock()
		n := len(paces)
		if err == nil && time.Since(now) > patience {
			err = errors.New("load: the yardstick did not get its processor")
		}
		if err != nil || n > 0 && !paces[n-1].until.Before(now) {
			i, _ := slices.BinarySearchFunc(paces, t, func(p pace, t time.Time) int { return p.until.Compare(t) })
			return slices.Clone(paces[i:]), err
		}
	}
}

// end ends it.
func (y *yardstick) end() {
	y.aside.end()
	unix.Close(y.fd)
}

// threadCPU is the CPU time of this thread.
func threadCPU() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("load: CPU time of a thread: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// stolenOf is how long the host has given a processor to others so far, in steps of 10 ms.
func stolenOf(core int) (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("load: %w", err)
	}
	const field, tick = 8, time.Second / 100 // cpuN user nice system idle iowait irq softirq steal
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > field && f[0] == fmt.Sprintf("cpu%d", core) {
			n, err := strconv.ParseInt(f[field], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("load: /proc/stat, steal of processor %d: %w", core, err)
			}
			return time.Duration(n) * tick, nil
		}
	}
	return 0, fmt.Errorf("load: /proc/stat does not know processor %d", core)
}
