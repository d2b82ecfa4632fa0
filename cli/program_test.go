package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolgw/ns"
	"poolgw/vty"
)

// run types lines and returns what they print, with errors as the user sees
// them.
func (b *bench) run(lines ...string) string {
	out := b.term.Out.(*bytes.Buffer)
	out.Reset()
	for _, l := range lines {
		b.Execute(l)
	}
	return out.String()
}

func newBufferBench(t *testing.T, cfg string) *bench { return newBench(t, cfg, new(bytes.Buffer)) }

func TestWriteRefusesWhatWouldNotStart(t *testing.T) {
	b := newBufferBench(t, "sgsn nsei 1\n nri add 1\n")
	if err := os.WriteFile(b.path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run("enable", "configure terminal", "sgsn nsei 2", "nri add 1", "end")
	for _, cmd := range []string{"write", "write memory", "write file other.cfg", "copy running-config startup-config"} {
		got := b.run(cmd)
		if !strings.Contains(got, "% Warning: NSE(00002/SGSN): NRI range [1..1] overlaps between NSE 00002 and NSE 00001.") ||
			!strings.Contains(got, "Not saved") {
			t.Errorf("%s: %s", cmd, got)
		}
	}
	if text, _ := os.ReadFile(b.path); string(text) != "old" {
		t.Errorf("the file has changed: %s", text)
	}
	if got := b.run("write force"); got != "Configuration saved to "+b.path+"\n" {
		t.Errorf("write force: %s", got)
	}
	if text, _ := os.ReadFile(b.path); !strings.Contains(string(text), "sgsn nsei 2") {
		t.Errorf("write force wrote %s", text)
	}
}

func TestWriteThenLoadGivesTheSame(t *testing.T) {
	b := newBufferBench(t, benchConfig)
	b.run("enable", "configure terminal", "hostname GW9", "gbproxy", "pool owner-down-hold 7", "end", "write")
	c, _, err := LoadFile(New(Env{}), b.path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*b.store.Current(), c, sameConfig); d != "" {
		t.Error(d)
	}
	if got, want := b.run("show startup-config"), written(t, c); !strings.HasSuffix(got, want) {
		t.Errorf("show startup-config: %s", got)
	}
}

func TestWriteFileStaysInTheFolder(t *testing.T) {
	b := newBufferBench(t, benchConfig)
	b.run("enable")
	if got := b.run("write file copy.cfg"); got != "Configuration saved to "+filepath.Join(filepath.Dir(b.path), "copy.cfg")+"\n" {
		t.Error(got)
	}
	for _, p := range []string{"../x.cfg", "/tmp/poolgw-x.cfg"} {
		if got := b.run("write file " + p); !strings.HasPrefix(got, "% ") {
			t.Errorf("%s: %s", p, got)
		}
	}
}

func TestApplierErrorIsShownAndUndone(t *testing.T) {
	b := newBufferBench(t, benchConfig)
	b.gw.fail = io.ErrUnexpectedEOF
	got := b.run("enable", "configure terminal", "sgsn nsei 101", "nri add 600")
	if got != "% unexpected EOF\n" {
		t.Errorf("prints %q", got)
	}
	if n := b.store.Current().Gb.SGSNs[0].NRI.String(); n != "1-511" {
		t.Errorf("NRIs %s", n)
	}
}

func TestBindThatCantBeHad(t *testing.T) {
	b := newBufferBench(t, benchConfig)
	b.run("enable", "configure terminal", "ns", "bind udp x")
	b.gw.fail = fmt.Errorf("gb: %w", &ns.BindError{Bind: "x", Err: syscall.EADDRNOTAVAIL})
	if got := b.run("listen 192.0.2.1 23000"); got != "Failed to create the bind: cannot assign requested address\n" {
		t.Errorf("prints %q", got)
	}
	if b.store.Current().Gb.NS.Bind("x").Listen.IsValid() {
		t.Error("it listens in the configuration")
	}
}

func TestPasswordsAreHashedOnce(t *testing.T) {
	b := newBufferBench(t, "")
	b.run("enable", "configure terminal", "password secret", "enable password topsecret", "end")
	v := b.store.Current().VTY
	for enc, plain := range map[string]string{v.Password: "secret", v.EnablePassword: "topsecret"} {
		if !strings.HasPrefix(enc, "9 ") || strings.Contains(enc, plain) || !vty.CheckPassword(enc, plain) {
			t.Errorf("%s is kept as %q", plain, enc)
		}
	}
	first, second := b.run("show running-config"), b.run("show running-config")
	if first != second || strings.Contains(first, "secret") {
		t.Errorf("shown as\n%s\nand\n%s", first, second)
	}
	wantFixedPoint(t, *b.store.Current())
}

func TestPasswordFormsOfOsmocom(t *testing.T) {
	c, _, err := load(t, "password plain\nenable password 8 abcdefghijklm\n")
	if err != nil {
		t.Fatal(err)
	}
	if !vty.CheckPassword(c.VTY.Password, "plain") || c.VTY.EnablePassword != "8 abcdefghijklm" {
		t.Errorf("kept as %q, %q", c.VTY.Password, c.VTY.EnablePassword)
	}
}

// blocks splits a file into its top-level nodes.
func blocks(text string) []string {
	starts := regexp.MustCompile(`(?m)^[a-z]`).FindAllStringIndex(text, -1)
	var out []string
	for i, s := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		out = append(out, text[s[0]:end])
	}
	return out
}

