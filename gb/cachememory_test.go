package gb

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"poolgw/bssgp"
)

// mostPerEntry is what an entry of a full cache takes of the heap at most, in octets: what
// an operator reckons with who sets "limits cache-entries".
const mostPerEntry = 160

// TestCacheMemory fills a cache of each kind of key with a million entries.
func TestCacheMemory(t *testing.T) {
	t.Logf("a TLLI: %.0f octets", perEntry(t, func(i uint32) tlliKey { return tlliKey{tlli: i} }))
	t.Logf("an IMSI: %.0f octets", perEntry(t, func(i uint32) bssgp.IMSI {
		imsi, _ := bssgp.ParseIMSI(fmt.Sprintf("00101%010d", i))
		return imsi
	}))
}

func perEntry[K comparable](t *testing.T, key func(i uint32) K) float64 {
	t.Helper()
	const entries = 1_000_000
	before := heapNow()
	c := newCache[K](entries, time.Hour)
	for i := range uint32(entries + 10) {
		c.put(key(i), uint16(i), time.Unix(0, 0))
	}
	octets := float64(heapNow()-before) / entries
	if len(c.index) != entries || c.evicted != 10 {
		t.Errorf("%d entries, %d gave way", len(c.index), c.evicted)
	}
	if octets <= 0 || octets > mostPerEntry {
		t.Errorf("%.0f octets for each entry, %d at most", octets, mostPerEntry)
	}
	return octets
}

func heapNow() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
