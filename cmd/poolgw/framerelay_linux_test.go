package main

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"poolgw/lab"
	"poolgw/lab/frline"
	"poolgw/lab/tshark"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

// A whole gateway with Frame Relay on both sides. Lines are devices whose frames
// the test carries; the other ends are the lab's. Q.933 and its frames are
// judged by tshark.

const frConfig = `log stderr
 logging level lglobal info
line vty
 no login
 bind 127.0.0.1 VTY
ctrl
 bind 127.0.0.1 CTRL
gbproxy
 nri bitlen 10
sgsn nsei 101
 nri add 1 341
sgsn nsei 102
 nri add 342 682
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 2
 bind fr core
  fr hdlc0 fr
 bind fr ran
  fr hdlc2 frnet
 bind frgre tunnel
  frgre listen 127.0.0.5
 bind udp ip
  listen 127.0.0.5 23000
 nse 101
  nsvc fr hdlc0 dlci 16 nsvci 501
  nsvc fr hdlc0 dlci 17 nsvci 502
 nse 102
  nsvc udp ip 127.0.0.6 23000
 nse 2001
  nsvc fr hdlc2 dlci 16 nsvci 601
  nsvc fr hdlc2 dlci 17 nsvci 602
 nse 2002
  nsvc frgre tunnel 127.0.0.7 dlci 16 nsvci 701
  nsvc frgre tunnel 127.0.0.7 dlci 17 nsvci 702
 nse 2003
  nsvc udp ip 127.0.0.8 23000
`

// frRing is the gateway, its lines and its peers.
type frRing struct {
	t         *testing.T
	gw        *process
	c         *vty.Client
	core, ran *frline.Wire
	sgsns     []*lab.SGSN
	bsss      []*lab.BSS
	gre       *sniffer
}

const frSubscribers = 8 // at each BSS

func newFRRing(t *testing.T) *frRing {
	t.Helper()
	r := &frRing{t: t, gre: newSniffer(t)}
	r.core, r.ran = join(t, "hdlc0", "hdlc1"), join(t, "hdlc2", "hdlc3")
	port := freePort(t, "tcp")
	text := strings.NewReplacer("VTY", fmt.Sprint(port), "CTRL", fmt.Sprint(freePort(t, "tcp"))).Replace(frConfig)
	r.makeLab()
	for _, s := range r.sgsns {
		r.begin(s)
	}
	r.gw = start(t, "-c", writeFile(t, text))
	r.gw.running(t)
	r.c = dialVTY(t, port)
	r.until("the SGSNs are up", 30*time.Second, "show ns nsei 101", "FR, ALIVE")
	for _, b := range r.bsss {
		r.begin(b)
	}
	return r
}

func (r *frRing) begin(s interface {
	Start() error
	Stop()
}) {
	r.t.Helper()
	if err := s.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(s.Stop)
}

func join(t *testing.T, a, b string) *frline.Wire {
	t.Helper()
	w, err := frline.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func (r *frRing) makeLab() {
	reg, timers := lab.NewRegister(10, nil), ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest], timers[ns.TnsAliveRetries] = 1, 1, 2
	at := netip.MustParseAddrPort
	gateway := []netip.AddrPort{at("127.0.0.5:23000")}
	for i, c := range []lab.SGSNConfig{
		{Links: []lab.Link{{NSEI: 101, Dialect: ns.DialectStaticResetBlock, Line: "hdlc1", NetworkSide: true, NSVCI: 501}}},
		{Listen: []netip.AddrPort{at("127.0.0.6:23000")}, Links: []lab.Link{{NSEI: 102, Dialect: ns.DialectStaticAlive, Remotes: gateway}}},
	} {
		c.NSEI, c.Timers, c.Network, c.Register, c.Seed = uint16(101+i), &timers, &ns.KernelUDP{}, reg, uint64(i)
		c.NRI = nri.Set{{First: nri.V(1 + 341*i), Last: nri.V(341 + 341*i)}}
		r.sgsns = append(r.sgsns, lab.NewSGSN(c))
	}
	for i, c := range []lab.BSSConfig{
		{Link: lab.Link{Dialect: ns.DialectStaticResetBlock, Line: "hdlc3", NSVCI: 601}},
		{Listen: []netip.AddrPort{at("127.0.0.7:0")}, Link: lab.Link{Dialect: ns.DialectStaticResetBlock, NSVCI: 701, Remotes: gateway}},
		{Listen: []netip.AddrPort{at("127.0.0.8:23000")}, Link: lab.Link{Dialect: ns.DialectStaticAlive, Remotes: gateway}},
	} {
		nsei := uint16(2001 + i)
		c.NSEI, c.Timers, c.Network, c.Register, c.Seed = nsei, &timers, &ns.KernelUDP{}, reg, uint64(nsei)
		c.FlowControl, c.Subscribers, c.FirstID = time.Second, frSubscribers, uint32(1+frSubscribers*i)
		c.Cells = []lab.Cell{{BVCI: nsei, RAI: [6]byte{0x62, 0xf2, 0x24, 0x10, byte(i), 1}, CI: nsei}}
		c.Behaviour = lab.Behaviour{Data: 200 * time.Millisecond, Start: 500 * time.Millisecond, OldPTMSI: 0.5, Retry: time.Second}
		r.bsss = append(r.bsss, lab.NewBSS(c))
	}
}

