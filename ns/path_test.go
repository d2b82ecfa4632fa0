package ns

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// relay is a DataPath that forwards from one NSE to another.
type relay struct{ to *NSE }

func (f *relay) Data(p *Port, _ *NSE, bvci uint16, dgram []byte) bool {
	return p.Forward(f.to, bvci, binary.BigEndian.Uint32(dgram[5:]), dgram)
}

// relayRig forwards from NSE 101 (bind a) to NSE 7 (bind b).
func relayRig(t *testing.T) *rig {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, staticVC(c, 101, "a", remote, 1, 1))
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "b", "10.0.7.1:1", 1, 1))
		must(t, staticVC(c, 7, "b", "10.0.7.1:2", 1, 4))
		must(t, staticVC(c, 7, "b", "10.0.7.1:3", 2, 0))
	})
	r.write("a", remote, aliveAckHex)
	for p := range 3 {
		r.write("b", fmt.Sprintf("10.0.7.1:%d", p+1), aliveAckHex)
	}
	r.data = &relay{r.s.NSE(7)}
	r.frames()
	r.events = nil
	return r
}

func ulUnitdata(tlli uint32) string { return fmt.Sprintf("00aa03e801%08x000004", tlli) }

// Facts: G1.5-07, G1.5-12, U-15
func TestForward(t *testing.T) {
	r := relayRig(t)
	counts := map[uint16]int{}
	for i := range uint32(4000) {
		r.write("a", remote, ulUnitdata(0xfffff000+i))
		f := r.frames()
		if len(f) != 1 || f[0].from != ap("10.0.0.2:23000") {
			t.Fatalf("%v", f)
		}
		if want := fmt.Sprintf("000003e801%08x000004", 0xfffff000+i); fmt.Sprintf("%x", f[0].b) != want {
			t.Fatalf("%x, want %s", f[0].b, want)
		}
		counts[f[0].to.Port()]++
		// (BVCI + LSP) mod 5, of TS 48.016 4.4a: the first of the five goes to the first NS-VC
		if first := (1000+uint64(0xfffff000+i))%5 == 0; first != (f[0].to.Port() == 1) {
			t.Fatalf("TLLI %x went to %v", 0xfffff000+i, f[0].to)
		}
	}
	if counts[1] != 800 || counts[2] != 3200 || counts[3] != 0 {
		t.Errorf("shares %v", counts)
	}
	r.wantEvents()
	c := r.nse(7).Counters
	if c.PacketsOut != 4000+3 || c.BytesOut != 4000*12+3 {
		t.Errorf("%+v", c)
	}
	if c := r.nse(101).Counters; c.PacketsIn != 4000+1 {
		t.Errorf("%+v", c)
	}
}

// Facts: G1.5-06
func TestSignallingTurns(t *testing.T) {
	r := relayRig(t)
	counts := map[uint16]int{}
	for range 400 {
		if !r.s.Send(r.s.NSE(7), 0, 12345, []byte{0x0b}) {
			t.Fatal("not sent")
		}
		r.s.Flush()
	}
	for _, f := range r.frames() {
		counts[f.to.Port()]++
	}
	if counts[1] != 100 || counts[2] != 100 || counts[3] != 200 {
		t.Errorf("shares %v", counts)
	}
}

// What the worker leaves to the loop: BVCI 0 and 1, and what the DataPath
// does not take.
// Facts: G1.5-11
func TestToLoop(t *testing.T) {
	r := relayRig(t)
	r.data = nil
	r.write("a", remote, "0000000022", "0000000123", "000003e824", "00000002")
	r.wantEvents("data 101/0 22", "data 101/1 23", "data 101/1000 24", "data 101/2 ")
	if !r.s.NSE(101).Alive() || r.s.NSE(101).Owner != uint16(101) || r.s.NSE(101).MTU() != 65527 {
		t.Error("NSE")
	}
}

// Signalling, and data of an NS-VC that may not carry it, is not the
// DataPath's.
func TestNotForDataPath(t *testing.T) {
	r := relayRig(t)
	r.write("a", remote, "0000000022000000", "0000000123000000")
	r.wantIdle()
	r.wantEvents("data 101/0 22000000", "data 101/1 23000000")
	q := ipaRig(t)
	q.up()
	q.data = &relay{q.s.NSE(101)}
	q.write("a", remote, ulUnitdata(1))
	q.want("000003e80100000001000004")
	q.write("a", remote, block101)
	q.frames()
	q.data = taker{}
	q.write("a", remote, ulUnitdata(1))
	q.want(blocked101)
}

// taker takes whatever it is offered.
type taker struct{}

func (taker) Data(*Port, *NSE, uint16, []byte) bool { return true }

// The loop's queue is bounded by TxQueueMax: a full one is sent at once.
// Facts: G1.2-07
func TestLoopQueueBound(t *testing.T) {
	r := relayRig(t)
	for range 1000 {
		r.s.Send(r.s.NSE(7), 0, 0, []byte{1})
		if n := r.s.binds["b"].out.n; n >= 128 {
			t.Fatalf("%d wait", n)
		}
	}
	r.s.Flush()
	if n := len(r.frames()); n != 1000 {
		t.Errorf("%d sent", n)
	}
}

