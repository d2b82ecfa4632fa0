package vty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"
)

// Bounds of a client.
const (
	answerTimeout = 30 * time.Second
	maxOutput     = 64 << 20
)

// DialOptions are what a Client needs to get in.
type DialOptions struct {
	Password       string        // asked at login
	EnablePassword string        // asked by "enable"
	Timeout        time.Duration // without a word of an answer; 30 s when 0
	MaxOutput      int           // octets of one command's output; 64 MiB when 0
}

// Client runs commands on a VTY, poolgw's or another in Osmocom's style. It is
// for one goroutine.
type Client struct {
	conn    net.Conn
	options DialOptions
	dec     telnetDecoder
	raw     [4096]byte
	text    []byte // since the last command
	unwatch func() bool
}

// CommandError is the error line of a command.
type CommandError struct {
	Command string
	Text    string // the line: "% Unknown command."
}

func (e *CommandError) Error() string { return e.Text + " (" + e.Command + ")" }

// Dial connects to a VTY (host:port), logs in and switches paging off. The
// connection ends with ctx.
func Dial(ctx context.Context, addr string, o DialOptions) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = answerTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = maxOutput
	}
	dialer := net.Dialer{Timeout: o.Timeout}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("vty: %w", err)
	}
	c := &Client{conn: conn, options: o, text: []byte("\n")} // the first prompt may have no line before it
	c.dec.answer = answerScript
	c.unwatch = context.AfterFunc(ctx, func() { conn.Close() })
	if err := c.begin(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) begin() error {
	if err := c.untilPrompt(c.options.Password); err != nil {
		return err
	}
	_, err := c.Run("terminal length 0")
	return err
}

// Close ends the connection.
func (c *Client) Close() error {
	c.unwatch()
	return c.conn.Close()
}

// Run runs one command and returns what it printed, without echo and prompt,
// lines ended by \n. A command that answers with an error line gives a
// *CommandError beside its output, and one that ends the session io.EOF.
func (c *Client) Run(cmd string) (string, error) {
	keys, err := keysFor(cmd)
	if err != nil {
		return "", err
	}
	c.text = c.text[:0]
	if err := c.send(keys); err != nil {
		return "", err
	}
	err = c.untilPrompt(c.options.EnablePassword)
	out := c.answer(err == nil)
	if err != nil {
		return out, err
	}
	return out, commandError(cmd, out)
}

// keysFor is what is typed for a command: "?" is a key that must be quoted.
func keysFor(cmd string) ([]byte, error) {
	if len(cmd) > maxLine {
		return nil, fmt.Errorf("vty: command longer than %d octets", maxLine)
	}
	var keys []byte
	for _, b := range []byte(cmd) {
		switch {
		case b < ' ' || b == keyDEL:
			return nil, fmt.Errorf("vty: control character in command %q", cmd)
		case b == '?':
			keys = append(keys, ctrl('V'))
		case b == telnetIAC:
			keys = append(keys, telnetIAC)
		}
		keys = append(keys, b)
	}
	return append(keys, '\r'), nil
}

