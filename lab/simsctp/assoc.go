package simsctp

import (
	"os"
	"time"

	"poolgw/sctp"
)

// assoc is one end. Its fields are under net.mu, but for what never changes.
type assoc struct {
	net           *Network
	local, remote sctp.Endpoint
	options       sctp.Options
	wake          chan struct{} // Recv may find something

	peer      *assoc // nil: vanished
	inbox     []sctp.Event
	queued    int            // octets of data sent and not read by the peer
	held      []sctp.Message // sent while no path worked
	paths     []sctp.Path
	reach     []bool   // per path: the network carries it
	changes   []uint64 // per path: of reach; an older timer does nothing
	connected bool     // some path is carried
	cuts      uint64   // how often connected ended
	closing   bool
	down      *sctp.Down
	deadline  time.Time
	full      bool
	writable  func()
	stats     sctp.Stats
	unacked   uint64 // messages that have not arrived
}

func newAssoc(n *Network, local, remote sctp.Endpoint, o sctp.Options) *assoc {
	a := &assoc{net: n, local: local, remote: remote, options: o, wake: make(chan struct{}, 1),
		reach: make([]bool, len(remote.Addrs)), changes: make([]uint64, len(remote.Addrs)), connected: true}
	for i, r := range remote.Addrs {
		a.paths = append(a.paths, sctp.Path{Addr: r, State: sctp.Active})
		a.reach[i] = true
	}
	a.judgePaths()
	n.assocs[a] = struct{}{}
	return a
}

func (a *assoc) join(b *assoc) {
	a.peer, b.peer = b, a
	out, in := min(a.options.Streams, b.options.Streams), min(a.options.Streams, b.options.Streams)
	a.stats.OutStreams, a.stats.InStreams = out, in
	b.stats.OutStreams, b.stats.InStreams = in, out
}

// restart is what an INIT from the same peer does to an association that
// lives (RFC 9260 clause 5.2.4): a is told, and has a new peer.
func (a *assoc) restart(local sctp.Endpoint, o sctp.Options) sctp.Assoc {
	if old := a.peer; old != nil {
		old.peer = nil
		old.end(&sctp.Down{Cause: sctp.PeerAbort})
	}
	b := newAssoc(a.net, local, a.local, o)
	a.queued, a.held = 0, nil
	b.join(a)
	a.push(sctp.Event{Kind: sctp.Restart})
	return b
}

func (a *assoc) Local() sctp.Endpoint  { return a.local }
func (a *assoc) Remote() sctp.Endpoint { return a.remote }

func (a *assoc) Recv() (sctp.Event, error) {
	for {
		e, wait, err := a.take()
		if wait == 0 || err != nil {
			return e, err
		}
		a.pause(wait)
	}
}

// pause waits for the next notice, at most d; a negative d: for ever.
func (a *assoc) pause(d time.Duration) {
	if d < 0 {
		<-a.wake
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-a.wake:
	case <-t.C:
	}
}

// take returns the next event, or how long to wait for one.
func (a *assoc) take() (e sctp.Event, wait time.Duration, err error) {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	if len(a.inbox) > 0 {
		e = a.inbox[0]
		a.inbox = a.inbox[1:]
		if e.Kind == sctp.Data {
			a.stats.InMessages++
			a.stats.InOctets += uint64(len(e.Data))
			a.acknowledge(len(e.Data))
		}
		return e, 0, nil
	}
	if a.down != nil {
		return e, 0, a.down
	}
	if a.deadline.IsZero() {
		return e, -1, nil
	}
	if wait = time.Until(a.deadline); wait <= 0 {
		return e, 0, os.ErrDeadlineExceeded
	}
	return e, wait, nil
}

// acknowledge frees n octets of the peer's send buffer.
func (a *assoc) acknowledge(n int) {
	p := a.peer
	if p == nil {
		return
	}
	p.queued -= n
	if p.full && p.queued <= p.capacity()/2 {
		p.full = false
		if f := p.writable; f != nil {
			go f()
		}
	}
}

func (a *assoc) capacity() int {
	if a.options.SendBuffer > 0 {
		return a.options.SendBuffer
	}
	return bufferSize
}

func (a *assoc) SetRecvDeadline(t time.Time) error {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	a.deadline = t
	notify(a.wake)
	return nil
}

