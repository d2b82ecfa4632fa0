//go:build usrsctp && cgo

package main

import (
	"fmt"
	"strings"
	"testing"
)

// The lab's N2 part: UEs register through the gateway over the userspace stack in
// UDP, and the verdict holds.
func TestLabN2(t *testing.T) {
	p := start(t, "lab", "--sgsns", "1", "--bsss", "1", "--subscribers", "2", "--ues", "100", "--duration", "15s",
		"--vty-port", fmt.Sprint(freePort(t, "tcp")))
	p.exited(t)
	out := p.out.String()
	for _, want := range []string{"N2: 3 gNBs, 3 AMFs and 100 UEs over the userspace SCTP stack in UDP",
		"amf-1 (up, bound", "serves 40;", "ok    N2: the gateway knows which AMFs are up", "ok    N2: the UEs are registered",
		"ok    N2: nothing came to a wrong UE or AMF"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is missing in\n%s%s", want, out, &p.err)
		}
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}
