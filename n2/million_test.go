package n2

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"poolgw/ngap"
)

// raceDetector is set where it is on.
var raceDetector bool

// crowd is a gateway with gNBs, AMFs and UEs that are bound, over associations
// that take everything.
type crowd struct {
	gw   *Gateway
	gnbs []*gnb
	ues  int // of each gNB
	amfs int
}

func newCrowd(gnbs, amfs int) *crowd {
	c := &crowd{gw: New(Options{}), amfs: amfs}
	for i := 1; i <= amfs; i++ {
		c.gw.cfg.AMFs = append(c.gw.cfg.AMFs, AMF{ID: uint8(i), Capacity: -1, AllowAttach: true})
	}
	c.gw.publish()
	for i := 1; i <= gnbs; i++ {
		g := newGNB(c.gw, uint32(i), "ran", "memory", &sink{})
		g.state = gnbUp
		for id, m := range c.gw.members {
			l := &leg{m: m, state: legUp}
			l.link = g.newLink(&sink{}, l, "memory")
			g.legs[id] = l
		}
		c.gnbs = append(c.gnbs, g)
		c.gw.gnbs[g.serial] = g
	}
	return c
}

// bind binds n UEs at each gNB, as Initial UE Message and the first answer do,
// with a 5G-S-TMSI each.
func (c *crowd) bind(n int, now time.Time) {
	for ran := c.ues; ran < c.ues+n; ran++ {
		for i, g := range c.gnbs {
			number := uint32(i*65536 + ran)
			id := identity{known: true, stmsi: ngap.STMSI{Set: 1, Pointer: uint8(ran % c.amfs), TMSI: number * 0x9E3779B1}}
			u := g.enter(ue{ran: uint32(ran), member: uint8(1 + ran%c.amfs), flags: hasTMSI, guami: id.guami(), tmsi: id.stmsi.TMSI, since: now.UnixNano()})
			c.gw.affinity.pin(id.key(), u.member, now)
			g.learnID(u, ref{u.member, uint64(number)})
		}
	}
	c.ues += n
}

// pass relays a PDU of some UE up or down.
func (c *crowd) pass(rng *rand.Rand, p *ngap.PDU, now time.Time) {
	i, ran := rng.IntN(len(c.gnbs)), rng.IntN(c.ues)
	g, member := c.gnbs[i], uint8(1+ran%c.amfs)
	id := uint64(i*65536 + ran)
	in, l := inbounds.Get().(*inbound), (*leg)(nil)
	in.link = g.ran
	p.New(ngap.CodeUplinkNASTransport, ngap.Initiating)
	if rng.IntN(2) == 0 {
		l = g.legs[member]
		in.link = l.link
		p.New(ngap.CodeDownlinkNASTransport, ngap.Initiating)
	} else {
		id |= uint64(member) << 32
	}
	var v [32]byte
	amf := ngap.AppendAMFUENGAPID(v[:0], id)
	p.Add(ngap.IEAMFUENGAPID, ngap.Reject, amf)
	p.Add(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(amf[len(amf):], uint32(ran)))
	p.Add(ngap.IENASPDU, ngap.Reject, someNAS)
	in.b = p.Append(in.b[:0])
	g.receive(in, l, now)
	in.release()
}

var someNAS = ngap.AppendOctets(nil, append([]byte{0x7e, 2}, make([]byte, 62)...))

