package ns

import (
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Stack is the NS layer at run time. All but Control belongs to the goroutine
// of the loop.
type Stack struct {
	network  Network
	workers  int
	upper    Upper
	data     DataPath
	userData UserData
	log      *slog.Logger
	logs     loggers
	limits   Limits
	now      func() time.Time

	cfg     Config
	binds   map[string]*bind
	slots   []*bind // by slot; nil: free
	nses    map[uint16]*NSE
	dynamic int    // NSEs that are not configured
	made    uint32 // NS-VCs so far
	timers  timerHeap
	events  []event // for Upper, told by settle
	lost    []*NSE  // IP-SNS NSEs whose signalling is gone
	early   []held  // datagrams whose NS-VCs are there now
	noise   *rate.Limiter
	floods  *rate.Limiter // of lines about the full control queue
	shutOut *rate.Limiter // of lines about sources that no access list has
	moves   atomic.Uint64 // of NS-VCs and NSEs to another address

	control chan *Group
	free    chan *Group
	waiting atomic.Int64 // datagrams in control
	txMax   atomic.Int32
	wg      sync.WaitGroup
	done    chan struct{}
	closed  bool
	noNew   bool // RefuseNew
}

// event is one Upper.Status or FreeNSE to come.
type event struct {
	nse  *NSE
	ev   Event
	free bool
}

// Default limits.
const (
	defaultDynamicNSEs  = 1024
	defaultVCsPerNSE    = 64
	defaultControlQueue = 8192
	freeGroups          = 64
	// Log lines per second that peers can provoke.
	noiseRate = 20
)

func orDefault(v, d int) int {
	if v <= 0 {
		return d
	}
	return v
}

// NewStack returns a Stack without binds and NSEs; Apply gives it some.
func NewStack(opt Options) *Stack {
	l := opt.Limits
	l.DynamicNSEs = orDefault(l.DynamicNSEs, defaultDynamicNSEs)
	l.VCsPerNSE = orDefault(l.VCsPerNSE, defaultVCsPerNSE)
	l.ControlQueue = orDefault(l.ControlQueue, defaultControlQueue)
	s := &Stack{
		network: opt.Network, workers: max(opt.Workers, 1), upper: opt.Upper, data: opt.DataPath, userData: opt.UserData,
		log: opt.Log, limits: l, now: opt.Now,
		cfg:   Config{Timers: DefaultTimers()},
		binds: map[string]*bind{}, nses: map[uint16]*NSE{},
		floods:  rate.NewLimiter(1, 1),
		shutOut: rate.NewLimiter(1, 1),
		control: make(chan *Group, l.ControlQueue),
		free:    make(chan *Group, freeGroups),
		done:    make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.logs, s.noise = newLoggers(s.log), newNoise(s.log)
	if s.now == nil {
		s.now = time.Now
	}
	s.txMax.Store(defaultTxQueue)
	return s
}

// SetLimits changes the limits but for ControlQueue, which is fixed by
// NewStack; what is over a new limit already stays.
func (s *Stack) SetLimits(l Limits) {
	s.limits.DynamicNSEs = orDefault(l.DynamicNSEs, defaultDynamicNSEs)
	s.limits.VCsPerNSE = orDefault(l.VCsPerNSE, defaultVCsPerNSE)
}

// RefuseNew makes unknown remotes unable to make NSEs and NS-VCs, whatever
// their bind accepts: "pool down refuse".
func (s *Stack) RefuseNew(on bool) { s.noNew = on }

// Control delivers groups of control datagrams for Handle.
func (s *Stack) Control() <-chan *Group { return s.control }

func (s *Stack) takeGroup(b *bind) *Group {
	select {
	case g := <-s.free:
		g.bind = b
		return g
	default:
		return &Group{bind: b}
	}
}

// maxArena is the largest arena that is kept for another use.
const maxArena = 64 << 10

func (s *Stack) giveGroup(g *Group) {
	if cap(g.arena) > maxArena {
		return
	}
	clear(g.items)
	g.bind, g.items, g.arena = nil, g.items[:0], g.arena[:0]
	select {
	case s.free <- g:
	default:
	}
}

// Handle deals with a group from Control.
func (s *Stack) Handle(now time.Time, g *Group) {
	s.waiting.Add(-int64(len(g.items)))
	begin := 0
	for i := range g.items {
		it := &g.items[i]
		it.dealtWith()
		s.receive(now, g.bind, it.addr, g.arena[begin:it.end])
		s.settle(now)
		begin = it.end
	}
	s.giveGroup(g)
}

// Expire runs the timers that are due.
func (s *Stack) Expire(now time.Time) {
	for t := s.timers.due(now); t != nil; t = s.timers.due(now) {
		t.owner.expired(now, t.kind)
		s.settle(now)
	}
}

// Deadline returns when Expire has to be called next; armed is false when no
// timer runs.
func (s *Stack) Deadline() (t time.Time, armed bool) {
	if len(s.timers) == 0 {
		return t, false
	}
	return s.timers[0].at, true
}

// Flush publishes what has changed to the workers and sends what the loop has
// queued. It ends every turn of the loop.
func (s *Stack) Flush() {
	for _, b := range s.slots {
		if b != nil {
			b.publish()
			s.flushBind(b)
		}
	}
}

func (s *Stack) flushBind(b *bind) {
	q := &b.out
	if q.n == 0 {
		return
	}
	q.most = max(q.most, q.n)
	if b.fr != nil {
		s.flushFrames(b)
		return
	}
	writeAll(b.conns[0], b, s.workers, q.msgs[:q.n], q.vcs[:q.n])
	q.empty()
}

// settle restarts what lost its way and tells Upper of what has happened, now
// that no machine is in the middle of an event.
func (s *Stack) settle(now time.Time) {
	for len(s.lost) > 0 || len(s.events) > 0 || len(s.early) > 0 {
		for len(s.lost) > 0 {
			n := s.lost[0]
			s.lost = s.lost[1:]
			n.snsLost = false
			if !n.gone {
				n.sns.signallingLost(now)
			}
		}
		s.tell(now)
		s.replay(now)
	}
}

func (s *Stack) tell(now time.Time) {
	for len(s.events) > 0 {
		e := s.events[0]
		s.events = s.events[1:]
		if e.free {
			s.upper.FreeNSE(now, e.nse)
		} else {
			s.upper.Status(now, e.nse, e.ev)
		}
	}
	s.events = nil
}

func (s *Stack) post(n *NSE, ev Event) { s.events = append(s.events, event{nse: n, ev: ev}) }

// Close closes the sockets and waits for the workers.
func (s *Stack) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.done)
	for _, b := range s.binds {
		s.closeConns(b)
	}
	s.wg.Wait()
	return nil
}

