package sctp_test

import (
	"encoding/binary"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"poolgw/lab/sctptest"
	"poolgw/sctp"
)

// packet is an SCTP packet as it was on the loopback interface.
type packet struct {
	dscp   byte
	chunks map[byte][]byte // by type (RFC 9260 clause 3.2): the first of its type, with its header
	data   [][]byte        // all DATA chunks that hold 5 octets or more
}

// sniff reads loopback until the test ends, and gives the SCTP packets of
// IPv4 that want takes.
func sniff(t *testing.T) func(wanted string, want func(p packet) bool) packet {
	t.Helper()
	const ipv4, loopback = 0x0008, 1 // ETH_P_IP in network byte order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, ipv4)
	if err != nil {
		t.Skipf("not root: %v", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrLinklayer{Protocol: ipv4, Ifindex: loopback}); err != nil {
		t.Fatal(err)
	}
	syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 100_000})
	return func(wanted string, want func(p packet) bool) packet {
		t.Helper()
		b := make([]byte, 65536)
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
			n, _, err := syscall.Recvfrom(fd, b, 0)
			if err != nil || n < 32 || b[0] != 0x45 || b[9] != 132 {
				continue
			}
			if p := parsePacket(b[:n]); want(p) {
				return p
			}
		}
		t.Fatalf("%s was not on the wire", wanted)
		return packet{}
	}
}

func parsePacket(b []byte) packet {
	p := packet{dscp: b[1] >> 2, chunks: map[byte][]byte{}}
	for b = b[20+12:]; len(b) >= 4; {
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n < 4 || n > len(b) {
			break
		}
		if p.chunks[b[0]] == nil {
			p.chunks[b[0]] = append([]byte(nil), b[:n]...)
		}
		if b[0] == chunkData && n >= 21 {
			p.data = append(p.data, append([]byte(nil), b[:n]...))
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return p
}

func (p packet) has(kind byte) bool { return p.chunks[kind] != nil }

// Types of chunks.
const chunkData, chunkInit, chunkSack, chunkHeartbeat, chunkAbort = 0, 1, 3, 4, 6

// onTheWire looks at the octets that Options and Messages become.
func onTheWire(t *testing.T, b sctptest.Bed) {
	b.Options.DSCP, b.Options.Streams = 46, 7
	b.Options.HeartbeatInterval = 300 * time.Millisecond
	see := sniff(t)
	client, server := connect(t, b)
	p := see("INIT", func(p packet) bool { return p.has(chunkInit) })
	if init := p.chunks[chunkInit]; binary.BigEndian.Uint16(init[12:]) != 7 || binary.BigEndian.Uint16(init[14:]) != 7 || p.dscp != 46 {
		t.Errorf("INIT % x with DSCP %d", init[:20], p.dscp)
	}
	if s := client.Stats(); s.OutStreams != 7 || s.InStreams != 7 || s.State != sctp.Established {
		t.Errorf("%d streams out, %d in, %v", s.OutStreams, s.InStreams, s.State)
	}
	if err := client.Send(sctp.Message{Stream: 3, PPID: sctp.PPIDNGAP, Data: []byte("octets")}); err != nil {
		t.Fatal(err)
	}
	p = see("DATA", func(p packet) bool { return p.has(chunkData) })
	// Type, flags (unfragmented), length, TSN, stream, number, PPID, data.
	d := p.chunks[chunkData]
	if d[1]&3 != 3 || binary.BigEndian.Uint16(d[8:]) != 3 || string(d[12:]) != "\x00\x00\x00\x3coctets" || p.dscp != 46 {
		t.Errorf("DATA % x with DSCP %d", d, p.dscp)
	}
	for range 3 {
		see("HEARTBEAT", func(p packet) bool { return p.has(chunkHeartbeat) })
	}
	server.Abort("words")
	p = see("ABORT", func(p packet) bool { return p.has(chunkAbort) })
	if a := p.chunks[chunkAbort]; len(a) < 8 || string(a[4:6]) != "\x00\x0c" || b.Server.Name() != "kernel" && string(a[6:]) != "\x00\x09words" {
		t.Errorf("ABORT % x", a)
	}
}

// noNagle: a second short message does not wait until the first is acknowledged,
// at the end that dialled and at the one that accepted. usrsctp 0.9.5 was seen to do so
// with NODELAY off as well.
func noNagle(t *testing.T, b sctptest.Bed) {
	see := sniff(t)
	client, server := connect(t, b)
	for who, from := range map[string]sctp.Assoc{"client": client, "server": server} {
		early := 0
		for range 5 {
			for _, s := range []string{"first", "later"} {
				if err := from.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: []byte(s)}); err != nil {
					t.Fatal(err)
				}
			}
			tsn, acknowledged, both := uint32(0), false, false // tsn: of the first
			see("the second message", func(p packet) bool {
				if sack := p.chunks[chunkSack]; sack != nil && tsn != 0 {
					upTo := binary.BigEndian.Uint32(sack[4:])
					acknowledged = acknowledged || upTo == tsn
					both = upTo == tsn+1 // the sniffer may see it first
				}
				for _, d := range p.data {
					switch string(d[16:21]) {
					case "first":
						tsn = binary.BigEndian.Uint32(d[4:])
					case "later":
						if binary.BigEndian.Uint32(d[4:]) == tsn+1 {
							return true
						}
					}
				}
				return false
			})
			if !acknowledged {
				early++
			}
			if !both {
				see("the acknowledgement of both", func(p packet) bool {
					sack := p.chunks[chunkSack]
					return sack != nil && binary.BigEndian.Uint32(sack[4:]) == tsn+1
				})
			}
		}
		if early == 0 {
			t.Errorf("%s: the second message waits for the first", who)
		}
	}
}

