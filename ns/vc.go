package ns

import (
	"net/netip"
	"sync/atomic"
	"time"
)

// vcState is a state of the NS-VC machine, vcfsm.go.
type vcState uint8

const (
	stUnconfigured vcState = iota
	stReset
	stBlocked
	stUnblocked
	stRecovering
	numVCStates
)

var vcStateNames = [numVCStates]string{"UNCONFIGURED", "RESET", "BLOCKED", "UNBLOCKED", "RECOVERING"}

func (s vcState) String() string { return name(vcStateNames[:], "state", uint8(s)) }

// The bits beside the state in the atomic word of an NS-VC.
const (
	wordTakesData = 1 << 8 // NS-UNITDATA may come in
	wordAnswers   = 1 << 9 // NS-ALIVE is answered
)

// VC is one NS-VC at run time. What workers use is immutable or atomic; the
// rest belongs to the loop.
type VC struct {
	nse     *NSE
	bind    *bind
	remote  netip.AddrPort
	word    atomic.Uint32 // state and bits
	shown   atomic.Uint32 // NSVCI, with a bit above it if there is one
	queued  atomic.Int32  // control that waits for the loop
	traffic []traffic     // by worker; the last is the loop's

	index      uint32 // in the order of making
	id         vcID
	stack      *Stack
	persistent bool
	initiator  bool // made by us: we send RESET and UNBLOCK
	awaited    bool // SNS: of an endpoint that is being told, until started
	leaving    bool // SNS: of an endpoint that is being deleted; the peer may still use it
	nsvci      uint16
	hasNSVCI   bool // BLOCKRESET mode: RESET and BLOCK procedures
	sigWeight  uint8
	dataWeight uint8
	since      time.Time
	events     Counters
	gone       bool

	sendsReset   bool // in RESET: we send it, else the peer does
	wantsUnblock bool // O&M has ended its block
	omBlocked    bool // by O&M
	omAcked      bool // … and the peer knows
	peerBlocked  bool // the peer has blocked and will unblock
	procRetries  int
	proc         timer
	waiting      []held // user data that waits for the NS-UNBLOCK-ACK

	testing   bool
	pending   bool // NS-ALIVE not yet acknowledged
	lost      int
	sentAlive time.Time
	answered  time.Time // last NS-ALIVE-ACK that was awaited
	askedBack int       // in this period of the test
	delay     time.Duration
	test      timer
}

func (v *VC) current() vcState { return vcState(v.word.Load()) }

// takesData tells workers whether NS-UNITDATA may come in.
func (v *VC) takesData() bool { return v.word.Load()&wordTakesData != 0 }

// answers tells workers whether NS-ALIVE is answered.
func (v *VC) answers() bool { return v.word.Load()&wordAnswers != 0 }

// publish makes the state visible to workers.
func (v *VC) publish(st vcState) {
	w := uint32(st)
	if st == stUnblocked || st == stRecovering || st == stUnconfigured && v.early() || st == stBlocked && v.omBlocked && !v.omAcked {
		w |= wordTakesData
	}
	// RECOVERING: the loop asks back. Frame Relay: the loop can wait for room.
	if (st == stBlocked || st == stUnblocked) && v.bind.fr == nil {
		w |= wordAnswers
	}
	v.word.Store(w)
}

// early tells whether the peer may use the NS-VC before we do.
func (v *VC) early() bool { return v.awaited && v.nse.sns.configured() }

// resetMode tells whether the NS-VC has RESET and BLOCK procedures.
func (v *VC) resetMode() bool { return v.hasNSVCI }

func (v *VC) count() Counters {
	c := v.events
	c.add(sumTraffic(v.traffic))
	return c
}

// newVC makes an NS-VC of nse, unconfigured; the remote must be free on b.
func (s *Stack) newVC(nse *NSE, b *bind, remote netip.AddrPort, now time.Time) *VC {
	v := &VC{nse: nse, bind: b, remote: remote, stack: s, since: now, sigWeight: 1, dataWeight: 1,
		traffic: make([]traffic, s.workers+1), index: s.made}
	s.made++
	v.proc = timer{owner: v, kind: timerProc}
	v.test = timer{owner: v, kind: timerTest}
	nse.vcs = append(nse.vcs, v)
	b.add(v)
	return v
}

// deleteVC takes an NS-VC from its NSE and bind.
func (s *Stack) deleteVC(v *VC, now time.Time) {
	if v.gone {
		return
	}
	v.event(now, evForce)
	v.gone = true
	v.bind.detach(v)
	v.bind.remove(v)
	v.nse.dropVC(v)
	v.nse.recompute(now)
}

// send queues a PDU to the NS-VC's peer.
func (v *VC) send(p PDU) { v.stack.sendPDU(v.bind, v.remote, v, &p) }

func (v *VC) sendBare(t PDUType) { v.send(PDU{Type: t}) }

func (v *VC) expired(now time.Time, kind timerKind) {
	if kind == timerTest {
		v.testExpired(now)
		return
	}
	v.event(now, evProcTimeout)
}

func (v *VC) armProc(now time.Time, which Timer) {
	v.stack.timers.set(&v.proc, now.Add(v.stack.cfg.Timers.duration(which)))
}

func (v *VC) stopProc() {
	v.stack.timers.stop(&v.proc)
	v.procRetries = 0
	v.dropWaiting()
}
