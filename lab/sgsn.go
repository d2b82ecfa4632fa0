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
	"poolgw/nri"
	"poolgw/ns"
)

// SGSNConfig describes a simulated SGSN.
type SGSNConfig struct {
	NSEI    uint16 // also names the SGSN in the Register
	Listen  []netip.AddrPort
	Links   []Link // the BSS-side peers it knows
	Dynamic bool   // take ip.access and IP-SNS peers that it does not know
	Timers  *ns.Timers
	Network ns.Network
	Log     *slog.Logger // nil: silent

	Register *Register // required
	NRI      nri.Set   // P-TMSIs come from here; empty: of any NRI
	Seed     uint64

	T3312       time.Duration // periodic update timer of accepts; 0: 54 min
	Reallocate  float64       // share of updates, 0..1, that give a new P-TMSI
	OffloadLAC  uint16        // of the non-broadcast RAI in offload; 0: 0xFF00
	Page        time.Duration // between pagings of a subscriber drawn from all; 0: none
	MaxContexts int           // 0: 100000
}

const (
	defaultT3312 = 54 * time.Minute // TS 24.008 table 11.3
	offloadT3312 = 4 * time.Second  // TS 23.236 4.5a.1
	offloadLAC   = 0xff00
	// implicitGrace is how long after T3312 a silent subscriber is kept (the
	// mobile reachable timer and more, TS 24.008 4.7.2.2).
	implicitGrace = 4 * time.Minute
	t3350         = 6 * time.Second // also T3360, T3370 (TS 24.008 table 11.4)
	t3350Tries    = 5
)

// SGSN is a simulated SGSN. Its methods may be called from any goroutine.
type SGSN struct {
	life sync.Mutex // held while starting, stopping and reading the truth
	cfg  SGSNConfig
	node atomic.Pointer[node] // nil: not running
	core *sgsn
}

// sgsn is what belongs to the loop; a restart makes a new one.
type sgsn struct {
	out     *SGSN
	cfg     *SGSNConfig
	rng     *rand.Rand
	peers   map[uint16]*peer // by NSEI
	order   []*peer          // in the order they came
	byIMSI  map[string]*mmContext
	byPTMSI map[uint32]*mmContext // the present and, until the complete, the former one
	byTLLI  map[uint32]*mmContext // of an attach without a known P-TMSI
	timers  agenda[*mmContext]
	reg     []*mmContext // registered ones, for the draw of whom to page
	pageDue time.Time
	offload bool
	count   SGSNCounters
	strays  []Stray
}

// peer is a BSS, or a gateway that looks like one.
type peer struct {
	s     *sgsn
	nse   *ns.NSE
	sig   *bssgp.BVC
	cells map[uint16]*sgsnCell
	order []uint16 // BVCIs in the order they came

	resetDue time.Time // of BVCI 0; zero: not
}

// sgsnCell is a cell as an SGSN knows it.
type sgsnCell struct {
	bvc         *bssgp.BVC
	flowControl bool // seen since the last reset: no downlink before (TS 48.018 8.2)
}

// SGSNCounters count what an SGSN saw. They outlive restarts.
type SGSNCounters struct {
	ULUnitdata, DLUnitdata       uint64
	WrongSGSN                    uint64 // uplink PDUs that another SGSN, which is up, should have got
	Strangers                    uint64 // uplink PDUs of a TLLI that is not known
	Attaches, RAUs               uint64 // accepted
	RAURejects                   uint64 // unknown P-TMSI
	Detaches                     uint64 // by subscribers
	ReattachesOrdered            uint64 // detach requests to strangers
	Identities                   uint64 // asked
	Reallocations                uint64 // P-TMSIs given
	NullNRIs                     uint64 // of these with a NULL-NRI
	Cancelled                    uint64 // contexts dropped since another SGSN serves
	ImplicitDetaches             uint64
	Retries, GaveUp              uint64 // of accepts and requests
	Echoes                       uint64
	Disordered                   uint64 // echo requests overtaken by later ones
	NoFlowControl                uint64 // downlink PDUs held back before flow control
	NoCell                       uint64 // downlink PDUs whose cell is not there or blocked
	Pagings, PagingsAnswered     uint64
	Suspends, Resumes, SuspNacks uint64
	Flushes, FlushAcks           uint64
	FlowControls                 uint64
	SIGResets, PTPResets         uint64 // by peers
	Blocks                       uint64 // BVCs that became blocked
	Statuses                     uint64
	RadioStatuses                uint64
	LLCDiscarded                 uint64
	Malformed                    uint64
	UnknownBVC                   uint64
	Refused                      uint64 // attaches beyond MaxContexts
	Alarms                       uint64
	Others                       uint64
}

