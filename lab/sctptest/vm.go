package sctptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"poolgw/sctp"
)

// InVM runs the tests of the calling binary that match pattern, as -test.run takes
// it, in a virtual machine whose kernel has SCTP, with so many seconds and MiB of
// memory. script is test/sctpvm, from the package's folder. It skips where this host's
// kernel has SCTP, since they run there, and where no machine is prepared; with CI set
// the latter is a failure.
func InVM(t *testing.T, script, pattern string, seconds, memory int) {
	t.Helper()
	if _, err := sctp.Kernel(); err == nil {
		t.Skip("this kernel has SCTP: the tests run here")
	}
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	cache := os.Getenv("SCTPVM_CACHE")
	if cache == "" {
		cache = "/var/cache/sctpvm"
	}
	for _, need := range []string{"qemu-system-x86_64", "busybox"} {
		if _, err := exec.LookPath(need); err != nil {
			missing("no virtual machine with kernel SCTP: no %s; test/sctpvm prepare installs it (root, Debian)", need)
		}
	}
	if _, err := os.Stat(filepath.Join(cache, "ok")); err != nil {
		missing("no virtual machine with kernel SCTP: prepare one with test/sctpvm prepare (root, Debian)")
	}
	vm, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(vm, "-t", strconv.Itoa(seconds), "-m", strconv.Itoa(memory)+"M", "--",
		self, "-test.v", "-test.timeout", "0", "-test.run", pattern).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
