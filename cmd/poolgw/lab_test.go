package main

import (
	"fmt"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// The lab's operator follows the gateway's: an SGSN that is drained over the VTY
// goes to offload mode, so that it empties, and back when it is undrained.
func TestLabFollowsDrain(t *testing.T) {
	t.Parallel()
	port := freePort(t, "tcp")
	p := start(t, "lab", "--sgsns", "2", "--bsss", "1", "--subscribers", "4", "--every", "1s", "--vty-port", fmt.Sprint(port))
	awaitLine(t, p, `sgsn=101 .*attach=yes .*mode=normal`)
	c := dialVTY(t, port)
	for _, step := range []struct{ command, then string }{
		{"enable", `sgsn=101`},
		{"drain sgsn nsei 101", `sgsn=101 .*attach=no .*mode=offload`},
		{"undrain sgsn nsei 101", `sgsn=101 .*attach=no .*mode=offload(?s:.*)sgsn=101 .*attach=yes .*mode=normal`},
	} {
		if out, err := c.Run(step.command); err != nil {
			t.Fatalf("%q: %v\n%s", step.command, err, out)
		}
		awaitLine(t, p, step.then)
	}
	if regexp.MustCompile(`sgsn=102 .*mode=offload`).MatchString(p.out.String()) {
		t.Errorf("SGSN 102 was never drained:\n%s", &p.out)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.exited(t)
}

// awaitLine waits until the standard output has what the expression says.
func awaitLine(t *testing.T, p *process, expr string) {
	t.Helper()
	re := regexp.MustCompile(expr)
	for range 400 {
		if re.MatchString(p.out.String()) {
			return
		}
		select {
		case <-p.done:
			t.Fatalf("exit code %d:\n%s%s", p.cmd.ProcessState.ExitCode(), &p.out, &p.err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("%q does not come:\n%s%s", expr, &p.out, &p.err)
}
