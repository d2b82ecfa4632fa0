//go:build linux

package ns

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var loopbacks = []string{"127.0.0.1", "::1"}

// listen opens a bind on addr ("127.0.0.1", any port when port is 0).
func listen(t testing.TB, addr string, port uint16, workers int) []Conn {
	t.Helper()
	conns, err := (&KernelUDP{}).Listen(BindConfig{Name: "b", Link: LinkUDP,
		Listen: netip.AddrPortFrom(netip.MustParseAddr(addr), port)}, workers)
	if err != nil {
		if errors.Is(err, unix.EADDRNOTAVAIL) && addr == "::1" || errors.Is(err, unix.EAFNOSUPPORT) {
			t.Skipf("this machine has no %s: %v", addr, err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range conns {
			c.Close()
		}
	})
	return conns
}

func room(n, size int) []Message {
	msgs := make([]Message, n)
	for i := range msgs {
		msgs[i].Buf = make([]byte, size)
	}
	return msgs
}

func message(to netip.AddrPort, text string) Message {
	return Message{Buf: []byte(text), N: len(text), Addr: to}
}

// receive reads n datagrams and returns their texts.
func receive(t testing.TB, c Conn, n int) (texts []string, from []netip.AddrPort) {
	t.Helper()
	timer := time.AfterFunc(5*time.Second, func() { c.Close() })
	defer timer.Stop()
	msgs := room(100, MaxDatagram)
	for len(texts) < n {
		got, err := c.ReadBatch(msgs)
		if err != nil {
			t.Fatalf("after %d of %d datagrams: %v", len(texts), n, err)
		}
		for _, m := range msgs[:got] {
			texts, from = append(texts, string(m.Buf[:m.N])), append(from, m.Addr)
		}
	}
	return texts, from
}

func dropped(c Conn, reason string) (n uint64) {
	c.(Dropper).Dropped(func(r string, count uint64) {
		if r == reason {
			n = count
		}
	})
	return n
}

// Facts: G1.1-01
func TestUDPBothWays(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			a, b := listen(t, ip, 0, 1)[0], listen(t, ip, 0, 1)[0]
			var msgs []Message
			var want []string
			for i := range 150 { // more than two system calls' worth
				want = append(want, fmt.Sprint("datagram ", i))
				msgs = append(msgs, message(b.LocalAddr(), want[i]))
			}
			if n, err := a.WriteBatch(msgs); n != 150 || err != nil {
				t.Fatalf("took %d, %v", n, err)
			}
			texts, from := receive(t, b, 150)
			if !slices.Equal(texts, want) {
				t.Errorf("got %q", texts)
			}
			if from[0] != a.LocalAddr() || from[149] != a.LocalAddr() {
				t.Errorf("from %v, want %v", from[0], a.LocalAddr())
			}
			b.WriteBatch([]Message{message(from[0], "back")})
			if texts, _ := receive(t, a, 1); texts[0] != "back" {
				t.Errorf("got %q", texts)
			}
		})
	}
}

// A datagram of the standard library's, so that both ends are not ours.
func TestUDPWithStandardSocket(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			c := listen(t, ip, 0, 1)[0]
			peer, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(c.LocalAddr()))
			if err != nil {
				t.Fatal(err)
			}
			defer peer.Close()
			peer.Write([]byte{0x0A})
			texts, from := receive(t, c, 1)
			if texts[0] != "\x0A" || from[0] != peer.LocalAddr().(*net.UDPAddr).AddrPort() {
				t.Fatalf("%q from %v", texts, from)
			}
			c.WriteBatch([]Message{message(from[0], "\x0B"), message(from[0], "")})
			buf := make([]byte, 10)
			for _, want := range []string{"\x0B", ""} {
				if n, err := peer.Read(buf); err != nil || string(buf[:n]) != want {
					t.Fatalf("%q, %v, want %q", buf[:n], err, want)
				}
			}
		})
	}
}

