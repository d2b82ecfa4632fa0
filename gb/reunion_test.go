package gb_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"poolgw/gb"
	"poolgw/lab"
	"poolgw/lab/simnet"
	"poolgw/nri"
	"poolgw/ns"
)

// After a network has lost or delayed whatever it likes, at whatever moment of the
// bring-up, the gateway and its peers come together again: between a simulated BSS
// and two simulated SGSNs, of which one end has the faults.

const (
	reunionNSEI = 2001
	// reunionWithin is how long they may take from when the network is whole: the
	// longest way is an NS-VC that dies of its test procedure, begins anew, and a
	// BVC procedure that has just begun to back off (T2 of 10 s: 20, 40 s …).
	reunionWithin = 90 * time.Second
)

// reunionWay is how the end that has the faults is linked.
type reunionWay struct {
	name  string
	sgsn  bool // the end is SGSN 101, else the BSS
	link  lab.Link
	nse   *ns.NSEConfig // as the gateway has it; nil: dynamic
	taken bool          // the SGSN takes peers that it does not know

	differ bool // the peers' timers of NS are not the gateway's
}

func reunionWays() []reunionWay {
	static := func(remote netip.AddrPort) []ns.VCConfig {
		return []ns.VCConfig{{Link: ns.LinkUDP, Remote: remote, SigWeight: 1, DataWeight: 1}}
	}
	numbered := func(remote netip.AddrPort, nsvci uint16) []ns.VCConfig {
		v := static(remote)
		v[0].NSVCI, v[0].HasNSVCI = nsvci, true
		return v
	}
	bss, sgsn := bssAddr(reunionNSEI), sgsnAddr(101)
	return []reunionWay{
		{name: "BSS, ip.access", link: lab.Link{Dialect: ns.DialectIPAccess, NSVCI: 2001}},
		{name: "BSS, ip.access, configured", link: lab.Link{Dialect: ns.DialectIPAccess, NSVCI: 2001},
			nse: &ns.NSEConfig{NSEI: reunionNSEI, Dialect: ns.DialectIPAccess, VCs: numbered(bss, 2001)}},
		{name: "BSS, IP-SNS", link: lab.Link{Dialect: ns.DialectSNS}},
		{name: "BSS, static", link: lab.Link{Dialect: ns.DialectStaticAlive},
			nse: &ns.NSEConfig{NSEI: reunionNSEI, Dialect: ns.DialectStaticAlive, VCs: static(bss)}},
		{name: "SGSN, ip.access", sgsn: true, taken: true, nse: &ns.NSEConfig{NSEI: 101, Dialect: ns.DialectIPAccess, VCs: numbered(sgsn, 101)}},
		{name: "SGSN, IP-SNS", sgsn: true, taken: true, nse: &ns.NSEConfig{NSEI: 101, Dialect: ns.DialectSNS, SNSBinds: []string{"sgsn"}, SNSRemotes: []netip.AddrPort{sgsn}}},
		{name: "SGSN, static", sgsn: true, link: lab.Link{NSEI: 101, Dialect: ns.DialectStaticAlive},
			nse: &ns.NSEConfig{NSEI: 101, Dialect: ns.DialectStaticAlive, VCs: static(sgsn)}},
	}
}

// config is the gateway's; SGSN 102 always is static, and so is the end without
// faults.
func (w *reunionWay) config() gb.Config {
	c := config(2)
	c.NS.Timers[ns.TnsTest], c.NS.Timers[ns.TnsAlive], c.NS.Timers[ns.TnsAliveRetries] = 1, 1, 5
	c.NS.Binds[1].AcceptIPAccess = true
	for i := range c.NS.NSEs {
		c.NS.NSEs[i] = ns.NSEConfig{NSEI: uint16(101 + i), Dialect: ns.DialectStaticAlive,
			VCs: []ns.VCConfig{{Link: ns.LinkUDP, Bind: "sgsn", Remote: sgsnAddr(uint16(101 + i)), SigWeight: 1, DataWeight: 1}}}
	}
	if w.nse == nil {
		return c
	}
	n, bind := *w.nse, "bss"
	if w.sgsn {
		c.NS.NSEs, bind = c.NS.NSEs[1:], "sgsn"
	}
	for i := range n.VCs {
		n.VCs[i].Bind = bind
	}
	c.NS.NSEs = append(c.NS.NSEs, n)
	return c
}

// ends are the two addresses between which the faults are.
func (w *reunionWay) ends() (gw, peer netip.AddrPort) {
	if w.sgsn {
		return sgsnSide, sgsnAddr(101)
	}
	return bssSide, bssAddr(reunionNSEI)
}

