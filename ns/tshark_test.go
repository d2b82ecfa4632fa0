package ns

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestShark lets tshark judge our encoding of every PDU type.
func TestShark(t *testing.T) {
	for _, tool := range []string{"tshark", "text2pcap"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the encoder has no outside judge here", tool)
		}
	}
	pdus := make([][]byte, 0, len(golden)+1)
	for _, g := range golden {
		pdus = append(pdus, g.pdu.Append(nil))
	}
	lines := dissect(t, append(pdus, unhex("0000"))) // an NS-UNITDATA without its BVCI
	if len(lines) != len(golden)+1 {
		t.Fatalf("%d frames dissected, want %d", len(lines), len(golden)+1)
	}
	for i, g := range golden {
		if g.pdu.IP.Is6() {
			continue // tshark 4.0 has a bug of its own there, and says so
		}
		if want := sharkLine(g.pdu); outer(lines[i]) != want {
			t.Errorf("%s: %q, want %q", g.hex, lines[i], want)
		}
	}
	if last := lines[len(golden)]; !strings.HasSuffix(last, "_ws.malformed") {
		t.Errorf("the broken PDU was not found broken: %q", last)
	}
}

// outer takes the PDU in error out of a line: type and cause are listed with
// the outer PDU's first.
func outer(line string) string {
	f := strings.Split(line, "|")
	for i := range 2 {
		f[i], _, _ = strings.Cut(f[i], ",")
	}
	return strings.Join(f, "|")
}

// sharkLine is what dissect has to return for p.
func sharkLine(p PDU) string {
	f := make([]string, 7)
	f[0] = fmt.Sprintf("0x%02x", uint8(p.Type))
	if p.Has.Has(IECause) {
		f[1] = fmt.Sprintf("0x%02x", uint8(p.Cause))
	}
	if p.Has.Has(IENSVCI) {
		f[2] = fmt.Sprintf("0x%04x", p.NSVCI)
	}
	if p.Has.Has(IENSEI) {
		f[3] = fmt.Sprint(p.NSEI)
	}
	if p.Type.def().transID {
		f[4] = fmt.Sprint(p.TransID)
	}
	var weights []string
	for _, e := range p.Endpoints() {
		weights = append(weights, fmt.Sprint(e.DataWeight))
	}
	f[5] = strings.Join(weights, ",")
	return strings.Join(f, "|")
}

// dissect returns "type|cause|nsvci|nsei|transaction id|data weights|malformed" of
// each PDU.
func dissect(t *testing.T, pdus [][]byte) []string {
	var dump bytes.Buffer
	for _, p := range pdus {
		fmt.Fprintf(&dump, "0000  % x\n\n", p)
	}
	pcap := filepath.Join(t.TempDir(), "ns.pcap")
	conv := exec.Command("text2pcap", "-q", "-u", "23000,23000", "-", pcap)
	conv.Stdin = &dump
	if out, err := conv.CombinedOutput(); err != nil {
		t.Fatalf("text2pcap: %v: %s", err, out)
	}
	out, err := exec.Command("tshark", "-r", pcap, "-d", "udp.port==23000,gprs-ns", "-T", "fields", "-E", "separator=|",
		"-e", "nsip.pdu_type", "-e", "nsip.cause", "-e", "nsip.ns_vci", "-e", "nsip.nsei",
		"-e", "nsip.transaction_id", "-e", "nsip.ip_element.data_weight", "-e", "_ws.malformed").Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}
