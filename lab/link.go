package lab

import (
	"fmt"
	"net/netip"

	"poolgw/ns"
)

// Link is how a simulator reaches a peer at the NS layer.
type Link struct {
	NSEI    uint16
	Dialect ns.Dialect // DialectStaticAlive, DialectIPAccess or DialectSNS
	Remotes []netip.AddrPort
	NSVCI   uint16  // ip.access: of the first NS-VC; the next have the next
	Role    ns.Role // SNS: RoleBSS sends SNS-SIZE
}

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
	for i, r := range l.Remotes {
		vc := ns.VCConfig{Link: ns.LinkUDP, Bind: binds[0], Remote: r, SigWeight: 1, DataWeight: 1}
		if l.Dialect == ns.DialectIPAccess {
			vc.NSVCI, vc.HasNSVCI = l.NSVCI+uint16(i), true
		}
		n.VCs = append(n.VCs, vc)
	}
	return n
}
