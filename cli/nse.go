package cli

import (
	"fmt"
	"net/netip"

	"poolgw/ns"
	"poolgw/vty"
)

const vcHelp = "A virtual connection"

// nseCommands are the node "nse" of "ns".
func (p *program) nseCommands() []vty.Command {
	in := []vty.Node{nodeNSE}
	nse := func(f func(e *edit, c *ns.Config, nsei uint16) error) vty.Handler {
		return p.nsEdit(func(e *edit, c *ns.Config) error { return f(e, c, e.key.(uint16)) })
	}
	add := func(v func(e *edit) (ns.VCConfig, error)) vty.Handler {
		return nse(func(e *edit, c *ns.Config, nsei uint16) error { return addVC(e, c, nsei, v) })
	}
	remove := func(v func(e *edit) (ns.VCConfig, error)) vty.Handler {
		return nse(func(e *edit, c *ns.Config, nsei uint16) error {
			vc, err := v(e)
			if err != nil {
				return err
			}
			return c.RemoveVC(nsei, vc)
		})
	}
	udp := []string{vcHelp, "UDP", "The bind's name", ip4Help, ip6Help, "UDP port"}
	ipa := []string{vcHelp, "UDP with NS-RESET, as ip.access BTSs have it", "The bind's name", ip4Help, ip6Help, "UDP port", "Its NSVCI", "NSVCI"}
	gre := []string{vcHelp, "Frame Relay in GRE", "The bind's name", ip4Help, ip6Help, "Its DLCI", "DLCI"}
	remote := []string{"Where the SGSN is, to begin with", ip4Help, ip6Help, "UDP port"}
	return []vty.Command{
		{Nodes: in, Syntax: "nsvc fr NETIF dlci <16-1007> nsvci <0-65535>",
			Help: []string{vcHelp, "Frame Relay", "Network device", "Its DLCI", "DLCI", "Its NSVCI", "NSVCI"}, Run: add(frVC)},
		{Nodes: in, Syntax: "no nsvc nsvci <0-65535>", Help: []string{no, vcHelp, "By its NSVCI", "NSVCI"},
			Run: nse(func(e *edit, c *ns.Config, nsei uint16) error { return c.RemoveNSVCI(nsei, e.uint16(0)) })},
		{Nodes: in, Syntax: "no nsvc fr NETIF dlci <16-1007>",
			Help: []string{no, vcHelp, "Frame Relay", "Network device", "Its DLCI", "DLCI"}, Run: remove(frVC)},
		{Nodes: in, Syntax: "nsvc frgre BIND (A.B.C.D|X:X::X:X) dlci <16-1007> nsvci <0-65535>",
			Help: append(gre[:len(gre):len(gre)], "Its NSVCI", "NSVCI"), Run: add(greVC)},
		{Nodes: in, Syntax: "no nsvc frgre BIND (A.B.C.D|X:X::X:X) dlci <16-1007>", Help: append([]string{no}, gre...), Run: remove(greVC)},
		{Nodes: in, Syntax: "nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535>", Help: udp, Run: add(udpVC)},
		{Nodes: in, Syntax: "nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535> signalling-weight <0-254> data-weight <0-254>",
			Help: append(udp[:len(udp):len(udp)], "Share of the signalling", "Weight", "Share of the user data", "Weight"), Run: add(udpVC)},
		{Nodes: in, Syntax: "no nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535>", Help: append([]string{no}, udp...), Run: remove(udpVC)},
		{Nodes: in, Syntax: "nsvc ipa BIND (A.B.C.D|X:X::X:X) <1-65535> nsvci <0-65535>", Help: ipa, Run: add(ipaVC)},
		{Nodes: in, Syntax: "no nsvc ipa BIND (A.B.C.D|X:X::X:X) <1-65535> nsvci <0-65535>", Help: append([]string{no}, ipa...), Run: remove(ipaVC)},
		{Nodes: in, Syntax: "ip-sns-remote (A.B.C.D|X:X::X:X) <1-65535>", Help: remote,
			Run: nse(func(e *edit, c *ns.Config, nsei uint16) error {
				at, err := e.addrPort(0, 0)
				if err != nil {
					return err
				}
				return c.AddSNSRemote(nsei, at)
			})},
		{Nodes: in, Syntax: "no ip-sns-remote (A.B.C.D|X:X::X:X) <1-65535>", Help: append([]string{no}, remote...),
			Run: nse(func(e *edit, c *ns.Config, nsei uint16) error {
				at, err := e.addrPort(0, 0)
				if err != nil {
					return err
				}
				return c.RemoveSNSRemote(nsei, at)
			})},
		{Nodes: in, Syntax: "ip-sns-bind BINDID", Help: []string{"A bind of ours that takes part in IP-SNS", "Its name"},
			Run: nse(func(e *edit, c *ns.Config, nsei uint16) error {
				if err := c.AddSNSBind(nsei, e.args[0]); err != nil {
					return err
				}
				return e.needBind(e.args[0], noBind(e.args[0]))
			})},
		{Nodes: in, Syntax: "no ip-sns-bind BINDID", Help: []string{no, "A bind of ours that takes part in IP-SNS", "Its name"},
			Run: nse(func(e *edit, c *ns.Config, nsei uint16) error { return c.RemoveSNSBind(nsei, e.args[0]) })},
	}
}

