package n2

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
	"time"

	"poolgw/sctp"
)

// pcapHeader begins a file of raw IP packets (LINKTYPE_RAW), times in
// microseconds.
var pcapHeader = []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0}

// framer makes IP packets with SCTP DATA chunks of the PDUs of one trace. TSNs,
// stream sequence numbers and verification tags are its own: the stack does not
// tell those on the wire.
type framer struct {
	flows map[flowKey]*flow
	crc   *crc32.Table
}

type flowKey struct {
	link *link
	out  bool
}

type flow struct {
	tag uint32
	tsn uint32
	ssn map[uint16]uint16
}

func newFramer() framer {
	return framer{flows: make(map[flowKey]*flow), crc: crc32.MakeTable(crc32.Castagnoli)}
}

// maxFrame is how much of a message one DATA chunk holds: an IP packet's length
// has 16 bits.
const maxFrame = 60000

// record returns a message as records of a pcap file, one for each fragment.
func (f *framer) record(now time.Time, k *link, out bool, stream uint16, data []byte) []byte {
	key := flowKey{k, out}
	w := f.flows[key]
	if w == nil {
		w = &flow{tag: uint32(len(f.flows) + 1), tsn: 1, ssn: make(map[uint16]uint16)}
		f.flows[key] = w
	}
	src, dst := k.assoc.Remote(), k.assoc.Local()
	if out {
		src, dst = dst, src
	}
	var b []byte
	const begin, end = 2, 1
	for flags, first := byte(begin), true; first || len(data) > 0; flags, first = 0, false {
		n := min(len(data), maxFrame)
		if n == len(data) {
			flags |= end
		}
		packet := f.packet(src, dst, w, flags, stream, data[:n])
		data = data[n:]
		b = binary.LittleEndian.AppendUint32(b, uint32(now.Unix()))
		b = binary.LittleEndian.AppendUint32(b, uint32(now.Nanosecond()/1000))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(packet)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(packet)))
		b = append(b, packet...)
	}
	w.ssn[stream]++
	return b
}

// packet is an IP packet with one DATA chunk (RFC 9260 3.1, 3.3.1).
func (f *framer) packet(src, dst sctp.Endpoint, w *flow, flags byte, stream uint16, data []byte) []byte {
	s := make([]byte, 0, len(data)+32)
	s = binary.BigEndian.AppendUint16(s, src.Port)
	s = binary.BigEndian.AppendUint16(s, dst.Port)
	s = binary.BigEndian.AppendUint32(s, w.tag)
	s = append(s, 0, 0, 0, 0) // checksum
	s = append(s, 0, flags)
	s = binary.BigEndian.AppendUint16(s, uint16(16+len(data)))
	s = binary.BigEndian.AppendUint32(s, w.tsn)
	s = binary.BigEndian.AppendUint16(s, stream)
	s = binary.BigEndian.AppendUint16(s, w.ssn[stream])
	s = binary.BigEndian.AppendUint32(s, sctp.PPIDNGAP)
	s = append(s, data...)
	for len(s)%4 != 0 {
		s = append(s, 0)
	}
	w.tsn++
	binary.LittleEndian.PutUint32(s[8:], crc32.Checksum(s, f.crc)) // RFC 9260 appendix A
	return append(ipHeader(firstOf(src), firstOf(dst), len(s)), s...)
}

func firstOf(e sctp.Endpoint) netip.Addr {
	if len(e.Addrs) == 0 {
		return netip.AddrFrom4([4]byte{})
	}
	return e.Addrs[0].Unmap()
}

// ipHeader is that of IPv4 where both addresses are, else of IPv6.
func ipHeader(src, dst netip.Addr, payload int) []byte {
	const protocolSCTP = 132
	if src.Is4() && dst.Is4() {
		h := []byte{0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocolSCTP, 0, 0}
		binary.BigEndian.PutUint16(h[2:], uint16(20+payload))
		h = append(append(h, src.AsSlice()...), dst.AsSlice()...)
		binary.BigEndian.PutUint16(h[10:], ipChecksum(h))
		return h
	}
	h := []byte{0x60, 0, 0, 0, 0, 0, protocolSCTP, 64}
	binary.BigEndian.PutUint16(h[4:], uint16(payload))
	a, b := src.As16(), dst.As16()
	return append(append(h, a[:]...), b[:]...)
}

// ipChecksum is the Internet checksum (RFC 1071) of an even number of octets.
func ipChecksum(h []byte) uint16 {
	var sum uint32
	for i := 0; i < len(h); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(h[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
