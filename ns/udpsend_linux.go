package ns

import (
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A full send queue is waited for maxSendWaits times sendWait milliseconds; if
// it took nothing meanwhile the rest of the batch is dropped: writing must not
// hold up a worker.
const (
	maxSendWaits = 5
	sendWait     = 2
)

// sendBatch is one writer's scratch.
type sendBatch struct {
	conn  *udpConn
	fn    func(fd uintptr) // run, bound once
	hdrs  [udpBatch]unix.Mmsghdr
	iovs  [udpBatch]unix.Iovec
	names [udpBatch]unix.RawSockaddrInet6
	n     int // headers to send
	took  int // datagrams taken by the kernel
	trains
}

// sendStore keeps scratch for writers at once; more than it holds is made and
// thrown away.
type sendStore [8]atomic.Pointer[sendBatch]

func (s *sendStore) take(c *udpConn) *sendBatch {
	for i := range s {
		if b := s[i].Swap(nil); b != nil {
			return b
		}
	}
	b := &sendBatch{conn: c}
	b.fn = b.run
	return b
}

func (s *sendStore) give(b *sendBatch) {
	for i := range s {
		if s[i].CompareAndSwap(nil, b) {
			return
		}
	}
}

// WriteBatch sends all messages in order, going on where the kernel stopped. A
// message that can't be sent is dropped and counted; n is how many were taken.
// The error is nil or net.ErrClosed.
func (c *udpConn) WriteBatch(msgs []Message) (n int, err error) { return c.write(msgs, false) }

func (c *udpConn) write(msgs []Message, segment bool) (n int, err error) {
	b := c.sends.take(c)
	for len(msgs) > 0 && err == nil {
		chunk := msgs[:min(len(msgs), udpBatch)]
		msgs = msgs[len(chunk):]
		if segment {
			b.prepareTrains(chunk)
		} else {
			b.prepare(chunk)
		}
		// Control, not Write: it takes no lock, so that writers don't queue.
		if c.raw.Control(b.fn) != nil {
			err = net.ErrClosed
		}
		n += b.took
	}
	c.sends.give(b)
	return n, err
}

func (b *sendBatch) prepare(msgs []Message) {
	b.n, b.took, b.inUse = 0, 0, false
	for i := range msgs {
		m := &msgs[i]
		if m.N < 0 || m.N > len(m.Buf) || !b.address(m.Addr) {
			b.conn.drops.add(dropAddress, 1)
			continue
		}
		b.setIov(b.n, m)
		b.carry(b.n, 1)
	}
}

// address makes addr that of the next header; false: it can't.
func (b *sendBatch) address(addr netip.AddrPort) bool {
	size, ok := b.conn.encode(&b.names[b.n], addr)
	h := &b.hdrs[b.n].Hdr
	h.Name, h.Namelen = (*byte)(unsafe.Pointer(&b.names[b.n])), size
	return ok
}

func (b *sendBatch) setIov(i int, m *Message) {
	b.iovs[i].Base = unsafe.SliceData(m.Buf)
	b.iovs[i].SetLen(m.N)
}

// carry completes the next header: count datagrams, from iovs[first] on.
func (b *sendBatch) carry(first, count int) {
	h := &b.hdrs[b.n].Hdr
	h.Iov = &b.iovs[first]
	h.SetIovlen(count)
	h.Control = nil
	h.SetControllen(0)
	b.n++
}

// encode writes addr as the kernel wants it; ok is false for an address of the
// other IP version or none.
func (c *udpConn) encode(sa *unix.RawSockaddrInet6, addr netip.AddrPort) (size uint32, ok bool) {
	return encodeAddr(sa, addr, c.v6, c.zone)
}

func encodeAddr(sa *unix.RawSockaddrInet6, addr netip.AddrPort, v6 bool, z zone) (size uint32, ok bool) {
	a := addr.Addr().Unmap()
	switch {
	case !a.IsValid() || a.Is4() == v6:
		return 0, false
	case v6:
		*sa = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: netPort(addr.Port()), Addr: a.As16(), Scope_id: z.scope(a)}
		return unix.SizeofSockaddrInet6, true
	}
	*(*unix.RawSockaddrInet4)(unsafe.Pointer(sa)) = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: netPort(addr.Port()), Addr: a.As4()}
	return unix.SizeofSockaddrInet4, true
}

// run sends the batch. sendmmsg stops at the first message it can't send and
// tells the error only when that message is the first of a call. RawSyscall as
// in recvBatch.run.
func (b *sendBatch) run(fd uintptr) {
	waits := 0
	for next := 0; next < b.n; {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&b.hdrs[next])), uintptr(b.n-next),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch {
		case errno == 0 && n > 0:
			b.took, waits = b.took+b.datagrams(next, next+int(n)), 0
			next += int(n)
		case errno == unix.EINTR:
		case errno == unix.EAGAIN && waits < maxSendWaits:
			waits++
			waitWritable(fd)
		case errno == unix.EAGAIN:
			b.conn.drops.add(dropQueueFull, b.datagrams(next, b.n))
			return
		case b.datagrams(next, next+1) > 1:
			b.single(fd, next)
			next++
		default:
			b.conn.drops.add(sendDrop(errno), 1)
			next++
		}
	}
}

// waitWritable waits a bounded time for room in the send queue. poll, not the
// runtime's poller: a deadline there would be shared by all writers.
func waitWritable(fd uintptr) {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	_, _ = unix.Poll(fds[:], sendWait)
}

func sendDrop(errno syscall.Errno) udpDrop {
	switch errno {
	case unix.EMSGSIZE:
		return dropTooLong
	case unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ECONNREFUSED, unix.ENETDOWN, unix.EHOSTDOWN:
		return dropUnreachable
	case unix.EPERM, unix.EACCES:
		return dropRefused
	case unix.ENOBUFS, unix.ENOMEM:
		return dropQueueFull
	}
	return dropSend
}
