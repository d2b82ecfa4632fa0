package config

import (
	"fmt"
	"net/netip"
	"strings"

	"poolgw/finding"
)

// Validate finds what is wrong with the configuration as a whole, in the order
// in which its nodes are written; the settings that are kept but not acted on
// come last.
func (c *Config) Validate() []finding.Finding {
	fs := c.VTY.validate()
	fs = append(fs, c.validatePorts()...)
	fs = append(fs, c.Metrics.validate()...)
	fs = append(fs, c.Stats.validate()...)
	fs = append(fs, c.validateLogs()...)
	fs = append(fs, c.Gb.Validate()...)
	fs = append(fs, c.N2.Validate()...)
	return append(fs, c.kept()...)
}

func (v *VTY) validate() []finding.Finding {
	var fs []finding.Finding
	class := finding.Note
	if v.RequireLogin {
		class = finding.Error
	}
	for _, b := range v.BindsOrDefault() {
		if !v.Login && !b.Addr().Unmap().IsLoopback() {
			fs = append(fs, finding.Finding{Class: class, Node: "line vty", Text: fmt.Sprintf(
				"the VTY listens at %s %d without login: whoever reaches it controls the gateway", b.Addr(), b.Port())})
		}
	}
	if v.Login && v.Password == "" {
		fs = append(fs, finding.Finding{Class: finding.Note, Node: "line vty",
			Text: "login is asked for, but there is no password: nobody can get in"})
	}
	return fs
}

// validateLogs finds filters that "logging filter all 1" makes void.
func (c *Config) validateLogs() []finding.Finding {
	var fs []finding.Finding
	for i := range c.Logs {
		if t := &c.Logs[i]; t.FilterAll && t.Filtered() {
			fs = append(fs, finding.Finding{Class: finding.Note, Node: strings.TrimSpace("log " + t.Kind + " " + t.Key().File),
				Text: "the filters have no effect with \"logging filter all 1\", which lets every line pass"})
		}
	}
	return fs
}

// validatePorts finds TCP listeners that want the same address.
func (c *Config) validatePorts() []finding.Finding {
	type listener struct {
		node string
		at   netip.AddrPort
	}
	var all []listener
	for _, b := range c.VTY.BindsOrDefault() {
		all = append(all, listener{"line vty", b})
	}
	all = append(all, listener{"ctrl", c.Ctrl.BindOrDefault()})
	if c.Metrics.Bind.IsValid() {
		all = append(all, listener{"metrics", c.Metrics.Bind})
	}
	taken := make(map[netip.AddrPort]string)
	var fs []finding.Finding
	for _, l := range all {
		if by, ok := taken[l.at]; ok && l.at.Port() != 0 {
			fs = append(fs, finding.Finding{Class: finding.Error, Node: l.node, Text: fmt.Sprintf(
				"%s and %s would both listen at %s %d", by, l.node, l.at.Addr(), l.at.Port())})
			continue
		}
		taken[l.at] = l.node
	}
	return fs
}

// validate finds profiles that strangers may take, and those that nobody can.
func (m *Metrics) validate() []finding.Finding {
	var text string
	switch at := m.Bind; {
	case !m.Pprof || at.Addr().Unmap().IsLoopback():
		return nil
	case !at.IsValid():
		text = "pprof without bind: there is no port that would serve profiles"
	default:
		text = fmt.Sprintf("pprof at %s %d: whoever reaches it can slow the gateway down and see into it", at.Addr(), at.Port())
	}
	return []finding.Finding{{Class: finding.Note, Node: "metrics", Text: text}}
}

// validate finds statsd reporters that are enabled and have nowhere to send to,
// and addresses of two families.
func (s *Stats) validate() []finding.Finding {
	var fs []finding.Finding
	note := func(r *StatsReporter, text string) {
		fs = append(fs, finding.Finding{Class: finding.Note, Node: "stats", Text: strings.TrimSpace("stats reporter statsd "+r.Name) + ": " + text})
	}
	for i := range s.Reporters {
		r := &s.Reporters[i]
		if r.Kind != "statsd" || !r.Enabled {
			continue
		}
		remote, err := netip.ParseAddr(r.RemoteIP)
		local, none := netip.ParseAddr(r.LocalIP)
		switch {
		case err != nil || r.RemotePort == 0:
			note(r, "enabled without remote-ip and remote-port: it sends nothing")
		case none == nil && local.Is4() != remote.Is4():
			note(r, "local-ip and remote-ip are not of one family: it sends nothing")
		}
	}
	return fs
}
