package ctrl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
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

	mu       sync.Mutex
	addr     netip.AddrPort
	listener net.Listener
	conns    map[net.Conn]struct{}
	wg       sync.WaitGroup
}

// NewServer returns a server that does not listen yet.
func NewServer(vars *Vars, log *slog.Logger) *Server {
	return &Server{vars: vars, log: log.With("cat", "lctrl"), conns: map[net.Conn]struct{}{}}
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
			s.log.Error("CTRL can't accept", "err", err)
			time.Sleep(time.Second) // out of descriptors: others may free some
			continue
		}
		if !s.admit(c) {
			s.log.Error("CTRL session refused: too many", "peer", c.RemoteAddr(), "limit", maxSessions)
			c.Close()
			continue
		}
		s.wg.Go(func() { s.serve(c) })
	}
}

func (s *Server) admit(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= maxSessions || s.listener == nil {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) serve(c net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		c.Close()
	}()
	r := bufio.NewReader(c)
	for {
		line, err := readFrame(r)
		if err != nil {
			return
		}
		c.SetWriteDeadline(time.Now().Add(writeWait))
		if _, err := c.Write(appendFrame(nil, s.vars.Answer(line))); err != nil {
			return
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
	for c := range s.conns {
		c.Close()
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
