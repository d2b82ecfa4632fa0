//go:build amd64 || arm64

package sctp

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	ishidawataru "github.com/ishidawataru/sctp"
	"golang.org/x/sys/unix"
)

// kernelAssoc is a one-to-one socket.
type kernelAssoc struct {
	file          *os.File
	raw           syscall.RawConn
	options       Options
	local, remote Endpoint

	// The reader's.
	in      assembler
	notices noticeBuffer
	reader  reader
	tryRecv func(fd uintptr) bool
	ending  *Down // what follows are messages that were not delivered
	gone    *Down // after it nothing comes

	// Shared.
	closing atomic.Int32 // a Cause + 1 of ours
	down    atomic.Pointer[Down]
	counts  struct{ inMessages, inOctets, outMessages, outOctets, full atomic.Uint64 }
	watch   atomic.Bool // somebody waits for the socket to be writable
	notify  func()
	failure atomic.Int32            // the socket's error: reading it clears it, so that it is kept for all
	rest    atomic.Pointer[os.File] // after Close: the socket until the shutdown is complete

	// The sender's.
	sending sync.Mutex
	sender  sender
	trySend func(fd uintptr)
}

// reader is one recvmsg.
type reader struct {
	hdr     unix.Msghdr
	iov     unix.Iovec
	control [64]byte
	n       int
	errno   syscall.Errno
}

// sender is one sendmsg.
type sender struct {
	hdr     unix.Msghdr
	iov     unix.Iovec
	control [48]byte // cmsghdr 16, sctp_sndrcvinfo 32
	errno   syscall.Errno
}

// newKernelAssoc takes a connected or connecting socket.
func newKernelAssoc(fd int, o Options) (*kernelAssoc, error) {
	a := &kernelAssoc{file: os.NewFile(uintptr(fd), "sctp"), options: o, in: assembler{most: o.MaxMessage}}
	var err error
	if a.raw, err = a.file.SyscallConn(); err != nil {
		a.file.Close()
		return nil, err
	}
	a.reader.hdr.Iov, a.reader.hdr.Iovlen = &a.reader.iov, 1
	a.sender.hdr.Iov, a.sender.hdr.Iovlen = &a.sender.iov, 1
	a.tryRecv, a.trySend = a.recvmsg, a.sendmsg
	a.connected()
	return a, nil
}

func (a *kernelAssoc) connected() {
	a.raw.Control(func(fd uintptr) {
		a.local = addresses(int(fd), ishidawataru.SCTP_GET_LOCAL_ADDRS)
		a.local.Port = localPort(int(fd))
		a.remote = addresses(int(fd), ishidawataru.SCTP_GET_PEER_ADDRS)
	})
}

func (a *kernelAssoc) Local() Endpoint  { return a.local }
func (a *kernelAssoc) Remote() Endpoint { return a.remote }

func (a *kernelAssoc) SetRecvDeadline(t time.Time) error {
	if a.closing.Load() != 0 {
		return nil
	}
	return a.file.SetReadDeadline(t)
}

func (a *kernelAssoc) OnWritable(f func()) { a.notify = f }

func (a *kernelAssoc) Recv() (Event, error) {
	for a.gone == nil {
		if c := a.closing.Load(); c != 0 {
			return Event{}, a.over(&Down{Cause: Cause(c - 1)})
		}
		space := a.in.space()
		if err := a.read(space); err != nil {
			return Event{}, err
		}
		if a.reader.hdr.Flags&ishidawataru.MSG_NOTIFICATION != 0 {
			whole := a.notices.add(space[:a.reader.n], a.reader.hdr.Flags&unix.MSG_EOR != 0)
			if e, ok := a.notice(whole); ok {
				return e, nil
			}
			continue
		}
		if e, ok := a.piece(); ok {
			return e, nil
		}
	}
	return Event{}, a.gone
}

// read is one recvmsg; at the end it sets gone.
func (a *kernelAssoc) read(space []byte) error {
	a.reader.iov.Base = &space[0]
	a.reader.iov.SetLen(len(space))
	err := a.raw.Read(a.tryRecv)
	if c := a.closing.Load(); c != 0 {
		return a.over(&Down{Cause: Cause(c - 1)})
	}
	ended := err != nil || a.reader.errno != 0 || a.reader.n == 0 && a.reader.hdr.Flags&ishidawataru.MSG_NOTIFICATION == 0
	if ended && a.ending != nil {
		return a.over(a.ending)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return os.ErrDeadlineExceeded
	case err != nil:
		return a.over(&Down{Cause: StackFailure, Err: err})
	case a.reader.errno != 0:
		return a.over(&Down{Cause: causeOf(a.reader.errno), Err: a.reader.errno})
	case ended:
		return a.over(&Down{Cause: PeerShutdown})
	}
	return nil
}

