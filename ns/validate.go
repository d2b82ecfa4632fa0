package ns

import (
	"fmt"
	"net/netip"

	"poolgw/ns/fr"
)

// ProblemKind classifies a Problem.
type ProblemKind uint8

const (
	// ProblemUnknownBind: a bind is named that is not there. An error.
	ProblemUnknownBind ProblemKind = iota
	// ProblemAddressTwice: two binds listen on one address. An error.
	ProblemAddressTwice
	// ProblemVCTwice: two NSEs have the same NS-VC. An error.
	ProblemVCTwice
	// ProblemTooManyPVCs: a Frame Relay line of network side has more NS-VCs
	// than a status report tells. An error.
	ProblemTooManyPVCs
	// ProblemNoEndpoints: an IP-SNS NSE of BSS role lacks what it needs to
	// begin: a bind that listens and a remote of the same family. It starts.
	ProblemNoEndpoints
	// ProblemNotListening: an NS-VC stands on a bind without listen address,
	// and waits for it. It starts.
	ProblemNotListening
	// ProblemShutOut: the access list of a bind does not let a configured peer's
	// datagrams in. It starts.
	ProblemShutOut
)

// Fatal tells whether a Config with such a problem is refused.
func (k ProblemKind) Fatal() bool { return k <= ProblemTooManyPVCs }

// Problem is one thing wrong with a Config as a whole. Bind or NSEI (with
// HasNSEI) tell where it stands.
type Problem struct {
	Kind    ProblemKind
	Bind    string
	NSEI    uint16
	HasNSEI bool
	Text    string // one line, as the VTY prints it
}

// Node returns the node of the configuration where the problem stands.
func (p Problem) Node() string {
	switch {
	case p.HasNSEI:
		return fmt.Sprintf("nse %d", p.NSEI)
	case p.Bind != "":
		return "bind " + p.Bind
	}
	return "ns"
}

// Validate checks what single edits can't: names across nodes and uniqueness.
func (c *Config) Validate() (ps []Problem) {
	ps = c.validateBinds(ps)
	for _, n := range c.SNSDefaultBinds {
		if c.Bind(n) == nil {
			ps = append(ps, Problem{Kind: ProblemUnknownBind, Text: errNoBind(n).Error()})
		}
	}
	seen := map[VCConfig]uint16{}
	for i := range c.NSEs {
		e := &c.NSEs[i]
		add := func(k ProblemKind, format string, a ...any) {
			ps = append(ps, Problem{Kind: k, NSEI: e.NSEI, HasNSEI: true, Text: fmt.Sprintf(format, a...)})
		}
		c.validateVCs(e, seen, add)
		c.validateSNS(e, add)
	}
	return ps
}

func (c *Config) validateBinds(ps []Problem) []Problem {
	type once struct { // what one bind alone can have
		link   Link
		listen netip.AddrPort
		netIf  string
	}
	has := map[once]bool{}
	for _, b := range c.Binds {
		key := once{b.Link, b.Listen, b.FRNetIf}
		switch n := c.pvcs(b); {
		case b.Link == LinkFR && has[key]:
			ps = append(ps, Problem{Kind: ProblemAddressTwice, Bind: b.Name, Text: errNetIfUsed(b.FRNetIf).Error()})
		case has[key]:
			ps = append(ps, Problem{Kind: ProblemAddressTwice, Bind: b.Name, Text: errAddrInUse.Error()})
		case b.FRNetwork && n > fr.MaxPVCs:
			ps = append(ps, Problem{Kind: ProblemTooManyPVCs, Bind: b.Name,
				Text: fmt.Sprintf("%d NS-VCs on interface %s: the network side reports at most %d", n, b.FRNetIf, fr.MaxPVCs)})
		}
		has[key] = b.opens()
	}
	return ps
}

// pvcs counts the NS-VCs on the device of a bind.
func (c *Config) pvcs(b BindConfig) (n int) {
	for _, e := range c.NSEs {
		for _, v := range e.VCs {
			if v.Link == LinkFR && v.Bind == b.FRNetIf {
				n++
			}
		}
	}
	return n
}

type addProblem func(k ProblemKind, format string, a ...any)

func (c *Config) validateVCs(e *NSEConfig, seen map[VCConfig]uint16, add addProblem) {
	for _, v := range e.VCs {
		key := v.wire()
		if first, dup := seen[key]; dup {
			add(ProblemVCTwice, "Specified NSVC is already present in another NSE%05d.", first)
		}
		seen[key] = e.NSEI
		switch b := c.BindOf(v); {
		case b == nil:
			add(ProblemUnknownBind, "%s", NoBind(v))
		case !b.Listen.IsValid() && v.Link != LinkFR:
			add(ProblemNotListening, "NS-VC to %s: bind %s does not listen", v.remote(), v.Bind)
		case v.Link != LinkFR && !b.Accept.Accepts(v.Remote.Addr()):
			add(ProblemShutOut, "NS-VC to %s: the access list of bind %s does not let it in", v.remote(), v.Bind)
		}
	}
}

func (c *Config) validateSNS(e *NSEConfig, add addProblem) {
	if e.Dialect != DialectSNS {
		return
	}
	usable := false
	for _, n := range e.SNSBinds {
		b := c.Bind(n)
		if b == nil || b.Link != LinkUDP {
			add(ProblemUnknownBind, "%s", errNoBind(n))
			continue
		}
		for _, r := range e.SNSRemotes {
			if !b.Accept.Accepts(r.Addr()) {
				add(ProblemShutOut, "ip-sns-remote %s: the access list of bind %s does not let it in", r, n)
			}
			usable = usable || b.Listen.IsValid() && sameFamily(b.Listen.Addr(), r.Addr())
		}
	}
	if e.Role == RoleBSS && !usable {
		add(ProblemNoEndpoints, "NSE(%05d) SNS has no endpoints to begin with", e.NSEI)
	}
}

func sameFamily(a, b netip.Addr) bool { return a.Is4() == b.Is4() }
