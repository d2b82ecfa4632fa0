package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// SoakOptions say how long and how hard.
type SoakOptions struct {
	Duration time.Duration // default 30 min
	Part     float64       // of the capacity; default 0.6
	Slice    time.Duration // of the load after which the process is looked at; default 10 s
	Gate     func() error  // called before each slice, if set: on a machine that others use too
	Out      io.Writer     // a line every few slices
}

// soaked is a gateway with its generator, as a soak sees it. What is counted are
// PDUs or messages.
type soaked interface {
	// soakCapacity is how many a second come through at most.
	soakCapacity() (float64, error)
	// soakSlice sends for a while, waits for what is on its way, and adds to the sums.
	soakSlice(rate float64, d time.Duration, s *Soak) error
	// soakUnseen is how many subscribers have not been seen yet. When all have, the
	// gateway has what it keeps of them.
	soakUnseen() int
	// soakIdle does for a moment what has to be done without load.
	soakIdle()
	// soakAccount makes the accounts from the metrics before and after; it is called at
	// the beginning too.
	soakAccount(s *Soak, before, after Metrics)
	measured
}

// Soak is what came of it.
type Soak struct {
	What           string
	Capacity, Rate float64
	Duration       time.Duration // of the load
	Sent, Received uint64
	Overrun        uint64 // lost by the generator
	Others         uint64 // that came though nobody sent them: the gateway made them, or they were late
	Strange        uint64 // of these, what is not late (N2)
	Latency        Histogram
	Accounts       []Account
	Before, After  Size
	Peak           Size
	Looks          int
	Cut            time.Duration // the part of the time that was left when it was interrupted
	kernelDrops    uint64        // before
}

// Account is an equation that must hold.
type Account struct {
	Left, Right uint64
	Words       string
}

// runSoak runs one.
func runSoak(ctx context.Context, t soaked, o SoakOptions) (*Soak, error) {
	orDefault(&o.Duration, 30*time.Minute)
	orDefault(&o.Part, 0.6)
	orDefault(&o.Slice, min(10*time.Second, o.Duration/3))
	if o.Gate == nil {
		o.Gate = func() error { return nil }
	}
	s := &Soak{}
	err := waitGate(t, o.Gate)
	if err == nil {
		s.Capacity, err = t.soakCapacity()
	}
	if err == nil {
		err = waitGate(t, o.Gate)
	}
	if err != nil {
		return nil, err
	}
	s.Rate = o.Part * s.Capacity
	fmt.Fprintf(o.Out, "capacity %.0f/s, now %.0f/s, until each subscriber has been seen …\n", s.Capacity, s.Rate)
	// A slice at least: tables and buffers take what they need.
	for unseen := 1; unseen > 0 && ctx.Err() == nil; {
		if err := t.soakSlice(s.Rate, o.Slice, s); err != nil {
			return nil, err
		}
		if unseen = t.soakUnseen(); unseen > 0 {
			fmt.Fprintf(o.Out, "%d subscribers have not been seen yet\n", unseen)
		}
	}
	*s = Soak{Capacity: s.Capacity, Rate: s.Rate}
	before, err := s.look(t, &s.Before)
	if err != nil {
		return nil, err
	}
	s.Peak = s.Before
	t.soakAccount(s, before, before)
	s.Sent, s.Received, s.Overrun, s.Others, s.Strange = 0, 0, 0, 0, 0 // what came late of the first slice is no part of it
	fmt.Fprintf(o.Out, "and for %s; %s\n", o.Duration, s.Before)
	begin := time.Now()
	for ; time.Since(begin) < o.Duration && ctx.Err() == nil; s.Looks++ {
		err := waitGate(t, o.Gate)
		if err == nil {
			err = t.soakSlice(s.Rate, o.Slice, s)
		}
		if err != nil {
			return nil, err
		}
		if err := s.peek(t, o, time.Since(begin)); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		s.Cut = o.Duration - time.Since(begin)
	}
	after, err := s.look(t, &s.After)
	if err == nil {
		t.soakAccount(s, before, after)
	}
	return s, err
}

// waitGate waits at the gate; keepalives are answered meanwhile.
func waitGate(t soaked, gate func() error) error {
	open := make(chan error, 1)
	go func() { open <- gate() }()
	for {
		select {
		case err := <-open:
			return err
		default:
			t.soakIdle()
		}
	}
}

// look reads how big the process is, at its smallest.
func (s *Soak) look(t soaked, size *Size) (m Metrics, err error) {
	*size, m, err = smallest(t)
	return m, err
}

// peek follows the process's size under load.
func (s *Soak) peek(t soaked, o SoakOptions, passed time.Duration) error {
	m, err := t.Metrics()
	if err != nil {
		return err
	}
	now := m.size()
	p := &s.Peak
	p.Goroutines, p.Descriptors = max(p.Goroutines, now.Goroutines), max(p.Descriptors, now.Descriptors)
	p.Live, p.Resident, p.Pause = max(p.Live, now.Live), max(p.Resident, now.Resident), now.Pause
	if s.Looks%6 == 5 {
		fmt.Fprintf(o.Out, "%5.0f s: sent %d, received %d, lost by the generator %d; %s\n", passed.Seconds(), s.Sent, s.Received, s.Overrun, now)
	}
	return nil
}

