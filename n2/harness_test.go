package n2_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/lab/simsctp"
	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/sctp"
)

// Octets of UERANSIM 3.3.0 and Ella Core 1.15.0 on kernel SCTP: an NG Setup and
// an Initial UE Message with a SUCI.
const (
	setupRequest = "0015003e000004001b00090000f1105000000001005240140880554552414e53494d2d676e622d312d312d310066000d00000000010000f110000000080015400140"
	initialUE    = "000f40480000050055000200010026001a197e004179000d0100f1100000000079653199532e04f0f0f0f0007900135000f110000000010000f110000001eeb72e36005a4001180070400100"
)

var home = ngap.PLMN{0x00, 0xf1, 0x10} // 001-01

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// bed is a gateway with AMFs and gNBs around it, on a network in memory.
type bed struct {
	*testing.T
	net  *simsctp.Network
	gw   *n2.Gateway
	cfg  n2.Config
	amfs []*amf
	gnbs int
	log  *logbook
	deaf []func()   // what ends the deafness of peers
	mu   sync.Mutex // held by who reads; see settle
}

func address(kind, n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 0, byte(kind), byte(n)})
}

// run runs f with a gateway and n AMFs of capacity 100 and GUAMIs 1/1/1, 1/1/2, …
func run(t *testing.T, n int, change func(c *n2.Config), f func(b *bed)) {
	t.Helper()
	runOver(t, func(t sctp.Transport) sctp.Transport { return t }, n, change, f)
}

// runOver is run with what over makes of the network as the gateway's transport.
func runOver(t *testing.T, over func(sctp.Transport) sctp.Transport, n int, change func(c *n2.Config), f func(b *bed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bed{T: t, net: simsctp.New(time.Millisecond), cfg: n2.Default(), log: newLogbook()}
		b.cfg.Enabled = true
		b.cfg.Binds = []n2.Bind{{Name: "ran", Listen: sctp.At(n2.DefaultPort, address(0, 1))}}
		for i := 1; i <= n; i++ {
			b.cfg.AMFs = append(b.cfg.AMFs, n2.AMF{ID: uint8(i), Name: fmt.Sprintf("AMF%02d", i), Remote: sctp.At(n2.DefaultPort, address(1, i)),
				Local: []netip.Addr{address(0, 2)}, Capacity: -1, AllowAttach: true})
			b.amfs = append(b.amfs, b.newAMF(i))
		}
		if change != nil {
			change(&b.cfg)
		}
		b.gw = n2.New(n2.Options{TraceDir: filepath.Join(t.TempDir(), "traces"), Log: slog.New(b.log), Transport: func(n2.Transport) (sctp.Transport, string, error) { return over(b.net), "", nil }})
		if err := b.gw.Start(b.cfg); err != nil {
			t.Fatal(err)
		}
		defer b.end() // also when the test gives up
		f(b)
		b.settle()
		b.balanced()
	})
}

func (b *bed) end() {
	for _, hear := range b.deaf {
		hear()
	}
	b.gw.Stop()
	for _, a := range b.amfs {
		a.stop()
	}
	b.sleep(time.Minute) // what closes, closes
}

// settle lets everything that is under way arrive. What the test changed before
// is seen by those who read, and what they read by the test.
func (b *bed) settle() {
	b.sleep(20 * time.Millisecond)
	synctest.Wait()
	b.order()
}

// balanced checks that every PDU is accounted for.
func (b *bed) balanced() {
	b.Helper()
	c := b.gw.Conservation()
	if c.Balance() != 0 || c.Queued != 0 {
		b.Errorf("not balanced by %d: %+v", c.Balance(), c)
	}
}

func (b *bed) sleep(d time.Duration) {
	b.order()
	time.Sleep(d)
	b.order()
}

func (b *bed) order() {
	b.mu.Lock()
	defer b.mu.Unlock()
}

// peer is one association of a simulated AMF or gNB.
type peer struct {
	b     *bed
	name  string
	assoc sctp.Assoc
	gate  chan struct{} // empty: it does not read; see deaf
	got   []received
	down  error
	since time.Time
}

type received struct {
	stream uint16
	data   []byte
}

func (b *bed) newPeer(name string, a sctp.Assoc, react func(p *peer, data []byte)) *peer {
	p := &peer{b: b, name: name, assoc: a, gate: make(chan struct{}, 1), since: time.Now()}
	p.gate <- struct{}{}
	go func() {
		for {
			p.gate <- <-p.gate
			ev, err := a.Recv()
			if p.took(ev, err, react) {
				return
			}
		}
	}()
	return p
}

