package ns

import (
	"errors"
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setBuffers asks for more than net.core allows, which only CAP_NET_ADMIN gets,
// else for what it allows, and returns what the kernel gave.
func setBuffers(fd int, want Buffers) (Buffers, error) {
	err := errors.Join(setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, want.Receive),
		setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, want.Send))
	return buffersOf(fd), err
}

func setBuffer(fd, force, normal, size int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, size) == nil {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, normal, size)
}

// buffersOf halves what the kernel tells: it doubles what is asked for, socket(7).
func buffersOf(fd int) (b Buffers) {
	b.Receive, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	b.Send, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	return Buffers{b.Receive / 2, b.Send / 2}
}

// SetBuffers implements Buffered.
func (c *udpConn) SetBuffers(want Buffers) error {
	var err error
	if c.raw.Control(func(fd uintptr) { _, err = setBuffers(int(fd), want) }) != nil {
		return net.ErrClosed
	}
	return err
}

// Buffers implements Buffered; zero when the socket is closed.
func (c *udpConn) Buffers() (b Buffers) {
	_ = c.raw.Control(func(fd uintptr) { b = buffersOf(int(fd)) })
	return b
}

// memInfo asks for SO_MEMINFO; its ninth word is what the kernel dropped because
// the receive buffer was full.
type memInfo struct {
	fn   func(fd uintptr) // run, bound once
	info [9]uint32
}

func (m *memInfo) run(fd uintptr) {
	size := uint32(unsafe.Sizeof(m.info))
	_, _, _ = unix.RawSyscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&m.info)), uintptr(unsafe.Pointer(&size)), 0)
}

func (m *memInfo) dropped(c *udpConn) uint64 {
	m.info = [9]uint32{}
	_ = c.raw.Control(m.fn) // closed: 0
	return uint64(m.info[8])
}

// Lost implements Loser.
func (c *udpConn) Lost() uint64 { return c.mem.dropped(c) }

// kernelDrops is Lost for others than the reader; 0 when the socket is closed.
func (c *udpConn) kernelDrops() uint64 {
	m := new(memInfo)
	m.fn = m.run
	return m.dropped(c)
}
