package lab

import (
	"fmt"
	"net/netip"

	"poolgw/ns"
)

// Link is how a simulator reaches a peer at the NS layer.
type Link struct {
	NSEI    uint16
	Dialect ns.Dialect // DialectStaticAlive, DialectIPAccess, DialectSNS or, over Frame Relay, DialectStaticResetBlock
	Remotes []netip.AddrPort
	NSVCI   uint16  // ip.access, Frame Relay: of the first NS-VC; the next have the next
	Role    ns.Role // SNS: RoleBSS sends SNS-SIZE

	// Frame Relay: two NS-VCs, on the DLCIs 16 and 17, of a line; without one, of
	// GRE to each remote.
	Line        string // network device
	NetworkSide bool   // of the line
}

// firstDLCI and lineVCs are the NS-VCs of a Frame Relay link.
const (
	firstDLCI = 16
	lineVCs   = 2
)

func (l Link) overGRE() bool { return l.Dialect == ns.DialectStaticResetBlock && l.Line == "" }

// nsConfig makes the configuration of an NS stack: one bind per listen address,
// every NS-VC from the first bind (SNS takes them all).
func nsConfig(listen []netip.AddrPort, timers *ns.Timers, dynamic bool, links ...Link) ns.Config {
	cfg := ns.Config{Timers: ns.DefaultTimers(), TxQueueMax: 4096}
	if timers != nil {
		cfg.Timers = *timers
	}
	var names []string
	for i, a := range listen {
		b := ns.BindConfig{Name: fmt.Sprintf("lab%d", i), Link: ns.LinkUDP, Listen: a,
			SigWeight: 1, DataWeight: 1, AcceptIPAccess: dynamic, AcceptSNS: dynamic}
		cfg.Binds = append(cfg.Binds, b)
		names = append(names, b.Name)
	}
	if dynamic {
		cfg.SNSDefaultBinds = names
	}
	for _, l := range links {
		if l.overGRE() {
			cfg.Binds[0].Link = ns.LinkFRGRE
		} else if l.Line != "" {
			cfg.Binds = append(cfg.Binds, ns.BindConfig{Name: l.Line, Link: ns.LinkFR, FRNetIf: l.Line, FRNetwork: l.NetworkSide})
		}
		cfg.NSEs = append(cfg.NSEs, l.nse(names))
	}
	return cfg
}

func (l Link) nse(binds []string) ns.NSEConfig {
	n := ns.NSEConfig{NSEI: l.NSEI, Dialect: l.Dialect, Role: l.Role}
	if l.Dialect == ns.DialectSNS {
		n.SNSBinds = binds
		n.SNSRemotes = l.Remotes
		return n
	}
	if l.Dialect == ns.DialectStaticResetBlock {
		n.VCs = l.frVCs(binds)
		return n
	}
	for i, r := range l.Remotes {
		vc := ns.VCConfig{Link: ns.LinkUDP, Bind: binds[0], Remote: r, SigWeight: 1, DataWeight: 1}
		if l.Dialect == ns.DialectIPAccess {
			vc.NSVCI, vc.HasNSVCI = l.NSVCI+uint16(i), true
		}
		n.VCs = append(n.VCs, vc)
	}
	return n
}

func (l Link) frVCs(binds []string) (vcs []ns.VCConfig) {
	add := func(vc ns.VCConfig) {
		for i := range uint16(lineVCs) {
			vc.DLCI, vc.NSVCI, vc.HasNSVCI = firstDLCI+i, l.NSVCI+uint16(len(vcs)), true
			vcs = append(vcs, vc)
		}
	}
	if l.Line != "" {
		add(ns.VCConfig{Link: ns.LinkFR, Bind: l.Line})
		return vcs
	}
	for _, r := range l.Remotes {
		add(ns.VCConfig{Link: ns.LinkFRGRE, Bind: binds[0], Remote: netip.AddrPortFrom(r.Addr(), 0)})
	}
	return vcs
}