// Facts: G1.5-02, G1.5-05, U-14
func TestForwardToDeadNSE(t *testing.T) {
	r := relayRig(t)
	r.edit(func(c *Config) { // only the one without data weight is left
		must(t, c.RemoveVC(7, VCConfig{Link: LinkUDP, Bind: "b", Remote: ap("10.0.7.1:1")}))
		must(t, c.RemoveVC(7, VCConfig{Link: LinkUDP, Bind: "b", Remote: ap("10.0.7.1:2")}))
	})
	r.write("a", remote, ulUnitdata(1))
	r.wantIdle()
	r.wantDrop("a", DropDeadNSE, 1)
	if r.s.Send(r.s.NSE(7), 0, 0, nil) {
		t.Error("signalling over an NSE that is not available")
	}
}

// The transport takes nothing: dropped and counted, nothing blocks.
func TestTransmitDrops(t *testing.T) {
	r := relayRig(t)
	r.net.full = true
	r.write("a", remote, ulUnitdata(1), ulUnitdata(2))
	r.wantDrop("b", DropTransmit, 2)
	if c := r.nse(7).Counters; c.PacketsOutDrop != 2 || c.BytesOutDrop != 24 {
		t.Errorf("%+v", c)
	}
}

// The queue to the loop is bounded, and control has room that data has not.
// Facts: U-13
func TestControlQueueBound(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
	}, Limits{ControlQueue: 64})
	p := newPort(r.s, r.s.binds["a"], 0)
	r.up()
	flood := func(from, h string) {
		for range 200 {
			b := unhex(h)
			p.batch([]Message{{Buf: b, N: len(b), Addr: ap(from)}})
		}
	}
	flood("10.0.9.9:1", "0a")
	flood(remote, "0000000022")
	flood(remote, reset101)
	r.wantDrop("a", DropQueueData, 200-32)
	r.wantDrop("a", DropQueueSignal, 200-24)
	r.wantDrop("a", DropQueueControl, 200-8)
	if n := len(r.s.control); n != 64 {
		t.Errorf("%d waiting", n)
	}
	r.turn()
	if n := r.s.waiting.Load(); n != 0 {
		t.Errorf("%d waiting after a turn", n)
	}
}

// A peer that floods with NS control, and peers whose NS-VCs nobody has unblocked,
// leave room in the queue for others.
func TestControlQueueIsShared(t *testing.T) {
	const quiet = "10.0.1.2:23000"
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, c.AddNSE(102, RoleBSS))
		must(t, ipaVC(c, 102, "a", quiet, 102))
		must(t, c.SetAcceptIPAccess("a", true))
	}, Limits{ControlQueue: 128})
	r.up()
	r.write("a", quiet, "030182006604820066", unblockOK, aliveAckHex)
	r.wantVCs(102, "UNBLOCKED")
	for i := range 4 {
		r.write("a", fmt.Sprintf("10.0.3.%d:1", i), fmt.Sprintf("02008101018207d%d048207d%d", i, i))
	}
	p := newPort(r.s, r.s.binds["a"], 0)
	send := func(from, h string, n int) {
		for range n {
			b := unhex(h)
			p.batch([]Message{{Buf: b, N: len(b), Addr: ap(from)}})
		}
	}
	send(remote, reset101, 100)
	r.wantDrop("a", DropQueueControl, 100-maxQueued)
	for i := range 4 {
		send(fmt.Sprintf("10.0.3.%d:1", i), aliveAckHex, 100)
	}
	r.wantDrop("a", DropQueueControl, 100-maxQueued+400-(128*6/8-maxQueued))
	send(quiet, aliveAckHex, 32)
	if n := len(r.s.control); n != 128 {
		t.Errorf("%d waiting", n)
	}
	r.turn()
	send(remote, reset101, 1)
	if n := len(r.s.control); n != 1 {
		t.Errorf("%d waiting after a turn", n)
	}
}

func TestForwardAllocatesNothing(t *testing.T) {
	r := relayRig(t)
	r.net.count = true
	msgs := make([]Message, readBatch)
	for i := range msgs {
		b := unhex(ulUnitdata(uint32(i)))
		if i%8 == 0 {
			b = unhex(alive)
		}
		msgs[i] = Message{Buf: b, N: len(b), Addr: ap(remote)}
	}
	p := newPort(r.s, r.s.binds["a"], 0)
	if n := testing.AllocsPerRun(100, func() { p.batch(msgs) }); n != 0 {
		t.Errorf("%v allocations per batch", n)
	}
	sent := r.s.binds["b"].conns[0].(*fakeConn).counted
	acks := r.s.binds["a"].conns[0].(*fakeConn).counted
	if sent != 101*56 || acks != 101*8 {
		t.Errorf("%d forwarded, %d acknowledged", sent, acks)
	}
}

func BenchmarkForward(b *testing.B) {
	t := &testing.T{}
	r := relayRig(t)
	defer r.s.Close()
	r.net.count = true
	msgs := make([]Message, readBatch)
	for i := range msgs {
		d := unhex(ulUnitdata(uint32(i)))
		msgs[i] = Message{Buf: d, N: len(d), Addr: ap(remote)}
	}
	p := newPort(r.s, r.s.binds["a"], 0)
	b.ReportAllocs()
	for b.Loop() {
		p.batch(msgs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*readBatch), "ns/pdu")
}
