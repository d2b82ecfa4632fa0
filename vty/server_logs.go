package vty

import "sync"

// Bounds of the log lines that wait for a session.
const (
	maxLogLines = 256
	maxLogLine  = 1000 // octets; the rest is cut off
)

// logQueue takes log lines from any goroutine without ever blocking it.
type logQueue struct {
	wake chan struct{} // has a value when there is something to take

	mu      sync.Mutex
	lines   []string
	dropped int
}

// put reports whether there was room.
func (q *logQueue) put(line string) (taken bool) {
	if len(line) > maxLogLine {
		line = line[:maxLogLine] + "..."
	}
	q.mu.Lock()
	taken = len(q.lines) < maxLogLines
	if taken {
		q.lines = append(q.lines, line)
	} else {
		q.dropped++
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return taken
}

func (q *logQueue) take() (lines []string, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lines, dropped = q.lines, q.dropped
	q.lines, q.dropped = nil, 0
	return lines, dropped
}

// Log implements Terminal.
func (c *console) Log(line string) {
	if !c.logs.put(line) {
		c.srv.count.dropped.Add(1)
	}
}

// Monitor implements Terminal.
func (c *console) Monitor(on bool) {
	switch {
	case on && c.unsubscribe == nil && c.srv.logs != nil:
		c.unsubscribe = c.srv.logs.Subscribe(c.Log)
	case !on && c.unsubscribe != nil:
		c.unsubscribe()
		c.unsubscribe = nil
	}
}

// Monitoring implements Terminal.
func (c *console) Monitoring() bool { return c.unsubscribe != nil }
