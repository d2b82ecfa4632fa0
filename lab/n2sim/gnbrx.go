package n2sim

import (
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/nas5g"
	"poolgw/lab/ngmsg"
)

// message is a kind of message.
type message struct {
	code int64
	kind ngmsg.Kind
}

// atGNB is what a gNB does with each message that an AMF may send it. Those with
// ue get the UE context that the RAN UE NGAP ID names, and none for an unknown one.
var atGNB map[message]struct {
	node func(g *GNB, m *ngmsg.Message)
	ue   func(g *GNB, c *context, m *ngmsg.Message)
}

func init() { // in init: the functions refer to the table
	type row = struct {
		node func(g *GNB, m *ngmsg.Message)
		ue   func(g *GNB, c *context, m *ngmsg.Message)
	}
	atGNB = map[message]row{
		{ngapType.ProcedureCodeNGSetup, ngmsg.Successful}:                {node: (*GNB).setupDone},
		{ngapType.ProcedureCodeNGSetup, ngmsg.Unsuccessful}:              {node: (*GNB).setupRefused},
		{ngapType.ProcedureCodeDownlinkNASTransport, ngmsg.Initiating}:   {ue: (*GNB).downlinkNAS},
		{ngapType.ProcedureCodeInitialContextSetup, ngmsg.Initiating}:    {ue: (*GNB).contextSetup},
		{ngapType.ProcedureCodeUEContextRelease, ngmsg.Initiating}:       {node: (*GNB).release},
		{ngapType.ProcedureCodePaging, ngmsg.Initiating}:                 {node: (*GNB).paging},
		{ngapType.ProcedureCodeNGReset, ngmsg.Initiating}:                {node: (*GNB).reset},
		{ngapType.ProcedureCodeNGReset, ngmsg.Successful}:                {node: (*GNB).resetDone},
		{ngapType.ProcedureCodeErrorIndication, ngmsg.Initiating}:        {node: (*GNB).errorIndication},
		{ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Initiating}: {node: (*GNB).amfUpdate},
		{ngapType.ProcedureCodeRANConfigurationUpdate, ngmsg.Successful}: {node: func(g *GNB, _ *ngmsg.Message) { g.truth.RANUpdates++ }},
		{ngapType.ProcedureCodeOverloadStart, ngmsg.Initiating}:          {node: func(g *GNB, _ *ngmsg.Message) { g.truth.Overloads++ }},
		{ngapType.ProcedureCodeOverloadStop, ngmsg.Initiating}:           {node: func(g *GNB, _ *ngmsg.Message) {}},
		{ngapType.ProcedureCodeAMFStatusIndication, ngmsg.Initiating}:    {node: func(g *GNB, _ *ngmsg.Message) { g.truth.Statuses++ }},
		{ngapType.ProcedureCodePathSwitchRequest, ngmsg.Successful}:      {ue: (*GNB).pathSwitched},
		{ngapType.ProcedureCodePathSwitchRequest, ngmsg.Unsuccessful}:    {ue: (*GNB).pathNotSwitched},
		{ngapType.ProcedureCodeHandoverResourceAllocation, ngmsg.Initiating}: {
			node: (*GNB).handoverRequest},
		{ngapType.ProcedureCodeHandoverPreparation, ngmsg.Successful}:   {ue: (*GNB).handoverCommand},
		{ngapType.ProcedureCodeHandoverPreparation, ngmsg.Unsuccessful}: {ue: (*GNB).handoverFailed},
		{ngapType.ProcedureCodeHandoverCancel, ngmsg.Successful}:        {ue: func(*GNB, *context, *ngmsg.Message) {}},
	}
}

// take handles a PDU. Anything but NG Setup's answer before NG Setup is
// unexpected.
func (g *GNB) take(stream uint16, data []byte) {
	m, err := ngmsg.Decode(data)
	if err != nil {
		g.truth.Unreadable++
		g.complain(ngmsg.Connection{}, ngmsg.TransferSyntax)
		return
	}
	row, ok := atGNB[message{m.Code, m.Kind}]
	switch {
	case !ok || !g.up && m.Code != ngapType.ProcedureCodeNGSetup:
		g.truth.Unexpected++
	case row.node != nil:
		row.node(g, m)
	default:
		g.ofUE(row.ue, m)
	}
}

func (g *GNB) ofUE(f func(*GNB, *context, *ngmsg.Message), m *ngmsg.Message) {
	ids := m.IDs()
	var c *context
	if ids.RAN != nil {
		c = g.contexts[*ids.RAN]
	}
	if c == nil || ids.AMF == nil {
		g.truth.UnknownUE++
		g.complain(ids, ngmsg.UnknownLocalID)
		return
	}
	// The first message tells the AMF's ID, as an answer to a path switch does.
	if c.amf != nil && *c.amf != *ids.AMF && m.Code != ngapType.ProcedureCodePathSwitchRequest {
		g.truth.UnknownUE++
		g.complain(ids, ngmsg.InconsistentID)
		return
	}
	c.amf = ids.AMF
	f(g, c, m)
}

// complain sends an Error Indication.
func (g *GNB) complain(ids ngmsg.Connection, cause ngmsg.Cause) {
	g.truth.ErrorsSent++
	m := ngmsg.New(ngapType.ProcedureCodeErrorIndication, ngmsg.Initiating)
	if ids.AMF != nil {
		m.Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(*ids.AMF))
	}
	if ids.RAN != nil {
		m.Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(*ids.RAN))
	}
	g.send(0, m.Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(cause)))
}