// served wants every BSS's subscribers to have n more echoes within d, and
// subscribers at both SGSNs.
func (r *frRing) served(n uint64, d time.Duration) {
	r.t.Helper()
	var before []lab.MSCounters
	for _, b := range r.bsss {
		before = append(before, b.Truth().MS)
	}
	ok := func() bool {
		for i, b := range r.bsss {
			if b.Truth().MS.Echoed < before[i].Echoed+n {
				return false
			}
		}
		return r.sgsns[0].Truth().Registered > 0 && r.sgsns[1].Truth().Registered > 0
	}
	for end := time.Now().Add(d); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			for _, b := range r.bsss {
				r.t.Errorf("%d: %+v", b.Truth().NSEI, b.Truth().MS)
			}
			r.t.Fatalf("not served within %v\n%s\nlog\n%s", d, r.run("show ns"), lastOf(r.gw.err.String()))
		}
	}
	for _, b := range r.bsss {
		if m := b.Truth().MS; m.WrongSGSN+m.Unintelligible != 0 {
			r.t.Errorf("%d: %+v", b.Truth().NSEI, m)
		}
	}
}

func lastOf(s string) string { return s[max(0, len(s)-4000):] }

func (r *frRing) run(cmd string) string {
	r.t.Helper()
	out, err := r.c.Run(cmd)
	if err != nil {
		r.t.Fatal(cmd, err)
	}
	return out
}

func (r *frRing) wantShow(cmd string, parts ...string) {
	r.t.Helper()
	out := r.run(cmd)
	for _, p := range parts {
		if !strings.Contains(out, p) {
			r.t.Errorf("%s lacks %q:\n%s", cmd, p, out)
		}
	}
}

// Facts: G1.1-05, G1.7-09
func TestFrameRelay(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	r := newFRRing(t)
	r.served(50, 60*time.Second)
	r.wantShow("show ns", "NSEI 00101: FR, ALIVE", "NSVCI 00501: UNBLOCKED PERSIST fr)netif: hdlc0 dlci: 16 ALIVE",
		"NSVCI 00701: UNBLOCKED PERSIST frgre)[127.0.0.5]<701>[127.0.0.7] dlci: 16 ALIVE",
		"FR bind: hdlc0, role: USER, link: UP\n    NSVCI 00501: fr)netif: hdlc0 dlci: 16",
		"FR Network: N391 6, N392 3, N393 4", "FR Link 'hdlc2': Role NETWORK, LastRxSeq ", "  FR DLC 00017: ACTIVE",
		"FRGRE bind: 127.0.0.5 DSCP: 0")
	judgeLine(t, "core", r.core.Frames())
	judgeLine(t, "ran", r.ran.Frames())
	judgeGRE(t, r.gre.packets())
}

// A line that is cut, and a device that goes and comes back: the others are
// served on, and all are again.
// Facts: G1.7-04, G1.7-06
func TestFrameRelayLineLost(t *testing.T) {
	if !frline.InNamespace(t) {
		return
	}
	if testing.Short() {
		t.Skip("takes a minute and a half")
	}
	r := newFRRing(t)
	r.served(20, 60*time.Second)
	r.ran.Cut(true)
	r.until("the cut line's BSS is down", 10*time.Second, "show ns nsei 2001", "NSEI 02001: FR, DEAD") // NS-ALIVE sees it first
	r.until("the link is down", 60*time.Second, "show ns nsei 2001", "UNCONFIGURED")
	r.wantShow("show ns nsei 2002", "ALIVE")
	r.ran.Cut(false)
	r.served(20, 60*time.Second)
	if err := frline.SetUp("hdlc2", false); err != nil {
		t.Fatal(err)
	}
	r.until("the device is down", 5*time.Second, "show ns binds", "FR bind: hdlc2, role: NETWORK, link: DOWN")
	r.until("its NS-VCs are unconfigured", time.Second, "show ns nsei 2001", "UNCONFIGURED")
	if err := frline.SetUp("hdlc2", true); err != nil {
		t.Fatal(err)
	}
	r.served(20, 60*time.Second)
}

