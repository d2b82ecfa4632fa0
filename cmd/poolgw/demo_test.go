package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"poolgw/vty"
)

// The tests here run "poolgw lab" as a whole: the lab, the gateway that it
// starts, and an operator at the gateway's VTY.

var telnetLine = regexp.MustCompile(`telnet (\S+) (\d+)`)

// says waits until the process has printed what re matches.
func (p *process) says(t *testing.T, re *regexp.Regexp, within time.Duration) []string {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if m := re.FindStringSubmatch(p.out.String()); m != nil {
			return m
		}
		select {
		case <-p.done:
			t.Fatalf("exit code %d before %s; it said:\n%s%s", p.cmd.ProcessState.ExitCode(), re, &p.out, &p.err)
		default:
		}
	}
	t.Fatalf("no %s within %s; it said:\n%s%s", re, within, &p.out, &p.err)
	return nil
}

// operator types commands at the gateway of a lab that has been told to print
// often.
func (p *process) operator(t *testing.T, commands ...string) {
	t.Helper()
	at := p.says(t, telnetLine, 40*time.Second)
	c, err := vty.Dial(context.Background(), at[1]+":"+at[2], vty.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, cmd := range append([]string{"enable"}, commands...) {
		if _, err := c.Run(cmd); err != nil && cmd != "shutdown" {
			t.Fatal(err)
		}
	}
}

// plainText fails on what is not printable ASCII.
func plainText(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, b := range []byte(strings.TrimSuffix(line, "\n")) {
			if b < ' ' || b > '~' {
				t.Errorf("octet %#02x in %q", b, line)
				break
			}
		}
	}
}

// A drained SGSN empties, and the cross-check holds at the end. Its subscribers
// update within 20 s, and within 4 s once more.
func TestLabDrain(t *testing.T) {
	t.Parallel()
	p := start(t, "lab", "--duration", "42s", "--subscribers", "300", "--every", "1s")
	p.says(t, regexp.MustCompile(`(?m)^00:00:08 registered`), 60*time.Second)
	p.operator(t, "configure terminal", "sgsn nsei 101", "no allow-attach")
	p.says(t, regexp.MustCompile(`sgsn=101 .*mode=offload`), 10*time.Second)
	p.says(t, regexp.MustCompile(`note SGSN 101 empties since`), 10*time.Second)
	p.says(t, regexp.MustCompile(`note SGSN 101 serves nobody since .* activity window of 1 min`), 40*time.Second)
	if code := p.exited(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	text := p.out.String()
	for _, want := range []string{`(?m)^  101   up    no  +\d+ +\d+ +0 `, `(?m)^Interrupted \(\d+\): the SGSN`,
		`(?m)^After 00:00:4\d the gateway's figures and the simulators' truth agree\.$`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s", want)
		}
	}
	plainText(t, text)
	if t.Failed() {
		t.Log(text)
	}
}

// The lab lives with what the gateway's operator does, and ends with the gateway.
func TestLabOperator(t *testing.T) {
	t.Parallel()
	p := start(t, "lab", "--subscribers", "200", "--every", "1s")
	p.says(t, regexp.MustCompile(`registered=200/200`), 60*time.Second)
	p.operator(t, "configure terminal", "hostname Other", "no sgsn nsei 101")
	p.says(t, regexp.MustCompile(`sgsn=101 state=not-in-pool .* mode=cut-off`), 10*time.Second)
	p.says(t, regexp.MustCompile(`sgsn=101 state=not-in-pool serves=0 `), 30*time.Second)
	p.operator(t, "configure terminal", "sgsn nsei 101", "nri add 1 300")
	p.says(t, regexp.MustCompile(`(?s)not-in-pool.*sgsn=101 state=up`), 30*time.Second)
	p.operator(t, "shutdown")
	if code := p.exited(t); code != exitOK {
		t.Errorf("exit code %d: %s", code, &p.err)
	}
	text := p.out.String()
	for _, want := range []string{"The gateway was shut down by its operator (exit status 0).", "  ok    no PDU came to a wrong SGSN"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, " FAIL ") || t.Failed() {
		t.Errorf("a check failed:\n%s", text)
	}
}

// ^C gives the verdict too, and claims no more than was judged.
func TestLabInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t, "lab", "--subscribers", "1000", "--every", "1s")
	p.says(t, regexp.MustCompile(`00:00:0[12] sgsn=103`), 60*time.Second)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.exited(t); code != exitOK {
		t.Errorf("exit code %d: %s", code, &p.err)
	}
	// What else is not judged after a second is the machine's speed.
	notYet := regexp.MustCompile(`not judged yet: [^.]*the subscribers are registered`)
	if text := strings.Join(strings.Fields(p.out.String()), " "); !notYet.MatchString(text) || strings.Contains(text, "truth agree") {
		t.Errorf("it said:\n%s", &p.out)
	}
}