// TestOrderOfNodesDoesNotMatter shuffles the nodes of an example, those of node
// ns too, and expects what has no order to be the same.
// Facts: G0-23
func TestOrderOfNodesDoesNotMatter(t *testing.T) {
	text, err := os.ReadFile("../doc/examples/pool-ip-sns.cfg")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := load(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	parts := blocks(string(text))
	var sgsns, others []string
	for _, p := range parts {
		if strings.HasPrefix(p, "sgsn") {
			sgsns = append(sgsns, p)
		} else {
			others = append(others, p)
		}
	}
	if len(sgsns) != 2 || len(others) < 3 {
		t.Fatalf("the example has %d SGSNs and %d other nodes", len(sgsns), len(others))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		all := append([]string{strings.Join(sgsns, "")}, others...)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got, _, err := load(t, strings.Join(all, ""))
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(all, ""))
		}
		if d := cmp.Diff(want, got, sameConfig); d != "" {
			t.Fatalf("%s\n%s", d, strings.Join(all, ""))
		}
	}
}

func TestManualForms(t *testing.T) {
	c, _, err := LoadFile(New(Env{}), "../doc/examples/manual-forms.cfg")
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, c)
	for _, want := range []string{"gbproxy\n nri null add 0\n", "sgsn nsei 101\n", "sgsn nsei 102\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "network") || strings.Contains(text, "sgsn 101") {
		t.Errorf("the manual's forms are written:\n%s", text)
	}
}

func TestCheckListsWhatIsKept(t *testing.T) {
	threads := filepath.Join(t.TempDir(), "threads.cfg")
	if err := os.WriteFile(threads, []byte("cpu-sched\n cpu-affinity main 0x1\n cpu-affinity all 0x1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"../doc/examples/osmo-gbproxy-saved.cfg": "",
		threads:                                  threads + ":1: % Note: cpu-sched: cpu-affinity of a thread by its name (Go's threads have none, and work moves among them): kept; not acted on\n",
	} {
		var out bytes.Buffer
		if !Check(file, &out) {
			t.Errorf("would not start: %s", out.String())
		}
		var kept string
		for l := range strings.Lines(out.String()) {
			if strings.Contains(l, "not acted on") {
				kept += l
			}
		}
		if kept != want {
			t.Errorf("%s: %q, want %q", file, kept, want)
		}
	}
}

func TestTreeWithoutEnvironment(t *testing.T) {
	tree := New(Env{})
	s := vty.NewSession(tree, &vty.Headless{Out: io.Discard})
	defer s.Close()
	for _, line := range []string{"show pool", "show ns json", "show subscriber tlli c0000001", "logging enable", "enable",
		"nsvc 1 block", "drain sgsn nsei 1", "delete-gbproxy-peer 1 all", "configure terminal", "hostname x"} {
		if err := s.Exec(line); err == nil && line != "enable" && line != "configure terminal" {
			t.Errorf("%s: no error", line)
		}
	}
}

func TestNoSGSNLeft(t *testing.T) {
	b := newBufferBench(t, "sgsn nsei 1\nsgsn nsei 2\n")
	if got := b.run("enable", "drain sgsn nsei 1"); got != "" {
		t.Error(got)
	}
	if got := b.run("drain sgsn nsei 2"); got != "% Warning: no SGSN takes new subscribers any more\n" {
		t.Error(got)
	}
}

// FuzzLoad reads arbitrary files: whatever loads is a fixed point.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("../doc/examples/*.cfg")
	more, _ := filepath.Glob("testdata/startup/*.cfg")
	for _, name := range append(files, more...) {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(string(text))
		}
	}
	plain := regexp.MustCompile(`(?m)^\s*(enable\s+)?password`) // hashing is slow, and salted
	f.Fuzz(func(t *testing.T, text string) {
		if plain.MatchString(text) {
			t.Skip()
		}
		c, fs, err := Load(reader, "fuzz.cfg", strings.NewReader(text))
		if err != nil && fs == nil {
			return
		}
		wantFixedPoint(t, c)
	})
}
