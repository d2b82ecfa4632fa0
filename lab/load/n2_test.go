package load_test

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"poolgw/lab/load"
	"poolgw/lab/simsctp"
	"poolgw/ngap"
	"poolgw/sctp"
)

// faulty passes messages on between gNBs and AMFs, as N2Relay does, but for what a
// broken gateway might do to every 20th of them.
type faulty struct {
	net   *simsctp.Network
	amfs  int
	every uint64 // 0: 20
	subs  int    // subscribers; 0: the default
	spoil func(f *faulty, way direction, to sctp.Assoc, m sctp.Message)
	count atomic.Uint64
	mu    sync.Mutex
	pairs [][2]sctp.Assoc // gNB, AMF
}

// all is a gNB and its AMF for each association so far.
func (f *faulty) all() [][2]sctp.Assoc {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pairs
}

type direction int // 0: up, 1: down

var at = netip.MustParseAddr("10.0.0.1")

const gatewayPort, firstAMF = 38412, 40001

func (f *faulty) run(ctx context.Context, l sctp.Listener) {
	for i := 0; ; i++ {
		a, err := l.Accept(ctx)
		if err != nil {
			return
		}
		b, err := f.net.Dial(ctx, sctp.At(0, at), sctp.At(uint16(firstAMF+i%f.amfs), at), sctp.Defaults())
		if err != nil {
			return
		}
		f.mu.Lock()
		f.pairs = append(f.pairs, [2]sctp.Assoc{a, b})
		f.mu.Unlock()
		go f.pass(a, b, 0)
		go f.pass(b, a, 1)
	}
}

func (f *faulty) pass(from, to sctp.Assoc, way direction) {
	for {
		ev, err := from.Recv()
		if err != nil {
			return
		}
		m := ev.Message
		if f.spoil != nil && len(m.Data) > 60 && m.Stream > 0 && f.count.Add(1)%max(f.every, 1) == 0 {
			f.spoil(f, way, to, m)
		} else {
			to.Send(m)
		}
	}
}

// through is a generator whose peers are up through f.
func through(t *testing.T, f *faulty) *load.N2 {
	t.Helper()
	if f.every == 0 {
		f.every = 20
	}
	f.net, f.amfs = simsctp.New(100*time.Microsecond), 2
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	l, err := f.net.Listen(sctp.At(gatewayPort, at), sctp.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g, err := load.NewN2(load.N2Options{Transport: f.net, GNBs: 2, AMFs: 2, Addr: at, Gateway: sctp.At(gatewayPort, at), FirstAMF: firstAMF, Static: true, Subscribers: f.subs, SCTP: impatient()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	go f.run(ctx, l)
	if err := g.BringUp(ctx); err != nil {
		t.Fatal(err)
	}
	return g
}

// impatient has the generator wait for what does not come for two seconds.
func impatient() sctp.Options {
	o := sctp.Defaults()
	o.AssocMaxRetrans, o.RTOMax = 3, 500*time.Millisecond
	return o
}

// measure has UEs register through f.
func measure(t *testing.T, f *faulty) *load.N2Result {
	t.Helper()
	r, err := through(t, f).Run(load.N2Load{Rate: 200, Duration: 300 * time.Millisecond},
		load.N2Figures{CPU: func() time.Duration { return 0 }, Memory: func() uint64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A relay that does nothing wrong has every message arrive: 11 of each UE.
func TestN2WholeExchange(t *testing.T) {
	t.Parallel()
	r := measure(t, &faulty{})
	if err := r.Err(0); err != nil || r.UEs == 0 || r.Done != r.UEs || r.Received != 11*r.UEs || r.Latency.Count() != r.Received {
		t.Errorf("%v\n%v", err, r)
	}
}

// UEs are subscribers in turn, as many as are asked for or a few more, each of whom stays
// with one AMF.
func TestN2SubscribersTakeTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[ngap.STMSI]int{}
	r := measure(t, &faulty{every: 1, subs: 10, spoil: func(_ *faulty, way direction, to sctp.Assoc, m sctp.Message) {
		to.Send(m)
		var p ngap.PDU
		if p.Walk(m.Data) != nil || p.Code != ngap.CodeInitialUEMessage {
			return
		}
		v, _ := p.Value(ngap.IEFiveGSTMSI)
		id, err := ngap.ReadSTMSI(v)
		mu.Lock()
		defer mu.Unlock()
		if seen[id]++; err != nil {
			t.Error(err)
		}
	}})
	mu.Lock()
	defer mu.Unlock()
	least := r.UEs
	for _, n := range seen {
		least = min(least, uint64(n))
	}
	if len(seen) != 12 || least < r.UEs/12 { // each with its gNB and AMF: 2 times 2
		t.Errorf("%d UEs, %d subscribers, one of them %d times: %v", r.UEs, len(seen), least, seen)
	}
}

// What comes so late that its run is over, in the next run or before that begins, is of
// an earlier run, and not taken for something that nobody sent.
func TestN2LateOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	for _, between := range []bool{false, true} {
		var mu sync.Mutex
		var held []func()
		over := false
		g := through(t, &faulty{spoil: func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			mu.Lock()
			defer mu.Unlock()
			if over {
				to.Send(m)
				return
			}
			m.Data = bytes.Clone(m.Data)
			held = append(held, func() { to.Send(m) })
		}})
		kept := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(held)
		}
		release := func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			over = true
			for _, send := range held {
				send()
			}
			held = nil
			return 0
		}
		figures := load.N2Figures{CPU: func() time.Duration { return 0 }, Memory: func() uint64 { return 0 }}
		l := load.N2Load{Rate: 200, Duration: 300 * time.Millisecond}
		first, err := g.Run(l, figures)
		if err != nil || first.Lost() == 0 || kept() == 0 {
			t.Fatalf("%v, %d kept\n%v", err, kept(), first)
		}
		if between {
			release()
			time.Sleep(50 * time.Millisecond) // most of them come before the next run
		} else {
			figures.CPU = release // the second run has begun
		}
		second, err := g.Run(l, figures)
		if err != nil || second.Err(0) != nil || second.Strange != 0 || second.Stale != first.Lost() {
			t.Errorf("between %t: %v %v: %d of %d late ones are of the earlier run, %d that nobody sent", between, err, second.Err(0), second.Stale, first.Lost(), second.Strange)
		}
	}
}

// What a broken gateway does is noticed, each fault as what it is.
func TestN2FaultsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(f *faulty, way direction, to sctp.Assoc, m sctp.Message)
		noted func(r *load.N2Result) uint64
	}{
		{"dropped", func(*faulty, direction, sctp.Assoc, sctp.Message) {}, (*load.N2Result).Lost},
		{"doubled", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			to.Send(m)
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.Duplicates }},
		{"at the other AMF", func(f *faulty, way direction, to sctp.Assoc, m sctp.Message) {
			if way == 1 {
				to.Send(m)
				return
			}
			for _, p := range f.all() {
				if p[1] != to {
					p[1].Send(m)
				}
			}
		}, func(r *load.N2Result) uint64 { return r.WrongAMF }},
		{"at the other gNB", func(f *faulty, way direction, to sctp.Assoc, m sctp.Message) {
			if way == 0 {
				to.Send(m)
				return
			}
			for _, p := range f.all() {
				if p[0] != to {
					p[0].Send(m)
				}
			}
		}, func(r *load.N2Result) uint64 { return r.WrongGNB }},
		{"AMF UE NGAP ID of another UE", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			b := bytes.Clone(m.Data)
			if i := bytes.Index(b, []byte{0, 10, 0, 2, 0}); i >= 0 { // the IE with a value below 256
				b[i+5] ^= 1
			}
			m.Data = b
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.WrongIDs }},
		{"RAN UE NGAP ID of another UE", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			b := bytes.Clone(m.Data)
			if i := bytes.Index(b, []byte{0, 85, 0, 2, 0}); i >= 0 {
				b[i+5] ^= 1
			}
			m.Data = b
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.WrongIDs }},
		{"an octet of NAS changed", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			b := bytes.Clone(m.Data)
			if i := bytes.Index(b, []byte{0x7e, 2}); i >= 0 {
				b[i+30] ^= 1
			}
			m.Data = b
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.Altered }},
		{"cut", func(_ *faulty, _ direction, to sctp.Assoc, m sctp.Message) {
			m.Data = m.Data[:len(m.Data)-1]
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.Altered }},
		{"a release that nobody asked for", func(_ *faulty, way direction, to sctp.Assoc, m sctp.Message) {
			if way == 1 {
				to.Send(sctp.Message{Stream: 1, PPID: m.PPID, Data: []byte{0, 41, 0, 15, 0, 0, 2, 0, 114, 0, 3, 0x40, 0, 9, 0, 15, 0x40, 1, 0x48}})
			}
			to.Send(m)
		}, func(r *load.N2Result) uint64 { return r.Strange }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := measure(t, &faulty{spoil: c.spoil})
			if c.noted(r) == 0 || r.Err(0) == nil {
				t.Errorf("not noticed: %v\n%v", r.Err(0), r)
			}
		})
	}
}

