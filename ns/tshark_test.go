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
	lines := dissect(t, append(pdus, unhex("0200810101860065"))) // an NS-VCI that is longer than the PDU
	if len(lines) != len(golden)+1 {
		t.Fatalf("%d frames dissected, want %d", len(lines), len(golden)+1)
	}
	for i, g := range golden {
		fields := strings.Split(lines[i], "|")
		if want := fmt.Sprint(uint8(g.pdu.Type)); fields[0] != want && fields[0] != fmt.Sprintf("0x%02x", uint8(g.pdu.Type)) {
			t.Errorf("%s: PDU type %q, want %s", g.hex, fields[0], want)
		}
		if strings.Contains(lines[i], "Malformed") || fields[1] != "" {
			t.Errorf("%s: %s", g.hex, lines[i])
		}
	}
	if last := lines[len(golden)]; !strings.Contains(last, "alformed") && strings.Split(last, "|")[1] == "" {
		t.Errorf("the broken PDU was not found broken: %s", last)
	}
}

// dissect returns "type|expert message|nsvci|nsei" of each PDU.
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
		"-e", "gprs_ns.pdutype", "-e", "_ws.malformed", "-e", "gprs_ns.vci", "-e", "gprs_ns.nsei").Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}
