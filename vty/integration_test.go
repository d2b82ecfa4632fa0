package vty_test

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"poolgw/vty"
)

// lines is a program's log.
type lines struct {
	mu    sync.Mutex
	sinks map[int]func(string)
	next  int
}

func (l *lines) Subscribe(sink func(string)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sinks == nil {
		l.sinks = map[int]func(string){}
	}
	n := l.next
	l.next++
	l.sinks[n] = sink
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.sinks, n)
	}
}

func (l *lines) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sinks)
}

// served is the demo behind a telnet server, and how to call it.
func served(t *testing.T, prog *demo, logs vty.Logs, conf vty.Settings) func() *vty.Client {
	s := vty.NewServer(demoTree(), prog, logs, conf)
	if err := s.Listen(netip.MustParseAddrPort("127.0.0.1:0")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); s.Wait() })
	return func() *vty.Client {
		o := vty.DialOptions{Password: "in", EnablePassword: "up", Timeout: 20 * time.Second}
		c, err := vty.Dial(context.Background(), s.Addrs()[0].String(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
}

// says runs a command and compares its output.
func says(t *testing.T, c *vty.Client, command, want string) {
	t.Helper()
	got, _ := c.Run(command)
	if !regexp.MustCompile("^(?s:" + want + ")$").MatchString(got) {
		t.Errorf("%s\n got %q\nwant %s", command, got, want)
	}
}

// Two operators over telnet, from login to the lock and back.
func TestOverTelnet(t *testing.T) {
	prog, logs := &demo{}, &lines{}
	call := served(t, prog, logs, vty.Settings{Hostname: "Demo", Login: true, Password: "in", EnablePassword: "up"})
	a, b := call(), call()
	says(t, a, "show version", "Demo version 1\nby nobody\n")
	says(t, a, "who", ` vty\[1\] connected from 127\.0\.0\.1:\d+\.\n vty\[2\] connected from 127\.0\.0\.1:\d+\.\n`)
	says(t, a, "enable", "")
	says(t, a, "configure terminal", "")
	says(t, b, "enable", "")
	says(t, b, "configure terminal", `VTY configuration is locked by vty 1 \(127\.0\.0\.1:\d+\)\n`)
	says(t, b, "who", `\*vty\[1\] .* vty\[2\] .*`)
	says(t, a, "port 1", `ran port <1-48> with \["1"\]\n`)
	says(t, a, "up", "ran up in config-port 1\n")
	says(t, a, "write", "Configuration saved to demo.cfg\n")
	says(t, a, "do show history", ".*  enable\n  configure terminal\n  port 1\n  up\n  write\n  do show history\n")
	a.Close() // without leaving the configuration
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if text, _ := b.Run("configure terminal"); text == "" {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the lock was not released: %s", text)
		}
	}
	says(t, b, "do terminal monitor", "")
	if n := logs.count(); n != 1 {
		t.Errorf("%d sessions have the log", n)
	}
	says(t, b, "do terminal no monitor", "")
	if n := logs.count(); n != 0 {
		t.Errorf("%d sessions have the log", n)
	}
	if !prog.saved {
		t.Error("nothing was saved")
	}
}

// Scripts see errors as errors.
func TestClientSeesErrors(t *testing.T) {
	c := served(t, &demo{}, nil, vty.Settings{Hostname: "Demo"})()
	for _, command := range []string{"foo", "show por", "show", "show port 49"} {
		_, err := c.Run(command)
		if err == nil || !strings.HasPrefix(err.Error(), "% ") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// The lines of a configuration find their nodes without a single "exit".
func TestTypedConfiguration(t *testing.T) {
	c := served(t, &demo{}, nil, vty.Settings{Hostname: "Demo"})()
	says(t, c, "enable", "")
	says(t, c, "configure terminal", "")
	for n := range 500 {
		port, lane := n%48+1, n%8
		says(t, c, fmt.Sprintf("port %d", port), `ran port .*`)
		says(t, c, fmt.Sprintf(" lane %d", lane), fmt.Sprintf(`ran lane .* in config-port %d\n`, port))
		says(t, c, "  weight 7", fmt.Sprintf(`ran weight .* in config-lane %d\n`, lane))
		says(t, c, " up", fmt.Sprintf(`ran up in config-port %d\n`, port))
	}
}
