package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"poolgw/sctp"
)

// N2BenchOptions say how a comparison is made.
type N2BenchOptions struct {
	Gateway   []string // command, as StartN2Gateway takes it
	Relay     []string // as StartN2Relay takes it
	Transport sctp.Choice
	Rounds    int // of each measurement, relay and gateway in turn
	Duration  time.Duration
	Own       bool // the gateway is poolgw: it has metrics
	Bound     int  // UEs whose share of the live heap is measured; 0: it is not
	Cores     Cores
	Procs     int // GOMAXPROCS of both
	Out       io.Writer
}

// n2Scenario is one row.
type n2Scenario struct {
	name string
	gnbs int
	amfs int
	half bool // at half of what the gateway carries in the row before, else saturated
}

var n2Scenarios = []n2Scenario{
	{"4 gNBs, 3 AMFs", 4, 3, false},
	{"the same at half load", 4, 3, true},
	{"32 gNBs, 8 AMFs", 32, 8, false},
	{"the same at half load", 32, 8, true},
}

// N2Row is one measurement of both.
type N2Row struct {
	Name           string
	Half           bool
	Relay, Gateway N2Side
	Ratio          float64 // of the CPU time per message: the median of the rounds' ratios
	Least, Most    float64
}

// N2Side is one side of a row: medians of the rounds.
type N2Side struct {
	Figures
	Memory uint64 // octets resident
	Grown  int64  // most of a round
}

// N2Bench is the comparison of the N2 gateway with a bare relay.
type N2Bench struct {
	Transport string
	Rows      []N2Row
	Pauses    Pauses // of the last gateway's garbage collector
	Bound     int
	Heap      float64 // octets of live heap for each of Bound UEs
}

// RunN2Bench measures all rows. It returns an error, too, when the gateway did
// what it must never do.
func RunN2Bench(ctx context.Context, o N2BenchOptions) (*N2Bench, error) {
	if err := PinSelf(o.Cores.Generator); err != nil {
		return nil, err
	}
	t, _, err := sctp.Choose(o.Transport, sctp.UserspaceOptions{Shared: true})
	if err != nil {
		return nil, err
	}
	b := &N2Bench{Transport: t.Name()}
	for i := 0; i < len(n2Scenarios); i += 2 {
		if err := b.runPair(ctx, o, n2Scenarios[i:i+2]); err != nil {
			return nil, err
		}
	}
	if o.Bound > 0 {
		err = b.bind(ctx, o)
	}
	return b, err
}

// bind measures the heap of bound UEs, with a gateway that has done nothing else.
func (b *N2Bench) bind(ctx context.Context, o N2BenchOptions) error {
	fmt.Fprintf(o.Out, "N2, %d bound UEs …\n", o.Bound)
	t, err := StartN2Gateway(ctx, N2Options{Own: true}, o.Transport, o.Gateway, o.Cores.Tested, o.Procs)
	if err != nil {
		return err
	}
	defer t.Stop()
	b.Bound = o.Bound
	b.Heap, err = t.BoundHeap(o.Bound)
	return err
}

// runPair measures a saturated row and the one at half load, with one gateway.
func (b *N2Bench) runPair(ctx context.Context, o N2BenchOptions, pair []n2Scenario) error {
	nodes := N2Options{GNBs: pair[0].gnbs, AMFs: pair[0].amfs}
	relay, err := StartN2Relay(ctx, nodes, o.Transport, o.Relay, o.Cores.Tested, o.Procs)
	if err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	defer relay.Stop()
	nodes.Own = o.Own
	gateway, err := StartN2Gateway(ctx, nodes, o.Transport, o.Gateway, o.Cores.Tested, o.Procs)
	if err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	defer gateway.Stop()
	for _, s := range pair {
		l := N2Load{Duration: o.Duration}
		if s.half {
			l.Rate = b.Rows[len(b.Rows)-1].Gateway.Rate / 2 / float64(len(n2Steps))
		}
		fmt.Fprintf(o.Out, "N2, %s …\n", s.name)
		row, err := measureN2(ctx, o, l, relay, gateway)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		row.Name, row.Half = s.name, s.half
		b.Rows = append(b.Rows, row)
	}
	m, err := gateway.Metrics()
	if errors.Is(err, errNoMetrics) {
		return nil
	}
	b.Pauses = m.pauses()
	return err
}

func measureN2(ctx context.Context, o N2BenchOptions, l N2Load, relay, gateway *N2Target) (row N2Row, err error) {
	var all [2][]*N2Result
	var ratios []float64
	for i := range o.Rounds {
		for k, t := range []*N2Target{relay, gateway} {
			r, err := t.whole(l)
			if err == nil {
				err = r.Err(0)
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return row, fmt.Errorf("%s: %w", t.Name, err)
			}
			all[k] = append(all[k], r)
		}
		ratios = append(ratios, ratio(float64(all[1][i].CPUPerMessage()), float64(all[0][i].CPUPerMessage())))
	}
	return N2Row{Relay: n2Side(all[0]), Gateway: n2Side(all[1]), Ratio: median(ratios), Least: slices.Min(ratios), Most: slices.Max(ratios)}, nil
}

func n2Side(rs []*N2Result) (s N2Side) {
	of := func(f func(r *N2Result) time.Duration) time.Duration {
		var all []time.Duration
		for _, r := range rs {
			all = append(all, f(r))
		}
		return median(all)
	}
	quantile := func(q float64) time.Duration {
		return of(func(r *N2Result) time.Duration { return r.Latency.Quantile(q) })
	}
	var rates []float64
	for _, r := range rs {
		rates = append(rates, r.Rate())
		s.Memory, s.Grown = r.Memory, max(s.Grown, r.Grown)
	}
	s.Figures = Figures{CPU: of((*N2Result).CPUPerMessage), Rate: median(rates), P50: quantile(0.5), P99: quantile(0.99), P999: quantile(0.999)}
	return s
}

// String is the table in Markdown.
func (b *N2Bench) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "| N2, CPU per relayed message, %s SCTP | relay | gateway | ratio | (of the rounds) | relay | gateway |\n", b.Transport)
	s.WriteString("|--|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range b.Rows {
		fmt.Fprintf(&s, "| %s | %.2f us | %.2f us | %.2f | %.2f–%.2f | %.0f/s | %.0f/s |\n", r.Name,
			micros(r.Relay.CPU), micros(r.Gateway.CPU), r.Ratio, r.Least, r.Most, r.Relay.Rate, r.Gateway.Rate)
	}
	s.WriteString("\n| N2, latency at half load | relay p50 | p99 | p99.9 | gateway p50 | p99 | p99.9 | ratio p50 | p99 | gateway resident |\n")
	s.WriteString("|--|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for i, r := range b.Rows {
		if r.Half {
			fmt.Fprintf(&s, "\n| %s |%s%s %.2f | %.2f | %.0f MB |", b.Rows[i-1].Name, r.Relay.latency(), r.Gateway.latency(),
				ratio(float64(r.Gateway.P50), float64(r.Relay.P50)), ratio(float64(r.Gateway.P99), float64(r.Relay.P99)), float64(r.Gateway.Memory)/1e6)
		}
	}
	return s.String()
}
