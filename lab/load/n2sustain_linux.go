package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"poolgw/vty"
)

// N2SustainOptions say how more UEs begin than the gateway carries, beside UEs
// that are bound and talk.
type N2SustainOptions struct {
	Look     time.Duration // for the capacity, each of three; default 3 s
	Duration time.Duration // of the overload; default 60 s
	Bound    int           // UEs; default 1000
	Over     float64       // times the capacity that UEs begin; default 2
	Limit    float64       // part of the capacity that "limits new-ues" lets in; default 0.4
	Talk     float64       // part of the capacity in messages that bound UEs send; default 0.05
	Out      io.Writer     // progress
}

// N2Sustained is what came of it.
type N2Sustained struct {
	Capacity float64 // UEs a second that are served to the end
	NewUEs   int     // limit of each gNB, UEs a second
	GNBs     int
	Result   *N2Result
	Heap     float64                      // octets of live heap for each bound UE
	Drops    map[string]map[string]uint64 // by class and reason, as the gateway counts
	Lost     map[string]uint64            // associations, as the gateway counts
}

// Sustain measures what comes through, binds UEs, limits new ones as an operator
// would, and then has more UEs begin than came through.
func (t *N2Target) Sustain(ctx context.Context, o N2SustainOptions) (*N2Sustained, error) {
	orDefault(&o.Look, 3*time.Second)
	orDefault(&o.Duration, time.Minute)
	orDefault(&o.Bound, 1000)
	orDefault(&o.Over, 2)
	orDefault(&o.Limit, 0.4)
	orDefault(&o.Talk, 0.05)
	looks := &n2Soak{t, o.Look}
	messages, err := looks.soakCapacity()
	if err != nil {
		return nil, err
	}
	s := &N2Sustained{Capacity: messages / float64(len(n2Steps)), GNBs: t.Generator.opt.GNBs}
	fmt.Fprintf(o.Out, "%.0f UEs a second are served; %d UEs are bound …\n", s.Capacity, o.Bound)
	if s.Heap, err = t.BoundHeap(o.Bound); err != nil {
		return nil, err
	}
	s.NewUEs = max(1, int(o.Limit*s.Capacity)/s.GNBs)
	if err := t.configure(ctx, "limits", fmt.Sprintf("new-ues %d", s.NewUEs)); err != nil {
		return nil, err
	}
	fmt.Fprintf(o.Out, "limits new-ues %d; %.0f UEs begin in a second, for %s …\n", s.NewUEs, o.Over*s.Capacity, o.Duration)
	before, err := t.Metrics()
	if err != nil {
		return nil, err
	}
	s.Result, err = t.whole(N2Load{Rate: o.Over * s.Capacity, Duration: o.Duration, Talk: o.Talk * messages, Limited: true})
	if err != nil {
		return nil, err
	}
	after, err := t.Metrics()
	s.count(before, after)
	return s, err
}

// tellingUEs are so many that what else is on the heap does not matter.
const tellingUEs = 10000

// BoundHeap binds n UEs and returns the octets of the gateway's live heap that
// each takes.
func (t *N2Target) BoundHeap(n int) (float64, error) {
	before, err := t.LiveHeap()
	if err == nil {
		err = t.Generator.Bind(n, bringUpTime+time.Duration(n)*10*time.Millisecond)
	}
	if err != nil {
		return 0, err
	}
	after, err := t.LiveHeap()
	return (after - before) / float64(n), err
}

// configure has the gateway take lines of configuration.
func (t *N2Target) configure(ctx context.Context, lines ...string) error {
	if t.vty == 0 {
		return errors.New("load: the process under test has no VTY that we know")
	}
	c, err := vty.Dial(ctx, netip.AddrPortFrom(gatewayAddr(false), t.vty).String(), vty.DialOptions{})
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer c.Close()
	for _, line := range append([]string{"enable", "configure terminal"}, lines...) {
		if _, err := c.Run(line); err != nil {
			return fmt.Errorf("load: %q: %w", line, err)
		}
	}
	return nil
}

