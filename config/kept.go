package config

import (
	"poolgw/finding"
)

// keptSettings are those that load and are written back though nothing acts on
// them; set tells whether the configuration says something about one that
// differs from what the program does anyway.
var keptSettings = []struct {
	node, what string
	set        func(c *Config) bool
}{
	{"log", "log gsmtap", func(c *Config) bool { return c.anyLog(func(t *LogTarget) bool { return t.Kind == "gsmtap" }) }},
	{"log", "log systemd-journal raw", func(c *Config) bool { return c.anyLog(func(t *LogTarget) bool { return t.Raw }) }},
	{"log", "logging filter nse, nsvc, bvc", func(c *Config) bool {
		return c.anyLog(func(t *LogTarget) bool { return t.NSE != nil || t.NSVC != nil || t.BVC != nil })
	}},
	{"log", "logging print thread-id", func(c *Config) bool { return c.anyLog(func(t *LogTarget) bool { return t.ThreadID }) }},
	{"cpu-sched", "policy rr", func(c *Config) bool { return c.CPUSched.RR != 0 }},
	{"cpu-sched", "cpu-affinity", func(c *Config) bool { return len(c.CPUSched.Affinity) > 0 }},
}

// kept returns one note for each setting that is kept and not acted on.
func (c *Config) kept() []finding.Finding {
	var fs []finding.Finding
	for _, k := range keptSettings {
		if k.set(c) {
			fs = append(fs, finding.Finding{Class: finding.Note, Node: k.node, Text: k.what + ": kept; not acted on"})
		}
	}
	return fs
}

func (c *Config) anyLog(is func(*LogTarget) bool) bool {
	for i := range c.Logs {
		if is(&c.Logs[i]) {
			return true
		}
	}
	return false
}