// Most that a process may have grown from a soak's beginning to its end.
const (
	mostGoroutines  = 4
	mostDescriptors = 4
	mostLive        = 8e6 // octets, and a quarter
)

// Err tells what must not be.
func (s *Soak) Err() error {
	var errs []error
	for _, a := range s.Accounts {
		if a.Left != a.Right {
			errs = append(errs, fmt.Errorf("load: the account does not balance: %s", a.Words))
		}
	}
	b, a := s.Before, s.After
	if a.Goroutines > b.Goroutines+mostGoroutines || a.Descriptors > b.Descriptors+mostDescriptors || a.Live > b.Live*1.25+mostLive {
		errs = append(errs, fmt.Errorf("load: the gateway has grown: %s before, %s after", b, a))
	}
	if s.Received == 0 {
		errs = append(errs, errors.New("load: nothing was received"))
	}
	if s.Cut > 0 {
		errs = append(errs, fmt.Errorf("load: interrupted %s before its time", s.Cut.Round(time.Second)))
	}
	return errors.Join(errs...)
}

// String is all of it in a few lines.
func (s *Soak) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: at %.0f/s, %.0f %% of %.0f/s, %.0f s of load: sent %d, received %d\n", s.What, s.Rate, 100*ratio(s.Rate, s.Capacity),
		s.Capacity, s.Duration.Seconds(), s.Sent, s.Received)
	for _, a := range s.Accounts {
		fmt.Fprintf(&b, "account: %s\n", a.Words)
	}
	fmt.Fprintf(&b, "latency p50 %s, p99 %s, p99.9 %s, max %s\n", short(s.Latency.Quantile(0.5)), short(s.Latency.Quantile(0.99)),
		short(s.Latency.Quantile(0.999)), short(s.Latency.Max()))
	fmt.Fprintf(&b, "before: %s\nafter:  %s\nmost:   %s; longest pause of the collector %.2f ms", s.Before, s.After, s.Peak, 1000*s.Peak.Pause)
	return b.String()
}

// Soak sends a part of what the gateway carries for a long time, with an account at the
// end: all that was sent arrived, or was lost where it is counted.
func (t *Target) Soak(ctx context.Context, l Load, o SoakOptions) (*Soak, error) {
	return runSoak(ctx, &gbSoak{Target: t, load: l}, o)
}

// gbSoak is the Gb side of a soak.
type gbSoak struct {
	*Target
	load    Load
	last    *Result // of the last slice
	counted uint64  // of what it received
}

// settle adds what came after the last slice had ended: a gateway on a busy machine
// may be seconds late.
func (g *gbSoak) settle(s *Soak) {
	if g.last != nil {
		s.Received += g.last.Received - g.counted
		g.counted = g.last.Received
	}
}

func (g *gbSoak) soakCapacity() (float64, error) {
	l := g.load
	l.Rate, l.Window = 0, saturation
	looks, err := g.Target.capacity(l)
	if err != nil {
		return 0, err
	}
	return looks.rate(), nil
}

func (g *gbSoak) soakUnseen() int { return 0 } // its rate is many times its subscribers

func (g *gbSoak) soakIdle() { g.Generator.receive(10) }

func (g *gbSoak) soakSlice(rate float64, d time.Duration, s *Soak) error {
	g.settle(s)
	l := g.load
	l.Rate, l.Duration = rate, d
	r, err := g.Run(l)
	g.last = r
	if err == nil {
		err = r.Err(1) // loss is the account's
	}
	if err != nil {
		return err
	}
	s.Duration += r.Duration
	s.Sent, s.Received, s.Overrun = s.Sent+r.Sent, s.Received+r.Received+r.Stale, s.Overrun+r.Overrun
	s.Latency.Merge(&r.Latency)
	g.counted = r.Received
	return nil
}

func (g *gbSoak) soakAccount(s *Soak, before, after Metrics) {
	s.What = "Gb"
	g.settle(s)
	if s.Accounts == nil {
		s.kernelDrops = g.Target.KernelDrops()
	}
	kernel, gateway := g.Target.KernelDrops()-s.kernelDrops, drops(after)-drops(before)
	told := toldDrops(after) - toldDrops(before)
	s.Accounts = []Account{{kernel, told, fmt.Sprintf("the kernel dropped %d at the gateway's sockets = %d as the gateway tells", kernel, told)}, {s.Sent, s.Received + s.Overrun + kernel + gateway,
		fmt.Sprintf("sent %d = received %d + %d dropped by the gateway + %d by the kernel at its sockets + %d at the generator's",
			s.Sent, s.Received, gateway, kernel, s.Overrun)}}
}
