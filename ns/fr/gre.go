package fr

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// Protocol types in a GRE header.
const (
	GREFrameRelay = 0x6559 // RFC 1701
	GREKeepalive  = 0x0000 // inside a keepalive
	greIPv4       = 0x0800
	greIPv6       = 0x86dd
)

// GREHeaderLen is the length of the header that AppendGRE writes.
const GREHeaderLen = 4

// Flags of a GRE header (RFC 2784, RFC 2890); routing and versions beyond 0
// are not taken.
const (
	greChecksum = 0x8000
	greKey      = 0x2000
	greSequence = 0x1000
	greRefused  = 0x4000 | 0x0007
)

const protoGRE = 47

// Why a packet is refused.
var (
	ErrGRE       = errors.New("fr: bad GRE header")
	ErrKeepalive = errors.New("fr: not a GRE keepalive of this tunnel")
	ErrIP        = errors.New("fr: bad IP header")
)

// AppendGRE appends a GRE header without options.
func AppendGRE(b []byte, proto uint16) []byte { return append(b, 0, 0, byte(proto>>8), byte(proto)) }

// ParseGRE reads a GRE header: protocol type and payload, a sub-slice.
func ParseGRE(b []byte) (proto uint16, payload []byte, err error) {
	if len(b) < GREHeaderLen {
		return 0, nil, ErrGRE
	}
	flags, n := binary.BigEndian.Uint16(b), GREHeaderLen
	for _, f := range [...]uint16{greChecksum, greKey, greSequence} {
		if flags&f != 0 {
			n += 4
		}
	}
	switch {
	case flags&greRefused != 0, len(b) < n, flags&greChecksum != 0 && checksum(b) != 0:
		return 0, nil, ErrGRE
	}
	return binary.BigEndian.Uint16(b[2:]), b[n:], nil
}

// checksum is the Internet checksum over b, 0 when b has a right one.
func checksum(b []byte) uint16 {
	var sum uint32
	for i, c := range b {
		sum += uint32(c) << (8 * (1 - i%2))
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// IsKeepalive tells whether a GRE packet of this protocol type may be a
// keepalive: an IP packet in it, for the tunnel's end that sent it.
func IsKeepalive(proto uint16) bool { return proto == greIPv4 || proto == greIPv6 }

// Keepalive returns the answer to a keepalive: what its inner packet carries,
// a sub-slice, which goes back to src, whose address the inner packet must
// have. dst is the address that the packet came to; not valid: unknown.
func Keepalive(proto uint16, inner []byte, src, dst netip.Addr) ([]byte, error) {
	parse := ParseIPv4
	if proto == greIPv6 {
		parse = ParseIPv6
	}
	ip, err := parse(inner)
	switch {
	case err != nil:
		return nil, err
	case ip.Proto != protoGRE || ip.Dst != src || dst.IsValid() && ip.Src != dst:
		return nil, ErrKeepalive
	case len(ip.Payload) < GREHeaderLen || binary.BigEndian.Uint16(ip.Payload[2:]) != GREKeepalive:
		return nil, ErrKeepalive
	}
	return ip.Payload, nil
}

// IPPacket is what ParseIPv4 and ParseIPv6 read.
type IPPacket struct {
	Src, Dst netip.Addr
	Proto    byte
	Payload  []byte
}

// ParseIPv4 reads an IPv4 packet; what is behind its total length is left out.
func ParseIPv4(b []byte) (IPPacket, error) {
	if len(b) < 20 || b[0]>>4 != 4 {
		return IPPacket{}, ErrIP
	}
	hdr, total := int(b[0]&0xf)*4, int(binary.BigEndian.Uint16(b[2:]))
	if hdr < 20 || total < hdr || total > len(b) {
		return IPPacket{}, ErrIP
	}
	return IPPacket{netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:])), b[9], b[hdr:total]}, nil
}

// ParseIPv6 reads an IPv6 packet without extension headers.
func ParseIPv6(b []byte) (IPPacket, error) {
	const hdr = 40
	if len(b) < hdr || b[0]>>4 != 6 {
		return IPPacket{}, ErrIP
	}
	total := hdr + int(binary.BigEndian.Uint16(b[4:]))
	if total > len(b) {
		return IPPacket{}, ErrIP
	}
	return IPPacket{netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:])), b[6], b[hdr:total]}, nil
}
