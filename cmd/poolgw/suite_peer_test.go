package main

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
)

// The peers of the suite: an SGSN or a BSS ("PCU") on IP-SNS or static NS, of
// UDP sockets and octets written by hand from TS 48.016 and TS 48.018. Nothing
// of them is shared with the gateway.

// suitePatience is how long something may take that must happen.
const suitePatience = 10 * time.Second

// endpoint is a peer's end of an NS-VC with its weights in SNS-CONFIG.
type endpoint struct {
	write     func(pdu []byte) // to the gateway
	at        netip.AddrPort   // on UDP
	sig, data byte
}

// heard is a BSSGP PDU that a peer got: hex, and the endpoint by number.
type heard struct {
	bvci uint16
	pdu  string
	on   int
}

func (h heard) String() string { return fmt.Sprintf("%d:%s", h.bvci, h.pdu) }

// suiteCell is a cell: its BVC, and its Cell Identifier in hex.
type suiteCell struct {
	bvci uint16
	id   string
}

// nse is a peer.
type nse struct {
	t      *testing.T
	name   string
	nsei   uint16
	sgsn   bool
	static bool     // NS without SNS
	nsvcis []uint16 // with NS-RESET and NS-UNBLOCK
	gw     netip.AddrPort
	eps    []*endpoint
	cells  []suiteCell // an SGSN: those that it may be told of

	mu      sync.Mutex
	up      bool         // the SNS procedures are through
	opened  int          // NS-VCs that the gateway has unblocked
	acked   map[int]bool // endpoints that heard NS-ALIVE-ACK
	dead    bool         // answers nothing
	inbox   []heard
	mgmt    []string // BVC management PDUs, in hex
	strange []string // what no peer should get
}

// newNSE opens the sockets, one for each pair of weights.
func newNSE(t *testing.T, n *nse, addr netip.Addr, ports []uint16, weights [][2]byte) *nse {
	t.Helper()
	n.t, n.acked = t, map[int]bool{}
	var conns []*net.UDPConn
	for i, port := range ports {
		at := netip.AddrPortFrom(addr, port)
		c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		write := func(pdu []byte) { _, _ = c.WriteToUDPAddrPort(pdu, n.gw) }
		n.eps = append(n.eps, &endpoint{write: write, at: at, sig: weights[i][0], data: weights[i][1]})
	}
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() { n.read(i, c) })
	}
	t.Cleanup(func() {
		for _, c := range conns {
			c.Close()
		}
		wg.Wait()
	})
	return n
}

func (n *nse) read(i int, c *net.UDPConn) {
	buf := make([]byte, 65536)
	for {
		k, from, err := c.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && k > 0 && from == n.gw {
			n.take(i, buf[:k])
		}
	}
}

// nsHex writes an NS PDU.
func (n *nse) nsHex(on int, format string, args ...any) {
	b, err := hex.DecodeString(strings.ReplaceAll(fmt.Sprintf(format, args...), " ", ""))
	if err != nil {
		panic(err)
	}
	n.eps[on].write(b)
}

// endpoints is the list of IPv4 elements, TS 48.016 10.3.2c.
func (n *nse) endpoints() string {
	s := ""
	for _, e := range n.eps {
		s += fmt.Sprintf("%x%04x%02x%02x", e.at.Addr().As4(), e.at.Port(), e.sig, e.data)
	}
	return fmt.Sprintf("05%02x%s", 0x80|len(s)/2, s)
}

// size begins the SNS procedures of a BSS, TS 48.016 7.4b; the one endpoint of
// the gateway makes as many NS-VCs as we have endpoints.
func (n *nse) size() {
	n.nsHex(0, "12 0482%04x 0a01 07%04x 08%04x", n.nsei, len(n.eps), len(n.eps))
}

