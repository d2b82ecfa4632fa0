package load

import (
	"fmt"
	"time"
)

// saturation is how many PDUs are on their way at most when the most that comes
// through is looked for: many full batches, but so few that no receive buffer
// overflows and the processor's cache holds them, as it does below capacity.
const saturation = 1024

// Capacity finds the highest rate at which no more than the part most (0..1) of
// a load is lost, and returns it with the measurement that showed it. l.Rate is
// not looked at; l.Duration is that of each attempt. trace is told each attempt.
//
// A flood tells what comes through at most; the answer is looked for below it
// by halving, down to steps of 2 %.
func (t *Target) Capacity(l Load, most float64, trace func(*Result)) (float64, *Result, error) {
	l.Rate, l.Window = 0, saturation
	flood, err := t.whole(l)
	if err != nil {
		return 0, nil, err
	}
	trace(flood)
	var best *Result
	low, high := 0.0, flood.Rate()
	for high-low > high/50 && high > 1 {
		l.Rate = (low + high) / 2
		if best == nil && low == 0 {
			l.Rate = high * 0.9
		}
		r, err := t.whole(l)
		if err != nil {
			return 0, nil, err
		}
		trace(r)
		if r.Loss() <= most && !r.Behind() {
			low, best = l.Rate, r
		} else {
			high = l.Rate
		}
	}
	if best == nil {
		return 0, nil, fmt.Errorf("load: at no rate is less than %g %% lost", 100*most)
	}
	return low, best, nil
}

// Behind tells that the generator itself did not keep up with the rate, which
// makes the result worthless: what was sent is less than 99 % of what was to be
// sent.
func (r *Result) Behind() bool {
	due := r.Load.Rate * r.Duration.Seconds()
	return r.Load.Rate > 0 && float64(r.Sent) < due*0.99
}

// WarmUp has every subscriber seen once, in both directions, so that no table
// grows while it is measured.
func (t *Target) WarmUp() error {
	const rate = 50000
	n := len(t.Generator.subs.all)
	_, err := t.Run(Load{Rate: rate, Duration: time.Duration(2*n) * time.Second / rate, Down: 0.5, sweep: true})
	return err
}
