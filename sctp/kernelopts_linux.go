//go:build amd64 || arm64

package sctp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"time"
	"unsafe"

	ishidawataru "github.com/ishidawataru/sctp"
	"golang.org/x/sys/unix"
)

// Options and sizes of linux/sctp.h that the library does not have. The layout
// of its structures is pinned by a test on the wire, not by the compiler.
const (
	optRemoteUDPEncapsPort = 132
	optAssocStats          = 112

	sizeStorage  = 128 // sockaddr_storage
	heartbeatOn  = 1   // SPP_HB_ENABLE
	rtxchunksOff = 176 // in struct sctp_assoc_stats
	statsSize    = 256
)

// setOptions sets what an association has from its beginning; accepted sockets
// inherit all of it.
func setOptions(fd, family int, o *Options) error {
	ms := func(d time.Duration) uint32 { return uint32(d / time.Millisecond) }
	ne := binary.NativeEndian
	u16, u32 := ne.AppendUint16, ne.AppendUint32
	init := u16(u16(u16(u16(nil, o.Streams), o.Streams), o.InitAttempts), uint16(min(ms(o.InitTimeout), 65535)))
	rto := u32(u32(u32(u32(nil, 0), ms(o.RTOInitial)), ms(o.RTOMax)), ms(o.RTOMin))
	assoc := append(u16(u32(nil, 0), o.AssocMaxRetrans), make([]byte, 14)...)
	peer := append(u32(nil, 0), make([]byte, sizeStorage)...)
	peer = u16(u32(peer, ms(o.HeartbeatInterval)), o.PathMaxRetrans)
	peer = append(u32(u32(u32(peer, 0), 0), heartbeatOn), make([]byte, 6)...)
	events := []byte{1, 1, 1, 1, 0, 1, 1, 0, 0, 0} // data, association, address, send failure, shutdown, partial delivery
	table := []struct {
		level, name int
		value       []byte
		skip        bool
	}{
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_INITMSG, init, false},
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_RTOINFO, rto, false},
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_ASSOCINFO, assoc, false},
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_PEER_ADDR_PARAMS, peer, false},
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_NODELAY, u32(nil, 1), false},
		{unix.IPPROTO_SCTP, ishidawataru.SCTP_EVENTS, events, false},
		{unix.IPPROTO_SCTP, optRemoteUDPEncapsPort, encapsulation(o.Encapsulation), o.Encapsulation == 0},
		{unix.SOL_SOCKET, unix.SO_SNDBUF, u32(nil, uint32(o.SendBuffer)), o.SendBuffer == 0},
		{unix.SOL_SOCKET, unix.SO_RCVBUF, u32(nil, uint32(o.ReceiveBuffer)), o.ReceiveBuffer == 0},
		{unix.IPPROTO_IP, unix.IP_TOS, u32(nil, uint32(o.DSCP)<<2), o.DSCP == 0}, // an IPv6 socket may have IPv4 paths too
		{unix.IPPROTO_IPV6, unix.IPV6_TCLASS, u32(nil, uint32(o.DSCP)<<2), o.DSCP == 0 || family != unix.AF_INET6},
	}
	for _, t := range table {
		if t.skip {
			continue
		}
		if err := unix.SetsockoptString(fd, t.level, t.name, string(t.value)); err != nil {
			return fmt.Errorf("level %d, option %d: %w", t.level, t.name, os.NewSyscallError("setsockopt", err))
		}
	}
	return nil
}

// encapsulation is struct sctp_udpencaps for every address of the peer.
func encapsulation(port uint16) []byte {
	b := make([]byte, 8+sizeStorage+8) // the union inside is aligned to 8
	binary.BigEndian.PutUint16(b[8+sizeStorage:], port)
	return b
}

// getOption reads option name into b, and returns what the kernel filled.
func getOption(fd, name int, b []byte) ([]byte, error) {
	n := uint32(len(b))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.IPPROTO_SCTP, uintptr(name),
		uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&n)), 0)
	runtime.KeepAlive(b)
	if errno != 0 {
		return nil, os.NewSyscallError("getsockopt", errno)
	}
	return b[:min(int(n), len(b))], nil
}

