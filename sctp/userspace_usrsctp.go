//go:build usrsctp && cgo

package sctp

// #cgo pkg-config: usrsctp
// #include "userspace.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
)

// userspace is the Transport of usrsctp. The library's state and threads are the
// process's: there is one.
type userspace struct{ options UserspaceOptions }

var theUserspace struct {
	sync.Mutex
	started *userspace
}

// Userspace starts the userspace stack, or returns the one that runs, which
// must have been started with the same options. It needs the right to open raw
// sockets (CAP_NET_RAW), but for associations over UDP.
func Userspace(o UserspaceOptions) (Transport, error) {
	theUserspace.Lock()
	defer theUserspace.Unlock()
	if s := theUserspace.started; s != nil {
		if s.options != o {
			if s.options.UDPPort == 0 {
				return nil, errors.New("sctp: the userspace stack runs without UDP encapsulation already, and can't change: write it to the file, transport before listen, and start anew")
			}
			return nil, fmt.Errorf("sctp: the userspace stack runs with UDP port %d already, and can't change: write the other to the file, and start anew", s.options.UDPPort)
		}
		return s, nil
	}
	if o.UDPPort != 0 {
		// The library reports nothing: see for ourselves.
		for _, network := range []string{"udp4", "udp6"} {
			c, err := net.ListenUDP(network, &net.UDPAddr{Port: int(o.UDPPort)})
			if err == nil {
				c.Close()
			} else if !errors.Is(err, syscall.EAFNOSUPPORT) {
				return nil, fmt.Errorf("sctp: encapsulation port: %w; take another udp-encapsulation port, or end what holds it", err)
			}
		}
	}
	if err := hearBell(); err != nil {
		return nil, err
	}
	shared := C.int(0)
	if o.Shared {
		shared = 1
	}
	C.pg_init(C.uint16_t(o.UDPPort), shared)
	theUserspace.started = &userspace{options: o}
	return theUserspace.started, nil
}

func (*userspace) Name() string { return "userspace" }

func userspaceAvailable(encapsulated bool) error {
	if encapsulated {
		return nil
	}
	return rawAllowed(&Options{})
}

// rawAllowed tells why associations over IP are impossible, before they time out.
func rawAllowed(o *Options) error {
	if o.Encapsulation != 0 {
		return nil
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, 132)
	if err != nil {
		return fmt.Errorf("sctp: the userspace stack may not open raw sockets: run as root, give CAP_NET_RAW, or use udp-encapsulation: %w",
			os.NewSyscallError("socket", err))
	}
	return syscall.Close(fd)
}

func toC(e Endpoint) (C.struct_pg_endpoint, error) {
	c := C.struct_pg_endpoint{port: C.uint16_t(e.Port)}
	if len(e.Addrs) > len(c.address) {
		return c, fmt.Errorf("sctp: more than %d addresses", len(c.address))
	}
	for i, a := range e.Addrs {
		c.address[i] = addressToC(a)
	}
	c.count = C.int(len(e.Addrs))
	return c, nil
}

func addressToC(a netip.Addr) (c C.struct_pg_address) {
	c.family = 6
	if a = a.Unmap(); a.Is4() {
		c.family = 4
	}
	for i, o := range a.AsSlice() {
		c.octets[i] = C.uint8_t(o)
	}
	return c
}

func addressFromC(c *C.struct_pg_address) netip.Addr {
	var o [16]byte
	for i := range o {
		o[i] = byte(c.octets[i])
	}
	if c.family == 4 {
		return netip.AddrFrom4([4]byte(o[:4]))
	}
	return netip.AddrFrom16(o).Unmap()
}

func fromC(c *C.struct_pg_endpoint) Endpoint {
	e := Endpoint{Port: uint16(c.port)}
	for i := range int(c.count) {
		e.Addrs = append(e.Addrs, addressFromC(&c.address[i]))
	}
	return e
}

func (o *Options) toC() C.struct_pg_options {
	return C.struct_pg_options{
		heartbeat_ms: C.uint32_t(o.HeartbeatInterval.Milliseconds()), rto_initial_ms: C.uint32_t(o.RTOInitial.Milliseconds()),
		rto_min_ms: C.uint32_t(o.RTOMin.Milliseconds()), rto_max_ms: C.uint32_t(o.RTOMax.Milliseconds()),
		init_timeout_ms: C.uint32_t(o.InitTimeout.Milliseconds()), path_max_retrans: C.uint16_t(o.PathMaxRetrans),
		assoc_max_retrans: C.uint16_t(o.AssocMaxRetrans), init_attempts: C.uint16_t(o.InitAttempts), streams: C.uint16_t(o.Streams),
		encapsulation: C.uint16_t(o.Encapsulation), dscp: C.uint8_t(o.DSCP),
		send_buffer: C.int(o.SendBuffer), receive_buffer: C.int(o.ReceiveBuffer),
	}
}

