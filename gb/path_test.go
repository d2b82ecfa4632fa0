package gb_test

import (
	"encoding/hex"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/ns"
)

// wire is an ns.Network of two sockets that costs nothing: batches are handed
// in by the test, and what is sent is counted. Peers answer NS-ALIVE and BVC
// management by themselves.
type wire struct {
	mu   sync.Mutex
	ends map[netip.AddrPort]*wireEnd
}

type wireEnd struct {
	addr  netip.AddrPort
	in    chan []ns.Message // a batch; its messages are copied out
	sent  atomic.Int64      // NS-UNITDATA on BVCIs but 0
	close sync.Once
	done  chan struct{}
}

func (w *wire) Listen(b ns.BindConfig, _ int) ([]ns.Conn, error) {
	e := &wireEnd{addr: b.Listen, in: make(chan []ns.Message, 64), done: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[b.Listen] = e
	return []ns.Conn{e}, nil
}

func (e *wireEnd) ReadBatch(msgs []ns.Message) (int, error) {
	select {
	case in := <-e.in:
		n := min(len(in), len(msgs))
		for i := range n {
			msgs[i].N, msgs[i].Addr = copy(msgs[i].Buf, in[i].Buf[:in[i].N]), in[i].Addr
		}
		return n, nil
	case <-e.done:
		return 0, net.ErrClosed
	}
}

func (e *wireEnd) WriteBatch(msgs []ns.Message) (int, error) {
	for i := range msgs {
		b := msgs[i].Buf[:msgs[i].N]
		switch {
		case b[0] == byte(ns.PDUAlive):
			e.answer(msgs[i].Addr, []byte{byte(ns.PDUAliveAck)})
		case b[0] == 0 && b[2] == 0 && b[3] == 0 && b[4] == 0x22: // BVC-RESET
			e.answer(msgs[i].Addr, append([]byte{0, 0, 0, 0, 0x23}, b[5:9]...))
		case b[0] == 0 && (b[2] != 0 || b[3] != 0):
			e.sent.Add(1)
		}
	}
	return len(msgs), nil
}

func (e *wireEnd) answer(from netip.AddrPort, b []byte) { e.in <- one(from, b) }

func (e *wireEnd) LocalAddr() netip.AddrPort { return e.addr }

func (e *wireEnd) Close() error {
	e.close.Do(func() { close(e.done) })
	return nil
}

func one(from netip.AddrPort, b []byte) []ns.Message {
	return []ns.Message{{Buf: b, N: len(b), Addr: from}}
}

// relay is a running gateway on a wire with one SGSN and one BSS of one cell,
// both with a static NS-VC.
func relay(tb testing.TB) (sgsn, bss *wireEnd) {
	tb.Helper()
	w := &wire{ends: map[netip.AddrPort]*wireEnd{}}
	c := config(1)
	vc := func(bind string, remote netip.AddrPort) []ns.VCConfig {
		return []ns.VCConfig{{Link: ns.LinkUDP, Bind: bind, Remote: remote, SigWeight: 1, DataWeight: 1}}
	}
	c.NS.NSEs = []ns.NSEConfig{{NSEI: 101, Dialect: ns.DialectStaticAlive, VCs: vc("sgsn", sgsnAddr(101))},
		{NSEI: 2001, Dialect: ns.DialectStaticAlive, VCs: vc("bss", bssAddr(2001))}}
	g := gb.New(gb.Options{Network: w, Workers: 1})
	if err := g.Start(c); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.Stop)
	sgsn, bss = w.ends[sgsnSide], w.ends[bssSide]
	for _, pdu := range []string{"2204820000078108", "2204824e2b0781080888" + cell20011.id} {
		bss.in <- one(bssAddr(2001), unitdata(tb, 0, pdu))
	}
	probe := one(bssAddr(2001), unitdata(tb, 20011, ul(tlliOf(3, 1), cell20011, "01")))
	for deadline := time.Now().Add(5 * time.Second); sgsn.sent.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatal("the cell did not come up")
		}
		bss.in <- probe
	}
	time.Sleep(10 * time.Millisecond)
	return sgsn, bss
}

func unitdata(tb testing.TB, bvci uint16, pdu string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(pdu, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return append([]byte{0, 0, byte(bvci >> 8), byte(bvci)}, b...)
}

const batch = 32

// batchOf makes a batch of user data of several subscribers.
func batchOf(tb testing.TB, from netip.AddrPort, pdu func(tlli uint32) string) (msgs []ns.Message) {
	for i := range uint32(batch) {
		tlli := tlliOf(3, i)
		if i%4 == 0 {
			tlli = 0x78000000 | i // nobody's: hash, pin
		}
		msgs = append(msgs, one(from, unitdata(tb, 20011, pdu(tlli)))...)
	}
	return msgs
}

// through has a batch forwarded and waits for its end.
func through(in, out *wireEnd, msgs []ns.Message) {
	want := out.sent.Load() + int64(len(msgs))
	in.in <- msgs
	for out.sent.Load() < want {
		runtime.Gosched()
	}
}

var payload = strings.Repeat("a5", 100)

func TestForwardingAllocatesNothing(t *testing.T) {
	sgsn, bss := relay(t)
	up := batchOf(t, bssAddr(2001), func(tlli uint32) string { return ul(tlli, cell20011, payload) })
	down := batchOf(t, sgsnAddr(101), func(tlli uint32) string { return dl(tlli, payload) })
	both := func() {
		through(bss, sgsn, up)
		through(sgsn, bss, down)
	}
	both() // the activity tables have their first entries
	if n := testing.AllocsPerRun(200, both); n >= 1 {
		t.Errorf("%v allocations for %d PDUs", n, 2*batch)
	}
}

func BenchmarkForward(b *testing.B) {
	sgsn, bss := relay(b)
	up := batchOf(b, bssAddr(2001), func(tlli uint32) string { return ul(tlli, cell20011, payload) })
	b.ReportAllocs()
	for range b.N / batch {
		through(bss, sgsn, up)
	}
}

// What the kernel is told to be user data: PDU types of TS 48.018 table 11.3.26
// by hand.
func TestUserDataTypes(t *testing.T) {
	set := gb.UserData()
	for typ, want := range map[byte]bool{
		0x00: true, 0x01: true, 0x02: true, // DL-UNITDATA, UL-UNITDATA, RA-CAPABILITY
		0x08: true, 0x28: true, // RA-CAPABILITY-UPDATE, FLOW-CONTROL-MS
		0x06: false, 0x07: false, // PAGING-PS, PAGING-CS
		0x0a: false,                                        // RADIO-STATUS
		0x22: false, 0x23: false, 0x24: false, 0x25: false, // BVC-RESET, -ACK, BVC-UNBLOCK, -ACK
		0x26: false, 0x27: false, // FLOW-CONTROL-BVC, -ACK
		0x41: false, 0xfe: false, // STATUS, unknown
	} {
		if set[typ] != want {
			t.Errorf("type %02x: %v", typ, set[typ])
		}
	}
}
