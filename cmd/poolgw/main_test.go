package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// runAsProgram makes the test binary be poolgw.
const runAsProgram = "POOLGW_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(runAsProgram) != "" {
		main()
	}
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		n.Value.Set("6") // these tests wait more than they compute
	}
	os.Exit(m.Run())
}

// poolgw prepares the program with its arguments.
func poolgw(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), runAsProgram+"=1")
	return c
}

// output collects what a process writes; safe to read while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// process is a running poolgw.
type process struct {
	cmd  *exec.Cmd
	err  output
	out  output
	done chan struct{}
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: poolgw(t, args...), done: make(chan struct{})}
	p.cmd.Stderr, p.cmd.Stdout = &p.err, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// exited waits for the end and returns the exit code.
func (p *process) exited(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(20 * time.Second):
		t.Fatalf("still running; standard error:\n%s", &p.err)
		return -1
	}
}

// running waits until the process says that it runs.
func (p *process) running(t *testing.T) {
	t.Helper()
	for range 400 {
		if strings.Contains(p.err.String(), "poolgw runs") {
			return
		}
		select {
		case <-p.done:
			t.Fatalf("exit code %d; standard error:\n%s", p.cmd.ProcessState.ExitCode(), &p.err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("does not come up; standard error:\n%s", &p.err)
}

// fill replaces the words of testdata/startup.txtar's first lines.
func fill(t *testing.T, text string) string {
	t.Helper()
	vty, ctrl := freePort(t, "tcp"), freePort(t, "tcp")
	text = strings.ReplaceAll(text, "MGMT", "line vty\n no login\n bind 127.0.0.1 VTYPORT\nctrl\n bind 127.0.0.1 CTRLPORT")
	for word, value := range map[string]string{
		"VTYPORT": fmt.Sprint(vty), "CTRLPORT": fmt.Sprint(ctrl), "TAB": "\t",
		"PORT1": fmt.Sprint(freePort(t, "udp")), "PORT2": fmt.Sprint(freePort(t, "udp")), "PORT3": fmt.Sprint(freePort(t, "udp")),
	} {
		text = strings.ReplaceAll(text, word, value)
	}
	if rest, ok := strings.CutPrefix(text, "CRLF\n"); ok {
		text = strings.ReplaceAll(rest, "\n", "\r\n")
	}
	return text
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "poolgw.cfg")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
