package gb_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/gb"
	"poolgw/lab/simnet"
	"poolgw/nri"
	"poolgw/ns"
)

// The gateway under test stands on two binds of a network in memory, between
// SGSNs that it reaches with IP-SNS in the BSS role and BSSs that come with
// SNS-SIZE. The peers' NS side is made of ns.PDU; all BSSGP octets are by hand.

var (
	sgsnSide = netip.MustParseAddrPort("10.0.0.1:23000")
	bssSide  = netip.MustParseAddrPort("10.0.1.1:23000")
)

func sgsnAddr(nsei uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(nsei >> 8), byte(nsei)}), 24000)
}

func bssAddr(nsei uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 2, byte(nsei >> 8), byte(nsei)}), 25000)
}

// got is one PDU that a peer received.
type got struct {
	bvci uint16
	pdu  string // hex
}

func (g got) String() string { return fmt.Sprintf("%d:%s", g.bvci, g.pdu) }

// peer is a simulated NSE: it does the NS side by itself, acknowledges BVC
// management unless quiet, and keeps the BSSGP PDUs it gets.
type peer struct {
	t    *testing.T
	nsei uint16
	sgsn bool
	addr netip.AddrPort
	gw   netip.AddrPort
	conn ns.Conn

	mu    sync.Mutex
	inbox []got
	dead  bool // answers nothing at all
	quiet bool // does not acknowledge BVC management
}

// bed is a gateway with its peers.
type bed struct {
	t   *testing.T
	net *simnet.Network
	gw  *gb.Gateway
	cfg gb.Config
	all []*peer
}

// config is a pool of SGSNs 101.. with NRI n+2 of 5 bits each: 101 owns 3, 102
// owns 4 and so on.
func config(sgsns int) gb.Config {
	c := gb.Default()
	c.BitLen = 5
	c.NS.Binds = []ns.BindConfig{
		{Name: "sgsn", Link: ns.LinkUDP, Listen: sgsnSide, SigWeight: 1, DataWeight: 1},
		{Name: "bss", Link: ns.LinkUDP, Listen: bssSide, SigWeight: 1, DataWeight: 1, AcceptSNS: true},
	}
	c.NS.SNSDefaultBinds = []string{"bss"}
	for i := range sgsns {
		nsei := uint16(101 + i)
		set, _ := nri.Set(nil).Add(nri.Single(nri.V(3 + i)))
		c.SGSNs = append(c.SGSNs, gb.SGSN{NSEI: nsei, AllowAttach: true, Weight: 100, NRI: set})
		c.NS.NSEs = append(c.NS.NSEs, ns.NSEConfig{NSEI: nsei, Dialect: ns.DialectSNS,
			SNSBinds: []string{"sgsn"}, SNSRemotes: []netip.AddrPort{sgsnAddr(nsei)}})
	}
	return c
}

// run starts a gateway with cfg in a synctest bubble and calls f.
func run(t *testing.T, cfg gb.Config, f func(b *bed), opts ...func(*gb.Gateway)) {
	t.Helper()
	runLogged(t, cfg, nil, f, opts...)
}

// runLogged is run with a log.
func runLogged(t *testing.T, cfg gb.Config, log *slog.Logger, f func(b *bed), opts ...func(*gb.Gateway)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bed{t: t, net: simnet.New(1, simnet.Faults{}), cfg: cfg}
		b.gw = gb.New(gb.Options{Network: b.net, Workers: 2, Log: log})
		for _, o := range opts {
			o(b.gw)
		}
		for _, s := range cfg.SGSNs {
			b.add(s.NSEI, true)
		}
		if err := b.gw.Start(cfg); err != nil {
			t.Fatal(err)
		}
		defer func() {
			b.gw.Stop()
			for _, p := range b.all {
				_ = p.conn.Close()
			}
			b.net.Close()
		}()
		synctest.Wait()
		f(b)
	})
}

func (b *bed) add(nsei uint16, sgsn bool) *peer {
	b.t.Helper()
	p := &peer{t: b.t, nsei: nsei, sgsn: sgsn, addr: bssAddr(nsei), gw: bssSide}
	if sgsn {
		p.addr, p.gw = sgsnAddr(nsei), sgsnSide
	}
	conns, err := b.net.Listen(ns.BindConfig{Listen: p.addr}, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	p.conn = conns[0]
	b.all = append(b.all, p)
	go p.read()
	return p
}

// at returns the peer with an NSEI.
func (b *bed) at(nsei uint16) *peer {
	for _, p := range b.all {
		if p.nsei == nsei {
			return p
		}
	}
	b.t.Fatalf("no peer %d", nsei)
	return nil
}

// bss brings up a BSS by SNS and resets its BVCs.
func (b *bed) bss(nsei uint16, cells ...cell) *peer {
	b.t.Helper()
	p := b.add(nsei, false)
	p.start()
	p.reset(cells...)
	return p
}

// cell is a cell as a BSS configures it.
type cell struct {
	bvci uint16
	id   string // Cell Identifier, hex of 8 octets
}

func rai(lac uint16, rac uint8) string { return fmt.Sprintf("62f224%04x%02x", lac, rac) }

func cellOf(bvci, lac uint16, rac uint8, ci uint16) cell {
	return cell{bvci, fmt.Sprintf("%s%04x", rai(lac, rac), ci)}
}

func (p *peer) start() {
	p.ns(&ns.PDU{Type: ns.PDUSNSSize, Has: has(ns.IEResetFlag, ns.IEMaxNSVCs, ns.IEIPv4Count, ns.IENSEI), Reset: true,
		MaxNSVCs: 8, IPv4Count: 1, NSEI: p.nsei})
	synctest.Wait()
}

func (p *peer) reset(cells ...cell) {
	p.sig("2204820000078108")
	for _, c := range cells {
		p.sig(fmt.Sprintf("220482%04x0781080888%s", c.bvci, c.id))
	}
	time.Sleep(50 * time.Millisecond) // the gateway's pace
	synctest.Wait()
}

func has(list ...ns.IEI) (s ns.IESet) {
	for _, i := range list {
		s |= 1 << i
	}
	return s
}

func (p *peer) ns(pdu *ns.PDU) { p.write(pdu.Append(nil)) }

func (p *peer) write(b []byte) {
	p.t.Helper()
	if _, err := p.conn.WriteBatch([]ns.Message{{Buf: b, N: len(b), Addr: p.gw}}); err != nil && !errors.Is(err, net.ErrClosed) { // closed: the test is at its end
		p.t.Error(err)
	}
}

// send sends a BSSGP PDU in hex on a BVCI and waits until all is quiet.
func (p *peer) send(bvci uint16, pdu string) {
	p.t.Helper()
	p.put(bvci, pdu)
	synctest.Wait()
}

func (p *peer) put(bvci uint16, pdu string) {
	p.t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(pdu, " ", ""))
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(append([]byte{0, 0, byte(bvci >> 8), byte(bvci)}, b...))
}

