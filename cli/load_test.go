package cli

import (
	"bytes"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"poolgw/config"
	"poolgw/finding"
)

// sameConfig compares configurations; an empty list is as none.
var sameConfig = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateComparable(netip.AddrPort{})}

// reader is a tree for files.
var reader = New(Env{})

func load(t *testing.T, text string) (config.Config, []finding.Finding, error) {
	t.Helper()
	return Load(reader, "test.cfg", strings.NewReader(text))
}

func written(t *testing.T, c config.Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteConfig(&b, &c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wantFixedPoint asserts that what is written of c loads to c, and that
// writing that gives the same octets.
func wantFixedPoint(t *testing.T, c config.Config) {
	t.Helper()
	text := written(t, c)
	again, fs, err := load(t, text)
	if err != nil && fs == nil { // not merely refused for what was found
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(c, again, sameConfig); d != "" {
		t.Fatalf("loaded differs from written (-written +loaded):\n%s\n%s", d, text)
	}
	if second := written(t, again); second != text {
		t.Fatalf("written twice:\n%s", cmp.Diff(text, second))
	}
}

// Facts: G11-20
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../doc/examples/*.cfg")
	if err != nil || len(files) < 5 {
		t.Fatalf("examples are missing: %v, %v", files, err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			c, fs, err := LoadFile(New(Env{}), f)
			if err != nil {
				t.Fatalf("%v %v", err, fs)
			}
			wantFixedPoint(t, c)
		})
	}
}

func TestDefaultIsFixedPoint(t *testing.T) { wantFixedPoint(t, config.Default()) }
