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
	clear := p.set(func(e *edit) { e.c.Metrics.Bind = netip.AddrPort{} })
	return []vty.Command{
		{Nodes: inConfig, Syntax: "metrics", Help: []string{"Metrics for Prometheus"}, Run: goTo(nodeMetrics)},
		{Nodes: inConfig, Syntax: "no metrics", Help: []string{no, "No metrics for Prometheus"}, Run: clear},
		{Nodes: in, Syntax: "bind (A.B.C.D|X:X::X:X) [<0-65535>]",
			Help: []string{"Serve them by HTTP at an address", ip4Help, ip6Help, "TCP port, 9246 by default"},
			Run: p.edit(func(e *edit) (err error) {
				e.c.Metrics.Bind, err = e.addrPort(0, defaultMetricsPort)
				return err
			})},
		{Nodes: in, Syntax: "no bind", Help: []string{no, "Serve them no more"}, Run: clear},
	}
}

func writeMetrics(w *writer, c *config.Config) {
	if c.Metrics.Bind.IsValid() {
		w.line("metrics")
		w.line(" bind %s", addrPortWords(c.Metrics.Bind))
	}
}
