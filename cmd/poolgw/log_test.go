package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/vty"
)

// logged is a running poolgw with a log file, and a session in its node.
type logged struct {
	*process
	*vty.Client
	file string
}

func startLogged(t *testing.T, more string) logged {
	port := freePort(t, "tcp")
	file := filepath.Join(t.TempDir(), "poolgw.log")
	text := fmt.Sprintf("line vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 %d\nlog stderr\nlog file %s blocking-io\n logging color 0\n%s",
		port, freePort(t, "tcp"), file, more)
	l := logged{process: start(t, "-c", writeFile(t, text)), file: file}
	l.running(t)
	l.Client = dialVTY(t, port)
	l.run(t, "enable", "configure terminal", "log file "+file+" blocking-io")
	return l
}

func (l logged) run(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if out, err := l.Run(line); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
	}
}

// said is what has come to the file since the last call.
func (l logged) said(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	os.Truncate(l.file, 0)
	return string(b)
}

// Every command of the node changes what a line looks like, or whether it comes.
func TestLogCommandsAct(t *testing.T) {
	l := startLogged(t, "")
	const logp = "do logp lbssgp info "
	l.run(t, "logging level set-all debug", "logging print category 0", "logging print level 0")
	mark := 0
	for _, c := range []struct{ command, want, undo string }{
		{"show vty-attributes global", `^MARK$`, ""},
		{"logging color 1", `^\x1b\[1;32mMARK\x1b\[0;m$`, "logging color 0"},
		{"logging timestamp 1", `^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d MARK$`, "logging timestamp 0"},
		{"logging print extended-timestamp 1", `^20\d{15} MARK$`, "logging print extended-timestamp 0"},
		{"logging print thread-id 1", `^\d+ MARK$`, "logging print thread-id 0"},
		{"logging print category 1", `^DLBSSGP MARK$`, "logging print category 0"},
		{"logging print category-hex 1", `^<0016> MARK$`, "logging print category-hex 0"},
		{"logging print level 1", `^INFO MARK$`, "logging print level 0"},
		{"logging print file 1", `^cmd/poolgw/logs.go:\d+ MARK$`, "logging print file 0"},
		{"logging print file basename", `^logs.go:\d+ MARK$`, "logging print file 0"},
		{"logging print file basename last", `^MARK \(logs.go:\d+\)$`, "logging print file 0"},
		{"logging level lbssgp notice", ``, "logging level lbssgp info"},
		{"logging level lns notice", `^MARK$`, "logging level lns info"},
		{"logging level set-all error", ``, "logging level set-all debug"},
		{"logging level force-all fatal", ``, "no logging level force-all"},
		{"logging filter all 0", ``, "logging filter all 1"},
		{"logging filter nse nsei 101", `^MARK$`, "no logging filter nse"},
	} {
		mark++
		text := fmt.Sprintf("mark %d", mark)
		l.run(t, c.command)
		l.said(t)
		l.run(t, logp+text)
		var got string
		for line := range strings.Lines(l.said(t)) {
			if strings.Contains(line, text) && !strings.Contains(line, "logp") {
				got = strings.TrimSuffix(line, "\n")
			}
		}
		want := strings.Replace(c.want, "MARK", text, 1)
		if want == "" && got != "" || want != "" && !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %q, want %s", c.command, got, want)
		}
		if c.undo != "" {
			l.run(t, c.undo)
		}
	}
}

