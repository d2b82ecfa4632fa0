package stats

import "golang.org/x/sys/unix"

func (s *tcpSocket) look() {
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return
	}
	var info *unix.TCPInfo
	_ = raw.Control(func(fd uintptr) { // a socket that closes meanwhile has nothing to tell
		s.fd = uint32(fd)
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if err != nil || info == nil {
		return
	}
	s.values = []uint64{uint64(info.Unacked), uint64(info.Lost), uint64(info.Retrans), uint64(info.Rtt), uint64(info.Rcv_rtt),
		uint64(info.Notsent_bytes), info.Rwnd_limited, info.Sndbuf_limited, uint64(info.Reord_seen)}
}
