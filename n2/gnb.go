package n2

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"poolgw/ngap"
	"poolgw/pool"
	"poolgw/sctp"
)

// gnb is the owner of one gNB: all but led and mail is its goroutine's.
type gnb struct {
	gw      *Gateway
	serial  uint32
	bind    string
	peer    string        // the gNB's addresses
	from    []netip.Addr  // the same
	gone    chan struct{} // closed when nothing is left of it
	left    bool          // the gNB ended the association
	leaving bool          // it gives way; under the gateway's lock
	settled atomic.Bool   // its NG Setup is done
	abort   string        // why its association ends at once; "": after what was sent
	log     *slog.Logger
	slog    *slog.Logger // of associations
	mail    mail
	led     ledger
	trace   *trace // nil: none

	state      gnbState
	setupTrial int      // NG Setup Requests taken up: what belongs to an earlier one is ignored
	ids        idScheme // that its UEs' IDs are made by
	ran        *link
	fromRAN    inbox
	fromAMF    inbox
	readers    sync.WaitGroup
	legs       map[uint8]*leg // by member's number
	timers     timers
	since      time.Time

	node     node
	announce announcement // what the gNB was told of the pool
	upMask   pool.Mask
	maskOf   *directory // that upMask is for

	ues       *ueTable
	newUEs    allowance
	setups    allowance
	unions    allowance         // what it hears of the pool
	incoming  map[ref]time.Time // handovers to this gNB that it has not answered
	asked     requests
	sessions  users[ngap.MBSSession]
	routing   users[string] // NRPPa and timing: who uses a Routing ID
	ranUpdate *ranUpdate    // a RAN Configuration Update under way
	sweeping  bool          // a sweep is to come
	rivalry   rivalry

	msg  msg      // the one under way
	pdu  ngap.PDU // its PDU
	made ngap.PDU // one that is made, while pdu is still needed
	out  []byte
}

// gnbState is how far a gNB is with its NG Setup.
type gnbState uint8

const (
	gnbFresh   gnbState = iota // an association, nothing more
	gnbProbing                 // its ID is another one's: that one is looked at first
	gnbSetup                   // AMFs are being asked
	gnbUp
	gnbGone
)

var gnbStates = []string{"fresh", "probing", "setup", "up", "gone"}

func (s gnbState) String() string { return gnbStates[s] }

// node is what a gNB says of itself.
type node struct {
	id    ngap.NodeID
	known bool
	name  string
	tas   []ngap.SupportedTA
	setup []byte // its NG Setup Request, kept as later updates have it, for AMFs that come later
}

func newGNB(g *Gateway, serial uint32, bind, transport string, a sctp.Assoc) *gnb {
	o := &gnb{gw: g, serial: serial, bind: bind, mail: newMail(), fromRAN: newInbox(64), fromAMF: newInbox(256),
		legs: make(map[uint8]*leg), ues: newUETable(), incoming: make(map[ref]time.Time),
		since: g.clock(), peer: a.Remote().String(), from: a.Remote().Addrs, gone: make(chan struct{})}
	o.logAs(a.Remote().String())
	o.ids = g.dir.Load().ids
	o.ran = o.newLink(a, nil, transport)
	return o
}

// logAs has the log tell whose lines these are.
func (g *gnb) logAs(label string) {
	g.log, g.slog = g.gw.log.With("gnb", label), g.gw.slog.With("gnb", label)
}

// ask has the owner run f, unless the gNB is gone by then, or something else is
// asked about the same subject.
func (g *gnb) ask(subject any, f func(now time.Time)) {
	g.mail.post(subject, func(now time.Time) {
		if g.state != gnbGone {
			f(now)
		}
	})
}

// newLink takes an association over a transport over.
func (g *gnb) newLink(a sctp.Assoc, l *leg, transport string) *link {
	k := &link{assoc: a, leg: l, all: &g.gw.backlog, over: transport, streams: a.Stats().OutStreams, done: make(chan struct{})}
	a.OnWritable(func() { g.ask(k, func(time.Time) { g.flush(k) }) })
	to := g.fromRAN
	if l != nil {
		to = g.fromAMF
	}
	g.readers.Go(func() { k.read(to) })
	return k
}

// drop closes a link and forgets what stands in its queue.
func (g *gnb) drop(k *link, abort string) {
	close(k.done)
	k.closed = true
	n := g.led.loseAll(k.discard(), DropLost)
	g.led.queued.Store(g.led.queued.Load() - n)
	if abort != "" {
		k.assoc.Abort(abort)
	} else {
		k.assoc.Close()
	}
}

// flush sends what stood in k's queue.
func (g *gnb) flush(k *link) {
	sent, refused := k.flush()
	n := uint64(sent)
	g.led.queued.Store(g.led.queued.Load() - n - g.led.loseAll(refused, DropFull))
	to := &g.led.toGNB
	if k.leg != nil {
		to = &g.led.toAMF
		k.leg.to += n
	}
	to.Store(to.Load() + n)
}

