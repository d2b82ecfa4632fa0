package cli

import (
	"net/netip"

	"poolgw/ns"
	"poolgw/vty"
)

// nsBindCommands are the node "bind" of "ns".
func (p *program) nsBindCommands() []vty.Command {
	in := []vty.Node{nodeNSBind}
	bind := func(f func(e *edit, c *ns.Config, name string) error) vty.Handler {
		return p.nsEdit(func(e *edit, c *ns.Config) error { return f(e, c, e.key.(string)) })
	}
	return []vty.Command{
		{Nodes: in, Syntax: "listen (A.B.C.D|X:X::X:X) <1-65535>",
			Help: []string{"Receive at an address", ip4Help, ip6Help, "UDP port"},
			Run: bind(func(e *edit, c *ns.Config, name string) error {
				at, err := e.addrPort(0, 0)
				if err != nil {
					return err
				}
				return c.SetListen(name, at)
			})},
		{Nodes: in, Syntax: "no listen", Help: []string{no, "Receive no more"}, Run: p.removal(clearListen)},
		{Nodes: in, Syntax: "dscp <0-63>", Help: []string{"DSCP of what is sent", "DSCP"},
			Run: bind(func(e *edit, c *ns.Config, name string) error { return c.SetDSCP(name, uint8(e.uint16(0))) })},
		{Nodes: in, Syntax: "no dscp", Help: []string{no, "DSCP 0"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetDSCP(name, 0) })},
		{Nodes: in, Syntax: "socket-priority <0-255>", Help: []string{"Priority of the socket (SO_PRIORITY)", "Priority"},
			Run: bind(func(e *edit, c *ns.Config, name string) error { return c.SetPriority(name, uint8(e.uint16(0))) })},
		{Nodes: in, Syntax: "no socket-priority", Help: []string{no, "Priority 0"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetPriority(name, 0) })},
		{Nodes: in, Syntax: "socket-buffer (receive|send) <4096-1073741823>",
			Help: append(bufferHelp[:len(bufferHelp):len(bufferHelp)], "Octets"),
			Run:  bind(func(e *edit, c *ns.Config, name string) error { return setBuffer(c, name, e.args[0], e.uint32(1)) })},
		{Nodes: in, Syntax: "no socket-buffer (receive|send)", Help: append([]string{no}, bufferHelp...),
			Run: bind(func(e *edit, c *ns.Config, name string) error { return setBuffer(c, name, e.args[0], 0) })},
		{Nodes: in, Syntax: "udp-segmentation",
			Help: []string{"Hand user data of one size and destination to the kernel together, where it can (UDP_SEGMENT)"},
			Run:  bind(func(_ *edit, c *ns.Config, name string) error { return c.SetSegmentation(name, true) })},
		{Nodes: in, Syntax: "no udp-segmentation", Help: []string{no, "Hand each PDU to the kernel by itself, as a capture shows it best"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetSegmentation(name, false) })},
		{Nodes: in, Syntax: "ip-sns signalling-weight <0-254> data-weight <0-254>",
			Help: []string{"IP-SNS", "Share of the signalling", "Weight", "Share of the user data", "Weight"},
			Run: bind(func(e *edit, c *ns.Config, name string) error {
				return c.SetSNSWeights(name, uint8(e.uint16(0)), uint8(e.uint16(1)))
			})},
		{Nodes: in, Syntax: "no ip-sns", Help: []string{no, "IP-SNS weights of 1"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetSNSWeights(name, 1, 1) })},
		{Nodes: in, Syntax: "accept (A.B.C.D/M|X:X::X:X/M)",
			Help: []string{acceptHelp, "IPv4 prefix", "IPv6 prefix"},
			Run:  bind(func(e *edit, c *ns.Config, name string) error { return c.AddAccept(name, e.prefix(0)) })},
		{Nodes: in, Syntax: "no accept (A.B.C.D/M|X:X::X:X/M)",
			Help: []string{no, acceptHelp, "IPv4 prefix", "IPv6 prefix"}, Run: bind(removeAccept)},
		{Nodes: in, Syntax: "no accept", Help: []string{no, "Take datagrams from everywhere"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.ClearAccept(name) })},
		{Nodes: in, Syntax: "accept-ipaccess", Help: []string{"Let unknown peers in by NS-RESET, as ip.access BTSs do"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetAcceptIPAccess(name, true) })},
		{Nodes: in, Syntax: "no accept-ipaccess", Help: []string{no, "Let no unknown peers in by NS-RESET"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetAcceptIPAccess(name, false) })},
		{Nodes: in, Syntax: "accept-dynamic-ip-sns", Help: []string{"Let unknown peers in by IP-SNS"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetAcceptSNS(name, true) })},
		{Nodes: in, Syntax: "no accept-dynamic-ip-sns", Help: []string{no, "Let no unknown peers in by IP-SNS"},
			Run: bind(func(_ *edit, c *ns.Config, name string) error { return c.SetAcceptSNS(name, false) })},
		{Nodes: in, Syntax: "fr NETIF (fr|frnet)",
			Help: []string{"Frame Relay", "Network device", "User side", "Network side"},
			Run: bind(func(e *edit, c *ns.Config, name string) error {
				return c.SetFR(name, e.args[0], e.args[1] == "frnet")
			})},
		{Nodes: in, Syntax: "no fr NETIF", Help: []string{no, "Frame Relay", "Network device"}, Run: p.removal(clearFR)},
		{Nodes: in, Syntax: "frgre listen (A.B.C.D|X:X::X:X)",
			Help: []string{"Frame Relay in GRE", "Receive at an address", ip4Help, ip6Help},
			Run: bind(func(e *edit, c *ns.Config, name string) error {
				at, err := e.addrPort(0, 0)
				if err != nil {
					return err
				}
				return c.SetGRE(name, at.Addr())
			})},
		{Nodes: in, Syntax: "no frgre listen", Help: []string{no, "Frame Relay in GRE", "Receive no more"}, Run: p.removal(clearGRE)},
	}
}

