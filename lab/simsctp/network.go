package simsctp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"poolgw/sctp"
)

const (
	firstEphemeral = 32768
	bufferSize     = 256 << 10 // octets, where Options say 0
)

// Packet is one message as the Tap sees it; Data is valid during the call.
type Packet struct {
	Time     time.Time
	Src, Dst sctp.Endpoint
	sctp.Message
}

// Network is a set of hosts that reach each other. It is the Transport of all
// of them: a local address is taken by whoever uses it. All methods may be
// called from any goroutine.
type Network struct {
	latency time.Duration

	mu        sync.Mutex
	listeners []*listener
	assocs    map[*assoc]struct{}
	cuts      map[[2]netip.Addr]bool
	ephemeral uint16
	tap       func(Packet)
	events    []event // what is to happen, the earliest first
	serial    uint64
}

// New returns a network whose messages take latency, one way.
func New(latency time.Duration) *Network {
	return &Network{latency: latency, assocs: map[*assoc]struct{}{}, cuts: map[[2]netip.Addr]bool{}, ephemeral: firstEphemeral}
}

// Name is "memory".
func (n *Network) Name() string { return "memory" }

// Tap shows every message to f when it is sent, under the network's lock.
func (n *Network) Tap(f func(Packet)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tap = f
}

// Listen takes associations at local. The error wraps syscall.EADDRINUSE when
// one of its addresses is taken.
func (n *Network) Listen(local sctp.Endpoint, o sctp.Options) (sctp.Listener, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(local.Addrs) == 0 {
		return nil, fmt.Errorf("simsctp: listen: no address")
	}
	for _, a := range local.Addrs {
		if n.listener(a, local.Port) != nil {
			return nil, fmt.Errorf("simsctp: listen %s: %w", local, os.NewSyscallError("bind", syscall.EADDRINUSE))
		}
	}
	l := &listener{net: n, local: local, options: o, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	n.listeners = append(n.listeners, l)
	return l, nil
}

func (n *Network) listener(a netip.Addr, port uint16) *listener {
	for _, l := range n.listeners {
		if l.local.Port == port && l.local.Has(a) {
			return l
		}
	}
	return nil
}

// Dial opens an association; a local without addresses is 127.0.0.1 or ::1.
func (n *Network) Dial(ctx context.Context, local, remote sctp.Endpoint, o sctp.Options) (sctp.Assoc, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(remote.Addrs) == 0 {
		return nil, fmt.Errorf("simsctp: dial: no address")
	}
	local = n.complete(local, remote)
	for range o.InitAttempts {
		if err := sleep(ctx, 2*n.latency); err != nil {
			return nil, err
		}
		a, err := n.connect(local, remote, o)
		if a != nil || err != nil {
			return a, err
		}
		if err := sleep(ctx, o.InitTimeout); err != nil {
			return nil, err
		}
	}
	return nil, &sctp.Down{Cause: sctp.InitTimeout}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (n *Network) complete(local, remote sctp.Endpoint) sctp.Endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(local.Addrs) == 0 {
		a := netip.MustParseAddr("127.0.0.1")
		if remote.Addrs[0].Is6() {
			a = netip.IPv6Loopback()
		}
		local.Addrs = []netip.Addr{a}
	}
	if local.Port == 0 {
		n.ephemeral = max(n.ephemeral+1, firstEphemeral)
		local.Port = n.ephemeral
	}
	return local
}

// connect is one INIT: an association, a refusal, or nothing when it is lost.
func (n *Network) connect(local, remote sctp.Endpoint, o sctp.Options) (sctp.Assoc, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.find(local, remote) != nil {
		return nil, fmt.Errorf("simsctp: dial %s: %w", remote, os.NewSyscallError("connect", syscall.EISCONN))
	}
	for _, ra := range remote.Addrs {
		for _, la := range local.Addrs {
			if n.cut(la, ra) {
				continue
			}
			if old := n.find(sctp.At(remote.Port, ra), local); old != nil {
				return old.restart(local, o), nil
			}
			l := n.listener(ra, remote.Port)
			if l == nil || len(l.backlog) >= l.options.Backlog {
				return nil, &sctp.Down{Cause: sctp.Refused}
			}
			return n.pair(local, l, o), nil
		}
	}
	return nil, nil
}

// pair makes both ends of an association, the second one l's.
func (n *Network) pair(local sctp.Endpoint, l *listener, o sctp.Options) *assoc {
	a, b := newAssoc(n, local, l.local, o), newAssoc(n, l.local, local, l.options)
	a.join(b)
	l.backlog = append(l.backlog, b)
	notify(l.wake)
	return a
}

// find returns the association whose own end is local and whose peer is remote.
func (n *Network) find(local, remote sctp.Endpoint) *assoc {
	for a := range n.assocs {
		if a.local.Port == local.Port && a.remote.Port == remote.Port &&
			a.local.Has(local.Addrs[0]) && a.remote.Has(remote.Addrs[0]) {
			return a
		}
	}
	return nil
}

// Cut parts address a from address b in both directions until Heal; an invalid
// b stands for every address.
func (n *Network) Cut(a, b netip.Addr) { n.setCut(a, b, true) }

// Heal ends the Cut with the same arguments.
func (n *Network) Heal(a, b netip.Addr) { n.setCut(a, b, false) }

func (n *Network) setCut(a, b netip.Addr, cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if cut {
		n.cuts[[2]netip.Addr{a, b}] = true
	} else {
		delete(n.cuts, [2]netip.Addr{a, b})
	}
	for s := range n.assocs {
		s.judgePaths()
	}
}

func (n *Network) cut(a, b netip.Addr) bool {
	var any netip.Addr
	return n.cuts[[2]netip.Addr{a, b}] || n.cuts[[2]netip.Addr{b, a}] ||
		n.cuts[[2]netip.Addr{a, any}] || n.cuts[[2]netip.Addr{b, any}]
}

// Vanish takes every listener and association at addr away without a word, as
// a power cut does. Its peers find out by their next heartbeat: by an ABORT,
// since the host itself is up again (Cut it as well for one that stays away).
func (n *Network) Vanish(addr netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range append([]*listener(nil), n.listeners...) {
		if l.local.Has(addr) {
			l.closeLocked()
		}
	}
	for a := range n.assocs {
		if a.local.Has(addr) {
			peer := a.peer
			a.end(&sctp.Down{Cause: sctp.StackFailure, Err: net.ErrClosed})
			if peer != nil {
				peer.peer = nil
				peer.after(peer.options.HeartbeatInterval, func() {
					if peer.peer == nil && peer.anyPath() {
						peer.end(&sctp.Down{Cause: sctp.PeerAbort})
					}
				})
			}
		}
	}
}

// Associations counts the ends that are up.
func (n *Network) Associations() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.assocs)
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
