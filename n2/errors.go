package n2

import (
	"errors"

	"poolgw/ngap"
)

var (
	errRestarted = errors.New("the AMF restarted its association")
	errStalled   = errors.New("it takes nothing any more")
	errNoAnswer  = errors.New("the AMF answers no probe")
	errNoNodeID  = errors.New("n2: no Global RAN Node ID")

	errIncomplete = errors.New("n2: a mandatory IE is missing")
)

// ids are the UE NGAP IDs that an Error Indication names, as its receiver knows
// them.
type ids struct {
	amf    uint64
	ran    uint32
	hasAMF bool
	hasRAN bool
}

func (i *ids) withAMF(id uint64) *ids {
	i.amf, i.hasAMF = id, true
	return i
}

// idsOf returns the IDs that the sender of m put there: it is told of its own
// words only, never of another UE's.
func (g *gnb) idsOf(m *msg) *ids {
	var i ids
	if id, at, err := m.PDU.AMFUENGAPID(); err == nil && at >= 0 {
		i.withAMF(id)
	}
	if ran, at, err := m.PDU.RANUENGAPID(); err == nil && at >= 0 {
		i.ran, i.hasRAN = ran, true
	}
	return &i
}

// errorIndication answers m's sender (8.7.5). An Error Indication is never
// answered by one (10.5). Of protocol errors it tells which message had them, and
// which IEs, when some are named.
func (g *gnb) errorIndication(m *msg, i *ids, c ngap.Cause, ies ...ngap.IEDiagnostics) {
	if m.PDU.Code == ngap.CodeErrorIndication && m.PDU.Kind == ngap.Initiating {
		return
	}
	e := g.made.New(ngap.CodeErrorIndication, ngap.Initiating)
	if i != nil && i.hasAMF {
		e.Add(ngap.IEAMFUENGAPID, ngap.Ignore, ngap.AppendAMFUENGAPID(nil, i.amf))
	}
	if i != nil && i.hasRAN {
		e.Add(ngap.IERANUENGAPID, ngap.Ignore, ngap.AppendRANUENGAPID(nil, i.ran))
	}
	e.Add(ngap.IECause, ngap.Ignore, ngap.AppendCause(nil, c))
	if c.Group == ngap.CauseProtocol && c != ngap.CauseTransferSyntaxError { // else the message could not be read
		d := ngap.Diagnostics{Code: m.PDU.Code, Kind: m.PDU.Kind, Criticality: m.PDU.Criticality, IEs: ies}
		e.Add(ngap.IECriticalityDiagnostics, ngap.Ignore, d.Append(nil))
	}
	k, stream := g.ran, uint16(0)
	if m.leg != nil {
		k = m.leg.link
	}
	if i != nil && i.hasRAN {
		stream = m.stream
	}
	if k != nil {
		g.originate(k, stream, e.Append(nil))
	}
}

// unknownUE drops a PDU for a UE that is not there.
func (g *gnb) unknownUE(m *msg, c ngap.Cause) {
	if answersRelease(m) {
		g.absorb() // the release was ours
		return
	}
	g.lose(DropUnknownUE)
	g.errorIndication(m, g.idsOf(m), c)
}

// errorFromGNB passes an Error Indication about a UE on to its AMF; any other
// ends here.
func (g *gnb) errorFromGNB(m *msg) {
	u := g.named(m)
	if u == nil {
		g.logError(m)
		return
	}
	l := g.legs[u.member]
	if l == nil || l.state != legUp || !u.has(hasAMF) {
		g.lose(DropNoLeg)
		return
	}
	if u.has(switching) {
		g.lose(DropNotOwner)
		g.endByError(u.ran)
		return
	}
	if at := g.pdu.Find(ngap.IEAMFUENGAPID); at >= 0 {
		g.pdu.SetAMFUENGAPID(at, u.ref().own())
	}
	ran := u.ran
	g.deliver(l.link, l.stream(ran), g.octets(&g.pdu))
	g.endByError(ran)
}

// named finds the UE that the gNB's Error Indication is about: by both IDs, or by
// one of them.
func (g *gnb) named(m *msg) *ue {
	i := g.idsOf(m)
	if i.hasRAN {
		u := g.ues.get(i.ran)
		if u != nil && i.hasAMF && !g.names(u, i.amf) {
			return nil
		}
		return u
	}
	if !i.hasAMF {
		return nil
	}
	return g.byAMFID(i.amf)
}

// errorFromAMF passes an Error Indication about a UE of that AMF on to the gNB.
func (g *gnb) errorFromAMF(m *msg) {
	i := g.idsOf(m)
	ran := i.ran
	if !i.hasRAN && i.hasAMF {
		ran, i.hasRAN = g.ranOf(m.leg.m.id, i.amf)
	}
	u := g.ues.get(ran)
	if !i.hasRAN || u == nil || u.member != m.leg.m.id || i.hasAMF && u.has(hasAMF) && !g.uses(u, i.amf) {
		g.logError(m)
		return
	}
	if at := g.pdu.Find(ngap.IEAMFUENGAPID); at >= 0 {
		if o, ok := g.gw.dir.Load().ids.outer(u.ref()); ok && u.has(hasAMF) {
			g.pdu.SetAMFUENGAPID(at, o)
		} else {
			g.pdu.Remove(ngap.IEAMFUENGAPID)
		}
	}
	g.deliver(g.ran, u.stream, g.octets(&g.pdu))
	g.endByError(ran)
}

// endByError forgets a UE whose IDs one end calls erroneous: both ends drop its
// connection (10.6).
func (g *gnb) endByError(ran uint32) {
	v, ok := g.pdu.Value(ngap.IECause)
	if !ok {
		return
	}
	c, err := ngap.ReadCause(v)
	if err == nil && (c == ngap.CauseUnknownLocalUENGAPID || c == ngap.CauseInconsistentRemoteUENGAPID) {
		g.unbind(ran)
	}
}

// logError ends an Error Indication that is about the association, or about a UE
// that is nobody's.
func (g *gnb) logError(m *msg) {
	g.absorb()
	cause := "none"
	if v, ok := g.pdu.Value(ngap.IECause); ok {
		if c, err := ngap.ReadCause(v); err == nil {
			cause = c.String()
		}
	}
	k := g.ran
	if m.leg != nil {
		k = m.leg.link
	}
	g.log.Warn("Error Indication", k.attr(), "cause", cause)
}