// SIGHUP after a rotation: the lines go on in the new file.
func TestLogRotation(t *testing.T) {
	l := startLogged(t, "")
	l.run(t, "do logp lglobal error before")
	if err := os.Rename(l.file, l.file+".1"); err != nil {
		t.Fatal(err)
	}
	l.process.cmd.Process.Signal(syscall.SIGHUP)
	for range 100 {
		if _, err := os.Stat(l.file); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	l.run(t, "do logp lglobal error after")
	old, _ := os.ReadFile(l.file + ".1")
	if got := l.said(t); !strings.Contains(got, "ERROR after\n") || !strings.Contains(string(old), "ERROR before\n") ||
		strings.Contains(string(old), "ERROR after") {
		t.Errorf("the old file has %q, the new one %q", old, got)
	}
}

// Identities that an operator types are masked too.
func TestLogMasksIdentities(t *testing.T) {
	l := startLogged(t, " logging mask-identities\n")
	l.run(t, "logging filter all 1")
	l.said(t)
	l.run(t, "do logp lglobal error imsi 262420000000001 tlli=0xc0000001")
	got := l.said(t)
	if !strings.Contains(got, "imsi ~") || strings.Contains(got, "262420000000001") || strings.Contains(got, "c0000001") {
		t.Errorf("%q", got)
	}
}

// A session may filter: it needs no "logging filter all 0" before.
func TestSessionFilters(t *testing.T) {
	l := startLogged(t, "")
	for _, c := range []struct{ line, want string }{
		{"do logging filter tlli c0000001", `% Note: "logging filter all" is 0 now`},
		{"do logging filter imsi 262420000000001", ""},
		{"do no logging filter tlli", ""},
		{"do no logging filter imsi", `% Note: "logging filter all" is 1 now`},
		{"logging filter imsi 262420000000001", `% Note: log file ` + l.file + `: the filters have no effect`},
	} {
		out, err := l.Run(c.line)
		if err != nil || !strings.HasPrefix(out, c.want) || c.want == "" && out != "" {
			t.Errorf("%s: %q %v", c.line, out, err)
		}
	}
	for _, bad := range []string{"logging filter tlli xyz", "logging filter imsi 26242000000000x"} {
		if _, err := l.Run(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// A log file that can't be had keeps poolgw from starting, and from changing.
func TestLogFileRefused(t *testing.T) {
	p := start(t, "-c", writeFile(t, "log file /nonexistent/x/poolgw.log\n"))
	if code := p.exited(t); code != exitConfig || !strings.Contains(p.err.String(), "/nonexistent/x/poolgw.log: no such file") {
		t.Errorf("exit code %d: %s", code, &p.err)
	}
	l := startLogged(t, "")
	if out, err := l.Run("log file /nonexistent/x/poolgw.log"); err == nil {
		t.Errorf("taken: %s", out)
	}
	l.run(t, "do logp lglobal error still here")
	if got := l.said(t); !strings.Contains(got, "still here") {
		t.Errorf("%q", got)
	}
}

// The kernel tells for each thread what "cpu-sched" has set.
func TestScheduling(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a real-time policy needs root")
	}
	l := startLogged(t, "cpu-sched\n policy rr 3\n cpu-affinity self 0x1\n")
	tasks := func(want map[string]string) {
		t.Helper()
		pid := strconv.Itoa(l.process.cmd.Process.Pid)
		dirs, _ := filepath.Glob("/proc/" + pid + "/task/*")
		if len(dirs) < 3 {
			t.Fatalf("only %d threads", len(dirs))
		}
		for _, d := range dirs {
			status, _ := os.ReadFile(d + "/status")
			stat, _ := os.ReadFile(d + "/stat")
			mask := regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindSubmatch(status)
			_, rest, _ := strings.Cut(string(stat), ") ")
			f := strings.Fields(rest) // proc(5): rt_priority is field 40, policy 41; the state is field 3
			if len(f) < 39 || len(mask) == 0 {
				continue // it has ended
			}
			if got := map[string]string{"cpus": string(mask[1]), "priority": f[37], "policy": f[38]}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", d, got, want)
			}
		}
	}
	tasks(map[string]string{"cpus": "0", "priority": "3", "policy": "2"})
	l.run(t, "exit", "cpu-sched", "no policy rr", "no cpu-affinity self")
	all, _ := os.ReadFile("/proc/self/status")
	mask := regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindSubmatch(all)
	tasks(map[string]string{"cpus": string(mask[1]), "priority": "0", "policy": "0"})
	if out, err := l.Run("cpu-affinity all 0x0"); err == nil {
		t.Errorf("no processor at all is taken: %s", out)
	}
	if out, err := l.Run("cpu-affinity 1 0x1"); err == nil {
		t.Errorf("a thread of another process is taken: %s", out)
	}
	l.run(t, fmt.Sprintf("cpu-affinity %d 0x1", l.process.cmd.Process.Pid))
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.process.cmd.Process.Pid))
	if !strings.Contains(string(status), "Cpus_allowed_list:\t0\n") {
		t.Error("the thread that was named by its number has not changed")
	}
}
