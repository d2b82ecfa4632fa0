package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/logging"
)

// Facts of osmo-gbproxy's process that no other test names.

// Each option, by both of its names.
//
// Facts: G0-01
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args string
		ok   func(o *runOptions) bool
	}{
		{"-c x.cfg|--config-file x.cfg", func(o *runOptions) bool { return o.config == "x.cfg" }},
		{"-D|--daemonize", func(o *runOptions) bool { return o.daemonize }},
		{"-s|--disable-color", func(o *runOptions) bool { return o.noColor }},
		{"-T|--timestamp", func(o *runOptions) bool { return o.timestamp }},
		{"-e 5|--log-level 5", func(o *runOptions) bool { return o.level == "notice" }},
		{"-d DLNS:DLBSSGP,7|--debug DLNS:DLBSSGP,7", func(o *runOptions) bool {
			return len(o.debug) == 2 && o.debug[0] == debugCategory{"lns", "debug"} && o.debug[1] == debugCategory{"lbssgp", "error"}
		}},
	} {
		for form := range strings.SplitSeq(c.args, "|") {
			o, _, done := parseRun(strings.Fields(form))
			if done || !c.ok(&o) {
				t.Errorf("%s: %+v, done %v", form, o, done)
			}
		}
	}
	for _, args := range []string{"-h", "--help", "-V", "--version"} {
		if _, code, done := parseRun([]string{args}); !done || code != exitOK {
			t.Errorf("%s: done %v, code %d", args, done, code)
		}
	}
	target := logging.Target{}
	target.Format.Color = true
	(&runOptions{noColor: true, timestamp: true, level: "error"}).override(&target)
	if target.Format.Color || !target.Format.Timestamp || target.Levels.All == nil {
		t.Errorf("%+v", target)
	}
}

// With -D the start returns once everything listens, and poolgw goes on.
//
// Facts: G0-01
func TestDaemonize(t *testing.T) {
	port := freePort(t, "tcp")
	text := strings.ReplaceAll(fill(t, "line vty\n no login\n bind 127.0.0.1 XPORT\nctrl\n bind 127.0.0.1 CTRLPORT\n"), "XPORT", itoa(port))
	if err := poolgw(t, "-D", "-c", writeFile(t, text)).Run(); err != nil { // a pipe would wait for who goes on
		t.Fatal(err)
	}
	out, err := poolgw(t, "vty", "127.0.0.1", itoa(port), "-c", "show pid", "-c", "enable", "-c", "shutdown").CombinedOutput()
	if err != nil || len(out) == 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Facts: G0-04
func TestUsualConfiguration(t *testing.T) {
	const bad = "frobnicate\n"
	for _, c := range []struct {
		there []string
		want  string
	}{
		{nil, "poolgw.cfg"},
		{[]string{"osmo_gbproxy.cfg"}, "osmo_gbproxy.cfg"},
		{[]string{"osmo_gbproxy.cfg", "osmo-gbproxy.cfg"}, "osmo-gbproxy.cfg"},
		{[]string{"osmo-gbproxy.cfg", "poolgw.cfg"}, "poolgw.cfg"},
	} {
		dir := t.TempDir()
		for _, name := range c.there {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{nil, {"check"}} {
			cmd := poolgw(t, args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%q with %q: %v\n%s", args, c.there, err, out)
			}
		}
	}
}

// Facts: G0-11, G0-09
func TestMemoryReport(t *testing.T) {
	p := start(t, "-c", writeFile(t, fill(t, "MGMT\n")))
	p.running(t)
	for i, c := range []struct {
		signal syscall.Signal
		text   string
	}{{syscall.SIGUSR1, "Memory report: "}, {syscall.SIGUSR2, "goroutine profile: "}} {
		p.cmd.Process.Signal(c.signal)
		for end := time.Now().Add(10 * time.Second); !strings.Contains(p.err.String(), c.text); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("signal %d: no %q in\n%s", i, c.text, &p.err)
			}
		}
	}
	p.cmd.Process.Signal(syscall.SIGINT)
	if code := p.exited(t); code != 0 || p.out.String() != "signal 2 received\n" {
		t.Errorf("exit code %d, %q", code, p.out.String())
	}
}

// A file whose last line is wrong has had no effect: nothing was sent to the peer
// that it names before.
//
// Facts: G0-15, G0-16
func TestNothingIsSentBeforeTheFileIsRead(t *testing.T) {
	peer, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	text := fill(t, "MGMT\nns\n bind udp a\n  listen 127.0.0.1 PORT1\n nse 1\n  nsvc ipa a 127.0.0.1 PEER nsvci 1\n")
	text = strings.ReplaceAll(text, "PEER", itoa(peer.LocalAddr().(*net.UDPAddr).Port))
	heard := func(wait time.Duration) bool {
		peer.SetReadDeadline(time.Now().Add(wait))
		_, _, err := peer.ReadFrom(make([]byte, 100))
		return err == nil
	}
	if code := start(t, "-c", writeFile(t, text+"frobnicate\n")).exited(t); code != 2 || heard(200*time.Millisecond) {
		t.Errorf("exit code %d, or it was heard", code)
	}
	start(t, "-c", writeFile(t, text)).running(t)
	if !heard(10 * time.Second) {
		t.Error("not heard without the wrong line")
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// The VTY reference as Osmocom's programs print it.
//
// Facts: G0-34
func TestVTYReferenceOptions(t *testing.T) {
	const usual, expert = `<command id="show pool">`, `<command id="sgsn-pool nsf normal">`
	for args, want := range map[string][2]bool{
		"--vty-ref-xml":                        {true, false},
		"--vty-ref-mode default --vty-ref-xml": {true, false},
		"--vty-ref-mode expert --vty-ref-xml":  {true, true},
		"--vty-ref-mode hidden --vty-ref-xml":  {false, true},
	} {
		out, err := poolgw(t, strings.Fields(args)...).Output()
		text := string(out)
		if err != nil || !strings.Contains(text, "<vtydoc") || strings.Contains(text, usual) != want[0] || strings.Contains(text, expert) != want[1] {
			t.Errorf("%s: %v\n%.500s", args, err, text)
		}
	}
	cmd := poolgw(t, "--vty-ref-mode", "foo", "--vty-ref-xml")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), `mode "foo"`) {
		t.Errorf("%s", out)
	}
}

// A good configuration does not make up for an option that nobody knows.
//
// Facts: G0-03
func TestUnknownOptionDoesNotStart(t *testing.T) {
	p := start(t, "-c", writeFile(t, fill(t, "MGMT\n")), "--foo")
	if code := p.exited(t); code != 2 || !strings.Contains(p.err.String(), "foo") {
		t.Errorf("exit code %d, standard error:\n%s", code, &p.err)
	}
}
