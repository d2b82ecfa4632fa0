package load

import (
	"sync"
	"time"

	"poolgw/ngap"
)

// N2Load is what to send.
type N2Load struct {
	Rate     float64       // UEs that begin a second; 0: as many as Window lets
	Window   int           // with Rate 0: UEs in the middle of it at most, default 64
	Duration time.Duration // default 3 s
	Talk     float64       // messages that bound UEs send a second
	Limited  bool          // the gateway may refuse UEs
}

// N2Figures are read from the process under test.
type N2Figures struct {
	CPU    func() time.Duration
	Memory func() uint64 // octets resident
}

// Interrupt ends the load under way, and those to come, before their time; what became
// of them so far is told.
func (g *N2) Interrupt() { g.ended.Store(true) }

// Run has UEs register and leave, in an open loop: by the clock, whatever comes
// back; and tells what became of it.
func (g *N2) Run(l N2Load, tested N2Figures) (*N2Result, error) {
	orDefault(&l.Duration, 3*time.Second)
	orDefault(&l.Window, 64)
	r := &N2Result{Load: l, Talk: N2Talk{UEs: len(g.bound)}}
	g.mu.Lock()
	g.run++
	r.Strange, r.Stale = g.result.Strange, g.result.Stale // since the run before
	g.result = r
	g.mu.Unlock()
	used, memory := tested.CPU(), tested.Memory()
	g.begin(l)
	g.drain()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget()
	g.earlier = g.last
	r.CPU, r.Memory, r.Grown = tested.CPU()-used, tested.Memory(), int64(tested.Memory())-int64(memory)
	g.result = &N2Result{}
	return r, g.fault
}

// between takes what has come since the latest run: of UEs of that run, and what nobody
// sent.
func (g *N2) between() (stale, strange uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	stale, strange = g.result.Stale, g.result.Strange
	g.result = &N2Result{}
	return stale, strange
}

// begin starts UEs when they are due.
func (g *N2) begin(l N2Load) {
	if l.Talk > 0 && len(g.bound) > 0 {
		over := make(chan struct{})
		var talk sync.WaitGroup
		talk.Go(func() { g.chat(l.Talk, over) })
		defer talk.Wait()
		defer close(over)
	}
	var p ngap.PDU
	start, begun := g.now(), 0
	for {
		passed := time.Duration(g.now() - start)
		over := passed >= l.Duration || g.ended.Load()
		due := int(l.Rate*min(passed, l.Duration).Seconds()) - begun
		if l.Rate == 0 && !over {
			due = g.room(l.Window)
		} else if due > 0 {
			late := time.Duration(float64(due) / l.Rate * float64(time.Second))
			g.count(func(r *N2Result) { r.Late = max(r.Late, late) })
		}
		for range due {
			g.start(&p)
			begun++
		}
		if over {
			g.count(func(r *N2Result) { r.Duration = passed })
			return
		}
		time.Sleep(500 * time.Microsecond)
	}
}

func (g *N2) count(f func(r *N2Result)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g.result)
}

func (g *N2) room(window int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return window - g.open
}

// start sends the first message of one more UE; when all places are taken it is
// counted as turned away by the generator.
func (g *N2) start(p *ngap.PDU) {
	g.mu.Lock()
	g.last++
	if g.last == 0 {
		g.last++
	}
	u := &g.ues[int(g.last)%len(g.ues)]
	if u.ran != 0 {
		g.result.Unbegun++
		g.mu.Unlock()
		return
	}
	*u = g.newUE(g.last, int(g.last))
	g.open++
	g.result.UEs++
	g.launch(p, u)
}

// begun is how many UEs have begun, of those that leave again.
func (g *N2) begun() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int(g.last)
}

// newUE is the n-th UE: they take turns at gNBs and AMFs.
func (g *N2) newUE(ran uint32, n int) n2UE {
	gnb, owner := n%g.opt.GNBs, n/g.opt.GNBs%g.opt.AMFs
	if g.opt.Static {
		owner = gnb % g.opt.AMFs
	}
	tmsi := ran
	if ran <= n2BoundBase {
		tmsi = uint32(n % g.opt.Subscribers)
	}
	return n2UE{ran: ran, gnb: uint16(gnb), owner: uint16(owner), tmsi: tmsi, run: g.run}
}

// launch sends the first message of a UE. It is called with the lock held, and gives
// it back.
func (g *N2) launch(p *ngap.PDU, u *n2UE) {
	u.at[0] = g.now()
	b := n2Message(p, u, 0, 0, g.opt.NAS)
	a, stream, ran := g.gnbs[u.gnb], g.streamOf(u), u.ran
	g.result.Sent++
	g.mu.Unlock()
	if a.Send(n2Signal(stream, b)) == nil {
		return
	}
	g.mu.Lock() // the UE has not begun
	defer g.mu.Unlock()
	g.result.Sent--
	g.result.Waiting++
	if ran <= n2BoundBase && u.ran == ran {
		g.result.UEs--
		g.open--
		*u = n2UE{}
	}
}

// streamOf is the stream of a UE at its gNB: never 0.
func (g *N2) streamOf(u *n2UE) uint16 {
	return uint16(1 + int(u.ran)/g.opt.GNBs%(int(g.opt.SCTP.Streams)-1))
}

// drain waits until all UEs are done, or nothing has come for as long as an association
// may take to bring a message that was lost, or to end: SCTP itself loses none.
func (g *N2) drain() {
	quiet, most := time.Duration(g.opt.SCTP.AssocMaxRetrans+1)*g.opt.SCTP.RTOMax, 30*time.Second
	start := time.Now()
	seen, last := uint64(0), start
	for time.Since(start) < most && time.Since(last) < quiet {
		g.mu.Lock()
		received, open := g.result.Received+g.result.Talk.Arrived, g.open
		talk, fault := g.result.Talk.Lost(), g.fault
		g.mu.Unlock()
		if open == 0 && talk == 0 || fault != nil {
			return
		}
		if received != seen {
			seen, last = received, time.Now()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// forget gives the places of UEs back that came to no end.
func (g *N2) forget() {
	for i := range g.ues {
		g.ues[i] = n2UE{}
	}
	g.open = 0
}
