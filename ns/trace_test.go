package ns

import (
	"log/slog"
	"strings"
	"testing"
)

// The log's filters find NSE and NS-VC of user data and of signalling.
func TestTraceNamesNSEAndVC(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", "10.1.0.1:23000", 7))
	})
	var log strings.Builder
	r.s.logs = newLoggers(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	r.write("a", "10.1.0.1:23000", "00004e2b0100", "0b")
	for _, want := range []string{
		`msg="NS-UNITDATA received" cat=lnsdata nsei=101 bvci=20011 octets=2 remote=10.1.0.1:23000 nsvci=7`,
		`cat=lnssignal bind=a remote=10.1.0.1:23000 nsvc="NSE(00101)-NSVC(00007) 10.0.0.1:23000<>10.1.0.1:23000" pdu=`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, &log)
		}
	}
	v := r.s.nses[101].vcs[0]
	if id, ok := v.NSVCI(); id != 7 || !ok || v.NSEI() != 101 {
		t.Errorf("NSVCI %d, NSEI %d", id, v.NSEI())
	}
}
