package ns

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// FuzzHandle feeds sequences of arbitrary datagrams, from known and unknown
// remotes, to a stack with every dialect: nothing panics, tables stay bounded.
func FuzzHandle(f *testing.F) {
	var all []byte
	for _, g := range golden {
		b := unhex(g.hex)
		f.Add(append([]byte{0, byte(len(b))}, b...))
		all = append(append(all, byte(len(all)), byte(len(b))), b...)
	}
	f.Add(all)
	for _, h := range []string{sizeAck101, configAck101, sgsnConfig, size2001, conf2001, confAck, reset2001} {
		all = append(append(all, 1, byte(len(h)/2)), unhex(h)...)
		all = append(append(all, 3, byte(len(h)/2)), unhex(h)...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newRig(t, fuzzConfig(t), Limits{DynamicNSEs: 4, VCsPerNSE: 4, ControlQueue: 64})
		defer r.s.Close()
		for len(in) >= 2 {
			who, n := in[0], min(int(in[1]), len(in)-2)
			r.feed(who, in[2:2+n])
			in = in[2+n:]
			if who&0x40 != 0 {
				r.sleep(3 * time.Second)
			}
		}
		r.sleep(3 * time.Minute)
		r.checkBounds()
	})
}

func fuzzConfig(t *testing.T) func(c *Config) {
	return func(c *Config) {
		must(t, c.SetAcceptSNS("b", true))
		must(t, c.SetAcceptIPAccess("b", true))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
		must(t, c.AddNSE(102, RoleBSS))
		must(t, ipaVC(c, 102, "b", "10.0.4.1:1", 101))
		must(t, c.AddNSE(103, RoleBSS))
		must(t, staticVC(c, 103, "b", "10.0.4.1:2", 1, 1))
	}
}

func (r *rig) feed(who byte, b []byte) {
	froms := []string{sgsn1, "10.0.4.1:1", "10.0.4.1:2", bss, bts, "10.0.8.8:1", "10.0.8.8:2", "10.0.8.8:3"}
	name := "b"
	if who&0x10 != 0 || who&7 == 0 {
		name = "a"
	}
	r.writeBytes(name, ap(froms[who&7]), b)
	r.net.sent, r.events = nil, nil
}

func (r *rig) checkBounds() {
	if n := len(r.s.nses); n > 7 || r.s.dynamic > 4 || r.s.dynamic < 0 {
		r.t.Fatalf("%d NSEs, %d dynamic", n, r.s.dynamic)
	}
	vcs := 0
	for _, n := range r.s.nses {
		if len(n.vcs) > 4 {
			r.t.Fatalf("NSE %d has %d NS-VCs", n.nsei, len(n.vcs))
		}
		vcs += len(n.vcs)
	}
	if known := len(r.s.binds["a"].vcs) + len(r.s.binds["b"].vcs); known != vcs {
		r.t.Fatalf("%d NS-VCs on binds, %d in NSEs", known, vcs)
	}
	if len(r.s.timers) > 2*vcs+len(r.s.nses) {
		r.t.Fatalf("%d timers for %d NS-VCs", len(r.s.timers), vcs)
	}
	r.s.Snapshot(r.now)
}

// chanNet is an in-memory network whose sockets do block in ReadBatch.
type chanNet struct {
	mu    sync.Mutex
	conns map[netip.AddrPort]*chanConn
}

type chanConn struct {
	net  *chanNet
	addr netip.AddrPort
	in   chan frame
	done chan struct{}
	once sync.Once
}

func (n *chanNet) Listen(b BindConfig, workers int) (conns []Conn, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := &chanConn{net: n, addr: b.Listen, in: make(chan frame, 4096), done: make(chan struct{})}
	n.conns[b.Listen] = c
	for range workers {
		conns = append(conns, c)
	}
	return conns, nil
}

func (c *chanConn) LocalAddr() netip.AddrPort { return c.addr }
func (c *chanConn) Close() error              { c.once.Do(func() { close(c.done) }); return nil }

