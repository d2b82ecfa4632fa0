package main

import (
	"strings"
	"testing"

	"poolgw/sctp"
)

// Facts of a start that has no way to SCTP, or not to the bind: one line that
// says what to do, exit code 2.
func TestN2BindFaults(t *testing.T) {
	for _, c := range []struct {
		transport string
		choice    sctp.Choice
	}{{"auto", sctp.Auto}, {"kernel", sctp.OnlyKernel}, {"userspace", sctp.OnlyUserspace}} {
		err := sctp.Available(c.choice, false)
		if err == nil {
			continue // this machine has it
		}
		p := start(t, "-c", writeFile(t, fill(t, "MGMT\nngap\n bind ran\n  listen 127.0.0.1 38412\n  transport "+c.transport+"\n")))
		code := p.exited(t)
		lines := strings.Split(strings.TrimSpace(p.err.String()), "\n")
		last := lines[len(lines)-1]
		if code != 2 || !strings.HasPrefix(last, "ngap bind ran: ") || !strings.Contains(last, "SCTP") && !strings.Contains(last, "raw") {
			t.Errorf("transport %s: exit code %d, standard error:\n%s", c.transport, code, &p.err)
		}
	}
}
