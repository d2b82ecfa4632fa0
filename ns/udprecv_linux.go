package ns

import (
	"net"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxReceiveErrors is how many errors in a row a reader takes before it gives up.
const maxReceiveErrors = 64

// recvBatch is the reader's scratch: what recvmmsg needs beside the messages.
type recvBatch struct {
	conn  *udpConn
	fn    func(fd uintptr) bool // run, bound once: a method value allocates
	hdrs  [udpBatch]unix.Mmsghdr
	iovs  [udpBatch]unix.Iovec
	names [udpBatch]unix.RawSockaddrInet6 // room for IPv4 too
	want  int
	got   int
	errno syscall.Errno
}

// ReadBatch waits for at least one datagram and reads up to len(msgs), at most
// 64. A message may end up with another message's Buf: a datagram longer than
// its Buf is dropped and counted, and its place taken.
func (c *udpConn) ReadBatch(msgs []Message) (int, error) {
	r := &c.recv
	for errs := 0; len(msgs) > 0; {
		r.prepare(msgs)
		if err := c.raw.Read(r.fn); err != nil {
			return 0, net.ErrClosed
		}
		if r.errno != 0 {
			c.drops.add(dropReceive, 1)
			if errs++; errs > maxReceiveErrors {
				return 0, &SocketError{"receive", c.local, r.errno}
			}
			continue
		}
		if n := c.collect(msgs); n > 0 {
			return n, nil
		}
	}
	return 0, nil
}

func (r *recvBatch) prepare(msgs []Message) {
	r.want = min(len(msgs), udpBatch)
	for i := range r.want {
		r.iovs[i].Base = unsafe.SliceData(msgs[i].Buf)
		r.iovs[i].SetLen(len(msgs[i].Buf))
		h := &r.hdrs[i].Hdr
		h.Name = (*byte)(unsafe.Pointer(&r.names[i]))
		h.Namelen = unix.SizeofSockaddrInet6
		h.Iov = &r.iovs[i]
		h.SetIovlen(1)
		h.Flags = 0
	}
}

// run is called by the poller; false has it wait until the socket is readable.
// RawSyscall: the call never blocks, and Syscall would tell the scheduler, which
// takes the processor from a call of more than 20 us, gives it to another thread
// and has this one wait for it afterwards: 37,000 thread switches a second, and a
// fifth of the CPU time, at full load with one worker.
func (r *recvBatch) run(fd uintptr) bool {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&r.hdrs[0])), uintptr(r.want),
		unix.MSG_DONTWAIT, 0, 0)
	r.got, r.errno = int(n), errno
	switch errno {
	case unix.EAGAIN:
		return false
	case unix.EINTR:
		return r.run(fd)
	case 0:
		return true
	}
	r.got = 0
	return true
}

// collect fills in what was received and closes the gaps of what is dropped.
func (c *udpConn) collect(msgs []Message) int {
	r, n := &c.recv, 0
	for i := range r.got {
		h := &r.hdrs[i]
		if h.Hdr.Flags&unix.MSG_TRUNC != 0 {
			c.drops.add(dropTruncated, 1)
			continue
		}
		msgs[n].Buf, msgs[i].Buf = msgs[i].Buf, msgs[n].Buf
		msgs[n].N = int(h.Len)
		msgs[n].Addr = c.decode(&r.names[i])
		n++
	}
	return n
}

// decode makes the address that the kernel wrote, without allocating (but for
// the zone of a link-local address on a bind without that zone).
func (c *udpConn) decode(sa *unix.RawSockaddrInet6) netip.AddrPort {
	if sa.Family == unix.AF_INET {
		sa4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		return netip.AddrPortFrom(netip.AddrFrom4(sa4.Addr), hostPort(sa4.Port))
	}
	return netip.AddrPortFrom(c.zone.put(netip.AddrFrom16(sa.Addr), sa.Scope_id), hostPort(sa.Port))
}
