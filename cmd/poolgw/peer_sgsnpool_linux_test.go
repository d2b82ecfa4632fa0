package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"poolgw/gb"
	"poolgw/lab"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

// sgsnPool is a pool of an osmo-sgsn (NSEI 101), which owns every NRI, and a
// lab SGSN (102), drained, with a BSS of two cells in two routing areas.
type sgsnPool struct {
	t    *testing.T
	gw   *process
	c    *vty.Client
	osmo *osmoSGSN
	mate *lab.SGSN
	bss  *lab.BSS
	// Addresses of the gateway towards SGSNs and BSSs, of the lab SGSN and BSS.
	core, ran, atMate, atBSS netip.AddrPort
}

// osmoLink is a way to connect osmo-sgsn: lines of node ns on both sides, where
// ADDR and PORT are the other's.
type osmoLink struct{ name, osmo, gateway string }

var osmoLinks = []osmoLink{
	{"static", " nse 101\n  nsvc udp local ADDR PORT\n", "  nsvc udp core ADDR PORT\n"},
	{"ipaccess", "  accept-ipaccess\n", "  nsvc ipa core ADDR PORT nsvci 101\n"},
	{"sns", "  accept-dynamic-ip-sns\n ip-sns-default bind local\n", "  ip-sns-bind core\n  ip-sns-remote ADDR PORT\n"},
}

// lines puts a peer's address into lines of an osmoLink.
func (osmoLink) lines(text string, a netip.AddrPort) string {
	return strings.NewReplacer("ADDR", a.Addr().String(), "PORT", fmt.Sprint(a.Port())).Replace(text)
}

// osmoGateway is the gateway's configuration without the NS-VCs of NSE 101.
const osmoGateway = `line vty
 no login
 bind 127.0.0.1 VTY
ctrl
 bind 127.0.0.1 CTRL
gbproxy
 nri bitlen 10
sgsn nsei 101
 nri add 0 1023
sgsn nsei 102
 no allow-attach
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 bind udp core
  listen CORE
 bind udp ran
  listen RAN
  accept-ipaccess
 nse 102
  nsvc udp core MATE
 nse 101
`

// newSGSNPool starts everything, osmo-sgsn first; watch, if there is one, is
// called before and told the gateway's addresses.
func newSGSNPool(t *testing.T, link osmoLink, watch func(core, ran netip.AddrPort)) *sgsnPool {
	t.Helper()
	p := &sgsnPool{t: t}
	for _, a := range []*netip.AddrPort{&p.core, &p.ran, &p.atMate, &p.atBSS} {
		*a = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(freePort(t, "udp")))
	}
	if watch != nil {
		watch(p.core, p.ran)
	}
	own := ownLoopback(t)
	p.osmo = newOsmoSGSN(t, own, link.lines(link.osmo, p.core))
	p.osmo.start()
	p.startGateway(link.lines(link.gateway, netip.MustParseAddrPort(own+":23000")))
	p.startLab()
	return p
}

func (p *sgsnPool) startGateway(nse101 string) {
	port := freePort(p.t, "tcp")
	spaced := func(a netip.AddrPort) string { return strings.ReplaceAll(a.String(), ":", " ") }
	text := strings.NewReplacer("VTY", fmt.Sprint(port), "CTRL", fmt.Sprint(freePort(p.t, "tcp")),
		"CORE", spaced(p.core), "RAN", spaced(p.ran), "MATE", spaced(p.atMate)).Replace(osmoGateway)
	p.gw = start(p.t, "-c", writeFile(p.t, text+nse101))
	p.gw.running(p.t)
	p.c = dialVTY(p.t, port)
}

// osmoSubscribers are few, for each asks two or three seconds of osmo-sgsn's
// timers; half of them have a P-TMSI of some earlier time.
const osmoSubscribers = 12

func (p *sgsnPool) startLab() {
	net := &ns.KernelUDP{}
	reg := lab.NewRegister(10, nil)
	timers := ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest] = 1, 1
	p.mate = lab.NewSGSN(lab.SGSNConfig{NSEI: 102, Listen: []netip.AddrPort{p.atMate}, Timers: &timers, Network: net, Register: reg,
		NRI:   nri.Set{{First: 0, Last: 1023}},
		Links: []lab.Link{{NSEI: 102, Dialect: ns.DialectStaticAlive, Remotes: []netip.AddrPort{p.core}}}})
	cell := func(n uint16) lab.Cell {
		return lab.Cell{BVCI: 1000 + n, RAI: [6]byte{0x62, 0xf2, 0x24, 0x10, 0, byte(n)}, CI: n}
	}
	p.bss = lab.NewBSS(lab.BSSConfig{NSEI: 2001, Listen: []netip.AddrPort{p.atBSS}, Timers: &timers, Network: net, Register: reg,
		Link:  lab.Link{Dialect: ns.DialectIPAccess, NSVCI: 2001, Remotes: []netip.AddrPort{p.ran}},
		Cells: []lab.Cell{cell(1), cell(2)}, Subscribers: osmoSubscribers, FirstID: 1, FlowControl: time.Second,
		Behaviour: lab.Behaviour{Start: time.Second, OldPTMSI: 0.5, Move: 4 * time.Second, Leave: 6 * time.Second,
			Suspend: 4 * time.Second, Away: time.Second, Retry: 3 * time.Second}})
	for _, n := range []interface {
		Start() error
		Stop()
	}{p.mate, p.bss} {
		if err := n.Start(); err != nil {
			p.t.Fatal(err)
		}
		p.t.Cleanup(n.Stop)
	}
}

// until waits for what.
func (p *sgsnPool) until(what string, ok func() bool) {
	p.t.Helper()
	for range 300 {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Fatalf("not within 30 s: %s\nBSS: %+v\nlab SGSN: %+v\npoolgw: %+v\n%s\nosmo-sgsn:\n%s\n%s", what, p.bss.Truth(),
		p.mate.Truth(), p.sgsn(101), &p.gw.err, p.osmo.run("show bssgp"), tail(p.osmo.log.String()))
}

// tail is the end of a long log.
func tail(s string) string { return s[max(0, len(s)-8000):] }

// ask gets what the gateway answers in JSON.
func (p *sgsnPool) ask(cmd string, into any) {
	p.t.Helper()
	out, err := p.c.Run(cmd)
	if err == nil {
		err = json.Unmarshal([]byte(out), into)
	}
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// sgsn is what the gateway shows of a member.
func (p *sgsnPool) sgsn(nsei uint16) gb.SGSNState {
	p.t.Helper()
	var pool gb.PoolState
	p.ask("show pool json", &pool)
	for _, s := range pool.SGSNs {
		if s.NSEI == nsei {
			return s
		}
	}
	p.t.Fatalf("no member %d: %+v", nsei, pool)
	return gb.SGSNState{}
}

// up tells that the gateway has both cells' BVCs, and that of the signalling,
// unblocked at a member.
func (p *sgsnPool) up(nsei uint16) bool {
	s := p.sgsn(nsei)
	unblocked := 0
	for _, v := range s.BVCs {
		if v.State == "UNBLOCKED" {
			unblocked++
		}
	}
	return s.Up && len(s.BVCs) == 3 && unblocked == 3
}
