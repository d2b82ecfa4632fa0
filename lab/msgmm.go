package lab

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/nri"
)

// msHandlers are the messages a subscriber takes.
var msHandlers = map[gmm.Type]func(m *ms, now time.Time, msg gmm.Message){
	gmm.AttachAccept:        (*ms).attachAccept,
	gmm.AttachReject:        (*ms).attachReject,
	gmm.RAUAccept:           (*ms).rauAccept,
	gmm.RAUReject:           (*ms).rauReject,
	gmm.DetachRequest:       (*ms).networkDetach,
	gmm.DetachAccept:        (*ms).detachAccept,
	gmm.IdentityRequest:     (*ms).identityRequest,
	gmm.PTMSIReallocCommand: (*ms).reallocation,
}

// downlink takes one LLC frame.
func (m *ms) downlink(now time.Time, frame []byte) {
	u, err := llc.Parse(frame)
	if errors.Is(err, llc.ErrNotUI) {
		m.xid(now, frame)
		return
	}
	if err != nil {
		m.count.Unintelligible++
		return
	}
	if u.SAPI != llc.SAPIGMM {
		m.echo(now, u.Info)
		return
	}
	msg, err := gmm.Parse(u.Info, false)
	if err != nil {
		m.count.Unintelligible++
		return
	}
	if h := msHandlers[msg.Type]; h != nil {
		h(m, now, msg)
	}
}

// xid takes an XID frame: what is proposed is agreed to, and a reset begins the
// sequence numbers anew (TS 44.064 6.4.1.6).
func (m *ms) xid(now time.Time, frame []byte) {
	x, err := llc.ParseXID(frame, true)
	switch {
	case err != nil:
		m.count.Unintelligible++
		return
	case x.Response: // nothing was asked
		return
	case x.Has(llc.XIDReset):
		clear(m.nu[:])
	}
	answer := llc.XID{SAPI: x.SAPI, Response: true, Final: x.Final}
	m.at.uplink(now, m, m.tlli, answer.Append(nil))
}

// attach begins an attach: with a foreign TLLI of the P-TMSI, without one with
// a random TLLI (TS 23.003 2.6, TS 24.008 4.7.1.4).
func (m *ms) attach(now time.Time) {
	msg := gmm.Message{Type: gmm.AttachRequest, OldRAI: m.rai}
	if m.hasPTMSI {
		msg.PTMSI = &m.ptmsi
		m.use(nri.ForeignTLLI(m.ptmsi))
	} else {
		msg.IMSI = m.imsi
		msg.OldRAI = gmm.RAI(m.cell.RAI)
		m.use(0x78000000 | m.rng.Uint32()&0x07ffffff)
	}
	m.state = msAttaching
	m.ask(now, msg)
}

// update begins a routing area update: periodic with the local TLLI in the
// routing area of the P-TMSI, with a foreign one elsewhere.
func (m *ms) update(now time.Time) {
	msg := gmm.Message{Type: gmm.RAURequest, OldRAI: m.rai, Update: gmm.PeriodicUpdating}
	tlli := nri.LocalTLLI(m.ptmsi)
	if m.rai != gmm.RAI(m.cell.RAI) {
		msg.Update = gmm.RAUpdating
		tlli = nri.ForeignTLLI(m.ptmsi)
	}
	m.use(tlli)
	m.state = msUpdating
	m.ask(now, msg)
}

// retryDue repeats a procedure's message, or begins an attach.
func (m *ms) retryDue(now time.Time) {
	switch {
	case m.state == msDeregistered && !m.at.ready(m): // the cell offers no GPRS now
		m.due[msRetry] = now.Add(time.Second)
	case m.state == msDeregistered:
		m.attach(now)
	case m.state == msRegistered:
		return
	case m.tries < maxTries:
		m.tries++
		m.count.Retries++
		m.due[msRetry] = now.Add(m.b.Retry)
		m.frame(now, llc.SAPIGMM, m.request)
	default:
		m.count.GaveUp++
		m.hasPTMSI = false
		m.deregister(now, m.b.Backoff)
	}
}

// deregister leaves the network; the next attach begins after wait.
func (m *ms) deregister(now time.Time, wait time.Duration) {
	m.interrupt()
	m.state = msDeregistered
	m.suspended = false
	m.due = [numMSTimers]time.Time{msRetry: now.Add(wait)}
}

func (m *ms) attachAccept(now time.Time, msg gmm.Message) {
	switch m.state {
	case msAttaching:
		m.count.Attaches++
		m.register(now, msg, gmm.AttachComplete)
	case msRegistered: // repeated: our complete was lost
		m.complete(now, msg, gmm.AttachComplete)
	}
}

func (m *ms) rauAccept(now time.Time, msg gmm.Message) {
	switch m.state {
	case msUpdating:
		m.count.RAUs++
		m.register(now, msg, gmm.RAUComplete)
	case msRegistered:
		m.complete(now, msg, gmm.RAUComplete)
	}
}

// register takes what an accept gives.
func (m *ms) register(now time.Time, msg gmm.Message, answer gmm.Type) {
	first := m.state == msAttaching
	m.state = msRegistered
	m.request = nil
	m.due[msRetry] = time.Time{}
	m.t3312 = msg.Timer
	m.due[msPeriodic] = time.Time{}
	if msg.Timer > 0 {
		m.due[msPeriodic] = now.Add(msg.Timer)
	}
	m.rai = msg.RAI
	m.noteServing()
	m.complete(now, msg, answer)
	if first {
		m.set(msData, now, m.b.Data)
		m.set(msLeave, now, m.b.Leave)
		m.set(msMove, now, m.b.Move)
		m.set(msSuspend, now, m.b.Suspend)
	}
}

