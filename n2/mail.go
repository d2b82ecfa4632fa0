package n2

import (
	"sync"
	"time"
)

// mail is what other goroutines ask of an owner. Posting never blocks.
type mail struct {
	mu    sync.Mutex
	queue []func(now time.Time)
	wake  chan struct{} // one place
}

func newMail() mail { return mail{wake: make(chan struct{}, 1)} }

// post has f run by the owner, if it still runs.
func (m *mail) post(f func(now time.Time)) {
	m.mu.Lock()
	m.queue = append(m.queue, f)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns what was posted.
func (m *mail) take() []func(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.queue
	m.queue = nil
	return q
}
