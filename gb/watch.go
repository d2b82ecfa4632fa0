package gb

import (
	"sync/atomic"
	"time"
)

// watch notices two things that happen to the process and not within it: it was
// held up (stopped, starved, the machine paused), or somebody set the clock.
// Neither moves a timer: deadlines are by the monotonic clock, and what was due
// meanwhile is due once, so that a pause costs each procedure one repetition.
type watch struct {
	due    time.Time // when the loop wanted to wake; zero: not armed yet
	turned time.Time // of the last turn

	stalls, steps atomic.Uint64
}

const (
	stallAfter = time.Second // later than due by more is told
	stepAfter  = time.Second // of the wall clock against the monotonic one
)

// arm notes when the loop means to wake.
func (w *watch) arm(due time.Time) { w.due = due }

// turn returns how long the loop was held up and by how much the wall clock was
// set since the last turn; 0 when that is not worth a word.
func (w *watch) turn(now time.Time) (stall, step time.Duration) {
	if !w.due.IsZero() {
		stall = now.Sub(w.due)
	}
	if !w.turned.IsZero() {
		step = now.Round(0).Sub(w.turned.Round(0)) - now.Sub(w.turned)
	}
	w.due, w.turned = time.Time{}, now
	if stall <= stallAfter {
		stall = 0
	}
	if step.Abs() <= stepAfter {
		step = 0
	}
	return stall, step
}

// watchTurn counts and logs what happened to the process.
func (g *Gateway) watchTurn(now time.Time) {
	stall, step := g.watch.turn(now)
	if stall > 0 {
		g.watch.stalls.Add(1)
		g.log.Warn("the gateway was held up", "cat", "lglobal", "for", stall.Round(time.Millisecond))
	}
	if step != 0 {
		g.watch.steps.Add(1)
		g.log.Warn("the clock was set; timers go by the monotonic clock", "cat", "lglobal", "by", step.Round(time.Millisecond))
	}
}
