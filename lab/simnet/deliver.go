package simnet

import (
	"container/heap"
	"net/netip"
	"time"
)

// send carries one datagram; the caller holds no lock.
func (n *Network) send(src, dst netip.AddrPort, payload []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dst = netip.AddrPortFrom(dst.Addr().Unmap(), dst.Port())
	now := time.Now()
	n.stats.Sent++
	fl := n.flow(src, dst)
	f := n.faultsOf(src, dst)
	lost := f.Loss > 0 && fl.rng.Float64() < f.Loss
	cut, drop, fate := n.isCut(src, dst), "", Fate{}
	if n.judge != nil && !cut {
		fate = n.judge(Packet{now, src, dst, append([]byte(nil), payload...), ""})
	}
	switch {
	case cut:
		n.stats.Cut++
		drop = "cut"
	case lost || fate.Lost:
		n.stats.Lost++
		drop = "lost"
	}
	if n.tap != nil {
		n.tap(Packet{now, src, dst, append([]byte(nil), payload...), drop})
	}
	if drop != "" {
		return
	}
	n.schedule(now, fl, f, fate.Delay, datagram{src, dst, append([]byte(nil), payload...)})
	if f.Duplicate > 0 && fl.rng.Float64() < f.Duplicate {
		n.stats.Duplicated++
		n.schedule(now, fl, f, 0, datagram{src, dst, append([]byte(nil), payload...)})
	}
}

func (n *Network) isCut(src, dst netip.AddrPort) bool {
	for _, l := range n.cuts {
		if l.match(src, dst) {
			return true
		}
	}
	return false
}

func (n *Network) faultsOf(src, dst netip.AddrPort) Faults {
	for _, l := range n.links {
		if l.match(src, dst) {
			return l.Faults
		}
	}
	return n.faults
}

// schedule delivers d at once or when the faults say, and extra later.
func (n *Network) schedule(now time.Time, fl *flow, f Faults, extra time.Duration, d datagram) {
	due := now.Add(f.Delay)
	if f.Jitter > 0 {
		due = due.Add(time.Duration(fl.rng.Int64N(int64(f.Jitter))))
	}
	if f.Reorder > 0 && fl.rng.Float64() < f.Reorder {
		by := f.ReorderBy
		if by == 0 {
			by = 20 * time.Millisecond
		}
		due = due.Add(by)
	} else {
		if due.Before(fl.last) {
			due = fl.last
		}
		fl.last = due
	}
	due = due.Add(extra)
	switch {
	case !due.After(now):
		n.deliver(d)
	case n.late.Len() >= maxInFlight || n.closed:
		n.stats.Overflow++
	default:
		n.late.add(now, due, d)
	}
}

// deliver puts d into its receiver's queue.
func (n *Network) deliver(d datagram) {
	cs := n.ports[d.dst]
	if len(cs) == 0 {
		cs = n.ports[wildcard(d.dst)]
	}
	if len(cs) == 0 {
		n.stats.NoReceiver++
		return
	}
	c := cs[flowSeed(link{a: d.src})%uint64(len(cs))]
	select {
	case c.queue <- d:
		n.stats.Delivered++
	default:
		n.stats.Overflow++
	}
}

func wildcard(a netip.AddrPort) netip.AddrPort {
	if a.Addr().Is4() {
		return netip.AddrPortFrom(netip.IPv4Unspecified(), a.Port())
	}
	return netip.AddrPortFrom(netip.IPv6Unspecified(), a.Port())
}

func (n *Network) deliverDue() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for d, ok := n.late.next(now); ok; d, ok = n.late.next(now) {
		n.deliver(d)
	}
	n.late.arm(now)
}

// datagram is one on its way.
type datagram struct {
	src, dst netip.AddrPort
	payload  []byte
}

// schedule is the datagrams under way by their time of arrival, and one timer
// for the earliest: equal times keep the order of sending.
type schedule struct {
	items   []delayed
	seq     uint64
	timer   *time.Timer
	deliver func()
}

type delayed struct {
	due time.Time
	seq uint64
	datagram
}

func (s *schedule) Len() int { return len(s.items) }
func (s *schedule) Less(i, j int) bool {
	a, b := s.items[i], s.items[j]
	return a.due.Before(b.due) || a.due.Equal(b.due) && a.seq < b.seq
}
func (s *schedule) Swap(i, j int) { s.items[i], s.items[j] = s.items[j], s.items[i] }
func (s *schedule) Push(x any)    { s.items = append(s.items, x.(delayed)) }
func (s *schedule) Pop() any {
	last := len(s.items) - 1
	x := s.items[last]
	s.items[last] = delayed{}
	s.items = s.items[:last]
	return x
}

func (s *schedule) add(now, due time.Time, d datagram) {
	s.seq++
	heap.Push(s, delayed{due, s.seq, d})
	if s.items[0].seq == s.seq {
		s.arm(now)
	}
}

// next takes the earliest datagram that is due.
func (s *schedule) next(now time.Time) (datagram, bool) {
	if len(s.items) == 0 || s.items[0].due.After(now) {
		return datagram{}, false
	}
	return heap.Pop(s).(delayed).datagram, true
}

func (s *schedule) arm(now time.Time) {
	if len(s.items) == 0 {
		return
	}
	wait := s.items[0].due.Sub(now)
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, s.deliver)
		return
	}
	s.timer.Reset(wait)
}

func (s *schedule) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.items = nil
}
