package load

import (
	"errors"
	"fmt"
	"time"
)

// Unsteady is a calm load that the processors were too slow for whenever something was lost.
type Unsteady struct {
	Capacity, Offered float64 // PDUs a second
	Lost              uint64
	Held              Held
}

// String is a line of a report.
func (u Unsteady) String() string {
	return fmt.Sprintf("the machine does not hold its speed: %.0f/s came through at most, %.0f/s were sent, of which %d PDUs were lost; %v",
		u.Capacity, u.Offered, u.Lost, u.Held)
}

// mostTries of a calm load, on a machine that does not hold its speed: the second is made
// for the slowest second of the first.
const mostTries = 2

// capacityLook is what came through at most in a while of sending.
type capacityLook struct {
	from, to time.Time
	rate     float64 // PDUs a second
	share    float64 // of a processor that the process under test had
}

type capacityLooks []capacityLook

func (all capacityLooks) rate() float64 {
	return all.median(func(l capacityLook) float64 { return l.rate })
}
func (all capacityLooks) share() float64 {
	return all.median(func(l capacityLook) float64 { return l.share })
}

func (all capacityLooks) median(of func(capacityLook) float64) float64 {
	var list []float64
	for _, l := range all {
		list = append(list, of(l))
	}
	return median(list)
}

// capacity looks three times at what comes through of a load.
func (t *Target) capacity(l Load) (all capacityLooks, err error) {
	for range 3 {
		l.watch = newWatcher(t.KernelDrops, t.CPU)
		r, err := t.whole(l)
		if err == nil {
			err = r.Err(1)
		}
		if err == nil && r.Prompt == 0 {
			err = fmt.Errorf("load: nothing came through within %s", r.Duration)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, capacityLook{l.watch.from, l.watch.from.Add(r.Duration), r.promptRate(), ratio(r.CPU.Seconds(), r.Duration.Seconds())})
	}
	return all, nil
}

// calmLoads sends a part of what comes through at most, as often as it takes on a machine
// that does not hold its speed.
func (t *Target) calmLoads(s *Sustained, o SustainOptions) error {
	var y *yardstick
	if o.Core >= 0 && !o.Lossy {
		var err error
		if y, err = startYardstick(o.Core); err != nil {
			return err
		}
		defer y.end()
	}
	for {
		if err := t.calm(s, o, y); err != nil {
			return err
		}
		if !s.again() {
			return nil
		}
		fmt.Fprintln(o.Out, s.last())
		s.Unsteady = append(s.Unsteady, s.last())
	}
}

// again reports that a calm load proves nothing, and is to be tried once more.
func (s *Sustained) again() bool {
	return s.slowed() && s.Calm.Result.Err(1) == nil && s.Calm.err("calm") == nil && len(s.Unsteady)+1 < mostTries
}

// calm sends a part of what comes through at most, while a yardstick, if any, measures the
// processor.
func (t *Target) calm(s *Sustained, o SustainOptions, y *yardstick) error {
	began := time.Now()
	l := o.Load
	l.Rate, l.Window = 0, saturation
	looks, err := t.capacity(l)
	if err != nil {
		return err
	}
	s.Capacity, s.Share = looks.rate(), looks.share()
	per := 0.0
	if paces := t.paces(y, began, o); paces != nil {
		per = perPiece(looks, paces)
	}
	if n := len(s.Unsteady); n > 0 {
		slowest := s.Unsteady[n-1].Held
		s.Scale = min(1, per*slowest.Least*slowest.Usual/s.Capacity)
	}
	if s.Scale < leastScale {
		return nil // see notCalm
	}
	l.Window, l.Duration, l.Rate = 0, o.Duration, o.Part*s.Scale*s.Capacity
	fmt.Fprintf(o.Out, "capacity %.0f/s; %.0f %% of it for %s …\n", s.Capacity, 100*o.Part*s.Scale, o.Duration)
	l.watch = newWatcher(t.KernelDrops, t.CPU)
	if s.Calm, err = t.prove(l); err != nil {
		return err
	}
	s.Calm.Losses = l.watch.bad
	s.Held = holds(per, s.Capacity, s.Calm.offered(), t.paces(y, l.watch.from, o), l.watch.lost)
	return nil
}

// paces are those since a moment; none where the yardstick could not measure.
func (t *Target) paces(y *yardstick, since time.Time, o SustainOptions) (paces []pace) {
	if y == nil {
		return nil
	}
	var err error
	t.meanwhile(func() { paces, err = y.since(since) })
	if err != nil {
		fmt.Fprintln(o.Out, err)
		return nil
	}
	return paces
}

// slowed reports that something of the calm load was lost, and all of it while the
// machine was too slow.
func (s *Sustained) slowed() bool {
	lost := s.Calm.Result.Lost()
	return lost > 0 && s.Held.Explained >= lost
}

func (s *Sustained) last() Unsteady {
	return Unsteady{s.Capacity, s.Calm.offered(), s.Calm.Result.Lost(), s.Held}
}

const (
	// leastShare of its processor a gateway has that carries as much as it can; with less
	// it was the generator that could not, or the gateway waits for something.
	leastShare = 0.8
	// leastCalm is the part of the calm load that must have been sent at least.
	leastCalm = 0.98
	// leastScale: what a machine carries in its slowest second must not be so little that
	// nothing is said of what it carries.
	leastScale = 0.6
)

// notCalm tells that the calm load was less than it was to be.
func (s *Sustained) notCalm() error {
	if s.Lossy {
		return nil
	}
	var errs []error
	if s.Share < leastShare {
		errs = append(errs, fmt.Errorf("load: the gateway had %.0f %% of a processor when as much as possible came through: the generator did not saturate it, or it waits for something", 100*s.Share))
	}
	if s.Scale < leastScale {
		errs = append(errs, fmt.Errorf("load: the machine carries %.0f %% of the capacity in its slowest second", 100*s.Scale))
	}
	if sent := ratio(s.Calm.offered(), s.Scale*s.Capacity); sent < leastCalm*s.Part {
		errs = append(errs, fmt.Errorf("load: the generator did not get to %.0f %%: it sent %.0f %%", 100*s.Part, 100*sent))
	}
	return errors.Join(errs...)
}
