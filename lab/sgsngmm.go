package lab

import (
	"encoding/binary"
	"time"

	"poolgw/bssgp"
	"poolgw/lab/gmm"
	"poolgw/lab/llc"
	"poolgw/nri"
)

// sgsnGMM are the GMM messages an SGSN takes. x is the context of the TLLI;
// nil: it is not known.
var sgsnGMM map[gmm.Type]func(c *sgsn, now time.Time, l *uplink, x *mmContext, m gmm.Message)

func init() {
	sgsnGMM = map[gmm.Type]func(c *sgsn, now time.Time, l *uplink, x *mmContext, m gmm.Message){
		gmm.AttachRequest:        (*sgsn).attachRequest,
		gmm.AttachComplete:       (*sgsn).complete,
		gmm.RAURequest:           (*sgsn).rauRequest,
		gmm.RAUComplete:          (*sgsn).complete,
		gmm.PTMSIReallocComplete: (*sgsn).complete,
		gmm.IdentityResponse:     (*sgsn).identityResponse,
		gmm.DetachRequest:        (*sgsn).detachRequest,
		gmm.DetachAccept:         func(*sgsn, time.Time, *uplink, *mmContext, gmm.Message) {},
	}
}

func (c *sgsn) rxGMM(now time.Time, l *uplink, b []byte) {
	m, err := gmm.Parse(b, true)
	if err != nil {
		c.count.Malformed++
		return
	}
	if h := sgsnGMM[m.Type]; h != nil {
		h(c, now, l, c.lookup(l.tlli), m)
	}
}

// attachRequest accepts who is known by IMSI or P-TMSI and asks all others who
// they are.
func (c *sgsn) attachRequest(now time.Time, l *uplink, x *mmContext, m gmm.Message) {
	switch {
	case m.IMSI != "":
		c.attachIMSI(now, l, m.IMSI)
	case m.PTMSI == nil || c.byPTMSI[*m.PTMSI] == nil:
		c.identify(now, l, x)
	default:
		c.accept(now, l, c.byPTMSI[*m.PTMSI], gmm.AttachAccept)
	}
}

func (c *sgsn) attachIMSI(now time.Time, l *uplink, imsi string) {
	if c.byIMSI[imsi] == nil && c.full() {
		return
	}
	c.accept(now, l, c.known(imsi), gmm.AttachAccept)
}

// identify asks for the IMSI (TS 24.008 4.7.8).
func (c *sgsn) identify(now time.Time, l *uplink, x *mmContext) {
	if x == nil {
		if c.full() {
			return
		}
		x = &mmContext{place: -1}
	}
	c.moveTo(x, l)
	c.byTLLI[l.tlli] = x
	c.setState(x, ctxIdentifying)
	c.count.Identities++
	c.ask(now, x, gmm.Message{Type: gmm.IdentityRequest, Identity: gmm.IdentityIMSI})
}

func (c *sgsn) identityResponse(now time.Time, l *uplink, x *mmContext, m gmm.Message) {
	if x == nil || x.state != ctxIdentifying || m.IMSI == "" {
		return
	}
	c.drop(x)
	c.attachIMSI(now, l, m.IMSI)
}

// accept answers an attach or update; a repeated request gets the same answer
// again. The P-TMSI stays if the request came with it and it is one of ours,
// unless the draw says otherwise.
func (c *sgsn) accept(now time.Time, l *uplink, x *mmContext, answer gmm.Type) {
	again := x.state == ctxAccepting && x.repeat != nil && gmm.Type(x.repeat[1]) == answer && x.tlli == l.tlli
	keep := (x.state == ctxRegistered || x.state == ctxDetached) && !c.offload && !x.leaving &&
		nri.Key(l.tlli) == x.ptmsi && c.rng.Float64() >= c.cfg.Reallocate
	c.moveTo(x, l)
	switch {
	case again:
		c.llc(x, llc.SAPIGMM, x.repeat)
	case keep:
		c.acceptKept(now, x, answer)
	default:
		c.acceptNew(now, l, x, answer)
	}
}

