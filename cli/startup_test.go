package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolgw/finding"
	"poolgw/ns"
)

// startupCases are configuration files with one fault each, or none: whether
// osmo-gbproxy starts with them, and what poolgw says of them.
var startupCases = []struct {
	file   string
	starts bool
	says   []string // parts of what Check writes
	line   int      // where it is refused; 0: nowhere
}{
	{"ok", true, nil, 0},
	{"overlap", false, []string{
		"% Warning: NSE(00102/SGSN): NRI range [1..2] overlaps between NSE 00102 and NSE 00101. For overlaps, NSE 00101 has higher priority than NSE 00102",
	}, 5},
	{"overlap_three", false, []string{
		"% Warning: NSE(00003/SGSN): NRI range [500..555] overlaps between NSE 00003 and NSE 00001. For overlaps, NSE 00001 has higher priority than NSE 00003\n",
		"% Warning: NSE(00003/SGSN): NRI range [500..555] overlaps between NSE 00003 and NSE 00002. For overlaps, NSE 00002 has higher priority than NSE 00003\n",
	}, 6},
	{"nri_exceeds_bitlen", true, []string{"% Warning: NSE(00102/SGSN): Warning: NRI range surpasses current NRI bitlen: 99"}, 0},
	{"nri_bad_order", false, []string{"NSE(00102/SGSN): Error: failed to add NRI range: 5..3", "nri add 5 3"}, 4},
	{"null_nri_exceeds", true, []string{"nri null add: Warning: NRI range surpasses current NRI bitlen: 99"}, 0},
	{"unknown_cmd", false, []string{"There is no such command", "frobnicate 2"}, 3},
	{"incomplete_cmd", false, []string{"nri add"}, 2},
	{"ambiguous_cmd", false, []string{": n: "}, 2},
	{"abbreviated_cmd", false, []string{"There is no such command", "nri a 2"}, 2},
	{"bad_indent", false, []string{"Inconsistent indentation -- leading whitespace must match adjacent lines", "nri add 3"}, 3},
	{"tabs", true, nil, 0},
	{"node_dedent_jump", false, []string{"There is no such command", "listen 127.0.0.1 23000"}, 5},
	{"bitlen0_multi_sgsn", true, []string{
		"% Pooling disabled, but multiple SGSNs defined",
		"% nri null add: Warning: NRI range surpasses current NRI bitlen: 15",
		"% Warning: NSE(00101/SGSN): Warning: NRI range surpasses current NRI bitlen: 1",
	}, 0},
	{"bitlen_after_sgsn", true, []string{"% Pooling disabled, but multiple SGSNs defined"}, 0},
	{"bind_dup", false, []string{"A bind with the specified address already exists!", "listen 127.0.0.1 23000"}, 15},
	{"bind_unavail", false, []string{"unable to bind socket: 192.0.2.1:23000", "listen 192.0.2.1 23000"}, 15},
	{"unknown_bind", false, []string{"Can not find the given bind 'nosuch'", "ip-sns-bind nosuch"}, 15},
	{"unknown_default_bind", false, []string{"Can not find the given bind 'nosuch'"}, 2},
	{"unknown_vc_bind", false, []string{"Can not find bind with name nosuch"}, 3},
	{"late_bind", true, nil, 0},
	{"same_nsei_twice", true, nil, 0},
	{"legacy_cfg", false, []string{"There is no such command", "logging level ns info"}, 2},
	{"empty", true, nil, 0},
	{"comments", true, nil, 0},
	{"crlf", true, nil, 0},
	{"login_nopass", true, []string{"there is no password"}, 0},
	{"dup_nsvc_remote", false, []string{"Specified NSVC is already present in another NSE00900.", "nsvc udp core 127.0.0.9 1"}, 7},
	{"fr_bind_missing_if", false, []string{"Can not get interface index for interface hdlcnosuch", "fr hdlcnosuch fr"}, 3},
	{"wrong_dialect", false, []string{"Can not mix NS-VC with different dialects"}, 6},
	{"require_login", false, []string{"the VTY listens at 0.0.0.0 4246 without login"}, 2},
	{"open_vty", true, []string{"% Note: line vty: the VTY listens at 0.0.0.0 4246 without login"}, 0},
	{"missing_file", false, []string{"no such file or directory"}, 0},
}