// complete takes the P-TMSI of msg, if there is one, and acknowledges it; the
// local TLLI of the P-TMSI is the one in use from now on.
func (m *ms) complete(now time.Time, msg gmm.Message, answer gmm.Type) {
	if msg.PTMSI != nil {
		m.ptmsi, m.hasPTMSI = *msg.PTMSI, true
	}
	if !m.hasPTMSI {
		return
	}
	if tlli := nri.LocalTLLI(m.ptmsi); tlli != m.tlli {
		m.use(tlli)
	}
	if msg.PTMSI != nil {
		m.send(now, gmm.Message{Type: answer})
	}
}

func (m *ms) attachReject(now time.Time, msg gmm.Message) {
	if m.state != msAttaching {
		return
	}
	m.count.AttachRejects++
	m.hasPTMSI = false
	m.deregister(now, m.b.Retry)
}

// rauReject: with "implicitly detached" the subscriber attaches anew at once,
// with "identity cannot be derived" without its P-TMSI (TS 24.008 4.7.5.1.4).
func (m *ms) rauReject(now time.Time, msg gmm.Message) {
	if m.state != msUpdating {
		return
	}
	m.count.RAURejects++
	if msg.Cause != gmm.CauseImplicitlyDetached {
		m.hasPTMSI = false
	}
	m.deregister(now, 0)
	m.retryDue(now)
}

// networkDetach obeys the SGSN (TS 24.008 4.7.4.2.2).
func (m *ms) networkDetach(now time.Time, msg gmm.Message) {
	if m.state == msDeregistered || m.state == msAttaching {
		return
	}
	m.count.NetDetaches++
	m.send(now, gmm.Message{Type: gmm.DetachAccept})
	wait := m.b.Away
	if msg.Reattach {
		wait = 0
	}
	m.deregister(now, wait)
	if wait == 0 {
		m.retryDue(now)
	}
}

func (m *ms) detachAccept(now time.Time, msg gmm.Message) {
	if m.state != msDetaching {
		return
	}
	m.count.Detaches++
	m.deregister(now, m.b.Away)
}

// identityRequest: the lab's SGSNs ask for the IMSI, others for the phone too.
func (m *ms) identityRequest(now time.Time, msg gmm.Message) {
	answer := gmm.Message{Type: gmm.IdentityResponse}
	switch msg.Identity {
	case gmm.IdentityIMSI:
		answer.IMSI = m.imsi
	case gmm.IdentityIMEI:
		answer.IMEI = imei(m.id)
	case gmm.IdentityIMEISV:
		answer.IMEI = imei(m.id) + "1"
	default:
		return
	}
	m.count.Identities++
	m.send(now, answer)
}

// imei is the IMEI of a subscriber's phone, with 0 where the check digit stands
// (TS 23.003 6.2.1); an IMEISV has two digits of software version there.
func imei(id uint32) string { return fmt.Sprintf("35000000%06d0", id%1000000) }

func (m *ms) reallocation(now time.Time, msg gmm.Message) {
	if m.state != msRegistered {
		return
	}
	m.count.Reallocations++
	m.rai = msg.RAI
	m.complete(now, msg, gmm.PTMSIReallocComplete)
}

func (m *ms) periodicDue(now time.Time) {
	switch {
	case m.state != msRegistered:
	case m.suspended: // in a call: when it is over
		m.due[msPeriodic] = now.Add(time.Second)
	default:
		m.update(now)
	}
}

// leaveDue detaches.
func (m *ms) leaveDue(now time.Time) {
	if m.state != msRegistered || m.busy() {
		m.set(msLeave, now, time.Second)
		return
	}
	if m.rng.Float64() < m.b.NewSIM {
		m.powerOff(now)
		return
	}
	m.state = msDetaching
	m.ask(now, gmm.Message{Type: gmm.DetachRequest, PTMSI: &m.ptmsi})
}

// powerOff detaches without awaiting an answer (TS 24.008 4.7.4.1.1); who comes
// after it has no P-TMSI.
func (m *ms) powerOff(now time.Time) {
	m.count.PowerOffs++
	m.send(now, gmm.Message{Type: gmm.DetachRequest, PTMSI: &m.ptmsi, PowerOff: true})
	m.hasPTMSI = false
	m.deregister(now, m.b.Away)
}

// arrived goes on in another cell: an update in another routing area, else any
// frame (a cell update, TS 23.060 6.9.1.1).
func (m *ms) arrived(now time.Time, from gmm.RAI) {
	m.count.Moves++
	m.set(msMove, now, m.b.Move)
	switch {
	case m.state != msRegistered:
	case !bytes.Equal(from[:], m.cell.RAI[:]):
		m.update(now)
	default:
		m.frame(now, llc.SAPILL3, nil)
	}
}

func (m *ms) moveDue(now time.Time) {
	if m.state != msRegistered || m.busy() {
		m.set(msMove, now, time.Second)
		return
	}
	m.at.move(now, m)
}

// suspendDue begins or ends a suspension (TS 23.060 16.2.1).
func (m *ms) suspendDue(now time.Time) {
	switch {
	case m.suspended:
		m.suspended = false
		m.at.resume(now, m)
		m.set(msSuspend, now, m.b.Suspend)
	case m.state != msRegistered || m.busy():
		m.set(msSuspend, now, time.Second)
	default:
		m.suspended = true
		m.count.Suspends++
		m.at.suspend(now, m)
		m.set(msSuspend, now, m.b.Away)
	}
}
