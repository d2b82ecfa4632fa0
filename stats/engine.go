package stats

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Config is what an Engine does.
type Config struct {
	Interval  time.Duration // of reports; 0: none
	Reporters []Reporter
	// TCPInterval is the time between two looks at TCPBatch TCP sockets; 0: none.
	// A TCPBatch of 0 is all of them.
	TCPInterval time.Duration
	TCPBatch    int
}

// Engine runs a registry: it ticks each second, and reports.
type Engine struct {
	registry *Registry
	tcp      *TCP // nil: none
	log      *slog.Logger

	mu        sync.Mutex // of what follows
	cfg       Config
	reporters []*reporter
	next      time.Time // report
	nextTCP   time.Time

	stop chan struct{}
	once sync.Once
	wg   sync.WaitGroup
}

// readWait bounds how long a reading waits for the sources.
const readWait = 2 * time.Second

// NewEngine starts an engine without reporters; Close ends it.
func NewEngine(r *Registry, tcp *TCP, log *slog.Logger) *Engine {
	e := &Engine{registry: r, tcp: tcp, log: log.With("cat", "lstats"), stop: make(chan struct{})}
	e.wg.Go(e.run)
	return e
}

// Configure changes what is reported. A reporter that is as before goes on; one
// that changed or is new begins with a whole report, at once. A configuration
// that is as before changes nothing.
func (e *Engine) Configure(c Config) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if reflect.DeepEqual(e.cfg, c) {
		return
	}
	c.Reporters = slices.Clone(c.Reporters)
	var keep []*reporter
	for _, rc := range c.Reporters {
		i := slices.IndexFunc(e.reporters, func(r *reporter) bool { return r.cfg == rc })
		if i >= 0 {
			keep = append(keep, e.reporters[i])
			e.reporters = slices.Delete(e.reporters, i, i+1)
		} else {
			keep = append(keep, e.newReporter(rc))
		}
	}
	for _, r := range e.reporters {
		r.close()
	}
	e.reporters, e.cfg = keep, c
	e.next, e.nextTCP = time.Time{}, time.Time{}
}

func (e *Engine) run() {
	start := time.Now()
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			e.tick(now, int64(now.Sub(start)/time.Second))
		case <-e.stop:
			return
		}
	}
}

// tick is one second's work. A source that does not answer has no values.
func (e *Engine) tick(now time.Time, seconds int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tcp != nil && e.cfg.TCPInterval > 0 && !now.Before(e.nextTCP) {
		e.nextTCP = now.Add(e.cfg.TCPInterval)
		e.tcp.look(e.cfg.TCPBatch)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readWait)
	defer cancel()
	_ = e.registry.Tick(ctx, seconds)
	if e.cfg.Interval > 0 && !now.Before(e.next) {
		e.next = now.Add(e.cfg.Interval)
		_ = e.report(ctx)
	}
}

// Report reports now ("stats report").
func (e *Engine) Report(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.report(ctx)
}

// report gives every enabled reporter what it wants. The error is a source's;
// what a reporter can't send is logged, once until it can again.
func (e *Engine) report(ctx context.Context) error {
	var running []*reporter
	for _, r := range e.reporters {
		if !r.cfg.Enabled {
			continue
		}
		if err := r.open(); err != nil {
			e.tell(r, err)
			continue
		}
		running = append(running, r)
	}
	if len(running) == 0 {
		return nil
	}
	if err := e.registry.report(ctx, func(x *sample) {
		for _, r := range running {
			if r.wants(x) {
				r.out.put(x)
			}
		}
	}); err != nil {
		return err
	}
	for _, r := range running {
		e.tell(r, r.finish())
	}
	return nil
}

// tell logs a reporter's failure and its end.
func (e *Engine) tell(r *reporter, err error) {
	if err != nil && !r.failed {
		e.log.Error("statistics can't be sent", "reporter", r.cfg.Kind, "name", r.cfg.Name, "to", r.cfg.Remote, "err", err)
	}
	r.failed = err != nil
}

// Close ends the engine and its reporters.
func (e *Engine) Close() {
	e.once.Do(func() { close(e.stop) })
	e.wg.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.reporters {
		r.close()
	}
	e.reporters = nil
}