func (s *N2Sustained) count(before, after Metrics) {
	moved := func(pattern string) uint64 { return uint64(after.Sum(pattern) - before.Sum(pattern)) }
	s.Drops, s.Lost = map[string]map[string]uint64{}, map[string]uint64{}
	for name := range after {
		var class, reason string
		labels, ok := strings.CutPrefix(strings.ReplaceAll(name, `"`, " "), "poolgw_n2_dropped_pdus_total")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(labels, "{class= %s ,reason= %s }", &class, &reason); err != nil {
			continue
		}
		if n := uint64(after[name] - before[name]); n > 0 {
			if s.Drops[class] == nil {
				s.Drops[class] = map[string]uint64{}
			}
			s.Drops[class][reason] += n
		}
	}
	s.Lost["of gNBs"] = moved(`poolgw_n2_lost_gnbs_total`)
	s.Lost["to AMFs"] = moved(`poolgw_n2_amf_lost_associations_total.*`)
	s.Lost["ended by the gateway, their peer took nothing"] = moved(`poolgw_n2_stalled_associations_total`)
}

// Err tells what must not be: a message of a bound UE lost, one released, an
// association lost, anything but new sessions dropped, and what Run calls wrong.
func (s *N2Sustained) Err() error {
	errs := []error{s.Result.Err(0)}
	for class, reasons := range s.Drops {
		for reason, n := range reasons {
			if class != "new_session" {
				errs = append(errs, fmt.Errorf("load: %d dropped, %s: %s", n, class, reason))
			}
		}
	}
	for what, n := range s.Lost {
		if n > 0 {
			errs = append(errs, fmt.Errorf("load: %d associations lost, %s", n, what))
		}
	}
	if s.Result.Talk.Arrived == 0 {
		errs = append(errs, errors.New("load: no bound UE was heard"))
	}
	return errors.Join(errs...)
}

// String is all of it in a few lines.
func (s *N2Sustained) String() string {
	var b strings.Builder
	r, t := s.Result, &s.Result.Talk
	offered := r.UEs + r.Waiting + r.Unbegun
	second := r.Duration.Seconds()
	fmt.Fprintf(&b, "capacity: %.0f UEs a second are served; limits new-ues %d for each of %d gNBs\n", s.Capacity, s.NewUEs, s.GNBs)
	fmt.Fprintf(&b, "new UEs at %.0f %% (%.0f/s) for %.0f s: offered %d, refused by the gateway %d, served %d (%.0f/s), held back by SCTP %d, released in the middle %d, not served %d\n",
		100*ratio(float64(offered)/second, s.Capacity), float64(offered)/second, second, offered, r.Turned, r.Done, float64(r.Done)/second,
		r.Waiting+r.Unbegun, r.Cut, r.UEs-min(r.UEs, r.Turned+r.Done+r.Cut))
	fmt.Fprintf(&b, "%d bound UEs: due %d, sent with the answers %d, arrived %d, lost %d, held back by SCTP %d; UEs released %d; p50 %s, p99 %s, max %s\n", t.UEs, t.Due,
		t.Sent, t.Arrived, t.Lost(), t.Held, t.Released, short(t.Latency.Quantile(0.5)), short(t.Latency.Quantile(0.99)), short(t.Latency.Max()))
	for _, class := range slices.Sorted(maps.Keys(s.Drops)) {
		for _, reason := range slices.Sorted(maps.Keys(s.Drops[class])) {
			fmt.Fprintf(&b, "the gateway dropped: %s: %s: %d\n", class, reason, s.Drops[class][reason])
		}
	}
	if len(s.Drops) == 0 {
		b.WriteString("the gateway dropped nothing\n")
	}
	b.WriteString("associations lost:")
	for i, what := range slices.Sorted(maps.Keys(s.Lost)) {
		fmt.Fprintf(&b, "%s %s %d", strings.Repeat(",", min(i, 1)), what, s.Lost[what])
	}
	if t.UEs >= tellingUEs {
		fmt.Fprintf(&b, "\nlive heap: %.0f octets for each bound UE", s.Heap)
	}
	fmt.Fprintf(&b, "\n%s", r)
	return b.String()
}
