package logging

import (
	"runtime"
	"strings"
	"testing"
)

// The place of a line does not tell where the program was built.
func TestSourceIsWithinTheProgram(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	pcs := make([]uintptr, 2)
	runtime.Callers(1, pcs) // this function, and the testing package's that calls it
	for _, c := range []struct {
		f    FileFormat
		pc   uintptr
		want string
	}{
		{FilePath, pc, "logging/format_test.go:"},
		{FileBase, pc, "format_test.go:"},
		{FilePath, pcs[1], "testing/testing.go:"},
		{FileNone, pc, ""},
	} {
		if got := c.f.source(c.pc); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("format %d: %q, want %q", c.f, got, c.want)
		}
	}
}