func (p *peer) took(ev sctp.Event, err error, react func(p *peer, data []byte)) (over bool) {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	p.down = err
	if err == nil && ev.Kind == sctp.Data {
		p.got = append(p.got, received{ev.Stream, slices.Clone(ev.Data)})
		if react != nil {
			react(p, p.got[len(p.got)-1].data)
		}
	}
	return err != nil
}

// deaf makes the peer read no more than what comes next, until hear is called.
func (p *peer) deaf() (hear func()) {
	<-p.gate
	hear = sync.OnceFunc(func() { p.gate <- struct{}{} })
	p.b.deaf = append(p.b.deaf, hear)
	return hear
}

func (p *peer) send(stream uint16, data []byte) {
	p.b.Helper()
	if err := p.assoc.Send(sctp.Message{Stream: stream, PPID: sctp.PPIDNGAP, Data: data}); err != nil {
		p.b.Fatalf("%s: %v", p.name, err)
	}
	p.b.settle()
}

// next takes the oldest PDU that came.
func (p *peer) next() received {
	p.b.Helper()
	if len(p.got) == 0 {
		p.b.Fatalf("%s got nothing", p.name)
	}
	r := p.got[0]
	p.got = p.got[1:]
	return r
}

// want takes the oldest PDU, which must be that message.
func (p *peer) want(c ngap.Code, k ngap.Kind) *ngap.PDU {
	p.b.Helper()
	var pdu ngap.PDU
	r := p.next()
	if err := pdu.Walk(r.data); err != nil {
		p.b.Fatalf("%s got %x: %v", p.name, r.data, err)
	}
	if pdu.Code != c || pdu.Kind != k {
		p.b.Fatalf("%s got %s, want %s %v", p.name, pdu.Name(), c, k)
	}
	return &pdu
}

// wantNothing checks that nothing more came.
func (p *peer) wantNothing() {
	p.b.Helper()
	for _, r := range p.got {
		var pdu ngap.PDU
		pdu.Walk(r.data)
		p.b.Errorf("%s got %s as well: %x", p.name, pdu.Name(), r.data)
	}
	p.got = nil
}

// amf is a simulated AMF: it answers NG Setup.
type amf struct {
	b            *bed
	id           int
	listener     sctp.Listener
	capacity     uint8
	guamis       []ngap.GUAMI
	refuse       bool // answers NG Setup with a Failure
	silent       bool
	play         func(p *peer, data []byte) // sees what comes, too
	more         []ngap.IE                  // in its NG Setup Response
	answerProbes bool                       // RAN Configuration Updates are acknowledged
	peers        []*peer                    // by the gNB's order of association
}

func (b *bed) newAMF(id int) *amf {
	a := &amf{b: b, id: id, capacity: 100, guamis: []ngap.GUAMI{{PLMN: home, Region: 1, Set: 1, Pointer: uint8(id)}}}
	a.listen()
	return a
}

func (a *amf) listen() {
	l, err := a.b.net.Listen(sctp.At(n2.DefaultPort, address(1, a.id)), sctp.Defaults())
	if err != nil {
		a.b.Fatal(err)
	}
	a.listener = l
	go func() {
		for {
			s, err := l.Accept(context.Background())
			if err != nil {
				return
			}
			a.b.mu.Lock()
			a.peers = append(a.peers, a.b.newPeer(fmt.Sprintf("AMF %d", a.id), s, a.react))
			a.b.mu.Unlock()
		}
	}()
}

// last is the latest association.
func (a *amf) last() *peer {
	a.b.Helper()
	if len(a.peers) == 0 {
		a.b.Fatalf("AMF %d has no association", a.id)
	}
	return a.peers[len(a.peers)-1]
}

func (a *amf) stop() {
	a.listener.Close()
	for _, p := range a.peers {
		p.assoc.Abort("end of test")
	}
}

func (a *amf) setupResponse() []byte {
	var p ngap.PDU
	p.New(ngap.CodeNGSetupRequest, ngap.Successful)
	p.Add(ngap.IEAMFName, ngap.Reject, ngap.AppendName(nil, fmt.Sprintf("amf-%d", a.id)))
	var list []ngap.ServedGUAMI
	for _, g := range a.guamis {
		list = append(list, ngap.ServedGUAMI{GUAMI: g})
	}
	p.Add(ngap.IEServedGUAMIList, ngap.Reject, ngap.AppendServedGUAMIs(nil, list))
	p.Add(ngap.IERelativeAMFCapacity, ngap.Ignore, ngap.AppendCapacity(nil, a.capacity))
	p.Add(ngap.IEPLMNSupportList, ngap.Reject, ngap.AppendPLMNSupport(nil,
		[]ngap.PLMNSupport{{PLMN: home, Slices: []ngap.Slice{{SNSSAI: ngap.SNSSAI{SST: uint8(a.id)}}}}}))
	for _, ie := range a.more {
		p.Replace(ie.ID, ie.Criticality, ie.Value)
	}
	return p.Append(nil)
}

