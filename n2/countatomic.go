//go:build race || !(amd64 || arm64)

package n2

import "sync/atomic"

// one is that of count.go where the race detector watches, or a word may be
// stored in two parts.
func one(c *atomic.Uint64) { c.Store(c.Load() + 1) }