// The bare relay passes everything on.
func TestN2Relay(t *testing.T) {
	t.Parallel()
	n := simsctp.New(100 * time.Microsecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := load.ReadN2RelayConfig([]byte(`{"listen": "10.0.0.1:38412", "amfs": ["10.0.0.1:40001", "10.0.0.1:40002"]}`))
	if err != nil {
		t.Fatal(err)
	}
	relay, err := load.NewN2Relay(n, c)
	if err != nil {
		t.Fatal(err)
	}
	g, err := load.NewN2(load.N2Options{Transport: n, GNBs: 3, AMFs: 2, Addr: at, Gateway: sctp.At(gatewayPort, at), FirstAMF: firstAMF, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	done := make(chan error)
	go func() { done <- relay.Run(ctx) }()
	if err := g.BringUp(ctx); err != nil {
		t.Fatal(err)
	}
	used := time.Duration(0)
	cpu := func() time.Duration { used += time.Second; return used }
	r, err := g.Run(load.N2Load{Window: 10, Duration: 200 * time.Millisecond}, load.N2Figures{CPU: cpu, Memory: func() uint64 { return 1 << 20 }})
	if err == nil {
		err = r.Err(0)
	}
	if err != nil || r.Done != r.UEs || r.CPUPerMessage() == 0 || !strings.Contains(r.String(), "lost 0 ") {
		t.Errorf("%v\n%v", err, r)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestN2OptionsRefused(t *testing.T) {
	t.Parallel()
	n := simsctp.New(0)
	for _, o := range []load.N2Options{{GNBs: 2}, {Transport: n, AMFs: 65}, {Transport: n, GNBs: -1}, {Transport: n, NAS: 10}, {Transport: n, Open: -1}} {
		if g, err := load.NewN2(o); err == nil {
			g.Close()
			t.Errorf("%+v was taken", o)
		}
	}
	for _, s := range []string{"", "{}", `{"listen": "127.0.0.1:1"}`, `{"listen": "x", "amfs": ["127.0.0.1:1"]}`} {
		if _, err := load.ReadN2RelayConfig([]byte(s)); err == nil {
			t.Errorf("%q was taken", s)
		}
	}
}