func (p *peer) sig(pdu string) { p.t.Helper(); p.send(0, pdu) }

func (p *peer) read() {
	msgs := make([]ns.Message, 8)
	for i := range msgs {
		msgs[i].Buf = make([]byte, ns.MaxDatagram)
	}
	for {
		n, err := p.conn.ReadBatch(msgs)
		if err != nil {
			return
		}
		for _, m := range msgs[:n] {
			p.take(m.Buf[:m.N])
		}
	}
}

func (p *peer) take(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pdu, err := ns.Parse(b)
	if p.dead || err != nil {
		return
	}
	switch pdu.Type {
	case ns.PDUUnitdata:
		p.inbox = append(p.inbox, got{pdu.BVCI, hex.EncodeToString(pdu.SDU)})
		p.acknowledge(pdu.SDU)
	case ns.PDUAlive:
		p.ns(&ns.PDU{Type: ns.PDUAliveAck})
	case ns.PDUSNSSize:
		p.ns(&ns.PDU{Type: ns.PDUSNSSizeAck, Has: has(ns.IENSEI), NSEI: p.nsei})
	case ns.PDUSNSSizeAck:
		p.sendConfig()
	case ns.PDUSNSConfig:
		p.ns(&ns.PDU{Type: ns.PDUSNSConfigAck, Has: has(ns.IENSEI), NSEI: p.nsei})
		if p.sgsn {
			p.sendConfig()
		}
	}
}

func (p *peer) sendConfig() {
	p.ns(&ns.PDU{Type: ns.PDUSNSConfig, EndFlag: true, Has: has(ns.IENSEI, ns.IEIPv4List), NSEI: p.nsei,
		IPv4: []ns.Endpoint{{Addr: p.addr, SigWeight: 1, DataWeight: 1}}})
}

// acknowledge answers BVC-RESET, -BLOCK and -UNBLOCK (20, 22, 24) by the next
// type with the BVCI.
func (p *peer) acknowledge(sdu []byte) {
	if p.quiet || len(sdu) < 5 || sdu[0] < 0x20 || sdu[0] > 0x24 || sdu[0]&1 != 0 {
		return
	}
	p.write(append([]byte{0, 0, 0, 0, sdu[0] + 1}, sdu[1:5]...))
}

func (p *peer) set(dead, quiet bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead, p.quiet = dead, quiet
}

// clear forgets what came so far.
func (b *bed) clear() {
	synctest.Wait()
	for _, p := range b.all {
		p.mu.Lock()
		p.inbox = nil
		p.mu.Unlock()
	}
}

// take returns what came and forgets it.
func (p *peer) taken() []got {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	in := p.inbox
	p.inbox = nil
	return in
}

// want checks that exactly these PDUs came, in order: "BVCI:hex".
func (p *peer) want(pdus ...string) {
	p.t.Helper()
	in := p.taken()
	var have []string
	for _, g := range in {
		have = append(have, g.String())
	}
	for i := range pdus {
		pdus[i] = strings.ReplaceAll(pdus[i], " ", "")
	}
	if strings.Join(have, "\n") != strings.Join(pdus, "\n") {
		p.t.Errorf("NSE %d: got\n  %s\nwant\n  %s", p.nsei, strings.Join(have, "\n  "), strings.Join(pdus, "\n  "))
	}
}

// wantIdle checks that no peer but these got anything.
func (b *bed) wantIdle(but ...*peer) {
	b.t.Helper()
next:
	for _, p := range b.all {
		for _, o := range but {
			if p == o {
				continue next
			}
		}
		p.want()
	}
}

func (b *bed) snapshot() gb.Snapshot {
	b.t.Helper()
	s, err := b.gw.Snapshot(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bed) wantDrop(reason string, n uint64) {
	b.t.Helper()
	if have := b.snapshot().Drops[reason]; have != n {
		b.t.Errorf("drops %s: %d, want %d", reason, have, n)
	}
}

// suite is the topology of the public test-suite: two SGSNs, three BSSs.
func suite(t *testing.T, cfg gb.Config, f func(b *bed)) {
	t.Helper()
	run(t, cfg, func(b *bed) {
		b.bss(2001, cellOf(20011, 13135, 0, 30011))
		b.bss(2002, cellOf(20021, 13135, 1, 30021), cellOf(20022, 13135, 2, 30022))
		b.bss(2003, cellOf(20031, 13135, 1, 30031), cellOf(20032, 13300, 0, 30032), cellOf(20033, 13300, 0, 30033))
		b.clear()
		f(b)
	})
}
