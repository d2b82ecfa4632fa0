package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"poolgw/lab/frline"
)

// TestManualFrameRelay starts with the configuration that the manual shows for
// Frame Relay.
func TestManualFrameRelay(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	text, err := os.ReadFile("../../doc/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### Frame Relay")
	i := strings.Index(rest, "    ns\n")
	j := strings.Index(rest, "\nAn NS-VC on a line")
	if i < 0 || j < i {
		t.Fatal("the manual shows no configuration")
	}
	var cfg strings.Builder
	port := freePort(t, "tcp")
	fmt.Fprintf(&cfg, "line vty\n no login\n bind 127.0.0.1 %d\nctrl\n bind 127.0.0.1 %d\n", port, freePort(t, "tcp"))
	for line := range strings.Lines(rest[i:j]) {
		cfg.WriteString(strings.TrimPrefix(line, "    "))
	}
	join(t, "hdlc0", "hdlc1")
	start(t, "-c", writeFile(t, cfg.String())).running(t)
	out, err := dialVTY(t, port).Run("show ns")
	for _, want := range []string{"FR bind: hdlc0, role: USER, link: UP", "FRGRE bind: 127.0.0.30 DSCP: 46", "NSEI 00201: FR, DEAD",
		"NSVCI 02011: UNCONFIGURED", "NSVCI 02021: RESET", "FR Link 'hdlc0': Role USER"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: %q is missing in\n%s", err, want, out)
		}
	}
}
