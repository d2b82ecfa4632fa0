package main

import (
	"cmp"
	"fmt"
	"os"

	"poolgw/cli"
	"poolgw/vty"
)

const checkHelp = `Usage: poolgw check [-c] [FILE]
  -c, --config-file FILE  configuration (default poolgw.cfg, osmo-gbproxy.cfg)
Prints every refused line, every finding and the verdict. Exit status: 0 it
would start, 1 it would not, 2 the command line is wrong.
`

func checkCommand(args []string) int {
	f := newFlags("poolgw check")
	usual := usualConfig()
	path := usual
	alias("config-file", "c", func(n string) { f.StringVar(&path, n, path, "") })
	if code, done := parseFlags(f, checkHelp, args); done {
		return code
	}
	switch {
	case f.NArg() == 1 && path == usual:
		path = f.Arg(0)
	case f.NArg() > 0:
		return surplus("check", f.Arg(0))
	}
	if !cli.Check(path, os.Stdout) {
		return exitListen
	}
	return exitOK
}

const referenceHelp = `Usage: poolgw reference [--xml]
Prints every command of the VTY with its help, as Markdown.
  --xml   as XML in Osmocom's form
`

func referenceCommand(args []string) int {
	f := newFlags("poolgw reference")
	xml := f.Bool("xml", false, "")
	if code, done := parseFlags(f, referenceHelp, args); done {
		return code
	}
	if f.NArg() > 0 {
		return surplus("reference", f.Arg(0))
	}
	write := (*vty.Tree).WriteMarkdown
	if *xml {
		write = (*vty.Tree).WriteXML
	}
	if err := write(cli.New(cli.Env{}), os.Stdout); err != nil {
		return failure(err)
	}
	return exitOK
}

// refModes are Osmocom's modes of the VTY reference: which commands are in it.
var refModes = map[string]func(vty.Flags) bool{
	"default": func(f vty.Flags) bool { return f&vty.Expert == 0 },
	"expert":  func(vty.Flags) bool { return true },
	"hidden":  func(f vty.Flags) bool { return f&vty.Expert != 0 },
}

func (o *runOptions) setRefMode(s string) error {
	if refModes[s] == nil {
		return fmt.Errorf("unknown VTY reference generation mode %q", s)
	}
	o.refMode = s
	return nil
}

func (o *runOptions) printReference() int {
	if err := cli.New(cli.Env{}).WriteXMLOf(os.Stdout, refModes[cmp.Or(o.refMode, "default")]); err != nil {
		return failure(err)
	}
	return exitOK
}