func errnoOf(r C.int) error {
	if r == 0 {
		return nil
	}
	return syscall.Errno(r)
}

func hasIPv6(e ...Endpoint) C.int {
	for _, e := range e {
		for _, a := range e.Addrs {
			if a.Is6() && !a.Is4In6() {
				return 1
			}
		}
	}
	return 0
}

// hinted says of an address that is not there what may be the matter.
func hinted(call string, err error) error {
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		call += " (the userspace stack knows the addresses that were there when it started: restart poolgw after adding one)"
	}
	return os.NewSyscallError(call, err)
}

type userspaceListener struct {
	options Options
	local   Endpoint
	signals *signals
	closed  chan struct{}

	mu     sync.Mutex // of calls with so
	so     *C.struct_socket
	source *C.struct_pg_source
	isOver bool
}

func (u *userspace) Listen(local Endpoint, o Options) (Listener, error) {
	fail := func(call string, err error) error {
		return fmt.Errorf("sctp: listen %s: %w", local, hinted(call, err))
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(local.Addrs) == 0 {
		return nil, errors.New("sctp: listen: no address; a wildcard would announce every address of this host")
	}
	if err := rawAllowed(&o); err != nil {
		return nil, err
	}
	at, err := toC(local)
	if err != nil {
		return nil, err
	}
	l := &userspaceListener{options: o, local: local, closed: make(chan struct{})}
	l.signals = newSignals()
	opts := o.toC()
	if err := errnoOf(C.pg_open(&at, hasIPv6(local), &opts, l.signals.slot, &l.so, &l.source)); err != nil {
		l.signals.drop()
		return nil, fail("bind", err)
	}
	if err := errnoOf(C.pg_listen(l.so, C.int(o.Backlog))); err != nil {
		l.Close()
		return nil, fail("listen", err)
	}
	var now C.struct_pg_endpoint
	C.pg_addresses(l.so, 0, &now)
	l.local.Port = uint16(now.port)
	return l, nil
}

func (l *userspaceListener) Local() Endpoint { return l.local }

func (l *userspaceListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver {
		return nil
	}
	l.isOver = true
	close(l.closed)
	C.pg_close(l.so, 0)
	C.pg_source_drop(l.source)
	l.signals.drop()
	return nil
}

func (l *userspaceListener) Accept(ctx context.Context) (Assoc, error) {
	for {
		a, err := l.accept()
		if a != nil || err != nil {
			return a, err
		}
		select {
		case <-l.signals.readable:
		case <-l.closed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// accept returns nothing, and no error, when nobody waits.
func (l *userspaceListener) accept() (Assoc, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOver {
		return nil, net.ErrClosed
	}
	a := newUserspaceAssoc(l.options)
	switch err := errnoOf(C.pg_accept(l.so, a.signals.slot, &a.so)); err {
	case nil:
		a.source = C.pg_source_share(l.source)
		a.connected()
		return a, nil
	case syscall.EAGAIN, syscall.ECONNABORTED, syscall.EINTR:
		a.signals.drop()
		return nil, nil
	default:
		a.signals.drop()
		return nil, fmt.Errorf("sctp: accept at %s: %w", l.local, os.NewSyscallError("accept", err))
	}
}

func (u *userspace) Dial(ctx context.Context, local, remote Endpoint, o Options) (Assoc, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(remote.Addrs) == 0 {
		return nil, errors.New("sctp: dial: no address")
	}
	if err := rawAllowed(&o); err != nil {
		return nil, err
	}
	local, err := explicit(local, remote)
	if err != nil {
		return nil, err
	}
	fail := func(call string, err error) error {
		return fmt.Errorf("sctp: dial %s from %s: %w", remote, local, hinted(call, err))
	}
	from, err := toC(local)
	if err != nil {
		return nil, err
	}
	to, err := toC(remote)
	if err != nil {
		return nil, err
	}
	a, opts := newUserspaceAssoc(o), o.toC()
	if err := errnoOf(C.pg_open(&from, hasIPv6(local, remote), &opts, a.signals.slot, &a.so, &a.source)); err != nil {
		a.signals.drop()
		return nil, fail("bind", err)
	}
	if err := errnoOf(C.pg_connect(a.so, &to)); err != nil && err != syscall.EINPROGRESS {
		a.release(1)
		return nil, fail("connect", err)
	}
	if err := a.waitConnected(ctx); err != nil {
		a.release(1)
		return nil, err
	}
	return a, nil
}
