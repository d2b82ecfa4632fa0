package cli

import (
	"fmt"
	"net"
	"net/netip"

	"poolgw/config"
	"poolgw/finding"
	"poolgw/ns"
)

// environment finds binds that this machine can't give: addresses that are not
// its own, network devices that it doesn't have. Ports in use are left to the
// start, since a gateway that runs has its own in use.
func environment(c *config.Config) []finding.Finding {
	var fs []finding.Finding
	for _, b := range c.Gb.NS.Binds {
		if text := unavailable(b); text != "" {
			fs = append(fs, finding.Finding{Class: finding.FatalAtStart, Node: nodeName(nodeNSBind, b.Name), Text: text})
		}
	}
	for i := range c.N2.Binds {
		b := &c.N2.Binds[i]
		if text := sctpUnavailable(b); text != "" {
			fs = append(fs, finding.Finding{Class: finding.FatalAtStart, Node: nodeName(nodeNGAPBind, b.Name), Text: text})
		}
	}
	for i := range c.N2.AMFs {
		a := &c.N2.AMFs[i]
		for _, l := range a.Local {
			if !local(l) {
				fs = append(fs, finding.Finding{Class: finding.Note, Node: fmt.Sprintf("amf %d", a.ID),
					Text: fmt.Sprintf("local %s is no address of this machine: the AMF is not reached until it is", l)})
			}
		}
	}
	return fs
}

func unavailable(b ns.BindConfig) string {
	switch {
	case b.Link == ns.LinkUDP && b.Listen.IsValid() && !local(b.Listen.Addr()):
		return fmt.Sprintf("unable to bind socket: %s: cannot assign requested address", b.Listen)
	case b.Link == ns.LinkFR && b.FRNetIf != "":
		if _, err := net.InterfaceByName(b.FRNetIf); err != nil {
			return fmt.Sprintf("BIND(%s) Can not get interface index for interface %s", b.Name, b.FRNetIf)
		}
	case b.Link == ns.LinkFRGRE && b.Listen.IsValid() && !local(b.Listen.Addr()):
		return fmt.Sprintf("unable to bind GRE socket: %s: cannot assign requested address", b.Listen.Addr())
	}
	if err := ns.MayOpen(b); err != nil {
		return fmt.Sprintf("BIND(%s) %v", b.Name, err)
	}
	return ""
}

// inUse notes the ports that another program has now, which may be poolgw itself
// running with the same file, and SCTP stacks that are not there now.
func inUse(c *config.Config) []finding.Finding {
	var fs []finding.Finding
	note := func(node string, at netip.AddrPort) {
		fs = append(fs, finding.Finding{Class: finding.Note, Node: node,
			Text: fmt.Sprintf("%s %d is in use now by another program, or by poolgw itself", at.Addr(), at.Port())})
	}
	tcp := func(node string, at netip.AddrPort) {
		if l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at)); err == nil {
			l.Close()
		} else if isInUse(err) {
			note(node, at)
		}
	}
	for _, at := range c.VTY.BindsOrDefault() {
		tcp("line vty", at)
	}
	tcp("ctrl", c.Ctrl.BindOrDefault())
	if c.Metrics.Bind.IsValid() {
		tcp("metrics", c.Metrics.Bind)
	}
	for _, b := range c.Gb.NS.Binds {
		if b.Link != ns.LinkUDP || !b.Listen.IsValid() {
			continue
		}
		if l, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(b.Listen)); err == nil {
			l.Close()
		} else if isInUse(err) {
			note(nodeName(nodeNSBind, b.Name), b.Listen)
		}
	}
	for i := range c.N2.Binds {
		b := &c.N2.Binds[i]
		if text := noSCTP(b); text != "" {
			fs = append(fs, finding.Finding{Class: finding.Note, Node: nodeName(nodeNGAPBind, b.Name), Text: text})
		}
	}
	return fs
}

// local tells whether the machine has the address. When it can't be told, it
// is taken to.
func local(a netip.Addr) bool {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 0)))
	if err != nil {
		return !isNotAvailable(err)
	}
	c.Close()
	return true
}
