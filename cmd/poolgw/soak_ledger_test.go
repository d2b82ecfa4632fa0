package main

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"poolgw/ns"
)

// ledger is a Network of the kernel's UDP that counts what peers send and what
// reaches them. A socket once opened stays: what comes for a peer that is dead
// arrives all the same, and is counted.
type ledger struct {
	kernel ns.KernelUDP
	mu     sync.Mutex
	boxes  map[netip.AddrPort]*box

	sent, arrived, buried traffic
}

// traffic is PDUs by direction of their user data.
type traffic struct{ up, down, other atomic.Uint64 }

func (c *traffic) count(dgram []byte) {
	switch {
	case len(dgram) < 5 || dgram[0] != 0: // NS-UNITDATA
		c.other.Add(1)
	case dgram[4] == 0: // DL-UNITDATA
		c.down.Add(1)
	case dgram[4] == 1: // UL-UNITDATA
		c.up.Add(1)
	default:
		c.other.Add(1)
	}
}

// box is a socket.
type box struct {
	l     *ledger
	conn  ns.Conn
	mu    sync.Mutex
	owner *ledgerConn // nil: its peer is dead
}

// ledgerConn is a peer's hold on a socket.
type ledgerConn struct {
	*box
	in     chan ns.Message
	closed chan struct{}
	once   sync.Once
}

func newLedger() *ledger { return &ledger{boxes: map[netip.AddrPort]*box{}} }

func (l *ledger) Listen(b ns.BindConfig, _ int) ([]ns.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.boxes[b.Listen]
	if x == nil {
		conns, err := l.kernel.Listen(b, 1)
		if err != nil {
			return nil, err
		}
		x = &box{l: l, conn: conns[0]}
		l.boxes[b.Listen] = x
		go x.read()
	}
	c := &ledgerConn{box: x, in: make(chan ns.Message, 65536), closed: make(chan struct{})}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.owner = c
	return []ns.Conn{c}, nil
}

// addrs lists the sockets.
func (l *ledger) addrs() (list []netip.AddrPort) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a := range l.boxes {
		list = append(list, a)
	}
	return list
}

// close closes all sockets.
func (l *ledger) close() {
	for _, x := range l.boxes {
		x.conn.Close()
	}
}

func (x *box) read() {
	msgs := make([]ns.Message, 32)
	for i := range msgs {
		msgs[i].Buf = make([]byte, ns.MaxDatagram)
	}
	for {
		n, err := x.conn.ReadBatch(msgs)
		if err != nil {
			return
		}
		for _, m := range msgs[:n] {
			x.deliver(m)
		}
	}
}

func (x *box) deliver(m ns.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.l.arrived.count(m.Buf[:m.N])
	if x.owner == nil {
		x.l.buried.count(m.Buf[:m.N])
		return
	}
	x.owner.in <- ns.Message{Buf: append([]byte(nil), m.Buf[:m.N]...), N: m.N, Addr: m.Addr}
}

func (c *ledgerConn) ReadBatch(msgs []ns.Message) (int, error) {
	select {
	case m := <-c.in:
		msgs[0].N, msgs[0].Addr = copy(msgs[0].Buf, m.Buf), m.Addr
		return 1, nil
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *ledgerConn) WriteBatch(msgs []ns.Message) (int, error) {
	n, err := c.conn.WriteBatch(msgs)
	for _, m := range msgs[:n] {
		c.l.sent.count(m.Buf[:m.N])
	}
	return n, err
}

func (c *ledgerConn) LocalAddr() netip.AddrPort { return c.conn.LocalAddr() }

func (c *ledgerConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.owner == c {
			c.owner = nil
		}
	})
	return nil
}
