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
	for _, r := range c.Null.Exceeds(c.BitLen) {
		note("nri null add: Warning: NRI range surpasses current NRI bitlen: %s", r.Dots())
	}
	return fs
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
	if c.nse(s.NSEI) == nil {
		add(finding.Note, "NSE(%05d/SGSN): there is no nse %d in node ns, the SGSN will never be up", s.NSEI, s.NSEI)
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
