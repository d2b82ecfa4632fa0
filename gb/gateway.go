package gb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
	"poolgw/pool"
)

// Options are what a Gateway needs from outside.
type Options struct {
	Network ns.Network
	Workers int // 0: GOMAXPROCS
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
	// Notify is told of each Change, in the loop: it must not block, nor call
	// the gateway. nil: nobody is told.
	Notify func(Change)
}

// Errors of the Gateway's methods.
var (
	ErrStopped  = errors.New("gb: the gateway does not run")
	ErrRunning  = errors.New("gb: the gateway runs already")
	ErrNoPeer   = errors.New("gb: no such BSS-side NSE")
	ErrNoBVC    = errors.New("gb: no such BVC")
	ErrNoMember = errors.New("gb: no such SGSN")
	ErrQuery    = errors.New("gb: a query names exactly one identity")
)

// Gateway is the Gb gateway at run time. Its methods may be called from any
// goroutine; they run in the loop.
type Gateway struct {
	opt    Options
	log    *slog.Logger
	logs   loggers
	clock  func() time.Time
	routes atomic.Pointer[routes]

	// What workers read, and count.
	cells     [1 << 16]atomic.Pointer[cell] // by BVCI
	directory atomic.Pointer[directory]
	drops     drops
	globals   globals
	undecided [pool.Reasons]atomic.Uint64 // decisions for nobody
	alarms    atomic.Uint64
	lostBSSs  atomic.Uint64 // failures of BSSs' NSEs
	takeovers atomic.Uint64 // of BVCs by another BSS
	epoch     time.Time     // of the pool's clock

	// Life.
	mu    sync.Mutex // of Start and Stop
	ops   chan func(now time.Time)
	stop  chan struct{}
	done  chan struct{} // nil: never started; closed: ended
	ended atomic.Bool

	// The loop's own.
	now          time.Time
	cfg          Config
	stack        *ns.Stack
	peers        map[uint16]*peer // by NSEI
	members      map[uint16]*member
	slots        []bool // taken
	fixed        string
	bssBVCs      int // PTP BVCs of the BSSs
	timers       timers
	bvcTimers    bssgp.Timers     // every BVC's
	areaIndex    *areaIndex       // nil: to be made
	byBVCI       map[uint16]*cell // what is in cells
	flowPending  bool
	ratioChanged bool
	limit        logLimit
	watch        watch  // its counters are read by all
	memory       memory // its tables are the workers' too
}

// New returns a gateway that is not running.
func New(opt Options) *Gateway {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Notify == nil {
		opt.Notify = func(Change) {}
	}
	g := &Gateway{opt: opt, log: opt.Log, logs: newLoggers(opt.Log), clock: opt.Now}
	g.routes.Store(compile(routing))
	g.directory.Store(&directory{pool: emptyPool()})
	return g
}

func emptyPool() *pool.Pool {
	p, err := pool.New(pool.Config{}, nil)
	if err != nil {
		panic("gb: empty pool: " + err.Error()) // a bug of ours: nothing that a user sets is in it
	}
	return p
}

// Start opens the binds of cfg and starts the loop. A bind that can't be had
// is an *ns.BindError; nothing keeps running then. A gateway that was stopped
// may be started again, and begins without cells.
func (g *Gateway) Start(cfg Config) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done != nil && !g.ended.Load() {
		return ErrRunning
	}
	now := g.clock()
	g.prepare(cfg, now)
	if err := g.apply(cfg.Clone(), now); err != nil {
		_ = g.stack.Close() // the error that matters is the first
		return err
	}
	g.stack.Flush()
	g.ops, g.stop, g.done = make(chan func(time.Time)), make(chan struct{}), make(chan struct{})
	g.ended.Store(false)
	go g.run(g.stop, g.done)
	return nil
}

// prepare makes the loop's state as of an empty configuration.
func (g *Gateway) prepare(cfg Config, now time.Time) {
	g.epoch, g.now = now, now
	g.cfg = Default()
	g.peers, g.members, g.slots = make(map[uint16]*peer), make(map[uint16]*member), nil
	g.timers, g.areaIndex = timers{}, nil
	g.watch.due, g.watch.turned = time.Time{}, time.Time{}
	g.flowPending, g.ratioChanged, g.fixed = false, false, ""
	for bvci := range g.byBVCI {
		g.cells[bvci].Store(nil)
	}
	g.byBVCI, g.bssBVCs = make(map[uint16]*cell), 0
	g.directory.Store(&directory{pool: emptyPool()})
	g.limit = newLogLimit(g.log, cfg.Limits.LogLines)
	g.memory = newMemory(g.opt.Workers, &cfg)
	g.stack = ns.NewStack(ns.Options{Network: g.opt.Network, Workers: g.opt.Workers, Upper: g, DataPath: g, UserData: userData(),
		Log: g.log, Now: g.clock, Limits: nsLimits(cfg.Limits)})
}

func nsLimits(l Limits) ns.Limits {
	return ns.Limits{DynamicNSEs: int(l.DynamicNSEs), VCsPerNSE: int(l.VCsPerNSE), ControlQueue: int(l.QueueLength)}
}

// Stop ends the loop and closes the sockets; it may be called repeatedly.
func (g *Gateway) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done == nil || g.ended.Load() {
		return
	}
	close(g.stop)
	<-g.done
}

// Wait returns when the gateway has stopped, with the first fatal error. One
// that was never started has stopped.
func (g *Gateway) Wait() error {
	g.mu.Lock()
	done := g.done
	g.mu.Unlock()
	if done != nil {
		<-done
	}
	return nil
}

// do runs f in the loop.
func (g *Gateway) do(ctx context.Context, f func(now time.Time)) error {
	g.mu.Lock()
	ops, done := g.ops, g.done
	g.mu.Unlock()
	if done == nil {
		return ErrStopped
	}
	ran := make(chan struct{})
	select {
	case ops <- func(now time.Time) { defer close(ran); f(now) }:
		<-ran // the loop has it: it will run
		return nil
	case <-done:
		return ErrStopped
	case <-ctx.Done():
		return fmt.Errorf("gb: the loop is busy: %w", ctx.Err())
	}
}

// Apply changes a running gateway from old to new; on error the gateway is as
// before. Changes that need no restart of anything touch nothing else.
func (g *Gateway) Apply(_, new Config, _ time.Time) error {
	var err error
	if e := g.do(context.Background(), func(now time.Time) { err = g.apply(new.Clone(), now) }); e != nil {
		return e
	}
	return err
}

// NS runs f on the NS layer in the loop: "nsvc N block", "nse N restart-sns" …
func (g *Gateway) NS(f func(s *ns.Stack, now time.Time) error) error {
	var err error
	if e := g.do(context.Background(), func(now time.Time) { err = f(g.stack, now) }); e != nil {
		return e
	}
	return err
}

// FixSelection makes every unowned subscriber go to the named member ("sgsn-pool
// nsf fixed NAME"); an empty name ends it.
func (g *Gateway) FixSelection(name string) error {
	var err error
	if e := g.do(context.Background(), func(time.Time) {
		if name != "" && g.memberNamed(name) == nil {
			err = fmt.Errorf("%w: %s", ErrNoMember, name)
			return
		}
		g.fixed = name
		g.publish(g.directory.Load().pool)
	}); e != nil {
		return e
	}
	return err
}
