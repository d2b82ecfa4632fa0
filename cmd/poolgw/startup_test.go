package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestStartup runs the program with each file of testdata/startup.txtar and,
// where it must not start, has "check" say the same.
// Facts: G0-06 (overlap), G0-09 (ok), G0-16 (unknown command), G0-17 (overlap), G0-18 (NRI in bad order), G0-19 (bind that is not there), G0-20 (address of another bind), G0-22 (NRI beyond bitlen), G0-24 (dedent without a node), G0-25 (bad indentation), G0-26 (abbreviated command), G0-27 (comments), G0-28 (address that is not here), G0-29 (same SGSN twice), G0-30 (line ends of another world), G0-31 (remote of another NSE), G0-32 (bitlen 0 and several SGSNs), G1.7-12 (frame relay without the interface)
func TestStartup(t *testing.T) {
	a, err := txtar.ParseFile("testdata/startup.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) < 24 {
		t.Fatalf("only %d cases", len(a.Files))
	}
	for _, f := range a.Files {
		name, want, _ := strings.Cut(f.Name, ": ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, fill(t, string(f.Data)))
			if want == "starts" {
				wantStart(t, file)
				return
			}
			code, text, _ := strings.Cut(want, ": ")
			p := start(t, "-c", file)
			if got := p.exited(t); fmt.Sprint(got) != code {
				t.Errorf("exit code %d, want %s", got, code)
			}
			if has := p.err.String(); !strings.Contains(has, text) ||
				strings.HasPrefix(text, "% ") && !strings.Contains("\n"+has, "\n"+text+"\n") { // a line of its own
				t.Errorf("standard error lacks %q:\n%s", text, &p.err)
			}
			wantCheck(t, file, !strings.Contains(text, "192.0.2.1"))
		})
	}
}

func wantStart(t *testing.T, file string) {
	t.Helper()
	wantCheck(t, file, false)
	p := start(t, "-c", file)
	p.running(t)
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.exited(t); code != 0 {
		t.Errorf("exit code %d on SIGTERM; standard error:\n%s", code, &p.err)
	}
	if got := p.out.String(); got != "signal 15 received\n" {
		t.Errorf("standard output %q", got)
	}
}

// wantCheck wants "poolgw check" to say whether the file would start. It
// cannot see that an address is not there, since it binds nothing.
func wantCheck(t *testing.T, file string, refused bool) {
	t.Helper()
	out, err := poolgw(t, "check", "-c", file).CombinedOutput()
	if (err != nil) != refused && !strings.Contains(string(out), "192.0.2.1") {
		t.Errorf("check: %v\n%s", err, out)
	}
}

// Facts: G0-02, G0-05
func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"--foo"}, 2, "foo"},
		{[]string{"x"}, 2, "Unsupported positional arguments on command line"},
		{[]string{"-c", "/nonexistent"}, 2, "Failed to parse the config file: '/nonexistent'"},
		{[]string{"-e", "3", "-V"}, 0, "PoolGW version"},
		{[]string{"--vty-ref-mode", "foo"}, 2, "vty-ref-mode"},
		{[]string{"-e", "99"}, 2, "level"},
		{[]string{"-d", "DNOSUCH"}, 2, "no log category"},
		{[]string{"--help"}, 0, "Usage: poolgw"},
		{[]string{"version"}, 0, "PoolGW version"},
		{[]string{"check", "-c", "/nonexistent"}, 1, "no such file"},
		{[]string{"vty", "a", "1", "x"}, 2, "HOST and PORT"},
	} {
		cmd := poolgw(t, c.args...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(string(out), c.text) {
			t.Errorf("%q: exit code %d, want %d, and %q in:\n%s", c.args, got, c.code, c.text, out)
		}
	}
}

// A port of the management plane that can't be had ends the start with 1.
// Facts: G0-07, G0-08
func TestManagementPortInUse(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	for _, word := range []string{"VTYPORT", "CTRLPORT"} {
		text := "line vty\n no login\n bind 127.0.0.1 VTYPORT\nctrl\n bind 127.0.0.1 CTRLPORT\n"
		p := start(t, "-c", writeFile(t, fill(t, strings.ReplaceAll(text, word, taken))))
		if code := p.exited(t); code != 1 || !strings.Contains(p.err.String(), "in use") {
			t.Errorf("%s: exit code %d, standard error:\n%s", word, code, &p.err)
		}
	}
}