// passed is how many PDUs went on, and how many did not.
func (c *crowd) passed() (on, lost uint64) {
	a := c.gw.Conservation()
	for _, n := range a.Dropped {
		lost += n
	}
	return a.ToGNB + a.ToAMF, lost
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Octets of live heap per bound UE: what an operator reckons with, and what this
// code is to stay below.
const (
	mustPerUE = 250
	aimPerUE  = 150
)

// A million bound UEs over 1,000 gNBs and 8 AMFs: memory of each, and pauses of
// the garbage collector while 10,000 PDUs a second pass. In short mode a tenth.
func TestMillionUEs(t *testing.T) {
	gnbs, each, length := 1000, 1000, 3*time.Second
	if testing.Short() || raceDetector {
		gnbs, length = 100, time.Second
	}
	now := time.Now()
	before := liveHeap()
	c := newCrowd(gnbs, 8)
	nodes := liveHeap()
	c.bind(each, now)
	bound := liveHeap()
	n := uint64(gnbs * each)
	perUE := float64(bound-nodes) / float64(n)
	t.Logf("| N2, live heap of a bound UE, %d UEs | | %.0f octets; a gNB with 8 AMFs %d | | must %d, aim %d |", n, perUE, (nodes-before)/uint64(gnbs), mustPerUE, aimPerUE)
	if perUE > aimPerUE {
		t.Errorf("%.0f octets of live heap per bound UE: the aim is %d, %d at most", perUE, aimPerUE, mustPerUE)
	}
	for _, every := range []time.Duration{0, 200 * time.Millisecond} {
		w := c.passFor(length, every)
		if on, lost := c.passed(); on-w.before != w.sent || lost != 0 {
			t.Errorf("of %d PDUs %d went on, %d were dropped", w.sent, on-w.before, lost)
		}
		t.Logf("a collection every %v: %.0f PDUs/s, %v", every, float64(w.sent)/w.took.Seconds(), w)
		if p := w.pauses[total]; every > 0 {
			t.Logf("| N2, pauses of the collector among these, %.0f PDUs/s | | %d: p99 %v, at most %v (until the threads have stopped %v) | | aim 1 ms |",
				float64(w.sent)/w.took.Seconds(), p.n, p.p99, p.most, w.pauses[stopping].most)
		}
	}
	runtime.KeepAlive(c)
}

// watch is what PDUs and the collector did for a while.
type watch struct {
	before, sent uint64
	took         time.Duration
	pdus         []time.Duration    // what each PDU took, sorted
	pauses       map[string]*pauses // by what is measured
}

// What the run time tells of pauses: until all threads have stopped, which on a busy
// machine wait for their turn first, and until they go on.
const stopping, total = "/sched/pauses/stopping/gc:seconds", "/sched/pauses/total/gc:seconds"

func (w *watch) String() string {
	n := len(w.pdus)
	return fmt.Sprintf("%d pauses: p99 %v, at most %v, of which stopping %v, %v; a PDU takes p50 %v, p99 %v, p99.9 %v, at most %v",
		w.pauses[total].n, w.pauses[total].p99, w.pauses[total].most, w.pauses[stopping].p99, w.pauses[stopping].most,
		w.pdus[n/2], w.pdus[n*99/100], w.pdus[n*999/1000], w.pdus[n-1])
}

type pauses struct {
	n         uint64
	p99, most time.Duration // upper bounds of buckets
}

// passFor has 10,000 PDUs a second pass, with a collection now and then; 0: none.
func (c *crowd) passFor(length, every time.Duration) *watch {
	rng, pdu := rand.New(rand.NewPCG(1, 2)), new(ngap.PDU)
	w := &watch{pdus: make([]time.Duration, 0, length/(50*time.Microsecond)), pauses: map[string]*pauses{}}
	w.before, _ = c.passed()
	debug.FreeOSMemory()
	if every == 0 {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	was := map[string]*metrics.Float64Histogram{stopping: readPauses(stopping), total: readPauses(total)}
	collect := time.NewTicker(cmp.Or(every, time.Hour))
	defer collect.Stop()
	start := time.Now()
	for now := start; now.Sub(start) < length; now = time.Now() {
		for due := uint64(now.Sub(start) / (100 * time.Microsecond)); w.sent < due; w.sent++ {
			begin := time.Now()
			c.pass(rng, pdu, now)
			w.pdus = append(w.pdus, time.Since(begin))
		}
		select {
		case <-collect.C:
			go runtime.GC()
		default:
			time.Sleep(100 * time.Microsecond)
		}
	}
	w.took = time.Since(start)
	for name, h := range was {
		w.pauses[name] = pausesSince(name, h)
	}
	slices.Sort(w.pdus)
	return w
}

func readPauses(name string) *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

// pausesSince is how often the world stood still since was, and for how long.
func pausesSince(name string, was *metrics.Float64Histogram) *pauses {
	is, p := readPauses(name), &pauses{}
	for i := range is.Counts {
		is.Counts[i] -= was.Counts[i]
		p.n += is.Counts[i]
	}
	seen := uint64(0)
	for i, n := range is.Counts {
		if seen += n; n == 0 {
			continue
		}
		top := is.Buckets[i+1]
		if math.IsInf(top, 1) {
			top = is.Buckets[i]
		}
		if p.most = time.Duration(top * float64(time.Second)); p.p99 == 0 && seen*100 >= p.n*99 {
			p.p99 = p.most
		}
	}
	return p
}
