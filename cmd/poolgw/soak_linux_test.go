package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/lab"
	"poolgw/nri"
	"poolgw/ns"
)

// The soak: eight SGSNs, fifty BSSs of ten cells each and a thousand subscribers
// around one gateway, while random peers die, come back, and come back from other
// addresses.
const (
	soakSGSNs = 8
	soakBSSs  = 50
	soakCells = 10 // of each BSS
	soakCrowd = 20 // of each BSS
)

const soakConfig = `log stderr
 logging level set-all error
 logging level lns notice
line vty
 no login
 bind 127.0.0.1 VTY
ctrl
 bind 127.0.0.1 CTRL
metrics
 bind 127.0.0.1 WEB
 pprof
gbproxy
 nri bitlen 10
ns
 timer tns-test 1
 timer tns-alive 1
 timer tns-alive-retries 5
 bind udp core
  listen CORE
 bind udp ran
  listen RAN
  accept-ipaccess
  accept-dynamic-ip-sns
 ip-sns-default bind ran
`

// soakBehaviour makes some 700 echoes a second.
var soakBehaviour = lab.Behaviour{Start: 5 * time.Second, Data: 1500 * time.Millisecond, LostAfter: 4 * time.Second, OldPTMSI: 0.5,
	Leave: 90 * time.Second, NewSIM: 0.3, Move: 30 * time.Second, Suspend: 90 * time.Second, Away: 3 * time.Second, Retry: 3 * time.Second, Backoff: 5 * time.Second}

// soak is the network.
type soak struct {
	t     *testing.T
	l     *ledger
	ports []netip.AddrPort // the gateway's
	gw    *process
	web   int
	sgsns []*lab.SGSN
	bsss  []*lab.BSS
	rng   *rand.Rand
	due   []revival
	count map[string]int // of what was done to peers
}

// revival is when a peer that was killed comes back.
type revival struct {
	at    time.Time
	start func() error
	sgsn  bool
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, l: newLedger(), web: freePort(t, "tcp"), rng: rand.New(rand.NewPCG(1, 2)), count: map[string]int{}}
	t.Cleanup(s.l.close)
	core, ran := loopbackAt(freePort(t, "udp")), loopbackAt(freePort(t, "udp"))
	s.ports = []netip.AddrPort{core, ran}
	spaced := func(a netip.AddrPort) string { return strings.ReplaceAll(a.String(), ":", " ") }
	text := strings.NewReplacer("VTY", strconv.Itoa(freePort(t, "tcp")), "CTRL", strconv.Itoa(freePort(t, "tcp")), "WEB", strconv.Itoa(s.web),
		"CORE", spaced(core), "RAN", spaced(ran)).Replace(soakConfig)
	reg, timers := lab.NewRegister(10, nil), ns.DefaultTimers()
	timers[ns.TnsAlive], timers[ns.TnsTest], timers[ns.TnsAliveRetries] = 1, 1, 5
	for i := range soakSGSNs {
		nsei, own := uint16(101+i), nri.Range{First: nri.V(1 + 100*i), Last: nri.V(100 * (i + 1))}
		c := lab.SGSNConfig{NSEI: nsei, Listen: freeAddr(t), Timers: &timers, Network: s.l, Register: reg, NRI: nri.Set{own}, Seed: uint64(i),
			Dynamic: i%2 == 1, T3312: 20 * time.Second, Page: time.Second}
		text += fmt.Sprintf(" nse %d\n", nsei)
		if c.Dynamic {
			text += fmt.Sprintf("  ip-sns-bind core\n  ip-sns-remote %s\n", spaced(c.Listen[0]))
		} else {
			text += fmt.Sprintf("  nsvc udp core %s\n", spaced(c.Listen[0]))
			c.Links = []lab.Link{{NSEI: nsei, Dialect: ns.DialectStaticAlive, Remotes: []netip.AddrPort{core}}}
		}
		text += fmt.Sprintf("sgsn nsei %d\n nri add %s\nns\n", nsei, own.VTY())
		s.sgsns = append(s.sgsns, lab.NewSGSN(c))
	}
	for i := range soakBSSs {
		nsei := uint16(2001 + i)
		c := lab.BSSConfig{NSEI: nsei, Listen: freeAddr(t), Timers: &timers, Network: s.l, Register: reg, Seed: uint64(nsei), FlowControl: 3 * time.Second,
			Link:        lab.Link{Dialect: []ns.Dialect{ns.DialectIPAccess, ns.DialectSNS}[i%2], NSVCI: nsei, Remotes: []netip.AddrPort{ran}},
			Subscribers: soakCrowd, FirstID: uint32(1 + i*soakCrowd), Behaviour: soakBehaviour}
		for n := range soakCells {
			c.Cells = append(c.Cells, lab.Cell{BVCI: uint16(1000 + 10*i + n), RAI: [6]byte{0x62, 0xf2, 0x24, 0x20, byte(i), byte(n / 2)}, CI: uint16(n)})
		}
		s.bsss = append(s.bsss, lab.NewBSS(c))
	}
	s.gw = start(t, "-c", writeFile(t, text))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(tail(s.gw.err.String()))
		}
	})
	time.Sleep(time.Second)
	for _, x := range s.sgsns {
		s.must(x.Start())
		t.Cleanup(x.Stop)
	}
	for _, x := range s.bsss {
		s.must(x.Start())
		t.Cleanup(x.Stop)
	}
	return s
}

