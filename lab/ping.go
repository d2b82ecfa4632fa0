package lab

import (
	"encoding/binary"
	"errors"
)

// ping is a subscriber's user data: an ICMP echo in an SN-UNITDATA PDU (TS
// 44.065 7.1). The answer carries the NSEI of the SGSN that gave it.
type ping struct {
	reply      bool
	subscriber uint32
	seq        uint32
	sgsn       uint16 // in a reply
	pad        int    // octets of payload beyond the ping's own
}

const (
	sndcpHeader = 4
	ipHeader    = 20
	icmpHeader  = 8
	pingPayload = 10
	pingLen     = sndcpHeader + ipHeader + icmpHeader + pingPayload

	echoReply   = 0
	echoRequest = 8
)

var errNotPing = errors.New("lab: user data that is no echo")

// append appends the SN-UNITDATA PDU: first segment of NSAPI 5, no compression.
func (p ping) append(b []byte) []byte {
	total := ipHeader + icmpHeader + pingPayload + p.pad
	b = append(b, 0x65, 0x00) // X, F=1, T=1 (SN-UNITDATA), M=0, NSAPI 5; DCOMP, PCOMP
	b = binary.BigEndian.AppendUint16(b, uint16(p.seq&0xfff))
	ip := len(b)
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(total))
	b = append(b, 0, 0, 0, 0, 64, 1, 0, 0) // ID, fragment, TTL, ICMP, checksum
	ms, far := [4]byte{10, byte(p.subscriber >> 16), byte(p.subscriber >> 8), byte(p.subscriber)}, [4]byte{192, 0, 2, 1}
	if p.reply {
		ms, far = far, ms
	}
	b = append(append(b, ms[:]...), far[:]...)
	binary.BigEndian.PutUint16(b[ip+10:], checksum(b[ip:]))
	return p.appendICMP(b)
}

func (p ping) appendICMP(b []byte) []byte {
	icmp := len(b)
	kind := byte(echoRequest)
	if p.reply {
		kind = echoReply
	}
	b = append(b, kind, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(p.subscriber))
	b = binary.BigEndian.AppendUint16(b, uint16(p.seq))
	b = binary.BigEndian.AppendUint32(b, p.subscriber)
	b = binary.BigEndian.AppendUint32(b, p.seq)
	b = binary.BigEndian.AppendUint16(b, p.sgsn)
	b = append(b, make([]byte, p.pad)...)
	binary.BigEndian.PutUint16(b[icmp+2:], checksum(b[icmp:]))
	return b
}

// parsePing reads an SN-UNITDATA PDU that holds a ping.
func parsePing(b []byte) (ping, error) {
	if len(b) < pingLen || b[0] != 0x65 || b[1] != 0 || b[4] != 0x45 || b[13] != 1 {
		return ping{}, errNotPing
	}
	if int(binary.BigEndian.Uint16(b[6:])) != len(b)-sndcpHeader {
		return ping{}, errNotPing
	}
	icmp := b[sndcpHeader+ipHeader:]
	if checksum(icmp) != 0 || checksum(b[sndcpHeader:sndcpHeader+ipHeader]) != 0 {
		return ping{}, errNotPing
	}
	if icmp[0] != echoReply && icmp[0] != echoRequest {
		return ping{}, errNotPing
	}
	return ping{
		reply:      icmp[0] == echoReply,
		subscriber: binary.BigEndian.Uint32(icmp[8:]),
		seq:        binary.BigEndian.Uint32(icmp[12:]),
		sgsn:       binary.BigEndian.Uint16(icmp[16:]),
		pad:        len(icmp) - icmpHeader - pingPayload,
	}, nil
}

// checksum is the Internet checksum (RFC 1071); 0 over what holds a right one.
func checksum(b []byte) uint16 {
	var sum uint32
	for ; len(b) > 1; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
