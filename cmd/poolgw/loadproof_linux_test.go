package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// matches finds a pattern in what a command printed, and returns its numbers.
func matches(t *testing.T, out, pattern string) (numbers []float64) {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if m == nil {
		t.Errorf("no %q in\n%s", pattern, out)
		return make([]float64, regexp.MustCompile(pattern).NumSubexp())
	}
	for _, s := range m[1:] {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, f)
	}
	return numbers
}

// unproven tells that a generator on a busy machine did not send what it was to send, and
// that the gateway did nothing wrong.
func unproven(out string, code int) bool {
	return code == exitConfig && strings.Contains(out, "the generator did not get to")
}

// TestLoadSustain has every NS-ALIVE of both ends answered and accounted for while
// there is load, and while busy loops take the gateway's processor. What the generator
// reaches on a busy machine is no matter here, what the gateway does with it is.
func TestLoadSustain(t *testing.T) {
	t.Parallel()
	out, code := runLoad(t, "sustain", "--bsss", "20", "--subscribers", "1000", "--duration", "2500ms", "--look", "200ms", "--part", "0.2", "--over", "0.4",
		"--busy", "1", "--down", "0.3", "--size", "100,500", "--lossy", "--no-pin")
	if code != exitOK && !unproven(out, code) {
		t.Errorf("exit status %d\n%s", code, out)
	}
	left := matches(t, out, `capacity with 1 busy loops on the gateway's processor: (\d+) PDUs a second\nat (\d+) % \((\d+)/s\)`)
	if share := 100 * left[2] / left[0]; share < left[1]-1 || share > left[1]+1 || left[1] > 40 {
		t.Errorf("%.0f/s sent, %.0f %% of %.0f/s; 40 %% were to be\n%s", left[2], left[1], left[0], out)
	}
	n := matches(t, out, `NS-ALIVE: (\d+) of peers, (\d+) answered; (\d+) of the gateway heard, (\d+) answered; NS-VCs that went down (\d+)`)
	if n[0] < 23 || n[0] != n[1] || n[2] < 23 || n[2] != n[3] || n[4] != 0 { // one a second of each of 23
		t.Errorf("NS-ALIVE: %v\n%s", n, out)
	}
	if strings.Count(out, "the gateway tells: NS-ALIVE without answer 0, NS-VCs that went down 0") != 2 {
		t.Errorf("the gateway's own figures:\n%s", out)
	}
}

// TestLoadSoak is a short one of Gb: its account is exact.
func TestLoadSoak(t *testing.T) {
	t.Parallel()
	out, code := runLoad(t, "soak", "gb", "--subscribers", "1000", "--duration", "3s", "--gate", "sleep 0.3", "--look", "200ms", "--part", "0.2", "--down", "0.5", "--no-pin")
	n := matches(t, out, `account: sent (\d+) = received (\d+) \+ (\d+) dropped by the gateway \+ (\d+) by the kernel at its sockets \+ (\d+) at`)
	if code != exitOK || n[0] == 0 || n[0] != n[1]+n[2]+n[3]+n[4] {
		t.Errorf("exit status %d, %v\n%s", code, n, out)
	}
}

// TestLoadSoakN2 is a short one of N2.
func TestLoadSoakN2(t *testing.T) {
	t.Parallel()
	out, code := runLoadN2Of(t, []string{"soak", "n2"}, "--subscribers", "1000", "--duration", "3s", "--look", "200ms", "--part", "0.2")
	n := matches(t, out, `from gNBs (\d+) \+ from AMFs (\d+) \+ copies (\d+) \+ made (\d+) = to gNBs (\d+) \+ to AMFs (\d+) \+ absorbed (\d+) \+ dropped (\d+) \+ waiting (\d+)`)
	if code != exitOK || n[0] == 0 || n[0]+n[1]+n[2]+n[3] != n[4]+n[5]+n[6]+n[7]+n[8] {
		t.Errorf("exit status %d, %v\n%s", code, n, out)
	}
}