func (s *soak) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// whole waits until every cell of every BSS is unblocked at it and at every SGSN,
// and nearly everybody is registered.
func (s *soak) whole() {
	s.t.Helper()
	begin, last := time.Now(), ""
	defer func() { s.t.Logf("whole after %v; before that: %s", time.Since(begin).Round(time.Second), last) }()
	within(s.t, 2*time.Minute, func() (why string) {
		defer func() { last = cmp.Or(why, last) }()
		for _, x := range s.bsss {
			if t := x.Truth(); t.Up != t.Cells || t.FlowAcked != t.Cells {
				return fmt.Sprintf("%+v", t)
			}
		}
		registered := 0
		for _, x := range s.sgsns {
			t := x.Truth()
			if t.Cells != soakBSSs*soakCells {
				return fmt.Sprintf("SGSN %d has %d cells", t.NSEI, t.Cells)
			}
			registered += t.Registered
		}
		if registered < soakBSSs*soakCrowd*80/100 {
			return fmt.Sprint(registered, " are registered")
		}
		return ""
	})
}

// turn does something to a peer, once a second: a BSS dies for some seconds, or
// comes at once from another address; every eighth time it is an SGSN that dies or
// restarts.
func (s *soak) turn(n int) {
	s.revive(time.Now())
	down := 2 + s.rng.IntN(6)
	back := time.Now().Add(time.Duration(down) * time.Second)
	if n%8 == 7 {
		x := s.sgsns[s.rng.IntN(len(s.sgsns))]
		switch {
		case slices.ContainsFunc(s.due, func(r revival) bool { return r.sgsn }):
		case s.rng.IntN(3) == 0:
			s.count["SGSN restarted"]++
			s.must(x.Restart())
		default:
			s.count["SGSN died"]++
			x.Stop()
			s.due = append(s.due, revival{back, x.Start, true})
		}
		return
	}
	x := s.bsss[s.rng.IntN(len(s.bsss))]
	switch running := x.Truth().Running; {
	case !running:
	case s.rng.IntN(3) == 0:
		s.count["BSS moved"]++
		s.must(x.Reconnect(freeAddr(s.t)))
	default:
		s.count["BSS died"]++
		x.Stop()
		s.due = append(s.due, revival{back, x.Start, false})
	}
}

func (s *soak) revive(now time.Time) {
	s.due = slices.DeleteFunc(s.due, func(r revival) bool {
		if r.at.After(now) {
			return false
		}
		s.must(r.start())
		return true
	})
}

// size is what a process must not lose.
type size struct{ goroutines, descriptors, live, resident float64 }

func (z size) String() string {
	return fmt.Sprintf("%v goroutines, %v descriptors, %.1f MB live, %.1f MB resident", z.goroutines, z.descriptors, z.live/1e6, z.resident/1e6)
}

// grownFrom tells whether there is more than chance makes. What is live is known to the
// octet and is some 12 MB with all subscribers; what is resident depends on when the
// collector ran, twice what was live and as much again.
func (z size) grownFrom(a size) bool {
	return z.goroutines > a.goroutines+4 || z.descriptors > a.descriptors+4 || z.live > a.live*1.25+3e6 || z.resident > a.resident*2+32e6
}

// userDrops are the reasons for which the gateway drops user data, and nothing
// else here; mixedDrops those for which it drops other PDUs too; mixedBindDrops those
// for which it drops datagrams of any kind: what a BSS sent before it moved may be
// read after it has.
var (
	userDrops      = []string{"pool_down", "no_bvc_at_sgsn", "bvc_blocked", "cell_inactive", "nse_down"}
	mixedDrops     = []string{"bvci_unknown"}
	mixedBindDrops = []string{"unknown_remote", "blocked"}
)

// figures are what the gateway counts at one moment.
type figures struct {
	size
	drops uint64 // of user data
	mixed uint64 // of user data or others
	text  string
}

func (s *soak) figures() (f figures) {
	s.t.Helper()
	f.text = s.read("/metrics")
	f.size = size{f.sum("go_goroutines"), f.sum("process_open_fds"), f.sum("go_gc_heap_live_bytes"), f.sum("process_resident_memory_bytes")}
	const pdus, datagrams = `poolgw_gb_dropped_pdus_total\{`, `poolgw_gb_bind_dropped_datagrams_total\{bind="\w+",`
	f.drops, f.mixed = f.dropped(pdus, userDrops), f.dropped(pdus, mixedDrops)+f.dropped(datagrams, mixedBindDrops)
	return f
}

func (s *soak) read(path string) string {
	s.t.Helper()
	return webText(s.t, s.web, path)
}

