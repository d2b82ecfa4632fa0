package n2sim

import (
	"encoding/binary"
	"time"

	"poolgw/lab/nas5g"
)

// atUE is what a UE does with each NAS message.
var atUE = map[nas5g.Type]func(u *UE, n *nas5g.Message){
	nas5g.RegistrationAccept:    (*UE).registered,
	nas5g.RegistrationReject:    (*UE).rejected,
	nas5g.ServiceAccept:         (*UE).served,
	nas5g.ServiceReject:         (*UE).rejected,
	nas5g.IdentityRequest:       (*UE).identify,
	nas5g.DeregistrationAccept:  func(*UE, *nas5g.Message) {}, // its context is released next
	nas5g.DeregistrationCommand: (*UE).thrownOut,
	nas5g.DownlinkTransport:     (*UE).answered,
}

// downlink handles a NAS message.
func (u *UE) downlink(b []byte) {
	n, err := nas5g.Parse(b)
	if err != nil || atUE[n.Type] == nil {
		u.truth.Unreadable++
		return
	}
	atUE[n.Type](u, n)
}

// registered: a new 5G-GUTI is acknowledged. With follow-on there are user data
// next; else the AMF releases the UE.
func (u *UE) registered(n *nas5g.Message) {
	if u.phase != registering && u.phase != updating {
		u.truth.WrongUE++
		return
	}
	if u.kind&7 == nas5g.PeriodicRegistration {
		u.truth.Periodic++
	} else {
		u.truth.Registrations++
	}
	follow := u.kind&nas5g.FollowOn != 0
	u.phase, u.kind = connected, 0
	if n.GUTI != nil {
		u.guti, u.gave = n.GUTI, false
		u.uplink(&nas5g.Message{Type: nas5g.RegistrationComplete})
	}
	u.disarm()
	if follow {
		u.echo()
	}
}

func (u *UE) served(*nas5g.Message) {
	if u.phase != requesting {
		u.truth.WrongUE++
		return
	}
	u.truth.Services++
	u.phase = connected
	u.disarm()
	u.echo()
}

// rejected: with causes 9 and 10 the UE is nobody's, and registers anew
// (TS 24.501, 5.6.1.5); with others it tries again later.
func (u *UE) rejected(n *nas5g.Message) {
	u.truth.Rejected++
	wait := u.ran.cfg.Behaviour.Backoff
	switch {
	case u.phase != registering && u.phase != requesting && u.phase != updating:
		u.truth.WrongUE++
		return
	case n.Cause == nas5g.CauseIdentityNotDerived || n.Cause == nas5g.CauseImplicitlyDetached:
		u.truth.Stale++
		u.guti, wait = nil, 0
	}
	u.phase = off
	u.kind = 0
	u.arm(max(wait, time.Second), u.register)
}

func (u *UE) identify(*nas5g.Message) {
	u.truth.Identified++
	u.uplink(&nas5g.Message{Type: nas5g.IdentityResponse, Identity: nas5g.WithSUCI(u.plmn, u.msin)})
}

// thrownOut: the network wants the UE to register anew.
func (u *UE) thrownOut(*nas5g.Message) {
	u.uplink(&nas5g.Message{Type: nas5g.DeregistrationConfirmed})
	u.lost()
	u.phase, u.guti = off, nil
	u.arm(time.Second, u.register)
}

// answered: user data come back with the AMF's name; whose they are is checked.
func (u *UE) answered(n *nas5g.Message) {
	b := n.Container
	if len(b) < 8 || binary.BigEndian.Uint32(b) != u.number {
		u.truth.WrongUE++
		return
	}
	u.servedBy(string(b[8:]))
	if binary.BigEndian.Uint32(b[4:]) != u.serial || !u.waits {
		return // late: it is counted as lost
	}
	u.waits = false
	u.truth.Answered++
	u.disarm()
	u.nothingToDo()
}

// servedBy: the AMF may be another than before only when there is a new 5G-GUTI.
func (u *UE) servedBy(name string) {
	switch {
	case name == u.amf:
	case u.gave:
		u.truth.WrongAMF++
	case u.amf != "":
		u.truth.AMFChanges++
	}
	u.amf, u.gave = name, true
}
