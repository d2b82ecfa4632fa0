package sctp_test

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

// kernelSCTP skips where the kernel has none; TestKernelInVM runs such tests on
// a kernel that has it.
func kernelSCTP(t *testing.T) sctp.Transport {
	t.Helper()
	k, err := sctp.Kernel()
	if err != nil {
		t.Skipf("in the virtual machine instead (TestKernelInVM): %v", err)
	}
	return k
}

var raceDetector bool

// TestKernelInVM runs the tests of the kernel's transport in a small virtual
// machine where this host's kernel has no SCTP.
func TestKernelInVM(t *testing.T) {
	if _, err := sctp.Kernel(); err == nil {
		t.Skip("this kernel has SCTP: the tests run here")
	}
	if raceDetector {
		t.Skip("the virtual machine is too slow for the race detector")
	}
	vm, err := filepath.Abs("../test/sctpvm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/var/cache/sctpvm/ok"); err != nil && os.Getenv("SCTPVM_CACHE") == "" {
		t.Skip("no virtual machine with kernel SCTP: prepare one with test/sctpvm prepare (root, Debian)")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(vm, "-t", "900", "--", self, "-test.v", "-test.run", "^TestKernel($|[^I])").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// slowOptions are those of an emulated machine.
func slowOptions() sctp.Options {
	o := sctp.Defaults()
	o.RTOInitial, o.RTOMin, o.RTOMax, o.AssocMaxRetrans = 3*time.Second, time.Second, 10*time.Second, 10
	return o
}

func kernelBed(t *testing.T) sctptest.Bed {
	k := kernelSCTP(t)
	return sctptest.Bed{Server: k, Client: k, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.50")}, Port: 38412,
		Local: []netip.Addr{netip.MustParseAddr("127.0.0.60")}, Many: 200, Patience: 20 * time.Second, Options: slowOptions()}
}

func TestKernelContract(t *testing.T) {
	kernelSCTP(t) // skips once, not in each case
	sctptest.Run(t, kernelBed)
}