// webText is what is at a path of a metrics port.
func webText(t *testing.T, port int, path string) string {
	t.Helper()
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// held is what the gateway has, with the octets of heap that are in use after its
// garbage was collected, twice for what has finalizers.
func (s *soak) held() figures {
	s.t.Helper()
	s.read("/debug/pprof/heap?gc=1&debug=1")
	profile := figures{text: s.read("/debug/pprof/heap?gc=1&debug=1")}
	f := s.figures()
	if f.live = profile.sum("# HeapAlloc ="); f.live == 0 {
		s.t.Fatal("the profile does not tell the heap in use")
	}
	return f
}

func (f *figures) dropped(series string, reasons []string) (n uint64) {
	for _, r := range reasons {
		n += uint64(f.sum(series + `reason="` + r + `"\}`))
	}
	return n
}

// sum adds the series whose names match.
func (f *figures) sum(name string) (total float64) {
	for _, m := range regexp.MustCompile(`(?m)^`+name+` (\S+)$`).FindAllStringSubmatch(f.text, -1) {
		v, _ := strconv.ParseFloat(m[1], 64)
		total += v
	}
	return total
}

// lost is user data that was sent and has not arrived: the least of several
// looks, for some is always under way.
func (s *soak) lost() (least uint64) {
	least = 1 << 63
	for range 200 {
		arrived := s.l.arrived.up.Load() + s.l.arrived.down.Load()
		least = min(least, s.l.sent.up.Load()+s.l.sent.down.Load()-arrived)
		time.Sleep(5 * time.Millisecond)
	}
	return least
}

// slow is how many datagrams the kernel dropped because somebody did not read
// them in time.
func (s *soak) slow() uint64 { return kernelDrops(s.t, append(s.l.addrs(), s.ports...)...) }

// TestSoak goes on for a minute, or as long as POOLGW_SOAK says. Peers count what
// they sent and got: no PDU comes to a wrong one, what is missing the gateway has
// counted as dropped, and when nobody dies nothing is missing. It gets no bigger.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := newSoak(t)
	end := time.Now().Add(soakTime(t) - 20*time.Second)
	s.whole()
	before := s.held()
	t.Logf("before: %v", before.size)
	for n := 0; time.Now().Before(end) || n < 16; n++ {
		s.turn(n)
		if n%60 == 59 {
			f := s.figures()
			t.Logf("after %d s: %v; %d drops of user data", n+1, f.size, f.drops)
		}
		time.Sleep(time.Second)
	}
	s.revive(time.Now().Add(time.Hour))
	s.whole()
	time.Sleep(5 * time.Second)
	calm := s.figures()
	time.Sleep(10 * time.Second)
	after := s.held()
	for _, x := range s.bsss {
		x.Stop()
	}
	time.Sleep(500 * time.Millisecond)
	s.books(&calm)
	s.peers()
	if after.grownFrom(before.size) {
		t.Errorf("the gateway has grown")
	}
	t.Logf("after: %v; %v", after.size, s.count)
	if t.Failed() {
		for line := range strings.Lines(after.text) {
			if regexp.MustCompile(`^poolgw_gb_(bind_)?dropped_.* [1-9][0-9]*\n`).MatchString(line) {
				t.Log(line)
			}
		}
	}
}

// books checks that what was sent has arrived, or was counted as dropped.
func (s *soak) books(calm *figures) {
	s.t.Helper()
	lost, slow, now := s.lost(), s.slow(), s.figures()
	s.t.Logf("user data: %d up, %d down sent, %d arrived for the dead, %d missing; the gateway dropped %d, and %d of this or others, the kernel %d datagrams of any kind",
		s.l.sent.up.Load(), s.l.sent.down.Load(), s.l.buried.up.Load()+s.l.buried.down.Load(), lost, now.drops, now.mixed, slow)
	if lost < now.drops || lost > now.drops+now.mixed+slow {
		s.t.Error("what was sent is not what arrived and what was dropped")
	}
	if now.drops != calm.drops && slow == 0 {
		s.t.Errorf("%d PDUs were dropped in calm", now.drops-calm.drops)
	}
}

// peers checks that nothing came to a wrong one.
func (s *soak) peers() {
	t := s.t
	t.Helper()
	var ms lab.MSCounters
	for _, x := range s.bsss {
		b := x.Truth()
		addFields(&ms, &b.MS)
		if n := b.BSS.WrongCell + b.BSS.UnknownBVC + b.BSS.Malformed; n != 0 {
			t.Errorf("BSS %d got what is not its own: %+v", b.NSEI, b.BSS)
		}
	}
	for _, x := range s.sgsns {
		if g := x.Truth(); g.SGSN.WrongSGSN+g.SGSN.Malformed != 0 {
			t.Errorf("SGSN %d got what is not its own: %+v %v", g.NSEI, g.SGSN, g.Strays)
		}
	}
	t.Logf("subscribers: %+v", ms)
	if ms.WrongSGSN+ms.Unintelligible != 0 || ms.Echoed < ms.Sent*8/10 {
		t.Error("subscribers were not served as they should")
	}
}
