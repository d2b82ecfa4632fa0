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
	v.delay = now.Sub(v.sentAlive)
	v.stack.timers.set(&v.test, now.Add(v.stack.cfg.Timers.duration(TnsTest)))
	return true
}
