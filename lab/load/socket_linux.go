package load

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	batch       = 64   // datagrams per system call at most
	maxDatagram = 2048 // octets; none of ours is longer
	// Buffers of every socket, the relay's too; the gateway asks for the same.
	receiveBuffer = 16 << 20
	sendBuffer    = 4 << 20
)

// openUDP opens a non-blocking socket of IPv4 or IPv6; with port 0 the kernel chooses one.
func openUDP(at netip.AddrPort) (fd int, local netip.AddrPort, err error) {
	fail := func(what string, err error) (int, netip.AddrPort, error) {
		if fd >= 0 {
			unix.Close(fd)
		}
		return -1, at, fmt.Errorf("load: %s %s: %w", what, at, err)
	}
	family := unix.AF_INET
	if at.Addr().Is6() {
		family = unix.AF_INET6
	}
	if fd, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
		return fail("socket for", err)
	}
	if err = unix.Bind(fd, sockaddr(at)); err != nil {
		return fail("listen on", err)
	}
	setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, receiveBuffer)
	setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, sendBuffer)
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return fail("address of", err)
	}
	port := 0
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		port = a.Port
	case *unix.SockaddrInet6:
		port = a.Port
	}
	return fd, netip.AddrPortFrom(at.Addr(), uint16(port)), nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is6() {
		return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	}
	return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
}

// setBuffer asks for more than net.core allows, which only root gets.
func setBuffer(fd, force, normal, size int) {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, size) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, normal, size) // less than asked for shows as loss
	}
}

// queueDrops is what the kernel dropped because the receive buffer of fd was
// full: the ninth word of SO_MEMINFO.
func queueDrops(fd int) uint64 {
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, _ = unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	return uint64(info[8])
}

// vector is the room of one batch and what the kernel needs for it. Its system
// calls never block and therefore bypass the scheduler.
type vector struct {
	hdrs  [batch]unix.Mmsghdr
	iovs  [batch]unix.Iovec
	names [batch]unix.RawSockaddrInet6 // or IPv4 in it
	room  [batch][maxDatagram]byte
}

func newVector() *vector {
	v := new(vector)
	for i := range v.hdrs {
		v.iovs[i].Base = &v.room[i][0]
		v.hdrs[i].Hdr.Iov = &v.iovs[i]
		v.hdrs[i].Hdr.SetIovlen(1)
	}
	return v
}

// recv reads up to a batch; 0 when nothing is there.
func (v *vector) recv(fd int) (int, syscall.Errno) {
	for i := range v.hdrs {
		v.iovs[i].SetLen(maxDatagram)
		v.hdrs[i].Hdr.Name = (*byte)(unsafe.Pointer(&v.names[i]))
		v.hdrs[i].Hdr.Namelen = unix.SizeofSockaddrInet6
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&v.hdrs[0])), batch, unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		n = 0
	}
	if errno == unix.EAGAIN || errno == unix.EINTR {
		errno = 0
	}
	return int(n), errno
}

// received is the i-th datagram of the last recv.
func (v *vector) received(i int) []byte { return unsafe.Slice(v.iovs[i].Base, v.hdrs[i].Len) }

// put makes length octets of the room the i-th datagram to send, to an address
// or, with nil, where the socket is connected to.
func (v *vector) put(i, length int, to *name) {
	v.iovs[i].SetLen(length)
	h := &v.hdrs[i].Hdr
	h.Name, h.Namelen = nil, 0
	if to != nil {
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(to)), to.size
	}
}

// pick makes the i-th received datagram the k-th to send, k <= i.
func (v *vector) pick(k, i int, to *name) {
	length := int(v.hdrs[i].Len)
	v.iovs[k], v.iovs[i] = v.iovs[i], v.iovs[k]
	v.put(k, length, to)
}

// send sends the first n and returns how many the kernel took; one that it
// refuses is left out.
func (v *vector) send(fd, n int) (took int) { return sendAll(fd, v.hdrs[:n]) }

func sendAll(fd int, hdrs []unix.Mmsghdr) (took int) {
	n := len(hdrs)
	for next := 0; next < n; {
		k, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&hdrs[next])), uintptr(n-next),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch {
		case errno == 0:
			took, next = took+int(k), next+int(k)
		case errno != unix.EINTR:
			next++
		}
	}
	return took
}

// name is an address as the kernel wants it. An IPv4 one lies in the room of an IPv6
// one; their ports are in the same place.
type name struct {
	unix.RawSockaddrInet6
	size uint32 // of what is used
}

func nameOf(a netip.AddrPort) *name {
	n := &name{size: unix.SizeofSockaddrInet6}
	if a.Addr().Is4() {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(n))
		v4.Family, v4.Addr, n.size = unix.AF_INET, a.Addr().As4(), unix.SizeofSockaddrInet4
	} else {
		n.Family, n.Addr = unix.AF_INET6, a.Addr().As16()
	}
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], a.Port())
	return n
}
