package main

import (
	"context"
	"net/netip"
	"time"

	"poolgw/cli"
	"poolgw/config"
	"poolgw/gb"
	"poolgw/stats"
)

// statistics are the counter groups of the program and their reporters.
type statistics struct {
	registry *stats.Registry
	engine   *stats.Engine
	tcp      stats.TCP
	groups   []*stats.Group // of the gateway, in order
}

func (d *daemon) newStatistics() *statistics {
	s := &statistics{}
	of := map[*gb.CounterGroup]*stats.Group{}
	for _, g := range gb.CounterGroups {
		sg := statsGroup(g)
		of[g] = sg
		s.groups = append(s.groups, sg)
	}
	s.registry = stats.NewRegistry(func(ctx context.Context, q stats.Query, visit stats.Visit) error {
		return d.gateway.Counters(ctx, gb.CounterQuery{Group: q.Group, Index: q.Index},
			func(g *gb.CounterGroup, index uint32, name string, values []uint64) {
				visit(of[g], index, name, values)
			})
	}, s.tcp.Source)
	s.engine = stats.NewEngine(s.registry, &s.tcp, d.hub.Unlimited())
	return s
}

func statsGroup(g *gb.CounterGroup) *stats.Group {
	out := &stats.Group{Name: g.Name, Text: g.Text, Level: g.Level, Items: g.Items}
	for _, c := range g.Counters {
		out.Counters = append(out.Counters, stats.Counter(c))
	}
	return out
}

// Apply implements config.Applier.
func (s *statistics) Apply(_, new *config.Config, _ time.Time) error {
	c := stats.Config{Interval: time.Duration(new.Stats.Interval) * time.Second,
		TCPInterval: time.Duration(new.Stats.TCPInterval) * time.Second, TCPBatch: int(new.Stats.TCPBatchSize)}
	for i := range new.Stats.Reporters {
		c.Reporters = append(c.Reporters, statsReporter(&new.Stats.Reporters[i]))
	}
	s.engine.Configure(c)
	return nil
}

// statsReporter turns the configuration's words into the engine's; validation
// has seen that they are addresses. A statsd reporter without an address has
// nowhere to send to.
func statsReporter(r *config.StatsReporter) stats.Reporter {
	out := stats.Reporter{Kind: r.Kind, Name: r.Name, MTU: int(r.MTU), Prefix: r.Prefix, Level: r.Level, FlushPeriod: int(r.FlushPeriod)}
	out.Local, _ = netip.ParseAddr(r.LocalIP)
	remote, err := netip.ParseAddr(r.RemoteIP)
	out.Remote = netip.AddrPortFrom(remote, r.RemotePort)
	out.Enabled = r.Enabled && (r.Kind != "statsd" || err == nil && r.RemotePort != 0)
	return out
}

// statsWait bounds how long a show waits for the gateway's loop.
const statsWait = 10 * time.Second

// Groups implements cli.Stats.
func (s *statistics) Groups() ([]cli.StatsGroup, error) {
	ctx, cancel := context.WithTimeout(context.Background(), statsWait)
	defer cancel()
	list, err := s.registry.Read(ctx, stats.Query{})
	out := make([]cli.StatsGroup, len(list))
	for i, r := range list {
		out[i] = shownGroup(r.Group)
		out[i].Index, out[i].IndexName = r.Index, r.Name
		for j, v := range r.Values {
			x := &out[i].Values[j]
			x.Value, x.PerSecond, x.PerMinute, x.PerHour, x.PerDay = v.Value, v.Rates[0], v.Rates[1], v.Rates[2], v.Rates[3]
		}
	}
	return out, err
}

func shownGroup(g *stats.Group) cli.StatsGroup {
	out := cli.StatsGroup{Group: g.Name, Text: g.Text, Level: g.Level, Items: g.Items}
	for _, c := range g.Counters {
		out.Values = append(out.Values, cli.StatsValue{Name: c.Name, Text: c.Text, Unit: c.Unit})
	}
	return out
}

// Kinds implements cli.Stats.
func (s *statistics) Kinds() []cli.StatsGroup {
	var out []cli.StatsGroup
	for _, g := range append(s.groups[:len(s.groups):len(s.groups)], stats.TCPGroup()) {
		out = append(out, shownGroup(g))
	}
	return out
}

// Report implements cli.Stats.
func (s *statistics) Report() error {
	ctx, cancel := context.WithTimeout(context.Background(), statsWait)
	defer cancel()
	return s.engine.Report(ctx)
}

// Reset implements cli.Stats.
func (s *statistics) Reset() error {
	ctx, cancel := context.WithTimeout(context.Background(), statsWait)
	defer cancel()
	return s.registry.Reset(ctx)
}
