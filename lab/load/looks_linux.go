package load

import (
	"fmt"
	"strings"
	"time"
)

// Look is what a while of a load was like.
type Look struct {
	At       time.Duration // its end, since the load began
	Took     time.Duration
	Sent     uint64
	Received uint64
	Dropped  uint64        // by the kernel, at the sockets of the process under test
	CPU      time.Duration // of that process, in steps of 10 ms
	Late     time.Duration // of the generator behind the clock, at most
}

// String is a line of a report.
func (l Look) String() string {
	return fmt.Sprintf("until %.1f s, %.0f ms: sent %d, received %d, dropped %d; the gateway had %.0f %% of a processor, the generator was %s late",
		l.At.Seconds(), millis(l.Took), l.Sent, l.Received, l.Dropped, 100*ratio(l.CPU.Seconds(), l.Took.Seconds()), short(l.Late))
}

// watcher looks at a load ten times a second and keeps the looks during which something
// was dropped, so that a loss can be told from a machine that stood still.
type watcher struct {
	drops func() uint64        // of the kernel, at the sockets of the process under test
	cpu   func() time.Duration // of that process
	sums  Look                 // of all so far
	bad   []Look               // the first mostLooks
	lost  []lossAt             // of all
	from  time.Time            // when the load began
	last  [lossLooks]Look      // the latest looks
}

const (
	lookEvery = 100 * time.Millisecond
	mostLooks = 12
	// lossLooks are how many tell what led to a loss: the sockets hold some 0.2 s.
	lossLooks = 3
)

func newWatcher(drops func() uint64, cpu func() time.Duration) *watcher {
	return &watcher{drops: drops, cpu: cpu, sums: Look{Dropped: drops(), CPU: cpu()}}
}

// look is called by the generator.
func (w *watcher) look(at time.Duration, r *Result, late time.Duration) {
	now := Look{At: at, Sent: r.Sent, Received: r.Received, Dropped: w.drops(), CPU: w.cpu(), Late: late}
	was := w.sums
	now.Dropped = max(now.Dropped, was.Dropped) // less: a socket could not be read
	look := Look{now.At, now.At - was.At, now.Sent - was.Sent, now.Received - was.Received,
		now.Dropped - was.Dropped, now.CPU - was.CPU, now.Late}
	copy(w.last[1:], w.last[:])
	w.last[0], w.sums = look, now
	if look.Dropped == 0 {
		return
	}
	w.lost = append(w.lost, w.loss(look.Dropped))
	if len(w.bad) < mostLooks {
		w.bad = append(w.bad, look)
	}
}

// loss is the latest look with what the ones before were like.
func (w *watcher) loss(n uint64) lossAt {
	var took, cpu time.Duration
	l := lossAt{when: time.Now(), n: n}
	for _, k := range w.last {
		took, cpu, l.late = took+k.Took, cpu+k.CPU, max(l.late, k.Late)
	}
	l.busy = ratio(cpu.Seconds(), took.Seconds())
	return l
}

// losses are the looks of a report, a line each.
func losses(all []Look) string {
	var b strings.Builder
	for _, l := range all {
		fmt.Fprintf(&b, "  %s\n", l)
	}
	if len(all) == mostLooks {
		b.WriteString("  …\n")
	}
	return b.String()
}
