package logging

import (
	"cmp"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// datagram is an output behind a socket: a datagram for each line. It dials when
// there is something to write, again when that fails, and then not before
// redialAfter.
type datagram struct {
	dial   func() (net.Conn, error)
	encode func(e entry, line string) []byte

	conn   atomic.Pointer[net.Conn]
	failed time.Time // the last dial
	err    error
	closed atomic.Bool
}

// sendTime is how long a receiver that hangs may hold up a line, which is lost
// then.
const sendTime = 500 * time.Millisecond

var redialAfter = time.Second // shorter in tests

func (d *datagram) write(e entry, line string) error {
	b := d.encode(e, line)
	if c := d.conn.Load(); c != nil {
		err := send(*c, b)
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EMSGSIZE) {
			return err
		}
		d.drop() // the receiver has been started anew
	} else if time.Since(d.failed) < redialAfter {
		return d.err
	}
	c, err := d.dial()
	if d.closed.Load() && err == nil {
		c.Close()
		err = errClosed
	}
	if err != nil {
		d.failed, d.err = time.Now(), err
		return err
	}
	d.conn.Store(&c)
	return send(c, b)
}

func (d *datagram) drop() {
	if c := d.conn.Swap(nil); c != nil {
		(*c).Close()
	}
}

func (d *datagram) close() {
	d.closed.Store(true)
	d.drop()
}

// send writes one datagram. That nobody listens at a UDP port is no failure: a
// receiver of GSMTAP may just watch the wire.
func send(c net.Conn, b []byte) error {
	c.SetWriteDeadline(time.Now().Add(sendTime))
	if c.RemoteAddr().Network() == "unix" {
		b = append(b, '\n')
	}
	_, err := c.Write(b)
	if _, udp := c.(*net.UDPConn); udp && errors.Is(err, syscall.ECONNREFUSED) {
		_, err = c.Write(b) // the error was that of the datagram before
		if errors.Is(err, syscall.ECONNREFUSED) {
			err = nil
		}
	}
	return err
}

// dialFirst reaches the first address that answers, as a datagram socket or a
// stream.
func dialFirst(paths ...string) (net.Conn, error) {
	var first error
	for _, p := range paths {
		for _, network := range []string{"unixgram", "unix"} {
			c, err := net.DialTimeout(network, p, sendTime)
			if err == nil {
				return c, nil
			}
			first = cmp.Or(first, err)
		}
	}
	return nil, first
}
