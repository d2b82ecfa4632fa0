package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"poolgw/ns"
	"poolgw/vty"
)

// TestLabJudgedByTshark captures the demonstration from before its start: tshark
// must find as many NS PDUs of the gateway as this says it sent, BSSGP in each
// NS-UNITDATA, and nothing to complain of but what the test broke. It is not
// parallel: beside a load test a capture of all UDP would lose frames.
func TestLabJudgedByTshark(t *testing.T) {
	c := newCapture(t)
	p := start(t, "lab", "--subscribers", "200", "--every", "1s")
	p.says(t, regexp.MustCompile(`(?m)^00:00:1\d registered=200/200`), 60*time.Second)
	at := p.says(t, telnetLine, time.Second)
	v, err := vty.Dial(context.Background(), at[1]+":"+at[2], vty.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	ask := func(command string) string {
		out, err := v.Run(command)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	gateway, err := strconv.Atoi(strings.TrimSpace(ask("show pid")))
	if err != nil {
		t.Fatal(err)
	}
	// All but the gateway falls silent, so that its counters stand still.
	p.cmd.Process.Signal(syscall.SIGSTOP)
	defer p.cmd.Process.Signal(syscall.SIGCONT)
	time.Sleep(200 * time.Millisecond)
	var snap ns.Snapshot
	if err := json.Unmarshal([]byte(ask("show ns json")), &snap); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(gateway, syscall.SIGKILL)
	for _, b := range snap.Binds {
		c.ports = append(c.ports, b.Local.Port())
	}
	c.send(brokenPDU)
	judgeFrames(t, c, &snap, []string{"00", "0a", "0b", "03", "07", "0f", "10", "13"})
}
