package n2

import (
	"container/heap"
	"time"
)

// timers are the deadlines of one owner: few, and run by its loop.
type timers struct {
	heap timerHeap
	seq  uint64
}

type timer struct {
	at      time.Time
	seq     uint64
	subject any
	run     func(now time.Time)
}

// Subjects of timers, beside *link, which is watched for a stall.
type (
	setupTimer uint8 // of the gNB's NG Setup
	legTimer   struct {
		leg  *leg
		kind legTimerKind
	}
	sweepTimer  struct{}                 // of UEs that wait for something
	proofTimer  struct{}                 // whether the gNB lives
	updateTimer struct{}                 // of a RAN Configuration Update
	unionTimer  struct{}                 // of an AMF Configuration Update to the gNB
	pacedTimer  struct{ list *[]uint32 } // of releases
)

const (
	timePatience setupTimer = iota
	timeProbing
	timeSetup
	timeGrace
)

type legTimerKind uint8

const (
	legSetupTimer legTimerKind = iota
	legRetryTimer
	legProbeTimer
)

// set has run called at now+d, in the place of what was set for the same subject;
// equal times in the order of the calls. Peers can set timers as fast as they
// like: there are as many as subjects.
func (t *timers) set(subject any, now time.Time, d time.Duration, run func(now time.Time)) {
	t.forget(subject)
	t.seq++
	heap.Push(&t.heap, timer{now.Add(d), t.seq, subject, run})
}

// forget takes a subject's timer out.
func (t *timers) forget(subject any) {
	for i := range t.heap {
		if t.heap[i].subject == subject {
			heap.Remove(&t.heap, i)
			return
		}
	}
}

// due runs what is due.
func (t *timers) due(now time.Time) {
	for len(t.heap) > 0 && !t.heap[0].at.After(now) {
		heap.Pop(&t.heap).(timer).run(now)
	}
}

// next is when to call due again; false: nothing is to come.
func (t *timers) next() (time.Time, bool) {
	if len(t.heap) == 0 {
		return time.Time{}, false
	}
	return t.heap[0].at, true
}

type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].at.Before(h[j].at) || h[i].at.Equal(h[j].at) && h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(v any)   { *h = append(*h, v.(timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	v := old[len(old)-1]
	old[len(old)-1] = timer{}
	*h = old[:len(old)-1]
	return v
}
