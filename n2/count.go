//go:build !race && (amd64 || arm64)

package n2

import (
	"sync/atomic"
	"unsafe"
)

// one adds 1 to a counter that only the owner writes and anybody may read. It is
// not the counter's Store, which on amd64 is a locked exchange and takes as long as
// twenty ordinary stores: readers see a plain store of a machine word whole, if a
// moment later (Go memory model, "Implementation Restrictions for Programs
// Containing Data Races").
func one(c *atomic.Uint64) { *(*uint64)(unsafe.Pointer(c))++ }
