// Package vty is an Osmocom-style virtual terminal: a command tree with nodes,
// a telnet server with line editing, completion, help and history, and a
// reader for configuration files in the same language. It knows nothing of
// the program whose commands it runs.
//
// A command is one literal:
//
//	vty.Command{
//		Nodes:  []vty.Node{"config-sgsn"},
//		Syntax: "nri add <0-32767> [<0-32767>]",
//		Help:   []string{"NRI values of this SGSN", "Add a value or range",
//			"First value", "Last value"},
//		Run: func(s *vty.Session, a vty.Args) error { … },
//	}
//
// Help has one string per token; a choice (a|b) has one per alternative and
// one for nothing else. Tree.Add panics on missing or surplus strings.
package vty
