package stats

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// tcpGroup are the items of one TCP socket, as the kernel has them (tcp(7),
// TCP_INFO), by libosmocore's names.
var tcpGroup = &Group{Name: "tcp", Text: "stats tcp", Level: "global", Items: true, Counters: []Counter{
	{Name: "tcp:unacked", Text: "unacknowledged packets"}, {Name: "tcp:lost", Text: "lost packets"},
	{Name: "tcp:retrans", Text: "retransmitted packets"}, {Name: "tcp:rtt", Text: "roundtrip-time", Unit: "us"},
	{Name: "tcp:rcv_rtt", Text: "roundtrip-time (receive)", Unit: "us"},
	{Name: "tcp:notsent_bytes", Text: "bytes not yet sent"},
	{Name: "tcp:rwnd_limited", Text: "time (usec) limited by receive window"},
	{Name: "tcp:sndbuf_limited", Text: "Time (usec) limited by send buffer"},
	{Name: "tcp:reord_seen", Text: "reordering events seen"},
}}

// TCPGroup returns the description of the items of a TCP socket.
func TCPGroup() *Group { return tcpGroup }

// TCP watches TCP sockets.
type TCP struct {
	mu   sync.Mutex
	next uint64 // number of the socket that is looked at next
	made uint64
	list []*tcpSocket
}

type tcpSocket struct {
	number uint64
	conn   *net.TCPConn
	fd     uint32
	name   string
	values []uint64 // nil: not looked at yet
}

// Watch adds a connection until done is called; one that is not TCP is left
// alone.
func (t *TCP) Watch(c net.Conn) (done func()) {
	conn, ok := c.(*net.TCPConn)
	if !ok {
		return func() {}
	}
	s := &tcpSocket{conn: conn, name: fmt.Sprintf("r=%s<->l=%s", c.RemoteAddr(), c.LocalAddr())}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made++
	s.number = t.made
	t.list = append(t.list, s)
	return func() { t.forget(s) }
}

func (t *TCP) forget(s *tcpSocket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, x := range t.list {
		if x == s {
			t.list = append(t.list[:i], t.list[i+1:]...)
			return
		}
	}
}

// look reads batch sockets, those that were not looked at for longest; 0: all.
func (t *TCP) look(batch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if batch <= 0 || batch > len(t.list) {
		batch = len(t.list)
	}
	at := 0
	for at < len(t.list) && t.list[at].number <= t.next {
		at++
	}
	for range batch {
		s := t.list[at%len(t.list)]
		s.look()
		t.next = s.number
		at++
	}
}

// Source gives the sockets' items to a Registry.
func (t *TCP) Source(_ context.Context, _ Query, visit Visit) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.list {
		if s.values != nil {
			visit(tcpGroup, s.fd, s.name, s.values)
		}
	}
	return nil
}
