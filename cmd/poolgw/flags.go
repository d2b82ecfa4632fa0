package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/config"
	"poolgw/logging"
)

// usualConfigs are the names by which a configuration that is not named is looked
// for: ours, and osmo-gbproxy's.
var usualConfigs = []string{"poolgw.cfg", "osmo-gbproxy.cfg", "osmo_gbproxy.cfg"}

// usualConfig is the first of them that is in the current folder.
func usualConfig() string {
	for _, name := range usualConfigs {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return usualConfigs[0]
}

const runHelp = `  -c, --config-file FILE  configuration (default poolgw.cfg, osmo-gbproxy.cfg)
  -d, --debug CAT[,N]:…   debug for log categories, such as DLNS:DLBSSGP,3
  -e, --log-level N       of stderr: 1 debug, 3 info, 5 notice, 7 error, 8 fatal
  -D, --daemonize         go to the background once everything listens
  -s, --disable-color     no colours on stderr
  -T, --timestamp         a time stamp before each line on stderr
  -V, --version           print the version
      --vty-ref-xml       print the VTY reference as XML and end
      --vty-ref-mode MODE of it: default, expert (all), hidden (the rest)
`

// runOptions are the options of "run".
type runOptions struct {
	config    string
	debug     []debugCategory
	level     string // of stderr, "" as configured
	daemonize bool
	noColor   bool
	timestamp bool
	version   bool
	refXML    bool
	refMode   string
}

type debugCategory struct{ category, level string }

// alias defines one flag under two names.
func alias(long, short string, def func(name string)) {
	def(long)
	def(short)
}

// newFlags returns a flag set that leaves printing to parseFlags.
func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// parseFlags parses args; done tells that the command ends here with code.
func parseFlags(f *flag.FlagSet, help string, args []string) (code int, done bool) {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(help)
		return exitOK, true
	case err != nil:
		fmt.Fprintf(os.Stderr, "poolgw: %v (see %s -h)\n", err, f.Name())
		return exitConfig, true
	}
	return 0, false
}

// parseOptions is parseFlags for a command that takes no words.
func parseOptions(f *flag.FlagSet, help string, args []string) (code int, done bool) {
	if code, done = parseFlags(f, help, args); done || f.NArg() == 0 {
		return code, done
	}
	return surplus(strings.TrimPrefix(f.Name(), "poolgw "), f.Arg(0)), true
}

// surplus is the end of a command that was given a word it does not take.
func surplus(command, word string) int {
	return failure(fmt.Errorf("%s does not take %q (see poolgw %s -h)", command, word, command))
}

// parseMixed is parseFlags for flags that may stand behind words too. It returns
// the words; those behind "--" are words whatever they begin with.
func parseMixed(f *flag.FlagSet, help string, args []string) (words []string, code int, done bool) {
	for {
		before := len(args)
		if code, done = parseFlags(f, help, args); done {
			return nil, code, true
		}
		ended := f.NArg() < before && args[before-f.NArg()-1] == "--"
		if args = f.Args(); ended || len(args) == 0 {
			return append(words, args...), 0, false
		}
		words, args = append(words, args[0]), args[1:]
	}
}

func parseRun(args []string) (o runOptions, code int, done bool) {
	f := newFlags("poolgw")
	alias("config-file", "c", func(n string) { f.StringVar(&o.config, n, usualConfig(), "") })
	alias("debug", "d", func(n string) { f.Func(n, "", o.setDebug) })
	alias("log-level", "e", func(n string) { f.Func(n, "", o.setLevel) })
	alias("daemonize", "D", func(n string) { f.BoolVar(&o.daemonize, n, false, "") })
	alias("disable-color", "s", func(n string) { f.BoolVar(&o.noColor, n, false, "") })
	alias("timestamp", "T", func(n string) { f.BoolVar(&o.timestamp, n, false, "") })
	alias("version", "V", func(n string) { f.BoolVar(&o.version, n, false, "") })
	f.BoolVar(&o.refXML, "vty-ref-xml", false, "")
	f.Func("vty-ref-mode", "", o.setRefMode)
	if code, done = parseFlags(f, "Usage: poolgw [run] [OPTIONS]\n"+runHelp, args); done {
		return o, code, true
	}
	if f.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "poolgw: Unsupported positional arguments on command line: %q (see poolgw --help)\n", f.Arg(0))
		return o, exitConfig, true
	}
	if o.version {
		fmt.Println(versionText())
		return o, exitOK, true
	}
	if o.refXML {
		return o, o.printReference(), true
	}
	return o, 0, false
}

// levelNumbers are Osmocom's numbers of the levels.
var levelNumbers = map[int]string{1: "debug", 3: "info", 5: "notice", 7: "error", 8: "fatal"}

func (o *runOptions) setLevel(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 8 {
		return fmt.Errorf("level %q is not 1 (debug) to 8 (fatal)", s)
	}
	for levelNumbers[n] == "" {
		n++
	}
	o.level = levelNumbers[n]
	return nil
}

// setDebug reads "DLNS:DLBSSGP,3".
func (o *runOptions) setDebug(s string) error {
	for part := range strings.SplitSeq(s, ":") {
		name, num, has := strings.Cut(part, ",")
		d := debugCategory{strings.ToLower(strings.TrimPrefix(name, "D")), "debug"}
		if !isCategory(d.category) {
			return fmt.Errorf("no log category %q", name)
		}
		if has {
			n, err := strconv.Atoi(num)
			if err != nil || levelNumbers[n] == "" {
				return fmt.Errorf("level %q of %s is none of 1, 3, 5, 7, 8", num, name)
			}
			d.level = levelNumbers[n]
		}
		o.debug = append(o.debug, d)
	}
	return nil
}

func isCategory(name string) bool {
	for _, c := range config.LogCategories {
		if c.Name == name {
			return true
		}
	}
	return false
}

// override applies the command line to the stderr target of the configuration.
func (o *runOptions) override(t *logging.Target) {
	if o.noColor {
		t.Format.Color = false
	}
	if o.timestamp {
		t.Format.Timestamp = true
	}
	if o.level != "" {
		if l, err := logging.ParseLevel(o.level); err == nil {
			t.Levels = logging.Levels{All: &l}
		}
	}
	for _, d := range o.debug {
		if l, err := logging.ParseLevel(d.level); err == nil {
			t.Levels = t.Levels.With(d.category, l)
		}
	}
}

// uint16Flag reads 0..65535 into p.
func uint16Flag(p *uint16) func(string) error {
	return func(s string) error {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is not 0 to 65535", s)
		}
		*p = uint16(n)
		return nil
	}
}

// isTerminal tells whether f is a terminal.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// spanVar is DurationVar for how long something lasts: more than nothing.
func spanVar(f *flag.FlagSet, p *time.Duration, name string, value time.Duration) {
	*p = value
	f.Func(name, "", func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			return errors.New("a time above 0 with its unit is possible, such as 5s or 30m")
		}
		*p = d
		return nil
	})
}

// intVar is IntVar for a number from least to most.
func intVar(f *flag.FlagSet, p *int, name string, value, least, most int) {
	*p = value
	f.Func(name, "", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return fmt.Errorf("%d to %d are possible", least, most)
		}
		*p = n
		return nil
	})
}

// partVar is Float64Var for a number from least to most.
func partVar(f *flag.FlagSet, p *float64, name string, value, least, most float64) {
	*p = value
	f.Func(name, "", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= least && x <= most) { // NaN is neither
			plain := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
			return fmt.Errorf("%s to %s are possible", plain(least), plain(most))
		}
		*p = x
		return nil
	})
}
