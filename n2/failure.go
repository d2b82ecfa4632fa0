package n2

import "poolgw/ngap"

// failure is what the message holds that reports the unsuccessful outcome of a
// procedure: its mandatory IEs, in their order. The Cause and the released sessions
// are made, the others are those of the request.
type failure []ngap.IEID

// The failures of TS 38.413 9.2 that this gateway can make. Of other procedures an
// Error Indication tells: of those without an unsuccessful outcome, and of those
// whose failure holds what the request does not tell (10.3.5).
var (
	failsByCause     = failure{ngap.IECause}
	failsWithPair    = failure{ngap.IEAMFUENGAPID, ngap.IERANUENGAPID, ngap.IECause}
	failsWithAMF     = failure{ngap.IEAMFUENGAPID, ngap.IECause}
	failsPathSwitch  = failure{ngap.IEAMFUENGAPID, ngap.IERANUENGAPID, ngap.IEReleasedSessionsPSFail}
	failsWithSession = failure{ngap.IEMBSSessionID, ngap.IECause}
	failsWithRouting = failure{ngap.IERoutingID, ngap.IECause}
)

// refuse drops a PDU that is in error and tells its sender (10.3.5, 10.3.6, 10.4): by
// the procedure's failure, else by an Error Indication. An answer in error ends the
// procedure, and nobody is told.
func (g *gnb) refuse(m *msg, d Drop, c ngap.Cause, ies ...ngap.IEDiagnostics) {
	g.lose(d)
	if m.Kind != ngap.Initiating || g.fail(m, c, ies...) {
		return
	}
	var i *ids
	if row := ngap.Lookup(m.Code); row == nil || row.Association != ngap.NonUE {
		i = g.idsOf(m)
	}
	g.errorIndication(m, i, c, ies...)
}

// decline drops a PDU that is right and can't be carried out: where the procedure
// has a failure its sender need not wait.
func (g *gnb) decline(m *msg, d Drop, c ngap.Cause) {
	g.lose(d)
	g.fail(m, c)
}

// fail answers a request with the procedure's failure; false: there is none, or the
// request does not tell what it must hold.
func (g *gnb) fail(m *msg, c ngap.Cause, ies ...ngap.IEDiagnostics) bool {
	if m.Kind != ngap.Initiating || m.row == nil || m.row.failure == nil {
		return false
	}
	p := g.made.New(m.Code, ngap.Unsuccessful)
	for _, id := range m.row.failure {
		v, ok := failureIE(m, id, c)
		if !ok {
			return false
		}
		criticality := ngap.Ignore
		if id == ngap.IEMBSSessionID || id == ngap.IERoutingID {
			criticality = ngap.Reject
		}
		p.Add(id, criticality, v)
	}
	if len(ies) > 0 {
		p.Add(ngap.IECriticalityDiagnostics, ngap.Ignore, ngap.Diagnostics{InAnswer: true, IEs: ies}.Append(nil))
	}
	k, stream := g.ran, uint16(0)
	if m.leg != nil {
		k = m.leg.link
	}
	if row := ngap.Lookup(m.Code); row != nil && row.Association == ngap.UE {
		stream = m.stream
	}
	g.originate(k, stream, p.Append(nil))
	return true
}

// failureIE is the value of one IE of the failure that answers m.
func failureIE(m *msg, id ngap.IEID, c ngap.Cause) ([]byte, bool) {
	switch id {
	case ngap.IECause:
		return ngap.AppendCause(nil, c), true
	case ngap.IEReleasedSessionsPSFail:
		v, _ := m.Value(ngap.IESessionsToBeSwitchedDL)
		list, err := ngap.ReadSwitchedSessions(v, nil)
		return ngap.AppendReleasedSessions(nil, list, c), err == nil
	case ngap.IEAMFUENGAPID:
		v, ok := m.Value(id)
		if !ok {
			v, _ = m.Value(ngap.IESourceAMFUENGAPID) // of a Path Switch Request
		}
		_, err := ngap.ReadAMFUENGAPID(v)
		return v, err == nil
	case ngap.IERANUENGAPID:
		v, _ := m.Value(id)
		_, err := ngap.ReadRANUENGAPID(v)
		return v, err == nil
	}
	return m.Value(id)
}

// malformed refuses a PDU of which its rule needs IEs that it lacks, or that can't be
// read: the one that is missing is told, else all.
func (g *gnb) malformed(m *msg, needed ...ngap.IEID) {
	var missing, all []ngap.IEDiagnostics
	for _, id := range needed {
		if m.Find(id) < 0 {
			missing = append(missing, ngap.IEDiagnostics{ID: id, Missing: true})
		}
		all = append(all, ngap.IEDiagnostics{ID: id})
	}
	if len(missing) > 0 {
		all = missing
	}
	g.refuse(m, DropMalformed, ngap.CauseAbstractSyntaxReject, all...)
}

// wrong refuses a PDU that may not come now (10.4).
func (g *gnb) wrong(m *msg) {
	g.log.Debug("a PDU that may not come now", "message", m.Name())
	g.refuse(m, DropOrder, ngap.CauseNotCompatibleWithState)
}

// misdirected refuses a PDU that is not for its sender to send: the failure of the
// procedure would not be for the sender to get.
func (g *gnb) misdirected(m *msg) {
	g.log.Debug("a PDU that may not come from there", "message", m.Name())
	g.lose(DropDirection)
	g.errorIndication(m, nil, ngap.CauseNotCompatibleWithState)
}
