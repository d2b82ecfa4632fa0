package tshark

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

// most is how many octets of a message go in one DATA chunk.
const most = 60000

// DissectNGAP runs tshark over NGAP PDUs, each an SCTP message with PPID 60 on port
// 38412 (TS 38.412), and returns as many frames. It skips and fails as Dissect
// does.
func DissectNGAP(t testing.TB, pdus [][]byte, fields ...string) []Frame {
	t.Helper()
	args := []string{"-T", "fields", "-E", "separator=/t"}
	for _, f := range append(fixed, fields...) {
		args = append(args, "-e", f)
	}
	pcap, ends := captureSCTP(pdus)
	lines := strings.Split(strings.TrimSuffix(read(t, pcap, args...), "\n"), "\n")
	if want := ends[len(ends)-1] + 1; len(lines) != want {
		t.Fatalf("tshark dissected %d frames of %d", len(lines), want)
	}
	frames := make([]Frame, len(pdus))
	for i, end := range ends {
		frames[i] = parse(strings.Split(lines[end], "\t"), fields)
	}
	return frames
}

// captureSCTP writes a pcap file of raw IPv4 packets, one for each DATA chunk. ends
// are the packets that end each message.
func captureSCTP(pdus [][]byte) (pcap []byte, ends []int) {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xa1b2c3d4)
	b = le.AppendUint16(le.AppendUint16(b, 2), 4)
	b = le.AppendUint64(b, 0)
	b = le.AppendUint32(le.AppendUint32(b, 65535), 101) // LINKTYPE_RAW
	tsn := uint32(0)
	for i, p := range pdus {
		begin := byte(2)
		for last := false; !last; begin = 0 {
			piece := p[:min(len(p), most)]
			p = p[len(piece):]
			last = len(p) == 0
			end := byte(0)
			if last {
				end = 1
			}
			packet := appendIPSCTP(nil, begin|end, tsn, uint16(i), piece)
			b = le.AppendUint32(le.AppendUint32(b, tsn), 0)
			b = le.AppendUint32(le.AppendUint32(b, uint32(len(packet))), uint32(len(packet)))
			b = append(b, packet...)
			tsn++
		}
		ends = append(ends, int(tsn)-1)
	}
	return b, ends
}

// appendIPSCTP appends an IPv4 packet with one DATA chunk (RFC 9260, 3.3.1).
func appendIPSCTP(b []byte, flags byte, tsn uint32, seq uint16, data []byte) []byte {
	be := binary.BigEndian
	padded := (len(data) + 3) &^ 3
	b = be.AppendUint16(append(b, 0x45, 0), uint16(20+12+16+padded))
	b = append(b, 0, 0, 0, 0, 64, 132, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2)
	at := len(b)
	b = be.AppendUint16(be.AppendUint16(b, 38412), 38412)
	b = be.AppendUint64(b, 0x11223344<<32) // verification tag, checksum
	b = be.AppendUint16(append(b, 0, flags), uint16(16+len(data)))
	b = be.AppendUint32(b, tsn)
	b = be.AppendUint16(be.AppendUint16(b, 1), seq)
	b = append(be.AppendUint32(b, 60), data...)
	b = append(b, make([]byte, padded-len(data))...)
	sum := crc32.Checksum(b[at:], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(b[at+8:], sum)
	return b
}