// Stray tells of an uplink PDU at the wrong SGSN; the first few are kept.
type Stray struct {
	Time time.Time
	TLLI uint32
	BVCI uint16
}

const maxStrays = 16

// NewSGSN returns an SGSN that is not running.
func NewSGSN(cfg SGSNConfig) *SGSN {
	def := func(zero bool, set func()) {
		if zero {
			set()
		}
	}
	def(cfg.T3312 == 0, func() { cfg.T3312 = defaultT3312 })
	def(cfg.OffloadLAC == 0, func() { cfg.OffloadLAC = offloadLAC })
	def(cfg.MaxContexts == 0, func() { cfg.MaxContexts = 100000 })
	s := &SGSN{cfg: cfg}
	s.core = newSGSNCore(s, nil)
	return s
}

// newSGSNCore returns an SGSN's state after a restart: counters and offload
// mode stay, all else is gone.
func newSGSNCore(s *SGSN, old *sgsn) *sgsn {
	c := &sgsn{out: s, cfg: &s.cfg, peers: map[uint16]*peer{},
		rng:    rand.New(rand.NewPCG(s.cfg.Seed, uint64(s.cfg.NSEI)<<16)),
		byIMSI: map[string]*mmContext{}, byPTMSI: map[uint32]*mmContext{}, byTLLI: map[uint32]*mmContext{}}
	if old != nil {
		c.rng, c.offload, c.count, c.strays = old.rng, old.offload, old.count, old.strays
	}
	return c
}

// Start opens the sockets and begins without any subscriber.
func (s *SGSN) Start() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.node.Load() != nil {
		return errors.New("lab: SGSN is running")
	}
	s.core = newSGSNCore(s, s.core)
	n, err := newNode(s.core, s.cfg.Network, nsConfig(s.cfg.Listen, s.cfg.Timers, s.cfg.Dynamic, s.cfg.Links...), s.cfg.Log)
	if err != nil {
		return err
	}
	now := time.Now()
	s.core.drawPage(now)
	s.cfg.Register.setMember(s.cfg.NSEI, s.cfg.NRI, true, now)
	s.node.Store(n)
	go n.run()
	return nil
}

// Stop ends the SGSN without a word to anybody, as a crash does; it serves
// nobody any more.
func (s *SGSN) Stop() {
	s.life.Lock()
	defer s.life.Unlock()
	n := s.node.Load()
	if n == nil {
		return
	}
	n.close()
	s.node.Store(nil)
	s.cfg.Register.setMember(s.cfg.NSEI, s.cfg.NRI, false, time.Now())
	s.cfg.Register.purgeAll(s)
}

// Restart stops and starts: all contexts are lost.
func (s *SGSN) Restart() error {
	s.Stop()
	return s.Start()
}

// Running tells whether the SGSN runs.
func (s *SGSN) Running() bool { return s.node.Load() != nil }

// NSEI returns the SGSN's NSEI.
func (s *SGSN) NSEI() uint16 { return s.cfg.NSEI }

// do runs f in the loop, or here when the SGSN does not run.
func (s *SGSN) do(f func(c *sgsn)) {
	s.life.Lock()
	defer s.life.Unlock()
	if n := s.node.Load(); n == nil || !n.ask(func() { f(s.core) }) {
		f(s.core)
	}
}

// Offload sets or ends offload mode (TS 23.236 4.5a.1): accepts give a P-TMSI
// with a NULL-NRI, a RAI that no cell broadcasts and a short periodic timer, so
// that each subscriber soon updates elsewhere.
func (s *SGSN) Offload(on bool) { s.do(func(c *sgsn) { c.offload = on }) }

// SetNRI changes the NRIs of the P-TMSIs that it gives from now on.
func (s *SGSN) SetNRI(nris nri.Set) { s.do(func(c *sgsn) { c.cfg.NRI = nris }) }

// Page pages a subscriber; false: it is not registered here.
func (s *SGSN) Page(imsi string) (ok bool) {
	s.do(func(c *sgsn) {
		if x := c.byIMSI[imsi]; x != nil && x.state == ctxRegistered {
			ok = c.page(x)
		}
	})
	return ok
}

// cancelLocation drops the context of a subscriber whom another SGSN serves.
func (s *SGSN) cancelLocation(imsi string) {
	n := s.node.Load()
	if n == nil {
		return
	}
	n.post(func() {
		if x := s.core.byIMSI[imsi]; x != nil {
			s.core.count.Cancelled++
			s.core.drop(x)
		}
	})
}
