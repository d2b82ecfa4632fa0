package cli

import (
	"net/netip"
	"slices"
	"strings"

	"poolgw/config"
	"poolgw/vty"
)

const (
	statsHelp    = "Statistics"
	reporterHelp = "Where they are sent"
	reporterName = "Name of the reporter, when there are several"
)

// reporterKey names a reporter.
type reporterKey struct{ kind, name string }

func reporterOf(c *config.Config, k reporterKey) *config.StatsReporter {
	i := slices.IndexFunc(c.Stats.Reporters, func(r config.StatsReporter) bool { return r.Kind == k.kind && r.Name == k.name })
	if i < 0 {
		return nil
	}
	return &c.Stats.Reporters[i]
}

func (p *program) statsCommands() []vty.Command {
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "stats interval <0-65535>",
			Help: []string{statsHelp, "How often they are sent", "Seconds; 0: never"},
			Run:  p.set(func(e *edit) { e.c.Stats.Interval = e.uint16(0) })},
		{Nodes: inConfig, Syntax: "no stats interval",
			Help: []string{no, statsHelp, "Every 5 s"},
			Run:  p.set(func(e *edit) { e.c.Stats.Interval = config.DefaultStatsInterval })},
		{Nodes: inConfig, Syntax: "stats-tcp interval <0-65535>",
			Help: []string{"Statistics of TCP sockets", "How often they are taken", "Seconds; 0: never"},
			Run:  p.set(func(e *edit) { e.c.Stats.TCPInterval = e.uint16(0) })},
		{Nodes: inConfig, Syntax: "stats-tcp batch-size <1-65535>",
			Help: []string{"Statistics of TCP sockets", "How many are looked at in one go", "Sockets"},
			Run:  p.set(func(e *edit) { e.c.Stats.TCPBatchSize = e.uint16(0) })},
		{Nodes: inConfig, Syntax: "no stats-tcp interval",
			Help: []string{no, "Statistics of TCP sockets", "They are not taken"},
			Run:  p.set(func(e *edit) { e.c.Stats.TCPInterval = 0 })},
		{Nodes: inConfig, Syntax: "no stats-tcp batch-size",
			Help: []string{no, "Statistics of TCP sockets", "All are looked at in one go"},
			Run:  p.set(func(e *edit) { e.c.Stats.TCPBatchSize = 0 })},
	}
	for _, k := range []struct{ kind, doc string }{{"statsd", "A statsd server"}, {"log", "The log"}} {
		cmds = append(cmds,
			vty.Command{Nodes: inConfig, Syntax: "stats reporter " + k.kind + " [NAME]",
				Help: []string{statsHelp, reporterHelp, k.doc, reporterName}, Run: p.enterReporter(k.kind)},
			vty.Command{Nodes: inConfig, Syntax: "no stats reporter " + k.kind + " [NAME]",
				Help: []string{no, statsHelp, reporterHelp, k.doc, reporterName}, Run: p.edit(removeReporter(k.kind))})
	}
	return append(cmds, p.reporterCommands()...)
}

func (p *program) enterReporter(kind string) vty.Handler {
	return p.enter(nodeStats, func(a vty.Args) any { return reporterKey{kind, arg(a, 0)} }, func(e *edit) error {
		if k := e.key.(reporterKey); reporterOf(e.c, k) == nil {
			e.c.Stats.Reporters = append(e.c.Stats.Reporters, config.StatsReporter{Kind: k.kind, Name: k.name})
		}
		return nil
	})
}

func removeReporter(kind string) editor {
	return func(e *edit) error {
		name := arg(e.args, 0)
		i := slices.IndexFunc(e.c.Stats.Reporters, func(r config.StatsReporter) bool { return r.Kind == kind && r.Name == name })
		if i < 0 {
			return refuse("There is no such statistics reporter")
		}
		e.c.Stats.Reporters = slices.Delete(e.c.Stats.Reporters, i, i+1)
		return nil
	}
}

