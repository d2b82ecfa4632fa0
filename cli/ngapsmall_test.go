package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"poolgw/config"
	"poolgw/n2"
	"poolgw/sctp"
)

// What is pasted takes effect line by line: the transport comes before the addresses
// that use it, of binds and of AMFs.
func TestTransportIsWrittenFirst(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, `
ngap
 bind ran
  listen 127.0.0.1 38412
  transport udp-encapsulation 9899
amf 1
 remote 127.0.0.5 38412
 local 127.0.0.6
 transport userspace
`, &out)
	out.Reset()
	if err := WriteConfig(&out, b.store.Current()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, order := range [][]string{{"transport udp-encapsulation 9899", "listen 127.0.0.1 38412"}, {"transport userspace", "remote 127.0.0.5", "local 127.0.0.6"}} {
		for i := range order[1:] {
			if first, then := strings.Index(text, order[i]), strings.Index(text, order[i+1]); first < 0 || then < first {
				t.Errorf("%q stands at %d, %q at %d:\n%s", order[i], first, order[i+1], then, text)
			}
		}
	}
}

// The timers of the node "ngap" are a group of "show timer", with their unit and bounds.
func TestShowTimerOfNGAP(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchN2, &out)
	for _, command := range []string{"show timer ngap json", "show timer json"} {
		out.Reset()
		if err := b.Exec(command); err != nil {
			t.Fatal(err)
		}
		var rows []timerRow
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatal(err)
		}
		found := map[string]timerRow{}
		for _, r := range rows {
			if r.Group == ngapTimers {
				found[r.Name] = r
			}
		}
		for _, name := range []string{"ng-setup", "initial-ue", "release", "handover", "request", "probe"} {
			if _, ok := found[name]; !ok {
				t.Errorf("%s: no timer %s", command, name)
			}
		}
		if r := found["request"]; r.Value != 30000 || r.Default != 30000 || r.Unit != "ms" || r.Min != 1000 || r.Max != 3600000 {
			t.Errorf("%+v", r)
		}
	}
	out.Reset()
	if err := b.Exec("show timer ngap"); err != nil || !strings.Contains(out.String(), "30000 ms") || strings.Contains(out.String(), "tns-") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	out.Reset()
	b = newBench(t, benchConfig, &out)
	out.Reset()
	if err := b.Exec("show timer"); err != nil || strings.Contains(out.String(), "ng-setup") {
		t.Errorf("without a node ngap: %v\n%s", err, out.String())
	}
}

// An AMF whose local address this machine lacks is told of, and so are two of one name;
// both start.
func TestNotesOfAMFs(t *testing.T) {
	out, ok := checked(t, `
ngap
amf 1
 name A
 remote 127.0.0.5 38412
 local 192.0.2.77
amf 2
 name A
 remote 127.0.0.6 38412
 local 127.0.0.1
`)
	if !ok {
		t.Error("would not start")
	}
	for _, want := range []string{"% Note: amf 1: local 192.0.2.77 is no address of this machine", "% Note: amf 2: has the name of amf 1"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "local 127.0.0.1") {
		t.Errorf("a local address that is there is told of:\n%s", out)
	}
}

// The userspace stack listens only on addresses that an interface has: check says so,
// and what to do, before a start fails.
func TestUserspaceNeedsAnInterface(t *testing.T) {
	if err := sctp.Available(sctp.OnlyUserspace, true); err != nil {
		t.Skip(err)
	}
	file := func(at string) string {
		return "ngap\n bind ran\n  transport udp-encapsulation 9899\n  listen " + at + " 38412\n"
	}
	if out, ok := checked(t, file("127.0.0.77")); ok || !strings.Contains(out, "ip address add 127.0.0.77 dev") {
		t.Errorf("would start: %v\n%s", ok, out)
	}
	if out, ok := checked(t, file("127.0.0.1")); !ok {
		t.Error(out)
	}
}

// A word that is no level is answered by those that there are, in the session, for a
// target and in a file.
func TestNoLevelNamesTheLevels(t *testing.T) {
	const want = "everything is no level; there are debug, info, notice, error, fatal"
	var out bytes.Buffer
	b := newBench(t, benchConfig, &out)
	for _, command := range []string{"logging level sctp everything", "logging level set-all everything"} {
		if err := b.Exec(command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	for _, level := range config.LogLevels {
		if err := b.Exec("logging level sctp " + level); err != nil {
			t.Errorf("%s: %v", level, err)
		}
	}
	if err := b.Exec("logging level sctp inf"); err != nil {
		t.Errorf("abbreviated: %v", err)
	}
	text, ok := checked(t, "log stderr\n logging level sctp everything\n")
	if ok || !strings.Contains(text, want) {
		t.Errorf("the file would start: %v\n%s", ok, text)
	}
}

// Every count of a snapshot has its line in "show ngap".
func TestShowNGAPHasEveryCount(t *testing.T) {
	var c n2.Counts
	if err := json.Unmarshal([]byte(`{}`), &c); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	if now := len(fields) - 1; len(ngapCounts) != now { // queued_octets is no event
		t.Errorf("%d of %d counts are shown", len(ngapCounts), now)
	}
	var w writer
	textNGAP(&w, &n2.Snapshot{Running: true, UEs: 3, Counts: n2.Counts{RequestsLate: 17}}, nil)
	if s := w.String(); !strings.Contains(s, "17 requests without an answer") || !strings.Contains(s, "3 UEs") || !strings.Contains(s, "Since the start") || strings.Count(s, "\n") != 3 {
		t.Errorf("%s", s)
	}
	var quiet writer
	if textNGAP(&quiet, &n2.Snapshot{Running: true}, nil); strings.Contains(quiet.String(), "Since the start") {
		t.Errorf("a heading of nothing:\n%s", quiet.String())
	}
}

// What tells when a change counts is a note: a script goes on behind it.
func TestSCTPParameterIsANote(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchN2, &out)
	for _, line := range []string{"sctp heartbeat-interval 5000", "no sctp heartbeat-interval", "no sctp rto"} {
		if said := b.run("enable", "configure terminal", "ngap", line); !strings.Contains(said, "% Note: it holds for associations from now on") {
			t.Errorf("%s: %q", line, said)
		}
	}
}
