package lab

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// Cell is one cell of a BSS.
type Cell struct {
	BVCI uint16
	RAI  bssgp.RAI
	CI   uint16
}

// BSSConfig describes a simulated BSS.
type BSSConfig struct {
	NSEI    uint16
	Listen  []netip.AddrPort
	Link    Link // its NSEI is the BSS's own when 0
	Timers  *ns.Timers
	Cells   []Cell
	Network ns.Network
	Log     *slog.Logger // nil: silent

	Register    *Register // who serves whom; required
	Subscribers int
	FirstID     uint32 // of its subscribers, who have consecutive numbers
	Behaviour   Behaviour
	Seed        uint64

	// FlowControl is the time between FLOW-CONTROL-BVCs, the C of TS 48.018
	// 8.2.3; 0: 10 s.
	FlowControl time.Duration
}

// BSS is a simulated base station subsystem with its subscribers. Its methods
// may be called from any goroutine.
type BSS struct {
	life sync.Mutex // held while starting, stopping and reading the truth
	core bss
}

// bss is what belongs to the loop, but for cfg and node.
type bss struct {
	cfg  BSSConfig
	node atomic.Pointer[node] // nil: not running

	nse       *ns.NSE
	sig       *bssgp.BVC
	cells     map[uint16]*cell
	order     []*cell // as configured
	rng       *rand.Rand
	all       map[string]*ms // by IMSI
	byTLLI    map[uint32]*ms
	answers   map[*ms][2]uint32 // the two last TLLIs of a subscriber
	timers    agenda[*ms]
	waits     agenda[*ms] // for answers to SUSPEND and RESUME
	suspended map[*ms]*suspension
	places    []place
	leaving   *place // where the subscriber whose timer runs goes
	count     BSSCounters
	lostBy    map[uint16]uint64
}

// cell is a Cell at run time.
type cell struct {
	Cell
	id        bssgp.CellID
	bvc       *bssgp.BVC
	fcTag     uint8
	fcDue     time.Time // of the next FLOW-CONTROL-BVC; zero: BVC not unblocked
	fcAwaited bool      // its acknowledge
	fcAckd    bool      // it, or while it is awaited the one before
}

// place is a cell that subscribers may go to.
type place struct {
	bss  *bss
	bvci uint16
}

// BSSCounters count what a BSS saw.
type BSSCounters struct {
	ULUnitdata, DLUnitdata    uint64
	NotReady                  uint64 // uplink frames while the cell's BVC was not unblocked
	UnknownTLLI               uint64 // downlink PDUs for nobody here
	WrongCell                 uint64 // downlink PDUs for a subscriber in another cell
	UnknownBVC                uint64 // PDUs on a BVCI that is not ours
	Malformed                 uint64
	Pagings                   uint64
	PagingsUnmatched          uint64
	Flushes                   uint64
	SuspendAcks, SuspendNacks uint64
	ResumeAcks, ResumeNacks   uint64
	SuspendUnanswered         uint64
	FlowControls, FlowAcks    uint64
	SIGResets, PTPResets      uint64 // by the peer
	Statuses                  uint64
	Alarms                    uint64 // BVC procedures without an answer after all retries
	Failures                  uint64 // of the NSE
	Others                    uint64
}

// NewBSS returns a BSS that is not running.
func NewBSS(cfg BSSConfig) *BSS {
	if cfg.Link.NSEI == 0 {
		cfg.Link.NSEI = cfg.NSEI
	}
	if cfg.FlowControl == 0 {
		cfg.FlowControl = 10 * time.Second
	}
	b := &BSS{core: bss{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.NSEI))),
		cells: map[uint16]*cell{}, all: map[string]*ms{}, byTLLI: map[uint32]*ms{},
		answers: map[*ms][2]uint32{}, suspended: map[*ms]*suspension{}, lostBy: map[uint16]uint64{}}}
	b.core.addCells()
	b.core.addSubscribers()
	return b
}

