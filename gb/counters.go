package gb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"poolgw/ns"
)

// CounterGroup describes the groups of counters of one kind, with the names and
// texts that osmo-gbproxy has for them. A group has an index and may have a name.
type CounterGroup struct {
	Name, Text string
	Level      string // global, peer
	Items      bool   // values that go up and down, not counters
	Counters   []Counter
}

// Counter describes one counter, or value with its unit.
type Counter struct{ Name, Text, Unit string }

// The groups of the gateway.
var (
	NSVCCounters   = &CounterGroup{Name: "ns:nsvc", Text: "NSVC Peer Statistics", Level: "peer", Counters: nsCounters}
	NSECounters    = &CounterGroup{Name: "ns:nse", Text: "NSE Peer Statistics", Level: "peer", Counters: nsCounters}
	PeerCounters   = &CounterGroup{Name: "gbproxy:peer", Text: "GBProxy Peer Statistics", Level: "peer", Counters: peerCounters}
	SGSNCounters   = &CounterGroup{Name: "gbproxy:sgsn", Text: "GBProxy SGSN Statistics", Level: "peer", Counters: sgsnCounters}
	GlobalCounters = &CounterGroup{Name: "gbproxy:global", Text: "GBProxy Global Statistics", Level: "global", Counters: globalCounters[none+1:]}
	NSVCItems      = &CounterGroup{Name: "ns.nsvc", Text: "NSVC Peer Statistics", Level: "peer", Items: true,
		Counters: []Counter{{"alive.delay", "ALIVE response time", "ms"}}}
	BindItems = &CounterGroup{Name: "ns.bind", Text: "NS Bind Statistics", Level: "peer", Items: true,
		Counters: []Counter{{"tx_backlog_length", "Transmit backlog length", "packets"}}}
)

// CounterGroups are all of them, in the order in which Counters visits them.
var CounterGroups = []*CounterGroup{NSVCCounters, NSECounters, PeerCounters, SGSNCounters, GlobalCounters, NSVCItems, BindItems}

var nsCounters = []Counter{
	{Name: "packets:in", Text: "Packets at NS Level  ( In)"}, {Name: "packets:out", Text: "Packets at NS Level  (Out)"},
	{Name: "packets:out:drop", Text: "Dropped Packets      (Out)"}, {Name: "bytes:in", Text: "Bytes at NS Level    ( In)"},
	{Name: "bytes:out", Text: "Bytes at NS Level    (Out)"}, {Name: "bytes:out:drop", Text: "Dropped Bytes        (Out)"},
	{Name: "blocked", Text: "NS-VC Block count"}, {Name: "unblocked", Text: "NS-VC Unblock count"},
	{Name: "dead", Text: "NS-VC gone dead count"}, {Name: "replaced", Text: "NS-VC replaced other count"},
	{Name: "nsei-chg", Text: "NS-VC changed NSEI count"}, {Name: "inv-nsvci", Text: "NS-VCI was invalid count"},
	{Name: "inv-nsei", Text: "NSEI was invalid count"}, {Name: "lost:alive", Text: "ALIVE ACK missing count"},
	{Name: "lost:reset", Text: "RESET ACK missing count"},
}

func nsValues(v []uint64, c *ns.Counters) []uint64 {
	return append(v, c.PacketsIn, c.PacketsOut, c.PacketsOutDrop, c.BytesIn, c.BytesOut, c.BytesOutDrop, c.Blocked,
		c.Unblocked, c.Dead, c.Replaced, c.NSEIChanged, c.InvalidNSVCI, c.InvalidNSEI, c.LostAlive, c.LostReset)
}

// moved comes last in the groups that have it.
var movedCounters = []Counter{
	{Name: "packets:in", Text: "BSSGP PDUs from the peer"}, {Name: "packets:out", Text: "BSSGP PDUs to the peer"},
	{Name: "bytes:in", Text: "Octets of BSSGP from the peer"}, {Name: "bytes:out", Text: "Octets of BSSGP to the peer"},
}

func (m moved) values(v []uint64) []uint64 {
	return append(v, m.fromPDUs, m.toPDUs, m.fromBytes, m.toBytes)
}

var peerCounters = append([]Counter{
	{Name: "blocked", Text: "BVC Block"}, {Name: "unblocked", Text: "BVC Unblock"},
	{Name: "dropped", Text: "BVC blocked, dropped packet"}, {Name: "inv-nsei", Text: "NSEI mismatch"},
	{Name: "tx-err", Text: "NS Transmission error"}, {Name: "fwd-sgsn-err", Text: "Could not forward packet to SGSN"},
	{Name: "fwd-bss-err", Text: "Could not forward packet to BSS"},
}, movedCounters...)

// tally is what is counted of one end of a BVC. It outlives the machine: what an
// SGSN or a BSS was sent before it failed still counts when it is back.
type tally struct {
	flows  flows
	drops  atomic.Uint64
	events bvcEvents
	label  string // "BVC00002-NSE02001"
}