func (g *GNB) setupDone(m *ngmsg.Message) {
	g.stopRetry()
	g.up = true
	g.truth.Setups++
	if n := ngmsg.Get[ngapType.AMFName](m, ngapType.ProtocolIEIDAMFName); n != nil {
		g.truth.AMFName = n.Value
	}
	g.learn(m)
}

// learn takes what NG Setup and AMF Configuration Update tell of the AMF.
func (g *GNB) learn(m *ngmsg.Message) {
	if l := ngmsg.Get[ngapType.ServedGUAMIList](m, ngapType.ProtocolIEIDServedGUAMIList); l != nil {
		g.guamis = g.guamis[:0]
		for i := range l.List {
			g.guamis = append(g.guamis, ngmsg.ReadGUAMI(&l.List[i].GUAMI))
		}
	}
	if c := ngmsg.Get[ngapType.RelativeAMFCapacity](m, ngapType.ProtocolIEIDRelativeAMFCapacity); c != nil {
		g.truth.Capacity = c.Value
	}
}

func (g *GNB) setupRefused(m *ngmsg.Message) {
	g.truth.SetupFailures++
	wait, ok := ngmsg.ReadTimeToWait(ngmsg.Get[ngapType.TimeToWait](m, ngapType.ProtocolIEIDTimeToWait))
	if !ok {
		wait = setupRetry
	}
	g.again(wait)
}

func (g *GNB) downlinkNAS(c *context, m *ngmsg.Message) {
	if c.ue.context == c {
		c.ue.downlink(m.NAS())
	}
}

func (g *GNB) contextSetup(c *context, m *ngmsg.Message) {
	g.send(c.stream, ofContext(ngapType.ProcedureCodeInitialContextSetup, ngmsg.Successful, c))
	if nas := m.NAS(); nas != nil && c.ue.context == c {
		c.ue.downlink(nas)
	}
}

// ofContext begins a message with both IDs.
func ofContext(code int64, k ngmsg.Kind, c *context) *ngmsg.Message {
	return ngmsg.New(code, k).Add(ngapType.ProtocolIEIDAMFUENGAPID, ngmsg.AMFID(*c.amf)).
		Add(ngapType.ProtocolIEIDRANUENGAPID, ngmsg.RANID(c.ran))
}

// release ends a UE context: named by both IDs, or by the AMF's alone (8.3.3).
func (g *GNB) release(m *ngmsg.Message) {
	ids := ngmsg.ReadReleaseIDs(ngmsg.Get[ngapType.UENGAPIDs](m, ngapType.ProtocolIEIDUENGAPIDs))
	c := g.named(ids)
	if c == nil || ids.AMF == nil {
		g.truth.UnknownUE++
		g.complain(ids, ngmsg.UnknownLocalID)
		return
	}
	c.amf = ids.AMF
	g.send(c.stream, ofContext(ngapType.ProcedureCodeUEContextRelease, ngmsg.Successful, c).
		Add(ngapType.ProtocolIEIDUserLocationInformation, ngmsg.Location(g.tai(), g.cfg.ID)))
	g.drop(c)
}

func (g *GNB) named(ids ngmsg.Connection) *context {
	if ids.RAN != nil {
		c := g.contexts[*ids.RAN]
		if c != nil && c.amf != nil && ids.AMF != nil && *c.amf != *ids.AMF {
			return nil
		}
		return c
	}
	for _, c := range g.contexts {
		if ids.AMF != nil && c.amf != nil && *c.amf == *ids.AMF {
			return c
		}
	}
	return nil
}

func (g *GNB) paging(m *ngmsg.Message) {
	g.truth.Pagings++
	s, ok := ngmsg.ReadPagingID(ngmsg.Get[ngapType.UEPagingIdentity](m, ngapType.ProtocolIEIDUEPagingIdentity))
	for _, u := range g.ran.ues {
		if ok && u.gnb == g && u.phase == idle && u.guti != nil && short(*u.guti) == s {
			u.paged()
			return
		}
	}
	g.truth.PagingsOther++
}

// short is the 5G-S-TMSI of a 5G-GUTI.
func short(g nas5g.GUTI) ngmsg.STMSI {
	return ngmsg.STMSI{Set: g.Set, Pointer: g.Pointer, TMSI: g.TMSI}
}

func (g *GNB) errorIndication(m *ngmsg.Message) {
	g.truth.Errors++
	ids := m.IDs()
	if ids.RAN == nil {
		return
	}
	if c := g.contexts[*ids.RAN]; c != nil { // 10.6: that connection is gone
		g.drop(c)
	}
}

// amfUpdate stores and acknowledges (8.7.3).
func (g *GNB) amfUpdate(m *ngmsg.Message) {
	g.truth.Updates++
	switch h := g.cfg.Habits; {
	case h.IgnoreUpdate:
	case h.RefuseUpdate:
		g.send(0, ngmsg.New(ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Unsuccessful).
			Add(ngapType.ProtocolIEIDCause, ngmsg.MakeCause(ngmsg.NotCompatible)))
	default:
		g.learn(m)
		g.send(0, ngmsg.New(ngapType.ProcedureCodeAMFConfigurationUpdate, ngmsg.Successful))
	}
}