func addVC(e *edit, c *ns.Config, nsei uint16, v func(e *edit) (ns.VCConfig, error)) error {
	vc, err := v(e)
	if err != nil {
		return err
	}
	if err := c.AddVC(nsei, vc); err != nil {
		return err
	}
	if !e.loading && c.BindOf(vc) == nil {
		return vty.Raw(ns.NoBind(vc))
	}
	return nil
}

func udpVC(e *edit) (ns.VCConfig, error) {
	at, err := e.addrPort(1, 0)
	v := ns.VCConfig{Link: ns.LinkUDP, Bind: e.args[0], Remote: at, SigWeight: 1, DataWeight: 1}
	if len(e.args) > 4 {
		v.SigWeight, v.DataWeight = uint8(e.uint16(3)), uint8(e.uint16(4))
	}
	return v, err
}

func ipaVC(e *edit) (ns.VCConfig, error) {
	at, err := e.addrPort(1, 0)
	return ns.VCConfig{Link: ns.LinkUDP, Bind: e.args[0], Remote: at, NSVCI: e.uint16(3), HasNSVCI: true}, err
}

func frVC(e *edit) (ns.VCConfig, error) {
	v := ns.VCConfig{Link: ns.LinkFR, Bind: e.args[0], DLCI: e.uint16(1)}
	if e.args.Has(2) {
		v.NSVCI, v.HasNSVCI = e.uint16(2), true
	}
	return v, nil
}

func greVC(e *edit) (ns.VCConfig, error) {
	at, err := netip.ParseAddr(e.args[1])
	v := ns.VCConfig{Link: ns.LinkFRGRE, Bind: e.args[0], Remote: netip.AddrPortFrom(at.Unmap(), 0), DLCI: e.uint16(2)}
	if e.args.Has(3) {
		v.NSVCI, v.HasNSVCI = e.uint16(3), true
	}
	return v, err
}

func writeNSE(w *writer, n *ns.NSEConfig) {
	role := ""
	if n.Role == ns.RoleSGSN {
		role = " ip-sns-role-sgsn"
	}
	w.line(" nse %d%s", n.NSEI, role)
	for i := range n.VCs {
		w.line("  %s", vcWords(&n.VCs[i]))
	}
	for _, r := range n.SNSRemotes {
		w.line("  ip-sns-remote %s", addrPortWords(r))
	}
	for _, b := range n.SNSBinds {
		w.line("  ip-sns-bind %s", b)
	}
}

// vcWords is the command that adds an NS-VC.
func vcWords(v *ns.VCConfig) string {
	switch {
	case v.Link == ns.LinkFR:
		return fmt.Sprintf("nsvc fr %s dlci %d nsvci %d", v.Bind, v.DLCI, v.NSVCI)
	case v.Link == ns.LinkFRGRE:
		return fmt.Sprintf("nsvc frgre %s %s dlci %d nsvci %d", v.Bind, v.Remote.Addr(), v.DLCI, v.NSVCI)
	case v.HasNSVCI:
		return fmt.Sprintf("nsvc ipa %s %s nsvci %d", v.Bind, addrPortWords(v.Remote), v.NSVCI)
	case v.SigWeight != 1 || v.DataWeight != 1:
		return fmt.Sprintf("nsvc udp %s %s signalling-weight %d data-weight %d",
			v.Bind, addrPortWords(v.Remote), v.SigWeight, v.DataWeight)
	}
	return fmt.Sprintf("nsvc udp %s %s", v.Bind, addrPortWords(v.Remote))
}
