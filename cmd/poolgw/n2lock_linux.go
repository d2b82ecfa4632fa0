package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"poolgw/sctp"
)

// exclusive is a userspace stack whose listening addresses no other process's
// poolgw can have: those stacks do not know of each other, and both would answer.
type exclusive struct{ sctp.Transport }

func (x exclusive) Listen(local sctp.Endpoint, o sctp.Options) (sctp.Listener, error) {
	var held []net.Listener
	release := func() {
		for _, l := range held {
			l.Close()
		}
	}
	for _, a := range local.Addrs {
		l, err := hold(a, local.Port, o.Encapsulation)
		if err != nil {
			release()
			return nil, fmt.Errorf("sctp: listen %s: bind: %w", local, err)
		}
		held = append(held, l)
	}
	l, err := x.Transport.Listen(local, o)
	if err != nil {
		release()
		return nil, err
	}
	return &exclusiveListener{l, release}, nil
}

// hold takes a name that one process of a network namespace can have: an abstract
// Unix socket, which ends with the process.
func hold(a netip.Addr, port, udp uint16) (net.Listener, error) {
	l, err := net.Listen("unix", fmt.Sprintf("@poolgw sctp %s %d %d", a, port, udp))
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return nil, op.Err
	}
	return l, err
}

type exclusiveListener struct {
	sctp.Listener
	release func()
}

func (l *exclusiveListener) Close() error {
	defer l.release()
	return l.Listener.Close()
}
