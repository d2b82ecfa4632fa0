package vty

import (
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// pipe is a client within a synctest bubble.
type pipe struct {
	conn net.Conn

	mu    sync.Mutex
	got   strings.Builder
	hears chan struct{} // taken while deaf; a mutex would hold up the bubble's clock
	over  bool
}

// piped runs f against a server that carries one session over net.Pipe, in a
// bubble whose clock is f's.
func piped(t *testing.T, logs Logs, set Settings, f func(*Server, *pipe)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(proxyTree(), nil, logs, set)
		here, there := net.Pipe()
		c := &pipe{conn: here, hears: make(chan struct{}, 1)}
		var all sync.WaitGroup
		all.Go(func() { s.ServeConn(there) })
		all.Go(c.read)
		synctest.Wait()
		f(s, c)
		s.Close()
		s.Wait()
		here.Close()
		all.Wait()
	})
}

func (c *pipe) read() {
	var buf [512]byte
	for {
		n, err := c.conn.Read(buf[:])
		c.mu.Lock()
		c.got.Write(buf[:n])
		c.over = c.over || err != nil
		c.mu.Unlock()
		if err != nil {
			return
		}
		c.hears <- struct{}{}
		<-c.hears
	}
}

func (c *pipe) deaf(yes bool) {
	if yes {
		c.hears <- struct{}{}
	} else {
		<-c.hears
	}
}

func (c *pipe) send(keys string) { c.conn.Write([]byte(keys)) }

// settle waits until nothing moves and returns all that came.
func (c *pipe) settle() string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.String()
}

// ended tells whether the server has closed the connection.
func (c *pipe) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}
