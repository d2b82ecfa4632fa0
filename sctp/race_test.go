//go:build race

package sctp_test

// The emulated machine is too slow for the race detector; it sees the same code
// over the userspace stack.
func init() { raceDetector = true }
