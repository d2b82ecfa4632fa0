package sctp_test

import (
	"net/netip"
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
	if raceDetector {
		t.Skip("the virtual machine is too slow for the race detector")
	}
	sctptest.InVM(t, "../test/sctpvm", "^TestKernel($|[^I])", 900, 4096)
}

// slowOptions are those of an emulated machine.
func slowOptions() sctp.Options {
	o := sctp.Defaults()
	o.RTOInitial, o.RTOMin, o.RTOMax, o.AssocMaxRetrans, o.InitAttempts = 3*time.Second, time.Second, 10*time.Second, 10, 10
	return o
}

func kernelBed(t *testing.T) sctptest.Bed {
	k := kernelSCTP(t)
	return sctptest.Bed{Server: k, Client: k, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.50")}, Port: 38412,
		Local: []netip.Addr{netip.MustParseAddr("127.0.0.60")}, Many: 200, Patience: time.Minute, Options: slowOptions()}
}

// Facts: N3-03, N3-04, N3-06, N3-07, N3-09
func TestKernelContract(t *testing.T) {
	kernelSCTP(t) // skips once, not in each case
	sctptest.Run(t, kernelBed)
}
