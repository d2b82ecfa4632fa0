package ns_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab/frline"
	"poolgw/ns"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// reader reads a Conn in a goroutine that ends with it.
func reader(t *testing.T, c ns.Conn) <-chan string {
	t.Helper()
	got, done := make(chan string, 100), make(chan struct{})
	go func() {
		defer close(done)
		defer close(got)
		msgs := make([]ns.Message, 8)
		for i := range msgs {
			msgs[i].Buf = make([]byte, ns.MaxDatagram)
		}
		for {
			n, err := c.ReadBatch(msgs)
			if err != nil {
				if !errors.Is(err, net.ErrClosed) {
					t.Errorf("reading: %v", err)
				}
				return
			}
			for _, m := range msgs[:n] {
				got <- m.Addr.String() + " " + hex.EncodeToString(m.Buf[:m.N])
			}
		}
	}()
	t.Cleanup(func() { c.Close(); <-done })
	return got
}

func wantGot(t *testing.T, got <-chan string, want string) {
	t.Helper()
	select {
	case g := <-got:
		if g != want {
			t.Fatalf("got %s, want %s", g, want)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("did not get %s", want)
	}
}

func wantFrame(t *testing.T, l *frline.Line, want string) {
	t.Helper()
	f, err := l.Read(5 * time.Second)
	if err != nil || !bytes.Equal(f, unhex(t, want)) {
		t.Fatalf("frame %x, %v; want %s", f, err, want)
	}
}

func send(t *testing.T, c ns.Conn, to, h string) error {
	t.Helper()
	b := unhex(t, h)
	n, err := c.WriteBatch([]ns.Message{{Buf: b, N: len(b), Addr: netip.MustParseAddrPort(to)}})
	if err == nil && n != 1 {
		t.Errorf("%d messages taken", n)
	}
	return err
}

func newLine(t *testing.T, name string) *frline.Line {
	t.Helper()
	l, err := frline.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Facts: G1.7-01, G1.7-07
func TestLine(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	l := newLine(t, "hdlc0")
	k := &ns.KernelUDP{}
	conns, err := k.Listen(ns.BindConfig{Name: "f", Link: ns.LinkFR, FRNetIf: "hdlc0"}, 2)
	if err != nil || len(conns) != 2 {
		t.Fatal(conns, err)
	}
	got := reader(t, conns[0])
	other := reader(t, conns[1])
	carrier := conns[0].(ns.Carrier)
	wantCarrier := func(up bool, mtu int) {
		t.Helper()
		if u, m := carrier.Carrier(); u != up || m != mtu {
			t.Fatalf("carrier %v, MTU %d; want %v, %d", u, m, up, mtu)
		}
	}
	wantCarrier(true, 1500) // Listen has brought it up
	for _, c := range conns {
		if err := send(t, c, "0.0.0.0:16", "0a"); err != nil {
			t.Fatal(err)
		}
		wantFrame(t, l, "0401 0a")
	}
	for _, f := range []string{"0401 0b", "00010308", "f8f1 aa", "0400 bb", "05", "0601 cc", "040f dd"} {
		if err := l.Write(unhex(t, f)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"0.0.0.0:16 0b", "0.0.0.0:0 0308", "0.0.0.0:1007 aa", "0.0.0.0:16 cc", "0.0.0.0:16 dd"} {
		wantGot(t, got, want)
	}
	long := strings.Repeat("5a", 1498)
	if err := send(t, conns[0], "0.0.0.0:17", long); err != nil {
		t.Fatal(err)
	}
	wantFrame(t, l, "0411"+long)
	if err := frline.SetMTU("hdlc0", 1600); err != nil {
		t.Fatal(err)
	}
	wantCarrier(true, 1600)
	// What others send out of the device is not for us.
	foreign, err := k.Listen(ns.BindConfig{Name: "x", Link: ns.LinkFR, FRNetIf: "hdlc0"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t, foreign[0], "0.0.0.0:16", "77"); err != nil {
		t.Fatal(err)
	}
	wantFrame(t, l, "0401 77")
	foreign[0].Close()
	lineGoes(t, l, conns[0], got, wantCarrier)
	if len(other) != 0 {
		t.Error("the second worker has read")
	}
}

// lineGoes takes the device down, and away, and brings it back.
func lineGoes(t *testing.T, l *frline.Line, c ns.Conn, got <-chan string, wantCarrier func(bool, int)) {
	for _, up := range []bool{false, true} {
		if err := frline.SetUp("hdlc0", up); err != nil {
			t.Fatal(err)
		}
		wantCarrier(up, 1600)
	}
	if err := l.Write(unhex(t, "0401 01")); err != nil {
		t.Fatal(err)
	}
	wantGot(t, got, "0.0.0.0:16 01")
	l.Close()
	wantCarrier(false, 0)
	if err := send(t, c, "0.0.0.0:16", "0a"); err != nil {
		t.Errorf("to a device that is gone: %v", err) // dropped, counted
	}
	l = newLine(t, "hdlc0")
	defer l.Close()
	wantCarrier(true, 1500)
	if err := l.Write(unhex(t, "0401 02")); err != nil {
		t.Fatal(err)
	}
	wantGot(t, got, "0.0.0.0:16 02")
	if err := send(t, c, "0.0.0.0:16", "0a"); err != nil {
		t.Fatal(err)
	}
	wantFrame(t, l, "0401 0a")
	drops := map[string]uint64{}
	c.(ns.Dropper).Dropped(func(reason string, n uint64) { drops[reason] = n })
	if drops["fr_not_taken"] != 2 || drops["fr_send_error"] != 1 {
		t.Errorf("%v", drops)
	}
}

// A device whose queue is full says so: the kernel's ENOBUFS.
func TestLineFull(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	l := newLine(t, "hdlc0")
	defer l.Close()
	conns, err := (&ns.KernelUDP{}).Listen(ns.BindConfig{Link: ns.LinkFR, FRNetIf: "hdlc0"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer conns[0].Close()
	frline.Slow(t, "hdlc0", 800)
	msgs := make([]ns.Message, 50)
	for i := range msgs {
		msgs[i] = ns.Message{Buf: make([]byte, 1000), N: 1000, Addr: netip.MustParseAddrPort("0.0.0.0:16")}
		msgs[i].Buf[0] = byte(i)
	}
	n, err := conns[0].WriteBatch(msgs)
	var busy *ns.BusyError
	if n < 4 || n >= len(msgs) || !errors.As(err, &busy) || !errors.Is(err, unix.ENOBUFS) {
		t.Fatalf("%d taken, %v", n, err)
	}
	for i := range n {
		f, err := l.Read(5 * time.Second)
		if err != nil || len(f) != 1002 || f[2] != byte(i) {
			t.Fatalf("frame %d: %.8x, %v", i, f, err)
		}
	}
	if err := send(t, conns[0], "0.0.0.0:16", "0a"); err != nil {
		t.Error("still full:", err)
	}
	wantFrame(t, l, "0401 0a")
	if allocs := testing.AllocsPerRun(100, func() {
		if _, err := conns[0].WriteBatch(msgs[:1]); err != nil {
			t.Error(err)
		}
		if _, err := l.Read(time.Second); err != nil {
			t.Error(err)
		}
	}); allocs > 2 { // the test's own buffer and deadline
		t.Errorf("%v allocations to send", allocs)
	}
}

func TestLineRefused(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	_, err := (&ns.KernelUDP{}).Listen(ns.BindConfig{Link: ns.LinkFR, FRNetIf: "nosuch0"}, 1)
	if err == nil || err.Error() != "nosuch0: unable to get interface index: no such device" {
		t.Error(err)
	}
	for _, e := range []error{unix.EPERM, unix.EACCES} {
		if err := (&ns.RawError{Step: "open packet socket", On: "hdlc0", Err: e}); !strings.Contains(err.Error(), "CAP_NET_RAW") {
			t.Error(err)
		}
	}
	_, err = (&ns.KernelUDP{}).Listen(ns.BindConfig{Link: ns.LinkFRGRE, Listen: netip.MustParseAddrPort("192.0.2.1:0")}, 1)
	if err == nil || err.Error() != "192.0.2.1: unable to bind GRE socket: cannot assign requested address" {
		t.Error(err)
	}
}

// rawPeer is a GRE socket of the test's own.
type rawPeer struct {
	t  *testing.T
	fd int
	to unix.Sockaddr
	v6 bool
}

func newRawPeer(t *testing.T, at, to netip.Addr) *rawPeer {
	t.Helper()
	p := &rawPeer{t: t, v6: at.Is6()}
	sa := func(a netip.Addr) unix.Sockaddr {
		if a.Is6() {
			return &unix.SockaddrInet6{Addr: a.As16()}
		}
		return &unix.SockaddrInet4{Addr: a.As4()}
	}
	family := unix.AF_INET
	if p.v6 {
		family = unix.AF_INET6
	}
	var err error
	if p.fd, err = unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_GRE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p.fd) })
	if err := unix.Bind(p.fd, sa(at)); err != nil {
		t.Fatal(err)
	}
	_ = unix.SetsockoptTimeval(p.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 5})
	p.to = sa(to)
	return p
}

func (p *rawPeer) send(h string) {
	p.t.Helper()
	if err := unix.Sendto(p.fd, unhex(p.t, h), 0, p.to); err != nil {
		p.t.Fatal(err)
	}
}

// want reads a packet from its GRE header on.
func (p *rawPeer) want(h string) {
	p.t.Helper()
	buf := make([]byte, 4096)
	n, _, err := unix.Recvfrom(p.fd, buf, 0)
	if err != nil {
		p.t.Fatalf("%s does not come: %v", h, err)
	}
	b := buf[:n]
	if !p.v6 {
		b = b[20:]
	}
	if !bytes.Equal(b, unhex(p.t, h)) {
		p.t.Fatalf("%d octets, %.40x, want %.80s", len(b), b, h)
	}
}

// Octets by hand from RFC 2784, RFC 791, RFC 8200 and Q.922.
// Facts: G1.7-10
func TestGRESocket(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	us6, peer6 := netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::2")
	for _, a := range []netip.Addr{us6, peer6} {
		if err := frline.AddAddress(a.As16()); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		us, peer      netip.Addr
		listen, inner string
	}{
		{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2"), "127.0.0.1",
			"0000 0800 45000018 00004000 ff2f0000 7f000001 7f000002 00000000"},
		{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2"), "0.0.0.0",
			"0000 0800 45000018 00004000 ff2f0000 7f000001 7f000002 00000000"},
		{us6, peer6, "fd00::1", "0000 86dd 60000000 00042f40 fd000000000000000000000000000001 fd000000000000000000000000000002 00000000"},
	} {
		greTalk(t, tc.listen, newRawPeer(t, tc.peer, tc.us), tc.peer, tc.us, tc.inner)
	}
}

func greTalk(t *testing.T, listen string, p *rawPeer, peer, us netip.Addr, keepalive string) {
	bind := ns.BindConfig{Name: "g", Link: ns.LinkFRGRE, Listen: netip.AddrPortFrom(netip.MustParseAddr(listen), 0), DSCP: 46}
	conns, err := (&ns.KernelUDP{}).Listen(bind, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer conns[0].Close()
	defer conns[1].Close()
	got := make(chan string, 100)
	go func() { // all but what we hear of ourselves: both ends are on this machine
		for g := range reader(t, conns[0]) {
			if !strings.HasPrefix(g, us.String()+":") {
				got <- g
			}
		}
	}()
	from := func(dlci uint16) string { return netip.AddrPortFrom(peer, dlci).String() }
	if err := send(t, conns[0], from(16), "0a"); err != nil {
		t.Fatal(err)
	}
	p.want("00006559 0401 0a")
	if err := send(t, conns[1], from(1007), "0b"); err != nil {
		t.Fatal(err)
	}
	p.want("00006559 f8f1 0b")
	p.send("00006559 0411 0a")
	p.send(keepalive)
	p.want("00000000")
	p.send("00006559 00010308")         // LMI is not for us
	p.send("00000800 00")               // no keepalive
	p.send("40006559 0411 01")          // routing
	p.send("10006559 00000001 0411 0b") // with a sequence number
	wantGot(t, got, from(17)+" 0a")
	wantGot(t, got, from(17)+" 0b")
	long := strings.Repeat("5a", 1598) // more than Ethernet carries: IP's to fragment
	if err := send(t, conns[0], from(16), long); err != nil {
		t.Fatal(err)
	}
	p.want("00006559 0401" + long)
	drops := map[string]uint64{}
	conns[0].(ns.Dropper).Dropped(func(reason string, n uint64) { drops[reason] = n })
	if drops["fr_not_taken"] < 3 {
		t.Errorf("%v", drops)
	}
	if !slices.Contains([]string{listen + ":0", "[" + listen + "]:0"}, conns[0].LocalAddr().String()) {
		t.Error(conns[0].LocalAddr())
	}
	if err := conns[0].(ns.Tuner).Tune(10, 3); err != nil {
		t.Error(err)
	}
}
