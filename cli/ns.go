package cli

import (
	"strings"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/ns"
	"poolgw/vty"
)

const (
	bindHelp = "A local end"
	nseHelp  = "A network service entity: a BSS or an SGSN"
	snsHelp  = "What dynamic IP-SNS entities get"
)

// nsCommands are the node "ns".
func (p *program) nsCommands() []vty.Command {
	in := []vty.Node{nodeNS}
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "ns", Help: []string{"The network service"}, Run: goTo(nodeNS)},
		{Nodes: in, Syntax: "nse <0-65535> [ip-sns-role-sgsn]",
			Help: []string{nseHelp, nseiNum, "Play the SGSN in the IP-SNS procedures"},
			Run: p.enter(nodeNSE, nseiKey, func(e *edit) error {
				role := ns.RoleBSS
				if e.args.Has(1) {
					role = ns.RoleSGSN
				}
				return osmo(e.c.Gb.NS.AddNSE(e.key.(uint16), role))
			})},
		{Nodes: in, Syntax: "no nse <0-65535>", Help: []string{no, nseHelp, nseiNum}, Run: p.removal(removeNSE)},
		{Nodes: in, Syntax: "bind (fr|frgre|udp) ID",
			Help: []string{bindHelp, "Frame Relay", "Frame Relay in GRE", "UDP", "Its name"},
			Run: p.enter(nodeNSBind, func(a vty.Args) any { return a[1] }, func(e *edit) error {
				return osmo(e.c.Gb.NS.AddBind(bindLinks[e.args[0]], e.args[1]))
			})},
		{Nodes: in, Syntax: "no bind ID", Help: []string{no, bindHelp, "Its name"},
			Run: p.removal(removeBind)},
		{Nodes: in, Syntax: "ip-sns-default bind ID",
			Help: []string{snsHelp, bindHelp, "Its name"},
			Run: p.nsEdit(func(e *edit, c *ns.Config) error {
				if err := e.needBind(e.args[0], noBind(e.args[0])); err != nil {
					return err
				}
				return c.AddDefaultBind(e.args[0])
			})},
		{Nodes: in, Syntax: "no ip-sns-default bind ID", Help: []string{no, snsHelp, bindHelp, "Its name"},
			Run: p.nsEdit(func(e *edit, c *ns.Config) error { return c.RemoveDefaultBind(e.args[0]) })},
		{Nodes: in, Syntax: "txqueue-max-length <1-4096>",
			Help: []string{"Datagrams that wait for a bind's socket; more are dropped", "Datagrams"},
			Run:  p.set(func(e *edit) { e.c.Gb.NS.TxQueueMax = e.uint16(0) })},
		{Nodes: in, Syntax: "no txqueue-max-length", Help: []string{no, "128 datagrams wait at most"},
			Run: p.set(func(e *edit) { e.c.Gb.NS.TxQueueMax = gb.Default().NS.TxQueueMax })},
	}
	return append(cmds, p.timerCommands()...)
}

// bindLinks are the kinds of binds.
var bindLinks = map[string]ns.Link{"udp": ns.LinkUDP, "fr": ns.LinkFR, "frgre": ns.LinkFRGRE}

// timerCommands come from the table of the timers.
func (p *program) timerCommands() []vty.Command {
	in := []vty.Node{nodeNS}
	var names, docs []string
	for _, d := range ns.TimerDefs {
		names = append(names, d.Name)
		docs = append(docs, d.Doc)
	}
	choice := "(" + strings.Join(names, "|") + ")"
	help := append([]string{"Timers and counters of retries"}, docs...)
	return []vty.Command{
		{Nodes: in, Syntax: "timer " + choice + " <0-65535>", Help: append(help[:len(help):len(help)], "Seconds, or retries"),
			Run: p.nsEdit(func(e *edit, c *ns.Config) error { return c.SetTimer(e.args[0], e.uint16(1)) })},
		{Nodes: in, Syntax: "no timer " + choice, Help: append([]string{no}, help...),
			Run: p.nsEdit(func(e *edit, c *ns.Config) error { return c.SetTimer(e.args[0], timerDefault(e.args[0])) })},
	}
}

func timerDefault(name string) uint16 {
	for _, d := range ns.TimerDefs {
		if d.Name == name {
			return d.Default
		}
	}
	return 0
}

// nsEdit makes a command of an edit of the NS layer's configuration.
func (p *program) nsEdit(f func(e *edit, c *ns.Config) error) vty.Handler {
	return p.edit(func(e *edit) error { return osmo(f(e, &e.c.Gb.NS)) })
}

// osmo has a refusal of the NS layer printed without "% ", as operators know it.
func osmo(err error) error {
	if e, ok := err.(ns.EditError); ok {
		return vty.Raw(e)
	}
	return err
}

func removeNSE(e *edit) error {
	nsei := e.uint16(0)
	had := 0
	if n := e.c.Gb.NS.NSE(nsei); n != nil {
		had = len(n.VCs)
	}
	if err := e.c.Gb.NS.RemoveNSE(nsei); err != nil {
		return osmo(err)
	}
	e.say("Deleting NS Entity %d", nsei)
	e.tellNSE(nsei, had)
	return nil
}

func writeNS(w *writer, c *config.Config) {
	n := &c.Gb.NS
	w.line("ns")
	for i, d := range ns.TimerDefs {
		w.line(" timer %s %d", d.Name, n.Timers[i])
	}
	w.lineIf(n.TxQueueMax != gb.Default().NS.TxQueueMax, " txqueue-max-length %d", n.TxQueueMax)
	for i := range n.Binds {
		writeBind(w, &n.Binds[i])
	}
	for _, b := range n.SNSDefaultBinds {
		w.line(" ip-sns-default bind %s", b)
	}
	for i := range n.NSEs {
		writeNSE(w, &n.NSEs[i])
	}
}
