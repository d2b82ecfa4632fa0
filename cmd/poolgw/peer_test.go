package main

import (
	"os"
	"os/exec"
	"testing"
)

// needPeer returns the path of a program of others that a test runs. Without
// the program the test is skipped, but in CI (CI=true), where the package that
// has it is installed, it fails.
func needPeer(t *testing.T, program, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed (package %s)", program, pkg)
	}
	t.Skipf("%s is not installed (package %s): not tried with a real peer", program, pkg)
	return ""
}
