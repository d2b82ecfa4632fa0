package main

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/config"
	"poolgw/ctrl"
	"poolgw/logging"
	"poolgw/metrics"
	"poolgw/vty"
)

// Every help text fits 80 columns.
func TestHelpFitsTheScreen(t *testing.T) {
	helps := [][]string{{"--help"}}
	for _, load := range []string{"gb", "n2", "bench", "sustain", "sustain n2", "soak", "soak n2", "start"} {
		helps = append(helps, append(append([]string{"load"}, strings.Fields(load)...), "-h"))
	}
	for _, c := range commands() {
		helps = append(helps, []string{c.name, "-h"})
	}
	for _, args := range helps {
		out, err := poolgw(t, args...).Output()
		if err != nil || len(out) == 0 {
			t.Errorf("%q: %v", args, err)
		}
		for line := range strings.Lines(string(out)) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%q: %d columns: %s", args, n, line)
			}
		}
	}
}

// A load that lasts no time is refused, not made another.
func TestLoadLastsMoreThanNothing(t *testing.T) {
	for _, command := range []string{"n2", "gb", "bench", "sustain", "sustain n2", "soak gb", "soak n2"} {
		for _, span := range []string{"0s", "-1s"} {
			args := append(append([]string{"load"}, strings.Fields(command)...), "--duration", span)
			out, err := poolgw(t, args...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "a time above 0") {
				t.Errorf("%q: %v\n%s", args, err, out)
			}
		}
	}
}

// The loads of N2 take the same values of the options that they share; what one does
// not take is refused with what is possible, and where to read on.
func TestLoadN2Options(t *testing.T) {
	bad := []string{"--gnbs 0", "--gnbs 4097", "--gnbs x", "--amfs 0", "--amfs 65", "--nas 0", "--nas 15", "--procs -1", "--transport tcp", "--duration 5"}
	for command, own := range map[string][]string{
		"n2":         {"--rate -1", "--rate NaN", "--window 0", "--loss 101", "--rounds 0"},
		"sustain n2": {"--over 0", "--limit 0", "--talk 2", "--bound 0", "--look 0s", "--rate 5", "--relay", "--json"},
		"soak n2":    {"--part 0", "--part 1.1", "--look -1s", "--rate 5", "--relay", "--bench"},
	} {
		for _, options := range append(own, bad...) {
			args := append([]string{"load"}, strings.Fields(command+" "+options)...)
			out, _ := poolgw(t, args...).CombinedOutput()
			flag, _, _ := strings.Cut(options[1:], " ")
			if s := string(out); strings.Count(s, "\n") != 1 || !strings.Contains(s, "flag "+flag) && !strings.Contains(s, ": "+flag) ||
				!strings.HasSuffix(s, "(see poolgw load "+command+" -h)\n") {
				t.Errorf("%q: %s", args, s)
			}
		}
	}
}

// Words that a command does not take are refused, and named.
func TestSurplusWords(t *testing.T) {
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"frob"}, `unknown command "frob" (see poolgw --help)`},
		{[]string{"reference", "frob"}, `reference does not take "frob"`},
		{[]string{"version", "frob"}, `version does not take "frob"`},
		{[]string{"check", "-c", "x", "frob"}, `check does not take "frob"`},
		{[]string{"load", "frob"}, `there is no load "frob": gb, n2`},
		{[]string{"load", "n2", "frob"}, `load n2 does not take "frob" (see poolgw load n2 -h)`},
		{[]string{"load", "soak", "frob"}, `load soak does not take "frob" (see poolgw load soak -h)`},
	} {
		cmd := poolgw(t, c.args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), c.text) {
			t.Errorf("%q: exit code %d, %q is missing in:\n%.300s", c.args, code, c.text, out)
		}
	}
}

func TestFlagsBehindWords(t *testing.T) {
	for _, c := range []struct {
		args  string
		words []string
		c, p  string
	}{
		{"a 1 -c x", []string{"a", "1"}, "x", ""},
		{"-p y a -c x 1", []string{"a", "1"}, "x", "y"},
		{"a -- -c", []string{"a", "-c"}, "", ""},
		{"-- -c x", []string{"-c", "x"}, "", ""},
		{"", nil, "", ""},
	} {
		f := newFlags("x")
		cmd, pass := f.String("c", "", ""), f.String("p", "", "")
		words, _, done := parseMixed(f, "", strings.Fields(c.args))
		if done || !slices.Equal(words, c.words) || *cmd != c.c || *pass != c.p {
			t.Errorf("%q: %q, -c %q, -p %q, done %v", c.args, words, *cmd, *pass, done)
		}
	}
}

// A port that can't be had is told with what to change, and nothing twice.
func TestPortErrors(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := netip.MustParseAddrPort(l.Addr().String())
	old, c := config.Default(), config.Default()
	c.Ctrl.Bind, c.Metrics.Bind, c.VTY.Binds = at, at, []netip.AddrPort{at}
	hub := logging.New()
	for _, p := range []struct {
		a          config.Applier
		what, node string
	}{
		{&vtyPort{server: vty.NewServer(vty.NewTree(), nil, nil, vty.Settings{}), log: hub.Logger()}, "VTY", "line vty"},
		{ctrlPort{ctrl.NewServer(&ctrl.Vars{}, hub.Logger())}, "CTRL", "ctrl"},
		{metricsPort{metrics.NewServer(metrics.NewRegistry("x")), hub.Logger()}, "metrics", "metrics"},
	} {
		err := p.a.Apply(&old, &c, time.Time{})
		want := p.what + ": " + at.String() + " is in use: another program, or another poolgw, has it; change it by node " +
			p.node + ", bind ADDRESS PORT"
		if err == nil || err.Error() != want || (&listenError{p.what, err}).Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%v does not tell its cause", err)
		}
	}
}
