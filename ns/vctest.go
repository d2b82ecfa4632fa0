package ns

import "time"

// The test procedure of an NS-VC, TS 48.016 7.4: an NS-ALIVE every tns-test,
// each repeated every tns-alive; after tns-alive-retries repetitions without
// answer the NS-VC is dead.

func (v *VC) startTest(now time.Time) {
	if v.testing {
		return
	}
	v.testing = true
	v.lost = 0
	v.sendAlive(now)
}

func (v *VC) stopTest() {
	v.testing, v.pending = false, false
	v.stack.timers.stop(&v.test)
}

func (v *VC) sendAlive(now time.Time) {
	v.pending, v.sentAlive = true, now
	v.sendBare(PDUAlive)
	v.stack.timers.set(&v.test, now.Add(v.stack.cfg.Timers.duration(TnsAlive)))
}

func (v *VC) testExpired(now time.Time) {
	if !v.testing {
		return
	}
	v.askedBack = 0
	if !v.pending {
		v.lost = 0
		v.sendAlive(now)
		return
	}
	v.events.LostAlive++
	v.lost++
	if v.lost > v.stack.cfg.Timers.retries(TnsAliveRetries) && v.current() != stRecovering {
		v.event(now, evAliveLost)
		return
	}
	v.sendAlive(now)
}

// testAcked takes an NS-ALIVE-ACK; one that nobody waits for changes nothing.
func (v *VC) testAcked(now time.Time) bool {
	if !v.testing || !v.pending {
		return false
	}
	v.pending = false
	v.answered = now
	v.delay = now.Sub(v.sentAlive)
	v.stack.timers.set(&v.test, now.Add(v.stack.cfg.Timers.duration(TnsTest)))
	return true
}

// Probe sends NS-ALIVE at once on each NS-VC of the NSE that is tested and has
// none unanswered; AnsweredSince then tells whether the peer lives, long before
// the test procedure gives it up. An unanswered one counts as any other of the
// test.
func (n *NSE) Probe(now time.Time) {
	for _, v := range n.vcs {
		if v.testing && !v.pending {
			v.sendAlive(now)
		}
	}
}

// AnsweredSince tells whether an NS-ALIVE was acknowledged at t or later, on any
// of the NSE's NS-VCs.
func (n *NSE) AnsweredSince(t time.Time) bool {
	for _, v := range n.vcs {
		if !v.answered.IsZero() && !v.answered.Before(t) {
			return true
		}
	}
	return false
}
