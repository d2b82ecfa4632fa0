package n2sim

import (
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/ngmsg"
)

// pathSwitch: a UE is at another gNB (8.4.4). The source's AMF UE NGAP ID tells
// which one; the association it comes on and the RAN UE NGAP ID are the new ones.
func (l *link) pathSwitch(m *ngmsg.Message) {
	a, ids := l.amf, m.IDs()
	source := ngmsg.Get[ngapType.AMFUENGAPID](m, ngapType.ProtocolIEIDSourceAMFUENGAPID)
	if source == nil || ids.RAN == nil {
		a.truth.Unreadable++
		return
	}
	c := a.contexts[uint64(source.Value)]
	if c == nil {
		a.truth.WrongIDs++
		l.send(1, ngmsg.New(ngapType.ProcedureCodePathSwitchRequest, ngmsg.Unsuccessful).
			Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(uint64(source.Value))).
			Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(*ids.RAN)).
			Add(ngapType.ProtocolIEIDPDUSessionResourceReleasedListPSFail, ngmsg.ReleasedSessions()))
		return
	}
	c.link, c.ran, c.stream = l, *ids.RAN, l.streamOf(*ids.RAN)
	if at, ok := ngmsg.ReadLocation(ngmsg.Get[ngapType.UserLocationInformation](m, ngapType.ProtocolIEIDUserLocationInformation)); ok && c.sub != nil {
		c.sub.at = at
	}
	a.truth.PathSwitches++
	l.send(c.stream, c.message(ngapType.ProcedureCodePathSwitchRequest, ngmsg.Successful).
		Add(ngapType.ProtocolIEIDSecurityContext, ngmsg.NextHop()).
		Add(ngapType.ProtocolIEIDPDUSessionResourceSwitchedList, ngmsg.SwitchedAnswer()).
		Add(ngapType.ProtocolIEIDAllowedNSSAI, ngmsg.AllowedNSSAI(a.cfg.Slices)))
}

// handoverRequired asks the target gNB (8.4.2), by the same AMF UE NGAP ID.
func (l *link) handoverRequired(c *amfContext, m *ngmsg.Message) {
	gnb, ok := ngmsg.ReadTarget(ngmsg.Get[ngapType.TargetID](m, ngapType.ProtocolIEIDTargetID))
	to := l.amf.linkTo(gnb)
	if !ok || to == nil {
		c.handoverFails(ngmsg.UnknownTarget)
		return
	}
	cfg := l.amf.cfg
	c.target = &amfContext{amf: c.amf, link: to, sub: c.sub}
	to.send(1, ngmsg.New(ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(c.amf)).
		Add(ngapType.ProtocolIEIDHandoverType, ngmsg.Intra5GS()).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.HandoverDesirable)).
		Add(ngapType.ProtocolIEIDUEAggregateMaximumBitRate, ngmsg.Rates()).
		Add(ngapType.ProtocolIEIDUESecurityCapabilities, ngmsg.Security()).
		Add(ngapType.ProtocolIEIDSecurityContext, ngmsg.NextHop()).
		Add(ngapType.ProtocolIEIDPDUSessionResourceSetupListHOReq, ngmsg.HandoverSetup(cfg.Slices[0])).
		Add(ngapType.ProtocolIEIDAllowedNSSAI, ngmsg.AllowedNSSAI(cfg.Slices)).
		Add(ngapType.ProtocolIEIDSourceToTargetTransparentContainer,
			ngmsg.Get[ngapType.SourceToTargetTransparentContainer](m, ngapType.ProtocolIEIDSourceToTargetTransparentContainer)).
		Add(ngapType.ProtocolIEIDGUAMI, ngmsg.MakeGUAMI(cfg.GUAMIs[0])))
}

// linkTo is the association with a gNB.
func (a *AMF) linkTo(gnb uint32) *link {
	for l := range a.links {
		if l.up && l.gnb == gnb {
			return l
		}
	}
	return nil
}

func (c *amfContext) handoverFails(cause ngmsg.Cause) {
	c.target = nil
	c.link.send(c.stream, c.message(ngapType.ProcedureCodeHandoverPreparation, ngmsg.Unsuccessful).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(cause)))
}

// preparing is the source's leg of a handover whose target is this gNB.
func (l *link) preparing(m *ngmsg.Message) *amfContext {
	ids := m.IDs()
	if ids.AMF != nil {
		if c := l.amf.contexts[*ids.AMF]; c != nil && c.target != nil && c.target.link == l {
			return c
		}
	}
	l.amf.truth.WrongIDs++
	l.complain(ids, ngmsg.UnknownLocalID)
	return nil
}

// handoverAdmitted: the source is told to let the UE go.
func (l *link) handoverAdmitted(m *ngmsg.Message) {
	c, ids := l.preparing(m), m.IDs()
	if c == nil || ids.RAN == nil {
		return
	}
	c.target.ran, c.target.stream = *ids.RAN, l.streamOf(*ids.RAN)
	c.link.send(c.stream, c.message(ngapType.ProcedureCodeHandoverPreparation, ngmsg.Successful).
		Add(ngapType.ProtocolIEIDHandoverType, ngmsg.Intra5GS()).
		Add(ngapType.ProtocolIEIDTargetToSourceTransparentContainer,
			ngmsg.Get[ngapType.TargetToSourceTransparentContainer](m, ngapType.ProtocolIEIDTargetToSourceTransparentContainer)))
}

func (l *link) handoverRefused(m *ngmsg.Message) {
	if c := l.preparing(m); c != nil {
		c.handoverFails(ngmsg.HandoverFailure)
	}
}

// handoverNotify: the UE is there; the source's context is released (8.4.3).
func (l *link) handoverNotify(m *ngmsg.Message) {
	c := l.preparing(m)
	if c == nil {
		return
	}
	a, t := l.amf, c.target
	a.truth.Handovers++
	t.source, c.target = c, nil
	a.contexts[t.amf] = t
	if t.sub != nil {
		t.sub.context = t
	}
	c.sub = nil
	c.release(ngmsg.HandoverSucceeded)
}

// handoverCancel ends a preparation (8.4.5).
func (l *link) handoverCancel(c *amfContext, _ *ngmsg.Message) {
	if t := c.target; t != nil {
		if t.ran != 0 {
			t.release(ngmsg.HandoverFailure)
		}
		c.target = nil
	}
	l.send(c.stream, c.message(ngapType.ProcedureCodeHandoverCancel, ngmsg.Successful))
}
