package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"poolgw/lab/frline"
)

// frameRelayLink connects osmo-sgsn over a Frame Relay line; ROLE is a side.
func frameRelayLink(osmoRole, gatewayRole string) osmoLink {
	return osmoLink{"frame relay",
		" bind fr line\n  fr hdlc1 " + osmoRole + "\n nse 101\n  nsvc fr hdlc1 dlci 16 nsvci 501\n  nsvc fr hdlc1 dlci 17 nsvci 502\n",
		"  nsvc fr hdlc0 dlci 16 nsvci 501\n  nsvc fr hdlc0 dlci 17 nsvci 502\n bind fr line\n  fr hdlc0 " + gatewayRole + "\n"}
}

// preload has osmo-sgsn take the test's devices for HDLC ones, until the
// returned function is called.
func preload(t *testing.T) (end func()) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed: not tried with osmo-sgsn over Frame Relay")
	}
	lib := filepath.Join(t.TempDir(), "frshim.so")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-o", lib, "testdata/frshim.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("LD_PRELOAD", lib)
	return func() { os.Unsetenv("LD_PRELOAD") }
}

// osmoOverFrameRelay wants an osmo-sgsn to serve the cells over a line, whose
// frames tshark judges; then osmo-sgsn is killed and comes back. It reads the
// subscribers' attach requests but does not answer them: what comes over Frame
// Relay it takes for Iu.
func osmoOverFrameRelay(t *testing.T, osmoRole, gatewayRole string) {
	needPeer(t, "osmo-sgsn", "osmo-sgsn")
	w := join(t, "hdlc0", "hdlc1")
	end := preload(t)
	p := newSGSNPool(t, frameRelayLink(osmoRole, gatewayRole), nil)
	end()
	before := 0
	served := func() bool {
		out := p.osmo.run("show bssgp")
		return strings.Count(p.osmo.log.String()[before:], "GMM ATTACH REQUEST") >= osmoSubscribers &&
			strings.Contains(out, "BVCI  1001, RA-ID: 262-42-4096-1, CID: 1, STATE: UNBLOCKED") &&
			strings.Contains(out, "BVCI  1002, RA-ID: 262-42-4096-2, CID: 2, STATE: UNBLOCKED")
	}
	p.patient("cells are served", 2*time.Minute, served)
	if out := p.osmo.run("show ns"); !strings.Contains(out, "fr)netif: hdlc1 dlci: 16") {
		t.Errorf("osmo-sgsn shows\n%s", out)
	}
	judgeLine(t, "osmo-sgsn "+osmoRole, w.Frames())
	if testing.Short() {
		return
	}
	p.osmo.kill()
	before = len(p.osmo.log.String())
	end = preload(t)
	p.osmo.start()
	end()
	p.patient("cells are served again", 2*time.Minute, served)
}

// patient is until with a time: a line takes its time to come up.
func (p *sgsnPool) patient(what string, d time.Duration, ok func() bool) {
	p.t.Helper()
	for e := time.Now().Add(d - 30*time.Second); time.Now().Before(e); time.Sleep(100 * time.Millisecond) {
		if ok() {
			return
		}
	}
	p.until(what, ok)
}

// Facts: G1.7-02, G1.7-06, G1.5-08
func TestOsmoSGSNOverFrameRelay(t *testing.T) {
	if frline.InNamespace(t) {
		osmoOverFrameRelay(t, "frnet", "fr")
	}
}

// Facts: G1.7-03
func TestOsmoSGSNFrameRelayUser(t *testing.T) {
	if frline.InNamespace(t) {
		osmoOverFrameRelay(t, "fr", "frnet")
	}
}
