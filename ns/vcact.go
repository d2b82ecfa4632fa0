package ns

import "time"

// Actions of the NS-VC machine: entering states.

func (v *VC) enterUnconfigured(time.Time) {
	v.stopProc()
	v.stopTest()
}

func (v *VC) enterReset(now time.Time) {
	v.stopProc()
	v.stopTest()
	v.peerBlocked, v.omAcked = false, false
	if v.sendsReset {
		v.sendReset(now)
	}
}

// enterBlocked begins the test procedure and, when it is ours to do, the block
// or unblock procedure.
func (v *VC) enterBlocked(now time.Time) {
	v.stopProc()
	v.sendsReset = v.initiator
	switch {
	case v.omBlocked:
		v.sendBlock(now)
	case v.peerBlocked:
	case v.initiator || v.wantsUnblock:
		v.sendUnblock(now)
	}
	v.startTest(now)
}

func (v *VC) enterUnblocked(now time.Time) {
	v.releaseWaiting()
	v.stopProc()
	v.wantsUnblock, v.peerBlocked = false, false
	if v.resetMode() {
		v.events.Unblocked++
	}
	v.startTest(now)
}

func (v *VC) enterRecovering(now time.Time) {
	v.stopTest()
	v.startTest(now)
}

func (v *VC) sendReset(now time.Time) {
	v.send(buildReset(CauseOAM, v.nsvci, v.nse.nsei))
	v.armProc(now, TnsReset)
}

func (v *VC) sendBlock(now time.Time) {
	v.omAcked = false
	v.send(buildBlock(CauseOAM, v.nsvci))
	v.armProc(now, TnsBlock)
}

func (v *VC) sendUnblock(now time.Time) {
	v.dropWaiting()
	v.sendBare(PDUUnblock)
	v.armProc(now, TnsBlock)
}

// Actions: events.

func (v *VC) start(now time.Time) {
	v.awaited = false
	switch {
	case !v.bind.carries(v.remote): // until its DLCI is active
	case v.resetMode():
		v.sendsReset = v.initiator
		v.to(stReset, now)
	case v.nse.dialect == DialectSNS: // assumed alive, TS 48.016 7.4b.1.2
		v.to(stUnblocked, now)
	default:
		v.to(stRecovering, now)
	}
}

func (v *VC) force(now time.Time) { v.to(stUnconfigured, now) }

// rxReset acknowledges; crossed RESETs are an acknowledge to each other.
func (v *VC) rxReset(now time.Time) {
	v.send(buildResetAck(v.nsvci, v.nse.nsei))
	v.peerBlocked = false
	v.stopTest()
	v.to(stBlocked, now)
}

func (v *VC) rxResetAck(now time.Time) {
	if v.sendsReset {
		v.to(stBlocked, now)
	}
}

// resetTimeout repeats the RESET for ever: an NS-VC is never given up.
func (v *VC) resetTimeout(now time.Time) {
	v.events.LostReset++
	v.procRetries++
	if v.procRetries == v.stack.cfg.Timers.retries(TnsResetRetries)+1 {
		v.stack.log.Warn("NS-RESET got no answer; going on", "cat", "lns", "nsvc", v)
	}
	v.sendReset(now)
}

// rxBlock: the caller has sent the BLOCK-ACK.
func (v *VC) rxBlock(now time.Time) {
	v.events.Blocked++
	v.peerBlocked, v.wantsUnblock = true, false
	if !v.omBlocked {
		v.stopProc()
	}
	if v.current() != stBlocked {
		v.to(stBlocked, now)
	}
}

func (v *VC) rxBlockAck(time.Time) {
	if v.omBlocked && !v.omAcked {
		v.omAcked = true
		v.stopProc()
		v.publish(stBlocked)
	}
}