func TestUDPBindErrors(t *testing.T) {
	k := &KernelUDP{}
	for text, b := range map[string]BindConfig{
		"unable to bind socket: 198.51.100.1:23000: cannot assign requested address": {Link: LinkUDP, Listen: netip.MustParseAddrPort("198.51.100.1:23000")},
		"unable to bind socket: [fe80::1%nosuch]:23000: no such device":              {Link: LinkUDP, Listen: netip.MustParseAddrPort("[fe80::1%nosuch]:23000")},
		"ns: not a UDP bind with an address":                                         {Link: LinkUDP},
		"ns: not a UDP bind with an address ":                                        {Link: LinkFR, Listen: netip.MustParseAddrPort("127.0.0.1:23000")},
	} {
		conns, err := k.Listen(b, 2)
		if conns != nil || err == nil || err.Error() != text && err.Error()+" " != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// A second instance, or a second bind, gets nothing of an address that is had,
// neither as the same address nor by way of the unspecified one.
func TestUDPAddressIsExclusive(t *testing.T) {
	for _, c := range []struct{ first, second string }{
		{"127.0.0.1", "127.0.0.1"}, {"127.0.0.1", "0.0.0.0"}, {"0.0.0.0", "127.0.0.1"}, {"::1", "::1"}, {"::1", "::"}, {"::", "::1"},
	} {
		t.Run(c.first+" "+c.second, func(t *testing.T) {
			had := listen(t, c.first, 0, 3)
			want := netip.AddrPortFrom(netip.MustParseAddr(c.second), had[0].LocalAddr().Port())
			bind := BindConfig{Link: LinkUDP, Listen: want}
			_, err := (&KernelUDP{}).Listen(bind, 3)
			if !errors.Is(err, unix.EADDRINUSE) || err.Error() != "unable to bind socket: "+want.String()+": address already in use" {
				t.Fatalf("%v", err)
			}
			had[0].Close() // the other workers still have it
			if _, err := (&KernelUDP{}).Listen(bind, 1); !errors.Is(err, unix.EADDRINUSE) {
				t.Fatalf("with the first socket closed: %v", err)
			}
			had[1].Close()
			had[2].Close()
			listen(t, c.second, want.Port(), 3) // free at once
		})
	}
}

func TestUDPOtherVersionIsFree(t *testing.T) {
	port := listen(t, "0.0.0.0", 0, 1)[0].LocalAddr().Port()
	listen(t, "::", port, 1)
}

// One address of several may be had beside another one on the same port.
func TestUDPOtherAddressIsFree(t *testing.T) {
	port := listen(t, "127.0.0.1", 0, 2)[0].LocalAddr().Port()
	listen(t, "127.0.0.2", port, 2)
}

// Peers are shared out among all workers, the first one too, and each peer
// stays with its worker.
// Facts: G0-14
func TestUDPWorkersShareOut(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			workers := listen(t, ip, 0, 4)
			const peers, each = 64, 3
			for range peers {
				peer := listen(t, ip, 0, 1)[0]
				for range each {
					peer.WriteBatch([]Message{message(workers[0].LocalAddr(), "x")})
				}
			}
			at := map[netip.AddrPort]int{}
			total := 0
			for w, c := range workers {
				got := queued(t, c)
				if total += len(got); len(got) == 0 {
					t.Errorf("worker %d got nothing", w)
				}
				for _, from := range got {
					if other, ok := at[from]; ok && other != w {
						t.Errorf("peer %v at workers %d and %d", from, other, w)
					}
					at[from] = w
				}
			}
			if total != peers*each || len(at) != peers {
				t.Errorf("%d datagrams of %d peers", total, len(at))
			}
		})
	}
}

// queued returns the senders of what waits in c's queue now.
func queued(t *testing.T, c Conn) (from []netip.AddrPort) {
	t.Helper()
	u := c.(*udpConn)
	msgs := room(udpBatch, 100)
	for {
		u.recv.prepare(msgs)
		ready := false
		u.raw.Control(func(fd uintptr) { ready = u.recv.run(fd) })
		if !ready {
			return from
		}
		for _, m := range msgs[:u.collect(msgs)] {
			from = append(from, m.Addr)
		}
	}
}