type reunion struct {
	t     *testing.T
	way   *reunionWay
	net   *simnet.Network
	gw    *gb.Gateway
	bss   *lab.BSS
	sgsns []*lab.SGSN
	begin time.Time
}

// reunite starts all and runs f in virtual time.
func (w *reunionWay) reunite(t *testing.T, seed uint64, judge func(simnet.Packet) simnet.Fate, f func(r *reunion)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &reunion{t: t, way: w, net: simnet.New(seed, simnet.Faults{Delay: time.Millisecond}), begin: time.Now()}
		r.net.Judge(judge)
		defer r.stop()
		r.start(seed)
		f(r)
	})
}

func (r *reunion) start(seed uint64) {
	cfg := r.way.config()
	timers, reg := cfg.NS.Timers, lab.NewRegister(5, nil)
	if r.way.differ {
		timers[ns.TnsTest], timers[ns.TnsAlive] = []uint16{1, 10, 30}[seed%3], uint16(1+seed%2)
		timers[ns.TnsAliveRetries], timers[ns.TnsReset], timers[ns.TnsBlock] = uint16(1+seed%7), uint16(1+seed%4), uint16(1+seed%5)
	}
	r.gw = gb.New(gb.Options{Network: r.net, Workers: 2})
	r.must(r.gw.Start(cfg))
	for i := range 2 {
		nsei := uint16(101 + i)
		c := lab.SGSNConfig{NSEI: nsei, Listen: []netip.AddrPort{sgsnAddr(nsei)}, Timers: &timers, Network: r.net, Register: reg,
			NRI: nri.Set{nri.Single(nri.V(3 + i))}, Seed: seed, T3312: 20 * time.Second,
			Links: []lab.Link{{NSEI: nsei, Dialect: ns.DialectStaticAlive, Remotes: []netip.AddrPort{sgsnSide}}}}
		if r.way.sgsn && i == 0 && r.way.taken {
			c.Links, c.Dynamic = nil, true
		}
		r.sgsns = append(r.sgsns, lab.NewSGSN(c))
		r.must(r.sgsns[i].Start())
	}
	link := r.way.link
	if r.way.sgsn {
		link = lab.Link{Dialect: ns.DialectIPAccess, NSVCI: reunionNSEI}
	}
	link.NSEI, link.Remotes = reunionNSEI, []netip.AddrPort{bssSide}
	c := lab.BSSConfig{NSEI: reunionNSEI, Listen: []netip.AddrPort{bssAddr(reunionNSEI)}, Timers: &timers, Network: r.net, Register: reg, Link: link, Seed: seed,
		FlowControl: 3 * time.Second, Subscribers: 4, FirstID: 1, Behaviour: lab.Behaviour{Data: time.Second, LostAfter: 2 * time.Second, Retry: 3 * time.Second, Backoff: 5 * time.Second}}
	for n := range 2 {
		c.Cells = append(c.Cells, lab.Cell{BVCI: uint16(20011 + n), RAI: [6]byte{0x62, 0xf2, 0x24, 0x33, 0x4f, byte(n)}, CI: uint16(n)})
	}
	r.bss = lab.NewBSS(c)
	r.must(r.bss.Start())
}

func (r *reunion) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reunion) stop() {
	if r.bss != nil {
		r.bss.Stop()
	}
	for _, s := range r.sgsns {
		s.Stop()
	}
	r.gw.Stop()
	r.net.Close()
	synctest.Wait()
}

// apart tells what is not as it should be; empty: they are together.
func (r *reunion) apart() string {
	if t := r.bss.Truth(); t.Up != t.Cells || t.FlowAcked != t.Cells {
		return fmt.Sprintf("BSS: %d of %d cells up, %d flow controls acknowledged, %+v", t.Up, t.Cells, t.FlowAcked, t.BSS)
	}
	for _, s := range r.sgsns {
		if t := s.Truth(); t.Cells != 2 || t.Peers < 1 {
			return fmt.Sprintf("SGSN %d: %d peers, %d cells", t.NSEI, t.Peers, t.Cells)
		}
	}
	s, err := r.gw.Snapshot(r.t.Context())
	r.must(err)
	for _, m := range s.Pool.SGSNs {
		if why := unblockedAll(m.BVCs, 3); !m.Up || why != "" {
			return fmt.Sprintf("the gateway's SGSN %d: up %v, %s", m.NSEI, m.Up, why)
		}
	}
	if len(s.BSSs) != 1 || !s.BSSs[0].Alive {
		return fmt.Sprintf("the gateway's BSSs: %+v", s.BSSs)
	}
	own := s.BSSs[0].BVCs
	if len(own) > 0 && own[0].BVCI == 0 && own[0].State == "UNBLOCKED" {
		own = own[1:] // a BSS that has not noticed that it was away has no reason to reset it
	}
	if why := unblockedAll(own, 2); why != "" {
		return "the gateway's BSS: " + why
	}
	return ""
}