// addresses are the socket's own ones (SCTP_GET_LOCAL_ADDRS) or the peer's.
func addresses(fd, which int) Endpoint {
	// Of its own addresses the kernel tells the length without the header's: the
	// count counts.
	b := make([]byte, 8+64*28)
	if _, err := getOption(fd, which, b); err != nil {
		return Endpoint{}
	}
	var e Endpoint
	rest := b[8:]
	for range binary.NativeEndian.Uint32(b[4:]) {
		a, port, n := parseSockaddr(rest)
		if n == 0 {
			break
		}
		e.Addrs, e.Port, rest = append(e.Addrs, a), port, rest[n:]
	}
	return e
}

// localPort is the socket's own port: the list of addresses has the one that was
// asked for, which may be 0.
func localPort(fd int) uint16 {
	switch a, _ := unix.Getsockname(fd); a := a.(type) {
	case *unix.SockaddrInet4:
		return uint16(a.Port)
	case *unix.SockaddrInet6:
		return uint16(a.Port)
	}
	return 0
}

// parseSockaddr reads one struct sockaddr_in or sockaddr_in6; n is its length,
// 0 when it is neither.
func parseSockaddr(b []byte) (a netip.Addr, port uint16, n int) {
	if len(b) < 2 {
		return a, 0, 0
	}
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_INET && len(b) >= 16:
		return netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[2:]), 16
	case family == unix.AF_INET6 && len(b) >= 28:
		return netip.AddrFrom16([16]byte(b[8:24])).Unmap(), binary.BigEndian.Uint16(b[2:]), 28
	}
	return a, 0, 0
}

// appendSockaddr is a sockaddr_storage with a in it.
func appendSockaddr(b []byte, a netip.Addr, port uint16) []byte {
	s := make([]byte, sizeStorage)
	binary.BigEndian.PutUint16(s[2:], port)
	if a.Is4() {
		binary.NativeEndian.PutUint16(s, unix.AF_INET)
		copy(s[4:], a.AsSlice())
	} else {
		binary.NativeEndian.PutUint16(s, unix.AF_INET6)
		copy(s[8:], a.AsSlice())
	}
	return append(b, s...)
}

// kernelStats fills in what the kernel knows of the association.
func kernelStats(fd int, remote Endpoint, s *Stats) {
	ne := binary.NativeEndian
	var primary netip.Addr
	if b, err := getOption(fd, ishidawataru.SCTP_STATUS, make([]byte, 176)); err == nil && len(b) >= 24+4+28 {
		s.State = AssocState(ne.Uint32(b[4:])) // enum sctp_sstat_state has the same order, 0 for none
		s.Unacked = uint64(ne.Uint16(b[12:]))
		s.InStreams, s.OutStreams = ne.Uint16(b[16:]), ne.Uint16(b[18:])
		primary, _, _ = parseSockaddr(b[28:])
	}
	if b, err := getOption(fd, optAssocStats, make([]byte, statsSize)); err == nil && len(b) >= rtxchunksOff+8 {
		s.Retransmitted = ne.Uint64(b[rtxchunksOff:])
	}
	for _, a := range remote.Addrs {
		p := PathStats{Path: Path{Addr: a}, Primary: a == primary}
		q := append(appendSockaddr(make([]byte, 4), a, remote.Port), make([]byte, 20)...)
		if b, err := getOption(fd, ishidawataru.SCTP_GET_PEER_ADDR_INFO, q); err == nil && len(b) >= 152 {
			p.State = pathStateOf(ne.Uint32(b[132:]))
			p.CongWindow = ne.Uint32(b[136:])
			p.SRTT = time.Duration(ne.Uint32(b[140:])) * time.Millisecond
			p.RTO = time.Duration(ne.Uint32(b[144:])) * time.Millisecond
			p.MTU = ne.Uint32(b[148:])
		}
		s.Paths = append(s.Paths, p)
	}
}

// pathStateOf translates enum sctp_spinfo_state: inactive, potentially failed,
// active, unconfirmed. Potentially failed counts as active, since it is still used when nothing better is there.
func pathStateOf(v uint32) PathState {
	switch v {
	case 0:
		return Inactive
	case 3:
		return Unconfirmed
	}
	return Active
}