func TestUDPTruncatedIsDropped(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	var msgs []Message
	for _, size := range []int{8, 9, 3, 100, 7} { // 9 and 100 do not fit
		msgs = append(msgs, message(b.LocalAddr(), string(make([]byte, size))))
	}
	a.WriteBatch(msgs)
	got, sizes := room(5, 8), []int{}
	for len(sizes) < 3 {
		n, err := b.ReadBatch(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got[:n] {
			sizes = append(sizes, m.N)
		}
	}
	if !slices.Equal(sizes, []int{8, 3, 7}) || dropped(b, "udp_truncated") != 2 {
		t.Errorf("sizes %v, %d dropped", sizes, dropped(b, "udp_truncated"))
	}
	seen := map[*byte]bool{}
	for _, m := range got {
		seen[unsafe.SliceData(m.Buf)] = true
	}
	if len(seen) != len(got) {
		t.Error("two messages share a buffer")
	}
}

// Each bad destination costs its own message only.
func TestUDPBadDestinations(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	good := b.LocalAddr()
	big := Message{Buf: make([]byte, 65600), N: 65600, Addr: good}
	msgs := []Message{
		message(netip.AddrPort{}, "no address"),
		message(good, "1"),
		message(netip.MustParseAddrPort("[::1]:9"), "other version"),
		message(netip.MustParseAddrPort("127.0.0.1:0"), "port 0"),
		message(good, "2"),
		big,
		message(netip.MustParseAddrPort("255.255.255.255:9"), "broadcast"),
		{Buf: []byte("x"), N: 2, Addr: good},                                                // more than there is
		message(netip.AddrPortFrom(netip.AddrFrom16(good.Addr().As16()), good.Port()), "3"), // IPv4-mapped
	}
	if n, err := a.WriteBatch(msgs); n != 3 || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
	if texts, _ := receive(t, b, 3); !slices.Equal(texts, []string{"1", "2", "3"}) {
		t.Errorf("got %q", texts)
	}
	for reason, want := range map[string]uint64{"udp_bad_address": 3, "udp_too_long": 1, "udp_refused": 1, "udp_send_error": 1} {
		if got := dropped(a, reason); got != want {
			t.Errorf("%s %d, want %d", reason, got, want)
		}
	}
}

// A port that nobody listens on is answered by ICMP; the socket must not mind.
func TestUDPClosedPortDoesNotHurt(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	gone := listen(t, "127.0.0.1", 0, 1)[0]
	gone.Close()
	for range 3 {
		if n, _ := a.WriteBatch([]Message{message(gone.LocalAddr(), "x"), message(b.LocalAddr(), "y")}); n != 2 {
			t.Errorf("took %d", n)
		}
	}
	receive(t, b, 3)
	b.WriteBatch([]Message{message(a.LocalAddr(), "z")})
	receive(t, a, 1)
}

func TestUDPClose(t *testing.T) {
	c := listen(t, "127.0.0.1", 0, 1)[0]
	done := make(chan error)
	go func() {
		_, err := c.ReadBatch(room(4, 100))
		done <- err
	}()
	c.Close()
	if err := <-done; err != net.ErrClosed {
		t.Errorf("reader: %v", err)
	}
	if _, err := c.ReadBatch(room(4, 100)); err != net.ErrClosed {
		t.Errorf("read: %v", err)
	}
	if n, err := c.WriteBatch([]Message{message(c.LocalAddr(), "x")}); n != 0 || err != net.ErrClosed {
		t.Errorf("write: %d, %v", n, err)
	}
	if err := c.(Tuner).Tune(0, 0); err != net.ErrClosed {
		t.Errorf("tune: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if dropped(c, udpReceiveQueueFull) != 0 {
		t.Error("drops of a closed socket")
	}
}

func TestUDPAllocatesNothing(t *testing.T) {
	for _, ip := range loopbacks {
		t.Run(ip, func(t *testing.T) {
			a, b := listen(t, ip, 0, 1)[0], listen(t, ip, 0, 1)[0]
			out, in := room(16, 100), room(64, MaxDatagram)
			for i := range out {
				out[i].N, out[i].Addr = 100, b.LocalAddr()
			}
			if n := testing.AllocsPerRun(200, func() {
				if n, err := a.WriteBatch(out); n != len(out) || err != nil {
					t.Fatal(n, err)
				}
				for left := len(out); left > 0; {
					n, err := b.ReadBatch(in)
					if err != nil {
						t.Fatal(err)
					}
					left -= n
				}
			}); n != 0 {
				t.Errorf("%v allocations a batch", n)
			}
		})
	}
}

func TestUDPWritersAtOnce(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	const writers, rounds = 12, 20 // more than the store holds
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for r := range rounds {
				a.WriteBatch([]Message{message(b.LocalAddr(), fmt.Sprint(w, " ", r))})
			}
		})
	}
	texts, _ := receive(t, b, writers*rounds)
	wg.Wait()
	slices.Sort(texts)
	if got := len(slices.Compact(texts)); got != writers*rounds {
		t.Errorf("%d different datagrams, want %d", got, writers*rounds)
	}
}

