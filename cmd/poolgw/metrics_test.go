package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

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
