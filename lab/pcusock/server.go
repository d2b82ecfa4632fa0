package pcusock

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// Config describes a server.
type Config struct {
	Path string // of the socket; a socket that is there is replaced
	Cell Info   // Version and FlagActive are set by the server
	Log  *slog.Logger
}

// Server is a BTS without a radio, for one PCU at a time: a second one waits
// until the first is gone. Its methods may be called from any goroutine.
type Server struct {
	cfg      Config
	listener *net.UnixListener
	done     chan struct{}

	mu     sync.Mutex
	conn   *net.UnixConn // nil: no PCU
	closed bool
	status Status
}

// Status is what a server saw.
type Status struct {
	Connected bool   // a PCU is there
	Version   string // its software version; empty before it has told
	Sessions  int    // PCUs so far
	Active    [maxTRX]uint8
	Blocks    uint64 // DATA_REQs with something in them
	Idle      uint64 // DATA_REQs with nothing to send
	Alerts    uint64
	Malformed uint64
	Others    uint64 // of types that a server without a radio ignores
}

// Listen opens the socket and serves PCUs until Close.
func Listen(cfg Config) (*Server, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Cell.Version = Version
	cfg.Cell.Flags |= FlagActive
	if err := removeSocket(cfg.Path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: cfg.Path, Net: "unixpacket"})
	if err != nil {
		return nil, fmt.Errorf("pcusock: %w", err)
	}
	s := &Server{cfg: cfg, listener: l, done: make(chan struct{})}
	go s.accept()
	return s, nil
}

// removeSocket removes what a killed server left; nothing but a socket.
func removeSocket(path string) error {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("pcusock: %w", err)
	case fi.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("pcusock: %s is there and no socket", path)
	}
	return os.Remove(path)
}

// Close ends the session and removes the socket; it may be called repeatedly.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	if s.conn != nil {
		s.conn.Close()
	}
	s.mu.Unlock()
	<-s.done
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Status returns what happened so far.
func (s *Server) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// note changes the status.
func (s *Server) note(f func(st *Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.status)
}

func (s *Server) accept() {
	defer close(s.done)
	for {
		c, err := s.listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			s.cfg.Log.Error("PCU socket: accept", "cat", "lglobal", "err", err)
			time.Sleep(acceptPause)
		case s.enter(c):
			s.serve(c)
			s.leave(c)
		}
	}
}

// acceptPause is between attempts when the machine is out of something.
const acceptPause = 100 * time.Millisecond

func (s *Server) enter(c *net.UnixConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	s.conn = c
	s.status.Connected, s.status.Version, s.status.Active = true, "", [maxTRX]uint8{}
	s.status.Sessions++
	s.cfg.Log.Info("PCU connected", "cat", "lglobal", "session", s.status.Sessions)
	return true
}

func (s *Server) leave(c *net.UnixConn) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = nil
	s.status.Connected, s.status.Active = false, [maxTRX]uint8{}
	s.cfg.Log.Info("PCU gone", "cat", "lglobal")
}
