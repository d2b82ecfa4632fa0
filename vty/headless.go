package vty

import (
	"errors"
	"io"
	"net/netip"
)

// Headless is a Terminal without a user: for programs that run commands, and
// for tests. It never pages, has no log, and answers no question for a password.
type Headless struct {
	Out   io.Writer
	Prog  Program // may be nil
	Conf  Settings
	Lines []string // what History returns

	hooks []func()
}

var errNoUser = errors.New("nobody can be asked for a password")

// Write writes to Out.
func (h *Headless) Write(p []byte) (int, error) { return h.Out.Write(p) }

// ID is 0.
func (h *Headless) ID() int { return 0 }

// Remote is not valid.
func (h *Headless) Remote() netip.AddrPort { return netip.AddrPort{} }

// Settings returns Conf.
func (h *Headless) Settings() Settings { return h.Conf }

// Program returns Prog.
func (h *Headless) Program() Program { return h.Prog }

// Length is 0: no paging.
func (h *Headless) Length() int { return 0 }

// SetLength does nothing.
func (h *Headless) SetLength(int) {}

// Width is 0: unknown.
func (h *Headless) Width() int { return 0 }

// History returns Lines.
func (h *Headless) History() []string { return h.Lines }

// Monitor does nothing.
func (h *Headless) Monitor(bool) {}

// Monitoring is false.
func (h *Headless) Monitoring() bool { return false }

// Log does nothing.
func (h *Headless) Log(string) {}

// OnClose keeps f for Close.
func (h *Headless) OnClose(f func()) { h.hooks = append(h.hooks, f) }

// Close runs what OnClose was given; the session is to be closed besides.
func (h *Headless) Close() {
	for _, f := range h.hooks {
		f()
	}
	h.hooks = nil
}

// ReadPassword fails.
func (h *Headless) ReadPassword(string) (string, error) { return "", errNoUser }

// AskPassword fails.
func (h *Headless) AskPassword(string) (bool, error) { return false, errNoUser }

// Who is nobody.
func (h *Headless) Who() []Visitor { return nil }

var _ Terminal = (*Headless)(nil)
var _ interpreter = (*Session)(nil)
