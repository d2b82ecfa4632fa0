package simnet

import (
	"net"
	"net/netip"
	"sync"

	"poolgw/ns"
)

// conn is one socket of one worker.
type conn struct {
	net    *Network
	addr   netip.AddrPort
	queue  chan datagram
	closed chan struct{}
	once   sync.Once
}

var _ ns.Conn = (*conn)(nil)

func newConn(n *Network, addr netip.AddrPort) *conn {
	return &conn{net: n, addr: addr,
		queue: make(chan datagram, queueLength), closed: make(chan struct{})}
}

// ReadBatch blocks for the first datagram and takes what else is there. A
// datagram longer than its buffer is cut, as UDP does.
func (c *conn) ReadBatch(msgs []ns.Message) (int, error) {
	if len(msgs) == 0 {
		return 0, nil
	}
	select {
	case <-c.closed: // goes before what is queued
		return 0, net.ErrClosed
	default:
	}
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	case d := <-c.queue:
		fill(&msgs[0], d)
	}
	for i := 1; i < len(msgs); i++ {
		select {
		case d := <-c.queue:
			fill(&msgs[i], d)
		default:
			return i, nil
		}
	}
	return len(msgs), nil
}

func fill(m *ns.Message, d datagram) {
	m.N = copy(m.Buf, d.payload)
	m.Addr = d.src
}

// WriteBatch takes every message; what becomes of each is in the network's
// Stats.
func (c *conn) WriteBatch(msgs []ns.Message) (int, error) {
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	default:
	}
	for i := range msgs {
		c.net.send(c.source(msgs[i].Addr), msgs[i].Addr, msgs[i].Buf[:msgs[i].N])
	}
	return len(msgs), nil
}

// source is what a receiver sees: a wildcard bind sends from loopback.
func (c *conn) source(dst netip.AddrPort) netip.AddrPort {
	switch {
	case !c.addr.Addr().IsUnspecified():
		return c.addr
	case dst.Addr().Unmap().Is4():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), c.addr.Port())
	}
	return netip.AddrPortFrom(netip.IPv6Loopback(), c.addr.Port())
}

func (c *conn) LocalAddr() netip.AddrPort { return c.addr }

// Close ends ReadBatch and WriteBatch; the address is free when the last
// socket of its bind is closed.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.net.remove(c)
	})
	return nil
}

func (n *Network) remove(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	rest := make([]*conn, 0, len(n.ports[c.addr]))
	for _, o := range n.ports[c.addr] {
		if o != c {
			rest = append(rest, o)
		}
	}
	if len(rest) == 0 {
		delete(n.ports, c.addr)
		return
	}
	n.ports[c.addr] = rest
}
