package n2_test

import (
	"testing"

	"poolgw/lab/sctptest"
	"poolgw/n2"
)

// The whole-gateway tests over kernel SCTP, in a small virtual machine where this
// host's kernel has none.
func TestRealInVM(t *testing.T) {
	if n2.RaceDetector() {
		t.Skip("the virtual machine is too slow for the race detector")
	}
	sctptest.InVM(t, "../test/sctpvm", "^TestReal[A-Z]/^kernel$", 800, 3072)
}
