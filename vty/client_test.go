package vty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func clientOf(t *testing.T, s *Server, o DialOptions) *Client {
	t.Helper()
	c, err := Dial(t.Context(), s.Addrs()[0].String(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestClientRuns(t *testing.T) {
	set := locked()
	set.TerminalLength = 5
	c := clientOf(t, started(t, proxyTree(), nil, set), DialOptions{Password: "secret", EnablePassword: "topsecret"})
	many := ""
	for i := range 1000 {
		many += fmt.Sprintf("row %d\n", i+1)
	}
	tests := []struct{ cmd, out, err string }{
		{"show nri all", nriConfig, ""},
		{"show rows 1000", many, ""},
		{"", "", ""},
		{"show nix", "% Unknown command.\n", "% Unknown command. (show nix)"},
		{"show", "% Command incomplete.\n", "% Command incomplete. (show)"},
		{"show what?", "% Unknown command.\n", "% Unknown command. (show what?)"},
		{"enable", "", ""},
		{"configure terminal", "", ""},
		{"gbproxy", "", ""},
		{"nri bitlen 5", "", ""},
		{"end", "", ""},
	}
	for _, tt := range tests {
		out, err := c.Run(tt.cmd)
		if out != tt.out || (err == nil) != (tt.err == "") || (err != nil && err.Error() != tt.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tt.cmd, out, err, tt.out, tt.err)
		}
		var ce *CommandError
		if err != nil && !errors.As(err, &ce) {
			t.Errorf("%q: %T", tt.cmd, err)
		}
	}
	if _, err := c.Run("exit"); err != io.EOF {
		t.Errorf("exit: %v", err)
	}
}

func TestClientRefusals(t *testing.T) {
	s := started(t, proxyTree(), nil, locked())
	addr := s.Addrs()[0].String()
	for _, tt := range []struct{ password, want string }{
		{"", "none was given"}, {"wrong", "wrong password"}, {"a\rb", "can't be typed"},
	} {
		if _, err := Dial(t.Context(), addr, DialOptions{Password: tt.password}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("password %q: %v, want %q", tt.password, err, tt.want)
		}
	}
	c := clientOf(t, s, DialOptions{Password: "secret"})
	for _, cmd := range []string{"a\rb", "a\x03", strings.Repeat("x", maxLine+1)} {
		if _, err := c.Run(cmd); err == nil {
			t.Errorf("%.10q was sent", cmd)
		}
	}
	if _, err := c.Run("enable"); err == nil {
		t.Error("enable without its password")
	}
	s.SetSettings(Settings{Hostname: host, MaxSessions: 1})
	if _, err := Dial(t.Context(), addr, DialOptions{}); err == nil || !strings.Contains(err.Error(), "VTY sessions are in use") {
		t.Errorf("full: %v", err)
	}
}

func TestWarningsAreNoErrors(t *testing.T) {
	for _, out := range []string{"% Warning: NSE(00003/SGSN): overlaps\n", "% Pooling disabled, but multiple SGSNs defined\n",
		"% nri null add: Warning: NRI range surpasses current NRI bitlen: 99\n"} {
		if err := commandError("x", out); err != nil {
			t.Error(err)
		}
	}
	// A refusal that begins as a warning does goes on with its reason.
	if err := commandError("x", "% Warning: NSE(00001/SGSN): Error: failed to add NRI range: 5..3\n% the first value is greater than the last\n"); err == nil {
		t.Error("a refused range is no error")
	}
	if err := commandError("x", "VTY configuration is locked by vty 2 (127.0.0.1:1)\n"); err == nil {
		t.Error("a locked configuration is no error")
	}
}

// Refusals that the VTY prints without "% ", as Osmocom's programs do.
func TestBareRefusalsAreErrors(t *testing.T) {
	for _, line := range []string{
		"Can not find the given bind 'x'", "Can not mix NS-VC with different dialects", "A bind with the specified address already exists!",
		"bind x does not exist!", "Invalid ID. The ID should be only alphanumeric.", "No such NS Entity", "No such NS-VC",
		"Specified NSVC is already present in this NSE.", "Failed to create the bind (rc -114)!", "fr can be only used with frame relay bind",
		"dscp can be only used with UDP bind",
	} {
		var refused *CommandError
		if err := commandError("x", line+"\n"); !errors.As(err, &refused) || refused.Text != line {
			t.Errorf("%q is no error: %v", line, err)
		}
	}
	for _, out := range []string{"", "Deleting NS Entity 700\n", "UDP bind: 127.0.0.1:23000 DSCP: 0 Priority: 0\n", "bind x\n",
		"Can not so:\n but more\n"} {
		if err := commandError("x", out); err != nil {
			t.Errorf("%q: %v", out, err)
		}
	}
}

func TestScriptEndsAtTheFirstError(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	var out bytes.Buffer
	addr := s.Addrs()[0].String()
	if err := Script(t.Context(), addr, DialOptions{}, []string{"show rows 1", "exit"}, &out); err != nil || out.String() != "row 1\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	err := Script(t.Context(), addr, DialOptions{}, []string{"nix", "show rows 1"}, &out)
	if err == nil || out.String() != "% Unknown command.\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := Script(t.Context(), addr, DialOptions{}, []string{"exit", "show rows 1"}, &out); err == nil {
		t.Error("a command that could not be run is no error")
	}
}

// A server that sends without end, or nothing, or garbage.
func TestClientAgainstBadServers(t *testing.T) {
	tests := []struct {
		name  string
		serve func(net.Conn)
	}{
		{"silent", func(c net.Conn) { io.Copy(io.Discard, c) }},
		{"closing", func(c net.Conn) {}},
		{"endless subnegotiation", func(c net.Conn) { io.WriteString(c, "\xff\xfa"+strings.Repeat("x", 10000)) }},
		{"endless text", func(c net.Conn) {
			for err := error(nil); err == nil; {
				_, err = c.Write(bytes.Repeat([]byte{'x'}, 1<<20))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				if c, err := l.Accept(); err == nil {
					tt.serve(c)
					c.Close()
				}
			}()
			if _, err := Dial(t.Context(), l.Addr().String(), DialOptions{Timeout: 200 * time.Millisecond, MaxOutput: 1 << 20}); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestClientEndsWithItsContext(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	ctx, cancel := context.WithCancel(t.Context())
	c, err := Dial(ctx, s.Addrs()[0].String(), DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel()
	waitFor(t, func() bool { _, err := c.Run("show rows 1"); return err != nil })
}

func TestInteractiveWithoutTerminal(t *testing.T) {
	s := started(t, proxyTree(), nil, osmocom())
	var out bytes.Buffer
	err := Interactive(t.Context(), s.Addrs()[0].String(), strings.NewReader("show rows 2\n"), &out)
	if want := host + "> show rows 2\r\nrow 1\r\nrow 2\r\n" + host + "> "; err != nil || out.String() != want {
		t.Errorf("%q, %v; want %q", out.String(), err, want)
	}
}

// terminal is a pseudo-terminal of 80 by rows.
func terminal(t *testing.T, rows uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// On a terminal the client is raw while it runs, tells the window's height (so
// that the server pages) and leaves on ^].
func TestInteractiveOnATerminal(t *testing.T) {
	s := started(t, proxyTree(), nil, Settings{Hostname: host, TerminalLength: -1})
	master, slave := terminal(t, 4)
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	shown, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Interactive(t.Context(), s.Addrs()[0].String(), slave, out)
		out.Close()
	}()
	until := func(want string) {
		t.Helper()
		var got strings.Builder
		b := make([]byte, 1)
		for !strings.HasSuffix(got.String(), want) {
			if _, err := shown.Read(b); err != nil {
				t.Fatalf("%q, then %v; want %q", got.String(), err, want)
			}
			got.Write(b)
		}
	}
	until("> ")
	io.WriteString(master, "show rows 5\r")
	until("row 3\r\n --More-- ")
	io.WriteString(master, "\x03") // a key, not a signal
	until(wiped + host + "> ")
	io.WriteString(master, "\x1d")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil || after.Lflag != before.Lflag || after.Iflag != before.Iflag {
		t.Error("the terminal was not restored")
	}
}
