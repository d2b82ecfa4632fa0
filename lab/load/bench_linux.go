package load

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// BenchOptions say how a comparison is made.
type BenchOptions struct {
	Gateway  []string // command, as StartGateway takes it
	Relay    []string // as StartRelay takes it
	Rounds   int      // of each measurement, gateway and relay in turn; default 3
	Duration time.Duration
	// Subscribers, as in Options.
	Subscribers int
	Segment     bool // as in Options
	Cores       Cores
	Out         io.Writer // progress; the table is Bench.WriteTo's
}

// scenario is one row of the table.
type scenario struct {
	name string
	bsss int
	load Load
	half bool // at half of what the gateway carries in the row before, else saturated
}

var scenarios = []scenario{
	{name: "UL 100 octets, 4 BSSs", bsss: 4, load: Load{Sizes: []int{100}}},
	{name: "the same at half load", bsss: 4, load: Load{Sizes: []int{100}}, half: true},
	{name: "UL 100 and 500 octets", bsss: 4, load: Load{Sizes: []int{100, 500}}},
	{name: "DL 100 octets", bsss: 4, load: Load{Sizes: []int{100}, Down: 1}},
	{name: "both ways, 100 and 500", bsss: 4, load: Load{Sizes: []int{100, 500}, Down: 0.5}},
	{name: "the same at half load", bsss: 4, load: Load{Sizes: []int{100, 500}, Down: 0.5}, half: true},
	{name: "UL 100 octets, 100 BSSs", bsss: 100, load: Load{Sizes: []int{100}}},
	{name: "the same at half load", bsss: 100, load: Load{Sizes: []int{100}}, half: true},
}

// Row is one measurement of both: the medians of the rounds.
type Row struct {
	Name           string
	Half           bool
	Relay, Gateway Figures
	Ratio          float64 // of the CPU time per PDU: the median of the rounds' ratios
	Least, Most    float64 // of the rounds' ratios
}

// Figures are one side of a Row.
type Figures struct {
	CPU            time.Duration // per PDU
	Rate           float64       // PDUs a second that came through
	P50, P99, P999 time.Duration
}

// Bench is the comparison of a gateway with the bare relay.
type Bench struct{ Rows []Row }

// RunBench measures all rows. It returns an error, too, when the gateway did
// what it must never do.
func RunBench(ctx context.Context, o BenchOptions) (*Bench, error) {
	orDefault(&o.Rounds, 3)
	orDefault(&o.Duration, 3*time.Second)
	if err := PinSelf(o.Cores.Generator); err != nil {
		return nil, err
	}
	b := &Bench{}
	for i := 0; i < len(scenarios); {
		k := i + 1
		for k < len(scenarios) && scenarios[k].bsss == scenarios[i].bsss {
			k++
		}
		if err := b.runAll(ctx, o, scenarios[i:k]); err != nil {
			return nil, err
		}
		i = k
	}
	return b, nil
}

// runAll measures scenarios that have the same nodes.
func (b *Bench) runAll(ctx context.Context, o BenchOptions, all []scenario) error {
	nodes := Options{BSSs: all[0].bsss, Subscribers: o.Subscribers, Segment: o.Segment}
	relay, err := StartRelay(ctx, nodes, o.Relay, o.Cores.Tested)
	if err != nil {
		return err
	}
	defer relay.Stop()
	gateway, err := StartGateway(ctx, nodes, o.Gateway, o.Cores.Tested, 1)
	if err != nil {
		return err
	}
	defer gateway.Stop()
	for _, t := range []*Target{relay, gateway} {
		if err := t.WarmUp(); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.load.Window = saturation
		if s.half {
			s.load.Rate = b.Rows[len(b.Rows)-1].Gateway.Rate / 2
		}
		fmt.Fprintf(o.Out, "%s …\n", s.name)
		row, err := measure(o, s, relay, gateway)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.Rows = append(b.Rows, row)
	}
	return nil
}

// measure measures one row.
func measure(o BenchOptions, s scenario, relay, gateway *Target) (Row, error) {
	s.load.Duration = o.Duration
	var rs, gs []*Result
	var ratios []float64
	for range o.Rounds {
		for _, t := range []struct {
			*Target
			results *[]*Result
		}{{relay, &rs}, {gateway, &gs}} {
			r, err := t.Run(s.load)
			if err == nil {
				err = r.Err(1) // no loss is too much: the machine decides on that
			}
			if err != nil {
				return Row{}, fmt.Errorf("%s: %w", t.Name, err)
			}
			*t.results = append(*t.results, r)
		}
		n := len(rs) - 1
		ratios = append(ratios, ratio(float64(gs[n].CPUPerPDU()), float64(rs[n].CPUPerPDU())))
	}
	return Row{Name: s.name, Half: s.half, Relay: figures(rs), Gateway: figures(gs),
		Ratio: median(ratios), Least: slices.Min(ratios), Most: slices.Max(ratios)}, nil
}

func figures(rs []*Result) Figures {
	of := func(f func(r *Result) time.Duration) time.Duration {
		var all []time.Duration
		for _, r := range rs {
			all = append(all, f(r))
		}
		return median(all)
	}
	var rates []float64
	for _, r := range rs {
		rates = append(rates, r.Rate())
	}
	quantile := func(q float64) time.Duration {
		return of(func(r *Result) time.Duration { return r.Latency.Quantile(q) })
	}
	return Figures{CPU: of((*Result).CPUPerPDU), Rate: median(rates), P50: quantile(0.5), P99: quantile(0.99), P999: quantile(0.999)}
}

func median[T cmp.Ordered](v []T) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// WriteTo writes the table in Markdown.
func (b *Bench) WriteTo(w io.Writer) (int64, error) {
	var s []byte
	s = fmt.Appendf(s, "| CPU per relayed PDU, one worker | relay | gateway | ratio | (of the rounds) | relay | gateway |\n")
	s = fmt.Appendf(s, "|--|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range b.Rows {
		s = fmt.Appendf(s, "| %s | %.2f us | %.2f us | %.2f | %.2f–%.2f | %.0f/s | %.0f/s |\n", r.Name,
			micros(r.Relay.CPU), micros(r.Gateway.CPU), r.Ratio, r.Least, r.Most, r.Relay.Rate, r.Gateway.Rate)
	}
	s = fmt.Appendf(s, "\n| Latency at half load | relay p50 | p99 | p99.9 | gateway p50 | p99 | p99.9 | ratio p50 | p99 |\n")
	s = fmt.Appendf(s, "|--|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, r := range b.Rows {
		if r.Half {
			s = fmt.Appendf(s, "| %s |%s%s %.2f | %.2f |\n", b.Rows[i-1].Name, r.Relay.latency(), r.Gateway.latency(),
				ratio(float64(r.Gateway.P50), float64(r.Relay.P50)), ratio(float64(r.Gateway.P99), float64(r.Relay.P99)))
		}
	}
	n, err := w.Write(s)
	return int64(n), err
}

func (f *Figures) latency() string {
	return fmt.Sprintf(" %s | %s | %s |", short(f.P50), short(f.P99), short(f.P999))
}