func (v *VC) rxUnblock(now time.Time) {
	if v.omBlocked {
		v.peerBlocked = false
		v.sendBlock(now)
		v.publish(stBlocked)
		return
	}
	v.sendBare(PDUUnblockAck)
	if v.current() == stBlocked {
		v.to(stUnblocked, now)
	}
}

// rxUnblockAck counts only while we wait for it.
func (v *VC) rxUnblockAck(now time.Time) {
	if !v.omBlocked && !v.peerBlocked && v.proc.pos != 0 {
		v.to(stUnblocked, now)
	}
}

// rxAliveAwaited: the peer has done its part of an SNS-ADD before its answer is
// here. No other NS-VC answers before it is started.
func (v *VC) rxAliveAwaited(now time.Time) {
	if !v.early() {
		v.bind.drop(DropState)
		return
	}
	v.event(now, evStart)
	v.rxAlive(now)
}

func (v *VC) rxAlive(time.Time) { v.sendBare(PDUAliveAck) }

// maxAskBack bounds how often, in one period of tns-alive, a peer's NS-ALIVE has
// us send our own.
const maxAskBack = 3

// rxAliveRecovering: the peer lives. Our own NS-ALIVE goes before the answer, so
// that the peer, which may send as soon as it has the answer, finds us ready.
func (v *VC) rxAliveRecovering(now time.Time) {
	if v.askedBack < maxAskBack {
		v.askedBack++
		v.sendAlive(now)
	}
	v.rxAlive(now)
}

func (v *VC) rxAliveAck(now time.Time) {
	if v.testAcked(now) && v.current() == stRecovering {
		v.to(stUnblocked, now)
	}
}

func (v *VC) statusBlocked(now time.Time) {
	v.events.Blocked++
	v.to(stBlocked, now)
}

// statusUnknown begins anew: with RESET, which the NS-VC's maker sends. Where there is
// no RESET the peer is asked by an NS-ALIVE: when it says so again, the NS-VC is dead,
// without the rest of the test procedure. Not at once: a STATUS may be late.
func (v *VC) statusUnknown(now time.Time) {
	switch {
	case v.resetMode():
		v.to(stReset, now)
	case v.pending:
		v.died(now, "NS-VC is dead: its peer does not know it")
	default:
		v.sendAlive(now)
	}
}

// blockTimeout repeats BLOCK or UNBLOCK. Without an answer an UNBLOCK goes
// back to RESET; a BLOCK holds on our side alone.
func (v *VC) blockTimeout(now time.Time) {
	v.procRetries++
	exhausted := v.procRetries > v.stack.cfg.Timers.retries(TnsBlockRetries)
	switch {
	case v.omBlocked && exhausted:
		v.stack.log.Warn("NS-BLOCK got no answer", "cat", "lns", "nsvc", v)
		v.omAcked = true
		v.stopProc()
		v.publish(stBlocked)
	case v.omBlocked:
		v.sendBlock(now)
	case exhausted:
		v.sendsReset = true
		v.to(stReset, now)
	default:
		v.sendUnblock(now)
	}
}

func (v *VC) dead(now time.Time) { v.died(now, "NS-VC is dead: NS-ALIVE got no answer") }

func (v *VC) died(now time.Time, why string) {
	v.events.Dead++
	v.stack.log.Warn(why, "cat", "lns", "nsvc", v)
	if v.resetMode() {
		v.to(stReset, now)
		return
	}
	v.to(stRecovering, now)
}

func (v *VC) omBlock(now time.Time) {
	v.omBlocked, v.wantsUnblock = true, false
	if v.current() != stReset {
		v.events.Blocked++
		v.to(stBlocked, now)
	}
}

func (v *VC) omUnblock(now time.Time) {
	if !v.omBlocked {
		return
	}
	v.omBlocked, v.omAcked, v.wantsUnblock = false, false, true
	if v.current() == stBlocked {
		v.to(stBlocked, now)
	}
}

func (v *VC) omReset(now time.Time) {
	v.sendsReset = true
	v.to(stReset, now)
}
