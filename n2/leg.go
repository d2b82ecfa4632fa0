package n2

import (
	"context"
	"math/rand/v2"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// leg is the way from one gNB to one AMF: an association with the gNB's NG
// Setup, kept up as long as both are there.
//
//	waiting ──dial──▶ dialling ──associated──▶ setup ──NG Setup Response──▶ up
//	   ▲                  │                      │                          │
//	   └─────back-off─────┴──────────────────────┴──────────lost────────────┘
type leg struct {
	m       *member
	cfg     AMF
	state   legState
	link    *link
	attempt int
	cancel  context.CancelFunc // of the dialling
	since   time.Time
	answer  []byte        // its NG Setup Response
	refused *ngap.Cause   // of its NG Setup Failure
	refusal []byte        // the same as it came, and
	wait    time.Duration // its Time to Wait
	trial   uint64        // which attempt: what belongs to an earlier one is ignored
	flaps   int           // how often it was lost soon after it was up
	probed  bool          // a probe is without answer
	from    uint64        // PDUs that came from the AMF
	to      uint64        // PDUs that the transport to it took
}

type legState uint8

const (
	legWaiting legState = iota
	legDialling
	legSetup
	legUp
)

var legStates = []string{"waiting", "dialling", "setup", "up"}

func (s legState) String() string { return legStates[s] }

// Back-off between attempts.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// addLegs dials members that have no leg, and lets go of those that are no
// longer members.
func (g *gnb) addLegs(now time.Time) {
	d := g.gw.dir.Load()
	for id, l := range g.legs {
		c := d.cfg.AMF(id)
		if d.byID[id] == l.m && c != nil && c.sameAssociation(l.cfg) {
			l.cfg = *c
			continue
		}
		g.log.Info("AMF no longer used", "amf", l.m.label)
		g.releaseUEs(l, now)
		g.forgetIncoming(id) // who has the number next did not ask
		g.forgetRequests(id)
		l.abandon(g, now)
		delete(g.legs, id)
	}
	for i, m := range d.members {
		c := d.cfg.AMFs[i]
		if g.legs[m.id] == nil && len(c.Remote.Addrs) > 0 {
			l := &leg{m: m, cfg: c, since: now}
			g.legs[m.id] = l
			g.dial(l, now)
		}
	}
	g.legChanged()
}

// attempt is the subject of a letter: how it ended.
type attempt struct {
	leg   *leg
	trial uint64
}

// dial opens an association; the outcome comes by mail.
func (g *gnb) dial(l *leg, now time.Time) {
	l.trial++
	l.state, l.since = legDialling, now
	trial := l.trial
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	o, c := g.gw.dir.Load().cfg.SCTP, l.cfg // l.cfg may change meanwhile
	o.Encapsulation = c.Transport.Encapsulation
	g.readers.Go(func() {
		a, over, err := g.gw.associate(ctx, c, o)
		if ctx.Err() != nil { // nobody waits any more
			if a != nil {
				a.Abort("no longer needed")
			}
			return
		}
		g.mail.post(attempt{l, trial}, func(now time.Time) {
			if l.trial != trial || l.state != legDialling || g.state == gnbGone {
				if a != nil {
					a.Abort("no longer needed")
				}
				return
			}
			g.dialled(l, a, over, err, now)
		})
	})
}

// associate also returns the transport's name.
func (g *Gateway) associate(ctx context.Context, c AMF, o sctp.Options) (sctp.Assoc, string, error) {
	t, _, err := g.opt.Transport(c.Transport)
	if err != nil {
		return nil, "", err
	}
	a, err := t.Dial(ctx, sctp.At(0, c.Local...), c.Remote, o)
	return a, t.Name(), err
}

// dialled is the end of an attempt to associate.
func (g *gnb) dialled(l *leg, a sctp.Assoc, over string, err error, now time.Time) {
	l.cancel()
	if err != nil {
		if l.attempt == 0 {
			g.slog.Warn("no association to the AMF", "amf", l.m.label, "remote", l.cfg.Remote.String(), "why", err)
		}
		g.retry(l, 0, now)
		g.setupConcluded(now)
		return
	}
	l.link = g.newLink(a, l, over)
	l.state, l.since = legSetup, now
	g.originate(l.link, 0, g.node.setup)
	trial := l.trial
	g.timers.set(legTimer{l, legSetupTimer}, now, g.gw.dir.Load().cfg.SetupTimeout, func(now time.Time) {
		if l.trial == trial && l.state == legSetup {
			g.log.Warn("the AMF does not answer NG Setup", "amf", l.m.label)
			g.hangUp(l, 0, now)
		}
	})
}

// hangUp ends an association that leads to nothing, and tries again.
func (g *gnb) hangUp(l *leg, wait time.Duration, now time.Time) {
	g.drop(l.link, "NG Setup failed")
	l.link = nil
	g.retry(l, wait, now)
	g.setupConcluded(now)
}

// retry dials again after a jittered back-off, not before wait.
func (g *gnb) retry(l *leg, wait time.Duration, now time.Time) {
	d := min(firstRetry<<min(max(l.attempt, l.flaps-1), 10), lastRetry)
	d = d*3/4 + rand.N(d/2)
	l.attempt++
	l.trial++
	l.state, l.since = legWaiting, now
	trial := l.trial
	g.timers.set(legTimer{l, legRetryTimer}, now, max(d, wait), func(now time.Time) {
		if l.trial == trial && l.state == legWaiting {
			g.dial(l, now)
		}
	})
}

// abandon ends a leg for good.
func (l *leg) abandon(g *gnb, now time.Time) {
	l.trial++
	if l.cancel != nil {
		l.cancel()
	}
	if l.link != nil {
		g.drop(l.link, "")
		l.link = nil
	}
	if l.state == legUp {
		g.gw.legUp(l.m, false, now)
	}
	l.state = legWaiting
	l.m.past.from.Add(l.from)
	l.m.past.to.Add(l.to)
	l.from, l.to = 0, 0
	g.legChanged()
}

// fromLeg is one event of an association to an AMF.
func (g *gnb) fromLeg(in *inbound, now time.Time) {
	l := in.link.leg
	if l.link != in.link { // of an association that was let go
		if in.err == nil && in.event.Kind == sctp.Data {
			one(&g.led.fromAMF)
			g.led.lose(classIn(in.b), DropLost, 1)
		}
		return
	}
	switch {
	case in.err != nil:
		g.legLost(l, in.err, now)
	case in.event.Kind == sctp.Data:
		one(&g.led.fromAMF)
		l.from++
		if g.gw.dir.Load().byID[l.m.id] != l.m { // no member any more; the owner is about to hear of it
			g.led.lose(classIn(in.b), DropLate, 1)
			return
		}
		g.receive(in, l, now)
	case in.event.Kind == sctp.Restart:
		g.legLost(l, errRestarted, now)
	default:
		g.tell(in)
	}
}

// legLost is the end of an association that was in use.
func (g *gnb) legLost(l *leg, why error, now time.Time) {
	was := l.state
	g.drop(l.link, "association lost")
	l.link = nil
	g.gw.counters.lostAMFs.Add(1)
	l.m.lost.Add(1)
	g.slog.Warn("the association to the AMF ended", "amf", l.m.label, "state", was.String(), "why", why)
	if was == legUp {
		g.gw.legUp(l.m, false, now)
		l.attempt = 0
		l.lostAgain(now)
	}
	g.retry(l, 0, now)
	g.legChanged()
	if was == legUp {
		g.amfLost(l, now)
	} else {
		g.setupConcluded(now)
	}
}
