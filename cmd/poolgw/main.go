// Command poolgw is a gateway that stands between radio access nodes and a
// pool of core nodes.
package main

import (
	"fmt"
	"os"
	"strings"
)

// version is set by the Makefile.
var version = "dev"

// Exit codes, as osmo-gbproxy has them.
const (
	exitOK     = 0
	exitListen = 1 // a VTY, CTRL or metrics port can't be had; check: would not start
	exitConfig = 2 // command line, configuration, or an NS bind that can't be had
)

type command struct {
	name, doc string
	run       func(args []string) int
}

func commands() []command {
	return []command{
		{"run", "run the gateway (also without the word: poolgw -c poolgw.cfg)", runCommand},
		{"check", "read and validate a configuration, print every finding", checkCommand},
		{"load", "load generators against a gateway: poolgw load gb, load n2", loadCommand},
		{"lab", "gateway, simulated SGSNs, BSSs, AMFs, gNBs on loopback", labCommand},
		{"vty", "interactive client of a VTY; -c COMMAND for scripts", vtyCommand},
		{"reference", "print the VTY reference (Markdown; --xml for XML)", referenceCommand},
		{"version", "print the version", versionCommand},
	}
}

func main() { os.Exit(dispatch(os.Args[1:])) }

func dispatch(args []string) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if len(args) == 1 && (args[0] == "--help" || args[0] == "-h" || args[0] == "-help") {
			usage()
			return exitOK
		}
		return runCommand(args)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:])
		}
	}
	if args[0] == "help" {
		usage()
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "poolgw: unknown command %q (see poolgw --help)\n"+
		"Unsupported positional arguments on command line\n", args[0])
	return exitConfig
}

func usage() {
	fmt.Println("Usage: poolgw [COMMAND] [OPTIONS]\n\nCommands:")
	for _, c := range commands() {
		fmt.Printf("  %-10s %s\n", c.name, c.doc)
	}
	fmt.Println("\nOptions of run:")
	fmt.Print(runHelp)
	fmt.Println("\n\"poolgw COMMAND -h\" tells a command's options.")
}

func versionCommand(args []string) int {
	f := newFlags("poolgw version")
	if code, done := parseFlags(f, "Usage: poolgw version\n", args); done {
		return code
	}
	if f.NArg() > 0 {
		return surplus("version", f.Arg(0))
	}
	fmt.Println(versionText())
	return exitOK
}

func versionText() string {
	return "PoolGW version " + version + "\n" +
		"Licensed under the Apache License, Version 2.0."
}
