package vty

import (
	"errors"
	"io"
	"net/netip"
	"time"
)

var (
	// ErrQuit is the answer to output that the user does not want to see.
	ErrQuit = errors.New("vty: output was ended by the user")
	// ErrInterrupted is the answer to ^C where a password was asked for.
	ErrInterrupted = errors.New("vty: interrupted")
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

	// Log shows a line above the prompt when the user is editing, else later.
	// It is for any goroutine and never blocks: what doesn't fit into a short
	// queue is counted, and the count shown.
	Log(line string)

	// OnClose calls f when the session has ended.
	OnClose(f func())

	// Width is the number of columns of the client's window, 0 if unknown.
	Width() int

	// ReadPassword asks for a line that isn't echoed. The error means that the
	// user is gone or pressed ^C (ErrInterrupted).
	ReadPassword(prompt string) (string, error)

	// AskPassword gives three tries at a password kept as CheckPassword has it.
	// False without an error means that all were wrong; each costs a second.
	AskPassword(encoded string) (bool, error)

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
	// empty after a blank), with a blank behind it if the word is certain;
	// several choices are shown instead when insert is "".
	Complete(line string) (insert string, choices []string)
	// Describe answers "?": the whole text, each line ended by \n.
	Describe(line string) string
	// End is ^Z: from a configuration node to the enable node.
	End()
	// Close gives back what the session holds, such as the configuration lock.
	Close()
}
