package vty

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Why a session ends.
var (
	errExit       = errors.New("exit")
	errStopped    = errors.New("the server stops")
	errIdle       = errors.New("idle for too long")
	errLogin      = errors.New("login failed")
	errLoginTime  = errors.New("login took too long")
	errNoPassword = errors.New("login without a password set")
	errPanic      = errors.New("internal error")
)

// lingerTime is how long a client may take to hear the last words.
const lingerTime = 500 * time.Millisecond

// keysAhead is how many keys are read ahead of the commands they make. Beyond
// that, and the buffers of TCP, the client waits.
const keysAhead = 1024

// console is the terminal of one session. All but id, remote, since, conn and
// logs belongs to the goroutine that runs the session; a second one reads keys.
type console struct {
	srv   *Server
	id    int
	since time.Time
	conn  *telnetConn
	logs  logQueue

	keys    chan byte     // closed at the end of input
	readErr error         // why; valid when keys is closed
	done    chan struct{} // closed when no key is wanted any more
	ahead   []byte        // keys given back

	out     *bufio.Writer // what goes to the client, before go-telnet
	edit    editor
	interp  interpreter
	page    pager
	length  int // rows, negative: as settings and window say
	lastKey time.Time
	loginBy time.Time // zero when logged in

	unsubscribe func() // from the log; nil: not monitoring
	atEnd       []func()
	cause       error // why it ended
}

func newConsole(s *Server, raw net.Conn) *console {
	c := &console{
		srv: s, since: time.Now(), length: -1,
		conn: newTelnetConn(raw, s.writeTimeout),
		keys: make(chan byte, keysAhead),
		done: make(chan struct{}),
	}
	c.logs.wake = make(chan struct{}, 1)
	return c
}

// run is the session, within go-telnet's handler. A panic, be it go-telnet's
// (serveTelnet) or a command's, ends this session only.
func (c *console) run(r io.Reader, w io.Writer) {
	c.out = bufio.NewWriter(w)
	var reading sync.WaitGroup
	reading.Go(func() { c.read(r) })
	defer func() {
		close(c.done)
		c.linger()
		reading.Wait()
		c.close()
	}()
	c.cause = c.guarded(c.session)
	c.guarded(func() error { return c.farewell(c.cause) })
}

// guarded makes a panic an error.
func (c *console) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.srv.log().Error("VTY session failed", "session", c.id, "cause", p, "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return f()
}

// read passes keys on; when they are no longer wanted it reads on, so that
// closing does not reset the connection under the last words.
func (c *console) read(r io.Reader) {
	defer close(c.keys)
	var b [1]byte // go-telnet blocks until the buffer is full
	for {
		if _, err := r.Read(b[:]); err != nil {
			c.readErr = err
			return
		}
		select {
		case c.keys <- b[0]:
		case <-c.done:
		}
	}
}

// linger tells the client that no more comes and gives it time to hear it.
func (c *console) linger() {
	tcp, ok := c.conn.Conn.(*net.TCPConn)
	if !ok || c.srv.stopped() || tcp.CloseWrite() != nil {
		c.conn.Close()
		return
	}
	tcp.SetReadDeadline(time.Now().Add(lingerTime))
}

func (c *console) close() {
	if c.interp != nil {
		c.interp.Close()
	}
	c.Monitor(false)
	for _, f := range c.atEnd {
		f()
	}
}

// farewells are the last words by cause; the rest goes without.
var farewells = map[error]string{
	errIdle:       "\r\nVty connection is timed out.\r\n",
	errLoginTime:  "\r\nVty connection is timed out.\r\n",
	errLogin:      "% Bad passwords, too many failures!\r\n",
	errNoPassword: "Vty password is not set.\r\n",
	errPanic:      "% Internal error: this session ends.\r\n",
}

func (c *console) farewell(cause error) error {
	c.out.WriteString(farewells[cause])
	return c.out.Flush()
}

// key waits for a key. Nothing is sent while keys are waiting, so that pasted
// text is answered in large pieces. whileWaiting, if any, is called when log
// lines are there to be shown.
func (c *console) key(whileWaiting func()) (byte, error) {
	if c.srv.stopped() {
		return 0, errStopped
	}
	if len(c.ahead) > 0 {
		b := c.ahead[0]
		c.ahead = c.ahead[1:]
		return b, nil
	}
	if len(c.keys) == 0 {
		if err := c.out.Flush(); err != nil {
			return 0, err
		}
	}
	for {
		b, err := c.wait(whileWaiting)
		if err != errNoKey {
			return b, err
		}
	}
}

// errNoKey means that something else happened.
var errNoKey = errors.New("vty: no key")

func (c *console) wait(whileWaiting func()) (byte, error) {
	settings, changed := c.srv.current()
	var wake <-chan struct{}
	if whileWaiting != nil {
		wake = c.logs.wake
	}
	at, late := c.deadline(settings)
	var expired <-chan time.Time
	if !at.IsZero() && len(c.keys) == 0 {
		t := time.NewTimer(time.Until(at))
		defer t.Stop()
		expired = t.C
	}
	select {
	case b, ok := <-c.keys:
		if !ok {
			return 0, c.readErr
		}
		c.lastKey = time.Now()
		return b, nil
	case <-wake:
		whileWaiting()
		return 0, cmp.Or(c.out.Flush(), errNoKey)
	case <-changed: // perhaps the idle time
		return 0, errNoKey
	case <-expired:
		return 0, late
	case <-c.srv.stop:
		return 0, errStopped
	}
}

// deadline is when the session ends for want of a key, and how that is called.
func (c *console) deadline(s Settings) (time.Time, error) {
	switch {
	case !c.loginBy.IsZero():
		return c.loginBy, errLoginTime
	case s.IdleTimeout > 0:
		return c.lastKey.Add(s.IdleTimeout), errIdle
	}
	return time.Time{}, nil
}

func (c *console) ID() int                { return c.id }
func (c *console) Remote() netip.AddrPort { return addrPort(c.conn.RemoteAddr()) }
func (c *console) Program() Program       { return c.srv.prog }
func (c *console) Who() []Visitor         { return c.srv.visitors(c) }
func (c *console) History() []string      { return slices.Clone(c.edit.history.lines) }
func (c *console) SetLength(rows int)     { c.length = rows }
func (c *console) OnClose(f func())       { c.atEnd = append(c.atEnd, f) }

func (c *console) Settings() Settings {
	s, _ := c.srv.current()
	return s
}

func (c *console) Width() int {
	cols, _ := c.conn.size()
	return cols
}

func (c *console) Length() int {
	if c.length >= 0 {
		return c.length
	}
	if n := c.Settings().TerminalLength; n >= 0 {
		return n
	}
	_, rows := c.conn.size()
	return rows
}
