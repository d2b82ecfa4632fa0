package n2sim

import (
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/ngmsg"
)

// reset: an AMF resets all, or some, of its UEs; the list comes back (8.7.4).
func (g *GNB) reset(m *ngmsg.Message) {
	g.truth.Resets++
	if g.cfg.Habits.IgnoreReset {
		return
	}
	answer := ngmsg.New(ngapType.ProcedureCodeNGReset, ngmsg.Successful)
	t := ngmsg.Get[ngapType.ResetType](m, ngapType.ProtocolIEIDResetType)
	if t == nil || t.PartOfNGInterface == nil {
		g.dropAll()
	} else {
		for _, ids := range ngmsg.ReadConnections(t.PartOfNGInterface) {
			if c := g.named(ids); c != nil {
				g.drop(c)
			}
		}
		answer.Add(ngapType.ProtocolIEIDUEAssociatedLogicalNGConnectionList, t.PartOfNGInterface)
	}
	g.send(0, answer)
}

func (g *GNB) resetDone(*ngmsg.Message) { g.truth.ResetsDone++ }

// Reset resets the interface as a gNB does that has lost its UE contexts: all of
// them, or only those of the UEs named.
func (g *GNB) Reset(ues ...*UE) {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	var list []ngmsg.Connection
	for _, u := range ues {
		if c := u.context; c != nil && c.gnb == g && c.amf != nil {
			list = append(list, ngmsg.Pair(*c.amf, c.ran))
			g.drop(c)
		}
	}
	if len(ues) == 0 {
		g.dropAll()
	} else if list == nil {
		return
	}
	g.send(0, ngmsg.New(ngapType.ProcedureCodeNGReset, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.Intervention)).
		Add(ngapType.ProtocolIEIDResetType, ngmsg.Reset(list)))
}

// Update sends a RAN Configuration Update (8.7.2): another name.
func (g *GNB) Update(name string) {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	g.cfg.Name = name
	g.send(0, ngmsg.New(ngapType.ProcedureCodeRANConfigurationUpdate, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDRANNodeName, ngmsg.Text(name)))
}

// PathSwitch is the end of an Xn handover of a UE to this gNB (8.4.4): the source
// gNB's AMF UE NGAP ID is all that the AMF is told.
func (g *GNB) PathSwitch(u *UE) bool {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	return g.pathSwitch(u)
}

func (g *GNB) pathSwitch(u *UE) bool {
	from := u.context
	if from == nil || from.amf == nil || from.gnb == g || !g.up || u.phase != connected {
		return false
	}
	c := g.enter(u)
	c.amf = from.amf
	g.send(c.stream, ngmsg.New(ngapType.ProcedureCodePathSwitchRequest, ngmsg.Initiating).
		Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(c.ran)).
		Add(ngapType.ProtocolIEIDSourceAMFUENGAPID, ngmsg.AMFID(*from.amf)).
		Add(ngapType.ProtocolIEIDUserLocationInformation, ngmsg.Location(g.tai(), g.cfg.ID)).
		Add(ngapType.ProtocolIEIDUESecurityCapabilities, ngmsg.Security()).
		Add(ngapType.ProtocolIEIDPDUSessionResourceToBeSwitchedDLList, ngmsg.SwitchedSessions()))
	return true
}

// pathSwitched: the UE is here; the source gNB is told over Xn.
func (g *GNB) pathSwitched(c *context, _ *ngmsg.Message) {
	u, from := c.ue, c.ue.context
	if from == nil || from == c { // it went away meanwhile
		g.askRelease(c)
		return
	}
	delete(from.gnb.contexts, from.ran)
	u.context, u.gnb = c, g
	u.truth.PathSwitches++
}

// pathNotSwitched: the UE stays where it was.
func (g *GNB) pathNotSwitched(c *context, _ *ngmsg.Message) {
	delete(g.contexts, c.ran)
	c.ue.truth.MobilityFails++
}

// Handover begins a handover of a UE to another gNB by N2 (8.4.1).
func (g *GNB) Handover(u *UE, to *GNB) bool {
	g.ran.mu.Lock()
	defer g.ran.mu.Unlock()
	return g.handover(u, to)
}

func (g *GNB) handover(u *UE, to *GNB) bool {
	c := u.context
	if c == nil || c.gnb != g || c.amf == nil || u.phase != connected {
		return false
	}
	c.leaves, c.stays = true, false
	g.send(c.stream, ofContext(ngapType.ProcedureCodeHandoverPreparation, ngmsg.Initiating, c).
		Add(ngapType.ProtocolIEIDHandoverType, ngmsg.Intra5GS()).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.HandoverDesirable)).
		Add(ngapType.ProtocolIEIDTargetID, ngmsg.Target(to.tai(), to.cfg.ID)).
		Add(ngapType.ProtocolIEIDPDUSessionResourceListHORqd, ngmsg.HandoverSessions()).
		Add(ngapType.ProtocolIEIDSourceToTargetTransparentContainer,
			ngmsg.SourceContainer(to.tai(), g.cfg.ID, to.cfg.ID, u.number)))
	return true
}

// handoverRequest: a UE is to come here (8.4.2).
func (g *GNB) handoverRequest(m *ngmsg.Message) {
	ids := m.IDs()
	number, err := ngmsg.ReadSourceContainer(ngmsg.Get[ngapType.SourceToTargetTransparentContainer](m,
		ngapType.ProtocolIEIDSourceToTargetTransparentContainer))
	u := g.ran.find(number)
	if err != nil || u == nil || ids.AMF == nil {
		g.truth.UnknownUE++
		g.refuseHandover(ids)
		return
	}
	c := g.enter(u)
	c.amf = ids.AMF
	u.coming = c
	g.send(c.stream, ofContext(ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Successful, c).
		Add(ngapType.ProtocolIEIDPDUSessionResourceAdmittedList, ngmsg.HandoverAdmitted()).
		Add(ngapType.ProtocolIEIDTargetToSourceTransparentContainer, ngmsg.TargetContainer()))
}

func (g *GNB) refuseHandover(ids ngmsg.Connection) {
	if ids.AMF == nil {
		return
	}
	g.send(1, ngmsg.New(ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Unsuccessful).
		Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(*ids.AMF)).
		Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.HandoverFailure)))
}

func (r *RAN) find(number uint32) *UE {
	for _, u := range r.ues {
		if u.number == number {
			return u
		}
	}
	return nil
}

// handoverCommand: the UE leaves; the target notifies the AMF (8.4.3), which
// releases the context here. Where the UE or the target's context has gone meanwhile,
// the handover is cancelled (8.4.5).
func (g *GNB) handoverCommand(c *context, _ *ngmsg.Message) {
	u := c.ue
	to := u.coming
	switch {
	case c.stays && !c.leaves: // it crossed the cancel
		return
	case !c.leaves:
		g.truth.Unexpected++
		return
	case to == nil || u.context != c:
		c.leaves, c.stays = false, true
		u.truth.MobilityFails++
		g.send(c.stream, ofContext(ngapType.ProcedureCodeHandoverCancel, ngmsg.Initiating, c).
			Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.HandoverFailure)))
		return
	}
	u.context, u.gnb, u.coming = to, to.gnb, nil
	u.truth.Handovers++
	to.gnb.send(to.stream, ofContext(ngapType.ProcedureCodeHandoverNotification, ngmsg.Initiating, to).
		Add(ngapType.ProtocolIEIDUserLocationInformation, ngmsg.Location(to.gnb.tai(), to.gnb.cfg.ID)))
}

func (g *GNB) handoverFailed(c *context, _ *ngmsg.Message) { c.ue.truth.MobilityFails++ }
