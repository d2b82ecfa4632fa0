package ctrl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxSessions bounds the peers served at once, writeWait the time one may
// take to accept an answer.
const (
	maxSessions = 32
	writeWait   = 5 * time.Second
)

// Server serves Vars over TCP.
type Server struct {
	vars *Vars
	log  *slog.Logger
	// Watch, if set before Listen, is called with each session's connection, and
	// done when it ends.
	Watch func(net.Conn) (done func())

	mu       sync.Mutex
	addr     netip.AddrPort
	listener net.Listener
	sessions map[*session]struct{}
	wg       sync.WaitGroup
	count    counters
}

// NewServer returns a server that does not listen yet.
func NewServer(vars *Vars, log *slog.Logger) *Server {
	return &Server{vars: vars, log: log.With("cat", "lctrl"), sessions: map[*session]struct{}{}}
}

// Listen moves the server to addr; sessions on the old address stay. On error
// the old address stays.
func (s *Server) Listen(addr netip.AddrPort) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if addr == s.addr {
		return nil
	}
	l, err := net.Listen(network(addr), addr.String())
	if err != nil {
		return fmt.Errorf("ctrl: %w", err)
	}
	if s.listener != nil {
		s.listener.Close()
	}
	s.addr, s.listener = addr, l
	s.wg.Go(func() { s.accept(l) })
	s.log.Log(context.Background(), slog.Level(2), fmt.Sprintf("CTRL at %s %d", addr.Addr(), addr.Port()))
	return nil
}

func (s *Server) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			s.count.accepts.Add(1)
			s.log.Error("CTRL can't accept", "err", err)
			time.Sleep(time.Second) // out of descriptors: others may free some
			continue
		}
		x := s.admit(c)
		if x == nil {
			s.count.refused.Add(1)
			s.log.Error("CTRL session refused: too many", "peer", c.RemoteAddr(), "limit", maxSessions)
			c.Close()
			continue
		}
		s.wg.Go(func() { s.serve(x) })
		s.wg.Go(func() { s.write(x) })
	}
}

// session is one peer: what goes to it waits in out. A peer that does not read
// loses traps, never answers.
type session struct {
	conn   net.Conn
	out    chan string
	done   chan struct{} // closed when either side of it ends
	finish sync.Once
	lost   atomic.Uint64 // traps
}

// queueLength is how many lines may wait for a peer.
const queueLength = 256

func (s *Server) admit(c net.Conn) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= maxSessions || s.listener == nil {
		return nil
	}
	x := &session{conn: c, out: make(chan string, queueLength), done: make(chan struct{})}
	s.sessions[x] = struct{}{}
	s.count.sessions.Add(1)
	return x
}

func (s *Server) serve(x *session) {
	defer s.end(x)
	if s.Watch != nil {
		defer s.Watch(x.conn)()
	}
	r := bufio.NewReader(x.conn)
	for {
		line, err := readFrame(r)
		if errors.Is(err, errFrame) {
			s.count.malformed.Add(1)
			s.log.Warn("CTRL session ended: no IPA frames", "peer", x.conn.RemoteAddr(), "err", err)
		}
		if err != nil {
			return
		}
		answer := s.vars.Answer(line)
		if answer == "" {
			continue
		}
		select {
		case x.out <- answer:
		case <-x.done:
			return
		}
	}
}

// end forgets a session whose reader has ended.
func (s *Server) end(x *session) {
	s.mu.Lock()
	delete(s.sessions, x)
	s.mu.Unlock()
	x.conn.Close()
	x.finish.Do(func() { close(x.done) })
	if n := x.lost.Load(); n > 0 {
		s.log.Warn("a CTRL session did not read; traps were lost", "peer", x.conn.RemoteAddr(), "lost", n)
	}
}

// write sends what waits until the session ends, or the peer takes nothing for
// too long.
func (s *Server) write(x *session) {
	var b []byte
	for {
		select {
		case line := <-x.out:
			b = appendFrame(b[:0], line)
			x.conn.SetWriteDeadline(time.Now().Add(writeWait))
			if _, err := x.conn.Write(b); err != nil {
				s.gaveUp(x, err)
				x.finish.Do(func() { close(x.done) })
				x.conn.Close() // the reader ends
				return
			}
		case <-x.done:
			return
		}
	}
}

// gaveUp tells of a peer that took nothing in writeWait.
func (s *Server) gaveUp(x *session, err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		s.count.deaf.Add(1)
		s.log.Warn("CTRL session ended: it does not read", "peer", x.conn.RemoteAddr())
	}
}

// Trap tells every session that a variable has a new value. It never blocks.
func (s *Server) Trap(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.sessions {
		select {
		case x.out <- "TRAP 0 " + name + " " + value:
		default:
			x.lost.Add(1)
			s.count.lost.Add(1)
		}
	}
}

// Close ends the server and all its sessions and waits for them.
func (s *Server) Close() {
	s.mu.Lock()
	if s.listener != nil {
		s.listener.Close()
		s.listener, s.addr = nil, netip.AddrPort{}
	}
	for x := range s.sessions {
		x.conn.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// network keeps an IPv4 wildcard from listening on IPv6 too.
func network(a netip.AddrPort) string {
	if a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp6"
}
