// Package tshark lets tests have their octets judged by Wireshark's dissectors,
// an outside witness. Tests skip where tshark is not installed.
package tshark

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Port is the UDP port whose datagrams are dissected as NS PDUs.
const Port = 23000

// LINKTYPEs of a capture.
const (
	LinkRaw        = 101 // IP packets
	LinkFrameRelay = 107 // frames from the address field on
)

// Frame is what tshark found in one datagram.
type Frame struct {
	Protocols string // frame.protocols, such as "raw:ip:udp:gprs-ns:bssgp"
	Expert    string // expert messages, "" for none
	Malformed bool
	fields    map[string]string
}

// Field returns the values of a field that Dissect was asked for, several ones
// joined by ",".
func (f Frame) Field(name string) string { return f.fields[name] }

// fixed are the fields that every call asks for.
var fixed = []string{"frame.protocols", "_ws.expert.message", "_ws.malformed"}

// Dissect runs tshark over NS PDUs, each a UDP datagram, and returns as many
// frames. It skips the test when there is no tshark, and fails it when tshark
// fails.
func Dissect(t testing.TB, pdus [][]byte, fields ...string) []Frame {
	t.Helper()
	return DissectLink(t, LinkRaw, inUDP(pdus), nil, fields...)
}

// DissectLink is Dissect for packets of another link layer: a LINKTYPE number,
// and what tshark has to be told about it.
func DissectLink(t testing.TB, link uint32, packets [][]byte, args []string, fields ...string) []Frame {
	t.Helper()
	args = append(args[:len(args):len(args)], "-T", "fields", "-E", "separator=/t")
	for _, f := range append(fixed, fields...) {
		args = append(args, "-e", f)
	}
	lines := strings.Split(strings.TrimSuffix(read(t, appendPcap(link, packets), args...), "\n"), "\n")
	if len(lines) != len(packets) {
		t.Fatalf("tshark dissected %d frames of %d", len(lines), len(packets))
	}
	frames := make([]Frame, len(lines))
	for i, l := range lines {
		frames[i] = parse(strings.Split(l, "\t"), fields)
	}
	return frames
}

// appendPcap writes a pcap file.
func appendPcap(link uint32, packets [][]byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xa1b2c3d4)
	b = le.AppendUint16(le.AppendUint16(b, 2), 4)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint32(le.AppendUint32(b, 65535), link)
	for i, p := range packets {
		b = le.AppendUint32(le.AppendUint32(b, uint32(i)), 0)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(p))), uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// Details returns tshark's full text about one protocol, such as "llcgprs", for
// what it tells in no field.
func Details(t testing.TB, pdus [][]byte, protocol string) string {
	t.Helper()
	return run(t, pdus, "-O", protocol)
}

func run(t testing.TB, pdus [][]byte, args ...string) string {
	t.Helper()
	return read(t, capture(pdus), args...)
}

func read(t testing.TB, pcap []byte, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed: octets were not judged by it")
	}
	file := filepath.Join(t.TempDir(), "pdus.pcap")
	if err := os.WriteFile(file, pcap, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"-n", "-r", file, "-d", "udp.port==23000,gprs-ns"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, stderr.String())
	}
	return string(out)
}

func parse(cols, fields []string) Frame {
	cols = append(cols, make([]string, len(fixed)+len(fields))...)
	f := Frame{Protocols: cols[0], Expert: cols[1], Malformed: cols[2] != "", fields: map[string]string{}}
	for i, name := range fields {
		f.fields[name] = cols[len(fixed)+i]
	}
	return f
}

// UnitData wraps a BSSGP PDU in an NS-UNITDATA.
func UnitData(bvci uint16, pdu []byte) []byte {
	return append([]byte{0, 0, byte(bvci >> 8), byte(bvci)}, pdu...)
}

// capture writes a pcap file of raw IPv4 packets.
func capture(pdus [][]byte) []byte {
	return appendPcap(LinkRaw, inUDP(pdus))
}

func inUDP(pdus [][]byte) [][]byte {
	packets := make([][]byte, len(pdus))
	for i, p := range pdus {
		packets[i] = append(appendIPUDP(nil, len(p)), p...)
	}
	return packets
}

// appendIPUDP appends IPv4 and UDP headers without checksums.
func appendIPUDP(b []byte, n int) []byte {
	be := binary.BigEndian
	b = be.AppendUint16(append(b, 0x45, 0), uint16(28+n))
	b = append(b, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2)
	b = be.AppendUint16(be.AppendUint16(b, Port), Port)
	return be.AppendUint16(be.AppendUint16(b, uint16(8+n)), 0)
}
