//go:build race

package n2

// Under the race detector times say nothing, and memory little.
func init() { raceDetector = true }
