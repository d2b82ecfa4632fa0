package n2

import (
	"encoding/hex"
	"testing"
	"time"

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
	g = newGNB(gw, 1, "ran", &sink{})
	l = &leg{m: gw.members[1], cfg: gw.cfg.AMFs[0], state: legUp}
	l.link = g.newLink(&sink{}, l)
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

// A PDU of a bound UE takes no allocation on its way, in either direction.
func TestRelayDoesNotAllocate(t *testing.T) {
	g, l, up, down := bound(t)
	now := time.Now()
	in := func(k *link, data []byte) inbound {
		b := buffers.Get().(*buffer)
		b.b = append(b.b[:0], data...)
		return inbound{link: k, event: sctp.Event{Kind: sctp.Data, Message: sctp.Message{Stream: 1}}, buf: b}
	}
	both := func() {
		g.receive(in(g.ran, up), nil, now)
		g.receive(in(l.link, down), l, now)
	}
	both()
	if n := testing.AllocsPerRun(1000, both); n != 0 {
		t.Errorf("%v allocations for two PDUs", n)
	}
	if c := g.led.read(); c.ToAMF != c.ToGNB || c.ToAMF == 0 || len(c.Dropped) != 0 {
		t.Errorf("%+v", c)
	}
}

// BenchmarkRelay is one PDU up and one down, without transport.
func BenchmarkRelay(b *testing.B) {
	g, l, up, down := bound(b)
	now := time.Now()
	bu, bd := &buffer{b: up}, &buffer{b: down}
	b.ReportAllocs()
	for b.Loop() {
		bu.b, bd.b = up, down
		g.receive(inbound{link: g.ran, buf: bu}, nil, now)
		g.receive(inbound{link: l.link, buf: bd}, l, now)
	}
}
