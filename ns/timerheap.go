package ns

import (
	"container/heap"
	"time"
)

// timer is a deadline that an owner stores; the stack expires those that are
// due. Its zero value is stopped.
type timer struct {
	at    time.Time
	pos   int // in the heap, from 1; 0: not running
	owner timerOwner
	kind  timerKind
}

type timerKind uint8

const (
	timerProc    timerKind = iota // RESET, BLOCK, UNBLOCK procedure
	timerTest                     // NS-VC test procedure
	timerSNS                      // SNS procedure
	timerLMI                      // T391, T392 of a Frame Relay line
	timerCarrier                  // look at a line's device
	timerRetry                    // send what a line had no room for
)

type timerOwner interface {
	expired(now time.Time, kind timerKind)
}

// timerHeap orders the running timers by their time.
type timerHeap []*timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i+1, j+1
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	*h = append(*h, t)
	t.pos = len(*h)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.pos = 0
	return t
}

func (h *timerHeap) set(t *timer, at time.Time) {
	t.at = at
	if t.pos == 0 {
		heap.Push(h, t)
		return
	}
	heap.Fix(h, t.pos-1)
}

func (h *timerHeap) stop(t *timer) {
	if t.pos != 0 {
		heap.Remove(h, t.pos-1)
	}
}

// due takes the earliest timer when its time has come.
func (h *timerHeap) due(now time.Time) *timer {
	if len(*h) == 0 || (*h)[0].at.After(now) {
		return nil
	}
	return heap.Pop(h).(*timer)
}

// timerUnit is the unit of the T timers; a value of 0 counts as one unit, so
// that no setting makes a procedure spin.
func (t Timers) duration(which Timer) time.Duration {
	return max(time.Duration(t[which]), 1) * time.Second
}

// retries returns the value of a counter.
func (t Timers) retries(which Timer) int { return int(t[which]) }
