package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// TestMetricsEndpoint lints every name that a running poolgw serves.
func TestMetricsEndpoint(t *testing.T) {
	port := freePort(t, "tcp")
	text := fmt.Sprintf("MGMT\nmetrics\n bind 127.0.0.1 %d\nsgsn nsei 101\n nri add 1\n", port)
	start(t, "-c", writeFile(t, fill(t, text))).running(t)
	r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var body strings.Builder
	problems, err := promlint.New(io.TeeReader(r.Body, &body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "poolgw_gb_") && strings.Contains(p.Text, "abbreviated units") {
			continue // the linter takes the interface Gb for gigabytes
		}
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, want := range []string{"poolgw_build_info", "poolgw_vty_", "poolgw_gb_", "go_goroutines"} {
		if !strings.Contains(body.String(), want) {
			t.Errorf("no metric %s in\n%s", want, &body)
		}
	}
}

// Profiles are served from the moment when the VTY says so until it says the
// contrary; the log tells both.
func TestProfilesFollowTheVTY(t *testing.T) {
	web, vty := freePort(t, "tcp"), freePort(t, "tcp")
	p := start(t, "-c", writeFile(t, fmt.Sprintf("log stderr\nline vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 %d\nmetrics\n bind 127.0.0.1 %d\n",
		vty, freePort(t, "tcp"), web)))
	p.running(t)
	want := func(code int) {
		t.Helper()
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/debug/pprof/goroutine", web))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != code {
			t.Errorf("a profile is answered by %s, want %d", r.Status, code)
		}
	}
	say := func(words ...string) {
		t.Helper()
		args := []string{"vty"}
		for _, w := range append([]string{"enable", "configure terminal", "metrics"}, words...) {
			args = append(args, "-c", w)
		}
		if out, err := poolgw(t, append(args, "127.0.0.1", fmt.Sprint(vty))...).CombinedOutput(); err != nil || strings.Contains(string(out), "%") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	want(http.StatusNotFound)
	say("pprof")
	want(http.StatusOK)
	say("no pprof")
	want(http.StatusNotFound)
	for _, line := range []string{fmt.Sprintf("profiles are served at=http://127.0.0.1:%d/debug/pprof/", web), "profiles are served no more"} {
		within(t, 10*time.Second, func() string {
			if strings.Contains(p.err.String(), line) {
				return ""
			}
			return fmt.Sprintf("no %q in the log:\n%s", line, &p.err)
		})
	}
}
