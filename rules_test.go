// Package poolgw_test holds the house rules that a test can check: which
// package may import which, and the size of files.
package poolgw_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed names the packages of poolgw that each package's production files
// may import. Packages below a directory (lab/llc) follow its row unless they
// have their own.
var allowed = map[string][]string{
	"cmd/poolgw": {"cli", "vty", "config", "gb", "n2", "lab", "lab/load", "metrics", "ctrl", "stats", "logging",
		"ns", "sctp", "finding"}, // ns and sctp for the kernel's sockets, finding to print findings
	"cli":     {"vty", "config", "gb", "n2", "finding", "ns", "sctp", "nri"},
	"config":  {"gb", "n2", "nri", "finding", "ns"}, // ns: its Config stands in gb's
	"gb":      {"ns", "bssgp", "pool", "nri", "finding"},
	"n2":      {"ngap", "sctp", "pool", "nri", "finding"},
	"pool":    {"nri"},
	"lab":     {"ns", "bssgp", "sctp", "nri", "vty", "lab/llc", "lab/gmm", "lab/n2sim", "lab/ngmsg"},
	"ns":      {"ns/fr"}, // Frame Relay: codec and LMI
	"ns/fr":   {},
	"bssgp":   {},
	"ngap":    {},
	"sctp":    {},
	"vty":     {},
	"nri":     {},
	"finding": {},
	"metrics": {},
	"ctrl":    {},
	"stats":   {},
	"logging": {},

	"lab/load": {"ns", "bssgp", "nri", "ngap", "sctp", "vty"}, // ngap: the generator must be fast

	// Simulated N2 peers share nothing with the gateway's own codec of NGAP.
	"lab/n2sim": {"sctp", "lab/nas5g", "lab/ngmsg"},
	"lab/nas5g": {},
	"lab/ngmsg": {},
}

// testsAlso names what the tests of a package may import beside.
var testsAlso = map[string][]string{
	"cmd/poolgw": {"nri", "lab/pcusock", "lab/frline", "lab/tshark", "lab/sctptest"}, // to set up the lab, or real peers, around a whole gateway
	"lab":        {"lab/simnet", "lab/tshark"},
}

type goPackage struct {
	ImportPath   string
	Dir          string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var ps []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return ps
		} else if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
}

func TestImports(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "poolgw/")
		if name == "poolgw" {
			continue
		}
		row, ok := allowed[name]
		if !ok {
			top, _, _ := strings.Cut(name, "/")
			if row, ok = allowed[top]; !ok {
				t.Errorf("package %s has no row in the import rule", name)
				continue
			}
		}
		seen++
		for _, kind := range []struct {
			imports []string
			also    []string
		}{{p.Imports, nil}, {p.TestImports, testsAlso[name]}, {p.XTestImports, []string{"lab", "lab/simnet", "lab/tshark", "lab/simsctp", "lab/sctptest", "lab/frline", "lab/n2sim", "lab/nas5g", "lab/ngmsg", name}}} {
			for _, i := range kind.imports {
				i, own := strings.CutPrefix(i, "poolgw/")
				if own && !slices.Contains(row, i) && !slices.Contains(kind.also, i) {
					t.Errorf("package %s imports %s", name, i)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages were checked", seen)
	}
}

func TestFileSizes(t *testing.T) {
	const most = 500
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		if n := bytes.Count(b, []byte("\n")); n > most {
			t.Errorf("%s has %d lines: which concept wants its own file?", path, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