func unblockedAll(list []gb.BVCState, n int) string {
	if len(list) != n {
		return fmt.Sprintf("%d BVCs", len(list))
	}
	for _, b := range list {
		if b.State != "UNBLOCKED" {
			return fmt.Sprintf("BVC %d %s", b.BVCI, b.State)
		}
	}
	return ""
}

// together waits until all is as it should be, and that it stays so and carries
// user data; it returns how long it took.
func (r *reunion) together(what string) time.Duration {
	r.t.Helper()
	healed := time.Now()
	why := r.apart()
	for ; why != "" && time.Since(healed) < reunionWithin; why = r.apart() {
		time.Sleep(time.Second)
	}
	took := time.Since(healed)
	if why != "" {
		r.t.Errorf("%s: not together %v after: %s", what, took, why)
		return took
	}
	time.Sleep(30 * time.Second)
	before := r.bss.Truth()
	time.Sleep(30 * time.Second)
	if why := r.apart(); why != "" {
		r.t.Errorf("%s: together after %v, but not a minute later: %s", what, took, why)
	}
	if after := r.bss.Truth(); after.MS.Echoed < before.MS.Echoed+60 || after.MS.Lost != before.MS.Lost || after.States["registered"] < 4-after.States["updating"] {
		r.t.Errorf("%s: subscribers are not served: %+v, then %+v", what, before, after)
	}
	return took
}

// step is one datagram of an undisturbed bring-up.
type step struct {
	n      int // it is the n-th in its direction
	up     bool
	octets string
}

func (s step) String() string {
	dir := "to the peer"
	if s.up {
		dir = "from the peer"
	}
	return fmt.Sprintf("datagram %d %s, %s", s.n, dir, s.octets)
}

// steps records a bring-up, keepalives and flow control of some seconds included.
func (w *reunionWay) steps(t *testing.T) (list []step) {
	t.Helper()
	gw, peer := w.ends()
	var count [2]int
	w.reunite(t, 1, func(p simnet.Packet) simnet.Fate {
		up := p.Src == peer && p.Dst == gw
		if up || p.Src == gw && p.Dst == peer {
			i := 0
			if up {
				i = 1
			}
			list = append(list, step{count[i], up, fmt.Sprintf("% x", p.Payload[:min(len(p.Payload), 12)])})
			count[i]++
		}
		return simnet.Fate{}
	}, func(r *reunion) { r.together("undisturbed") })
	return list
}

// fault is what happens to one datagram and those after it.
type fault struct {
	name  string
	delay time.Duration // of the datagram; 0: it is lost
	lasts time.Duration // … and so is what follows in its direction, so long
	both  bool          // … and in the other
}

var stepFaults = []fault{
	{"lost", 0, 0, false},
	{"12 s late", 12 * time.Second, 0, false},
	{"45 s late", 45 * time.Second, 0, false},
	{"lost with all that follows for 4 s", 0, 4 * time.Second, false},
	{"lost with all that follows for 9 s", 0, 9 * time.Second, false},
	{"lost with all that follows for 60 s", 0, 60 * time.Second, false},
	{"lost with all in both directions for 5 s", 0, 5 * time.Second, true},
	{"lost with all in both directions for 10 s", 0, 10 * time.Second, true},
	{"lost with all in both directions for 60 s", 0, 60 * time.Second, true},
	{"5 s late with all that follows for 8 s", 5 * time.Second, 8 * time.Second, false},
}

// strike makes the judge that has the fault happen at the step; healed is when it
// is over, in nanoseconds since begin, 0 before it has begun.
func (w *reunionWay) strike(at step, f fault, healed *atomic.Int64) func(simnet.Packet) simnet.Fate {
	gw, peer := w.ends()
	var count [2]int
	var from time.Time
	return func(p simnet.Packet) simnet.Fate {
		up := p.Src == peer && p.Dst == gw
		if !up && (p.Src != gw || p.Dst != peer) {
			return simnet.Fate{}
		}
		i := 0
		if up {
			i = 1
		}
		hit := up == at.up && count[i] == at.n
		count[i]++
		if hit {
			from = p.Time
			healed.Store(p.Time.Add(max(f.lasts, f.delay)).UnixNano())
		}
		if hit || !from.IsZero() && p.Time.Sub(from) < f.lasts && (f.both || up == at.up) {
			return simnet.Fate{Lost: f.delay == 0, Delay: f.delay}
		}
		return simnet.Fate{}
	}
}

