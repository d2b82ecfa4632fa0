//go:build usrsctp && cgo

package sctp

import (
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// packetSockets are the raw sockets of this process to which SCTP over IPv4 comes with
// its IP header: the library's.
func packetSockets(t *testing.T) (fds []int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		fd, _ := strconv.Atoi(f.Name())
		kind, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
		protocol, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL)
		whole, _ := unix.GetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_HDRINCL)
		if kind == unix.SOCK_RAW && protocol == unix.IPPROTO_SCTP && whole == 1 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// The kernel has room for ten thousand packets that wait for the library, or as much as
// it gives to those who may not ask for more.
func TestUserspaceRoom(t *testing.T) {
	userspaceOrSkip(t)
	const want = 8 << 20
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, want) != nil {
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, want)
	}
	given, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if r := UserspaceRoom(); r.Octets != given/2 || r.Asked != want {
		t.Errorf("%+v, a socket here can have %d octets", r, given/2)
	}
	for _, fd := range packetSockets(t) {
		if n, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); n != given {
			t.Errorf("a socket of the library has %d octets, a socket here can have %d", n/2, given/2)
		}
	}
}

// What the kernel drops of the library's packets is counted.
func TestUserspaceDropsAreCounted(t *testing.T) {
	userspaceOrSkip(t)
	fds := packetSockets(t)
	if len(fds) != 1 {
		t.Fatalf("%d sockets", len(fds))
	}
	had, _ := unix.GetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_RCVBUF)
	unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_RCVBUF, 1)
	defer func() {
		if unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, had/2) != nil {
			unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_RCVBUF, had/2)
		}
	}()
	out, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_SCTP)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(out)
	before := UserspaceRoom().Dropped
	packet := make([]byte, 1400) // no SCTP checksum: of no effect
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if err := unix.Sendto(out, packet, 0, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil && err != unix.ENOBUFS {
			t.Fatal(err)
		}
		if UserspaceRoom().Dropped > before {
			return
		}
	}
	t.Error("no packet was dropped, or none was counted")
}
