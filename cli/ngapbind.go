package cli

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"poolgw/n2"
	"poolgw/sctp"
	"poolgw/vty"
)

// ngapBindCommands are the node "bind" of "ngap".
func (p *program) ngapBindCommands() []vty.Command {
	in := []vty.Node{nodeNGAPBind}
	bind := func(f func(e *edit, b *n2.Bind) error) vty.Handler {
		return p.edit(func(e *edit) error {
			b := e.c.N2.Bind(e.key.(string))
			if b == nil {
				return errGone
			}
			return f(e, b)
		})
	}
	listen := "Take associations at an address; several make the bind multi-homed"
	accept := "Take gNBs with these addresses alone; several may be given, without any all are taken"
	cmds := []vty.Command{
		{Nodes: in, Syntax: "listen (A.B.C.D|X:X::X:X) [<1-65535>]", Help: []string{listen, ip4Help, ip6Help, sctpPort},
			Run: bind(func(e *edit, b *n2.Bind) error { return e.addEnd(&b.Listen, "bind "+b.Name) })},
		{Nodes: in, Syntax: "no listen [(A.B.C.D|X:X::X:X)]", Help: []string{no, listen, ip4Help, ip6Help},
			Run: bind(func(e *edit, b *n2.Bind) error { return e.delEnd(&b.Listen) })},
		{Nodes: in, Syntax: "accept (A.B.C.D/M|X:X::X:X/M)", Help: []string{accept, "IPv4 prefix", "IPv6 prefix"},
			Run: bind(func(e *edit, b *n2.Bind) error {
				if x := e.prefix(0).Masked(); !slices.Contains(b.Accept, x) {
					b.Accept = append(b.Accept, x)
				}
				return nil
			})},
		{Nodes: in, Syntax: "no accept (A.B.C.D/M|X:X::X:X/M)", Help: []string{no, accept, "IPv4 prefix", "IPv6 prefix"}, Run: bind(removeAcceptGNB)},
		{Nodes: in, Syntax: "no accept", Help: []string{no, "Take gNBs from everywhere"},
			Run: bind(func(_ *edit, b *n2.Bind) error { b.Accept = nil; return nil })},
	}
	return append(cmds, transportCommands(in, bind, func(b *n2.Bind) *n2.Transport { return &b.Transport })...)
}

const (
	sctpPort      = "SCTP port, 38412 by default"
	transportHelp = "Which SCTP stack is used"
	encapHelp     = "SCTP over UDP (RFC 6951)"
	encapPort     = "UDP port"
)

// transportCommands are the lines "transport", which binds and AMFs have.
func transportCommands[T any](in []vty.Node, of func(func(*edit, *T) error) vty.Handler, field func(*T) *n2.Transport) []vty.Command {
	choices := map[string]sctp.Choice{"auto": sctp.Auto, "kernel": sctp.OnlyKernel, "userspace": sctp.OnlyUserspace}
	return []vty.Command{
		{Nodes: in, Syntax: "transport (auto|kernel|userspace)",
			Help: []string{transportHelp, "The kernel's where it has one, else the userspace stack", "The kernel's", "The userspace stack"},
			Run:  of(func(e *edit, x *T) error { field(x).Choice = choices[e.args[0]]; return nil })},
		{Nodes: in, Syntax: "transport udp-encapsulation <1-65535>", Help: []string{transportHelp, encapHelp, encapPort},
			Run: of(func(e *edit, x *T) error { field(x).Encapsulation = e.uint16(0); return nil })},
		{Nodes: in, Syntax: "no transport", Help: []string{no, "Transport auto, over IP"},
			Run: of(func(_ *edit, x *T) error { *field(x) = n2.Transport{}; return nil })},
	}
}

func writeTransport(w *writer, t n2.Transport, indent string) {
	w.lineIf(t.Choice != sctp.Auto, "%stransport %s", indent, t.Choice)
	w.lineIf(t.Encapsulation != 0, "%stransport udp-encapsulation %d", indent, t.Encapsulation)
}

// addEnd adds an address with its port to an end of associations, of which all
// addresses have one port.
func (e *edit) addEnd(end *sctp.Endpoint, whose string) error {
	at, err := e.addrPort(0, n2.DefaultPort)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(end.Addrs), func(a netip.Addr) bool { return a == at.Addr() })
	if len(others) > 0 && end.Port != at.Port() {
		return refuse("The addresses of one association have one port: %s has %d", whose, end.Port)
	}
	if !slices.Contains(end.Addrs, at.Addr()) {
		end.Addrs = append(end.Addrs, at.Addr())
	}
	end.Port = at.Port()
	return nil
}

