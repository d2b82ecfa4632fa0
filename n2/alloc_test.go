package n2

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	free5gc "github.com/free5gc/ngap"

	"poolgw/ngap"
	"poolgw/sctp"
)

// sink is an association that takes everything.
type sink struct {
	sctp.Assoc
	n    int
	last []byte
}

func (s *sink) Send(m sctp.Message) error {
	s.n++
	s.last = append(s.last[:0], m.Data...)
	return nil
}
func (s *sink) OnWritable(func())     {}
func (s *sink) Stats() sctp.Stats     { return sctp.Stats{OutStreams: 10} }
func (s *sink) Remote() sctp.Endpoint { return sctp.Endpoint{} }
func (s *sink) Close() error          { return nil }
func (s *sink) Recv() (sctp.Event, error) {
	return sctp.Event{}, &sctp.Down{Cause: sctp.LocalClose}
}

// bound is a gNB with one AMF and a UE, RAN UE NGAP ID 1, AMF UE NGAP ID 1.
func bound(t testing.TB) (g *gnb, l *leg, up, down []byte) {
	t.Helper()
	gw := New(Options{})
	gw.cfg.AMFs = []AMF{{ID: 1, Name: "AMF01", Capacity: -1, AllowAttach: true}}
	gw.publish()
	g = newGNB(gw, 1, "ran", "memory", &sink{})
	l = &leg{m: gw.members[1], cfg: gw.cfg.AMFs[0], state: legUp}
	l.link = g.newLink(&sink{}, l, "memory")
	g.legs[1] = l
	g.state = gnbUp
	u := g.enter(ue{ran: 1, member: 1})
	g.learnID(u, 1)
	// An Uplink and a Downlink NAS Transport of UERANSIM and Ella Core.
	up = unhexT(t, "002e4040000004000a0002000100550002000100260016157e00572d104271cce1cee2698b5d6b3f3b2cf0e40079400f4000f110000000010000f110000001")
	down = unhexT(t, "00044017000003000a0002000100550002000100260004037e0046")
	var p ngap.PDU
	if p.Walk(up) != nil {
		p.New(ngap.CodeUplinkNASTransport, ngap.Initiating)
		p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, 1))
		p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, 1))
		p.Add(ngap.IENASPDU, ngap.Reject, ngap.AppendOctets(nil, make([]byte, 100)))
	}
	_, at, _ := p.AMFUENGAPID()
	p.SetAMFUENGAPID(at, 1<<32|1)
	return g, l, p.Append(nil), down
}

func unhexT(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// take is a PDU on its way through the owner.
func (g *gnb) take(k *link, data []byte, now time.Time) {
	in := inbounds.Get().(*inbound)
	in.link, in.event = k, sctp.Event{Kind: sctp.Data, Message: sctp.Message{Stream: 1}}
	in.b = append(in.b[:0], data...)
	g.receive(in, k.leg, now)
	in.release()
}

// A PDU of a bound UE takes no allocation on its way, in either direction.
func TestRelayDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes buffers from the pool by chance")
	}
	g, l, up, down := bound(t)
	now := time.Now()
	both := func() {
		g.take(g.ran, up, now)
		g.take(l.link, down, now)
	}
	both()
	if n := testing.AllocsPerRun(1000, both); n != 0 {
		t.Errorf("%v allocations for two PDUs", n)
	}
	if c := g.led.read(); c.ToAMF != c.ToGNB || c.ToAMF == 0 || len(c.Dropped) != 0 {
		t.Errorf("%+v", c)
	}
}

// What gNBs share is not written when a PDU of a bound UE passes: their owners
// would wait for each other's cache lines.
func TestRelayWritesNothingShared(t *testing.T) {
	c := newCrowd(2, 2)
	c.bind(10, time.Now())
	shared := func() []byte {
		var all []byte
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(c.gw)), unsafe.Sizeof(*c.gw))...)
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(c.gw.affinity)), unsafe.Sizeof(*c.gw.affinity))...)
		for _, m := range c.gw.dir.Load().members {
			all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(m)), unsafe.Sizeof(*m))...)
		}
		return all
	}
	rng, pdu := rand.New(rand.NewPCG(1, 2)), new(ngap.PDU)
	before := shared()
	for range 100 {
		c.pass(rng, pdu, time.Now())
	}
	if after := shared(); !bytes.Equal(before, after) {
		t.Error("something that all owners share was written")
	}
	if on, lost := c.passed(); on != 100 || lost != 0 {
		t.Errorf("of 100 PDUs %d went on, %d were dropped", on, lost)
	}
}

// Procedures are counted by each owner and summed over all, gone ones included.
func TestProceduresSummed(t *testing.T) {
	c := newCrowd(3, 2)
	c.bind(10, time.Now())
	rng, pdu := rand.New(rand.NewPCG(1, 2)), new(ngap.PDU)
	for range 100 {
		c.pass(rng, pdu, time.Now())
	}
	c.gw.forget(c.gnbs[1])
	p := c.gw.Procedures()
	if up, down := p[0][ngap.CodeUplinkNASTransport], p[1][ngap.CodeDownlinkNASTransport]; up+down != 100 || up == 0 || down == 0 {
		t.Errorf("%d up and %d down, of 100", up, down)
	}
}

// mustRelayRatio is how much longer free5gc/ngap takes to decode the two PDUs than the
// gateway takes to find out whose they are, translate and send them.
const mustRelayRatio = 20

// Relaying takes at most a twentieth of the time that free5gc/ngap takes to decode
// the same octets: the least of several rounds of each, in turn.
func TestRelayTwentyTimes(t *testing.T) {
	if raceDetector {
		t.Skip("times say nothing under the race detector")
	}
	g, l, up, down := bound(t)
	now := time.Now()
	ours, theirs := time.Hour, time.Hour
	for range 20 {
		start := time.Now()
		for range 1000 {
			g.take(g.ran, up, now)
			g.take(l.link, down, now)
		}
		mid := time.Now()
		for range 50 {
			for _, b := range [][]byte{up, down} {
				if _, err := free5gc.Decoder(b); err != nil {
					t.Fatal(err)
				}
			}
		}
		ours, theirs = min(ours, mid.Sub(start)/2000), min(theirs, time.Since(mid)/100)
	}
	ratio := float64(theirs) / float64(ours)
	t.Logf("relayed in %v, decoded by free5gc/ngap in %v: %.0f times", ours, theirs, ratio)
	if ratio < mustRelayRatio {
		t.Errorf("relayed in %v, which is more than 1/%d of %v", ours, mustRelayRatio, theirs)
	}
}

// BenchmarkDecode is free5gc/ngap's decoding of the PDUs of BenchmarkRelay.
func BenchmarkDecode(b *testing.B) {
	_, _, up, down := bound(b)
	b.ReportAllocs()
	for b.Loop() {
		free5gc.Decoder(up)
		free5gc.Decoder(down)
	}
}

// BenchmarkRelay is one PDU up and one down, without transport.
func BenchmarkRelay(b *testing.B) {
	g, l, up, down := bound(b)
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		g.take(g.ran, up, now)
		g.take(l.link, down, now)
	}
}
