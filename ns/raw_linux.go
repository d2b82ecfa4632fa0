package ns

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawFraming is how frames look on a raw socket: the difference between a line
// and GRE.
type rawFraming interface {
	// strip finds the datagram in what came from name: where it begins, how long
	// it is, and from whom. ok is false when it is not for NS.
	strip(b []byte, name *unix.RawSockaddrInet6) (begin, n int, from netip.AddrPort, ok bool)
	// wrap appends the frame that carries m, and writes where it goes into name;
	// size is that of the name, 0 when the socket knows.
	wrap(b []byte, m *Message, name *unix.RawSockaddrInet6) (frame []byte, size uint32, ok bool)
}

// rawConn is one raw socket, which all workers send through and one reads.
type rawConn struct {
	file    *os.File
	raw     syscall.RawConn
	local   netip.AddrPort
	framing rawFraming
	recv    recvBatch
	sends   sync.Pool // of *rawSend
	drops   rawCounters
}

// rawDrop is a reason of a rawConn to drop a frame.
type rawDrop uint8

const (
	rawTruncated  rawDrop = iota // longer than its buffer
	rawReceive                   // the socket gave an error instead of a frame
	rawNotForUs                  // bad address field, protocol or header
	rawBadAddress                // to be sent, no address or one of the other IP version
	rawTooLong                   // EMSGSIZE
	rawSendError                 // any other error
	rawDrops      = iota
)

var rawDropNames = [rawDrops]string{"fr_truncated", "fr_receive_error", "fr_not_taken", "fr_bad_address",
	"fr_too_long", "fr_send_error"}

type rawCounters [rawDrops]atomic.Uint64

// newRawConn takes over fd.
func newRawConn(fd int, name string, local netip.AddrPort, f rawFraming) (*rawConn, error) {
	c := &rawConn{file: os.NewFile(uintptr(fd), name), local: local, framing: f}
	c.recv.fn = c.recv.run
	c.sends.New = func() any {
		s := &rawSend{}
		s.fn = s.run
		return s
	}
	var err error
	if c.raw, err = c.file.SyscallConn(); err != nil {
		c.file.Close()
		return nil, err
	}
	return c, nil
}

// ReadBatch waits for at least one frame that NS has to do with.
func (c *rawConn) ReadBatch(msgs []Message) (int, error) {
	r := &c.recv
	for errs := 0; ; {
		r.prepare(msgs)
		if err := c.raw.Read(r.fn); err != nil {
			return 0, net.ErrClosed
		}
		if r.errno != 0 { // such as ENETDOWN, once, when the device goes down
			c.drops[rawReceive].Add(1)
			if errs++; errs > maxReceiveErrors {
				return 0, r.errno
			}
			continue
		}
		if n := c.collect(msgs); n > 0 {
			return n, nil
		}
	}
}

// collect moves the datagrams to the beginning of their buffers and closes the
// gaps of what is dropped.
func (c *rawConn) collect(msgs []Message) int {
	r, n := &c.recv, 0
	for i := range r.got {
		h := &r.hdrs[i]
		if h.Hdr.Flags&unix.MSG_TRUNC != 0 {
			c.drops[rawTruncated].Add(1)
			continue
		}
		b := msgs[i].Buf
		begin, size, from, ok := c.framing.strip(b[:h.Len], &r.names[i])
		if !ok {
			c.drops[rawNotForUs].Add(1)
			continue
		}
		copy(b, b[begin:begin+size])
		msgs[n].Buf, msgs[i].Buf = b, msgs[n].Buf
		msgs[n].N, msgs[n].Addr = size, from
		n++
	}
	return n
}

// rawRoom is the longest frame that is sent: headers and datagram.
const rawRoom = MaxDatagram + 16

// rawSend is one writer's scratch.
type rawSend struct {
	fn    func(fd uintptr)
	buf   [rawRoom]byte
	frame []byte
	name  unix.RawSockaddrInet6
	size  uint32
	errno syscall.Errno
}

func (s *rawSend) run(fd uintptr) {
	var name unsafe.Pointer
	if s.size > 0 {
		name = unsafe.Pointer(&s.name)
	}
	for {
		_, _, s.errno = unix.Syscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(s.frame))),
			uintptr(len(s.frame)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, uintptr(name), uintptr(s.size))
		if s.errno != unix.EINTR {
			return
		}
	}
}