func (r *frRing) until(what string, d time.Duration, cmd, text string) {
	r.t.Helper()
	for end := time.Now().Add(d); !strings.Contains(r.run(cmd), text); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s\n%s\nlog\n%s", d, what, r.run("show ns"), lastOf(r.gw.err.String()))
		}
	}
}

// frTold are the preferences that have tshark dissect NS in frames.
var frTold = []string{"-o", "fr.encap:GPRS Network Service"}

// judgeLine has tshark judge the frames of a line: LMI of both sides with the
// right numbers, NS and BSSGP, and nothing to complain of but what is broken
// here.
func judgeLine(t *testing.T, name string, frames [][]byte) {
	t.Helper()
	broken := [][]byte{{0, 1, 3, 8, 0, 0x75, 0x51}, {4, 1, 2, 0, 0x81}} // STATUS ENQUIRY, NS-RESET cut short
	judged := tshark.DissectLink(t, tshark.LinkFrameRelay, append(frames, broken...), frTold,
		"fr.dlci", "q933.message_type", "q933.report_type", "q933.link_verification.txseq", "q933.dlci", "nsip.pdu_type", "bssgp.pdu_type")
	seen := map[string]int{}
	for i, f := range judged {
		if bad := f.Malformed || f.Expert != ""; bad != (i >= len(frames)) && !wholesome(f) {
			t.Errorf("%s %x: %s %q", name, append(frames, broken...)[i], f.Protocols, f.Expert)
		}
		if i >= len(frames) {
			continue
		}
		seen[f.Protocols]++
		if f.Field("fr.dlci") == "0" {
			seen["lmi "+f.Field("q933.message_type")+" "+f.Field("q933.report_type")+" "+f.Field("q933.dlci")]++
		}
		seen["ns "+f.Field("nsip.pdu_type")+" on "+f.Field("fr.dlci")]++
	}
	t.Logf("%s: %v", name, seen)
	for _, want := range []string{"lmi 0x75 0 ", "lmi 0x7d 0 16,17", "ns 0x02 on 16", "ns 0x03 on 17", "ns 0x06 on 16",
		"ns 0x00 on 16", "ns 0x00 on 17", "ns 0x0a on 17"} {
		if seen[want] == 0 {
			t.Errorf("%s: tshark saw no %q", name, want)
		}
	}
}

// wholesome tells expert messages that are about the lab's LLC, not about frames.
func wholesome(f tshark.Frame) bool { return !f.Malformed && strings.Contains(f.Protocols, "llcgprs") }

// judgeGRE has tshark judge packets: GRE with Frame Relay in it, NS in that.
func judgeGRE(t *testing.T, packets [][]byte) {
	t.Helper()
	judged := tshark.DissectLink(t, tshark.LinkRaw, packets, frTold, "gre.proto", "fr.dlci", "nsip.pdu_type")
	seen := map[string]int{}
	for i, f := range judged {
		if (f.Malformed || f.Expert != "") && !wholesome(f) {
			t.Errorf("%x: %s %q", packets[i], f.Protocols, f.Expert)
		}
		seen[strings.Join([]string{f.Field("gre.proto"), f.Field("fr.dlci"), f.Field("nsip.pdu_type")}, " ")]++
	}
	t.Logf("GRE: %v", seen)
	for _, want := range []string{"0x6559 16 0x02", "0x6559 17 0x03", "0x6559 16 0x00", "0x6559 17 0x00"} {
		if seen[want] == 0 {
			t.Errorf("tshark saw no %q", want)
		}
	}
}

// sniffer keeps the GRE packets of the namespace, with their IPv4 headers.
type sniffer struct {
	mu  sync.Mutex
	all [][]byte
}

func newSniffer(t *testing.T) *sniffer {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_GRE)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100000})
	s, stop, done := &sniffer{}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 65536); ; {
			n, _, err := unix.Recvfrom(fd, buf, 0)
			select {
			case <-stop:
				unix.Close(fd)
				return
			default:
			}
			if err == nil {
				s.mu.Lock()
				s.all = append(s.all, append([]byte(nil), buf[:n]...))
				s.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return s
}

func (s *sniffer) packets() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.all...)
}
