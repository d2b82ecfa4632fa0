package n2

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// Options are what a Gateway needs from outside.
type Options struct {
	// Transport gives the transport for a line of the configuration, and why it
	// is not the first choice, if so.
	Transport func(Transport) (t sctp.Transport, reason string, err error)
	// TraceDir is where traces are written; "": nowhere.
	TraceDir string
	// Log gets lines of the categories ("cat") ngap and sctp.
	Log *slog.Logger
	Now func() time.Time // nil: time.Now
}

// Errors of the Gateway's methods.
var (
	ErrStopped = errors.New("n2: the gateway does not run")
	ErrRunning = errors.New("n2: the gateway runs already")
)

// Gateway is the N2 gateway at run time. Its methods may be called from any
// goroutine.
type Gateway struct {
	opt   Options
	log   *slog.Logger // category ngap
	slog  *slog.Logger // category sctp: binds, associations, paths
	clock func() time.Time

	dir      atomic.Pointer[directory]
	bindings bindings
	backlog  backlog
	overflow *overflow
	affinity *affinity
	counters counters
	ues      atomic.Int64      // bound, over all gNBs
	bound    [256]atomic.Int64 // by member's number
	traces   atomic.Int32      // under way

	mu          sync.Mutex // of what follows; never held while waiting for an owner
	cfg         Config
	life        context.Context // ends with Stop; nil: not running
	end         context.CancelFunc
	work        sync.WaitGroup // accepting goroutines and owners
	binds       map[string]*bind
	members     map[uint8]*member
	gnbs        map[uint32]*gnb // by serial number
	nodes       map[ngap.NodeID]*gnb
	serial      uint32
	storms      map[netip.Addr]*allowance // of addresses whose associations ended early
	changes     allowance                 // of the directory, by peers
	unpublished bool                      // a change by a peer, until publishLate
	past        Conservation              // of gNBs that are gone
	done        Procedures                // of gNBs that are gone
}

// New returns a gateway that is not running.
func New(opt Options) *Gateway {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	g := &Gateway{opt: opt, log: opt.Log.With("cat", "ngap"), slog: opt.Log.With("cat", "sctp"), clock: opt.Now, cfg: Default(), overflow: newOverflow(), affinity: newAffinity(),
		binds: make(map[string]*bind), members: make(map[uint8]*member), gnbs: make(map[uint32]*gnb), nodes: make(map[ngap.NodeID]*gnb), storms: make(map[netip.Addr]*allowance)}
	g.backlog.most.Store(int64(g.cfg.Limits.Queue) << 10)
	g.publish()
	return g
}

// Start opens the binds of cfg. A bind that can't be had is an error; nothing
// keeps running then. A gateway that was stopped may be started again, and begins
// without gNBs.
func (g *Gateway) Start(cfg Config) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life != nil {
		return ErrRunning
	}
	g.life, g.end = context.WithCancel(context.Background())
	if err := g.apply(cfg.Clone()); err != nil {
		g.halt()
		return err
	}
	return nil
}

// Apply changes a running gateway from old to new; on error the gateway is as
// before. Changes that need no restart of anything touch nothing else.
func (g *Gateway) Apply(_, new Config, _ time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life == nil {
		return ErrStopped
	}
	return g.apply(new.Clone())
}

// Idle takes the configuration of a gateway that does not run, for its
// Snapshot.
func (g *Gateway) Idle(cfg Config) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life != nil {
		return ErrRunning
	}
	g.cfg = cfg.Clone()
	g.applyMembers(Config{})
	g.publish()
	g.noteDrained()
	return nil
}

// Stop closes every association gracefully and waits for the end; it may be
// called repeatedly.
func (g *Gateway) Stop() {
	g.mu.Lock()
	g.halt()
	g.mu.Unlock()
	g.work.Wait()
}

func (g *Gateway) halt() {
	if g.life == nil {
		return
	}
	g.end()
	g.life = nil
	for _, b := range g.binds {
		b.close()
	}
	clear(g.binds)
}

// apply goes from g.cfg to new: binds first, since they may fail; then members
// and owners are told.
func (g *Gateway) apply(new Config) error {
	if err := g.applyBinds(new); err != nil {
		return err
	}
	old := g.cfg
	g.cfg = new
	g.backlog.most.Store(int64(new.Limits.Queue) << 10)
	g.applyMembers(old)
	g.publish()
	g.noteDrained()
	for _, o := range g.gnbs {
		o.ask(cfgNews{}, o.reconfigure)
	}
	return nil
}

// owner returns the gNB with a serial number, nil when it is gone.
func (g *Gateway) owner(serial uint32) *gnb {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gnbs[serial]
}

// others returns every gNB but one.
func (g *Gateway) others(but *gnb) []*gnb {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := make([]*gnb, 0, len(g.gnbs))
	for _, o := range g.gnbs {
		if o != but {
			list = append(list, o)
		}
	}
	return list
}

// reasonCounts counts decisions by their reason.
type reasonCounts [reasons]atomic.Uint64

// counters are those of the whole gateway.
type counters struct {
	decisions reasonCounts
	refused   atomic.Uint64 // gNBs not accepted
	limited   [limits]atomic.Uint64
	stale     atomic.Uint64 // 5G-S-TMSIs marked
	merged    atomic.Uint64 // IEs of NG Setup in which AMFs differ
	lostAMFs  atomic.Uint64 // associations to AMFs that ended
	lostGNBs  atomic.Uint64
	overloads atomic.Uint64         // Overload Starts
	stalled   atomic.Uint64         // associations whose peer took nothing any more
	congested atomic.Uint64         // UEs released because a PDU found no room
	oversized atomic.Uint64         // messages longer than what is taken
	unasked   atomic.Uint64         // shows and traces for which an owner had no room
	guards    [guards]atomic.Uint64 // UEs that waited too long
	rivals    [2]atomic.Uint64      // gNBs with the ID of another: refused, let in
}
