//go:build amd64 || arm64

package sctp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"
	"time"

	ishidawataru "github.com/ishidawataru/sctp"
	"golang.org/x/sys/unix"
)

// The numbers of linux/sctp.h, which the library repeats and we rely on.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"SCTP_RTOINFO", ishidawataru.SCTP_RTOINFO, 0}, {"SCTP_ASSOCINFO", ishidawataru.SCTP_ASSOCINFO, 1},
		{"SCTP_INITMSG", ishidawataru.SCTP_INITMSG, 2}, {"SCTP_NODELAY", ishidawataru.SCTP_NODELAY, 3},
		{"SCTP_PEER_ADDR_PARAMS", ishidawataru.SCTP_PEER_ADDR_PARAMS, 9}, {"SCTP_EVENTS", ishidawataru.SCTP_EVENTS, 11},
		{"SCTP_STATUS", ishidawataru.SCTP_STATUS, 14}, {"SCTP_GET_PEER_ADDR_INFO", ishidawataru.SCTP_GET_PEER_ADDR_INFO, 15},
		{"SCTP_SOCKOPT_BINDX_ADD", ishidawataru.SCTP_SOCKOPT_BINDX_ADD, 100}, {"SCTP_GET_PEER_ADDRS", ishidawataru.SCTP_GET_PEER_ADDRS, 108},
		{"SCTP_GET_LOCAL_ADDRS", ishidawataru.SCTP_GET_LOCAL_ADDRS, 109}, {"SCTP_SOCKOPT_CONNECTX", ishidawataru.SCTP_SOCKOPT_CONNECTX, 110},
		{"SCTP_GET_ASSOC_STATS", optAssocStats, 112}, {"SCTP_REMOTE_UDP_ENCAPS_PORT", optRemoteUDPEncapsPort, 132},
		{"SCTP_SNDRCV", ishidawataru.SCTP_CMSG_SNDRCV, 1}, {"MSG_NOTIFICATION", ishidawataru.MSG_NOTIFICATION, 0x8000},
		{"SCTP_BINDX_ADD_ADDR", ishidawataru.SCTP_BINDX_ADD_ADDR, 1}, {"IPPROTO_SCTP", unix.IPPROTO_SCTP, 132},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, in linux/sctp.h %d", c.what, c.got, c.want)
		}
	}
}

// Each option is read back from the kernel, field by field as RFC 6458 clause 8
// and linux/sctp.h lay the structures out.
// Facts: N3-01
func TestKernelOptionsReadBack(t *testing.T) {
	if _, err := Kernel(); err != nil {
		t.Skipf("in the virtual machine instead (TestKernelInVM): %v", err)
	}
	o := Options{HeartbeatInterval: 1111 * time.Millisecond, PathMaxRetrans: 3, AssocMaxRetrans: 7,
		RTOInitial: 620 * time.Millisecond, RTOMin: 210 * time.Millisecond, RTOMax: 2300 * time.Millisecond,
		InitAttempts: 6, InitTimeout: 1700 * time.Millisecond, Streams: 12, SendBuffer: 50000, ReceiveBuffer: 60000,
		DSCP: 46, MaxMessage: 65536, Backlog: 16, Encapsulation: 9898}
	fd, err := openSocket([]netip.Addr{netip.MustParseAddr("127.0.0.1")}, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	ne := binary.NativeEndian
	u16 := func(b []byte) int { return int(ne.Uint16(b)) }
	u32 := func(b []byte) int { return int(ne.Uint32(b)) }
	for _, c := range []struct {
		what     string
		name, at int
		size     int
		read     func(b []byte) int
		want     int
	}{
		{"sinit_num_ostreams", 2, 0, 8, u16, 12}, {"sinit_max_instreams", 2, 2, 8, u16, 12},
		{"sinit_max_attempts", 2, 4, 8, u16, 6}, {"sinit_max_init_timeo", 2, 6, 8, u16, 1700},
		{"srto_initial", 0, 4, 16, u32, 620}, {"srto_max", 0, 8, 16, u32, 2300}, {"srto_min", 0, 12, 16, u32, 210},
		{"sasoc_asocmaxrxt", 1, 4, 20, u16, 7},
		{"spp_hbinterval", 9, 132, 156, u32, 1111}, {"spp_pathmaxrxt", 9, 136, 156, u16, 3},
		{"nodelay", 3, 0, 4, u32, 1},
		{"sue_port", 132, 136, 144, func(b []byte) int { return int(binary.BigEndian.Uint16(b)) }, 9898},
	} {
		b, err := getOption(fd, c.name, make([]byte, c.size))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		} else if got := c.read(b[c.at:]); got != c.want {
			t.Errorf("%s is %d, want %d", c.what, got, c.want)
		}
	}
	// socket(7): the kernel doubles what it is given.
	for _, c := range []struct{ level, name, want int }{
		{unix.SOL_SOCKET, unix.SO_SNDBUF, 100000}, {unix.SOL_SOCKET, unix.SO_RCVBUF, 120000}, {unix.IPPROTO_IP, unix.IP_TOS, 46 << 2},
	} {
		if got, err := unix.GetsockoptInt(fd, c.level, c.name); err != nil || got != c.want {
			t.Errorf("level %d, option %d: %d, %v; want %d", c.level, c.name, got, err, c.want)
		}
	}
}

