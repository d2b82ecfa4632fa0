package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/vty"
)

var manualLine = regexp.MustCompile(`(?m)^ +PoolGW[^ ]*[>#] (.+)$`)

// TestManual types every line of the manual that stands after a prompt, and
// starts with the configuration that it shows.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../../doc/manual.md")
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(text), "    hostname PoolGW\n")
	j := strings.Index(string(text), "\n[examples]")
	if i < 0 || j < i {
		t.Fatal("the manual shows no configuration")
	}
	var cfg strings.Builder
	for line := range strings.Lines(string(text)[i:j]) {
		cfg.WriteString(strings.TrimPrefix(line, "    "))
	}
	vtyPort, ctrlPort := freePort(t, "tcp"), freePort(t, "tcp")
	file := strings.NewReplacer(
		" no login\n", " no login\n bind 127.0.0.1 "+strconv.Itoa(vtyPort)+"\nctrl\n bind 127.0.0.1 "+strconv.Itoa(ctrlPort)+"\n",
		" 9246", " "+strconv.Itoa(freePort(t, "tcp"))).Replace(cfg.String())
	start(t, "-c", writeFile(t, file)).running(t)
	c := dialVTY(t, vtyPort)
	lines := manualLine.FindAllStringSubmatch(string(text), -1)
	if len(lines) < 10 {
		t.Fatalf("only %d lines to type", len(lines))
	}
	if _, err := c.Run("enable"); err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if out, err := c.Run(l[1]); err != nil && l[1] != "enable" {
			t.Errorf("%q: %v\n%s", l[1], err, out)
		}
	}
}

func dialVTY(t *testing.T, port int) *vty.Client {
	t.Helper()
	c, err := vty.Dial(t.Context(), "127.0.0.1:"+strconv.Itoa(port), vty.DialOptions{Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
