//go:build race

package ngap_test

// Under the race detector times say nothing: it slows the two sides unequally.
func init() { timesCount = false }
