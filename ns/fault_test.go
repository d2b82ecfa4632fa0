package ns

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// logged gives the rig a log and returns its text.
func (r *rig) logged() *bytes.Buffer {
	b := &bytes.Buffer{}
	r.s.log = slog.New(slog.NewTextHandler(b, nil))
	return b
}

func wantLine(t *testing.T, log string, parts ...string) {
	t.Helper()
next:
	for line := range strings.Lines(log) {
		for _, p := range parts {
			if !strings.Contains(line, p) {
				continue next
			}
		}
		return
	}
	t.Errorf("no log line with %q in\n%s", parts, log)
}

// A BTS whose address changes, before its death was noticed: it is served at the
// new one, the move is logged and counted, the NSE beside it notices nothing.
func TestFaultBTSMoves(t *testing.T) {
	r := dynRig(t)
	r.up()
	log := r.logged()
	r.write("b", bts, reset2001, unblock)
	r.events = nil
	r.write("b", "10.0.2.7:999", reset2001, unblock)
	r.wantEvents("vc down 2001", "failure 2001", "vc up 2001", "recovery 2001")
	wantLine(t, log.String(), "level=WARN", "comes from another address", "NSE(02001)", "before="+bts, "now=10.0.2.7:999")
	if s := r.s.Snapshot(r.now); s.Moves != 1 {
		t.Errorf("%d moves", s.Moves)
	}
	r.wantVCs(101, "UNBLOCKED")
}

// A dead NS-VC beside a live one of the same NSE: a line, counters, and the NSE
// stays available; it comes back by itself.
// Facts: G1.5-04
func TestFaultOneVCDies(t *testing.T) {
	const other = "10.0.1.2:23000"
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, ipaVC(c, 101, "b", other, 102))
	})
	r.write("a", remote, resetAck101, unblockOK, aliveAckHex)
	r.write("b", other, "030182006604820065", unblockOK, aliveAckHex)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.events = nil
	log := r.logged()
	answering := func(d time.Duration) {
		for end := r.now.Add(d); r.now.Before(end); r.write("b", other, aliveAckHex) {
			r.sleep(sec)
		}
	}
	answering(70 * sec)
	r.wantVCs(101, "RESET", "UNBLOCKED")
	r.wantEvents("vc down 101")
	wantLine(t, log.String(), "NS-VC is dead", "NSVC(00101)")
	if n := r.nse(101); !n.Alive || n.Counters.Dead != 1 || n.Counters.LostAlive < 10 {
		t.Errorf("%+v", n)
	}
	r.frames()
	answering(4 * sec)
	tried := false
	for _, f := range r.frames() {
		tried = tried || f.to == ap(remote) && PDUType(f.b[0]) == PDUReset
	}
	if !tried {
		t.Error("no NS-RESET to the dead one")
	}
	r.write("a", remote, resetAck101, unblockOK)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
}

// brokenConn fails to read for a while, as when the interface goes away.
type brokenConn struct {
	*fakeConn
	mu   sync.Mutex
	fail bool
	in   chan Message
}

func (c *brokenConn) set(fail bool) { c.mu.Lock(); defer c.mu.Unlock(); c.fail = fail }

func (c *brokenConn) ReadBatch(msgs []Message) (int, error) {
	c.mu.Lock()
	fail := c.fail
	c.mu.Unlock()
	if fail {
		return 0, syscall.ENETDOWN
	}
	select {
	case m := <-c.in:
		msgs[0].N, msgs[0].Addr = copy(msgs[0].Buf, m.Buf[:m.N]), m.Addr
		return 1, nil
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

type brokenNet struct {
	*fakeNet
	conn *brokenConn
}

func (n *brokenNet) Listen(b BindConfig, _ int) ([]Conn, error) {
	conns, err := n.fakeNet.Listen(b, 1)
	if err != nil {
		return nil, err
	}
	n.conn = &brokenConn{fakeConn: conns[0].(*fakeConn), in: make(chan Message), fail: true}
	return []Conn{n.conn}, nil
}

// syncLog is a log that a worker writes and a test reads.
type syncLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *syncLog) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *syncLog) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// A socket that can't be read for ten minutes is tried again without spinning
// and without filling the log, and is heard when it can be.
func TestFaultSocketFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, log := &brokenNet{fakeNet: &fakeNet{open: map[netip.AddrPort]*fakeConn{}}}, &syncLog{}
		s := NewStack(Options{Network: broken, Workers: 1, Upper: &rig{t: t}, Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now})
		defer s.Close()
		cfg := Config{Timers: DefaultTimers(), TxQueueMax: 128}
		must(t, cfg.AddBind(LinkUDP, "a"))
		must(t, cfg.SetListen("a", ap("10.0.0.1:23000")))
		must(t, s.Apply(cfg, time.Now()))
		time.Sleep(10 * time.Minute)
		wantLine(t, log.String(), "level=WARN", "receiving failed", "bind=a", "network is down")
		if n := strings.Count(log.String(), "receiving failed"); n > 12 {
			t.Errorf("%d lines", n)
		}
		broken.conn.set(false)
		select {
		case broken.conn.in <- message(ap(remote), "\x0a"):
		case <-time.After(2 * time.Second):
			t.Fatal("the socket is not read")
		}
		select {
		case g := <-s.Control():
			s.Handle(time.Now(), g)
		case <-time.After(time.Second):
			t.Error("what it read is lost")
		}
	})
}