// reporterCommands are the node of a reporter.
func (p *program) reporterCommands() []vty.Command {
	in := []vty.Node{nodeStats}
	change := func(f func(e *edit, r *config.StatsReporter)) vty.Handler {
		return p.edit(func(e *edit) error {
			r := reporterOf(e.c, e.key.(reporterKey))
			if r == nil {
				return errGone
			}
			f(e, r)
			return nil
		})
	}
	// Addresses are of statsd reporters alone, and must be ones.
	address := func(what string, f func(e *edit, r *config.StatsReporter)) vty.Handler {
		return p.edit(func(e *edit) error {
			r := reporterOf(e.c, e.key.(reporterKey))
			switch {
			case r == nil:
				return errGone
			case r.Kind != "statsd":
				return refuse("Unable to set %s: Operation not supported", what)
			}
			if a := arg(e.args, 0); strings.HasSuffix(what, "address") && a != "" {
				if _, err := netip.ParseAddr(a); err != nil {
					return refuse("Unable to set %s: Invalid argument", what)
				}
			}
			f(e, r)
			return nil
		})
	}
	return []vty.Command{
		{Nodes: in, Syntax: "local-ip ADDR", Help: []string{"Address to send from", "IP address"},
			Run: address("local address", func(e *edit, r *config.StatsReporter) { r.LocalIP = e.args[0] })},
		{Nodes: in, Syntax: "no local-ip", Help: []string{no, "Send from any address"},
			Run: address("local address", func(e *edit, r *config.StatsReporter) { r.LocalIP = "" })},
		{Nodes: in, Syntax: "remote-ip ADDR", Help: []string{"Address to send to", "IP address"},
			Run: address("remote address", func(e *edit, r *config.StatsReporter) { r.RemoteIP = e.args[0] })},
		{Nodes: in, Syntax: "no remote-ip", Help: []string{no, "Address to send to"},
			Run: address("remote address", func(e *edit, r *config.StatsReporter) { r.RemoteIP = "" })},
		{Nodes: in, Syntax: "no remote-port", Help: []string{no, "Port to send to"},
			Run: address("remote port", func(e *edit, r *config.StatsReporter) { r.RemotePort = 0 })},
		{Nodes: in, Syntax: "no level", Help: []string{no, "How much is sent"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.Level = "" })},
		{Nodes: in, Syntax: "no flush-period", Help: []string{no, "Never send everything"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.FlushPeriod = 0 })},
		{Nodes: in, Syntax: "remote-port <1-65535>", Help: []string{"Port to send to", "UDP port"},
			Run: address("remote port", func(e *edit, r *config.StatsReporter) { r.RemotePort = e.uint16(0) })},
		{Nodes: in, Syntax: "mtu <100-65535>", Help: []string{"Longest datagram", "Octets"},
			Run: address("mtu", func(e *edit, r *config.StatsReporter) { r.MTU = e.uint16(0) })},
		{Nodes: in, Syntax: "no mtu", Help: []string{no, "Datagrams as long as fits the interface"},
			Run: address("mtu", func(e *edit, r *config.StatsReporter) { r.MTU = 0 })},
		{Nodes: in, Syntax: "prefix PREFIX", Help: []string{"What every name begins with", "The prefix"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.Prefix = e.args[0] })},
		{Nodes: in, Syntax: "no prefix", Help: []string{no, "Names without a prefix"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.Prefix = "" })},
		{Nodes: in, Syntax: "level (global|peer|subscriber)",
			Help: []string{"How much is sent", "Counters of the gateway", "Those of peers too", "Those of subscribers too"},
			Run:  change(func(e *edit, r *config.StatsReporter) { r.Level = e.args[0] })},
		{Nodes: in, Syntax: "enable", Help: []string{"Send"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.Enabled = true })},
		{Nodes: in, Syntax: "disable", Help: []string{"Do not send"},
			Run: change(func(e *edit, r *config.StatsReporter) { r.Enabled = false })},
		{Nodes: in, Syntax: "flush-period <0-65535>",
			Help: []string{"After how many reports everything is sent, changed or not", "Reports; 0: never"},
			Run:  change(func(e *edit, r *config.StatsReporter) { r.FlushPeriod = e.uint16(0) })},
	}
}

func writeStats(w *writer, c *config.Config) {
	s := &c.Stats
	w.line("stats interval %d", s.Interval)
	w.lineIf(s.TCPInterval != 0, "stats-tcp interval %d", s.TCPInterval)
	w.lineIf(s.TCPBatchSize != 0, "stats-tcp batch-size %d", s.TCPBatchSize)
	for i := range s.Reporters {
		writeReporter(w, &s.Reporters[i])
	}
	w.line("!")
}

func writeReporter(w *writer, r *config.StatsReporter) {
	if r.Name != "" {
		w.line("stats reporter %s %s", r.Kind, r.Name)
	} else {
		w.line("stats reporter %s", r.Kind)
	}
	w.lineIf(r.RemoteIP != "", " remote-ip %s", r.RemoteIP)
	w.lineIf(r.RemotePort != 0, " remote-port %d", r.RemotePort)
	w.lineIf(r.LocalIP != "", " local-ip %s", r.LocalIP)
	w.lineIf(r.MTU != 0, " mtu %d", r.MTU)
	w.lineIf(r.Level != "", " level %s", r.Level)
	if r.Prefix != "" {
		w.line(" prefix %s", r.Prefix)
	} else {
		w.line(" no prefix")
	}
	w.lineIf(r.FlushPeriod != 0, " flush-period %d", r.FlushPeriod)
	if r.Enabled {
		w.line(" enable")
	} else {
		w.line(" disable")
	}
}