// connect is an association over b, both ends.
func connect(t testing.TB, b sctptest.Bed) (client, server sctp.Assoc) {
	t.Helper()
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return connectTo(t, b, l)
}

func connectTo(t testing.TB, b sctptest.Bed, l sctp.Listener) (client, server sctp.Assoc) {
	t.Helper()
	client, err := b.Client.Dial(t.Context(), sctp.At(0, b.Local...), sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Abort(""); server.Abort("") })
	return client, server
}

// noAllocation: a message costs none, on real sockets too.
func noAllocation(t *testing.T, b sctptest.Bed) {
	client, server := connect(t, b)
	m := sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: make([]byte, 200)}
	drainEvents(t, client, server)
	n := testing.AllocsPerRun(300, func() {
		if err := client.Send(m); err != nil {
			t.Fatal(err)
		}
		for {
			e, err := server.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == sctp.Data {
				return
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for a message sent and received", n)
	}
}

// drainEvents has the first message through, and what came before it.
func drainEvents(t *testing.T, client, server sctp.Assoc) {
	t.Helper()
	if err := client.Send(sctp.Message{Data: []byte("first")}); err != nil {
		t.Fatal(err)
	}
	for {
		if e, err := server.Recv(); err != nil {
			t.Fatal(err)
		} else if e.Kind == sctp.Data {
			return
		}
	}
}

// manyFewThreads opens n associations, each end with a goroutine that waits,
// and counts the threads of this process.
func manyFewThreads(t *testing.T, b sctptest.Bed, n int) {
	most := syscall.Rlimit{Cur: 65536, Max: 65536} // usrsctp takes none for an association
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &most); err != nil && n > 1000 && b.Server.Name() == "kernel" {
		t.Skipf("no %d descriptors: %v", most.Max, err)
	}
	l, err := b.Server.Listen(sctp.At(b.Port, b.Addrs...), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// Nobody may be missed for want of a processor.
	b.Options.AssocMaxRetrans, b.Options.HeartbeatInterval = 100, time.Minute
	heard := make(chan error, n)
	var all []sctp.Assoc
	for range n {
		client, server := connectTo(t, b, l)
		for _, a := range []sctp.Assoc{client, server} {
			go func() {
				for {
					e, err := a.Recv()
					if err != nil {
						return
					}
					if e.Kind == sctp.Data {
						heard <- nil
					}
				}
			}()
		}
		all = append(all, client)
	}
	for _, a := range all {
		if err := a.Send(sctp.Message{Data: []byte("here")}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		select {
		case <-heard:
		case <-time.After(30 * time.Second):
			t.Fatalf("%d of %d were heard", i, n)
		}
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d associations, both ends here, with %d threads", n, len(tasks))
	if len(tasks) > 100 {
		t.Errorf("%d threads for %d associations", len(tasks), n)
	}
}

// beds of each transport on the tests of this file.
var onEachBed = []struct {
	name string
	run  func(t *testing.T, b sctptest.Bed)
}{
	{"OnTheWire", onTheWire},
	{"NoNagle", noNagle},
	{"NoAllocation", noAllocation},
	{"Many", func(t *testing.T, b sctptest.Bed) { manyFewThreads(t, b, 1000) }},
	{"NoGoroutineLeft", noGoroutineLeft},
}

// Ten thousand associations need no ten thousand threads.
func TestKernelTenThousand(t *testing.T) {
	b := kernelBed(t)
	b.Options.SendBuffer, b.Options.ReceiveBuffer = 16<<10, 16<<10
	manyFewThreads(t, b, 10000)
}

// Facts: N2-01, N3-01, N3-02
func TestKernelOnTheWire(t *testing.T) {
	kernelSCTP(t)
	for _, c := range onEachBed {
		t.Run(c.name, func(t *testing.T) { c.run(t, kernelBed(t)) })
	}
}

// BenchmarkMessages counts messages of 200 octets one way, and the processor's
// time for both ends.
func BenchmarkMessages(b *testing.B) {
	lo := []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	for _, choice := range []sctp.Choice{sctp.OnlyKernel, sctp.OnlyUserspace} {
		b.Run(choice.String(), func(b *testing.B) {
			tr, _, err := sctp.Choose(choice, sctp.UserspaceOptions{UDPPort: 9899})
			if err != nil {
				b.Skip(err)
			}
			measure(b, sctptest.Bed{Server: tr, Client: tr, Addrs: lo, Local: lo, Port: 38417, Options: sctp.Defaults()})
		})
	}
}

func measure(b *testing.B, bed sctptest.Bed) {
	client, server := connect(b, bed)
	writable := make(chan struct{}, 1)
	client.OnWritable(func() {
		select {
		case writable <- struct{}{}:
		default:
		}
	})
	m := sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: make([]byte, 200)}
	n := b.N
	before, began := cpuTime(), time.Now()
	go func() {
		for i := 0; i < n; {
			if err := client.Send(m); err == nil {
				i++
			} else if err == sctp.ErrFull {
				<-writable
			} else {
				b.Error(err)
				return
			}
		}
	}()
	for got := 0; got < n; {
		e, err := server.Recv()
		if err != nil {
			b.Fatal(err)
		}
		if e.Kind == sctp.Data {
			got++
		}
	}
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "messages/s")
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(n), "cpu-ns/message")
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
