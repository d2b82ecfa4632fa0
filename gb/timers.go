package gb

import (
	"container/heap"
	"time"
)

// timers are the deadlines of the loop, earliest first. There is no cancelling:
// what is called looks whether it is still wanted.
type timers struct{ h timerHeap }

type timer struct {
	at time.Time
	f  func(now time.Time)
}

func (t *timers) at(when time.Time, f func(now time.Time)) { heap.Push(&t.h, timer{when, f}) }

// next returns the earliest deadline.
func (t *timers) next() (time.Time, bool) {
	if len(t.h) == 0 {
		return time.Time{}, false
	}
	return t.h[0].at, true
}

// expire calls what is due; what that adds for now or earlier waits for the
// next turn, so that a turn ends.
func (t *timers) expire(now time.Time) {
	for n := len(t.h); n > 0 && len(t.h) > 0 && !t.h[0].at.After(now); n-- {
		heap.Pop(&t.h).(timer).f(now)
	}
}

type timerHeap []timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = timer{}
	*h = old[:len(old)-1]
	return last
}