func (c *chanConn) ReadBatch(msgs []Message) (int, error) {
	select {
	case f := <-c.in:
		msgs[0].N, msgs[0].Addr = copy(msgs[0].Buf, f.b), f.from
		return 1, nil
	case <-c.done:
		return 0, net.ErrClosed
	}
}

func (c *chanConn) WriteBatch(msgs []Message) (int, error) {
	for _, m := range msgs {
		c.net.mu.Lock()
		to := c.net.conns[m.Addr]
		c.net.mu.Unlock()
		if to != nil {
			select {
			case to.in <- frame{c.addr, m.Addr, append([]byte(nil), m.Buf[:m.N]...)}:
			default:
			}
		}
	}
	return len(msgs), nil
}

// looped runs a stack in its own loop, as a gateway does.
func looped(t *testing.T, net Network, up Upper, data DataPath, cfg Config) (*Stack, chan func()) {
	s := NewStack(Options{Network: net, Workers: 2, Upper: up, DataPath: data})
	must(t, s.Apply(cfg, time.Now()))
	ops, end := make(chan func()), make(chan struct{})
	go func() {
		defer close(end)
		for {
			timer := time.NewTimer(time.Hour)
			if at, ok := s.Deadline(); ok {
				timer.Reset(time.Until(at))
			}
			select {
			case g := <-s.Control():
				s.Handle(time.Now(), g)
			case f, ok := <-ops:
				if !ok {
					timer.Stop()
					return
				}
				f()
			case <-timer.C:
			}
			timer.Stop()
			s.Expire(time.Now())
			s.Flush()
		}
	}()
	t.Cleanup(func() { close(ops); <-end; must(t, s.Close()); must(t, s.Close()) })
	return s, ops
}

// quietUpper counts what arrives.
type quietUpper struct{ data chan string }

func (q *quietUpper) NewNSE(*NSE) any               { return nil }
func (q *quietUpper) FreeNSE(time.Time, *NSE)       {}
func (q *quietUpper) Status(time.Time, *NSE, Event) {}
func (q *quietUpper) UnitData(_ time.Time, _ *NSE, _ uint16, pdu []byte) {
	select {
	case q.data <- string(pdu):
	default:
	}
}

// Two stacks with their workers and loops, while one is reconfigured: for the
// race detector, and to see that the goroutines end.
func TestRunning(t *testing.T) {
	world := &chanNet{conns: map[netip.AddrPort]*chanConn{}}
	mk := func(listen, remote string, nsei uint16) Config {
		c := Config{Timers: DefaultTimers()}
		must(t, c.AddBind(LinkUDP, "a"))
		must(t, c.SetListen("a", ap(listen)))
		must(t, c.AddNSE(nsei, RoleBSS))
		must(t, ipaVC(&c, nsei, "a", remote, 5))
		return c
	}
	one, two := &quietUpper{make(chan string, 100)}, &quietUpper{make(chan string, 100)}
	cfg := mk("10.0.0.1:1", "10.0.0.2:1", 9)
	s1, ops1 := looped(t, world, one, nil, cfg)
	_, ops2 := looped(t, world, two, nil, mk("10.0.0.2:1", "10.0.0.1:1", 9))
	ops2 <- func() {}
	deadline := time.After(20 * time.Second)
	for i := 0; ; i++ {
		ops1 <- func() {
			s1.Send(s1.NSE(9), 7, 1, []byte("hello"))
			if i%3 == 0 {
				c := cfg.Clone()
				must(t, c.AddBind(LinkUDP, "x"))
				must(t, c.SetListen("x", ap("10.0.0.3:1")))
				must(t, s1.Apply(c, time.Now()))
				must(t, s1.Apply(cfg, time.Now()))
			}
			s1.Snapshot(time.Now())
		}
		select {
		case got := <-two.data:
			if got != "hello" || i < 20 {
				continue
			}
			return
		case <-deadline:
			t.Fatal("nothing arrived")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