var bufferHelp = []string{"Buffers of each socket of the bind", "Of what came and waits to be read; default 16777216",
	"Of what waits to be sent; default 4194304"}

func setBuffer(c *ns.Config, name, which string, octets uint32) error {
	if which == "send" {
		return c.SetBuffers(name, nil, &octets)
	}
	return c.SetBuffers(name, &octets, nil)
}

// clearFR tells the NS-VCs that ran on the device; they are removed with it.
func clearFR(e *edit) error {
	before := e.c.Gb.Clone().NS
	err := e.clearing(func(c *ns.Config, name string) error { return c.ClearFR(name, e.args[0]) })
	for i := range e.c.Gb.NS.NSEs {
		e.tellEmptied(&before.NSEs[i], &e.c.Gb.NS.NSEs[i])
	}
	return err
}

func clearGRE(e *edit) error {
	return e.clearing((*ns.Config).ClearGRE)
}

const acceptHelp = "Take datagrams from these sources alone; several may be given, without any all are taken"

// removeAccept warns when the list is empty then: that opens the bind.
func removeAccept(e *edit, c *ns.Config, name string) error {
	if err := c.RemoveAccept(name, e.prefix(0)); err != nil {
		return err
	}
	if len(c.Bind(name).Accept) == 0 {
		e.warn("Warning: bind %s takes datagrams from everywhere now", name)
	}
	return nil
}

// prefix returns argument i, which the syntax has made sure of.
func (e *edit) prefix(i int) netip.Prefix {
	p, _ := netip.ParsePrefix(e.args[i])
	return p
}

func writeBind(w *writer, b *ns.BindConfig) {
	if b.Link == ns.LinkFR {
		w.line(" bind fr %s", b.Name)
		side := "fr"
		if b.FRNetwork {
			side = "frnet"
		}
		w.lineIf(b.FRNetIf != "", "  fr %s %s", b.FRNetIf, side)
		return
	}
	if b.Link == ns.LinkFRGRE {
		w.line(" bind frgre %s", b.Name)
		w.lineIf(b.Listen.IsValid(), "  frgre listen %s", b.Listen.Addr())
	} else {
		w.line(" bind udp %s", b.Name)
		w.lineIf(b.Listen.IsValid(), "  listen %s", addrPortWords(b.Listen))
	}
	w.lineIf(b.DSCP != 0, "  dscp %d", b.DSCP)
	w.lineIf(b.Priority != 0, "  socket-priority %d", b.Priority)
	for _, p := range b.Accept {
		w.line("  accept %s", p)
	}
	if b.Link == ns.LinkFRGRE {
		return
	}
	w.lineIf(b.ReceiveBuffer != 0, "  socket-buffer receive %d", b.ReceiveBuffer)
	w.lineIf(b.SendBuffer != 0, "  socket-buffer send %d", b.SendBuffer)
	w.lineIf(b.Segmentation, "  udp-segmentation")
	w.lineIf(b.AcceptIPAccess, "  accept-ipaccess")
	w.lineIf(b.AcceptSNS, "  accept-dynamic-ip-sns")
	w.line("  ip-sns signalling-weight %d data-weight %d", b.SigWeight, b.DataWeight)
}