// Facts: G0-22 (nri_exceeds_bitlen), G0-23 (bitlen_after_sgsn), G0-31 (dup_nsvc_remote), G0-33 (empty)
func TestStartup(t *testing.T) {
	for _, c := range startupCases {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Join("testdata", "startup", c.file+".cfg")
			_, fs, err := LoadFile(New(Env{}), path)
			if (err == nil) != c.starts {
				t.Fatalf("starts: %v, want %v; %v", err == nil, c.starts, err)
			}
			var le *LoadError
			if errors.As(err, &le) && (le.Line != c.line || le.File != path) {
				t.Errorf("refused at %s:%d, want line %d: %v", le.File, le.Line, c.line, err)
			}
			wantCode := 2
			if c.starts {
				wantCode = 0
			}
			if code := ExitCode(err); code != wantCode {
				t.Errorf("exit code %d, want %d", code, wantCode)
			}
			checkSays(t, path, c.starts, c.says)
			wantPlace(t, path, err, c.line)
			if c.starts && slices.ContainsFunc(fs, func(f finding.Finding) bool { return f.Class != finding.Note }) {
				t.Errorf("starts with %v", fs)
			}
		})
	}
}

func checkSays(t *testing.T, path string, starts bool, says []string) {
	t.Helper()
	var out bytes.Buffer
	if got := Check(path, &out); got != starts {
		t.Errorf("Check: %v, want %v", got, starts)
	}
	for _, s := range says {
		if strings.Count(out.String(), s) == 0 {
			t.Errorf("Check does not say %q:\n%s", s, out.String())
		}
	}
}

// wantPlace asserts that the error names file, line number and line.
func wantPlace(t *testing.T, path string, err error, line int) {
	t.Helper()
	if err == nil || line == 0 {
		return
	}
	text, _ := os.ReadFile(path)
	want := fmt.Sprintf("%s:%d: %s: ", path, line, strings.TrimSpace(strings.Split(string(text), "\n")[line-1]))
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %q does not begin with %q", err, want)
	}
}

// TestStartupFilesHaveCases finds files that no case uses.
func TestStartupFilesHaveCases(t *testing.T) {
	files, err := filepath.Glob("testdata/startup/*.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".cfg")
		used := false
		for _, c := range startupCases {
			used = used || c.file == name
		}
		if !used {
			t.Errorf("%s has no case", f)
		}
	}
}

// TestEveryStartupCase compares with the list of cases of the interface's
// description, where that is at hand.
func TestEveryStartupCase(t *testing.T) {
	text, err := os.ReadFile("../../shared/gb/startup.txt")
	if err != nil {
		t.Skip("the list of osmo-gbproxy's start-up cases is not here")
	}
	for _, line := range strings.Split(string(text), "\n") {
		rest, ok := strings.CutPrefix(line, "===== ")
		name, verdict, _ := strings.Cut(rest, " -> ")
		if !ok || strings.HasPrefix(name, "cmdline") || name == "sgsn17" {
			continue
		}
		i := slices.IndexFunc(startupCases, func(c struct {
			file   string
			starts bool
			says   []string
			line   int
		}) bool {
			return c.file == name
		})
		if i < 0 {
			t.Errorf("%s has no case", name)
		} else if starts := strings.HasPrefix(verdict, "STARTED OK"); starts != startupCases[i].starts {
			t.Errorf("%s: osmo-gbproxy starts: %v", name, starts)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{&LoadError{File: "f", Err: errors.New("x")}, 2},
		{fmt.Errorf("gb: %w", &ns.BindError{Bind: "b", Err: errors.New("in use")}), 2},
		{errors.New("VTY: address in use"), 1},
	} {
		if got := ExitCode(c.err); got != c.code {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.code)
		}
	}
}
