package load

import (
	"fmt"
	"net"
	"net/netip"
	"sync"

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
}

// tapQueue is how many datagrams may wait for the stack; more are lost, as they
// would be in a full socket.
const tapQueue = 256

func newTap(n *node) *tap {
	return &tap{node: n, in: make(chan []byte, tapQueue), closed: make(chan struct{})}
}

func (t *tap) put(b []byte) {
	select {
	case t.in <- append([]byte(nil), b...):
	default:
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