// NSE returns the NSE of that NSEI, nil if there is none.
func (s *Stack) NSE(nsei uint16) *NSE { return s.nses[nsei] }

// Send sends one NS-UNITDATA from the loop, by load sharing as Port.Forward
// (BVCI 0: signalling weights). It returns false, and counts, when nse cannot
// carry it. pdu is copied.
func (s *Stack) Send(nse *NSE, bvci uint16, lsp uint32, pdu []byte) bool {
	way := nse.share.Load().pick(bvci, lsp, &nse.sigTurn)
	if way == nil || len(pdu)+unitdataHeader > way.mtu {
		nse.past.PacketsOutDrop++
		nse.past.BytesOutDrop += uint64(len(pdu))
		return false
	}
	p := PDU{Type: PDUUnitdata, BVCI: bvci, SDU: pdu}
	s.sendPDU(way.bind, way.vc.remote, way.vc, &p)
	return true
}

// sendPDU queues a PDU of the loop. A full queue is sent at once.
func (s *Stack) sendPDU(b *bind, to netip.AddrPort, v *VC, p *PDU) {
	if b.closed {
		return
	}
	m := b.out.slotFor(to, v)
	m.Buf = p.Append(m.Buf)
	m.N = len(m.Buf)
	s.trace("sent", path{b, to}, p)
	if b.out.n >= int(s.txMax.Load()) {
		s.flushBind(b)
	}
}
