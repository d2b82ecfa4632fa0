package vty

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

var errHTTP = errors.New("vty: the client speaks HTTP")

// telnetConn stands between a connection and go-telnet, which knows data and
// the doubled 0xFF, and little else of the protocol: its reader takes a
// command of two octets for corruption, follows a subnegotiation for ever, and
// answers nothing. It is handed clean data.
type telnetConn struct {
	net.Conn
	writeTimeout time.Duration

	// The rest but window belongs to the goroutine that reads.
	dec     telnetDecoder
	guard   httpGuard
	raw     [1024]byte
	data    []byte // decoded, 0xFF doubled
	pending []byte // the part of data that is not handed out yet

	window  atomic.Uint32 // columns << 16 | rows
	writing sync.Mutex    // answers come from the reading side
}

func newTelnetConn(c net.Conn, writeTimeout time.Duration) *telnetConn {
	t := &telnetConn{Conn: c, writeTimeout: writeTimeout}
	t.dec.foldEnter = true
	t.dec.answer = answerServer
	return t
}

// size is the client's window in columns and rows, 0 where unknown.
func (t *telnetConn) size() (cols, rows int) {
	w := t.window.Load()
	return int(w >> 16), int(w & 0xffff)
}

// Read hands out data only. It fails for good on a client that speaks HTTP:
// a browser that was made to send commands to this port must not get as far as
// its body.
func (t *telnetConn) Read(p []byte) (int, error) {
	for len(t.pending) == 0 {
		n, err := t.Conn.Read(t.raw[:])
		if n == 0 && err != nil {
			return 0, err
		}
		if err := t.take(t.raw[:n]); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.pending)
	t.pending = t.pending[n:]
	return n, nil
}

func (t *telnetConn) take(in []byte) error {
	data, reply, err := t.dec.decode(in, t.data[:0], nil)
	if err != nil {
		return err
	}
	if t.guard.isHTTP(data) {
		return errHTTP
	}
	t.window.Store(uint32(t.dec.cols)<<16 | uint32(t.dec.rows))
	t.data = bytes.ReplaceAll(data, []byte{telnetIAC}, []byte{telnetIAC, telnetIAC})
	t.pending = t.data
	if len(reply) > 0 {
		_, err = t.Write(reply)
	}
	return err
}

// Write gives up on a client that takes nothing for writeTimeout.
func (t *telnetConn) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if err := t.Conn.SetWriteDeadline(time.Now().Add(t.writeTimeout)); err != nil {
		return 0, err
	}
	return t.Conn.Write(p)
}

// httpGuard looks at the first octets of a connection.
type httpGuard struct {
	first []byte
	done  bool
}

var httpMethods = [][]byte{
	[]byte("GET "), []byte("POST "), []byte("PUT "), []byte("HEAD "), []byte("DELETE "),
	[]byte("OPTIONS "), []byte("PATCH "), []byte("CONNECT "), []byte("TRACE "), []byte("PRI * "),
}

// longestMethod is the length of "CONNECT " and "OPTIONS ".
const longestMethod = 8

func (g *httpGuard) isHTTP(data []byte) bool {
	if g.done {
		return false
	}
	g.first = append(g.first, data[:min(len(data), longestMethod-len(g.first))]...)
	g.done = len(g.first) == longestMethod
	for _, m := range httpMethods {
		if bytes.HasPrefix(g.first, m) {
			return true
		}
	}
	return false
}
