package n2

import (
	"sync"
	"time"
)

// mail is what other goroutines want of an owner. Posting never waits: two owners
// that wait for each other would do so for ever. What stands in it is bounded by
// what it is about: of one subject there is one letter, the latest.
type mail struct {
	mu        sync.Mutex
	letters   map[any]func(now time.Time) // by subject
	order     [2][]any                    // subjects; those that free something go first
	enquiries int                         // of the letters
	wake      chan struct{}               // one place
}

// Subjects of letters, beside those of which an owner has one each: *link, whose
// transport takes data again, and attempt.
type (
	movedUE  uint32         // RAN UE NGAP ID of a UE that another gNB has now
	rival    uint32         // serial number of a gNB that wants this one's ID
	verdict  struct{}       // whether the gNB with the ID lives
	poolNews struct{}       // the directory has changed
	cfgNews  struct{}       // so has the configuration
	leave    struct{}       // room is needed
	enquiry  struct{ *int } // a show, a trace
)

// maxAsked is how many shows and traces may wait for an owner.
const maxAsked = 64

func newMail() mail {
	return mail{letters: make(map[any]func(now time.Time)), wake: make(chan struct{}, 1)}
}

// post has f run by the owner, if it still runs, in the place of what waits about
// the same subject.
func (m *mail) post(subject any, f func(now time.Time)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(subject, f)
}

// enquire has f run by the owner; false: too many wait already.
func (m *mail) enquire(f func(now time.Time)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.enquiries >= maxAsked {
		return false
	}
	m.enquiries++
	m.put(enquiry{new(int)}, f)
	return true
}

func (m *mail) put(subject any, f func(now time.Time)) {
	if _, waits := m.letters[subject]; !waits {
		c := 1
		switch subject.(type) {
		case *link, movedUE:
			c = 0
		}
		m.order[c] = append(m.order[c], subject)
	}
	m.letters[subject] = f
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns what was posted.
func (m *mail) take() []func(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]func(now time.Time), 0, len(m.letters))
	for c := range m.order {
		for _, s := range m.order[c] {
			list = append(list, m.letters[s])
		}
		m.order[c] = nil
	}
	clear(m.letters)
	if len(list) > 4*maxAsked {
		m.letters = make(map[any]func(now time.Time)) // a map keeps its room
	}
	m.enquiries = 0
	return list
}
