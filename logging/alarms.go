package logging

import (
	"strconv"
	"sync"
)

// alarms keeps the last lines, "log alarms".
type alarms struct {
	mu    sync.Mutex
	max   int
	lines []string
}

const defaultAlarms = 100

// resize keeps as many lines as arg says.
func (a *alarms) resize(arg string) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		n = defaultAlarms
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.max = n
	a.trim()
}

func (a *alarms) trim() {
	if over := len(a.lines) - a.max; over > 0 {
		a.lines = append([]string(nil), a.lines[over:]...)
	}
}

func (a *alarms) write(_ entry, line string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lines = append(a.lines, line)
	if len(a.lines) >= 2*a.max { // not at each line
		a.trim()
	}
	return nil
}

func (a *alarms) close() {}

func (a *alarms) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trim()
	return append([]string(nil), a.lines...)
}