// over keeps d as what every later Recv and Send says.
func (a *kernelAssoc) over(d *Down) *Down {
	a.gone = d
	a.down.Store(d)
	return d
}

func causeOf(e syscall.Errno) Cause {
	switch e {
	case unix.ETIMEDOUT:
		return Timeout
	case unix.ECONNRESET, unix.EPIPE:
		return PeerAbort
	case unix.ECONNREFUSED:
		return Refused
	}
	return StackFailure
}

func (a *kernelAssoc) recvmsg(fd uintptr) bool {
	r := &a.reader
	r.hdr.Control, r.hdr.Flags = &r.control[0], 0
	r.hdr.SetControllen(len(r.control))
	n, _, errno := unix.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.hdr)), unix.MSG_DONTWAIT)
	r.n, r.errno = int(n), errno
	return errno != unix.EAGAIN && errno != unix.EINTR || a.ending != nil
}

// piece is what recvmsg gave of a message.
func (a *kernelAssoc) piece() (Event, bool) {
	m, tooLong, done := a.in.add(a.reader.n, a.reader.hdr.Flags&unix.MSG_EOR != 0)
	if !done {
		return Event{}, false
	}
	if tooLong {
		return Event{Kind: TooLong}, true
	}
	a.counts.inMessages.Add(1)
	a.counts.inOctets.Add(uint64(len(m)))
	e := Event{Kind: Data}
	e.Data = m
	e.Stream, e.PPID = receiveInfo(a.reader.control[:a.reader.hdr.Controllen])
	return e, true
}

// receiveInfo finds the stream and the PPID in the ancillary data
// (SCTP_SNDRCV, RFC 6458 clause 5.3.2).
func receiveInfo(control []byte) (stream uint16, ppid uint32) {
	ne := binary.NativeEndian
	for len(control) >= 16 {
		n := int(ne.Uint64(control))
		if n < 16 || n > len(control) {
			break
		}
		if ne.Uint32(control[8:]) == unix.IPPROTO_SCTP && ne.Uint32(control[12:]) == ishidawataru.SCTP_CMSG_SNDRCV && n >= 28 {
			return ne.Uint16(control[16:]), binary.BigEndian.Uint32(control[24:])
		}
		control = control[min((n+7)&^7, len(control)):]
	}
	return 0, 0
}

// notice returns what the owner is told of a notification, if anything. One
// that ends the association sets ending.
func (a *kernelAssoc) notice(b []byte) (Event, bool) {
	n, ok := parseNotice(b)
	if !ok {
		return Event{}, false
	}
	switch n.kind {
	case noticePeerAddrChange:
		return Event{Kind: PathChange, Path: n.path}, n.path.Addr.IsValid()
	case noticeSendFailed:
		return Event{Kind: SendFailed, Message: n.lost}, true
	case noticePartialDelivery:
		a.in.reset()
	case noticeAssocChange:
		return a.assocChange(n)
	}
	return Event{}, false
}

func (a *kernelAssoc) assocChange(n notice) (Event, bool) {
	switch n.state {
	case restart:
		a.in.reset()
		return Event{Kind: Restart}, true
	case shutdownComplete:
		a.ending = &Down{Cause: PeerShutdown}
	case commLost, cantStart:

		d := &Down{Cause: PeerAbort}
		if a.pendingError() == unix.ETIMEDOUT {
			d.Cause = Timeout
		} else {
			d.Code, d.Reason = abortCause(n.abort)
		}
		a.ending = d
	}
	return Event{}, false
}

// pendingError tells what the notification of a loss doesn't: whether the peer
// aborted or no longer answered.
func (a *kernelAssoc) pendingError() syscall.Errno {
	a.raw.Control(func(fd uintptr) {
		if v, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); err == nil && v != 0 {
			a.failure.Store(int32(v))
		}
	})
	return syscall.Errno(a.failure.Load())
}

func (a *kernelAssoc) Send(m Message) error {
	a.sending.Lock()
	defer a.sending.Unlock()
	if d := a.down.Load(); d != nil {
		return d
	}
	if c := a.closing.Load(); c != 0 {
		return &Down{Cause: Cause(c - 1)}
	}
	switch errno := a.transmit(m); errno {
	case 0:
		a.counts.outMessages.Add(1)
		a.counts.outOctets.Add(uint64(len(m.Data)))
		return nil
	case unix.EAGAIN, unix.ENOBUFS:
		a.counts.full.Add(1)
		a.waitWritable()
		return ErrFull
	case unix.EMSGSIZE:
		return ErrTooLong
	case unix.EINVAL:
		return ErrStream
	default:
		if a.pendingError() == unix.ETIMEDOUT {
			errno = unix.ETIMEDOUT
		}
		return &Down{Cause: causeOf(errno), Err: errno}
	}
}

