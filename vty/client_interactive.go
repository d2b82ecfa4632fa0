package vty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// Interactive connects the user's terminal with a VTY (host:port) until either
// end closes, the user types ^] or ctx ends. If stdin is a terminal it is in
// raw mode meanwhile, and its size is told; if not, its end is the end of the
// session, after what was read has been answered. A reading of stdin may
// outlast the return.
func Interactive(ctx context.Context, addr string, stdin io.Reader, stdout io.Writer) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("vty: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	u := &user{conn: conn}
	if f, ok := stdin.(*os.File); ok {
		if restore, err := makeRaw(int(f.Fd())); err == nil {
			defer restore()
			u.tty = f
			defer u.followWindow()()
		}
	}
	go u.keyboard(stdin)
	return u.show(stdout)
}

// escapeKey ends an interactive client: ^], as with telnet.
var escapeKey = ctrl(']')

// user is the human at an interactive client.
type user struct {
	conn net.Conn
	tty  *os.File // nil: no terminal

	mu      sync.Mutex // writes to conn; told
	told    bool       // the server wants to know the window's size
	leaving bool
}

// keyboard sends what is typed.
func (u *user) keyboard(stdin io.Reader) {
	var buf [1024]byte
	for {
		n, err := stdin.Read(buf[:])
		keys := buf[:n]
		if at := bytes.IndexByte(keys, escapeKey); u.tty != nil && at >= 0 {
			keys, err = keys[:at], errExit
		}
		u.send(bytes.ReplaceAll(keys, []byte{telnetIAC}, []byte{telnetIAC, telnetIAC}))
		switch {
		case err == errExit:
			u.mu.Lock()
			u.leaving = true
			u.mu.Unlock()
			u.conn.Close()
			return
		case err != nil:
			if tcp, ok := u.conn.(*net.TCPConn); ok {
				tcp.CloseWrite()
			}
			return
		}
	}
}

// show writes what the server sends, until its end.
func (u *user) show(stdout io.Writer) error {
	dec := telnetDecoder{answer: u.answer}
	var raw [4096]byte
	var text, reply []byte
	for {
		n, err := u.conn.Read(raw[:])
		var bad error
		text, reply, bad = dec.decode(raw[:n], text[:0], reply[:0])
		u.send(reply)
		if len(text) > 0 {
			if _, werr := stdout.Write(text); werr != nil {
				return fmt.Errorf("vty: %w", werr)
			}
		}
		if bad != nil {
			return bad
		}
		if err != nil {
			return u.ended(err)
		}
	}
}

func (u *user) ended(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.leaving || errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("vty: %w", err)
}

// answer is that of a script, but for the window of a terminal.
func (u *user) answer(reply []byte, verb, option byte) []byte {
	if verb != telnetDO || option != optNAWS || u.tty == nil {
		return answerScript(reply, verb, option)
	}
	u.mu.Lock()
	u.told = true
	u.mu.Unlock()
	return append(append(reply, telnetIAC, telnetWILL, optNAWS), u.window()...)
}

// window is the subnegotiation that tells the window's size (RFC 1073).
func (u *user) window() []byte {
	w, err := unix.IoctlGetWinsize(int(u.tty.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return nil
	}
	size := []byte{byte(w.Col >> 8), byte(w.Col), byte(w.Row >> 8), byte(w.Row)}
	size = bytes.ReplaceAll(size, []byte{telnetIAC}, []byte{telnetIAC, telnetIAC})
	return append(append([]byte{telnetIAC, telnetSB, optNAWS}, size...), telnetIAC, telnetSE)
}

// followWindow tells the size again when it changes, until stopped.
func (u *user) followWindow() (stop func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGWINCH)
	var following sync.WaitGroup
	following.Go(func() {
		for range changed {
			u.mu.Lock()
			told := u.told
			u.mu.Unlock()
			if told {
				u.send(u.window())
			}
		}
	})
	return func() {
		signal.Stop(changed)
		close(changed)
		following.Wait()
	}
}

// send sends; a failure is seen by show.
func (u *user) send(p []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(p) > 0 {
		u.conn.Write(p)
	}
}

// makeRaw takes line editing, echo and signals from a terminal (termios(3),
// cfmakeraw, but that output processing stays) until restore.
func makeRaw(fd int) (restore func(), err error) {
	old, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	raw := *old
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
		return nil, err
	}
	return func() { unix.IoctlSetTermios(fd, unix.TCSETS, old) }, nil
}