// TestLoadSustainN2 limits new UEs to a part of those that begin: they are what gives way,
// while every message of UEs that are bound arrives.
func TestLoadSustainN2(t *testing.T) {
	t.Parallel()
	out, code := runLoadN2Of(t, []string{"sustain", "n2"}, "--duration", "3s", "--look", "200ms", "--bound", "100", "--over", "0.3", "--limit", "0.05", "--talk", "0.01")
	ues := matches(t, out, `offered (\d+), refused by the gateway (\d+), served (\d+) \(\d+/s\), held back by SCTP (\d+), released in the middle (\d+), not served (\d+)`)
	if code != exitOK || ues[1] == 0 || ues[2] == 0 || ues[0] != ues[1]+ues[2]+ues[3]+ues[4]+ues[5] {
		t.Errorf("exit status %d, %v\n%s", code, ues, out)
	}
	talk := matches(t, out, `100 bound UEs: due (\d+), sent with the answers (\d+), arrived (\d+), lost (\d+)`)
	if talk[2] == 0 || talk[1] != talk[2] {
		t.Errorf("talk: %v\n%s", talk, out)
	}
	dropped := matches(t, out, `the gateway dropped: new_session: limit: (\d+)`)
	if dropped[0] != ues[1] || strings.Count(out, "the gateway dropped") != 1 || !strings.Contains(out, "took nothing 0, of gNBs 0, to AMFs 0") {
		t.Errorf("%v dropped, %v refused\n%s", dropped[0], ues[1], out)
	}
}

// TestLoadStart brings some NSEs with several cells each up.
func TestLoadStart(t *testing.T) {
	t.Parallel()
	out, code := runLoad(t, "start", "--nses", "30", "--cells", "4", "--subscribers", "2000", "--no-pin")
	bound := matches(t, out, `sockets bound, 30 NSEs configured: (\d+\.\d+) s`)
	up := matches(t, out, `then 120 BVCs unblocked at BSSs and SGSNs: (\d+\.\d+) s`)
	if code != exitOK || bound[0] <= 0 || up[0] < 0 {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// TestLoadReference measures another proxy in the same run: this program by another
// name. One that does not do what a proxy does is told of with what is missing.
func TestLoadReference(t *testing.T) {
	t.Parallel()
	foreign := func(script string) string {
		file := filepath.Join(t.TempDir(), "other-proxy")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	self := poolgw(t)
	env := ""
	for _, v := range self.Env {
		if strings.HasPrefix(v, "POOLGW_") {
			env += v + " "
		}
	}
	good := foreign(fmt.Sprintf(`exec env %s %s run "$@"`, env, self.Path))
	common := []string{"gb", "--subscribers", "1000", "--rate", "20000", "--duration", "500ms", "--no-pin", "--loss", "50", "--reference"}
	out, code := runLoad(t, append(common, good)...)
	if code != exitOK || strings.Count(out, "CPU of the process under test") != 2 || !strings.Contains(out, "\n"+good+":\n") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	for _, c := range []struct{ command, said string }{
		{foreign("echo no such option: $1 >&2; exit 3"), "no such option: -c"},
		{foreign("rm -f $0; kill $$"), "ended"},
		{"/nonexistent/proxy", "/nonexistent/proxy"},
	} {
		out, code := runLoad(t, append(common, c.command)...)
		if code != exitConfig || !strings.Contains(out, c.said) {
			t.Errorf("%s: exit status %d, not %q\n%s", c.command, code, c.said, out)
		}
	}
}

// TestLoadInterrupted: what is interrupted ends at once and says so; its gateway
// does not stay.
func TestLoadInterrupted(t *testing.T) {
	t.Parallel()
	interrupt(t, "capacity", "sustain", "--subscribers", "1000", "--look", "100ms", "--duration", "10m", "--part", "0.1", "--no-pin")
	interrupt(t, "come through", "gb", "--subscribers", "1000", "--search", "--duration", "100ms", "--no-pin")
	interrupt(t, "", "gb", "--subscribers", "1000", "--rate", "1000", "--duration", "10m", "--no-pin")
}

// interrupt ends a load when it has said marker, or without one two seconds after
// the start.
func interrupt(t *testing.T, marker string, args ...string) {
	t.Helper()
	c := poolgw(t, append([]string{"load"}, args...)...)
	out, err := c.StdoutPipe()
	if err == nil {
		c.Stderr = c.Stdout // the other end of the same pipe
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for marker != "" && lines.Scan() && !strings.Contains(lines.Text(), marker) {
	}
	if marker == "" {
		time.Sleep(2 * time.Second)
	}
	start := time.Now()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var said string
	for lines.Scan() {
		said += lines.Text()
	}
	_ = c.Wait()
	if took := time.Since(start); took > time.Minute || c.ProcessState.ExitCode() != exitConfig || !strings.Contains(said, "interrupted") {
		t.Errorf("%q: after %s: status %d, %q", args, took, c.ProcessState.ExitCode(), said)
	}
}
