package vty

import (
	"fmt"
	"sync"
)

// configLock lets one session of a tree into the configuration nodes.
type configLock struct {
	mu     sync.Mutex
	holder *Session
}

// acquire gives s the lock; the error names the session that has it.
func (l *configLock) acquire(s *Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != nil && l.holder != s {
		t := l.holder.term
		return Raw(fmt.Sprintf("VTY configuration is locked by vty %d (%s)", t.ID(), t.Remote()))
	}
	l.holder = s
	return nil
}

func (l *configLock) release(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == s {
		l.holder = nil
	}
}

// heldBy tells whether the session with that number has the lock.
func (l *configLock) heldBy(id int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder != nil && l.holder.term.ID() == id
}