// run is the owner's loop.
func (g *gnb) run(life context.Context) {
	defer g.finish()
	g.slog.Info("gNB associated", "bind", g.bind)
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	g.duringSetup(timePatience, g.gw.clock(), setupPatience, g.tooLate)
	var armed time.Time
	for g.state != gnbGone {
		armed = g.arm(alarm, armed)
		fromAMF := g.fromAMF.c
		if g.ran.high() {
			fromAMF = nil // the gNB is slow: AMFs have to wait
		}
		select {
		case in := <-g.fromRAN.c:
			g.fromGNB(in, g.gw.clock())
			in.release()
		case in := <-fromAMF:
			g.fromLeg(in, g.gw.clock())
			in.release()
		case <-g.mail.wake:
			for _, f := range g.mail.take() {
				f(g.gw.clock())
			}
		case <-alarm.C:
			armed = time.Time{}
			g.timers.due(g.gw.clock())
		case <-life.Done():
			g.state = gnbGone
		}
	}
}

// arm sets the alarm to the earliest deadline, unless it was armed for that: most
// PDUs change no deadline.
func (g *gnb) arm(alarm *time.Timer, armed time.Time) time.Time {
	at, ok := g.timers.next()
	if ok && !at.Equal(armed) {
		alarm.Reset(at.Sub(g.gw.clock()))
		return at
	}
	return armed
}

// setupPatience is how long an association may be without NG Setup.
const setupPatience = time.Minute

func (g *gnb) tooLate(time.Time) {
	if g.state == gnbFresh {
		g.log.Warn("no NG Setup Request came: association ended")
		g.state = gnbGone
	}
}

// finish lets go of all that the owner has.
func (g *gnb) finish() {
	g.gw.unregister(g) // its ID is free while the associations close
	for _, l := range g.legs {
		l.abandon(g, g.gw.clock())
	}
	g.ues.each(g.outlive)
	g.dropUEs()
	g.drop(g.ran, g.abort)
	g.readers.Wait()
	for _, f := range g.mail.take() { // associations that came too late
		f(g.gw.clock())
	}
	g.endTrace("the gNB is gone")
	g.gw.forget(g)
	close(g.gone)
	g.log.Info("gNB gone", "name", g.node.name)
}

// dropUEs forgets every binding.
func (g *gnb) dropUEs() {
	for _, ran := range g.ues.all() {
		g.unbind(ran)
	}
	for r := range g.incoming {
		delete(g.incoming, r)
		g.forgetRef(r)
	}
}

// forget takes an owner out of the gateway's lists.
func (g *Gateway) forget(o *gnb) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.gnbs, o.serial)
	if o.node.known && g.nodes[o.node.id] == o {
		delete(g.nodes, o.node.id)
	}
	g.ended(o, g.clock())
	g.past.Add(o.led.read())
	o.led.addProcedures(&g.done)
}

// fromGNB is one event of the gNB's association.
func (g *gnb) fromGNB(in *inbound, now time.Time) {
	if in.err != nil {
		g.gw.counters.lostGNBs.Add(1)
		g.left = true
		g.slog.Warn("the gNB's association ended", "name", g.node.name, "why", in.err)
		g.state = gnbGone
		return
	}
	switch in.event.Kind {
	case sctp.Data:
		one(&g.led.fromGNB)
		g.receive(in, nil, now)
	case sctp.Restart:
		g.restarted(now)
	default:
		g.tell(in)
	}
}

// restarted is a gNB that began its association anew (RFC 9260 5.2.4).
func (g *gnb) restarted(now time.Time) {
	if !g.setups.take(now, setupRate, setupBurst) {
		g.slog.Warn("the gNB restarts its association again and again: ended", "name", g.node.name)
		g.gw.counters.limited[limitStorm].Add(1)
		g.abort, g.state = "restarts again and again", gnbGone
		return
	}
	g.slog.Warn("the gNB restarted its association: its UEs are gone", "name", g.node.name)
	g.restart(now)
}

// tell logs what happened on an association and has no further consequence.
func (g *gnb) tell(in *inbound) {
	switch in.event.Kind {
	case sctp.PathChange:
		g.slog.Warn("path changed", in.link.attr(), "address", in.event.Path.Addr.String(), "state", in.event.Path.State.String())
	case sctp.SendFailed:
		g.slog.Warn("a message was not delivered", in.link.attr())
	case sctp.TooLong:
		g.gw.counters.oversized.Add(1)
		g.slog.Warn("a message was too long and is lost", in.link.attr())
	}
}

// restart begins anew on the same association.
func (g *gnb) restart(now time.Time) {
	for id, l := range g.legs {
		l.abandon(g, now)
		delete(g.legs, id)
	}
	g.dropUEs()
	g.gw.unregister(g)
	g.announce, g.ranUpdate = announcement{trial: g.announce.trial}, nil
	g.asked, g.sessions = requests{}, users[ngap.MBSSession]{}
	g.beFresh(now)
}

// up is the set of members that this gNB has an association with NG Setup to.
func (g *gnb) up(d *directory) pool.Mask {
	if g.maskOf != d {
		g.upMask, g.maskOf = pool.Mask{}, d
		for id, l := range g.legs {
			if l.state == legUp && d.byID[id] == l.m {
				g.upMask.Add(d.index[id])
			}
		}
	}
	return g.upMask
}

// legChanged makes the mask be made anew.
func (g *gnb) legChanged() { g.maskOf = nil }
