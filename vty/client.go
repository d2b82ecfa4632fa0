package vty

import (
	"context"
	"io"
	"time"
)

// DialOptions are what a Client needs to get in.
type DialOptions struct {
	Password       string        // asked at login
	EnablePassword string        // asked by "enable"
	Timeout        time.Duration // for each answer; 30 s when 0
}

// Client runs commands on a VTY.
type Client struct{}

// Dial connects to a VTY (host:port) and waits for its prompt.
func Dial(ctx context.Context, addr string, o DialOptions) (*Client, error) { return &Client{}, nil }

// Run runs one command and returns what it printed, without echo and prompt.
// A command that answers with a "% " line gives a *CommandError beside it.
func (c *Client) Run(cmd string) (string, error) { return "", nil }

// Close ends the connection.
func (c *Client) Close() error { return nil }

// CommandError is the error line of a command.
type CommandError struct {
	Command string
	Text    string // the line, "% Unknown command."
}

func (e *CommandError) Error() string { return e.Text + " (" + e.Command + ")" }

// Interactive connects the user's terminal with a VTY until either side ends.
func Interactive(ctx context.Context, addr string, stdin io.Reader, stdout io.Writer) error {
	return nil
}
