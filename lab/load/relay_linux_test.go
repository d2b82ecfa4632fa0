package load

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// rig is a generator around a relay in this process.
type rig struct {
	g     *Generator
	relay *Relay
}

func newRig(t *testing.T) *rig { t.Helper(); return newRigWith(t, false) }

func newRigWith(t *testing.T, segment bool) *rig {
	t.Helper()
	ends, err := freeUDP(2, gatewayAddr(false))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{}
	if r.g, err = New(Options{BSSs: 3, Subscribers: 60, Bare: true, Segment: segment, ToBSSs: ends[0], ToSGSNs: ends[1]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.g.Close)
	if r.relay, err = NewRelay(r.g.RelayConfig()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) run(t *testing.T, l Load) *Result {
	t.Helper()
	res, err := r.g.Run(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var someLoad = Load{Rate: 10000, Duration: 200 * time.Millisecond, Sizes: []int{100, 500}, Down: 0.5}

func TestRelay(t *testing.T) { testRelay(t, newRig(t)) }

func TestRelayInTrains(t *testing.T) { testRelay(t, newRigWith(t, true)) }

func testRelay(t *testing.T, r *rig) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.relay.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		r.relay.Close()
	}()
	res := r.run(t, someLoad)
	if err := res.Err(0); err != nil {
		t.Error(err)
	}
	if res.Sent < 200 || res.Received != res.Sent || res.Latency.Count() != res.Sent || res.Latency.Quantile(0.5) <= 0 {
		t.Errorf("sent %d of 2000 at best, received %d, latency of %d", res.Sent, res.Received, res.Latency.Count())
	}
	if !strings.Contains(res.String(), "lost 0 (0.0000 %)") {
		t.Errorf("result: %s", res)
	}
}

// datagram is one that a faulty relay has to pass on.
type datagram struct {
	octets []byte
	to     *name
}

// faulty relays datagram by datagram and lets a fault say what becomes of the
// n-th, until the test ends.
func (r *rig) faulty(t *testing.T, fault func(n int, d datagram) []datagram) {
	stop, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-ended; r.relay.Close() })
	go func() {
		defer close(ended)
		out := newVector()
		for n := 0; ; {
			select {
			case <-stop:
				return
			default:
			}
			for _, way := range []struct {
				from *side
				to   int
				find func([]byte) *name
			}{{&r.relay.bsss, r.relay.sgsns.fd, r.relay.up}, {&r.relay.sgsns, r.relay.bsss.fd, r.relay.down}} {
				k, _ := way.from.in.recv(way.from.fd)
				for i := range k {
					b := way.from.in.received(i)
					n++
					for _, d := range fault(n, datagram{bytes.Clone(b), way.find(b)}) {
						out.put(0, copy(out.room[0][:], d.octets), d.to)
						out.send(way.to, 1)
					}
				}
			}
			r.relay.wait([2]bool{})
		}
	}()
}

// TestFaultsAreFound has a relay make each fault with one PDU in fifty.
func TestFaultsAreFound(t *testing.T) {
	up := Load{Rate: 10000, Duration: 200 * time.Millisecond}
	down := up
	down.Down = 1
	var held []datagram // by the fault "order"
	for _, c := range []struct {
		name  string
		load  Load
		fault func(r *rig, n int, d datagram) []datagram
		count func(*Result) uint64
	}{
		{"wrong SGSN", up, func(r *rig, n int, d datagram) []datagram {
			if n%50 == 0 {
				d.to = other(d.to, r.relay.byNRI)
			}
			return []datagram{d}
		}, func(r *Result) uint64 { return r.WrongSGSN }},
		{"wrong BSS", down, func(r *rig, n int, d datagram) []datagram {
			if n%50 == 0 {
				d.to = other(d.to, r.relay.byCell)
			}
			return []datagram{d}
		}, func(r *Result) uint64 { return r.WrongBSS }},
		{"loss", up, func(_ *rig, n int, d datagram) []datagram {
			if n%50 == 0 {
				return nil
			}
			return []datagram{d}
		}, (*Result).Lost},
		{"twice", up, func(_ *rig, n int, d datagram) []datagram {
			if n%50 == 0 {
				return []datagram{d, d}
			}
			return []datagram{d}
		}, func(r *Result) uint64 { return r.Duplicates }},
		{"altered", up, func(_ *rig, n int, d datagram) []datagram {
			if n%50 == 0 {
				d.octets[len(d.octets)-1] ^= 1
			}
			return []datagram{d}
		}, func(r *Result) uint64 { return r.Altered }},
		{"order", up, func(_ *rig, n int, d datagram) []datagram {
			// Every 500th is sent after 250 others, enough for one of its
			// subscriber, who is one of sixty, to be among them.
			if n%500 == 0 {
				held = append(held, d)
				return nil
			}
			if n%500 == 250 && len(held) > 0 {
				h := held
				held = nil
				return append(h, d)
			}
			return []datagram{d}
		}, func(r *Result) uint64 { return r.Overtaken }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var res *Result
			// A generator that does not get its turn sends too little to make a fault of.
			for tries := 0; tries < 20 && (res == nil || res.Sent < 1000); tries++ {
				r := newRig(t)
				r.faulty(t, func(n int, d datagram) []datagram { return c.fault(r, n, d) })
				res = r.run(t, c.load)
			}
			if c.count(res) == 0 {
				t.Errorf("not found: %s", res)
			}
			if err := res.Err(0); err == nil {
				t.Error("no error")
			}
			if c.name != "loss" && c.name != "order" && c.count(res) != res.Sent/50 {
				t.Errorf("found %d times, made %d times", c.count(res), res.Sent/50)
			}
		})
	}
}

func other(to *name, all []*name) *name {
	for _, a := range all {
		if a.Port != to.Port {
			return a
		}
	}
	return to
}

func TestRelayConfigRefused(t *testing.T) {
	for _, s := range []string{"", "{}", `{"bit_len":1,"owners":[0,1],"sgsns":["127.0.0.1:1"]}`, `{"bit_len":1,"owners":[-1]}`} {
		if _, err := ReadRelayConfig([]byte(s)); err == nil {
			t.Errorf("%q was taken", s)
		}
	}
}

// TestRunAllocatesNothing holds the generator to what it measures others with.
func TestRunAllocatesNothing(t *testing.T) {
	r := newRig(t)
	defer r.relay.Close()
	if err := r.g.prepare([]int{100, 500}); err != nil {
		t.Fatal(err)
	}
	r.g.run = 1
	n := testing.AllocsPerRun(20, func() {
		r.g.sendSome(batch, 0.5)
		if _, err := r.relay.pass(&r.relay.bsss, r.relay.sgsns.fd, r.relay.up); err != 0 {
			t.Error(err)
		}
		if _, err := r.relay.pass(&r.relay.sgsns, r.relay.bsss.fd, r.relay.down); err != 0 {
			t.Error(err)
		}
		r.g.receive(0)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if r.g.result.Received+r.g.result.Stale == 0 {
		t.Error("nothing went through")
	}
}
