package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// suiteConfig is the file with which the suite itself runs, at an address of
// its own.
func suiteConfig(t *testing.T, addr netip.Addr, isolate bool) string {
	t.Helper()
	text, err := os.ReadFile("../../doc/examples/ttcn3-suite.cfg")
	if err != nil {
		t.Fatal(err)
	}
	const propagate = " pool sgsn-reset propagate\n"
	if !strings.Contains(string(text), propagate) {
		t.Fatal("the example does not ask for osmo-gbproxy's resets")
	}
	words := []string{"127.0.0.10", addr.String(), "127.0.0.1", addr.String()}
	if isolate {
		words = append(words, propagate, "")
	}
	return strings.NewReplacer(words...).Replace(string(text))
}

// lane is a gateway that runs one case after another, each begun through the
// VTY.
type lane struct {
	addr netip.Addr
	gw   *process
}

// newLanes starts gateways on addresses of their own.
func newLanes(t *testing.T, n int, isolate bool) chan *lane {
	t.Helper()
	lanes := make(chan *lane, n)
	for range n {
		l := &lane{addr: netip.MustParseAddr(ownLoopback(t))}
		l.gw = start(t, "-c", writeFile(t, suiteConfig(t, l.addr, isolate)))
		l.gw.running(t)
		lanes <- l
	}
	return lanes
}

// world is a gateway with its peers during one case.
type world struct {
	t       *testing.T
	lane    *lane
	isolate bool
	sgsn    []*nse
	bss     []*nse
	vty     *suiteVTY
	ctrl    net.Conn
	fences  int
}

// The network of the suite: LAC 13135 is in all BSSs, RAI 13135-1 in two, RAI
// 13300-0 twice in one.
func suiteCells() [][]suiteCell {
	cell := func(bvci, lac, rac, ci int) suiteCell {
		return suiteCell{uint16(bvci), fmt.Sprintf("62f224%04x%02x%04x", lac, rac, ci)}
	}
	return [][]suiteCell{
		{cell(20011, 13135, 0, 30011)},
		{cell(20021, 13135, 1, 30021), cell(20022, 13135, 2, 30022)},
		{cell(20031, 13135, 1, 30031), cell(20032, 13300, 0, 30032), cell(20033, 13300, 0, 30033)},
	}
}