func (a *amf) react(p *peer, data []byte) {
	if a.play != nil {
		a.play(p, data)
	}
	var pdu ngap.PDU
	if pdu.Walk(data) == nil && pdu.Code == ngap.CodeRANConfigurationUpdate && a.answerProbes {
		p.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: simple(pdu.Code, ngap.Successful)})
	}
	if pdu.Walk(data) != nil || pdu.Code != ngap.CodeNGSetupRequest || a.silent {
		return
	}
	answer := a.setupResponse()
	if a.refuse {
		answer = failure(ngap.CauseUnknownPLMN)
	}
	p.assoc.Send(sctp.Message{PPID: sctp.PPIDNGAP, Data: answer})
}

func failure(c ngap.Cause) []byte {
	var p ngap.PDU
	p.New(ngap.CodeNGSetupRequest, ngap.Unsuccessful)
	p.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, c))
	return p.Append(nil)
}

// gnb associates a simulated gNB and sends its NG Setup Request; ids tells gNBs
// apart.
func (b *bed) gnb(id uint32) *peer {
	b.Helper()
	p := b.associate()
	p.send(0, setupOf(id))
	return p
}

func (b *bed) associate() *peer {
	b.Helper()
	b.gnbs++
	a, err := b.net.Dial(context.Background(), sctp.At(0, address(2, b.gnbs)), sctp.At(n2.DefaultPort, address(0, 1)), sctp.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	return b.newPeer(fmt.Sprintf("gNB %d", b.gnbs), a, nil)
}

// setupOf is the captured NG Setup Request with another gNB ID (32 bits).
func setupOf(id uint32) []byte {
	var p ngap.PDU
	if err := p.Walk(unhex(setupRequest)); err != nil {
		panic(err)
	}
	v, _ := p.Value(ngap.IEGlobalRANNodeID)
	v = slices.Clone(v)
	v[len(v)-4], v[len(v)-3], v[len(v)-2], v[len(v)-1] = byte(id>>24), byte(id>>16), byte(id>>8), byte(id)
	p.Replace(ngap.IEGlobalRANNodeID, ngap.Reject, v)
	return p.Append(nil)
}

// up associates a gNB and takes its NG Setup Response.
func (b *bed) up(id uint32) *peer {
	b.Helper()
	g := b.gnb(id)
	b.sleep(time.Second)
	b.settle()
	g.want(ngap.CodeNGSetupRequest, ngap.Successful)
	for _, a := range b.amfs {
		for _, p := range a.peers {
			p.got = nil
		}
	}
	return g
}

// initial is an Initial UE Message: the captured one, with a RAN UE NGAP ID, and
// a 5G-S-TMSI if there is one.
func initial(ran uint32, s *ngap.STMSI) []byte {
	var p ngap.PDU
	if err := p.Walk(unhex(initialUE)); err != nil {
		panic(err)
	}
	p.Replace(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran))
	if s != nil {
		p.Add(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, *s))
	}
	return p.Append(nil)
}

// message is one of a UE: with both IDs, and what else.
func message(c ngap.Code, k ngap.Kind, amf uint64, ran uint32, more ...ngap.IE) []byte {
	var p ngap.PDU
	p.New(c, k)
	p.Add(ngap.IEAMFUENGAPID, ngap.Reject, ngap.AppendAMFUENGAPID(nil, amf))
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran))
	for _, ie := range more {
		p.Add(ie.ID, ie.Criticality, ie.Value)
	}
	return p.Append(nil)
}

var nas = ngap.IE{ID: ngap.IENASPDU, Value: ngap.AppendOctets(nil, unhex("7e005600"))}

func (p *peer) wantIDs(c ngap.Code, k ngap.Kind, amf uint64, ran uint32) *ngap.PDU {
	p.b.Helper()
	pdu := p.want(c, k)
	a, _, errA := pdu.AMFUENGAPID()
	r, _, errR := pdu.RANUENGAPID()
	if errA != nil || errR != nil || a != amf || r != ran {
		p.b.Errorf("%s: %s with IDs %#x %d, want %#x %d", p.name, pdu.Name(), a, r, amf, ran)
	}
	return pdu
}

// where finds the AMF that got something.
func (b *bed) where() *amf {
	b.Helper()
	for _, a := range b.amfs {
		for _, p := range a.peers {
			if len(p.got) > 0 {
				return a
			}
		}
	}
	b.Fatal("no AMF got anything")
	return nil
}

func sctpMessage(data []byte) sctp.Message { return sctp.Message{PPID: sctp.PPIDNGAP, Data: data} }
