package n2sim

import (
	"encoding/binary"

	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
)

// start goes to a phase with a message, and waits for an answer; without a gNB it
// tries again.
func (u *UE) start(p phase, n *nas5g.Message, data bool, again func()) {
	cause := ngapType.RRCEstablishmentCausePresentMoSignalling
	switch {
	case n.Type == nas5g.ServiceRequest && n.Kind == nas5g.ServiceMobileTermin:
		cause = ngapType.RRCEstablishmentCausePresentMtAccess
	case data:
		cause = ngapType.RRCEstablishmentCausePresentMoData
	}
	if !u.initial(n, cause) {
		u.arm(t3511/10, again)
		return
	}
	u.phase = p
	u.arm(t3510, u.timedOut)
}

func (u *UE) register() {
	if u.phase == off {
		u.update(registering, nas5g.InitialRegistration|nas5g.FollowOn, u.register)
	}
}

func (u *UE) periodic() {
	if u.phase == idle {
		u.update(updating, nas5g.PeriodicRegistration, u.periodic)
	}
}

// mobility is the registration after a move; user data follow.
func (u *UE) mobility() {
	if u.phase == idle {
		u.update(updating, nas5g.MobilityRegistration|nas5g.FollowOn, u.mobility)
	}
}

func (u *UE) update(p phase, kind uint8, again func()) {
	ksi := uint8(nas5g.NoKey)
	if u.guti != nil {
		ksi = 0
	}
	u.kind = kind
	u.start(p, &nas5g.Message{Type: nas5g.RegistrationRequest, Kind: kind, KSI: ksi, Identity: u.identity()}, false, again)
}

func (u *UE) service() { u.request(nas5g.ServiceData, u.service) }

func (u *UE) paged() {
	u.truth.Paged++
	u.request(nas5g.ServiceMobileTermin, u.service)
}

func (u *UE) request(kind uint8, again func()) {
	if u.phase != idle || u.guti == nil {
		return
	}
	u.kind = 0
	u.start(requesting, &nas5g.Message{Type: nas5g.ServiceRequest, Kind: kind, Identity: nas5g.WithSTMSI(*u.guti)}, true, again)
}

func (u *UE) deregister() {
	n := &nas5g.Message{Type: nas5g.DeregistrationRequest, Kind: nas5g.Deregister3GPP, Identity: u.identity()}
	switch u.phase {
	case connected:
		u.lost()
		u.phase = leaving
		u.uplink(n)
		u.arm(t3521, u.timedOut)
	case idle:
		u.start(leaving, n, false, u.deregister)
	}
}

// echo sends user data: the UE's number and a serial one.
func (u *UE) echo() {
	if u.phase != connected || u.waits {
		return
	}
	u.serial++
	u.truth.Echoes++
	u.waits = true
	b := binary.BigEndian.AppendUint32(nil, u.number)
	u.uplink(&nas5g.Message{Type: nas5g.UplinkTransport, Kind: nas5g.ContainerUEPolicy, Container: binary.BigEndian.AppendUint32(b, u.serial)})
	u.arm(echoWait, u.unanswered)
}

func (u *UE) unanswered() {
	u.lost()
	u.nothingToDo()
}

// lost is the end of hope for an answer.
func (u *UE) lost() {
	if u.waits {
		u.truth.Lost++
		u.waits = false
	}
}

// askRelease asks the AMF for the release of a context.
func (g *GNB) askRelease(c *context) {
	g.send(c.stream, ofContext(ngapType.ProcedureCodeUEContextReleaseRequest, ngmsg.Initiating, c).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.UserInactivity)))
}

// inactive has the gNB ask for the release (8.3.2).
func (u *UE) inactive() {
	c := u.context
	if c == nil || c.amf == nil {
		return
	}
	c.gnb.askRelease(c)
	u.arm(echoWait, u.inactive)
}

func (u *UE) camp(g *GNB) {
	if u.phase == idle && g != u.gnb {
		u.gnb = g
		u.truth.Moves++
	}
}

// timedOut: nobody answered. The gNB asks for the release of the context, or
// forgets it when no AMF has answered at all.
func (u *UE) timedOut() {
	u.truth.TimedOut++
	c := u.context
	if c == nil {
		u.retry()
		return
	}
	if c.amf != nil {
		c.gnb.askRelease(c)
	} else {
		delete(c.gnb.contexts, c.ran)
	}
	u.context = nil
	u.retry()
}

// retry goes back to where the procedure began; resume tries again later.
func (u *UE) retry() {
	if u.phase == leaving { // switched off without a goodbye
		u.phase = off
		u.nothingToDo()
		return
	}
	if u.phase = idle; u.kind&7 == nas5g.InitialRegistration {
		u.phase = off
	}
	u.arm(t3511+u.ran.upTo(t3511), u.resume)
}

// resume is the next try: a service, or a registration.
func (u *UE) resume() {
	switch u.phase {
	case idle:
		u.mobility()
	case off:
		u.register()
	}
}

// released: the UE's context is gone, by command or with the association.
func (u *UE) released() {
	u.context, u.coming = nil, nil
	u.lost()
	switch u.phase {
	case connected:
		u.phase = idle
		u.nothingToDo()
	case leaving:
		u.phase = off
		u.truth.Deregistered++
		u.nothingToDo()
	case registering, requesting, updating:
		u.truth.Interrupted++
		u.retry()
	}
}
