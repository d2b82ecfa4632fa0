package vty

import (
	"io"
	"net/netip"
	"time"
)

// Terminal is the screen and keyboard of a session, as its built-in commands
// see it. A file being read has none (nil). All methods are for the goroutine
// that runs the session's commands.
type Terminal interface {
	// Write shows output; a line ends in \n. It pages, and answers ErrQuit
	// after the user left --More-- by "q".
	io.Writer

	ID() int
	Remote() netip.AddrPort
	Settings() Settings // as they are now
	Program() Program

	// Length is the number of rows before --More--, 0 for no paging; a
	// negative SetLength follows the window of the client again.
	Length() int
	SetLength(rows int)

	History() []string // oldest first, bounded

	// Monitor shows the program's log above the prompt ("logging enable",
	// "terminal monitor"), or ends it.
	Monitor(on bool)
	Monitoring() bool

	// ReadPassword asks for a line that isn't echoed. The error means that the
	// user is gone or pressed ^C.
	ReadPassword(prompt string) (string, error)

	Who() []Visitor // all sessions of the server, by ID
}

// Visitor is one session of a server, as "who" shows it.
type Visitor struct {
	ID     int
	Remote netip.AddrPort
	Since  time.Time
	Self   bool // the one that asks
}

// interpreter is what a terminal asks of the session whose lines it edits.
// *Session is the real one.
type interpreter interface {
	// Prompt is host name, node and sign with a blank: "PoolGW(config)# ".
	Prompt() string
	// Execute runs a line; output and error line go to the terminal. It
	// reports whether the session is to end ("exit" in view or enable node).
	Execute(line string) (quit bool)
	// Complete answers TAB: insert replaces the last word of line (which is
	// empty after a blank); several choices are shown instead when insert is "".
	Complete(line string) (insert string, choices []string)
	// Describe answers "?": the whole text, each line ended by \n.
	Describe(line string) string
	// End is ^Z: from a configuration node to the enable node.
	End()
	// Close gives back what the session holds, such as the configuration lock.
	Close()
}