// take is an NS PDU.
func (n *nse) take(on int, b []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead {
		return
	}
	pdu := hex.EncodeToString(b)
	switch own := fmt.Sprintf("0482%04x", n.nsei); {
	case pdu == "0a":
		n.nsHex(on, "0b")
	case pdu == "0b":
		n.acked[on] = true
		n.up = n.up || n.static
	case len(n.nsvcis) > 0 && pdu == fmt.Sprintf("020081010182%04x", n.nsvcis[on])+own:
		n.nsHex(on, "030182%04x%s", n.nsvcis[on], own)
	case len(n.nsvcis) > 0 && pdu == "06":
		n.nsHex(on, "07")
		n.opened++
		n.up = true
	case b[0] == 0 && len(b) > 4:
		if n.up {
			n.unitdata(on, uint16(b[2])<<8|uint16(b[3]), pdu[8:])
		}
	case n.sgsn && len(b) == 13 && strings.HasPrefix(pdu, "12"+own+"0a0107") && strings.HasSuffix(pdu, "080001"):
		n.up = false // begins anew
		n.nsHex(on, "13%s", own)
	case !n.sgsn && pdu == "13"+own:
		n.nsHex(on, "0f01%s%s", own, n.endpoints())
	case pdu == "0f01"+own+fmt.Sprintf("0588%x%04x0101", n.gw.Addr().As4(), n.gw.Port()):
		n.nsHex(on, "10%s", own)
		if n.sgsn {
			n.nsHex(on, "0f01%s%s", own, n.endpoints())
		} else {
			n.begin()
		}
	case pdu == "10"+own:
		if n.sgsn && !n.up {
			n.up = true
			n.test()
		}
	default:
		n.strange = append(n.strange, "NS "+pdu)
	}
}

// begin resets the signalling BVC of a BSS, TS 48.018 8.4.
func (n *nse) begin() {
	if !n.up {
		n.up = true
		n.test()
		n.send(0, "22 04820000 078108")
	}
}

// test sends NS-ALIVE on every NS-VC that has not answered one.
func (n *nse) test() {
	for i := range n.eps {
		if !n.acked[i] {
			n.nsHex(i, "0a")
		}
	}
}

// tested waits until every NS-VC has answered NS-ALIVE, which is repeated every
// second (TS 48.016 7.4).
func (n *nse) tested() {
	n.t.Helper()
	next := time.Now().Add(time.Second)
	n.until("NS-ALIVE-ACK on every NS-VC", func() bool {
		if now := time.Now(); now.After(next) {
			next = now.Add(time.Second)
			n.test()
		}
		return len(n.acked) == len(n.eps)
	})
}

// unitdata is a BSSGP PDU. Signalling must come on an endpoint of signalling
// weight, the rest on one of data weight.
func (n *nse) unitdata(on int, bvci uint16, pdu string) {
	if e := n.eps[on]; bvci == 0 && e.sig == 0 || bvci != 0 && e.data == 0 {
		n.strange = append(n.strange, fmt.Sprintf("BVCI %d on endpoint %d of weights %d, %d: %s", bvci, on, e.sig, e.data, pdu))
	}
	switch typ := pdu[:2]; {
	case typ >= "20" && typ <= "25":
		n.mgmt = append(n.mgmt, pdu)
		if bvci != 0 || len(pdu) < 10 || pdu[2:6] != "0482" {
			n.strange = append(n.strange, fmt.Sprintf("BVCI %d: %s", bvci, pdu))
			return
		}
		n.manage(typ, pdu[2:10], pdu[10:])
	case typ == "26" && n.sgsn: // flow control is acknowledged at once
		n.inbox = append(n.inbox, heard{bvci, pdu, on})
		n.send(bvci, "27"+pdu[2:8])
	default:
		n.inbox = append(n.inbox, heard{bvci, pdu, on})
	}
}

