package vty

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetrics(t *testing.T) {
	set := locked()
	set.MaxSessions = 2
	s := started(t, proxyTree(), nil, set)
	reg := prometheus.NewPedanticRegistry()
	if err := s.Register(reg); err != nil {
		t.Fatal(err)
	}
	a, b := call(t, s), call(t, s)
	wait := func(c *caller) {
		one := make([]byte, 1)
		for text := ""; !strings.HasSuffix(text, "Password: "); text += string(one) {
			if _, err := c.Read(one); err != nil {
				t.Fatal(err)
			}
		}
	}
	wait(a)
	wait(b)
	call(t, s).expectEnd("", "% All 2 VTY sessions are in use.\r\n")
	b.Write([]byte("wrong\rwrong\rwrong\r"))
	waitFor(t, func() bool { return len(s.visitors(nil)) == 1 })
	const want = `
# HELP vty_dropped_log_lines_total Log lines not shown because a session did not keep up.
# TYPE vty_dropped_log_lines_total counter
vty_dropped_log_lines_total 0
# HELP vty_failed_accepts_total Connections that could not be accepted, for want of descriptors and the like.
# TYPE vty_failed_accepts_total counter
vty_failed_accepts_total 0
# HELP vty_failed_logins_total Logins and "enable" given up after wrong passwords.
# TYPE vty_failed_logins_total counter
vty_failed_logins_total 1
# HELP vty_refused_sessions_total Connections refused because all sessions were in use.
# TYPE vty_refused_sessions_total counter
vty_refused_sessions_total 1
# HELP vty_sessions Sessions that are open.
# TYPE vty_sessions gauge
vty_sessions 1
# HELP vty_sessions_total Sessions that were begun.
# TYPE vty_sessions_total counter
vty_sessions_total 2
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	problems, err := testutil.GatherAndLint(reg)
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
}
