package n2

import (
	"slices"
	"time"

	"poolgw/ngap"
	"poolgw/sctp"
)

// Two associations with one Global RAN Node ID: a gNB that restarted must get in
// again, a forged one must not drive out one that lives. So the one that has the ID is
// proved first: it is sent an AMF Configuration Update that changes nothing (8.7.3.2),
// and lives when its SCTP acknowledges that or anything comes from it. Else it gives
// way.

// rivalry is the proof of the gNB that has an ID, while others want it.
type rivalry struct {
	asked  []func(alive bool) // who waits for the outcome
	until  time.Time          // then it is dead
	before uint64             // PDUs that had come from it
	proved time.Time          // it lived then
}

const (
	proofStep = 200 * time.Millisecond // as long as SCTP may delay an acknowledgement (RFC 9260 6.2)
	// proofPause is the time from one proof to the next: those that come again and
	// again wait for one together.
	proofPause = 2 * time.Second
	// rivalWait is the Time to Wait of one that is refused.
	rivalWait = time.Minute
)

// proofTime is how long a gNB has to prove that it lives: for several
// retransmissions.
func (c *Config) proofTime() time.Duration { return c.SCTP.HeartbeatInterval + 3*c.SCTP.RTOInitial }

// challenge has the gNB that has this one's ID proved. Meanwhile it may go by itself.
func (g *gnb) challenge(other *gnb, now time.Time) {
	g.log.Warn("another association has this gNB's ID: it is looked at first", "other", other.peer)
	g.state = gnbProbing
	trial := g.setupTrial
	other.ask(rival(g.serial), func(now time.Time) {
		other.prove(now, func(alive bool) {
			g.ask(verdict{}, func(now time.Time) { g.judged(other, alive, trial, now) })
		})
	})
	g.lookAgain(other, now)
}

// lookAgain goes on as soon as the ID is free.
func (g *gnb) lookAgain(other *gnb, now time.Time) {
	g.duringSetup(timeProbing, now, proofStep, func(now time.Time) {
		switch {
		case g.state != gnbProbing:
		case g.gw.holder(g.node.id) == other:
			g.lookAgain(other, now)
		default:
			g.register(now)
		}
	})
}

// judged is the outcome for the one that came later.
func (g *gnb) judged(other *gnb, alive bool, trial int, now time.Time) {
	if g.state != gnbProbing || g.setupTrial != trial {
		return
	}
	if !alive {
		g.register(now)
		return
	}
	g.gw.counters.rivals[0].Add(1)
	g.log.Warn("another gNB with this ID is alive: refused", "other", other.peer)
	g.refuseSetup(ngap.AppendCause(nil, ngap.CauseUnspecified), rivalWait)
	g.beFresh(now)
}

// prove finds out whether the gNB is there.
func (g *gnb) prove(now time.Time, tell func(alive bool)) {
	r := &g.rivalry
	r.asked = append(r.asked, tell)
	if len(r.asked) > 1 {
		return
	}
	if left := proofPause - now.Sub(r.proved); left > 0 {
		g.timers.set(proofTimer{}, now, left, g.beginProof)
		return
	}
	g.beginProof(now)
}

// beginProof asks the gNB for a sign of life.
func (g *gnb) beginProof(now time.Time) {
	r := &g.rivalry
	r.until, r.before = now.Add(g.gw.dir.Load().cfg.proofTime()), g.led.fromGNB.Load()
	update := g.made.New(ngap.CodeAMFConfigurationUpdate, ngap.Initiating).Append(nil)
	switch {
	case g.state != gnbUp: // it gets its NG Setup Response soon
	case g.announce.waiting: // it may be silent, and live
		g.originate(g.ran, 0, update)
	default:
		g.announce.sent, g.announce.waiting, g.announce.again = g.announce.told, true, nil
		g.tellGNB(update, now)
	}
	g.timers.set(proofTimer{}, now, proofStep, g.proving)
}

// allAcknowledged: a stack counts nothing of an association that has ended, which its
// reader may not have told yet; and usrsctp sends nothing on a path that is inactive, nor
// counts what waits for it.
func allAcknowledged(s sctp.Stats) bool {
	active := func(p sctp.PathStats) bool { return p.State == sctp.Active }
	return s.State == sctp.Established && s.Unacked == 0 && slices.ContainsFunc(s.Paths, active)
}

// proving looks whether the gNB has given a sign of life.
func (g *gnb) proving(now time.Time) {
	r := &g.rivalry
	came := g.led.fromGNB.Load() > r.before
	acknowledged := g.state == gnbUp && len(g.ran.queue) == 0 && allAcknowledged(g.ran.assoc.Stats())
	switch {
	case came || acknowledged:
		r.proved = now
	case g.state == gnbSetup && now.Before(r.until.Add(g.gw.dir.Load().cfg.SetupTimeout)), now.Before(r.until):
		g.timers.set(proofTimer{}, now, proofStep, g.proving) // while AMFs are asked nothing is sent to it
		return
	}
	asked := r.asked
	r.asked = nil
	if alive := came || acknowledged; alive {
		for _, tell := range asked {
			tell(true)
		}
		return
	}
	g.log.Warn("another association has this gNB's ID, and the gNB does not answer: it gives way")
	g.gw.counters.rivals[1].Add(1) // here: who takes the ID may see that it is free before it is told
	g.abort = "another association has the Global RAN Node ID"
	g.gw.unregister(g)
	g.state = gnbGone
	for _, tell := range asked {
		tell(false)
	}
}
