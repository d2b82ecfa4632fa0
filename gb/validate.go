package gb

import (
	"fmt"
	"slices"

	"poolgw/finding"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/pool"
)

// Validate finds what is wrong with the configuration as a whole, in the order
// in which its nodes are written.
func (c Config) Validate() []finding.Finding {
	var fs []finding.Finding
	fs = append(fs, c.validateRanges()...)
	fs = append(fs, c.validatePool()...)
	for i := range c.SGSNs {
		fs = append(fs, c.validateSGSN(i)...)
	}
	fs = append(fs, c.validateTimers()...)
	return append(fs, c.validateNS()...)
}

// validateRanges refuses values that no command can set, but a program can.
func (c Config) validateRanges() []finding.Finding {
	var fs []finding.Finding
	bad := func(node, format string, args ...any) {
		fs = append(fs, finding.Finding{Class: finding.Error, Node: node, Text: fmt.Sprintf(format, args...)})
	}
	if c.BitLen > nri.MaxBitLen {
		bad("gbproxy", "NRI bitlen %d is beyond %d", c.BitLen, nri.MaxBitLen)
	}
	if c.FlowControlRatio < 1 || c.FlowControlRatio > 100 {
		bad("gbproxy", "pool bvc-flow-control-ratio %d is not 1 to 100", c.FlowControlRatio)
	}
	if c.OwnerDownHold > 3600 {
		bad("gbproxy", "pool owner-down-hold %d is beyond 3600 s", c.OwnerDownHold)
	}
	if c.ActivityWindow < 1 || c.ActivityWindow > 1440 {
		bad("gbproxy", "pool activity-window %d is not 1 to 1440 min", c.ActivityWindow)
	}
	if len(c.SGSNs) > pool.MaxMembers {
		bad("gbproxy", "%d SGSNs are beyond %d", len(c.SGSNs), pool.MaxMembers)
	}
	fs = append(fs, c.Timers.validate()...)
	for _, p := range c.Null.PLMNs() {
		if !p.Valid() {
			bad("gbproxy", "nri null: %s is no PLMN", p)
		}
	}
	seen := make(map[uint16]bool)
	for _, s := range c.SGSNs {
		if s.NSEI == 65535 {
			bad(s.node(), "the NSEI of an SGSN is 0 to 65534")
		}
		if seen[s.NSEI] {
			bad(s.node(), "NSEI %d stands for two SGSNs", s.NSEI)
		}
		seen[s.NSEI] = true
	}
	return fs
}

func (c Config) validatePool() []finding.Finding {
	var fs []finding.Finding
	note := func(format string, args ...any) {
		fs = append(fs, finding.Finding{Class: finding.Note, Node: "gbproxy", Text: fmt.Sprintf(format, args...)})
	}
	if c.BitLen == 0 && len(c.SGSNs) > 1 {
		note("Pooling disabled, but multiple SGSNs defined")
	}
	c.eachNull(func(set nri.Set, where string) {
		for _, r := range set.Exceeds(c.BitLen) {
			note("nri null add: Warning: NRI range surpasses current NRI bitlen: %s%s", r.Dots(), where)
		}
	})
	for _, p := range c.Null.PLMNs() {
		for _, r := range c.Null.Of(p).Overlap(c.Null.Any) {
			note("nri null add %s plmn %s: every PLMN has it as a NULL-NRI already", r.VTY(), p.VTY())
		}
	}
	return fs
}

// eachNull calls f with the NULL-NRIs of every PLMN, and those of single ones
// with the words that say so.
func (c Config) eachNull(f func(set nri.Set, where string)) {
	f(c.Null.Any, "")
	for _, p := range c.Null.PLMNs() {
		f(c.Null.Of(p), " plmn "+p.VTY())
	}
}

// validateSGSN checks member i against the members before it, which win.
func (c Config) validateSGSN(i int) []finding.Finding {
	s := &c.SGSNs[i]
	var fs []finding.Finding
	add := func(class finding.Class, format string, args ...any) {
		fs = append(fs, finding.Finding{Class: class, Node: s.node(), Text: fmt.Sprintf(format, args...)})
	}
	for _, r := range s.NRI.Exceeds(c.BitLen) {
		add(finding.Note, "NSE(%05d/SGSN): Warning: NRI range surpasses current NRI bitlen: %s", s.NSEI, r.Dots())
	}
	for j := range c.SGSNs[:i] {
		o := &c.SGSNs[j]
		if k := slices.IndexFunc(s.NRI, o.NRI.Overlaps); k >= 0 {
			r := s.NRI[k]
			add(finding.FatalAtStart, "NSE(%05d/SGSN): NRI range [%d..%d] overlaps between NSE %05d and NSE %05d. "+
				"For overlaps, NSE %05d has higher priority than NSE %05d",
				s.NSEI, r.First, r.Last, s.NSEI, o.NSEI, o.NSEI, s.NSEI)
		}
	}
	c.eachNull(func(set nri.Set, where string) {
		for _, r := range set.Overlap(s.NRI) {
			add(finding.Note, "NSE(%05d/SGSN): NULL-NRI %s%s is within its own NRIs: who brings it never goes there", s.NSEI, r.Dots(), where)
		}
	})
	switch n := c.nse(s.NSEI); {
	case n == nil:
		add(finding.Note, "NSE(%05d/SGSN): there is no nse %d in node ns, the SGSN will never be up", s.NSEI, s.NSEI)
	case n.Dialect != ns.DialectSNS && len(n.VCs) == 0:
		add(finding.Note, "NSE(%05d/SGSN): nse %d %s, the SGSN will never be up", s.NSEI, s.NSEI, NoVC)
	}
	return fs
}

// NoVC is in the note of an SGSN whose nse can't come up.
const NoVC = "has neither an NS-VC nor ip-sns-remote and ip-sns-bind"

// validateTimers notes those that are taken for another value.
func (c Config) validateTimers() []finding.Finding {
	var fs []finding.Finding
	for i, d := range ns.TimerDefs {
		if d.Unit == "s" && c.NS.Timers[i] == 0 {
			fs = append(fs, finding.Finding{Class: finding.Note, Node: "ns", Text: fmt.Sprintf("timer %s 0 counts as 1 s", d.Name)})
		}
	}
	return fs
}

// validateNS gives what the NS layer finds.
func (c Config) validateNS() []finding.Finding {
	var fs []finding.Finding
	for _, p := range c.NS.Validate() {
		class := finding.Note
		if p.Kind.Fatal() {
			class = finding.Error
		}
		fs = append(fs, finding.Finding{Class: class, Node: p.Node(), Text: p.Text})
	}
	return fs
}

func (s *SGSN) node() string { return fmt.Sprintf("sgsn nsei %d", s.NSEI) }

// DefaultName is the name of an SGSN that has none, such as "NSE(00101)".
func DefaultName(nsei uint16) string { return fmt.Sprintf("NSE(%05d)", nsei) }

func (c *Config) nse(nsei uint16) *ns.NSEConfig {
	for i := range c.NS.NSEs {
		if c.NS.NSEs[i].NSEI == nsei {
			return &c.NS.NSEs[i]
		}
	}
	return nil
}
