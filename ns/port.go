package ns

import (
	"net/netip"
	"time"
)

// unitdataHeader is the length of the header of an NS-UNITDATA: type, SDU
// control bits, BVCI.
const unitdataHeader = 4

// Port is the sending side that a worker offers to the DataPath. It belongs to
// one goroutine. It and what it writes for every batch have cache lines of their own, so that
// the goroutines of two workers do not write each other's.
type Port struct {
	stack  *Stack
	bind   *bind // whose socket the goroutine reads
	worker int   // the number of workers: it reads what is no user data
	now    time.Time
	outs   []outBatch // by the slot of the bind that sends
	used   []int      // slots with something to send
	group  *Group     // what goes to the loop
	turn   uint32     // among signalling weights
	_      [20]byte
}

// outBatch collects what goes out of one bind's socket of this worker.
type outBatch struct {
	bind *bind
	conn writer
	msgs []Message
	vcs  []*VC
}

func newPort(s *Stack, b *bind, worker int) *Port {
	const slots = 8 // at first; those that no bind uses keep the batches from what is behind them
	return &Port{stack: s, bind: b, worker: worker, outs: make([]outBatch, 0, slots), used: make([]int, 0, slots)}
}

// Worker returns the worker's number, 0..Workers-1. Several Ports, of
// different goroutines, have the same: one for each bind.
func (p *Port) Worker() int { return p.worker }

// Now returns the time at which the worker's batch was read.
func (p *Port) Now() time.Time { return p.now }

// Forward queues the NS-UNITDATA dgram (with header; its SDU control bits are
// cleared, its BVCI kept) for nse by load sharing: BVCI plus lsp, the link
// selector parameter (the TLLI; 0 if there is none). It returns false, and
// counts, when the NSE has no NS-VC for it. dgram is not copied: it must stay
// as it is until the DataPath's batch has ended.
func (p *Port) Forward(nse *NSE, bvci uint16, lsp uint32, dgram []byte) bool {
	way := nse.share.Load().pick(bvci, lsp, &p.turn)
	if way == nil || len(dgram) < unitdataHeader {
		p.drop(DropDeadNSE)
		return false
	}
	if len(dgram) > way.mtu {
		p.drop(DropTooLong)
		return false
	}
	dgram[1] = 0
	p.queue(way.bind, way.vc, dgram)
	return true
}

func (p *Port) drop(why Drop) { p.bind.drops[p.worker].add(why) }

// queue puts one datagram into the batch of bind b; a full batch is sent.
func (p *Port) queue(b *bind, v *VC, dgram []byte) {
	for b.slot >= len(p.outs) {
		p.outs = append(p.outs, outBatch{})
	}
	o := &p.outs[b.slot]
	if o.bind != b { // first use, or the slot has a new bind
		p.flush()
		*o = outBatch{bind: b, conn: dataWriter(b.conns[p.worker]), msgs: make([]Message, 0, readBatch), vcs: make([]*VC, 0, readBatch)}
	}
	if len(o.msgs) == 0 {
		p.used = append(p.used, b.slot)
	}
	o.msgs = append(o.msgs, Message{Buf: dgram, N: len(dgram), Addr: v.remote})
	o.vcs = append(o.vcs, v)
	if len(o.msgs) >= min(readBatch, int(p.stack.txMax.Load())) {
		p.flush()
	}
}

// flush sends all batches.
func (p *Port) flush() {
	for _, slot := range p.used {
		o := &p.outs[slot]
		writeAll(o.conn, o.bind, p.worker, o.msgs, o.vcs)
		clear(o.msgs)
		clear(o.vcs)
		o.msgs, o.vcs = o.msgs[:0], o.vcs[:0]
	}
	p.used = p.used[:0]
}

// Group is a batch of control datagrams handed to the loop.
type Group struct {
	bind  *bind
	items []groupItem
	arena []byte
}

type groupItem struct {
	end  int // in the arena; begins at the end of the one before
	addr netip.AddrPort
	from *VC // whose queued counts it; nil: nobody's
}

func (g *Group) append(b []byte, addr netip.AddrPort, from *VC) {
	g.arena = append(g.arena, b...)
	g.items = append(g.items, groupItem{len(g.arena), addr, from})
}

// shareOf is the part of the control queue, in eighths, that a class of datagrams
// may fill: what is worth less is dropped earlier. An NS-VC that is not unblocked
// may be anybody's who sent an NS-RESET. Without an NS-VC only the local
// management of Frame Relay is control.
func shareOf(class Drop, v *VC) int64 {
	unblocked := v == nil || v.current() == stUnblocked
	switch {
	case class == DropQueueControl && unblocked:
		return 8
	case class == DropQueueControl:
		return 6
	case class == DropQueueSignal && unblocked:
		return 7
	}
	return 4
}

// maxQueued is how much control of one NS-VC may wait for the loop: a peer that
// floods takes the room of no other.
const maxQueued = 64

// keep copies a datagram of v, nil for a stranger, for the loop, unless the queue
// is full for its class.
func (p *Port) keep(m *Message, class Drop, v *VC) {
	waiting := p.stack.waiting.Load()
	if p.group != nil {
		waiting += int64(len(p.group.items))
	}
	counted := v
	if class != DropQueueControl {
		counted = nil
	}
	if waiting >= int64(p.stack.limits.ControlQueue)*shareOf(class, v)/8 || counted != nil && counted.queued.Load() >= maxQueued {
		p.drop(class)
		p.tellFlood(class)
		return
	}
	if p.group == nil {
		p.group = p.stack.takeGroup(p.bind)
	}
	if counted != nil {
		counted.queued.Add(1)
	}
	p.group.append(m.Buf[:m.N], m.Addr, counted)
}

// dealtWith takes an item from what its NS-VC has waiting.
func (it *groupItem) dealtWith() {
	if it.from != nil {
		it.from.queued.Add(-1)
	}
}

// tellFlood logs, once a second, that datagrams come faster than the loop takes
// them.
func (p *Port) tellFlood(class Drop) {
	if p.stack.floods.AllowN(p.now, 1) {
		p.stack.log.Warn("the control queue is full, datagrams are dropped", "cat", "lns", "bind", p.bind.name, "class", class.String())
	}
}

// handOver gives the group to the loop; it never blocks.
func (p *Port) handOver() {
	g := p.group
	if g == nil {
		return
	}
	p.group = nil
	p.stack.waiting.Add(int64(len(g.items)))
	select {
	case p.stack.control <- g:
	default:
		p.stack.waiting.Add(-int64(len(g.items)))
		for i := range g.items {
			g.items[i].dealtWith()
			p.drop(DropQueueControl)
		}
		p.stack.giveGroup(g)
	}
}
