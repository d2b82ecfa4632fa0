package n2sim

import (
	"time"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
)

// Times of TS 24.501, 10.2.
const (
	t3510 = 15 * time.Second // for an answer to a Registration Request
	t3511 = 10 * time.Second // after a failure, until the next try
	t3517 = 15 * time.Second // for an answer to a Service Request
	t3521 = 15 * time.Second // for an answer to a Deregistration Request
	// echoWait is how long an answer to user data may take.
	echoWait = 5 * time.Second
)

// phase is what a UE does:
//
//	off ── register ──> registering ── Accept ──> connected ── release ──> idle
//	idle ── service, periodic, register ──> requesting ── Accept ──> connected
//	connected ── deregister ──> leaving ── Accept, release ──> off
//
// A reject, or a release in the middle, leads back to off or idle and to another try.
type phase uint8

const (
	off phase = iota
	registering
	requesting // a service
	updating   // periodic or mobility registration
	connected
	idle
	leaving
)

var phaseNames = []string{"off", "registering", "requesting", "updating", "connected", "idle", "leaving"}

func (p phase) String() string { return phaseNames[p] }

// UE is a subscriber's phone. What it holds is under the RAN's lock.
type UE struct {
	ran    *RAN
	number uint32
	msin   string
	plmn   nas5g.PLMN
	gnb    *GNB // where it camps

	phase   phase
	kind    uint8    // of the registration under way
	context *context // nil: idle
	coming  *context // at the target of a handover
	guti    *nas5g.GUTI
	amf     string // that answered last
	gave    bool   // amf gave guti: it answered since
	serial  uint32 // of user data
	waits   bool   // for an answer to them
	live    bool
	timer   *time.Timer
	round   uint64 // of the timer
	truth   UETruth
}

// arm runs f, under the lock, d from now, unless armed anew or disarmed.
func (u *UE) arm(d time.Duration, f func()) {
	u.disarm()
	round := u.round
	u.timer = time.AfterFunc(d, func() {
		u.ran.mu.Lock()
		defer u.ran.mu.Unlock()
		if u.round == round && !u.ran.stopped {
			f()
		}
	})
}

func (u *UE) disarm() {
	u.round++
	if u.timer != nil {
		u.timer.Stop()
	}
}

// identity is how the UE names itself.
func (u *UE) identity() nas5g.Identity {
	if u.guti != nil {
		return nas5g.WithGUTI(*u.guti)
	}
	return nas5g.WithSUCI(u.plmn, u.msin)
}

// initial sends an Initial UE Message, if the gNB is up; else the UE waits.
func (u *UE) initial(n *nas5g.Message, cause aper.Enumerated) bool {
	g := u.gnb
	if !g.up || u.context != nil {
		return false
	}
	n.Protected = u.guti != nil
	c := g.enter(u)
	u.context = c
	m := ngmsg.New(ngapType.ProcedureCodeInitialUEMessage, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(c.ran)).
		Add(ngapType.ProtocolIEIDNASPDU, ngmsg.NAS(n.Append(nil))).
		Add(ngapType.ProtocolIEIDUserLocationInformation, ngmsg.Location(g.tai(), g.cfg.ID)).
		Add(ngapType.ProtocolIEIDRRCEstablishmentCause, ngmsg.Establishment(cause))
	if u.guti != nil {
		m.Add(ngapType.ProtocolIEIDFiveGSTMSI, ngmsg.MakeSTMSI(short(*u.guti)))
	}
	g.send(c.stream, m.Add(ngapType.ProtocolIEIDUEContextRequest, ngmsg.ContextRequested()))
	return true
}

// uplink sends a NAS message in the UE's context.
func (u *UE) uplink(n *nas5g.Message) {
	c := u.context
	if c == nil || c.amf == nil {
		return
	}
	c.gnb.send(c.stream, ofContext(ngapType.ProcedureCodeUplinkNASTransport, ngmsg.Initiating, c).
		Add(ngapType.ProtocolIEIDNASPDU, ngmsg.NAS(n.Append(nil))).
		Add(ngapType.ProtocolIEIDUserLocationInformation, ngmsg.Location(c.gnb.tai(), c.gnb.cfg.ID)))
}

// Register switches the UE on; it tries until it is registered.
func (u *UE) Register() { u.locked(u.register) }

// Periodic begins a periodic registration of an idle UE.
func (u *UE) Periodic() { u.locked(u.periodic) }

// Service asks for a service: user data follow.
func (u *UE) Service() { u.locked(u.service) }

// Deregister switches the UE off: it says goodbye first.
func (u *UE) Deregister() { u.locked(u.deregister) }

// Echo sends user data of a connected UE.
func (u *UE) Echo() { u.locked(u.echo) }

// Release has the gNB ask for the release of the UE's context.
func (u *UE) Release() { u.locked(u.inactive) }

// Camp moves an idle UE to another gNB.
func (u *UE) Camp(g *GNB) { u.locked(func() { u.camp(g) }) }

func (u *UE) locked(f func()) {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	if !u.ran.stopped {
		f()
	}
}

// GUTI is what an AMF gave; false: the UE has none.
func (u *UE) GUTI() (nas5g.GUTI, bool) {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	if u.guti == nil {
		return nas5g.GUTI{}, false
	}
	return *u.guti, true
}

// AMF is the name of the AMF that answered last.
func (u *UE) AMF() string {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	return u.amf
}

// Phase is what the UE does, in a word.
func (u *UE) Phase() string {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	return u.phase.String()
}

// MSIN is the UE's subscriber number.
func (u *UE) MSIN() string { return u.msin }

// GNB is where the UE is.
func (u *UE) GNB() *GNB {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	return u.gnb
}

// Truth is what happened to the UE.
func (u *UE) Truth() UETruth {
	u.ran.mu.Lock()
	defer u.ran.mu.Unlock()
	return u.truth
}