// tallyOf finds or makes the tally of a BVC's end, toward an SGSN if m is set;
// that of a cell goes with the cell, of a signalling BVC with its peer.
func (g *Gateway) tallyOf(p *peer, m *member, c *cell, bvci uint16) *tally {
	at := &p.sigTally
	switch {
	case c != nil && c.tallies[p.nsei] != nil:
		return c.tallies[p.nsei]
	case c != nil:
		at = new(*tally)
	case m != nil:
		at = &m.sigTally
	}
	if *at == nil {
		*at = &tally{flows: newFlows(g.opt.Workers), label: fmt.Sprintf("BVC%05d-NSE%05d", bvci, p.nsei)}
	}
	if c != nil {
		c.tallies[p.nsei] = *at
	}
	return *at
}

// bvcEvents are what happens to a BVC, beside what it moves and drops.
type bvcEvents struct{ blocked, unblocked, invNSEI, txErr, fwdSGSN, fwdBSS atomic.Uint64 }

func (b *bvc) values(v []uint64) []uint64 {
	e := &b.events
	v = append(v, e.blocked.Load(), e.unblocked.Load(), b.drops.Load(), e.invNSEI.Load(), e.txErr.Load(), e.fwdSGSN.Load(), e.fwdBSS.Load())
	return b.flows.sum().values(v)
}

var sgsnCounters = append([]Counter{{Name: "restarts", Text: "Failures and signalling resets of an SGSN that was up"}}, movedCounters...)

// CounterQuery narrows what Counters visits; empty fields do not.
type CounterQuery struct {
	Group string
	Index *uint32
}

func (q CounterQuery) wants(g *CounterGroup, index uint32) bool {
	return (q.Group == "" || q.Group == g.Name) && (q.Index == nil || *q.Index == index)
}

// readings are what the loop hands over; the rest is read outside of it.
type readings struct {
	ns    ns.Readings
	bvcs  bvcsByNSE
	sgsns []sgsnReading
}

type sgsnReading struct {
	nsei     uint16
	name     string
	restarts uint64
	flows    flows
}

// Counters calls visit for every group of counters, those of one kind in a row;
// values stand in the order of its Counters and are valid during the call.
func (g *Gateway) Counters(ctx context.Context, q CounterQuery, visit func(group *CounterGroup, index uint32, name string, values []uint64)) error {
	var r readings
	if err := g.do(ctx, func(time.Time) { r = g.readings() }); err != nil {
		return err
	}
	var v []uint64
	tell := func(group *CounterGroup, index uint32, name string, values func([]uint64) []uint64) {
		if q.wants(group, index) {
			v = values(v[:0])
			visit(group, index, name, v)
		}
	}
	for i := range r.ns.VCs {
		c := &r.ns.VCs[i]
		tell(NSVCCounters, c.Index, c.ID, func(v []uint64) []uint64 { return nsValues(v, &c.Counters) })
	}
	for i := range r.ns.NSEs {
		tell(NSECounters, uint32(r.ns.NSEs[i].NSEI), "", func(v []uint64) []uint64 { return nsValues(v, &r.ns.NSEs[i].Counters) })
	}
	r.bvcs.each(func(b *bvc) { tell(PeerCounters, uint32(b.peer.nsei)<<16|uint32(b.bvci), b.label, b.values) })
	for _, s := range r.sgsns {
		tell(SGSNCounters, uint32(s.nsei), s.name, func(v []uint64) []uint64 { return s.flows.sum().values(append(v, s.restarts)) })
	}
	tell(GlobalCounters, 0, "", g.globals.values)
	for i := range r.ns.VCs {
		c := &r.ns.VCs[i]
		tell(NSVCItems, c.Index, c.ID, func(v []uint64) []uint64 { return append(v, uint64(c.AliveDelay/time.Millisecond)) })
	}
	for _, b := range r.ns.Binds {
		tell(BindItems, b.Index, b.Name, func(v []uint64) []uint64 { return append(v, uint64(b.Backlog)) })
	}
	return nil
}

// readings collects, in the loop, what has counters.
func (g *Gateway) readings() readings {
	r := readings{ns: g.stack.Readings(), bvcs: g.allBVCs()}
	for _, m := range g.directory.Load().members {
		r.sgsns = append(r.sgsns, sgsnReading{m.nsei, m.cfg.Name, m.restarts, m.flows})
	}
	return r
}

// allBVCs are the BVCs of the BSSs, then of the SGSNs, by NSEI, in no order
// within an NSE: who has left the loop sorts them.
func (g *Gateway) allBVCs() (list bvcsByNSE) {
	for _, p := range g.bssList() {
		list = append(list, appendBVCs(p.sig, p.bvcs))
	}
	for _, m := range g.directory.Load().members {
		list = append(list, appendBVCs(m.sig, m.bvcs))
	}
	return list
}

// bvcsByNSE are BVCs by the NSE they are of.
type bvcsByNSE [][]*bvc

// each calls f for every BVC, those of an NSE by BVCI.
func (l bvcsByNSE) each(f func(b *bvc)) {
	for _, of := range l {
		slices.SortFunc(of, func(a, b *bvc) int { return cmp.Compare(a.bvci, b.bvci) })
		for _, b := range of {
			f(b)
		}
	}
}

func appendBVCs(sig *bvc, ptp map[uint16]*bvc) []*bvc {
	list := make([]*bvc, 0, len(ptp)+1)
	if sig != nil {
		list = append(list, sig)
	}
	for _, b := range ptp {
		list = append(list, b)
	}
	return list
}
