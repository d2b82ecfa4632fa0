package n2sim

import (
	stdcontext "context"
	"time"

	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/ngmsg"
	"poolgw/sctp"
)

// setupRetry is when a gNB repeats an NG Setup that was refused without a Time To
// Wait, or not answered.
const setupRetry = 10 * time.Second

// GNB is a gNB of a RAN.
type GNB struct {
	ran *RAN
	cfg GNBConfig

	// Under ran.mu:
	peer     *peer // nil: no association
	up       bool  // NG Setup is done
	contexts map[uint32]*context
	lastID   uint32 // RAN UE NGAP ID; they count from 1
	retry    *time.Timer
	guamis   []ngmsg.GUAMI
	truth    GNBTruth
	past     [2]uint64 // sent and got by associations that ended
}

// context is a UE context at a gNB.
type context struct {
	ue     *UE
	gnb    *GNB
	ran    uint32
	amf    *uint64 // AMF UE NGAP ID; nil: not told yet
	stream uint16
	leaves bool // a handover was asked for
	stays  bool // … and cancelled
}

// run keeps the gNB associated until the RAN stops.
func (g *GNB) run() {
	defer g.ran.work.Done()
	ctx, cancel := stdcontext.WithCancel(stdcontext.Background())
	defer cancel()
	go func() {
		select {
		case <-g.ran.end:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		a, err := g.ran.cfg.Transport.Dial(ctx, g.cfg.Local, g.ran.cfg.AMF, g.ran.cfg.Options)
		if err == nil {
			g.serve(a)
			if g.cfg.Habits.NeverReconnect {
				return
			}
		}
		select {
		case <-g.ran.end:
			return
		case <-time.After(g.ran.cfg.Reconnect):
		}
	}
}

// serve is the life of one association.
func (g *GNB) serve(a sctp.Assoc) {
	p := newPeer(a)
	if !g.begin(p) {
		a.Abort("the lab ends")
		return
	}
	p.read(func(stream uint16, data []byte) {
		g.ran.mu.Lock()
		defer g.ran.mu.Unlock()
		g.take(stream, data)
	})
	g.ended(p)
}

func (g *GNB) begin(p *peer) bool {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	if g.ran.stopped {
		return false
	}
	g.peer = p
	g.setup()
	return true
}

// ended forgets the association and every UE context.
func (g *GNB) ended(p *peer) {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	g.truth.Lost++
	g.past[0] += p.sent.Load()
	g.past[1] += p.got.Load()
	g.peer, g.up = nil, false
	g.stopRetry()
	g.dropAll()
}

// dropAll ends every UE context without a word.
func (g *GNB) dropAll() {
	for _, c := range g.contexts {
		g.drop(c)
	}
}

// drop ends a UE context; its UE, if it is here still, notices.
func (g *GNB) drop(c *context) {
	delete(g.contexts, c.ran)
	switch c {
	case c.ue.context:
		c.ue.released()
	case c.ue.coming:
		c.ue.coming = nil
	}
}

func (g *GNB) stopRetry() {
	if g.retry != nil {
		g.retry.Stop()
	}
}

// setup begins NG Setup (8.7.1), which erases what was.
func (g *GNB) setup() {
	c := g.ran.cfg
	g.send(0, ngmsg.New(ngapType.ProcedureCodeNGSetup, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDGlobalRANNodeID, ngmsg.GNB(c.PLMN, g.cfg.ID)).
		Add(ngapType.ProtocolIEIDRANNodeName, ngmsg.Text(g.cfg.Name)).
		Add(ngapType.ProtocolIEIDSupportedTAList, ngmsg.SupportedTAs([]ngmsg.TAI{g.tai()}, c.Slices)).
		Add(ngapType.ProtocolIEIDDefaultPagingDRX, ngmsg.PagingDRX()))
	g.again(setupRetry)
}

// again repeats NG Setup after d, unless it is done by then.
func (g *GNB) again(d time.Duration) {
	g.stopRetry()
	p := g.peer
	g.retry = time.AfterFunc(d, func() {
		g.ran.mu.Lock()
		defer g.ran.mu.Unlock()
		if g.peer == p && p != nil && !g.up && !g.ran.stopped {
			g.setup()
		}
	})
}

func (g *GNB) tai() ngmsg.TAI { return ngmsg.TAI{PLMN: g.ran.cfg.PLMN, TAC: g.cfg.TAC} }

// send sends a message; without an association it is lost.
func (g *GNB) send(stream uint16, m *ngmsg.Message) {
	b, err := m.Encode()
	if err != nil {
		panic(err) // the lab made it
	}
	if g.peer != nil {
		g.peer.send(stream, b)
	}
}

// enter makes a UE context with the next free RAN UE NGAP ID.
func (g *GNB) enter(u *UE) *context {
	for {
		g.lastID++
		if _, taken := g.contexts[g.lastID]; !taken {
			break
		}
	}
	c := &context{ue: u, gnb: g, ran: g.lastID}
	if g.peer != nil {
		c.stream = g.peer.streamOf(c.ran)
	}
	g.contexts[c.ran] = c
	return c
}

// Truth is what happened to the gNB.
func (g *GNB) Truth() GNBTruth {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	t := g.truth
	t.ID, t.Up, t.Contexts, t.GUAMIs = g.cfg.ID, g.up, len(g.contexts), len(g.guamis)
	t.Sent, t.Got = g.past[0], g.past[1]
	if g.peer != nil {
		t.Sent += g.peer.sent.Load()
		t.Got += g.peer.got.Load()
	}
	return t
}

// Disconnect shuts the association down, or aborts it.
func (g *GNB) Disconnect(abort bool) {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	switch {
	case g.peer == nil:
	case abort:
		g.peer.assoc.Abort("the gNB restarts")
	default:
		g.peer.assoc.Close()
	}
}
