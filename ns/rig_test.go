package ns

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeNet is a Network whose sockets record what is sent and read nothing.
type fakeNet struct {
	mu    sync.Mutex
	open  map[netip.AddrPort]*fakeConn
	bad   netip.AddrPort // can't be had
	sent  []frame
	full  bool // takes nothing
	busy  bool // as full, and says so
	down  bool // the device of a line does not run
	mtu   int  // of the device of a line
	count bool // counts only, and allocates nothing
	split bool // has a socket for what is no user data
	faces netip.Addr
}

type frame struct {
	from, to netip.AddrPort
	b        []byte
}

func (f frame) String() string { return fmt.Sprintf("%s>%s %x", f.from, f.to, f.b) }

type fakeConn struct {
	net     *fakeNet
	addr    netip.AddrPort
	worker  int
	closed  chan struct{}
	once    sync.Once
	tuned   int
	counted int
}

func (n *fakeNet) Listen(b BindConfig, workers int) (conns []Conn, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bad.IsValid() && b.Listen == n.bad {
		return nil, errors.New("can't assign requested address")
	}
	if c := n.open[b.Listen]; c != nil {
		return nil, errors.New("address in use")
	}
	for w := range workers {
		c := &fakeConn{net: n, addr: b.Listen, worker: w, closed: make(chan struct{})}
		if w == 0 {
			n.open[b.Listen] = c
		}
		conns = append(conns, c)
	}
	return conns, nil
}

func (n *fakeNet) Split(b BindConfig, conns []Conn, _ UserData) (Conn, error) {
	if !n.split {
		return nil, errors.ErrUnsupported
	}
	return &fakeConn{net: n, addr: b.Listen, worker: len(conns), closed: make(chan struct{})}, nil
}

func (n *fakeNet) LocalToward(remote netip.Addr) (netip.Addr, error) {
	if n.faces.IsValid() {
		return n.faces, nil
	}
	return netip.MustParseAddr("10.9.9.9"), nil
}

func (c *fakeConn) ReadBatch([]Message) (int, error) { <-c.closed; return 0, net.ErrClosed }
func (c *fakeConn) LocalAddr() netip.AddrPort        { return c.addr }
func (c *fakeConn) Tune(dscp, priority uint8) error  { c.tuned++; return nil }

func (c *fakeConn) Carrier() (bool, int) { return !c.net.down, c.net.mtu }

func (c *fakeConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.net.mu.Lock()
		defer c.net.mu.Unlock()
		if c.net.open[c.addr] == c {
			delete(c.net.open, c.addr)
		}
	})
	return nil
}

func (c *fakeConn) WriteBatch(msgs []Message) (int, error) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	if c.net.busy {
		return 0, &BusyError{Err: errors.New("no buffer space available")}
	}
	if c.net.full {
		return 0, nil
	}
	if c.net.count {
		c.counted += len(msgs)
		return len(msgs), nil
	}
	for _, m := range msgs {
		c.net.sent = append(c.net.sent, frame{c.addr, m.Addr, append([]byte(nil), m.Buf[:m.N]...)})
	}
	return len(msgs), nil
}

// rig is a Stack under a hand-fed clock: verbs write, want, wantIdle, advance.
type rig struct {
	t      *testing.T
	s      *Stack
	net    *fakeNet
	now    time.Time
	cfg    Config
	events []string
	data   DataPath
	ports  map[string]*Port
}

func (r *rig) Data(p *Port, n *NSE, bvci uint16, dgram []byte) bool {
	return r.data != nil && r.data.Data(p, n, bvci, dgram)
}

func (r *rig) note(format string, a ...any) { r.events = append(r.events, fmt.Sprintf(format, a...)) }

func (r *rig) NewNSE(n *NSE) any           { r.note("new %d", n.NSEI()); return n.NSEI() }
func (r *rig) FreeNSE(_ time.Time, n *NSE) { r.note("free %d", n.NSEI()) }
func (r *rig) UnitData(_ time.Time, n *NSE, bvci uint16, pdu []byte) {
	r.note("data %d/%d %x", n.NSEI(), bvci, pdu)
}

var eventNames = map[Event]string{EventRecovery: "recovery", EventFailure: "failure", EventVCRecovery: "vc up",
	EventVCFailure: "vc down", EventSNSConfigured: "sns up", EventSNSFailure: "sns failure", EventSNSNoEndpoints: "sns none"}

func (r *rig) Status(_ time.Time, n *NSE, ev Event) { r.note("%s %d", eventNames[ev], n.NSEI()) }

