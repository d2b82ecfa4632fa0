package vty

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// ServeConn carries one session over a connection and returns when it has
// ended and the connection is closed.
func (s *Server) ServeConn(raw net.Conn) {
	defer raw.Close()
	if s.Watch != nil {
		defer s.Watch(raw)()
	}
	c := newConsole(s, raw)
	if full := s.enter(c); full > 0 {
		s.count.refused.Add(1)
		s.log().Warn("VTY session refused", "remote", raw.RemoteAddr(), "sessions", full)
		fmt.Fprintf(c.conn, "%% All %d VTY sessions are in use.\r\n", full)
		return
	}
	defer s.leave(c)
	s.count.sessions.Add(1)
	s.log().Info("VTY session begins", "session", c.id, "remote", raw.RemoteAddr())
	serveTelnet(c.conn, s.log(), c.run)
	s.log().Info("VTY session ended", "session", c.id, "remote", raw.RemoteAddr(),
		"after", time.Since(c.since).Round(time.Second), "cause", c.cause)
}

// enter gives a console the lowest free number, or returns the number of
// sessions if there may be no more of them. A server that is closing lets a
// console in, whose first look for a key ends it.
func (s *Server) enter(c *console) (full int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.consoles); n >= cmp.Or(max(s.settings.MaxSessions, 0), defaultMaxSessions) {
		return n
	}
	for c.id = 1; s.consoles[c.id] != nil; c.id++ {
	}
	s.consoles[c.id] = c
	return 0
}

func (s *Server) leave(c *console) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.consoles, c.id)
}

// visitors are all sessions by number, for "who".
func (s *Server) visitors(self *console) []Visitor {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Visitor
	for _, c := range s.consoles {
		all = append(all, Visitor{ID: c.id, Remote: c.Remote(), Since: c.since, Self: c == self})
	}
	slices.SortFunc(all, func(a, b Visitor) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// keepUrgentInline leaves the octet that TCP calls urgent where it stands in
// the stream. A telnet client sends its data mark so on ^C; taken out, it
// would leave an IAC behind that swallows the next octet.
func keepUrgentInline(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	sc, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// A failure leaves the connection as good as it was.
	_ = sc.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_OOBINLINE, 1)
	})
}