// transmit is one sendmsg.
func (a *kernelAssoc) transmit(m Message) syscall.Errno {
	s, ne := &a.sender, binary.NativeEndian
	s.iov.Base = unsafe.SliceData(m.Data)
	s.iov.SetLen(len(m.Data))
	c := s.control[:]
	clear(c)
	ne.PutUint64(c, uint64(len(c)))
	ne.PutUint32(c[8:], unix.IPPROTO_SCTP)
	ne.PutUint32(c[12:], ishidawataru.SCTP_CMSG_SNDRCV)
	ne.PutUint16(c[16:], m.Stream)
	binary.BigEndian.PutUint32(c[24:], m.PPID)
	s.hdr.Control = &c[0]
	s.hdr.SetControllen(len(c))
	s.errno = unix.ENOTCONN
	a.raw.Control(a.trySend)
	runtime.KeepAlive(m.Data)
	return s.errno
}

func (a *kernelAssoc) sendmsg(fd uintptr) {
	for {
		_, _, errno := unix.Syscall(unix.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(&a.sender.hdr)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if a.sender.errno = errno; errno != unix.EINTR {
			return
		}
	}
}

// waitWritable has notify called when the socket takes data again.
func (a *kernelAssoc) waitWritable() {
	if a.notify == nil || !a.watch.CompareAndSwap(false, true) {
		return
	}
	go func() {
		a.raw.Write(func(fd uintptr) bool {
			ready, err := writable(int(fd))
			if e, ok := err.(unix.Errno); ok {
				a.failure.Store(int32(e))
			}
			return ready || err != nil
		})
		a.watch.Store(false)
		a.notify()
	}()
}

func (a *kernelAssoc) Close() error {
	if !a.closing.CompareAndSwap(0, int32(LocalClose)+1) {
		return nil
	}
	a.sending.Lock()
	defer a.sending.Unlock()
	if a.down.Load() == nil {
		a.raw.Control(func(fd uintptr) {
			unix.Shutdown(int(fd), unix.SHUT_WR)
			a.keepSocket(int(fd))
		})
	}
	return a.file.Close() // a waiting Recv returns
}

// keepSocket keeps a socket open until the shutdown is complete: closing it
// with something unread would abort, and what was sent could be lost. A
// descriptor of its own cannot be confused with one that Recv waits at.
func (a *kernelAssoc) keepSocket(fd int) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return // closed without more ado
	}
	rest := os.NewFile(uintptr(own), "sctp")
	a.rest.Store(rest)
	go a.linger(rest)
}

func (a *kernelAssoc) linger(rest *os.File) {
	defer rest.Close()
	giveUp := time.Now().Add(time.Duration(a.options.AssocMaxRetrans+1) * a.options.RTOMax)
	raw, err := rest.SyscallConn()
	if err != nil || rest.SetReadDeadline(giveUp) != nil {
		return
	}
	waste := make([]byte, firstBuffer)
	for {
		var n, flags int
		var errno error
		err := raw.Read(func(fd uintptr) bool {
			n, _, flags, _, errno = unix.Recvmsg(int(fd), waste, nil, unix.MSG_DONTWAIT)
			return errno != unix.EAGAIN && errno != unix.EINTR
		})
		if err != nil || errno != nil || n == 0 || flags&ishidawataru.MSG_NOTIFICATION != 0 && endsAssociation(waste[:n]) {
			return
		}
	}
}

// endsAssociation tells whether a notification says that nothing follows. What
// is but a piece of one may say so wrongly; the shutdown goes on all the same.
func endsAssociation(b []byte) bool {
	n, ok := parseNotice(b)
	return ok && n.kind == noticeAssocChange && (n.state == commLost || n.state == shutdownComplete)
}

// Abort tells no reason: Linux takes none on a one-to-one socket.
func (a *kernelAssoc) Abort(string) error {
	if !a.closing.CompareAndSwap(0, int32(LocalAbort)+1) {
		if rest := a.rest.Load(); rest != nil {
			abortOnClose(rest)
			rest.Close()
		}
		return nil
	}
	abortOnClose(a.file)
	return a.file.Close()
}

func abortOnClose(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		unix.SetsockoptLinger(int(fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	})
}

func (a *kernelAssoc) Stats() Stats {
	s := Stats{InMessages: a.counts.inMessages.Load(), InOctets: a.counts.inOctets.Load(),
		OutMessages: a.counts.outMessages.Load(), OutOctets: a.counts.outOctets.Load(), Full: a.counts.full.Load()}
	a.raw.Control(func(fd uintptr) { kernelStats(int(fd), a.remote, &s) })
	return s
}
