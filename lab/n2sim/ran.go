package n2sim

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
	"poolgw/sctp"
)

// RANConfig are a set of gNBs.
type RANConfig struct {
	Transport sctp.Transport
	AMF       sctp.Endpoint // where the gNBs associate: the gateway
	Options   sctp.Options
	PLMN      [3]byte
	Slices    []ngmsg.Slice
	GNBs      []GNBConfig
	Seed      uint64
	Behaviour Behaviour
	// Reconnect is how long a gNB waits before it associates again; default 1 s.
	Reconnect time.Duration
}

// GNBConfig is one gNB.
type GNBConfig struct {
	ID     uint32
	Name   string
	Local  sctp.Endpoint // no addresses: the one that routes
	TAC    uint32
	Habits Habits
}

// Habits are what real gNBs do that TS 38.413 does not allow.
type Habits struct {
	IgnoreReset    bool // UERANSIM: no NG Reset Acknowledge, UEs are kept
	NeverReconnect bool // UERANSIM: a lost association stays lost
	IgnoreUpdate   bool // AMF Configuration Updates are not answered
	RefuseUpdate   bool // they are answered with a Failure
}

// RAN is a set of gNBs with their UEs. Its methods may be called from any
// goroutine.
type RAN struct {
	cfg  RANConfig
	end  chan struct{}
	work sync.WaitGroup

	mu      sync.Mutex // of all that follows, gNBs and UEs included
	gnbs    []*GNB
	ues     []*UE
	random  *rand.Rand
	stopped bool
}

// NewRAN returns a RAN that does not run. UEs are added before or after Start.
func NewRAN(c RANConfig) *RAN {
	if c.Reconnect == 0 {
		c.Reconnect = time.Second
	}
	r := &RAN{cfg: c, end: make(chan struct{}), random: rand.New(rand.NewPCG(c.Seed, 1))}
	for _, g := range c.GNBs {
		r.gnbs = append(r.gnbs, &GNB{ran: r, cfg: g, contexts: make(map[uint32]*context)})
	}
	return r
}

// Start associates the gNBs, in their order.
func (r *RAN) Start() {
	for _, g := range r.gnbs {
		r.work.Add(1)
		go g.run()
	}
}

// Stop aborts every association and waits for the end.
func (r *RAN) Stop() {
	r.mu.Lock()
	if !r.stopped {
		r.stopped = true
		close(r.end)
	}
	for _, u := range r.ues {
		u.disarm()
	}
	for _, g := range r.gnbs {
		if g.peer != nil {
			g.peer.assoc.Abort("the lab ends")
		}
	}
	r.mu.Unlock()
	r.work.Wait()
}

// GNBs is how many there are.
func (r *RAN) GNBs() int { return len(r.gnbs) }

// GNB returns the gNB with that place in the configuration.
func (r *RAN) GNB(i int) *GNB { return r.gnbs[i] }

// UE returns the UE with that place, in the order they were added.
func (r *RAN) UE(i int) *UE {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ues[i]
}

// Add adds n UEs that camp on the gNBs in turn, switched off. MSINs are first,
// first+1, …
func (r *RAN) Add(n int, first uint32) []*UE {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := len(r.ues)
	for i := range n {
		u := &UE{ran: r, number: first + uint32(i), gnb: r.gnbs[i%len(r.gnbs)],
			msin: msinOf(first + uint32(i)), plmn: nas5g.PLMN(r.cfg.PLMN)}
		r.ues = append(r.ues, u)
	}
	return r.ues[at:len(r.ues):len(r.ues)]
}

// msinOf is the MSIN of the UE with that number.
func msinOf(number uint32) string { return fmt.Sprintf("%010d", number) }

// Live lets every UE live by the Behaviour: it registers within Behaviour.Start.
func (r *RAN) Live() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.ues {
		u.live = true
		if u.phase == off {
			u.arm(r.upTo(r.cfg.Behaviour.Start), u.register)
		}
	}
}

// Rest ends that: UEs finish what they do and begin nothing.
func (r *RAN) Rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.ues {
		u.live = false
		if u.phase == idle || u.phase == off {
			u.disarm()
		}
	}
}

// Truth is what happened to all UEs.
func (r *RAN) Truth() (t UETruth) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.ues {
		t.add(u.truth)
	}
	return t
}

// Served counts the registered UEs by the name of the AMF that answered them last.
func (r *RAN) Served() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := make(map[string]int)
	for _, u := range r.ues {
		if u.guti != nil {
			n[u.amf]++
		}
	}
	return n
}

// Phases counts the UEs by what they are doing.
func (r *RAN) Phases() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := make(map[string]int)
	for _, u := range r.ues {
		n[u.phase.String()]++
	}
	return n
}

// upTo is a random duration below d.
func (r *RAN) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(r.random.Int64N(int64(d)))
}
