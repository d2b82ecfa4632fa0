package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checked is what Check says of a file with the text.
func checked(t *testing.T, text string) (string, bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pool.cfg")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ok := Check(path, &out)
	return strings.ReplaceAll(out.String(), path, "pool.cfg"), ok
}

// Check tells every refused line and every finding, each with its place.
func TestCheckTellsEverything(t *testing.T) {
	out, ok := checked(t, `log stderr
 logging level ltcap notice
line vty
 no login
 bind 0.0.0.0 4246
gbproxy
 nri null add 2
 frobnicate
sgsn nsei 101
 nri add 1 3
sgsn nsei 102
 nri add 3
 nri add 99999
ns
 timer tns-test 0
 nse 101
`)
	if ok {
		t.Error("would start")
	}
	for _, want := range []string{
		"pool.cfg:2: logging level ltcap notice: There is no such command in node log: ltcap (the VTY lists what is possible: logging level ?)\n",
		"pool.cfg:8: frobnicate: There is no such command in node gbproxy: frobnicate\n",
		"pool.cfg:13: nri add 99999: There is no such command in node sgsn: 99999 (possible: <0-32767>)\n",
		"pool.cfg:5: % Note: line vty: the VTY listens at 0.0.0.0 4246 without login",
		"pool.cfg:12: % Warning: NSE(00102/SGSN): NRI range [3..3] overlaps",
		"pool.cfg:9: % Note: sgsn nsei 101: NSE(00101/SGSN): nse 101 has neither an NS-VC",
		"% Note: sgsn nsei 101: NSE(00101/SGSN): NULL-NRI 2 is within its own NRIs",
		"pool.cfg:11: % Note: sgsn nsei 102: NSE(00102/SGSN): there is no nse 102",
		"pool.cfg:15: % Note: ns: timer tns-test 0 counts as 1 s\n",
		"pool.cfg: would not start\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}

func TestCheckEndsAfterAHundredRefusedLines(t *testing.T) {
	out, ok := checked(t, strings.Repeat("nix\n", 150))
	if ok || strings.Count(out, "There is no such command") != 100 || !strings.Contains(out, "not read beyond the 100th refused line") {
		t.Errorf("%v:\n%.300s", ok, out)
	}
}

// Profiles show what is in memory, and to make one takes time.
func TestCheckNotesProfilesForStrangers(t *testing.T) {
	for text, want := range map[string]string{
		"metrics\n bind 0.0.0.0 0\n pprof\n":   "% Note: metrics: pprof at 0.0.0.0 0: whoever reaches it",
		"metrics\n pprof\n":                    "% Note: metrics: pprof without bind",
		"metrics\n bind 127.0.0.1 0\n pprof\n": "",
		"metrics\n bind 0.0.0.0 0\n":           "",
	} {
		out, ok := checked(t, text)
		if !ok || !strings.Contains(out, want) || want == "" && strings.Contains(out, "pprof") {
			t.Errorf("%q: %v, want %q in:\n%s", text, ok, want, out)
		}
	}
}

// A port in use is a note: the program that has it may be poolgw itself.
func TestCheckNotesPortsInUse(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	u, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	tcp, udp := l.Addr().(*net.TCPAddr).Port, u.LocalAddr().(*net.UDPAddr).Port
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf("line vty\n no login\n bind 127.0.0.1 %d\n", tcp), "pool.cfg:3: % Note: line vty: 127.0.0.1 %d is in use now"},
		{fmt.Sprintf("ctrl\n bind 127.0.0.1 %d\n", tcp), "pool.cfg:2: % Note: ctrl: 127.0.0.1 %d is in use now"},
		{fmt.Sprintf("metrics\n bind 127.0.0.1 %d\n", tcp), "pool.cfg:2: % Note: metrics: 127.0.0.1 %d is in use now"},
		{fmt.Sprintf("ns\n bind udp a\n  listen 127.0.0.1 %d\n", udp), "pool.cfg:3: % Note: bind a: 127.0.0.1 %d is in use now"},
	} {
		port := tcp
		if strings.HasPrefix(c.text, "ns") {
			port = udp
		}
		want := strings.Replace(c.want, "%d", fmt.Sprint(port), 1)
		if out, ok := checked(t, c.text); !ok || !strings.Contains(out, want) {
			t.Errorf("%v, %q is missing in:\n%s", ok, want, out)
		}
	}
}

// Whoever comes second, both nodes are named.
func TestPortsTakenTwiceNameBothNodes(t *testing.T) {
	for _, text := range []string{"line vty\n no login\n bind 127.0.0.1 4263\n", "ctrl\n bind 127.0.0.1 4246\n"} {
		if out, ok := checked(t, text); ok || !strings.Contains(out, "line vty and ctrl would both listen at 127.0.0.1 ") {
			t.Errorf("%v:\n%s", ok, out)
		}
	}
	var out bytes.Buffer
	b := newBench(t, benchConfig, &out)
	for _, line := range []string{"enable", "configure terminal", "line vty", "bind 127.0.0.1 4263"} {
		b.Execute(line)
	}
	if want := "% Error: line vty and ctrl would both listen at 127.0.0.1 4263\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"nse 101 is", "1", false}, {"range [1..3] of 101", "1", true}, {"at 127.0.0.1:23000", "23000", true},
		{"at 127.0.0.1:23000", "127.0.0.1", true}, {"x", "", false}, {"11 1", "1", true}, {"a", "ab", false},
	} {
		if got := mentions(c.text, c.word); got != c.want {
			t.Errorf("mentions(%q, %q) = %v", c.text, c.word, got)
		}
	}
}