// newRig starts a stack with binds a (10.0.0.1:23000) and b (10.0.0.2:23000),
// edited by edit.
func newRig(t *testing.T, edit func(c *Config), limits ...Limits) *rig {
	t.Helper()
	r := &rig{t: t, net: &fakeNet{open: map[netip.AddrPort]*fakeConn{}}, now: time.Unix(1000000, 0), ports: map[string]*Port{}}
	opt := Options{Network: r.net, Workers: 2, Upper: r, DataPath: r, Now: func() time.Time { return r.now }}
	if len(limits) > 0 {
		opt.Limits = limits[0]
	}
	r.s = NewStack(opt)
	t.Cleanup(func() { r.s.Close() })
	r.cfg = Config{Timers: DefaultTimers(), TxQueueMax: 128}
	for i, name := range []string{"a", "b"} {
		must(t, r.cfg.AddBind(LinkUDP, name))
		must(t, r.cfg.SetListen(name, netip.MustParseAddrPort(fmt.Sprintf("10.0.0.%d:23000", i+1))))
	}
	r.edit(edit)
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// edit changes the configuration at run time.
func (r *rig) edit(edit func(c *Config)) {
	r.t.Helper()
	c := r.cfg.Clone()
	edit(&c)
	must(r.t, r.s.Apply(c, r.now))
	r.cfg = c
}

// write lets datagrams come in on a bind, through a worker, and turns the loop.
func (r *rig) write(bindName, from string, hexes ...string) {
	r.t.Helper()
	for _, h := range hexes {
		r.writeBytes(bindName, netip.MustParseAddrPort(from), unhex(h))
	}
}

func (r *rig) writeBytes(bindName string, from netip.AddrPort, b []byte) {
	bd := r.s.binds[bindName]
	p := r.ports[bindName]
	if p == nil || p.bind != bd {
		p = newPort(r.s, bd, 1)
		r.ports[bindName] = p
	}
	p.batch([]Message{{Buf: append([]byte(nil), b...), N: len(b), Addr: from}})
	r.turn()
}

func (r *rig) turn() {
	for {
		select {
		case g := <-r.s.Control():
			r.s.Handle(r.now, g)
			continue
		default:
		}
		break
	}
	r.s.Expire(r.now)
	r.s.Flush()
}

// frames takes what was sent since.
func (r *rig) frames() []frame {
	r.net.mu.Lock()
	defer r.net.mu.Unlock()
	f := r.net.sent
	r.net.sent = nil
	return f
}

// want compares what was sent, to whomever, with octets.
func (r *rig) want(hexes ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.frames() {
		got = append(got, hex.EncodeToString(f.b))
	}
	if g, w := strings.Join(got, " "), strings.Join(hexes, " "); g != w {
		r.t.Fatalf("sent     %s\nwant     %s", g, w)
	}
}

// wantTo is want with the addresses.
func (r *rig) wantTo(frames ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.frames() {
		got = append(got, f.String())
	}
	if g, w := strings.Join(got, "\n"), strings.Join(frames, "\n"); g != w {
		r.t.Fatalf("sent\n%s\nwant\n%s", g, w)
	}
}

func (r *rig) wantIdle() { r.t.Helper(); r.want() }

// wantEvents compares what Upper was told since.
func (r *rig) wantEvents(events ...string) {
	r.t.Helper()
	if g, w := strings.Join(r.events, "; "), strings.Join(events, "; "); g != w {
		r.t.Fatalf("events %s\nwant   %s", g, w)
	}
	r.events = nil
}

// timer advances to the next deadline, which has to be d away, and runs it.
func (r *rig) timer(d time.Duration) {
	r.t.Helper()
	at, armed := r.s.Deadline()
	if !armed || at.Sub(r.now) != d {
		r.t.Fatalf("next timer in %v (armed %v), want %v", at.Sub(r.now), armed, d)
	}
	r.now = at
	r.turn()
}

// sleep lets d pass, with every timer run in its time.
func (r *rig) sleep(d time.Duration) {
	end := r.now.Add(d)
	for at, armed := r.s.Deadline(); armed && !at.After(end); at, armed = r.s.Deadline() {
		r.now = at
		r.turn()
	}
	r.now = end
}

func (r *rig) nse(nsei uint16) *NSEState {
	for _, n := range r.s.Snapshot(r.now).NSEs {
		if n.NSEI == nsei {
			return &n
		}
	}
	return nil
}

// wantVCs compares the states of an NSE's NS-VCs.
func (r *rig) wantVCs(nsei uint16, states ...string) {
	r.t.Helper()
	var got []string
	if n := r.nse(nsei); n != nil {
		for _, v := range n.VCs {
			got = append(got, v.State)
		}
	}
	if g, w := strings.Join(got, " "), strings.Join(states, " "); g != w {
		r.t.Fatalf("NS-VCs of %d: %s, want %s", nsei, g, w)
	}
}

// wantDrop checks the counter of a reason on a bind.
func (r *rig) wantDrop(bindName string, why Drop, n uint64) {
	r.t.Helper()
	for _, b := range r.s.Snapshot(r.now).Binds {
		if b.Name == bindName && b.Dropped[why.String()] != n {
			r.t.Fatalf("dropped %s on %s: %d, want %d", why, bindName, b.Dropped[why.String()], n)
		}
	}
}

const (
	sec    = time.Second
	remote = "10.0.1.1:23000"
)

// Octets that tests have in common, each written from the clause's tables.
const (
	alive, aliveAckHex = "0a", "0b"
	unblock, unblockOK = "06", "07"
	reset101           = "020081010182006504820065" // O&M, NSVCI 101, NSEI 101
	resetAck101        = "030182006504820065"
	block101           = "0400810101820065"
	blockAck101        = "0501820065"
	blocked101         = "0800810301820065"
)

func staticVC(c *Config, nsei uint16, bind, remote string, sig, data uint8) error {
	return c.AddVC(nsei, VCConfig{Link: LinkUDP, Bind: bind, Remote: netip.MustParseAddrPort(remote), SigWeight: sig, DataWeight: data})
}

func ipaVC(c *Config, nsei uint16, bind, remote string, nsvci uint16) error {
	return c.AddVC(nsei, VCConfig{Link: LinkUDP, Bind: bind, Remote: netip.MustParseAddrPort(remote), NSVCI: nsvci, HasNSVCI: true})
}

// ipaRig has NSE 101 with one ip.access NS-VC 101 to remote.
func ipaRig(t *testing.T) *rig {
	return newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
	})
}

// up brings the NS-VC of ipaRig up.
func (r *rig) up() {
	r.t.Helper()
	r.write("a", remote, resetAck101, unblockOK, aliveAckHex)
	r.wantVCs(101, "UNBLOCKED")
	r.frames()
	r.events = nil
}
