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
	helps := [][]string{{"--help"}, {"load", "gb", "-h"}, {"load", "bench", "-h"}}
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
			if err == nil || !strings.Contains(string(out), "not above 0") {
				t.Errorf("%q: %v\n%s", args, err, out)
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
