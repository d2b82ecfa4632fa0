package vty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limits that are not settings.
const (
	defaultMaxSessions = 16
	writeTimeout       = 30 * time.Second // a client that takes nothing for so long is dead
	loginTimeout       = time.Minute      // from connecting to the right password
	failDelay          = time.Second      // after a wrong password
)

// Server carries sessions of a tree over telnet.
type Server struct {
	// Log receives who comes, goes, and fails to log in. To be set before
	// Listen; nil is silence.
	Log *slog.Logger
	// Watch, if set before Listen, is called with each session's connection, and
	// done when it ends.
	Watch func(net.Conn) (done func())

	tree *Tree
	prog Program
	logs Logs

	writeTimeout, failDelay time.Duration

	mu        sync.Mutex
	settings  Settings
	changed   chan struct{} // closed when settings change
	listeners []net.Listener
	consoles  map[int]*console

	stop     chan struct{} // closed by Close
	stopOnce sync.Once
	running  sync.WaitGroup // listeners and sessions

	count counters

	checking sync.Mutex // one password at a time: checking one is costly
}

// NewServer returns a server without an address. logs may be nil.
func NewServer(tree *Tree, prog Program, logs Logs, settings Settings) *Server {
	return &Server{
		tree: tree, prog: prog, logs: logs, settings: settings,
		writeTimeout: writeTimeout, failDelay: failDelay,
		changed:  make(chan struct{}),
		consoles: make(map[int]*console),
		stop:     make(chan struct{}),
	}
}

// Listen binds a TCP address and serves it; it may be called for several.
func (s *Server) Listen(addr netip.AddrPort) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), tcpOf(addr), addr.String())
	if err != nil {
		return fmt.Errorf("vty: %w", err)
	}
	s.mu.Lock()
	if s.stopped() {
		s.mu.Unlock()
		l.Close()
		return fmt.Errorf("vty: %w", net.ErrClosed)
	}
	s.listeners = append(s.listeners, l)
	s.running.Add(1)
	s.mu.Unlock()
	go s.accept(l)
	return nil
}

// Addrs are the addresses that are listened on.
func (s *Server) Addrs() []netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	var addrs []netip.AddrPort
	for _, l := range s.listeners {
		addrs = append(addrs, addrPort(l.Addr()))
	}
	return addrs
}

// accept takes clients until the listener is closed. Other errors pass (no
// descriptors, a client that left at once), so it tries again, more and more
// slowly.
func (s *Server) accept(l net.Listener) {
	defer s.running.Done()
	const first, last = 5 * time.Millisecond, time.Second
	for wait := first; ; {
		c, err := l.Accept()
		switch {
		case err == nil:
			wait = first
			keepUrgentInline(c)
			s.spawn(c)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			s.count.accepts.Add(1)
			s.log().Error("VTY can't accept", "address", l.Addr(), "err", err)
			if !s.sleep(wait) {
				return
			}
			wait = min(2*wait, last)
		}
	}
}

func (s *Server) spawn(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped() {
		c.Close()
		return
	}
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		s.ServeConn(c)
	}()
}

// SetSettings changes the settings, for running sessions too.
func (s *Server) SetSettings(settings Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
	close(s.changed)
	s.changed = make(chan struct{})
}

// current are the settings and a channel that is closed when they change.
func (s *Server) current() (Settings, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings, s.changed
}

// Close ends all sessions and listeners. It may be called by a command.
func (s *Server) Close() error {
	s.stopOnce.Do(func() { close(s.stop) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listeners {
		l.Close()
	}
	for _, c := range s.consoles {
		c.conn.Close()
	}
	return nil
}

// Wait returns when Close was called and all sessions and listeners have ended.
func (s *Server) Wait() error {
	<-s.stop
	s.running.Wait()
	return nil
}

func (s *Server) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// sleep reports whether the server is still running after d.
func (s *Server) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stop:
		return false
	}
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

// check is CheckPassword for one client at a time, so that guessing ones take
// no more than one processor from the rest of the program.
func (s *Server) check(encoded, plain string) bool {
	s.checking.Lock()
	defer s.checking.Unlock()
	return CheckPassword(encoded, plain)
}

func addrPort(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}
