package poolgw_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// source returns the text of all Go files for which want is true.
func source(t *testing.T, want func(path string) bool) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || !want(path) {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestFaultDoc checks doc/faults.md: its tests exist, its log lines and counters
// stand in the code, and no test of a fault is missing there.
func TestFaultDoc(t *testing.T) {
	doc, err := os.ReadFile("doc/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	isTest := func(path string) bool { return strings.HasSuffix(path, "_test.go") }
	tests, code := source(t, isTest), source(t, func(path string) bool { return !isTest(path) })
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
		if !strings.Contains(tests, "func "+m[1]+"(") {
			t.Errorf("no %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`func (TestFault[A-Z]\w*)\(`).FindAllStringSubmatch(tests, -1) {
		if !named[m[1]] && m[1] != "TestFaultDoc" {
			t.Errorf("doc/faults.md lacks %s", m[1])
		}
	}
	lines, counters := 0, 0
	for row := range strings.Lines(string(doc)) {
		cells := strings.Split(row, "|")
		if len(cells) != 7 {
			continue
		}
		for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(cells[3], -1) {
			if lines++; !strings.Contains(code, m[1]) {
				t.Errorf("nothing logs %q", m[1])
			}
		}
		for _, m := range regexp.MustCompile(`poolgw_(?:gb_|n2_)?(\w+)`).FindAllStringSubmatch(cells[4], -1) {
			if counters++; !regexp.MustCompile(`"(poolgw_)?` + m[1] + `"`).MatchString(code) {
				t.Errorf("no metric %s", m[0])
			}
		}
	}
	if len(named) < 50 || lines < 30 || counters < 25 {
		t.Errorf("only %d tests, %d log lines, %d counters were checked", len(named), lines, counters)
	}
}