func TestUDPCountsFullReceiveQueue(t *testing.T) {
	a, b := listen(t, "127.0.0.1", 0, 1)[0], listen(t, "127.0.0.1", 0, 1)[0]
	b.(*udpConn).raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4096) })
	msgs := slices.Repeat([]Message{message(b.LocalAddr(), "x")}, 200)
	if n, _ := a.WriteBatch(msgs); n != 200 {
		t.Fatalf("took %d", n)
	}
	got := len(queued(t, b))
	if lost := dropped(b, udpReceiveQueueFull); got == 200 || lost != uint64(200-got) {
		t.Errorf("%d received, %d counted as dropped of 200", got, lost)
	}
}

// A send queue that stays full: what was taken counts, the rest is dropped
// after a bounded wait. A UNIX datagram socket stands for UDP's, since loopback
// never lets one fill.
func TestUDPFullSendQueue(t *testing.T) {
	for _, drained := range []bool{false, true} {
		t.Run(fmt.Sprint("drained=", drained), func(t *testing.T) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fds[0])
			defer unix.Close(fds[1])
			const total = 60 // net.unix.max_dgram_qlen is 10 to 512
			unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 4608)
			c := &udpConn{}
			b := batchWithoutNames(c, total, 1000)
			done := make(chan int, 1)
			if drained {
				go func() { done <- drain(fds[1], total) }()
			}
			start := time.Now()
			b.run(uintptr(fds[0]))
			lost := int(c.drops[dropQueueFull].Load())
			if b.took+lost != total || drained != (lost == 0) || b.took == 0 {
				t.Errorf("%d taken, %d dropped of %d", b.took, lost, total)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("waited %v", d)
			}
			if !drained {
				done <- drain(fds[1], b.took)
			}
			if got := <-done; got != b.took {
				t.Errorf("%d arrived, %d taken", got, b.took)
			}
		})
	}
}

func batchWithoutNames(c *udpConn, n, size int) *sendBatch {
	b := &sendBatch{conn: c, n: n}
	buf := make([]byte, size)
	for i := range n {
		b.iovs[i].Base = &buf[0]
		b.iovs[i].SetLen(size)
		b.hdrs[i].Hdr.Iov = &b.iovs[i]
		b.hdrs[i].Hdr.SetIovlen(1)
	}
	return b
}

// drain reads up to n datagrams from fd, waiting a second at most for each.
func drain(fd, n int) (got int) {
	unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1})
	for buf := make([]byte, 2000); got < n; got++ {
		if _, err := unix.Read(fd, buf); err != nil {
			break
		}
	}
	return got
}

func BenchmarkUDPRelay(b *testing.B) {
	from, to := listen(b, "127.0.0.1", 0, 1)[0], listen(b, "127.0.0.1", 0, 1)[0]
	out, in := room(32, 100), room(64, MaxDatagram)
	for i := range out {
		out[i].N, out[i].Addr = 100, to.LocalAddr()
	}
	b.ReportAllocs()
	for b.Loop() {
		from.WriteBatch(out)
		for left := len(out); left > 0; {
			n, _ := to.ReadBatch(in)
			left -= n
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/datagram")
}
