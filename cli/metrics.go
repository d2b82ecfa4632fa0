package cli

import (
	"net/netip"

	"poolgw/config"
	"poolgw/vty"
)

// defaultMetricsPort is where "bind ADDRESS" of the node metrics listens.
const defaultMetricsPort = 9246

// metricsCommands are the node "metrics".
func (p *program) metricsCommands() []vty.Command {
	in := []vty.Node{nodeMetrics}
	pprof := func(on bool) vty.Handler { return p.set(func(e *edit) { e.c.Metrics.Pprof = on }) }
	return []vty.Command{
		{Nodes: inConfig, Syntax: "metrics", Help: []string{"Metrics for Prometheus"}, Run: goTo(nodeMetrics)},
		{Nodes: inConfig, Syntax: "no metrics", Help: []string{no, "No metrics for Prometheus"}, Run: p.set(func(e *edit) { e.c.Metrics = config.Metrics{} })},
		{Nodes: in, Syntax: "bind (A.B.C.D|X:X::X:X) [<0-65535>]",
			Help: []string{"Serve them by HTTP at an address", ip4Help, ip6Help, "TCP port, 9246 by default"},
			Run: p.edit(func(e *edit) (err error) {
				e.c.Metrics.Bind, err = e.addrPort(0, defaultMetricsPort)
				return err
			})},
		{Nodes: in, Syntax: "no bind", Help: []string{no, "Serve them no more"}, Run: p.set(func(e *edit) { e.c.Metrics.Bind = netip.AddrPort{} })},
		{Nodes: in, Syntax: "pprof", Help: []string{"Serve profiles of poolgw there too, at /debug/pprof/, for \"go tool pprof\""}, Run: pprof(true)},
		{Nodes: in, Syntax: "no pprof", Help: []string{no, "Serve no profiles"}, Run: pprof(false)},
	}
}

func writeMetrics(w *writer, c *config.Config) {
	m := c.Metrics
	if m == (config.Metrics{}) {
		return
	}
	w.line("metrics")
	if m.Bind.IsValid() {
		w.line(" bind %s", addrPortWords(m.Bind))
	}
	if m.Pprof {
		w.line(" pprof")
	}
}
