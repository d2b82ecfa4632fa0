package simnet

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/ns"
)

var (
	addrA = netip.MustParseAddrPort("127.0.0.1:23000")
	addrB = netip.MustParseAddrPort("127.0.0.2:23001")
)

// sink reads a socket until it is closed.
type sink struct {
	mu  sync.Mutex
	got []string
	at  []time.Time
}

func (s *sink) run(c ns.Conn) {
	msgs := make([]ns.Message, 4)
	for i := range msgs {
		msgs[i].Buf = make([]byte, ns.MaxDatagram)
	}
	for {
		n, err := c.ReadBatch(msgs)
		if err != nil {
			return
		}
		s.mu.Lock()
		for _, m := range msgs[:n] {
			s.got = append(s.got, string(m.Buf[:m.N]))
			s.at = append(s.at, time.Now())
		}
		s.mu.Unlock()
	}
}

func (s *sink) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

func listen(t *testing.T, n *Network, a netip.AddrPort) ns.Conn {
	t.Helper()
	cs, err := n.Listen(ns.BindConfig{Name: "x", Listen: a}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return cs[0]
}

func write(t *testing.T, c ns.Conn, to netip.AddrPort, texts ...string) {
	t.Helper()
	for _, x := range texts {
		if n, err := c.WriteBatch([]ns.Message{{Buf: []byte(x), N: len(x), Addr: to}}); n != 1 || err != nil {
			t.Fatalf("WriteBatch = %d, %v", n, err)
		}
	}
}

// carry sends count numbered datagrams from A to B over n and returns what
// came, in order, after everything has arrived.
func carry(t *testing.T, n *Network, count int) (*sink, Stats) {
	t.Helper()
	a, b := listen(t, n, addrA), listen(t, n, addrB)
	var s sink
	go s.run(b)
	for i := range count {
		write(t, a, addrB, fmt.Sprint(i))
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	st := n.Stats()
	n.Close()
	synctest.Wait()
	return &s, st
}

func TestCarriesInOrderAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(1, Faults{})
		defer n.Close()
		a, b := listen(t, n, addrA), listen(t, n, addrB)
		write(t, a, addrB, "one", "two", "three")
		msgs := make([]ns.Message, 8)
		for i := range msgs {
			msgs[i].Buf = make([]byte, 4)
		}
		got, err := b.ReadBatch(msgs)
		if got != 3 || err != nil {
			t.Fatalf("ReadBatch = %d, %v; want 3", got, err)
		}
		for i, want := range []string{"one", "two", "thre"} { // cut to the buffer
			if m := msgs[i]; string(m.Buf[:m.N]) != want || m.Addr != addrA {
				t.Errorf("message %d: %q from %s", i, m.Buf[:m.N], m.Addr)
			}
		}
	})
}

func TestFaults(t *testing.T) {
	const count = 1000
	for _, c := range []struct {
		name     string
		f        Faults
		min, max int // arrivals
		ordered  bool
	}{
		{"loss", Faults{Loss: 0.3}, 620, 780, true},
		{"all lost", Faults{Loss: 1}, 0, 0, true},
		{"duplicates", Faults{Duplicate: 0.5}, 1400, 1600, true},
		{"delay and jitter", Faults{Delay: time.Second, Jitter: 50 * time.Millisecond}, count, count, true},
		{"reordering", Faults{Delay: time.Second, Reorder: 0.1}, count, count, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, st := carry(t, New(7, c.f), count)
				if l := len(s.got); l < c.min || l > c.max {
					t.Errorf("%d of %d arrived, want %d to %d", l, count, c.min, c.max)
				}
				if o := ordered(s.got); o != c.ordered {
					t.Errorf("in order: %v, want %v", o, c.ordered)
				}
				if st.Sent+st.Duplicated != st.Delivered+st.Lost+st.Cut+st.NoReceiver+st.Overflow+st.InFlight {
					t.Errorf("not conserved: %+v", st)
				}
				if st.Sent != count || int(st.Delivered) != len(s.got) {
					t.Errorf("stats %+v, %d arrived", st, len(s.got))
				}
			})
		})
	}
}

func ordered(texts []string) bool {
	last := -1
	for _, x := range texts {
		var i int
		fmt.Sscan(x, &i)
		if i < last {
			return false
		}
		last = i
	}
	return true
}

func TestDelayIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(1, Faults{Delay: 250 * time.Millisecond})
		a, b := listen(t, n, addrA), listen(t, n, addrB)
		var s sink
		go s.run(b)
		start := time.Now()
		write(t, a, addrB, "x")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(s.at) != 1 || s.at[0].Sub(start) != 250*time.Millisecond {
			t.Errorf("arrivals %v after %v", s.at, start)
		}
		n.Close()
	})
}

// The same seed gives the same run, another seed another one. (No datagram is
// due at the moment another is sent: then goroutines would decide.)
func TestSeed(t *testing.T) {
	run := func(seed uint64) (texts []string) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := carry(t, New(seed, Faults{Loss: 0.2, Duplicate: 0.1, Reorder: 0.1, ReorderBy: 20500 * time.Microsecond}), 300)
			texts = s.texts()
		})
		return texts
	}
	one, again, other := run(3), run(3), run(4)
	if strings.Join(one, " ") != strings.Join(again, " ") {
		t.Error("two runs with one seed differ")
	}
	if strings.Join(one, " ") == strings.Join(other, " ") {
		t.Error("two seeds give the same run")
	}
}

func TestCutAndHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(1, Faults{})
		a, b := listen(t, n, addrA), listen(t, n, addrB)
		var s sink
		go s.run(b)
		n.Cut(netip.AddrPortFrom(addrB.Addr(), 0), netip.AddrPort{})
		write(t, a, addrB, "lost")
		n.Heal()
		write(t, a, addrB, "carried")
		synctest.Wait()
		if got := strings.Join(s.texts(), " "); got != "carried" {
			t.Errorf("arrived: %q", got)
		}
		if st := n.Stats(); st.Cut != 1 || st.Delivered != 1 {
			t.Errorf("stats %+v", st)
		}
		n.Close()
	})
}

func TestLinkFaultsConcernTheirLinkOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(1, Faults{})
		a, b := listen(t, n, addrA), listen(t, n, addrB)
		n.SetLinkFaults(addrA, addrB, Faults{Loss: 1})
		write(t, a, addrB, "x")
		write(t, b, addrA, "x")
		write(t, a, addrA, "x")
		if st := n.Stats(); st.Lost != 2 || st.Delivered != 1 {
			t.Errorf("stats %+v", st)
		}
		n.Close()
	})
}

func TestQueueIsBounded(t *testing.T) {
	n := New(1, Faults{})
	defer n.Close()
	a, _ := listen(t, n, addrA), listen(t, n, addrB)
	for range queueLength + 10 {
		write(t, a, addrB, "x")
	}
	if st := n.Stats(); st.Overflow != 10 || st.Delivered != queueLength {
		t.Errorf("stats %+v", st)
	}
}

func TestFlowsAreBounded(t *testing.T) {
	n := New(1, Faults{})
	for i := range maxFlows + 100 {
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), 0, 1}), uint16(i))
		if n.flow(src, addrB) == nil {
			t.Fatal("no flow")
		}
	}
	if len(n.flows) > maxFlows+1 {
		t.Errorf("%d flows", len(n.flows))
	}
}

func TestAddresses(t *testing.T) {
	n := New(1, Faults{})
	defer n.Close()
	a := listen(t, n, addrA)
	if _, err := n.Listen(ns.BindConfig{Listen: addrA}, 1); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("second bind: %v", err)
	}
	e1, e2 := listen(t, n, netip.MustParseAddrPort("127.0.0.1:0")), listen(t, n, netip.MustParseAddrPort("127.0.0.1:0"))
	if e1.LocalAddr() == e2.LocalAddr() || e1.LocalAddr().Port() == 0 {
		t.Errorf("free ports %s and %s", e1.LocalAddr(), e2.LocalAddr())
	}
	w := listen(t, n, netip.MustParseAddrPort("0.0.0.0:99"))
	write(t, a, netip.MustParseAddrPort("127.9.9.9:99"), "x")
	write(t, a, netip.MustParseAddrPort("127.9.9.9:98"), "x")
	if st := n.Stats(); st.Delivered != 1 || st.NoReceiver != 1 {
		t.Errorf("wildcard: %+v", st)
	}
	a.Close()
	listen(t, n, addrA)
	w.Close()
	if _, err := w.ReadBatch(make([]ns.Message, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
	if _, err := w.WriteBatch(nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
}

// Workers of one address share its datagrams by source.
func TestWorkers(t *testing.T) {
	n := New(1, Faults{})
	defer n.Close()
	if cs, err := n.Listen(ns.BindConfig{Listen: addrB}, 4); err != nil || len(cs) != 4 {
		t.Fatalf("%d sockets, %v", len(cs), err)
	}
	for i := range 64 {
		c := listen(t, n, netip.AddrPortFrom(addrA.Addr(), uint16(1000+i)))
		write(t, c, addrB, "x", "x")
	}
	for i, c := range n.ports[addrB] {
		if l := len(c.queue); l == 0 || l%2 != 0 {
			t.Errorf("worker %d has %d datagrams: a source is split, or one gets none", i, l)
		}
	}
}

// tshark reads NS from a capture: an NS-ALIVE and an NS-UNITDATA (TS 48.016
// 9.2) with a BVC-RESET over IPv4, an NS-ALIVE-ACK over IPv6.
func TestCaptureIsReadByTshark(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("tshark is not installed")
	}
	n := New(1, Faults{})
	var file bytes.Buffer
	c, err := NewCapture(&file)
	if err != nil {
		t.Fatal(err)
	}
	n.Tap(c.Packet)
	a := listen(t, n, addrA)
	write(t, a, addrB, "\x0a", "\x00\x00\x00\x00\x22\x04\x82\x00\x00\x07\x81\x08")
	v6 := listen(t, n, netip.MustParseAddrPort("[::1]:23000"))
	write(t, v6, netip.MustParseAddrPort("[::1]:23001"), "\x0b")
	n.Close()
	if frames, err := c.Frames(); frames != 3 || err != nil {
		t.Fatalf("%d frames, %v", frames, err)
	}
	cmd := exec.Command("tshark", "-r", "-", "-d", "udp.port==23001,gprs-ns",
		"-o", "udp.check_checksum:TRUE", "-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info", "-e", "udp.checksum.status")
	cmd.Stdin = &file
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "GPRS-NS\tNS_ALIVE\t1\nBSSGP\tBVC-RESET\t1\nGPRS-NS\tNS_ALIVE_ACK\t1\n" // 1: checksum good
	if string(out) != want {
		t.Errorf("tshark says %q, want %q", out, want)
	}
}