func (a *assoc) OnWritable(f func()) {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	a.writable = f
}

func (a *assoc) Send(m sctp.Message) error {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	if err := a.mayTake(m); err != nil {
		return err
	}
	if a.net.tap != nil {
		a.net.tap(Packet{Time: time.Now(), Src: a.local, Dst: a.remote, Message: m})
	}
	m.Data = append([]byte(nil), m.Data...)
	a.queued += len(m.Data)
	a.unacked++
	a.stats.OutMessages++
	a.stats.OutOctets += uint64(len(m.Data))
	if len(a.held) > 0 || !a.anyPath() {
		a.held = append(a.held, m)
		return nil
	}
	a.carry(m)
	return nil
}

func (a *assoc) mayTake(m sctp.Message) error {
	switch {
	case a.down != nil:
		return a.down
	case a.closing:
		return &sctp.Down{Cause: sctp.LocalClose}
	case m.Stream >= a.stats.OutStreams:
		return sctp.ErrStream
	case len(m.Data) > a.capacity():
		return sctp.ErrTooLong
	case a.queued+len(m.Data) > a.capacity():
		a.full = true
		a.stats.Full++
		return sctp.ErrFull
	}
	return nil
}

// carry brings m to the peer that is there now.
func (a *assoc) carry(m sctp.Message) {
	p := a.peer
	a.after(a.net.latency, func() {
		if p == nil || p.down != nil {
			return
		}
		a.unacked--
		if len(m.Data) > p.options.MaxMessage {
			p.acknowledge(len(m.Data))
			p.push(sctp.Event{Kind: sctp.TooLong})
			return
		}
		p.push(sctp.Event{Kind: sctp.Data, Message: m})
	})
}

// after runs f, under the network's lock, d from now; equal times in order.
func (a *assoc) after(d time.Duration, f func()) {
	a.net.schedule(d, f)
}

func (a *assoc) push(e sctp.Event) {
	if a.down != nil {
		return
	}
	a.inbox = append(a.inbox, e)
	notify(a.wake)
}

// end is the last that happens to a.
func (a *assoc) end(d *sctp.Down) {
	if a.down != nil {
		return
	}
	a.down = d
	delete(a.net.assocs, a)
	notify(a.wake)
}

func (a *assoc) Close() error {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	if a.down != nil || a.closing {
		return nil
	}
	a.closing = true
	if len(a.held) == 0 {
		a.shutdown()
	}
	return nil
}

// shutdown tells the peer, behind all that was sent.
func (a *assoc) shutdown() {
	p := a.peer
	if p == nil || !a.anyPath() {
		a.after(a.timeout(a.options.AssocMaxRetrans), func() { a.end(&sctp.Down{Cause: sctp.LocalClose}) })
		return
	}
	a.after(a.net.latency, func() { p.end(&sctp.Down{Cause: sctp.PeerShutdown}) })
	a.after(2*a.net.latency, func() { a.end(&sctp.Down{Cause: sctp.LocalClose}) })
}

func (a *assoc) Abort(reason string) error {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	a.abort(reason)
	return nil
}

// Error cause "User-Initiated Abort", RFC 9260 clause 3.3.10.12.
const userInitiatedAbort = 12

func (a *assoc) abort(reason string) {
	if a.down != nil {
		return
	}
	p, reach := a.peer, a.anyPath()
	a.end(&sctp.Down{Cause: sctp.LocalAbort})
	if p == nil {
		return
	}
	p.peer = nil
	if reach {
		a.after(a.net.latency, func() {
			p.end(&sctp.Down{Cause: sctp.PeerAbort, Code: userInitiatedAbort, Reason: reason})
		})
	}
}

func (a *assoc) Stats() sctp.Stats {
	a.net.mu.Lock()
	defer a.net.mu.Unlock()
	s := a.stats
	s.State, s.Unacked = a.state(), a.unacked
	for i, p := range a.paths {
		s.Paths = append(s.Paths, sctp.PathStats{Path: p, Primary: i == 0, RTO: a.options.RTOMin})
	}
	return s
}

func (a *assoc) state() sctp.AssocState {
	switch {
	case a.down != nil:
		return sctp.Closed
	case a.closing:
		return sctp.ShutdownPending
	}
	return sctp.Established
}
