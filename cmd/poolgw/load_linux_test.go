package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"poolgw/lab/load"
	"poolgw/sctp"
)

// runLoad runs "poolgw load" and returns what it printed.
func runLoad(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	return outcome(poolgw(t, append([]string{"load"}, args...)...))
}

// runLoadN2 is runLoad where no other SCTP stack is: one on the same address
// aborts associations that it does not know, unless it was told of the others.
func runLoadN2(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	return runLoadN2Of(t, []string{"n2"}, args...)
}

// runLoadN2Of is runLoadN2 for another part of "load".
func runLoadN2Of(t *testing.T, what []string, args ...string) (out string, code int) {
	t.Helper()
	if _, err := sctp.Userspace(sctp.UserspaceOptions{Shared: true}); err != nil {
		t.Skip(err)
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Getuid() != 0 {
		t.Skip("userspace SCTP needs root, and unshare for a network of its own")
	}
	c := poolgw(t, slices.Concat([]string{"load"}, what, args, []string{"--transport", "userspace", "--no-pin"})...)
	c.Args = append([]string{"unshare", "--net", "sh", "-c", `ip link set lo up && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = unshare
	return outcome(c)
}

func outcome(c *exec.Cmd) (out string, code int) {
	var b bytes.Buffer
	c.Stdout, c.Stderr = &b, &b
	_ = c.Run() // the exit code says it
	return b.String(), c.ProcessState.ExitCode()
}

// TestLoad has every PDU of a small load arrive at the owner of its NRI or at
// its cell, unchanged and in order, whatever NS the BSSs speak.
func TestLoad(t *testing.T) {
	t.Parallel()
	timed := 0
	for _, dialect := range []string{"static", "ipaccess", "sns", "static --ipv6 --cells 3", "sns --ipv6 --cells 2"} {
		args := append([]string{"gb", "--dialect"}, strings.Fields(dialect)...)
		out, code := runLoad(t, append(args, "--bsss", "5", "--sgsns", "4", "--subscribers", "1000",
			"--down", "0.4", "--size", "100,500", "--rate", "4000", "--duration", "500ms", "--no-pin")...)
		if code != exitOK || !regexp.MustCompile(`sent (1[89]|20)\d\d in .* lost 0 `).MatchString(out) {
			t.Errorf("%s: exit status %d\n%s", dialect, code, out)
		}
		if strings.Contains(out, "CPU of the process under test") { // in steps of 10 ms: not in each
			timed++
		}
	}
	if timed == 0 {
		t.Error("no CPU time")
	}
}

// TestLoadBench checks that the comparison is made, not what comes of it.
func TestLoadBench(t *testing.T) {
	t.Parallel()
	out, code := runLoad(t, "bench", "--duration", "50ms", "--rounds", "1", "--subscribers", "1000", "--sustain", "0", "--nses", "30", "--transport", "none")
	rows := regexp.MustCompile(`(?m)^\| Gb, CPU .*BSSs \| relay \d+\.\d\d us \(\d+/s, \d+ % of a processor\) \| \d+\.\d\d us \(\d+/s, \d+ % of a processor\) \| \d+\.\d\d \(`).FindAllString(out, -1)
	if code != exitOK || len(rows) != 2 || !strings.Contains(out, "| Gb, then 300 BVCs up") || !strings.Contains(out, "| published: ngap-proxy") ||
		!strings.Contains(out, "Gb, two workers beside one") {
		t.Errorf("exit status %d, %d rows\n%s", code, len(rows), out)
	}
}

// TestLoadBenchQuick fails above its bound, and has another proxy beside.
func TestLoadBenchQuick(t *testing.T) {
	t.Parallel()
	out, code := runLoad(t, "bench", "--quick", "--duration", "100ms", "--rounds", "1", "--subscribers", "1000", "--most", "0.01")
	if code != exitListen || !strings.Contains(out, "at most 0.01") {
		t.Errorf("exit status %d\n%s", code, out)
	}
	self := poolgw(t)
	out, code = runLoad(t, "bench", "--quick", "--duration", "100ms", "--rounds", "1", "--subscribers", "1000", "--reference", "env "+runAsProgram+"=1 "+self.Path+" run")
	if code != exitOK || strings.Count(out, ", another proxy |") != 2 {
		t.Errorf("exit status %d\n%s", code, out)
	}
}

// TestLoadWorkers has two generators at one gateway with one and two workers; they
// share what processors there are, so that the figures mean nothing.
func TestLoadWorkers(t *testing.T) {
	t.Parallel()
	c := poolgw(t)
	cores := load.AllCores()
	first, last := cores[0], cores[len(cores)-1]
	w, err := load.RunWorkers(t.Context(), load.Options{BSSs: 5, Cells: 2, Subscribers: 1000}, []string{"env", runAsProgram + "=1", c.Path, "run"},
		[]int{first, last, first, last}, 100*time.Millisecond)
	if err != nil || w.One <= 0 || w.Two <= 0 || w.Why != "" {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err := load.RunWorkers(t.Context(), load.Options{}, nil, cores[:1], 0); err != nil || w.Why == "" {
		t.Errorf("with one processor: %+v, %v", w, err)
	}
}

// TestBenchRowsOfTests: what tests of n2 log becomes rows.
func TestBenchRowsOfTests(t *testing.T) {
	t.Parallel()
	log := "    usual_test.go:205: | Downlink NAS Transport, 4 octets of NAS | 27 | 142 ns | 4.29 us | 30 |\n" +
		"    usual_test.go:174: | N2, walk, decide, edit | free5gc/ngap decode 5.4 us | 0.25 us | 1/22 | must 1/20, aim 0.5 us |\n" +
		"    million_test.go:128: | N2, live heap of a bound UE, 1000000 UEs | | 121 octets; a gNB with 8 AMFs 44000 | | must 250, aim 150 |\n" +
		"    million_test.go:136: | N2, pauses of the collector | | 230µs | | aim 1 ms |\n" +
		"    alloc_test.go:50: | N2, allocations | free5gc/ngap decode: up to 132 | 0 | | must 0 |\n"
	file := writeFile(t, log)
	if _, err := tested(file); err == nil || !strings.Contains(err.Error(), file+" has 4 rows of figures, not 5") {
		t.Errorf("four rows: %v", err)
	}
	if _, err := tested(file + "no"); err == nil {
		t.Error("a file that is not there has figures")
	}
	long := writeFile(t, strings.Repeat("a", 1<<20))
	if _, err := tested(long); err == nil || !strings.Contains(err.Error(), "--logs "+long+": ") {
		t.Errorf("a line of a megabyte: %v", err)
	}
	if out, code := runLoad(t, "bench", "--logs", long); code != exitConfig || strings.Contains(out, "…") {
		t.Errorf("a file without figures is told before anything is measured: exit status %d\n%s", code, out)
	}
	rows, err := tested(writeFile(t, log+"| N2, to begin and to end a UE | 1 us | 2 us | 1/16 | |\n"))
	if err != nil || len(rows) != 5 || rows[0].Ratio != "1/22" || !strings.HasPrefix(rows[1].Ours, "121 octets") || rows[2].Ours != "230µs" {
		t.Errorf("%+v", rows)
	}
}

// TestLoadN2 has every message of a small load arrive at its UE's AMF or gNB,
// through the gateway as a process and userspace SCTP; and tells it as JSON too.
func TestLoadN2(t *testing.T) {
	t.Parallel()
	args := []string{"--gnbs", "3", "--amfs", "2", "--rate", "50", "--duration", "1s"}
	out, code := runLoadN2(t, args...)
	// A generator that is late begins fewer, but all of them are served.
	ues := regexp.MustCompile(`UEs: ([1-4]?[0-9]|50) began .* (\d+) were served to the end`).FindStringSubmatch(out)
	if code != exitOK || ues == nil || ues[1] == "0" || ues[1] != ues[2] ||
		!regexp.MustCompile(`CPU \d+\.\d\d s, \d+\.\d\d us per message`).MatchString(out) {
		t.Errorf("exit status %d\n%s", code, out)
	}
	out, code = runLoadN2(t, append(args, "--relay", "--json")...)
	var r struct {
		UEs      uint64  `json:"ues"`
		Done     uint64  `json:"ues_served"`
		Received uint64  `json:"messages_received"`
		Lost     *uint64 `json:"messages_lost"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitOK || r.Done == 0 || r.Done != r.UEs || r.Received != 11*r.UEs || r.Lost == nil || *r.Lost != 0 {
		t.Errorf("exit status %d, %v\n%s", code, err, out)
	}
}

// TestLoadN2Bench checks that the comparison is made, not what comes of it.
func TestLoadN2Bench(t *testing.T) {
	t.Parallel()
	out, code := runLoadN2(t, "--bench", "--duration", "200ms", "--rounds", "1")
	rows := regexp.MustCompile(`(?m)^\| .*gNBs.* \| \d+\.\d\d us \| \d+\.\d\d us \| \d+\.\d\d \|`).FindAllString(out, -1)
	if code != exitOK || len(rows) != 2 || !strings.Contains(out, "N2, latency at half load") {
		t.Errorf("exit status %d, %d rows\n%s", code, len(rows), out)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"n2", "rest"}, {"n2", "--transport", "tcp"}, {"n2", "--gnbs", "-1"}, {"n2", "--window", "0"}, {"n2relay"}, {"n2relay", "/nonexistent"}, {"gb", "--sgsns", "0"}, {"gb", "--dialect", "frame-relay"}, {"gb", "--size", "20", "--subscribers", "10"},
		{"gb", "--sgsn", "101=127.0.0.1:1"}, {"gb", "rest"}, {"gb", "--exec", "/nonexistent"}, {"gb", "--cells", "-1"},
		{"sustain", "rest"}, {"sustain", "--part", "2"}, {"sustain", "n2", "rest"}, {"sustain", "n2", "--bound", "0"}, {"sustain", "n2", "--relay"}, {"soak", "gb", "--relay"}, {"soak", "--exec", "x"}, {"soak", "n2", "rest"}, {"start", "rest"}, {"start", "--nses", "-1"},
		{"start", "--rate", "5"}, {"sustain", "--window", "64"}, {"soak", "gb", "--search"}, {"sustain", "--relay"}, {"soak", "n2", "--heartbeat", "0"}, {"gb", "--subscribers", "0"}, {"gb", "--bsss", "0"}, {"gb", "--window", "-1"}, {"n2", "--heartbeat", "1h"}, {"start", "--nses", "0"}, {"bench", "--rounds", "0"}, {"relay"}, {"relay", "/nonexistent"}} {
		if out, code := runLoad(t, args...); code != exitConfig {
			t.Errorf("%q: exit status %d\n%s", args, code, out)
		}
	}
}