// Encapsulation without the kernel's port is told before anybody waits.
func TestKernelEncapsulationIsOff(t *testing.T) {
	k, err := Kernel()
	if err != nil {
		t.Skipf("in the virtual machine instead (TestKernelInVM): %v", err)
	}
	o := Defaults()
	o.Encapsulation = 9899
	at := At(38419, netip.MustParseAddr("127.0.0.1"))
	if udpAllowed(&o) == nil {
		t.Skip("net.sctp.udp_port is set here")
	}
	if _, err := k.Listen(at, o); err == nil {
		t.Error("Listen took it")
	}
	if _, err := k.Dial(t.Context(), Endpoint{}, at, o); err == nil {
		t.Error("Dial took it")
	} else if c, ok := CauseOf(err); ok {
		t.Errorf("Dial tried: %v", c)
	}
}

// FuzzReceiveInfo: ancillary data is read within its bounds.
func FuzzReceiveInfo(f *testing.F) {
	f.Add(append([]byte{48, 0, 0, 0, 0, 0, 0, 0, 132, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60}, make([]byte, 20)...))
	f.Fuzz(func(t *testing.T, b []byte) { receiveInfo(b) })
}

// The layout of struct sctp_sndrcvinfo in a control message, by hand.
func TestReceiveInfo(t *testing.T) {
	c := append([]byte{48, 0, 0, 0, 0, 0, 0, 0, 132, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60}, make([]byte, 20)...)
	if stream, ppid := receiveInfo(c); stream != 5 || ppid != 60 {
		t.Errorf("stream %d, PPID %d", stream, ppid)
	}
}

// A notification in pieces is whole at its last, whatever the reader writes into
// its space meanwhile; one that has come is no part of the next.
func TestNoticeInPieces(t *testing.T) {
	var b noticeBuffer
	ended := []byte{1, 0x80, 0, 0, 28, 0, 0, 0, 1, 0, 12, 0, 10, 0, 10, 0, 1, 0, 0, 0, 0, 12, 0, 8, 'b', 'y', 'e', '!'}
	path := append(append([]byte{2, 0x80, 0, 0, 144, 0, 0, 0}, make([]byte, sizeStorage)...), 1, 0, 0, 0, 0, 0, 0, 0)
	copy(path[8:], []byte{2, 0, 0, 0, 192, 0, 2, 7}) // AF_INET; unreachable
	lost := append([]byte{3, 0x80, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60}, make([]byte, 24)...)
	lost = append(lost, "data"...)
	for _, c := range []struct {
		whole []byte
		right func(n notice) bool
	}{
		{ended, func(n notice) bool {
			code, reason := abortCause(n.abort)
			return n.kind == noticeAssocChange && n.state == commLost && code == 12 && reason == "bye!"
		}},
		{path, func(n notice) bool {
			return n.kind == noticePeerAddrChange && n.path == Path{Addr: netip.MustParseAddr("192.0.2.7"), State: Inactive}
		}},
		{lost, func(n notice) bool {
			return n.kind == noticeSendFailed && n.lost.Stream == 5 && n.lost.PPID == 60 && string(n.lost.Data) == "data"
		}},
	} {
		for size := 1; size <= len(c.whole); size++ {
			space := make([]byte, size) // the reader's, used again for each piece
			for at := 0; at < len(c.whole); at += size {
				n := copy(space, c.whole[at:])
				last := at+n == len(c.whole)
				got := b.add(space[:n], last)
				if !last {
					if got != nil {
						t.Fatalf("%x in pieces of %d: whole too early", c.whole, size)
					}
					continue
				}
				if !bytes.Equal(got, c.whole) {
					t.Fatalf("in pieces of %d: %x, want %x", size, got, c.whole)
				}
				if n, ok := parseNotice(got); !ok || !c.right(n) {
					t.Errorf("%x in pieces of %d: %+v", c.whole, size, n)
				}
			}
		}
	}
}

// A notification without end is bounded, its large buffer given back, and the next
// one whole.
func TestNoticeIsBounded(t *testing.T) {
	var b noticeBuffer
	for range 10000 {
		if b.add(make([]byte, 100), false) != nil {
			t.Fatal("whole too early")
		}
	}
	if len(b.buf) != mostNotice {
		t.Errorf("%d octets kept, want %d", len(b.buf), mostNotice)
	}
	if got := b.add([]byte("end"), true); len(got) != mostNotice {
		t.Errorf("%d octets given", len(got))
	}
	if cap(b.buf) > keptBuffer {
		t.Errorf("%d octets kept for the next", cap(b.buf))
	}
	b.add([]byte("ne"), false)
	if got := string(b.add([]byte("xt"), true)); got != "next" {
		t.Errorf("the next is %q", got)
	}
	if got := string(b.add([]byte("at once"), true)); got != "at once" {
		t.Errorf("one more is %q", got)
	}
}

// What ends an association, as Recv and Send name it.
func TestCauseOfErrno(t *testing.T) {
	for e, want := range map[unix.Errno]Cause{unix.ETIMEDOUT: Timeout, unix.ECONNRESET: PeerAbort, unix.EPIPE: PeerAbort,
		unix.ECONNREFUSED: Refused, unix.EBADF: StackFailure} {
		d := &Down{Cause: causeOf(e), Err: e}
		if d.Cause != want || !errors.Is(d, e) {
			t.Errorf("%v: %v", e, d)
		}
	}
}
