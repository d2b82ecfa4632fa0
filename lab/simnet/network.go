package simnet

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"poolgw/ns"
)

// Bounds of a Network.
const (
	queueLength    = 8192  // datagrams waiting at one Conn
	maxInFlight    = 65536 // datagrams delayed
	maxFlows       = 65536 // pairs of addresses with a random source of their own
	firstEphemeral = 49152 // ports given for "port 0"
)

// Faults is what a link does to its datagrams; the zero value carries
// everything at once and in order.
type Faults struct {
	Loss      float64       // 0..1: share that is lost
	Duplicate float64       // 0..1: share that arrives twice
	Reorder   float64       // 0..1: share that later datagrams may overtake
	Delay     time.Duration // of every datagram
	Jitter    time.Duration // at most this much more, drawn evenly; keeps the order
	ReorderBy time.Duration // how much longer a reordered one takes; 0: 20 ms
}

// Packet is one datagram as the Tap sees it; Payload is the tap's own copy.
type Packet struct {
	Time     time.Time
	Src, Dst netip.AddrPort
	Payload  []byte
	Drop     string // why it was not carried; empty when it was
}

// Stats counts datagrams.
type Stats struct {
	Sent       uint64 // given to WriteBatch
	Delivered  uint64 // put into a receiver's queue
	Duplicated uint64 // copies made
	InFlight   uint64 // delayed, at this moment
	Lost       uint64 // by Faults.Loss, or by the judge
	Cut        uint64 // by Cut
	NoReceiver uint64 // nobody listens there
	Overflow   uint64 // the receiver's queue, or the network, was full
}

// Network is a set of endpoints that reach each other. All methods may be
// called from any goroutine.
type Network struct {
	seed uint64

	mu     sync.Mutex
	faults Faults
	links  []linkFaults
	cuts   []link
	ports  map[netip.AddrPort][]*conn
	flows  map[link]*flow
	late   schedule
	stats  Stats
	tap    func(Packet)
	judge  func(Packet) Fate
	nextEp uint16
	closed bool
}

// link is a pair of ends; where it is a pattern, an end with an invalid
// address matches every one, one with port 0 every port of its address.
type link struct{ a, b netip.AddrPort }

type linkFaults struct {
	link
	Faults
}

// flow is what is known of the datagrams from one address to another.
type flow struct {
	rng  *rand.Rand
	last time.Time // when the last one in order arrives
}

// New returns a network without endpoints.
func New(seed uint64, f Faults) *Network {
	n := &Network{seed: seed, faults: f, nextEp: firstEphemeral,
		ports: map[netip.AddrPort][]*conn{}, flows: map[link]*flow{}}
	n.late.deliver = n.deliverDue
	return n
}

// Listen opens the sockets of b, one per worker; datagrams are spread over
// them by their source, as SO_REUSEPORT does. Port 0 takes a free one. The
// error wraps syscall.EADDRINUSE when the address is taken.
func (n *Network) Listen(b ns.BindConfig, workers int) ([]ns.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	addr := netip.AddrPortFrom(b.Listen.Addr().Unmap(), b.Listen.Port())
	if addr.Port() == 0 {
		addr = n.freePort(addr.Addr())
	}
	if len(n.ports[addr]) > 0 {
		return nil, fmt.Errorf("simnet: bind %s %s: %w", b.Name, addr,
			os.NewSyscallError("bind", syscall.EADDRINUSE))
	}
	conns := make([]ns.Conn, max(workers, 1))
	for i := range conns {
		c := newConn(n, addr)
		n.ports[addr] = append(n.ports[addr], c)
		conns[i] = c
	}
	return conns, nil
}

func (n *Network) freePort(ip netip.Addr) netip.AddrPort {
	for {
		n.nextEp = max(n.nextEp+1, firstEphemeral)
		if a := netip.AddrPortFrom(ip, n.nextEp); len(n.ports[a]) == 0 {
			return a
		}
	}
}

// SetFaults sets what links without faults of their own do.
func (n *Network) SetFaults(f Faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}

// SetLinkFaults sets what the link between a and b does, in both directions.
// An end with port 0 stands for every port of its address, the zero AddrPort
// for every end. Later calls go before earlier ones.
func (n *Network) SetLinkFaults(a, b netip.AddrPort, f Faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links = append([]linkFaults{{link{a, b}, f}}, n.links...)
}

// Cut parts a from b in both directions until Heal; ends as in SetLinkFaults.
func (n *Network) Cut(a, b netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts = append(n.cuts, link{a, b})
}

// Heal ends every Cut.
func (n *Network) Heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts = nil
}

// Tap shows every datagram that is sent to f, once, in the order of sending;
// f is called under the network's lock and must not call it. nil ends it.
func (n *Network) Tap(f func(Packet)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tap = f
}

// Fate is what becomes of one datagram; the zero value: what the faults say.
type Fate struct {
	Lost  bool
	Delay time.Duration // beyond that of the faults; later datagrams may overtake it
}

// Judge has f say what becomes of each datagram that no Cut holds back, beside
// what the faults do; f is called under the network's lock, in the order of
// sending, and must not call it. nil ends it.
func (n *Network) Judge(f func(Packet) Fate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.judge = f
}

// Stats returns the counters.
func (n *Network) Stats() Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.stats
	s.InFlight = uint64(n.late.Len())
	return s
}

// Close closes every endpoint and forgets what is under way.
func (n *Network) Close() {
	n.mu.Lock()
	var all []*conn
	for _, cs := range n.ports {
		all = append(all, cs...)
	}
	n.closed = true
	n.late.stop()
	n.mu.Unlock()
	for _, c := range all {
		c.Close()
	}
}

func (l link) match(src, dst netip.AddrPort) bool {
	return endMatch(l.a, src) && endMatch(l.b, dst) || endMatch(l.a, dst) && endMatch(l.b, src)
}

func endMatch(pattern, a netip.AddrPort) bool {
	if !pattern.Addr().IsValid() {
		return true
	}
	return pattern.Addr() == a.Addr() && (pattern.Port() == 0 || pattern.Port() == a.Port())
}

// flow returns the state of the datagrams from src to dst. Beyond maxFlows the
// rest share one, so that hostile addresses cost no memory.
func (n *Network) flow(src, dst netip.AddrPort) *flow {
	k := link{src, dst}
	f := n.flows[k]
	if f == nil && len(n.flows) >= maxFlows {
		k = link{}
		f = n.flows[k]
	}
	if f == nil {
		f = &flow{rng: rand.New(rand.NewPCG(n.seed, flowSeed(k)))}
		n.flows[k] = f
	}
	return f
}

func flowSeed(l link) uint64 {
	h := fnv.New64a()
	for _, e := range []netip.AddrPort{l.a, l.b} {
		ip := e.Addr().As16()
		h.Write(ip[:])
		h.Write(binary.BigEndian.AppendUint16(nil, e.Port()))
	}
	return h.Sum64()
}