// A start that waits, here for who writes the FIFO, ends by a signal.
func TestHangingStartEndsBySignal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	p := start(t, "-c", name)
	time.Sleep(time.Second) // it waits by now; were it earlier, it would end all the same
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.exited(t)
}

// Sessions that hang, here in a log that nobody reads, do not hold up the end.
func TestHangingSessionsEndBySignal(t *testing.T) {
	port := freePort(t, "tcp")
	p, _, w := startOnPipe(t, fmt.Sprintf("log stderr blocking-io\n logging level set-all debug\nline vty\n no login\n bind 127.0.0.1 %d\n"+
		"ctrl\n bind 127.0.0.1 CTRLPORT\n", port))
	fillPipe(int(w.Fd()))
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	time.Sleep(200 * time.Millisecond)
	p.cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(200 * time.Millisecond)
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.exited(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// startOnPipe starts poolgw with a pipe for standard output and standard error,
// and returns it, when it runs, with the pipe's ends.
func startOnPipe(t *testing.T, text string) (p *process, r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p = &process{cmd: poolgw(t, "-c", writeFile(t, fill(t, text))), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() { p.cmd.Process.Kill(); <-p.done; r.Close(); w.Close() })
	for lines := bufio.NewScanner(r); lines.Scan() && !strings.Contains(lines.Text(), "poolgw runs"); {
	}
	return p, r, w
}

// Standard output and standard error that nobody reads don't keep the program
// from its end, not even when a report waits for them.
func TestHangingOutputEndsBySignal(t *testing.T) {
	p, _, w := startOnPipe(t, "MGMT")
	fillPipe(int(w.Fd()))
	p.cmd.Process.Signal(syscall.SIGUSR1)
	time.Sleep(200 * time.Millisecond)
	p.cmd.Process.Signal(syscall.SIGTERM)
	begin := time.Now()
	if code := p.exited(t); code != 0 || time.Since(begin) > closeTime/2 {
		t.Errorf("exit code %d after %s", code, time.Since(begin))
	}
}

// Who reads standard error may end: the gateway goes on.
func TestStandardErrorsReaderGone(t *testing.T) {
	port := freePort(t, "tcp")
	p, r, _ := startOnPipe(t, fmt.Sprintf("log stderr\n logging level set-all debug\nline vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 CTRLPORT\n", port))
	r.Close()
	for range 3 { // each session is logged
		c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		time.Sleep(100 * time.Millisecond)
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.exited(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// fillPipe writes until the pipe is full; it is shared with a process that waits
// for room.
func fillPipe(fd int) {
	syscall.SetNonblock(fd, true)
	for n := 1; n > 0; {
		n, _ = syscall.Write(fd, make([]byte, 1))
	}
	syscall.SetNonblock(fd, false)
}

// An NS bind that another process has ends the start with 2.
func TestNSBindInUse(t *testing.T) {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := fmt.Sprintf("MGMT\nns\n bind udp a\n  listen 127.0.0.1 %d\n", c.LocalAddr().(*net.UDPAddr).Port)
	p := start(t, "-c", writeFile(t, fill(t, text)))
	if code := p.exited(t); code != 2 || !strings.Contains(p.err.String(), "in use") {
		t.Errorf("exit code %d, standard error:\n%s", code, &p.err)
	}
}

// A second instance with the same binds can't join the first one's sockets.
func TestSecondInstanceRefused(t *testing.T) {
	port := freePort(t, "udp")
	text := fmt.Sprintf("MGMT\nns\n bind udp a\n  listen 127.0.0.1 %d\n", port)
	start(t, "-c", writeFile(t, fill(t, text))).running(t)
	second := start(t, "-c", writeFile(t, fill(t, text)))
	if code := second.exited(t); code != 2 {
		t.Errorf("the second instance: exit code %d", code)
	}
}

// Facts: G0-33
func TestEmptyFileUsesTheUsualPorts(t *testing.T) {
	for _, port := range []string{"4246", "4263"} {
		l, err := net.Listen("tcp4", "127.0.0.1:"+port)
		if err != nil {
			t.Skipf("port %s is in use here: %v", port, err)
		}
		l.Close()
	}
	wantStart(t, writeFile(t, ""))
}
