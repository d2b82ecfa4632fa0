package vty

import (
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/reiver/go-telnet"
)

// serveTelnet carries one session by go-telnet and returns when handle has
// returned and the connection is closed. go-telnet tells its handler neither
// connection nor address, so each connection has a server of its own, over a
// listener that yields it once, and handle closes over the rest.
//
// handle's reader blocks until its whole buffer is full: read single octets.
// handle's writer panics when a 0xFF can't be sent: write only in handle's own
// goroutine, where the panic ends no more than this session.
func serveTelnet(conn net.Conn, log *slog.Logger, handle func(r io.Reader, w io.Writer)) {
	l := &onceListener{conn: conn, ended: make(chan struct{})}
	s := &telnet.Server{
		Handler: handlerFunc(func(r io.Reader, w io.Writer) {
			defer close(l.ended)
			handle(r, w)
		}),
		Logger: telnetLogger{log},
	}
	s.Serve(l) // its error is onceListener's io.EOF
	conn.Close()
}

type handlerFunc func(r io.Reader, w io.Writer)

func (f handlerFunc) ServeTELNET(_ telnet.Context, w telnet.Writer, r telnet.Reader) { f(r, w) }

// onceListener accepts one connection; the next Accept waits for the end of its
// session.
type onceListener struct {
	conn     net.Conn
	accepted bool
	ended    chan struct{}
}

func (l *onceListener) Accept() (net.Conn, error) {
	if !l.accepted {
		l.accepted = true
		return l.conn, nil
	}
	<-l.ended
	return nil, io.EOF
}

func (l *onceListener) Close() error   { return nil }
func (l *onceListener) Addr() net.Addr { return l.conn.LocalAddr() }

// telnetLogger passes on what go-telnet has to say when it recovered from a
// panic; its other messages repeat ours.
type telnetLogger struct{ log *slog.Logger }

func (t telnetLogger) Error(a ...any) { t.log.Error("VTY session failed", "cause", fmt.Sprint(a...)) }
func (t telnetLogger) Errorf(f string, a ...any) {
	t.log.Error("VTY session failed", "cause", fmt.Sprintf(f, a...))
}
func (telnetLogger) Debug(...any)          {}
func (telnetLogger) Debugf(string, ...any) {}
func (telnetLogger) Trace(...any)          {}
func (telnetLogger) Tracef(string, ...any) {}
func (telnetLogger) Warn(...any)           {}
func (telnetLogger) Warnf(string, ...any)  {}