// delEnd takes one address away, or all.
func (e *edit) delEnd(end *sctp.Endpoint) error {
	if !e.args.Has(0) {
		*end = sctp.Endpoint{}
		return nil
	}
	rest, err := without(end.Addrs, e.args[0])
	if err != nil {
		return err
	}
	if end.Addrs = rest; len(rest) == 0 {
		end.Port = 0
	}
	return nil
}

// without returns the addresses but one, which must be there.
func without(addrs []netip.Addr, text string) ([]netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || !slices.Contains(addrs, a.Unmap()) {
		return nil, refuse("The address %s is not there", text)
	}
	return slices.DeleteFunc(slices.Clone(addrs), func(b netip.Addr) bool { return b == a.Unmap() }), nil
}

// removeAcceptGNB warns when the list is empty then: that opens the bind.
func removeAcceptGNB(e *edit, b *n2.Bind) error {
	x := e.prefix(0).Masked()
	if !slices.Contains(b.Accept, x) {
		return refuse("The prefix %s is not there", x)
	}
	b.Accept = slices.DeleteFunc(slices.Clone(b.Accept), func(y netip.Prefix) bool { return y == x })
	if len(b.Accept) == 0 {
		e.warn("Warning: bind %s takes gNBs from everywhere now", b.Name)
	}
	return nil
}

// removeNGAPBind tells the gNBs that were there.
func removeNGAPBind(e *edit) error {
	name := e.args[0]
	if e.c.N2.Bind(name) == nil {
		return refuse("There is no bind %s", name)
	}
	e.tellGNBs(func(g n2.GNBState) bool { return g.Bind == name })
	e.c.N2.Binds = slices.DeleteFunc(e.c.N2.Binds, func(b n2.Bind) bool { return b.Name == name })
	return nil
}

// tellGNBs tells the gNBs that an edit sends away.
func (e *edit) tellGNBs(which func(n2.GNBState) bool) {
	if e.liveN2 == nil {
		return
	}
	gnbs, ues := 0, 0
	for _, g := range e.liveN2.GNBs {
		if which(g) {
			gnbs, ues = gnbs+1, ues+g.UEs
		}
	}
	if gnbs > 0 {
		e.warn("Warning: %s with %s: associations ended", count(gnbs, "gNB"), count(ues, "UE"))
	}
}

func writeNGAPBind(w *writer, b *n2.Bind) {
	w.line(" bind %s", b.Name)
	writeTransport(w, b.Transport, "  ") // first: pasted, listen would begin over another
	for _, a := range b.Listen.Addrs {
		w.line("  listen %s %d", a, b.Listen.Port)
	}
	for _, x := range b.Accept {
		w.line("  accept %s", x)
	}
}

// sctpUnavailable tells why a bind can't be had on this machine, "" when it can.
func sctpUnavailable(b *n2.Bind) string {
	for _, a := range b.Listen.Addrs {
		if !local(a) {
			return fmt.Sprintf("unable to bind SCTP: %s %d: cannot assign requested address", a, b.Listen.Port)
		}
		if onlyUserspace(b) && !onInterface(a) {
			return fmt.Sprintf("unable to bind SCTP: %s %d: userspace SCTP needs an address that an interface has: ip address add %s dev …", a, b.Listen.Port, a)
		}
	}
	return ""
}

// onlyUserspace tells whether the userspace stack would serve b on this machine.
func onlyUserspace(b *n2.Bind) bool {
	t := b.Transport
	return t.Choice != sctp.OnlyKernel && sctp.Available(sctp.OnlyUserspace, t.Encapsulation != 0) == nil &&
		(t.Choice == sctp.OnlyUserspace || sctp.Available(sctp.OnlyKernel, false) != nil)
}

// onInterface tells whether an interface has a, as 127.0.0.2 is on none though it is
// local. When it can't be told, one is taken to.
func onInterface(a netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(addrs, func(x net.Addr) bool {
		p, err := netip.ParsePrefix(x.String())
		return err == nil && p.Addr().Unmap() == a.WithZone("")
	})
}

// noSCTP tells why this machine has no transport for a bind now, "" when it has.
func noSCTP(b *n2.Bind) string {
	if len(b.Listen.Addrs) == 0 {
		return ""
	}
	if err := sctp.Available(b.Transport.Choice, b.Transport.Encapsulation != 0); err != nil {
		return "it can't be had now: " + plainSCTP(err.Error())
	}
	return ""
}