// answer is text without the echo in its first line and, if there is one, the
// prompt in its last.
func (c *Client) answer(prompted bool) string {
	text := strings.ReplaceAll(string(c.text), "\r\n", "\n")
	_, text, _ = strings.Cut(text, "\n")
	if prompted {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text
}

// errorLines begin the error line of a command; harmlessLines are none though
// they begin so.
var (
	errorLines    = []string{"% ", "VTY configuration is locked"}
	harmlessLines = []string{"% Warning", "% Note", "% Notice", "% nri null add: Warning", "% Pooling disabled"}
)

// bareRefusals begin the refusals that Osmocom's VTY prints without "% ". They
// are one only as the first line of an answer that says nothing else.
var bareRefusals = []string{
	"A bind with the specified ", "Can not ", "Failed to create the bind", "Invalid ID.", "No such NS", "Specified ",
	"Unknown timer ", "fr can be only used ", "Logging already enabled.", "Logging was not enabled.",
}

func commandError(cmd, out string) error {
	for line := range strings.Lines(out) {
		if hasAnyPrefix(line, errorLines) && !hasAnyPrefix(line, harmlessLines) {
			return &CommandError{Command: cmd, Text: strings.TrimRight(line, "\n")}
		}
	}
	if first, rest, _ := strings.Cut(out, "\n"); rest == "" && isBareRefusal(first) {
		return &CommandError{Command: cmd, Text: first}
	}
	return nil
}

// isBareRefusal tells the names that users give, as in "bind x does not exist!",
// from those of other answers.
func isBareRefusal(line string) bool {
	if strings.HasPrefix(line, "bind ") {
		return strings.HasSuffix(line, " does not exist!")
	}
	return hasAnyPrefix(line, bareRefusals) || strings.HasSuffix(line, " can be only used with UDP bind")
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// promptAtEnd is host name, node and sign in a line that is not ended.
var promptAtEnd = regexp.MustCompile(`[\r\n][^\s>#()]+(?:\([^()\s]*\))?[>#] $`)

// longestPrompt bounds where promptAtEnd looks, so that a long answer is not
// searched again with every piece of it.
const longestPrompt = 512

var passwordPrompt = []byte("Password: ")

// untilPrompt reads up to a prompt, giving password once if one is asked for.
func (c *Client) untilPrompt(password string) error {
	given := false
	for {
		tail := c.text[max(0, len(c.text)-longestPrompt):]
		if promptAtEnd.Match(tail) {
			return nil
		}
		if bytes.HasSuffix(tail, passwordPrompt) {
			if err := c.givePassword(password, given); err != nil {
				return err
			}
			given = true
		}
		if err := c.read(); err != nil {
			return err
		}
	}
}

func (c *Client) givePassword(password string, given bool) error {
	switch {
	case given:
		return errors.New("vty: wrong password")
	case password == "":
		return errors.New("vty: a password is asked for, and none was given")
	}
	// What Run returns is as if nothing had been asked.
	c.text = bytes.TrimSuffix(bytes.TrimSuffix(c.text, passwordPrompt), []byte("\r\n"))
	keys, err := keysFor(password)
	if err != nil {
		return errors.New("vty: the password can't be typed")
	}
	return c.send(bytes.ReplaceAll(keys, []byte{ctrl('V')}, nil)) // no key but a character there
}

func (c *Client) read() error {
	if len(c.text) > c.options.MaxOutput {
		return fmt.Errorf("vty: answer longer than %d octets", c.options.MaxOutput)
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(c.options.Timeout)); err != nil {
		return fmt.Errorf("vty: %w", err)
	}
	n, err := c.conn.Read(c.raw[:])
	var reply []byte
	var bad error
	c.text, reply, bad = c.dec.decode(c.raw[:n], c.text, nil)
	switch {
	case bad != nil:
		return bad
	case len(reply) > 0:
		return c.send(reply)
	case n == 0 && errors.Is(err, io.EOF):
		return c.closed()
	case n == 0 && err != nil:
		return fmt.Errorf("vty: %w", err)
	}
	return nil
}

// closed is io.EOF, with what the other end said before, if it was an error.
func (c *Client) closed() error {
	lines := strings.Fields(strings.TrimSpace(string(c.text)))
	if text := strings.Join(lines, " "); strings.Contains(text, "% ") || strings.Contains(text, "not set") {
		return fmt.Errorf("vty: closed by the other end: %s: %w", text, io.EOF)
	}
	return io.EOF
}

func (c *Client) send(keys []byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.options.Timeout)); err != nil {
		return fmt.Errorf("vty: %w", err)
	}
	if _, err := c.conn.Write(keys); err != nil {
		return fmt.Errorf("vty: %w", err)
	}
	return nil
}

// answerScript lets the server echo and has no window.
func answerScript(reply []byte, verb, option byte) []byte {
	switch {
	case verb == telnetWILL && (option == optEcho || option == optSGA):
		return append(reply, telnetIAC, telnetDO, option)
	case verb == telnetWILL:
		return append(reply, telnetIAC, telnetDONT, option)
	case verb == telnetDO:
		return append(reply, telnetIAC, telnetWONT, option)
	}
	return reply
}

// Script runs commands one after the other and writes what they print to out.
// It ends at the first that fails (see Run): the next ones may have been meant
// for the node that it did not reach. A command that ends the session ends the
// script too.
func Script(ctx context.Context, addr string, o DialOptions, commands []string, out io.Writer) error {
	c, err := Dial(ctx, addr, o)
	if err != nil {
		return err
	}
	defer c.Close()
	for i, cmd := range commands {
		text, err := c.Run(cmd)
		if _, werr := io.WriteString(out, text); werr != nil {
			return fmt.Errorf("vty: %w", werr)
		}
		if err == io.EOF && i == len(commands)-1 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
