package lab

import (
	"log/slog"
	"sync"
	"time"

	"poolgw/ns"
)

// owner is the simulator that a node runs.
type owner interface {
	ns.Upper
	expire(now time.Time)
	deadline() time.Time // zero: none
}

// node is the loop of a simulator: one goroutine that owns the simulator's
// state and its NS stack.
type node struct {
	owner owner
	stack *ns.Stack
	mail  mailbox
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once
}

// newNode opens the binds of cfg and starts the loop.
func newNode(o owner, network ns.Network, cfg ns.Config, log *slog.Logger) (*node, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	n := &node{owner: o, mail: mailbox{ready: make(chan struct{}, 1)},
		stop: make(chan struct{}), done: make(chan struct{})}
	n.stack = ns.NewStack(ns.Options{Network: network, Workers: 1, Upper: o, Log: log, Now: time.Now,
		Limits: ns.Limits{ControlQueue: controlQueue}})
	return n, n.stack.Apply(cfg, time.Now())
}

// controlQueue is how many datagrams may wait for a simulator's loop: its user
// data goes there too.
const controlQueue = 65536

// run is the loop; it returns when close is called.
func (n *node) run() {
	defer close(n.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		now := time.Now()
		n.owner.expire(now)
		n.stack.Expire(now)
		n.stack.Flush()
		timer.Reset(n.wait(now))
		select {
		case g := <-n.stack.Control():
			n.handle(g)
		case <-n.mail.ready:
			n.mail.run()
		case <-timer.C:
		case <-n.stop:
			n.mail.run()
			n.stack.Flush()
			n.stack.Close()
			return
		}
	}
}

// handle takes g and what else is there, up to a bound that keeps the timers
// punctual.
func (n *node) handle(g *ns.Group) {
	now := time.Now()
	n.stack.Handle(now, g)
	for range 64 {
		select {
		case g := <-n.stack.Control():
			n.stack.Handle(now, g)
		default:
			return
		}
	}
}

// wait is the time until the earliest timer.
func (n *node) wait(now time.Time) time.Duration {
	next := n.owner.deadline()
	if t, armed := n.stack.Deadline(); armed && (next.IsZero() || t.Before(next)) {
		next = t
	}
	if next.IsZero() {
		return time.Hour
	}
	return max(0, next.Sub(now))
}

// close ends the loop and waits for it; it may be called repeatedly.
func (n *node) close() {
	n.once.Do(func() { close(n.stop) })
	<-n.done
}

// post has f run in the loop, soon; it never blocks. After close f is dropped.
func (n *node) post(f func()) { n.mail.put(f) }

// ask has f run in the loop and waits until it has; false: the loop has ended.
func (n *node) ask(f func()) bool {
	ran := make(chan struct{})
	n.post(func() { f(); close(ran) })
	select {
	case <-ran:
		return true
	case <-n.done:
		return false
	}
}

// mailbox holds functions for a loop. It is not bounded by length: what is in
// it comes from the lab's own bounded tables (subscribers that move, contexts
// that are cancelled), and a full one would let two loops wait for each other.
type mailbox struct {
	mu    sync.Mutex
	fs    []func()
	ready chan struct{}
}

func (m *mailbox) put(f func()) {
	m.mu.Lock()
	m.fs = append(m.fs, f)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// run runs what is in the box now.
func (m *mailbox) run() {
	m.mu.Lock()
	fs := m.fs
	m.fs = nil
	m.mu.Unlock()
	for _, f := range fs {
		f()
	}
}
