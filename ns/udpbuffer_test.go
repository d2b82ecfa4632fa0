//go:build linux

package ns

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Buffers are as the bind says, from the start and when it changes.
func TestUDPSocketBuffers(t *testing.T) {
	conns, err := (&KernelUDP{}).Listen(BindConfig{Link: LinkUDP, ReceiveBuffer: 100000, SendBuffer: 60000,
		Listen: netip.MustParseAddrPort("127.0.0.1:0")}, 1)
	must(t, err)
	defer conns[0].Close()
	read := func() (r, s int) {
		return option(t, conns[0], unix.SOL_SOCKET, unix.SO_RCVBUF), option(t, conns[0], unix.SOL_SOCKET, unix.SO_SNDBUF)
	}
	if r, s := read(); r != 200000 || s != 120000 { // socket(7): the kernel doubles them
		t.Errorf("%d, %d", r, s)
	}
	c := conns[0].(Buffered)
	must(t, c.SetBuffers(Buffers{Receive: 50000, Send: 70000}))
	if r, s := read(); r != 100000 || s != 140000 || c.Buffers() != (Buffers{50000, 70000}) {
		t.Errorf("%d, %d, told %v", r, s, c.Buffers())
	}
}

func TestSetBuffers(t *testing.T) {
	var c Config
	must(t, c.AddBind(LinkUDP, "a"))
	must(t, c.AddBind(LinkFR, "fr"))
	v := func(n uint32) *uint32 { return &n }
	must(t, c.SetBuffers("a", v(4096), nil))
	must(t, c.SetBuffers("a", nil, v(1<<30-1)))
	if b := c.Bind("a"); b.ReceiveBuffer != 4096 || b.SendBuffer != 1<<30-1 || b.buffers() != (Buffers{4096, 1<<30 - 1}) {
		t.Errorf("%+v", b)
	}
	must(t, c.SetBuffers("a", v(0), v(0)))
	if c.Bind("a").buffers() != (Buffers{16777216, 4194304}) {
		t.Errorf("defaults %v", c.Bind("a").buffers())
	}
	for _, err := range []error{c.SetBuffers("a", v(4095), nil), c.SetBuffers("a", nil, v(1<<30)), c.SetBuffers("fr", v(5000), nil), c.SetBuffers("b", v(5000), nil)} {
		if err == nil {
			t.Error("taken")
		}
	}
}

// What we count is what the kernel tells with SO_RXQ_OVFL.
func TestUDPLostIsWhatTheKernelTells(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0].(*udpConn)
	must(t, b.SetBuffers(Buffers{Receive: 4096, Send: 4096}))
	b.raw.Control(func(fd uintptr) { must(t, unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1)) })
	fill := func(n int) {
		for range n {
			a.WriteBatch([]Message{message(b.LocalAddr(), "x")})
		}
	}
	fill(200)
	queued(t, b)
	fill(1) // the next to be read tells what was lost before it
	told := uint32(0)
	b.raw.Control(func(fd uintptr) {
		oob := make([]byte, 100)
		_, n, _, _, err := unix.Recvmsg(int(fd), make([]byte, 10), oob, 0)
		must(t, err)
		list, err := unix.ParseSocketControlMessage(oob[:n])
		must(t, err)
		for _, m := range list {
			if m.Header.Type == unix.SO_RXQ_OVFL {
				told = binary.NativeEndian.Uint32(m.Data)
			}
		}
	})
	if told == 0 || b.Lost() != uint64(told) || b.kernelDrops() != uint64(told) {
		t.Errorf("the kernel tells %d, we %d and %d", told, b.Lost(), b.kernelDrops())
	}
}

// leaky is a Conn that has lost something.
type leaky struct {
	Conn
	lost, asked uint64
}

func (l *leaky) Lost() uint64 { l.asked++; return l.lost }

// Losses are told in the log, with what to do, once in a while.
func TestLossesAreTold(t *testing.T) {
	var log bytes.Buffer
	s := NewStack(Options{Network: &fakeNet{}, Upper: &rig{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	p := newPort(s, newBind(BindConfig{Name: "a"}, 0, 1, nil), 0)
	p.now = time.Unix(1000, 0)
	c, l := &leaky{}, losses{}
	look := func(after time.Duration, lost uint64, want string) {
		t.Helper()
		log.Reset()
		p.now = p.now.Add(after)
		c.lost = lost
		if l.look(p, c); want == "" && log.Len() > 0 || !strings.Contains(log.String(), want) {
			t.Errorf("log %q, want %q", log.String(), want)
		}
	}
	look(0, 0, "")
	look(time.Second, 7, "bind=a worker=0 dropped=7")
	if !strings.Contains(log.String(), "socket-buffer") {
		t.Errorf("no advice in %q", log.String())
	}
	look(2*time.Second, 10, "") // too soon
	look(9*time.Second, 11, "dropped=4")
	look(20*time.Second, 11, "")
	asked := c.asked
	look(lossEvery/2, 20, "")
	if c.asked != asked {
		t.Error("asked twice within a second")
	}
}
