package main

import (
	"os"
	"testing"
	"time"
)

// soakTime is how long a soak goes on: a minute, or what POOLGW_SOAK says ("10m";
// then the test needs -timeout too).
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("POOLGW_SOAK")
	if text == "" {
		return time.Minute
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Minute {
		t.Fatalf("POOLGW_SOAK=%q: a time of a minute or more", text)
	}
	return d
}
