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
	Other    []string // another proxy's command, likewise; nil: none
	Quick    bool     // a few rows only
	Rounds   int      // of each measurement, gateway and relay in turn; default 3
	Duration time.Duration
	// Subscribers, as in Options.
	Subscribers int
	Segment     bool // as in Options
	Own         bool // as in Options: it has rows that another gateway does not
	Cores       Cores
	Out         io.Writer // progress; the table is Bench.WriteTo's
}

// scenario is one row of the table.
type scenario struct {
	name string
	bsss int
	load Load
	half bool // at half of what the gateway carries in the row before, else saturated
	gso  bool // as BenchOptions.Segment, for this row of poolgw
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
	{name: "UL 100 octets, 4 BSSs, udp-segmentation at both", bsss: 4, load: Load{Sizes: []int{100}}, gso: true},
	{name: "both ways, 100 and 500, udp-segmentation at both", bsss: 4, load: Load{Sizes: []int{100, 500}, Down: 0.5}, gso: true},
}

// quickScenarios tell in a short time whether the ratio is about what it was.
var quickScenarios = []scenario{
	{name: "UL 100 octets, 4 BSSs", bsss: 4, load: Load{Sizes: []int{100}}},
	{name: "both ways, 100 and 500", bsss: 4, load: Load{Sizes: []int{100, 500}, Down: 0.5}},
}

// Row is one measurement of both: the medians of the rounds.
type Row struct {
	Name           string
	Half, Shown    bool // at half load; shown without a goal
	Relay, Gateway Figures
	Ratio          float64 // of the CPU time per PDU: the median of the rounds' ratios
	Least, Most    float64 // of the rounds' ratios
	Other          Figures // of another proxy
	OtherName      string
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
	scenarios := scenarios
	if o.Quick {
		scenarios = quickScenarios
	}
	for i := 0; i < len(scenarios); {
		k := i + 1
		if scenarios[i].gso && !o.Own {
			break // they are the last ones
		}
		for k < len(scenarios) && scenarios[k].bsss == scenarios[i].bsss && scenarios[k].gso == scenarios[i].gso {
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
	nodes := Options{BSSs: all[0].bsss, Subscribers: o.Subscribers, Segment: o.Segment || all[0].gso}
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
	tested := []*Target{relay, gateway}
	if o.Other != nil {
		nodes.Segment = false
		other, err := StartGateway(ctx, nodes, o.Other, o.Cores.Tested, 1)
		if err != nil {
			return fmt.Errorf("load: %s: %w", o.Other[0], err)
		}
		defer other.Stop()
		tested = append(tested, other)
	}
	for _, t := range tested {
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
		row, err := measure(o, s, tested)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.Rows = append(b.Rows, row)
	}
	return nil
}

// measure measures one row: relay, gateway, and perhaps another proxy, in turn.
func measure(o BenchOptions, s scenario, tested []*Target) (Row, error) {
	s.load.Duration = o.Duration
	results := make([][]*Result, len(tested))
	var ratios []float64
	for n := range o.Rounds {
		for i, t := range tested {
			r, err := t.whole(s.load)
			if err == nil {
				err = r.Err(1) // no loss is too much: the machine decides on that
			}
			if err != nil {
				return Row{}, fmt.Errorf("%s: %w", t.Name, err)
			}
			results[i] = append(results[i], r)
		}
		ratios = append(ratios, ratio(float64(results[1][n].CPUPerPDU()), float64(results[0][n].CPUPerPDU())))
	}
	row := Row{Name: s.name, Half: s.half, Shown: s.gso, Relay: figures(results[0]), Gateway: figures(results[1]),
		Ratio: median(ratios), Least: slices.Min(ratios), Most: slices.Max(ratios)}
	if len(tested) > 2 {
		row.Other, row.OtherName = figures(results[2]), tested[2].Name
	}
	return row, nil
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
