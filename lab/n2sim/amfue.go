package n2sim

import (
	"encoding/binary"

	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
)

// initialUE makes a UE context and handles the NAS message in it.
func (l *link) initialUE(stream uint16, m *ngmsg.Message, raw []byte) {
	a, ids := l.amf, m.IDs()
	n, err := nas5g.Parse(m.NAS())
	if err != nil || ids.RAN == nil {
		a.truth.Unreadable++
		return
	}
	if a.cfg.RerouteTo != 0 {
		l.reroute(stream, *ids.RAN, raw)
		return
	}
	a.lastID++
	c := &amfContext{amf: a.lastID, ran: *ids.RAN, link: l, stream: stream}
	a.contexts[c.amf] = c
	at, _ := ngmsg.ReadLocation(ngmsg.Get[ngapType.UserLocationInformation](m, ngapType.ProtocolIEIDUserLocationInformation))
	if s := a.whose(n.Identity); s != nil {
		c.take(s)
		s.at = at
	}
	begin := map[nas5g.Type]func(*amfContext, *nas5g.Message, ngmsg.TAI){
		nas5g.RegistrationRequest: (*amfContext).register, nas5g.ServiceRequest: (*amfContext).service,
		nas5g.DeregistrationRequest: (*amfContext).deregister}[n.Type]
	if begin == nil {
		a.truth.Unreadable++
		c.release(ngmsg.NormalRelease)
		return
	}
	begin(c, n, at)
}

// reroute sends the whole message back: another AMF Set serves this UE (8.6.5).
func (l *link) reroute(stream uint16, ran uint32, raw []byte) {
	contained := ngmsg.Octets(raw)
	l.send(stream, ngmsg.New(ngapType.ProcedureCodeRerouteNASRequest, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(ran)).
		Add(ngapType.ProtocolIEIDNGAPMessage, contained).
		Add(ngapType.ProtocolIEIDAMFSetID, ngmsg.AMFSet(l.amf.cfg.RerouteTo)))
}

// whose finds a subscriber, and counts identities that are not known here.
func (a *AMF) whose(i nas5g.Identity) *subscriber {
	switch i.Kind {
	case nas5g.SUCI:
		return a.byMSIN[i.MSIN]
	case nas5g.GUTIIdentity, nas5g.STMSI:
		own := false
		for _, g := range a.cfg.GUAMIs {
			own = own || g.Set == i.GUTI.Set && g.Pointer == i.GUTI.Pointer
		}
		s := a.byTMSI[i.GUTI.TMSI]
		switch {
		case !own:
			a.truth.Foreign++
		case s == nil:
			a.truth.Unknown++
		default:
			return s
		}
	}
	return nil
}

// take gives the context to a subscriber; an older one of the same UE is released.
func (c *amfContext) take(s *subscriber) {
	if o := s.context; o != nil && o != c {
		o.sub = nil
		o.release(ngmsg.NormalRelease)
	}
	c.sub, s.context = s, c
}

func (c *amfContext) message(code int64, k ngmsg.Kind) *ngmsg.Message {
	return ngmsg.New(code, k).Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(c.amf)).
		Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(c.ran))
}

func (c *amfContext) downlink(n *nas5g.Message) {
	c.link.send(c.stream, c.message(ngapType.ProcedureCodeDownlinkNASTransport, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDNASPDU, ngmsg.NAS(n.Append(nil))))
}

// establish sends a NAS message within an Initial Context Setup Request.
func (c *amfContext) establish(n *nas5g.Message) {
	cfg := c.link.amf.cfg
	c.link.send(c.stream, c.message(ngapType.ProcedureCodeInitialContextSetup, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDGUAMI, ngmsg.MakeGUAMI(cfg.GUAMIs[0])).
		Add(ngapType.ProtocolIEIDAllowedNSSAI, ngmsg.AllowedNSSAI(cfg.Slices)).
		Add(ngapType.ProtocolIEIDUESecurityCapabilities, ngmsg.Security()).
		Add(ngapType.ProtocolIEIDSecurityKey, ngmsg.Key()).
		Add(ngapType.ProtocolIEIDNASPDU, ngmsg.NAS(n.Append(nil))))
}

// release commands the release of the context; it ends with the answer.
func (c *amfContext) release(cause ngmsg.Cause) {
	c.command(ngmsg.Pair(c.amf, c.ran), cause)
}

func (c *amfContext) command(ids ngmsg.Connection, cause ngmsg.Cause) {
	if c.releasing {
		return
	}
	c.releasing = true
	c.link.send(c.stream, ngmsg.New(ngapType.ProcedureCodeUEContextRelease, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDUENGAPIDs, ngmsg.ReleaseIDs(ids)).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(cause)))
}

