package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolgw/vty"
)

// slowPassword is a line that would be hashed, which is slow.
var slowPassword = regexp.MustCompile(`(?m)^\s*(en\S*\s+)?pas`)

// FuzzSession types lines into a session with all commands: whatever they are,
// it answers with a bounded text, another session can configure afterwards,
// and what is configured then is written so that it loads to the same again.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{
		"sgsn nsei 7\nname x\nnri add 4 9\nno allow-attach\nweight 0\nno sgsn nsei 101\nexit",
		"ns\nbind udp x\nlisten 127.0.0.1 1\ndscp 9\naccept-ipaccess\nip-sns signalling-weight 254 data-weight 0\nnse 9\nip-sns-bind x\nip-sns-remote 127.0.0.9 8\nend\nshow ns",
		"gbproxy\nnri bitlen 15\nnri null add 3\npool bvc-flow-control auto\npool sgsn-reset propagate\nlink-list x\nend\nwrite\nshow running-config",
		"log file /tmp/x\nlogging level all debug\nlogging filter all 1\nno log file /tmp/x\nstats interval 65535\nstats reporter statsd y\nprefix \"\"\nenable",
		"line vty\nbind ::1 1\nno login\nlogin\npassword x\nenable password y\nexec-timeout 0 0\nhostname \x00\nbanner motd file \\\nlimits\nbvcs 1",
		"do show pool json\nshow subscriber tlli c0180001\nnsvc 101 block\nsgsn-pool nsf fixed x\ndelete-gbproxy-peer 2001 all dry-run\nshow nri all",
		"ns\nnse 5\nnsvc udp core 127.0.0.11 1\nnsvc udp core 127.0.0.11 1 signalling-weight 3 data-weight 0\nnsvc fr x dlci 16 nsvci 3\nno nsvc nsvci 3\nno nse 5\ntimer tns-alive 65535\n!\n# x",
	} {
		f.Add(seed)
	}
	lists, err := filepath.Glob("testdata/commands/*.txt")
	if err != nil || len(lists) == 0 {
		f.Fatalf("no lists of commands: %v", err)
	}
	for _, l := range lists {
		text, err := os.ReadFile(l)
		if err != nil {
			f.Fatal(err)
		}
		entry := nodeEntries[strings.TrimSuffix(filepath.Base(l), ".txt")]
		var typed []string
		for _, syntax := range strings.Split(string(text), "\n") {
			if !strings.Contains(syntax, "password") {
				typed = append(append(typed, entry...), append(forms(syntax), "end")...)
			}
		}
		f.Add(strings.Join(typed, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 64<<10 || slowPassword.MatchString(text) {
			return
		}
		b := newBufferBench(t, benchConfig)
		b.run("enable", "configure terminal")
		out := b.term.Out.(*bytes.Buffer)
		for line := range strings.SplitSeq(text, "\n") {
			b.Describe(line)
			b.Complete(line)
			out.Reset()
			quit := b.Execute(line)
			if out.Len() > 256<<10 {
				t.Fatalf("%q printed %d octets", line, out.Len())
			}
			if quit {
				break
			}
		}
		b.Close()
		next := vty.NewSession(b.tree, b.term)
		defer next.Close()
		next.Execute("enable")
		if err := next.Exec("configure terminal"); err != nil && b.store.Current().VTY.EnablePassword == "" {
			t.Fatalf("nobody can configure any more: %v", err)
		}
		wantFixedPoint(t, *b.store.Current())
	})
}
