package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

var promptLine = regexp.MustCompile(`^PoolGW(\([a-z-]+\))?[>#] ?(.*)$`)

// TestTranscripts types the lines that stand behind the prompts of each
// transcript and compares what comes. Files of a transcript: pool.cfg, the
// configuration; session, what is typed and shown; calls, what the gateway and
// the log were asked; written, the configuration at the end.
// Facts: G8-07 (operate), G11-24 (operate), G11-25 (operate), G11-26 (operate), U-18 (operate)
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			replay(t, a)
			if *update {
				if err := os.WriteFile(f, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// replay runs a transcript and compares, or replaces, what comes of it.
func replay(t *testing.T, a *txtar.Archive) {
	var out bytes.Buffer
	b := newBench(t, string(part(a, "pool.cfg")), &out)
	if err := os.WriteFile(b.path, part(a, "pool.cfg"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(part(a, "session")), "\n") {
		m := promptLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		fmt.Fprintf(&out, "%s%s\n", b.Prompt(), m[2])
		if b.Execute(m[2]) {
			break
		}
	}
	session := strings.ReplaceAll(out.String(), filepath.Dir(b.path), "DIR")
	check(t, a, "session", session)
	check(t, a, "calls", strings.Join(slices.Concat(b.gw.calls, b.n2.calls, b.logs.calls), "\n")+"\n")
	check(t, a, "written", written(t, *b.store.Current()))
}

func part(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// check compares a file of the transcript, if it has it.
func check(t *testing.T, a *txtar.Archive, name, got string) {
	t.Helper()
	for i := range a.Files {
		f := &a.Files[i]
		if f.Name != name {
			continue
		}
		if d := cmp.Diff(string(f.Data), got); d != "" && !*update {
			t.Errorf("%s differs (-want +got):\n%s", name, d)
		}
		f.Data = []byte(got)
	}
}
