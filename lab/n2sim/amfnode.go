package n2sim

import (
	"time"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/ngmsg"
)

func (l *link) setup(m *ngmsg.Message) {
	a := l.amf
	if a.refuse > 0 {
		a.truth.Refused++
		l.send(0, ngmsg.New(ngapType.ProcedureCodeNGSetup, ngmsg.Unsuccessful).
			Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.ProcessingOverload)).
			Add(ngapType.ProtocolIEIDTimeToWait, ngmsg.TimeToWait(a.refuse)))
		return
	}
	a.truth.Setups++
	l.gnb, _ = ngmsg.ReadGNB(ngmsg.Get[ngapType.GlobalRANNodeID](m, ngapType.ProtocolIEIDGlobalRANNodeID))
	l.learn(m)
	l.up = true
	a.forget(l) // NG Setup erases what was (8.7.1)
	l.send(0, a.describe(ngmsg.New(ngapType.ProcedureCodeNGSetup, ngmsg.Successful)))
}

// learn takes the gNB's tracking areas.
func (l *link) learn(m *ngmsg.Message) {
	list := ngmsg.Get[ngapType.SupportedTAList](m, ngapType.ProtocolIEIDSupportedTAList)
	if list == nil {
		return
	}
	l.tas = ngmsg.ReadSupportedTAs(list)
}

// describe adds what a gNB learns about the AMF.
func (a *AMF) describe(m *ngmsg.Message) *ngmsg.Message {
	var plmns [][3]byte
	seen := make(map[[3]byte]bool)
	for _, g := range a.cfg.GUAMIs {
		if !seen[g.PLMN] {
			seen[g.PLMN] = true
			plmns = append(plmns, g.PLMN)
		}
	}
	return m.Add(ngapType.ProtocolIEIDAMFName, ngmsg.AMFName(a.cfg.Name)).
		Add(ngapType.ProtocolIEIDServedGUAMIList, ngmsg.ServedGUAMIs(a.cfg.GUAMIs)).
		Add(ngapType.ProtocolIEIDRelativeAMFCapacity, ngmsg.Capacity(a.cfg.Capacity)).
		Add(ngapType.ProtocolIEIDPLMNSupportList, ngmsg.PLMNSupport(plmns, a.cfg.Slices))
}

func (l *link) ranUpdate(m *ngmsg.Message) {
	l.amf.truth.RANUpdates++
	l.learn(m)
	l.send(0, ngmsg.New(ngapType.ProcedureCodeRANConfigurationUpdate, ngmsg.Successful))
}

// reset: the gNB has lost all, or some, of its UE contexts (8.7.4).
func (l *link) reset(m *ngmsg.Message) {
	a := l.amf
	a.truth.Resets++
	answer := ngmsg.New(ngapType.ProcedureCodeNGReset, ngmsg.Successful)
	t := ngmsg.Get[ngapType.ResetType](m, ngapType.ProtocolIEIDResetType)
	if t == nil || t.PartOfNGInterface == nil {
		a.forget(l)
	} else {
		for _, ids := range ngmsg.ReadConnections(t.PartOfNGInterface) {
			if c := l.contextOf(ids); c != nil {
				a.endContext(c)
			} else {
				a.truth.WrongIDs++
			}
		}
		answer.Add(ngapType.ProtocolIEIDUEAssociatedLogicalNGConnectionList, t.PartOfNGInterface)
	}
	l.send(0, answer)
}

// errorIndication: a connection with an erroneous pair of IDs is gone (10.6).
func (l *link) errorIndication(m *ngmsg.Message) {
	l.amf.truth.Errors++
	if c := l.contextOf(m.IDs()); c != nil {
		l.amf.endContext(c)
	}
}

// everywhere sends a message to every gNB.
func (a *AMF) everywhere(m func() *ngmsg.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.links {
		if l.up {
			l.send(0, m())
		}
	}
}

// Overload sends Overload Start to every gNB (8.7.6): the action and, unless 0,
// the percentage.
func (a *AMF) Overload(action aper.Enumerated, percent uint8) {
	a.everywhere(func() *ngmsg.Message {
		return ngmsg.New(ngapType.ProcedureCodeOverloadStart, ngmsg.Initiating).
			Add(ngapType.ProtocolIEIDAMFOverloadResponse, ngmsg.Overload(action)).
			Add(ngapType.ProtocolIEIDAMFTrafficLoadReductionIndication, ngmsg.LoadReduction(percent))
	})
}

// OverloadStop ends that (8.7.7).
func (a *AMF) OverloadStop() {
	a.everywhere(func() *ngmsg.Message { return ngmsg.New(ngapType.ProcedureCodeOverloadStop, ngmsg.Initiating) })
}

// Unavailable tells every gNB that the AMF's GUAMIs are not served for a while;
// the backup AMF takes over, if there is one (8.7.5).
func (a *AMF) Unavailable(backup string) {
	a.everywhere(func() *ngmsg.Message {
		return ngmsg.New(ngapType.ProcedureCodeAMFStatusIndication, ngmsg.Initiating).
			Add(ngapType.ProtocolIEIDUnavailableGUAMIList, ngmsg.Unavailable(a.cfg.GUAMIs, backup))
	})
}

// Configure changes capacity and GUAMIs and tells every gNB (8.7.3).
func (a *AMF) Configure(capacity uint8, guamis []ngmsg.GUAMI) {
	a.mu.Lock()
	a.cfg.Capacity, a.cfg.GUAMIs = capacity, guamis
	a.mu.Unlock()
	a.everywhere(func() *ngmsg.Message {
		return a.describe(ngmsg.New(ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Initiating))
	})
}

// ResetAll resets every interface as an AMF does that has lost its UE contexts.
func (a *AMF) ResetAll() {
	a.mu.Lock()
	for l := range a.links {
		a.forget(l)
	}
	a.mu.Unlock()
	a.everywhere(func() *ngmsg.Message {
		return ngmsg.New(ngapType.ProcedureCodeNGReset, ngmsg.Initiating).
			Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.Intervention)).
			Add(ngapType.ProtocolIEIDResetType, ngmsg.Reset(nil))
	})
}

// Hang stops every answer; SCTP goes on.
func (a *AMF) Hang(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hung = on
}

// Refuse has NG Setup refused with a Time To Wait; 0 ends it.
func (a *AMF) Refuse(wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuse = wait
}

// Page pages a registered UE wherever its tracking area is served; false: it is
// not registered here, or is connected.
func (a *AMF) Page(msin string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.byMSIN[msin]
	if s == nil || !s.registered || s.context != nil {
		return false
	}
	for l := range a.links {
		if l.serves(s.at) {
			l.send(0, ngmsg.New(ngapType.ProcedureCodePaging, ngmsg.Initiating).
				Add(ngapType.ProtocolIEIDUEPagingIdentity, ngmsg.PagingID(short(s.guti))).
				Add(ngapType.ProtocolIEIDTAIListForPaging, ngmsg.PagingArea([]ngmsg.TAI{s.at})))
		}
	}
	return true
}

func (l *link) serves(t ngmsg.TAI) bool {
	for _, o := range l.tas {
		if o == t {
			return l.up
		}
	}
	return false
}

// ReleaseAll releases every UE context.
func (a *AMF) ReleaseAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.contexts {
		c.release(ngmsg.Intervention)
	}
}

// ReleaseAllByID does the same by the AMF UE NGAP ID alone (9.2.2.5, UE NGAP IDs).
func (a *AMF) ReleaseAllByID() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.contexts {
		c.command(ngmsg.Connection{AMF: &c.amf}, ngmsg.Intervention)
	}
}
