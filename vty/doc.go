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
// Help has one string per token; a choice (a|b) has one per alternative, but
// none for the empty alternative of (a|). Tree.Add panics on missing or surplus
// strings. README.md has the grammar of Syntax.
//
// Where to find what:
//
//   - token.go, tree.go: the grammar, nodes and commands
//   - match.go: from a line to a command; complete.go, help.go: TAB and "?"
//   - session.go, lock.go: one user's node, and who may configure
//   - builtin.go, builtin_show.go: the commands that every program has
//   - file.go: configuration files
//   - reference.go: the tree as a document
//   - telnet*.go, editor*.go, pager.go, server*.go, password.go: the terminal
//   - client.go: the other end, for programs and tests
package vty
