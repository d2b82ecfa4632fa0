package n2_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// bare is one end of an association that reads when it is told to.
type bare struct {
	*testing.T
	sctp.Assoc
	slow time.Duration
}

// got waits for the next PDU.
func (e *bare) got() (p *ngap.PDU) {
	e.Helper()
	e.SetRecvDeadline(time.Now().Add(20 * time.Second * e.slow))
	for {
		ev, err := e.Recv()
		if err != nil {
			e.Fatal(err)
		}
		if ev.Kind != sctp.Data {
			continue
		}
		p = new(ngap.PDU)
		if err := p.Walk(append([]byte(nil), ev.Data...)); err != nil {
			e.Fatal(err)
		}
		return p
	}
}

// put sends, and waits as long as there is no room; false: there was none for d.
func (e *bare) put(data []byte, d time.Duration) bool {
	e.Helper()
	for end := time.Now().Add(d); ; time.Sleep(2 * time.Millisecond) {
		err := e.Send(sctp.Message{Stream: 1, PPID: sctp.PPIDNGAP, Data: data})
		if err == nil {
			return true
		}
		if !errors.Is(err, sctp.ErrFull) {
			e.Fatal(err)
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// numbered is a NAS Transport of 8,000 octets that holds a number.
func numbered(c ngap.Code, amf uint64, ran uint32, n int) []byte {
	v := make([]byte, 8000)
	v[0], v[1] = byte(n>>8), byte(n)
	return message(c, ngap.Initiating, amf, ran, ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, v)})
}

func numberOf(p *ngap.PDU) int {
	v, _ := p.Value(ngap.IENASPDU)
	if o, err := ngap.ReadOctets(v); err == nil && len(o) == 8000 {
		return int(o[0])<<8 | int(o[1])
	}
	return -1
}

// An AMF, then a gNB, that does not read for a while, over a real stack: writes
// block nobody, another AMF's UE goes on meanwhile, and all arrives in order once
// the peer reads again.
func TestRealSlowPeers(t *testing.T) {
	onStacks(t, bothStacks, func(t *testing.T, s realStack) {
		(&place{T: t}).ip("link", "set", "lo", "up")
		stack, err := s.open(0)
		if err != nil {
			t.Skip(err)
		}
		c := n2.Default()
		c.Enabled, c.SCTP = true, s.options
		c.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, lo)}}
		var listeners []sctp.Listener
		for i := 1; i <= 2; i++ {
			at := sctp.At(uint16(38500+i), lo)
			l, err := stack.Listen(at, s.options)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			listeners = append(listeners, l)
			c.AMFs = append(c.AMFs, n2.AMF{ID: uint8(i), Remote: at, Local: at.Addrs, Capacity: -1, AllowAttach: true})
		}
		gw := n2.New(n2.Options{Transport: func(n2.Transport) (sctp.Transport, string, error) { return stack, "", nil }})
		if err := gw.Start(c); err != nil {
			t.Fatal(err)
		}
		defer gw.Stop()
		slowPeers(t, s, gw, stack, listeners)
	})
}

func slowPeers(t *testing.T, s realStack, gw *n2.Gateway, stack sctp.Transport, listeners []sctp.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute*s.slow)
	defer cancel()
	a, err := stack.Dial(ctx, sctp.At(0, lo), sctp.At(n2.DefaultPort, lo), s.options)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g := &bare{t, a, s.slow}
	g.put(setupOf(7), time.Second)
	var amfs [3]*bare
	for i, l := range listeners {
		a, err := l.Accept(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close() // until then it must not be collected
		amfs[i+1] = &bare{t, a, s.slow}
		amfs[i+1].got()
		sim := &amf{id: i + 1, capacity: 100, guamis: []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: uint8(i + 1)}}}
		amfs[i+1].put(sim.setupResponse(), time.Second)
	}
	g.got()
	var outer [3]uint64
	for i := uint32(1); i <= 2; i++ { // each AMF has one of the first two UEs
		g.put(initial(i, &ngap.STMSI{Set: 1, Pointer: uint8(i), TMSI: i}), time.Second)
		amfs[i].got()
		amfs[i].put(message(ngap.CodeDownlinkNASTransport, ngap.Initiating, uint64(i), i, nas), time.Second)
		outer[i], _, _ = g.got().AMFUENGAPID()
	}
	const many = 400
	for n := range many {
		if !g.put(numbered(ngap.CodeUplinkNASTransport, outer[1], 1, n), 20*time.Second*s.slow) {
			t.Fatal("the gateway does not read")
		}
		if n%100 == 99 {
			g.put(numbered(ngap.CodeUplinkNASTransport, outer[2], 2, n), time.Second)
			if p := amfs[2].got(); numberOf(p) != n {
				t.Fatalf("AMF 2 got %s", p.Name())
			}
		}
	}
	if q := queuedOctets(t, gw); q < 1<<20 || q > queuedMost {
		t.Errorf("%d octets stand", q)
	}
	for n := range many {
		if p := amfs[1].got(); numberOf(p) != n {
			t.Fatalf("number %d: %s came in its place: %.100x", n, p.Name(), p.Append(nil))
		}
	}
	sent := 0
	for sent < 3000 && amfs[1].put(numbered(ngap.CodeDownlinkNASTransport, 1, 1, sent), 2*time.Second*s.slow) {
		sent++
	}
	if q := queuedOctets(t, gw); sent == 3000 || q < 1<<20 || q > 1<<20+2*9000 {
		t.Errorf("%d went on, %d octets stand", sent, q)
	}
	for n := range sent {
		if p := g.got(); numberOf(p) != n {
			t.Fatalf("number %d of %d: %s came in its place: %.100x", n, sent, p.Name(), p.Append(nil))
		}
	}
	// The last PDU may be at the gNB before its owner has counted it.
	counts, end := gw.Conservation(), time.Now().Add(10*time.Second*s.slow)
	for ; (counts.Balance() != 0 || counts.Queued != 0) && time.Now().Before(end); counts = gw.Conservation() {
		time.Sleep(10 * time.Millisecond)
	}
	if counts.Balance() != 0 || counts.Queued != 0 || len(counts.Dropped) != 0 {
		t.Errorf("%+v", counts)
	}
}

func queuedOctets(t *testing.T, gw *n2.Gateway) int64 {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s, err := gw.Snapshot(ctx)
	if err != nil {
		t.Error(err)
	}
	return s.Counts.QueuedOctets
}
