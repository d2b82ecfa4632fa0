package vty

import "net/netip"

// Server carries sessions of a tree over telnet.
type Server struct {
	tree     *Tree
	prog     Program
	logs     Logs
	settings Settings
}

// NewServer returns a server without an address. logs may be nil.
func NewServer(tree *Tree, prog Program, logs Logs, settings Settings) *Server {
	return &Server{tree: tree, prog: prog, logs: logs, settings: settings}
}

// Listen binds a TCP address and serves it; it may be called for several.
func (s *Server) Listen(addr netip.AddrPort) error { return nil }

// SetSettings changes the settings, for running sessions too.
func (s *Server) SetSettings(settings Settings) { s.settings = settings }

// Close ends all sessions and listeners.
func (s *Server) Close() error { return nil }

// Wait returns when all sessions and listeners have ended.
func (s *Server) Wait() error { return nil }
