package n2

import (
	"sync"
	"testing"
	"time"
)

// However much others post to an owner that is busy, what waits is bounded by
// what it is about; what frees something is done first, and nothing is lost: of
// each subject the latest is done.
func TestMailIsBounded(t *testing.T) {
	m := newMail()
	links := []*link{{}, {}}
	legs := []*leg{{}, {}}
	var mu sync.Mutex
	last := make(map[any]int)
	var order []any
	letter := func(subject any, n int) func(time.Time) {
		return func(time.Time) { last[subject] = n; order = append(order, subject) }
	}
	var posting sync.WaitGroup
	refused := 0
	for range 10 {
		posting.Go(func() {
			for i := range 1000 {
				m.post(poolNews{}, letter(poolNews{}, i))
				m.post(cfgNews{}, letter(cfgNews{}, i))
				m.post(attempt{legs[i%2], 1}, letter(attempt{legs[i%2], 1}, i))
				m.post(movedUE(i%100), letter(movedUE(i%100), i))
				m.post(links[i%2], letter(links[i%2], i))
				if !m.enquire(letter("enquiry", i)) {
					mu.Lock()
					refused++
					mu.Unlock()
				}
			}
		})
	}
	posting.Wait()
	list := m.take()
	if want := 2 + 2 + 100 + 2 + maxAsked; len(list) != want || refused != 10*1000-maxAsked {
		t.Fatalf("%d wait, want %d; %d refused", len(list), want, refused)
	}
	for _, f := range list {
		f(time.Time{})
	}
	for i, s := range order {
		_, isLink := s.(*link)
		_, isMoved := s.(movedUE)
		if first := isLink || isMoved; first != (i < 102) {
			t.Fatalf("letter %d is about %#v", i, s)
		}
	}
	for s, n := range last {
		if s != "enquiry" && n < 900 {
			t.Errorf("of %#v letter %d was done, not the latest", s, n)
		}
	}
	if list := m.take(); len(list) != 0 {
		t.Errorf("%d were left", len(list))
	}
	if !m.enquire(letter("enquiry", 0)) || len(m.take()) != 1 {
		t.Error("there is no room again")
	}
}
