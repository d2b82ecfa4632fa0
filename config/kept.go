package config

import (
	"slices"

	"poolgw/finding"
)

// keptSettings are those that load and are written back though nothing acts on
// them; set tells whether the configuration says something about one that
// differs from what the program does anyway.
var keptSettings = []struct {
	node, what string
	set        func(c *Config) bool
}{
	{"cpu-sched", "cpu-affinity of a thread by its name (Go's threads have none, and work moves among them)",
		func(c *Config) bool { return c.CPUSched.named() }},
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

func (s *CPUSched) named() bool {
	return slices.ContainsFunc(s.Affinity, func(a CPUAffinity) bool { return !a.Whole() })
}
