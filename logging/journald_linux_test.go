package logging

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	journald    = "/lib/systemd/systemd-journald"
	journaldEnv = "LOGGING_TEST_JOURNALD"
)

// systemd's journal itself takes what the three ways to it bring: its native
// protocol, the system log and standard error. It runs in namespaces of its own.
func TestJournaldUnderstands(t *testing.T) {
	for _, tool := range []string{journald, "journalctl", "systemd-cat", "unshare"} {
		if _, err := exec.LookPath(tool); err != nil || os.Getuid() != 0 {
			t.Skip("systemd's journal as a witness needs root and systemd")
		}
	}
	c := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		os.Args[0], "-test.run=^TestInJournaldsNamespace$", "-test.v")
	c.Env = append(os.Environ(), journaldEnv+"=server")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestInJournaldsNamespace") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestInJournaldsNamespace(t *testing.T) {
	switch os.Getenv(journaldEnv) {
	case "stderr": // a child of systemd-cat, which does not say what systemd says of a unit's standard error
		t.Setenv("JOURNAL_STREAM", deviceInode(t, os.Stderr))
		h := New("gprs", "lns")
		targets(t, h, Target{Kind: "stderr", Format: Format{Color: true, Level: true}})
		h.Logger().Error("by standard error")
		return
	case "server":
	default:
		return
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	os.MkdirAll("/run/log/journal", 0o755)
	os.MkdirAll("/run/systemd", 0o755)
	if err := exec.Command(journald).Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "its socket", func() bool { _, err := os.Stat(journalSocket); return err == nil })
	at(t, &syslogPaths, []string{"/run/systemd/journal/dev-log"})
	h := New("gprs", "lns")
	f := Format{Category: true, Level: true}
	set, err := h.SetTargets(nil, []Target{{Kind: "systemd-journal", Raw: true, Format: f}, {Kind: "syslog", Arg: "local 3", Format: f}})
	if err != nil {
		t.Fatal(err)
	}
	h.Logger().Log(t.Context(), LevelNotice, "raw and syslog", "cat", "lns", "nsei", 101)
	set.Close(h)
	set, _ = h.SetTargets(nil, []Target{{Kind: "systemd-journal", Format: f}})
	h.Logger().Error("rendered", "cat", "gprs")
	set.Close(h)
	cat := exec.Command("systemd-cat", os.Args[0], "-test.run=^TestInJournaldsNamespace$")
	cat.Env = append(os.Environ(), journaldEnv+"=stderr")
	if err := cat.Run(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []map[string]string{
		{"MESSAGE": "raw and syslog nsei=101", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "poolgw", "OSMO_SUBSYS": "DLNS",
			"OSMO_SUBSYS_HEX": "0001", "CODE_FILE": "logging/journald_linux_test.go", "_TRANSPORT": "journal"},
		{"MESSAGE": "DLNS NOTICE raw and syslog nsei=101", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "poolgw", "SYSLOG_FACILITY": "19",
			"_TRANSPORT": "syslog"},
		{"MESSAGE": "DGPRS ERROR rendered", "PRIORITY": "3", "_TRANSPORT": "journal"},
		{"MESSAGE": "ERROR by standard error", "PRIORITY": "3", "_TRANSPORT": "stdout"},
	} {
		until(t, fmt.Sprint(want), func() bool { return inJournal(want) })
	}
}

// inJournal tells whether an entry has these fields.
func inJournal(want map[string]string) bool {
	out, _ := exec.Command("journalctl", "-D", "/run/log/journal", "-o", "json", "--no-pager").Output()
	for l := range strings.Lines(string(out)) {
		var have map[string]any
		if json.Unmarshal([]byte(l), &have) != nil {
			continue
		}
		n := 0
		for k, v := range want {
			if have[k] == v {
				n++
			}
		}
		if n == len(want) {
			return true
		}
	}
	return false
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 100 {
		if is() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the journal does not have %s", what)
}
