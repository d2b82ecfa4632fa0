//go:build amd64 || arm64

package sctp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	ishidawataru "github.com/ishidawataru/sctp"
	"golang.org/x/sys/unix"
)

// Kernel returns the kernel's stack, or why there is none and what to do.
func Kernel() (Transport, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_SCTP)
	switch {
	case errors.Is(err, unix.EPROTONOSUPPORT), errors.Is(err, unix.ESOCKTNOSUPPORT), errors.Is(err, unix.EAFNOSUPPORT):
		return nil, errors.New("sctp: the kernel has no SCTP: load its module (modprobe sctp), or take transport userspace")
	case err != nil:
		return nil, fmt.Errorf("sctp: kernel: %w", os.NewSyscallError("socket", err))
	}
	unix.Close(fd)
	return kernel{}, nil
}

// kernel is the Transport of one-to-one sockets on the runtime's poller.
type kernel struct{}

func (kernel) Name() string { return "kernel" }

// kernelListener takes associations from a socket.
type kernelListener struct {
	file    *os.File
	raw     syscall.RawConn
	local   Endpoint
	options Options
	closed  atomic.Bool
}

func (k kernel) Listen(local Endpoint, o Options) (Listener, error) {
	fail := func(call string, err error) error {
		return fmt.Errorf("sctp: listen %s: %w", local, os.NewSyscallError(call, err))
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(local.Addrs) == 0 {
		return nil, errors.New("sctp: listen: no address; a wildcard would announce every address of this host")
	}
	if err := udpAllowed(&o); err != nil {
		return nil, err
	}
	fd, err := openSocket(local.Addrs, &o)
	if err != nil {
		return nil, fail("socket", err)
	}
	// A gateway that restarts must not wait for associations of its former life.
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err == nil {
		err = ishidawataru.SCTPBind(fd, toIshidawataru(local), ishidawataru.SCTP_BINDX_ADD_ADDR)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fail("bind", err)
	}
	if err := unix.Listen(fd, o.Backlog); err != nil {
		unix.Close(fd)
		return nil, fail("listen", err)
	}
	l := &kernelListener{file: os.NewFile(uintptr(fd), "sctp "+local.String()), local: local, options: o}
	if local.Port == 0 {
		l.local = Endpoint{Addrs: local.Addrs, Port: localPort(fd)}
	}
	if l.raw, err = l.file.SyscallConn(); err != nil {
		l.file.Close()
		return nil, fail("poll", err)
	}
	return l, nil
}

// udpAllowed tells why associations over UDP are impossible, before they time
// out: the kernel takes no answer unless it has a port.
func udpAllowed(o *Options) error {
	if o.Encapsulation == 0 {
		return nil
	}
	port, err := os.ReadFile("/proc/sys/net/sctp/udp_port")
	if err != nil {
		return errors.New("sctp: this kernel has no UDP encapsulation (Linux 5.11 has): take transport userspace")
	}
	if strings.TrimSpace(string(port)) == "0" {
		return errors.New("sctp: the kernel's UDP encapsulation is off: sysctl net.sctp.udp_port=9899, or take transport userspace")
	}
	return nil
}

// openSocket returns a non-blocking socket that carries addrs, with o set.
func openSocket(addrs []netip.Addr, o *Options) (int, error) {
	family := unix.AF_INET
	for _, a := range addrs {
		if a.Is6() && !a.Is4In6() {
			family = unix.AF_INET6
		}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_SCTP)
	if err != nil {
		return -1, err
	}
	if err := setOptions(fd, family, o); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func toIshidawataru(e Endpoint) *ishidawataru.SCTPAddr {
	a := &ishidawataru.SCTPAddr{Port: int(e.Port)}
	for _, ip := range e.Addrs {
		a.IPAddrs = append(a.IPAddrs, net.IPAddr{IP: ip.AsSlice(), Zone: ip.Zone()})
	}
	return a
}

func (l *kernelListener) Local() Endpoint { return l.local }

func (l *kernelListener) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	return l.file.Close()
}

func (l *kernelListener) Accept(ctx context.Context) (Assoc, error) {
	stop := l.endWith(ctx)
	defer stop()
	for {
		fd, err := l.accept()
		switch {
		case err == nil:
			return newKernelAssoc(fd, l.options)
		case errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil:
			return nil, ctx.Err()
		case l.closed.Load():
			return nil, net.ErrClosed
		case errors.Is(err, unix.ECONNABORTED): // it ended while it waited
		default:
			return nil, fmt.Errorf("sctp: accept at %s: %w", l.local, err)
		}
	}
}

// endWith makes a read of l's socket end with ctx.
func (l *kernelListener) endWith(ctx context.Context) (stop func()) {
	over := make(chan struct{})
	halt := context.AfterFunc(ctx, func() {
		l.file.SetReadDeadline(time.Unix(1, 0))
		close(over)
	})
	return func() {
		if !halt() {
			<-over
			l.file.SetReadDeadline(time.Time{})
		}
	}
}

func (l *kernelListener) accept() (fd int, err error) {
	pollErr := l.raw.Read(func(s uintptr) bool {
		r, _, errno := unix.Syscall6(unix.SYS_ACCEPT4, s, 0, 0, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
		fd, err = int(r), nil
		if errno != 0 {
			err = os.NewSyscallError("accept4", errno)
		}
		return errno != unix.EAGAIN && errno != unix.EINTR
	})
	if pollErr != nil {
		return -1, pollErr
	}
	return fd, err
}

func (k kernel) Dial(ctx context.Context, local, remote Endpoint, o Options) (Assoc, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(remote.Addrs) == 0 {
		return nil, errors.New("sctp: dial: no address")
	}
	if err := udpAllowed(&o); err != nil {
		return nil, err
	}
	local, err := explicit(local, remote)
	if err != nil {
		return nil, err
	}
	fail := func(call string, err error) error {
		return fmt.Errorf("sctp: dial %s from %s: %w", remote, local, os.NewSyscallError(call, err))
	}
	fd, err := openSocket(append(remote.Addrs[:len(remote.Addrs):len(remote.Addrs)], local.Addrs...), &o)
	if err != nil {
		return nil, fail("socket", err)
	}
	if err := ishidawataru.SCTPBind(fd, toIshidawataru(local), ishidawataru.SCTP_BINDX_ADD_ADDR); err != nil {
		unix.Close(fd)
		return nil, fail("bind", err)
	}
	_, err = ishidawataru.SCTPConnect(fd, toIshidawataru(remote))
	if err != nil && err != unix.EINPROGRESS && err != unix.EISCONN && err != unix.EINTR {
		unix.Close(fd)
		return nil, fail("connect", err)
	}
	a, err := newKernelAssoc(fd, o)
	if err != nil {
		return nil, err
	}
	if err := a.waitConnected(ctx, remote); err != nil {
		a.file.Close()
		return nil, err
	}
	return a, nil
}

// waitConnected ends when the INIT was answered, or with ctx.
func (a *kernelAssoc) waitConnected(ctx context.Context, remote Endpoint) error {
	stop := context.AfterFunc(ctx, func() { a.file.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	var result error
	err := a.raw.Write(func(fd uintptr) bool {
		ready, err := writable(int(fd))
		result = err
		return ready || err != nil
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("sctp: dial %s: %w", remote, err)
	case errors.Is(result, unix.ECONNREFUSED):
		return &Down{Cause: Refused}
	case errors.Is(result, unix.ETIMEDOUT):
		return &Down{Cause: InitTimeout}
	case result != nil:
		return fmt.Errorf("sctp: dial %s: %w", remote, os.NewSyscallError("connect", result))
	}
	a.connected()
	return nil
}

// writable asks the socket whether it takes data, and for its pending error.
func writable(fd int) (bool, error) {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(p, 0); err != nil || n == 0 {
		return false, nil // EINTR: the next edge asks again
	}
	if e, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && e != 0 {
		return true, unix.Errno(e)
	}
	return p[0].Revents&(unix.POLLOUT|unix.POLLERR|unix.POLLHUP) != 0, nil
}
