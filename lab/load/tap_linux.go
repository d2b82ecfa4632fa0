package load

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"poolgw/ns"
)

// tap gives the NS stack the part of a node's socket that is not user data: the
// generator reads the socket and hands it on, the stack writes to it.
type tap struct {
	node   *node
	in     chan []byte
	closed chan struct{}
	once   sync.Once
	count  *keepalives // of all nodes
}

// keepalives counts the test procedure of NS-VCs (TS 48.016 7.4) at the nodes.
type keepalives struct {
	asked, answered atomic.Uint64 // NS-ALIVE that nodes sent, NS-ALIVE-ACK that they got
	heard, replied  atomic.Uint64 // NS-ALIVE that nodes got, NS-ALIVE-ACK that they sent
	crowded         atomic.Uint64 // PDUs of management that nodes had no room for
}

// note counts one datagram in the row of its type.
func note(dgram []byte, alive, ack *atomic.Uint64) {
	if len(dgram) != 1 {
		return
	}
	switch ns.PDUType(dgram[0]) {
	case ns.PDUAlive:
		alive.Add(1)
	case ns.PDUAliveAck:
		ack.Add(1)
	}
}

// tapQueue is how many datagrams may wait for the stack; more are lost, as they
// would be in a full socket.
const tapQueue = 256

func newTap(n *node, k *keepalives) *tap {
	return &tap{node: n, count: k, in: make(chan []byte, tapQueue), closed: make(chan struct{})}
}

func (t *tap) put(b []byte) {
	select {
	case t.in <- append([]byte(nil), b...):
		note(b, &t.count.heard, &t.count.answered)
	default:
		t.count.crowded.Add(1)
	}
}

// ReadBatch implements ns.Conn.
func (t *tap) ReadBatch(msgs []ns.Message) (int, error) {
	select {
	case b := <-t.in:
		msgs[0].N, msgs[0].Addr = copy(msgs[0].Buf, b), t.node.peer
		return 1, nil
	case <-t.closed:
		return 0, net.ErrClosed
	}
}

// WriteBatch implements ns.Conn. What the kernel refuses is lost, as on a
// network; the procedures repeat it.
func (t *tap) WriteBatch(msgs []ns.Message) (int, error) {
	for i := range msgs {
		_, _ = unix.Write(t.node.fd, msgs[i].Buf[:msgs[i].N])
		note(msgs[i].Buf[:msgs[i].N], &t.count.asked, &t.count.replied)
	}
	return len(msgs), nil
}

// LocalAddr implements ns.Conn.
func (t *tap) LocalAddr() netip.AddrPort { return t.node.local }

// Close implements ns.Conn; the socket stays the generator's.
func (t *tap) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// taps is the ns.Network of all nodes; a bind's name is the node's number.
type taps []*node

func bindName(i int) string { return fmt.Sprintf("node%d", i) }

// Listen implements ns.Network.
func (t taps) Listen(b ns.BindConfig, _ int) ([]ns.Conn, error) {
	for i, n := range t {
		if b.Name == bindName(i) {
			return []ns.Conn{n.tap}, nil
		}
	}
	return nil, net.ErrClosed
}