// acceptKept lets the subscriber keep its P-TMSI: no complete follows.
func (c *sgsn) acceptKept(now time.Time, x *mmContext, answer gmm.Type) {
	c.served(x, answer)
	m := c.acceptMessage(x, answer)
	m.PTMSI = nil
	c.gmm(x, m)
	c.address(x, nri.LocalTLLI(x.ptmsi))
	c.registered(now, x)
}

// acceptNew gives a new P-TMSI and awaits the complete.
func (c *sgsn) acceptNew(now time.Time, l *uplink, x *mmContext, answer gmm.Type) {
	c.allocate(x)
	c.served(x, answer)
	c.byTLLI[l.tlli] = x
	c.setState(x, ctxAccepting)
	c.ask(now, x, c.acceptMessage(x, answer))
	if x.leaving { // its complete goes elsewhere
		c.registered(now, x)
	}
	c.heard(now, x)
}

func (c *sgsn) served(x *mmContext, answer gmm.Type) {
	c.cfg.Register.update(x.imsi, c.out)
	if answer == gmm.AttachAccept {
		c.count.Attaches++
		x.lastSeq, x.suspended, x.nu = 0, false, [16]uint16{}
		return
	}
	c.count.RAUs++
}

func (c *sgsn) acceptMessage(x *mmContext, answer gmm.Type) gmm.Message {
	m := gmm.Message{Type: answer, PTMSI: &x.ptmsi, RAI: gmm.RAI(x.cell.RAI()), Timer: c.t3312()}
	if c.offload {
		binary.BigEndian.PutUint16(m.RAI[3:], c.cfg.OffloadLAC)
	}
	return m
}

// complete ends the reallocation of a P-TMSI. One of a stranger is that of a
// subscriber whom another SGSN gave a NULL-NRI: nothing to say.
func (c *sgsn) complete(now time.Time, l *uplink, x *mmContext, _ gmm.Message) {
	if x != nil {
		c.confirm(now, x, l)
		c.moveTo(x, l)
	}
}

// confirm takes the use of the new P-TMSI for its acknowledgement.
func (c *sgsn) confirm(now time.Time, x *mmContext, l *uplink) {
	if x.state == ctxAccepting && l.tlli == nri.LocalTLLI(x.ptmsi) {
		c.free(x.former, x.hasFormr, x)
		x.hasFormr = false
		c.registered(now, x)
	}
}

func (c *sgsn) registered(now time.Time, x *mmContext) {
	c.setState(x, ctxRegistered)
	c.answered(x)
	c.heard(now, x)
}

// rauRequest accepts the update of a known P-TMSI; all others are to attach
// anew.
func (c *sgsn) rauRequest(now time.Time, l *uplink, x *mmContext, m gmm.Message) {
	if x == nil || !x.attached() {
		c.count.RAURejects++
		c.reply(l, gmm.Message{Type: gmm.RAUReject, Cause: gmm.CauseImplicitlyDetached})
		return
	}
	x.suspended = false
	c.accept(now, l, x, gmm.RAUAccept)
}

// detachRequest keeps the context for a while, so that the subscriber's P-TMSI is
// known when it comes again (TS 23.060 6.6).
func (c *sgsn) detachRequest(now time.Time, l *uplink, x *mmContext, m gmm.Message) {
	if x != nil && x.attached() {
		c.count.Detaches++
		c.answered(x)
		c.setState(x, ctxDetached)
		c.cfg.Register.purge(x.imsi, c.out)
	}
	if !m.PowerOff {
		c.reply(l, gmm.Message{Type: gmm.DetachAccept})
	}
}

// stranger is told to attach anew (TS 24.008 4.7.4.2).
func (c *sgsn) stranger(l *uplink) {
	c.count.Strangers++
	c.count.ReattachesOrdered++
	c.reply(l, gmm.Message{Type: gmm.DetachRequest, Reattach: true, Cause: gmm.CauseImplicitlyDetached})
}

// reply sends a message to somebody without context.
func (c *sgsn) reply(l *uplink, m gmm.Message) {
	b, err := m.Append(nil)
	if err != nil {
		panic("lab: own GMM message: " + err.Error())
	}
	u := llc.UI{SAPI: llc.SAPIGMM, FromSGSN: true, Protected: true, Info: b}
	c.unitdata(l.peer, l.bvci, l.tlli, nil, "", u.Append(nil))
}

var _ bssgp.BVCOwner = (*peer)(nil)