// register: a UE that is not known by its 5G-GUTI is asked who it is.
func (c *amfContext) register(n *nas5g.Message, at ngmsg.TAI) {
	a := c.link.amf
	c.kind, c.follow = n.Kind&7, n.Kind&nas5g.FollowOn != 0
	switch {
	case a.cfg.Reject != 0:
		c.downlink(&nas5g.Message{Type: nas5g.RegistrationReject, Cause: a.cfg.Reject})
		c.release(ngmsg.NormalRelease)
	case c.sub != nil && n.Identity.Kind == nas5g.GUTIIdentity:
		if c.kind != nas5g.PeriodicRegistration {
			a.truth.Returned++
		}
		c.accept()
	case n.Identity.Kind == nas5g.SUCI:
		c.identified(n.Identity.MSIN, at)
	default:
		c.downlink(&nas5g.Message{Type: nas5g.IdentityRequest, Kind: 1})
	}
}

// identified: the subscriber is new here, or comes without its 5G-GUTI.
func (c *amfContext) identified(msin string, at ngmsg.TAI) {
	a := c.link.amf
	a.truth.Registrations++
	s := a.byMSIN[msin]
	if s == nil {
		s = &subscriber{msin: msin}
		a.byMSIN[msin] = s
	}
	if at != (ngmsg.TAI{}) {
		s.at = at
	}
	c.take(s)
	a.rename(s)
	if c.kind == nas5g.PeriodicRegistration { // it needs a new 5G-GUTI
		c.kind = nas5g.MobilityRegistration
	}
	c.accept()
}

// rename gives the subscriber a new 5G-GUTI.
func (a *AMF) rename(s *subscriber) {
	delete(a.byTMSI, s.guti.TMSI)
	a.lastTMSI++
	g := a.cfg.GUAMIs[0]
	s.guti = nas5g.GUTI{PLMN: g.PLMN, Region: g.Region, Set: g.Set, Pointer: g.Pointer, TMSI: a.lastTMSI}
	a.byTMSI[s.guti.TMSI] = s
}

// accept: a periodic registration is over with it, another has a 5G-GUTI to be
// acknowledged.
func (c *amfContext) accept() {
	c.sub.registered = true
	n := &nas5g.Message{Type: nas5g.RegistrationAccept}
	if c.kind == nas5g.PeriodicRegistration {
		c.link.amf.truth.Periodic++
		c.downlink(n)
		c.release(ngmsg.NormalRelease)
		return
	}
	g := c.sub.guti
	n.GUTI = &g
	c.establish(n)
}

func (c *amfContext) service(*nas5g.Message, ngmsg.TAI) {
	a := c.link.amf
	cause := a.cfg.Reject
	if c.sub == nil || !c.sub.registered {
		cause = nas5g.CauseIdentityNotDerived
	}
	if cause != 0 {
		c.downlink(&nas5g.Message{Type: nas5g.ServiceReject, Cause: cause})
		c.release(ngmsg.NormalRelease)
		return
	}
	a.truth.Services++
	c.establish(&nas5g.Message{Type: nas5g.ServiceAccept})
}

func (c *amfContext) deregister(n *nas5g.Message, _ ngmsg.TAI) {
	if c.sub != nil && c.sub.registered {
		c.link.amf.truth.Deregistered++
		c.sub.registered = false
	}
	if n.Kind&nas5g.SwitchOff == 0 {
		c.downlink(&nas5g.Message{Type: nas5g.DeregistrationAccept})
	}
	c.release(ngmsg.Deregistered)
}

// uplinkNAS handles what comes in a context.
func (l *link) uplinkNAS(c *amfContext, m *ngmsg.Message) {
	n, err := nas5g.Parse(m.NAS())
	if err != nil {
		l.amf.truth.Unreadable++
		return
	}
	switch n.Type {
	case nas5g.RegistrationComplete:
		if !c.follow {
			c.release(ngmsg.NormalRelease)
		}
	case nas5g.IdentityResponse:
		c.identified(n.Identity.MSIN, ngmsg.TAI{})
	case nas5g.DeregistrationRequest:
		c.deregister(n, ngmsg.TAI{})
	case nas5g.UplinkTransport:
		c.echo(n)
	case nas5g.DeregistrationConfirmed:
		c.release(ngmsg.Deregistered)
	default:
		l.amf.truth.Unreadable++
	}
}

// echo answers user data with this AMF's name; whose they are is checked.
func (c *amfContext) echo(n *nas5g.Message) {
	t := &c.link.amf.truth
	if c.sub == nil && c.releasing { // overtaken by what the UE did at another gNB
		return
	}
	if len(n.Container) != 8 || c.sub == nil || msinOf(binary.BigEndian.Uint32(n.Container)) != c.sub.msin {
		t.WrongUE++
		return
	}
	t.Echoes++
	c.downlink(&nas5g.Message{Type: nas5g.DownlinkTransport, Kind: n.Kind, Container: append(n.Container[:8:8], c.link.amf.cfg.Name...)})
}

func (l *link) releaseRequest(c *amfContext, _ *ngmsg.Message) { c.release(ngmsg.UserInactivity) }

// releaseComplete ends a context, or the source's leg of a handover.
func (l *link) releaseComplete(c *amfContext, _ *ngmsg.Message) {
	if cur := l.amf.contexts[c.amf]; cur != nil && cur.source == c {
		cur.source = nil
		return
	} else if cur != nil && cur.target == c {
		cur.target = nil
		return
	}
	l.amf.endContext(c)
}