// manage answers BVC management and follows the rules of who names the cell
// (TS 48.018 10.4.8 to 10.4.13): the BSS's side does in RESET and RESET-ACK of a
// PTP BVC, nobody else.
func (n *nse) manage(typ, bvci, rest string) {
	id := "0888" + n.cellID(bvci)
	switch named := strings.Contains(rest, "0888"); typ {
	case "22", "23":
		if bvci != "04820000" && named != n.sgsn || bvci == "04820000" && named || named && !n.knows(bvci, rest) {
			n.strange = append(n.strange, "cell of "+typ+bvci+rest)
		}
	}
	switch {
	case typ == "22" && (n.sgsn || bvci == "04820000"):
		n.send(0, "23"+bvci)
	case typ == "22":
		n.send(0, "23"+bvci+id)
	case typ == "20" && n.sgsn:
		n.send(0, "21"+bvci)
	case typ == "24" && n.sgsn:
		n.send(0, "25"+bvci)
	}
	if (typ == "22" || typ == "23") && bvci == "04820000" && !n.sgsn {
		for _, c := range n.cells { // all PTP BVCs follow
			n.send(0, fmt.Sprintf("22 0482%04x 078108 0888%s", c.bvci, c.id))
		}
	}
}

// knows tells whether a PDU names a cell that has this BVCI.
func (n *nse) knows(bvci, rest string) bool {
	for _, c := range n.cells {
		if bvci == fmt.Sprintf("0482%04x", c.bvci) && strings.Contains(rest, "0888"+c.id) {
			return true
		}
	}
	return false
}

func (n *nse) cellID(bvci string) string {
	for _, c := range n.cells {
		if bvci == fmt.Sprintf("0482%04x", c.bvci) {
			return c.id
		}
	}
	return ""
}

// send sends a BSSGP PDU on the first endpoint that may carry it.
func (n *nse) send(bvci uint16, pdu string) {
	for i, e := range n.eps {
		if bvci == 0 && e.sig > 0 || bvci != 0 && e.data > 0 {
			n.nsHex(i, "0000%04x%s", bvci, pdu)
			return
		}
	}
}

// until waits for what ok finds under the lock.
func (n *nse) until(what string, ok func() bool) {
	n.t.Helper()
	for end := time.Now().Add(suitePatience); ; time.Sleep(200 * time.Microsecond) {
		n.mu.Lock()
		found := ok()
		n.mu.Unlock()
		if found {
			return
		}
		if time.Now().After(end) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.t.Fatalf("%s: %s does not come; heard %v, management %v, strange %v", n.name, what, n.inbox, n.mgmt, n.strange)
		}
	}
}

// want waits for the next PDU, which must be this one.
func (n *nse) want(bvci uint16, pdu string) {
	n.t.Helper()
	want := heard{bvci: bvci, pdu: strings.ReplaceAll(pdu, " ", "")}
	n.until(want.String(), func() bool { return len(n.inbox) > 0 })
	n.mu.Lock()
	defer n.mu.Unlock()
	got := n.inbox[0]
	n.inbox = n.inbox[1:]
	if got.String() != want.String() {
		n.t.Fatalf("%s got %s, want %s", n.name, got, want)
	}
}

// wantMgmt waits for a BVC management PDU that begins so and takes it away.
func (n *nse) wantMgmt(prefix string) {
	n.t.Helper()
	prefix = strings.ReplaceAll(prefix, " ", "")
	n.until(prefix, func() bool {
		for i, m := range n.mgmt {
			if strings.HasPrefix(m, prefix) {
				n.mgmt = append(n.mgmt[:i:i], n.mgmt[i+1:]...)
				return true
			}
		}
		return false
	})
}

// pending tells whether a PDU waits to be taken.
func (n *nse) pending() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.inbox) > 0
}

// clear forgets what was heard.
func (n *nse) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inbox, n.mgmt = nil, nil
}

// wantNothing fails when something was heard that nobody has taken.
func (n *nse) wantNothing() {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.inbox)+len(n.mgmt)+len(n.strange) > 0 {
		n.t.Errorf("%s: heard %v, management %v, strange %v", n.name, n.inbox, n.mgmt, n.strange)
		n.inbox, n.mgmt, n.strange = nil, nil, nil
	}
}

// die stops all answers.
func (n *nse) die() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = true
}