// TestReunionStepByStep has each fault happen at each step; of these runs every
// third, unless POOLGW_REUNIONS asks for more.
func TestReunionStepByStep(t *testing.T) {
	stride := 3
	if os.Getenv("POOLGW_REUNIONS") != "" {
		stride = 1
	}
	for _, w := range reunionWays() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			var longest time.Duration
			list := thin(w.steps(t))
			worst := ""
			for i, f := range stepFaults {
				for k, s := range list {
					if (i+k)%stride != 0 {
						continue
					}
					var healed atomic.Int64
					w.reunite(t, 1, w.strike(s, f, &healed), func(r *reunion) {
						for healed.Load() == 0 {
							time.Sleep(100 * time.Millisecond)
						}
						time.Sleep(time.Until(time.Unix(0, healed.Load())))
						if d := r.together(fmt.Sprint(s, " ", f.name)); d > longest {
							longest, worst = d, fmt.Sprint(s, " ", f.name)
						}
					})
				}
			}
			t.Logf("%d datagrams; together %v after at the latest: %s", len(list), longest, worst)
		})
	}
}

// thin keeps the first two datagrams of each kind, of user data the first.
func thin(list []step) (kept []step) {
	seen := map[string]int{}
	for _, s := range list {
		k, most := fmt.Sprint(s.up, s.octets[:min(len(s.octets), 2)]), 2
		if strings.HasPrefix(s.octets, "00") && len(s.octets) > 14 { // type and control bits of NS, BVCI, type of BSSGP
			k = fmt.Sprint(s.up, s.octets[:14])
			if s.octets[12:14] < "02" {
				most = 1
			}
		}
		if seen[k]++; seen[k] <= most {
			kept = append(kept, s)
		}
	}
	return kept
}

// TestReunionByChance loses, repeats and delays at random for some minutes, by up
// to a minute, and cuts one direction or both for a while now and then.
func TestReunionByChance(t *testing.T) {
	for _, w := range reunionWays() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			w.differ = true
			var longest time.Duration
			var worst uint64
			for seed := range uint64(reunionSeeds(t)) {
				var healed atomic.Bool
				var latest atomic.Int64
				w.reunite(t, seed, w.weather(seed, &healed, &latest), func(r *reunion) {
					time.Sleep(time.Duration(60+seed*7%60) * time.Second)
					healed.Store(true)
					time.Sleep(time.Until(time.Unix(0, latest.Load())))
					if d := r.together(fmt.Sprint("seed ", seed)); d > longest {
						longest, worst = d, seed
					}
				})
			}
			t.Logf("together %v after at the latest: seed %d", longest, worst)
		})
	}
}

// reunionSeeds is how many runs there are of each way; POOLGW_REUNIONS makes it
// more.
func reunionSeeds(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("POOLGW_REUNIONS"), "10"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// weather makes a judge that changes its mind every few seconds about what each
// direction does: nothing, loses some or all, delays some or all. latest is when
// the last that is late comes, in nanoseconds.
func (w *reunionWay) weather(seed uint64, healed *atomic.Bool, latest *atomic.Int64) func(simnet.Packet) simnet.Fate {
	gw, peer := w.ends()
	rng := rand.New(rand.NewPCG(seed, 23))
	type sky struct {
		until      time.Time
		loss, late float64
		by         time.Duration
	}
	var skies [2]sky
	return func(p simnet.Packet) simnet.Fate {
		up := p.Src == peer && p.Dst == gw
		if healed.Load() || !up && (p.Src != gw || p.Dst != peer) {
			return simnet.Fate{}
		}
		x := &skies[0]
		if up {
			x = &skies[1]
		}
		if !p.Time.Before(x.until) {
			x.until = p.Time.Add(time.Duration(rng.Int64N(int64(15 * time.Second))))
			x.loss = []float64{0, 0, 0.1, 0.5, 1}[rng.IntN(5)]
			x.late = []float64{0, 0, 0.1, 0.5, 1}[rng.IntN(5)]
			x.by = time.Duration(rng.Int64N(int64([]time.Duration{time.Second, 10 * time.Second, time.Minute}[rng.IntN(3)])))
		}
		f := simnet.Fate{Lost: rng.Float64() < x.loss}
		if rng.Float64() < x.late {
			f.Delay = time.Duration(float64(x.by) * rng.Float64())
			latest.Store(max(latest.Load(), p.Time.Add(f.Delay).UnixNano()))
		}
		return f
	}
}