func (b *bss) addCells() {
	conf := bssgp.BVCConfig{NSEI: b.cfg.NSEI, Role: bssgp.RoleBSS, Owner: b, Timers: bssgp.Every(bssgpT)}
	b.sig = bssgp.NewBVC(conf)
	for _, c := range b.cfg.Cells {
		id := bssgp.MakeCellID(c.RAI, c.CI)
		conf.BVCI, conf.Cell = c.BVCI, &id
		cl := &cell{Cell: c, id: id, bvc: bssgp.NewBVC(conf)}
		b.cells[c.BVCI] = cl
		b.order = append(b.order, cl)
		b.places = append(b.places, place{b, c.BVCI})
	}
}

func (b *bss) addSubscribers() {
	for i := range b.cfg.Subscribers {
		m := newMS(b.cfg.FirstID+uint32(i), b.cfg.Seed, b.cfg.Behaviour)
		m.at = b
		m.cell = b.order[i%len(b.order)]
		b.all[m.imsi] = m
	}
}

// T1 and T2 of the simulators are short, within TS 48.018 table 12.1: when both
// ends reset a BVC at once and one PDU is lost, the lab is not held up.
const bssgpT = 2 * time.Second

// Connect lets subscribers move between all cells of the given BSSs. It must be
// called before they start.
func Connect(all ...*BSS) {
	var places []place
	for _, b := range all {
		for _, c := range b.core.order {
			places = append(places, place{&b.core, c.BVCI})
		}
	}
	for _, b := range all {
		b.core.places = places
	}
}

// Start opens the sockets and begins; subscribers begin with the first Start.
func (b *BSS) Start() error {
	b.life.Lock()
	defer b.life.Unlock()
	c := &b.core
	if c.node.Load() != nil {
		return errors.New("lab: BSS is running")
	}
	n, err := newNode(c, c.cfg.Network, nsConfig(c.cfg.Listen, c.cfg.Timers, false, c.cfg.Link), c.cfg.Log)
	if err != nil {
		return err
	}
	c.begin(time.Now())
	c.node.Store(n)
	go n.run()
	return nil
}

// begin starts the subscribers that have no timer yet, in the order of their
// numbers.
func (b *bss) begin(now time.Time) {
	for _, m := range b.sorted() {
		if m.deadline().IsZero() {
			m.start(now)
		}
		b.rearm(m)
	}
}

// Stop ends the BSS without a word to its peer; the subscribers stay as they
// are.
func (b *BSS) Stop() {
	b.life.Lock()
	defer b.life.Unlock()
	if n := b.core.node.Load(); n != nil {
		n.close()
		b.core.node.Store(nil)
		b.core.down(time.Now())
		b.core.nse = nil
	}
}

// Reconnect stops and starts at other addresses, as a BSS does whose address
// changed.
func (b *BSS) Reconnect(listen []netip.AddrPort) error {
	b.Stop()
	b.life.Lock()
	b.core.cfg.Listen = listen
	b.life.Unlock()
	return b.Start()
}

// do runs f in the loop, or here when the BSS does not run.
func (b *BSS) do(f func(c *bss)) {
	b.life.Lock()
	defer b.life.Unlock()
	if n := b.core.node.Load(); n == nil || !n.ask(func() { f(&b.core) }) {
		f(&b.core)
	}
}

// Block blocks the BVC of a cell (TS 48.018 8.3).
func (b *BSS) Block(bvci uint16, cause bssgp.Cause) {
	b.onCell(bvci, func(c *cell, now time.Time) { c.bvc.Block(now, cause) })
}

// Unblock unblocks the BVC of a cell.
func (b *BSS) Unblock(bvci uint16) {
	b.onCell(bvci, func(c *cell, now time.Time) { c.bvc.Unblock(now) })
}

// ResetCell resets the BVC of a cell (TS 48.018 8.4).
func (b *BSS) ResetCell(bvci uint16, cause bssgp.Cause) {
	b.onCell(bvci, func(c *cell, now time.Time) { c.bvc.Reset(now, cause) })
}

// Reset resets the signalling BVC and then all cells.
func (b *BSS) Reset(cause bssgp.Cause) {
	b.do(func(c *bss) { c.sig.Reset(time.Now(), cause) })
}

func (b *BSS) onCell(bvci uint16, f func(c *cell, now time.Time)) {
	b.do(func(c *bss) {
		if cl := c.cells[bvci]; cl != nil {
			f(cl, time.Now())
		}
	})
}
