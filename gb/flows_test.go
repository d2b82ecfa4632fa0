package gb

import (
	"sync"
	"testing"
	"unsafe"

	"poolgw/pool"
)

const cacheLine = 64

// No two workers write one cache line: each has rows of whole lines, and the
// first begins one.
func TestRowsOfWorkersShareNoCacheLine(t *testing.T) {
	if n := unsafe.Sizeof(flow{}); n%cacheLine != 0 {
		t.Errorf("a row of flows has %d octets", n)
	}
	if n := unsafe.Sizeof(choices{{}}[0]); n%cacheLine != 0 {
		t.Errorf("a row of choices has %d octets", n)
	}
	for workers := 1; workers <= 64; workers++ {
		if at := uintptr(unsafe.Pointer(&newFlows(workers)[0])); at%cacheLine != 0 {
			t.Errorf("%d workers: the rows of flows begin at %#x", workers, at)
		}
		if at := uintptr(unsafe.Pointer(&newChoices(workers)[0])); at%cacheLine != 0 {
			t.Errorf("%d workers: the rows of choices begin at %#x", workers, at)
		}
	}
}

// What workers and the loop count at once is all in the sum.
func TestRowsSum(t *testing.T) {
	const workers, each = 3, 1000
	f, c := newFlows(workers), newChoices(workers)
	var wg sync.WaitGroup
	for w := loopWorker; w < workers; w++ {
		wg.Go(func() {
			for range each {
				f.from(w, 2)
				f.to(w, 3)
				c.add(w, pool.Pinned)
			}
		})
	}
	wg.Wait()
	n := uint64((workers + 1) * each)
	if s := f.sum(); s != (moved{n, 2 * n, n, 3 * n}) {
		t.Errorf("%+v", s)
	}
	c.each(func(r pool.Reason, have uint64) {
		if r == pool.Pinned && have != n || r != pool.Pinned && have != 0 {
			t.Errorf("%v: %d", r, have)
		}
	})
	if f[0].fromPDUs.Load() != each || f[workers].toPDUs.Load() != each {
		t.Error("not in a row each")
	}
}

// Each reason for dropping counts in a named counter, but for those that count
// elsewhere.
func TestEveryDropIsBlamed(t *testing.T) {
	elsewhere := map[dropReason]bool{dropNSE: true, dropBlocked: true, dropStatusLocal: true}
	for r := delivered + 1; r < numDropReasons; r++ {
		if row := blame[r]; row.up == none && row.down == none && !elsewhere[r] {
			t.Errorf("%v counts in no counter", r)
		}
	}
}
