package load

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Started is how a gateway with many NSEs comes up, and what it then holds.
type Started struct {
	NSEs, BVCs  int
	Subscribers int
	Bound       time.Duration // from the start of the process until its sockets are there
	Up          time.Duration // from then until all BVCs are unblocked at BSSs and SGSNs
	Empty       Size          // with one NSE and BVC
	Whole       Size          // with all of them
	Known       Size          // when every subscriber was seen once, up and down
}

// PerBVC is the live heap of the gateway for each BVC with its part of an NSE, in octets.
func (s *Started) PerBVC() float64 { return (s.Whole.Live - s.Empty.Live) / float64(s.BVCs) }

// PerTLLI is the live heap for each TLLI, in octets.
func (s *Started) PerTLLI() float64 { return (s.Known.Live - s.Whole.Live) / float64(s.Subscribers) }

// RunStart starts a gateway with one NSE, for comparison, and one with all of o.
func RunStart(ctx context.Context, o Options, argv []string, cores Cores, out io.Writer) (*Started, error) {
	if err := PinSelf(cores.Generator); err != nil {
		return nil, err
	}
	s := &Started{NSEs: o.BSSs, BVCs: o.BSSs * o.Cells, Subscribers: o.Subscribers}
	small := o
	small.BSSs, small.Cells, small.Subscribers = 1, 1, 1
	t, err := StartGateway(ctx, small, argv, cores.Tested, 1)
	if err != nil {
		return nil, err
	}
	s.Empty, _, err = smallest(t)
	t.Stop()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d NSEs, %d BVCs …\n", s.NSEs, s.BVCs)
	if t, err = StartGateway(ctx, o, argv, cores.Tested, 1); err != nil {
		return nil, err
	}
	defer t.Stop()
	s.Bound, s.Up = t.bound, t.up
	if s.Whole, _, err = smallest(t); err != nil {
		return nil, err
	}
	if err = t.WarmUp(); err == nil {
		s.Known, _, err = smallest(t)
	}
	return s, err
}

// String is all of it in a few lines.
func (s *Started) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process start to sockets bound, %d NSEs configured: %.3f s\n", s.NSEs, s.Bound.Seconds())
	fmt.Fprintf(&b, "then %d BVCs unblocked at BSSs and SGSNs: %.2f s\n", s.BVCs, s.Up.Seconds())
	fmt.Fprintf(&b, "one NSE and BVC:      %s\nall of them:          %s: %.0f octets live for each BVC\n", s.Empty, s.Whole, s.PerBVC())
	fmt.Fprintf(&b, "with %d TLLIs seen: %s: %.0f octets live for each TLLI\n", s.Subscribers, s.Known, s.PerTLLI())
	fmt.Fprintf(&b, "longest pause of the collector %.2f ms", 1000*s.Known.Pause)
	return b.String()
}

// waitBound waits until the process has its two sockets.
func (t *Target) waitBound(ctx context.Context, since time.Time) {
	for ctx.Err() == nil && t.process.life.Err() == nil {
		n, _ := kernelDrops(t.Generator.opt.ToBSSs)
		m, _ := kernelDrops(t.Generator.opt.ToSGSNs)
		if n > 0 && m > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	t.bound = time.Since(since)
}