// WriteBatch sends messages in order. When the device has no room it stops with
// a *BusyError; n is how many it has dealt with, of which those that can't be
// sent are dropped and counted.
func (c *rawConn) WriteBatch(msgs []Message) (n int, err error) {
	s := c.sends.Get().(*rawSend)
	defer c.sends.Put(s)
	for i := range msgs {
		if err := c.send(s, &msgs[i]); err != nil {
			return i, err
		}
	}
	return len(msgs), nil
}

func (c *rawConn) send(s *rawSend, m *Message) error {
	var ok bool
	if m.N < 0 || m.N > min(len(m.Buf), MaxDatagram) {
		c.drops[rawTooLong].Add(1)
		return nil
	}
	if s.frame, s.size, ok = c.framing.wrap(s.buf[:0], m, &s.name); !ok {
		c.drops[rawBadAddress].Add(1)
		return nil
	}
	if c.raw.Control(s.fn) != nil {
		return net.ErrClosed
	}
	switch s.errno {
	case 0:
	case unix.ENOBUFS, unix.EAGAIN, unix.ENOMEM:
		return errBusy
	case unix.EMSGSIZE:
		c.drops[rawTooLong].Add(1)
	default: // ENETDOWN, ENXIO: the device is down or gone; no route
		c.drops[rawSendError].Add(1)
	}
	return nil
}

var errBusy = &BusyError{unix.ENOBUFS}

// LocalAddr is the address of a GRE socket with port 0, none of a line.
func (c *rawConn) LocalAddr() netip.AddrPort { return c.local }

// Close closes the socket and unblocks its reader. It may be called repeatedly.
func (c *rawConn) Close() error {
	if err := c.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Dropped calls each with the drops of the socket.
func (c *rawConn) Dropped(each func(reason string, n uint64)) {
	for i := range c.drops {
		each(rawDropNames[i], c.drops[i].Load())
	}
}

// sharedConn is a rawConn for the workers beyond the first: they send only, so
// that one reader keeps the order of what comes in.
type sharedConn struct {
	*rawConn
	once sync.Once
	done chan struct{}
}

// ReadBatch waits until the conn is closed.
func (c *sharedConn) ReadBatch([]Message) (int, error) {
	<-c.done
	return 0, net.ErrClosed
}

// Close ends ReadBatch; the socket is the first worker's to close.
func (c *sharedConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

// Dropped tells nothing: the first worker's does.
func (c *sharedConn) Dropped(func(reason string, n uint64)) {}

// forWorkers makes one Conn per worker of first, whose socket is c's.
func forWorkers(first Conn, c *rawConn, workers int) []Conn {
	conns := []Conn{first}
	for len(conns) < workers {
		conns = append(conns, &sharedConn{rawConn: c, done: make(chan struct{})})
	}
	return conns
}

// MayOpen tells whether this process may open the raw socket that a bind
// needs; nil for a bind that needs none.
func MayOpen(b BindConfig) error {
	family, proto, on := unix.AF_PACKET, 0, b.FRNetIf
	switch {
	case b.Link == LinkFRGRE && b.Listen.IsValid():
		family, proto, on = unix.AF_INET, unix.IPPROTO_GRE, b.Listen.Addr().String()
	case b.Link != LinkFR || b.FRNetIf == "":
		return nil
	}
	fd, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC, proto)
	if err != nil {
		return &RawError{"open raw socket", on, err}
	}
	unix.Close(fd)
	return nil
}

// RawError tells which step on which device or address failed, and what the
// operator can do about it.
type RawError struct {
	Step string // "open packet socket", …
	On   string // device, address
	Err  error
}

func (e *RawError) Error() string {
	text := e.On + ": unable to " + e.Step + ": " + e.Err.Error()
	if errors.Is(e.Err, unix.EPERM) || errors.Is(e.Err, unix.EACCES) {
		text += " (needs CAP_NET_RAW and, on a device, CAP_NET_ADMIN: run as root, or give them by" +
			" AmbientCapabilities= in the systemd unit or setcap cap_net_raw,cap_net_admin+ep)"
	}
	return text
}

func (e *RawError) Unwrap() error { return e.Err }