func newWorld(t *testing.T, l *lane, isolate bool) *world {
	t.Helper()
	w := &world{t: t, lane: l, isolate: isolate}
	w.vty = dialSuiteVTY(t, l.addr)
	w.vty.prompt()
	w.vty.do("enable")
	c, err := net.Dial("tcp4", netip.AddrPortFrom(l.addr, 4263).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	w.ctrl = c
	_, _ = c.Write([]byte{0, 1, 0xfe, 6}) // IPA's ID ACK, which such clients send first
	return w
}

// forget makes the gateway begin anew, as the suite does before each case.
func (w *world) forget() {
	w.t.Helper()
	for _, nsei := range []int{101, 102} {
		w.vty.do(fmt.Sprintf("nsvc nsei %d force-unconfigured", nsei))
	}
	for _, nsei := range []int{2001, 2002, 2003} {
		w.vty.do(fmt.Sprintf("nsvc nsei %d force-unconfigured", nsei))
		w.vty.do(fmt.Sprintf("delete-gbproxy-peer %d only-bvc", nsei))
	}
}

// startSGSNs opens the SGSNs: the first endpoint is for signalling, the second
// for data.
func (w *world) startSGSNs(cells [][]suiteCell) {
	w.t.Helper()
	var all []suiteCell
	for _, c := range cells {
		all = append(all, c...)
	}
	gw := netip.AddrPortFrom(w.lane.addr, 23000)
	w.sgsn = nil
	for i, ports := range [][]uint16{{7777, 7770}, {8888, 8880}} {
		n := &nse{name: fmt.Sprintf("SGSN %d", i), nsei: uint16(101 + i), sgsn: true, gw: gw, cells: all}
		w.sgsn = append(w.sgsn, newNSE(w.t, n, w.lane.addr, ports, [][2]byte{{1, 0}, {0, 1}}))
	}
}

// startBSS opens a BSS with so many endpoints and lets it begin.
func (w *world) startBSS(i, endpoints int, cells []suiteCell) *nse {
	w.t.Helper()
	n := &nse{name: fmt.Sprintf("BSS %d", i), nsei: uint16(2001 + i), gw: netip.AddrPortFrom(w.lane.addr, 24000), cells: cells}
	var ports []uint16
	var weights [][2]byte
	for k := range endpoints {
		ports, weights = append(ports, uint16(21010+10*i+k)), append(weights, [2]byte{1, 1})
	}
	newNSE(w.t, n, w.lane.addr, ports, weights)
	n.size()
	w.bss = append(w.bss, n)
	return n
}

// peers are all of them.
func (w *world) peers() []*nse { return append(append([]*nse(nil), w.sgsn...), w.bss...) }

// bringUp begins a case: all BVCs are unblocked on both sides.
func (w *world) bringUp() {
	w.t.Helper()
	cells := suiteCells()
	w.startSGSNs(cells)
	w.forget()
	w.sgsnsUp()
	for i, c := range cells {
		w.startBSS(i, 1, c)
	}
	w.allUnblocked()
	for _, n := range w.peers() {
		n.tested()
	}
	w.begin()
}

// begin forgets what belonged to the bring-up.
func (w *world) begin() {
	w.t.Helper()
	w.fence()
	for _, n := range w.peers() {
		n.clear()
	}
}

// sgsnsUp waits until both SGSNs have had their signalling BVC reset.
func (w *world) sgsnsUp() {
	w.t.Helper()
	for _, s := range w.sgsn {
		s.wantMgmt("22 04820000 078108")
	}
}

// allUnblocked waits until the CTRL interface says so of every BVC.
func (w *world) allUnblocked() {
	w.t.Helper()
	for _, s := range w.sgsn {
		w.unblocked(s.nsei, 0)
		for _, b := range w.bss {
			w.unblocked(b.nsei, 0)
			for _, c := range b.cells {
				w.unblocked(s.nsei, c.bvci)
				w.unblocked(b.nsei, c.bvci)
			}
		}
	}
}

func (w *world) unblocked(nsei, bvci uint16) {
	w.t.Helper()
	got := ""
	for end := time.Now().Add(suitePatience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = w.state(nsei, bvci); got == "UNBLOCKED" {
			return
		}
	}
	w.t.Fatalf("NSE %d BVC %d is %s", nsei, bvci, got)
}

// state asks for a BVC's state as the suite does.
func (w *world) state(nsei, bvci uint16) string {
	w.t.Helper()
	name := fmt.Sprintf("fsm.BSSGP-BVC.id.NSE%05d-BVC%05d.state", nsei, bvci)
	answer := w.ask("GET 7 " + name)
	if state, ok := strings.CutPrefix(answer, "GET_REPLY 7 "+name+" "); ok {
		return state
	}
	return answer
}

// ask exchanges one message of the CTRL interface (IPA, protocol 0xee, 0x00).
func (w *world) ask(line string) string {
	w.t.Helper()
	_ = w.ctrl.SetDeadline(time.Now().Add(suitePatience))
	b := append(binary.BigEndian.AppendUint16(nil, uint16(1+len(line))), 0xee, 0)
	if _, err := w.ctrl.Write(append(b, line...)); err != nil {
		w.t.Fatal(err)
	}
	for {
		if text := w.hear(); !strings.HasPrefix(text, "TRAP ") { // as the suite does
			return text
		}
	}
}

// hear reads one message of the CTRL interface.
func (w *world) hear() string {
	w.t.Helper()
	head := make([]byte, 4)
	if _, err := io.ReadFull(w.ctrl, head); err != nil {
		w.t.Fatal(err)
	}
	text := make([]byte, binary.BigEndian.Uint16(head)-1)
	if _, err := io.ReadFull(w.ctrl, text); err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// fence sends marks along every path, user data and signalling, both ways.
// What was sent before and not heard until all marks are through, does not
// come.
func (w *world) fence() {
	w.t.Helper()
	w.fences++
	var alive []*nse
	for _, b := range w.bss {
		if !b.dead {
			alive = append(alive, b)
		}
	}
	for i, s := range w.sgsn {
		if s.dead {
			continue
		}
		trace := fmt.Sprintf("40 2281fe 2182%04x", w.fences)
		s.send(0, trace)
		for _, b := range alive {
			b.wantMark(0, trace)
			m := subscriber(i, 0xfe0000+w.fences)
			for _, c := range b.cells {
				if w.state(b.nsei, c.bvci) != "UNBLOCKED" {
					continue
				}
				s.send(c.bvci, m.down("fe"))
				b.wantMark(c.bvci, m.down("fe"))
				b.send(c.bvci, m.up(c, "fe"))
				s.wantMark(c.bvci, m.up(c, "fe"))
			}
			if len(b.cells) == 0 {
				continue
			}
			up := m.discarded(b.cells[0].bvci)
			b.send(0, up)
			s.wantMark(0, up)
		}
	}
}

// wantMark waits for a mark, leaving the rest.
func (n *nse) wantMark(bvci uint16, pdu string) {
	n.t.Helper()
	want := heard{bvci: bvci, pdu: strings.ReplaceAll(pdu, " ", "")}.String()
	n.until("mark "+want, func() bool {
		for i, h := range n.inbox {
			if h.String() == want {
				n.inbox = append(n.inbox[:i:i], n.inbox[i+1:]...)
				return true
			}
		}
		return false
	})
}

// idle makes sure that nobody got anything more.
func (w *world) idle() {
	w.t.Helper()
	w.fence()
	for _, n := range w.peers() {
		n.wantNothing()
	}
}

// suiteVTY is a bare telnet client.
type suiteVTY struct {
	t *testing.T
	c net.Conn
	r *bufio.Reader
	// enter ends a line.
	enter string
}

func dialSuiteVTY(t *testing.T, addr netip.Addr) *suiteVTY {
	t.Helper()
	c, err := net.Dial("tcp4", netip.AddrPortFrom(addr, 4246).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &suiteVTY{t, c, bufio.NewReader(c), "\r\n"}
}

// suitePrompt is each prompt of the configured hostname.
var suitePrompt = regexp.MustCompile(`(?:^|\n)OsmoGbProxy(?:> |# |\([a-z-]+\)# )$`)

// prompt reads up to the next one and returns what stood before it, without
// telnet's negotiation (three octets from 0xff on).
func (v *suiteVTY) prompt() string {
	v.t.Helper()
	_ = v.c.SetReadDeadline(time.Now().Add(suitePatience))
	var text []byte
	for {
		b, err := v.r.ReadByte()
		if err != nil {
			v.t.Fatalf("VTY: %v after %q", err, text)
		}
		switch b {
		case 0xff:
			_, _ = v.r.Discard(2)
		case '\r':
		default:
			text = append(text, b)
		}
		if v.r.Buffered() == 0 && suitePrompt.Match(text) {
			return string(text)
		}
	}
}

// do types a line; the answer must not be an error of the parser.
func (v *suiteVTY) do(line string) string {
	v.t.Helper()
	if _, err := io.WriteString(v.c, line+v.enter); err != nil {
		v.t.Fatal(err)
	}
	out := v.prompt()
	for _, bad := range []string{"% Unknown command", "% Ambiguous", "% Command incomplete"} {
		if strings.Contains(out, bad) {
			v.t.Fatalf("%s: %s", line, out)
		}
	}
	return out
}
