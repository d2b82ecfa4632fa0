package n2_test

import (
	"bytes"
	"testing"

	"poolgw/ngap"
)

// way is how the PDUs of a procedure go.
type way int

const (
	own     way = iota // one of its own: another test's
	up                 // from the gNB to the UE's AMF
	down               // from the UE's AMF to the gNB
	toGNB              // from an AMF to the gNB
	asks               // the same, and the answer to who asked
	all                // from the gNB to all AMFs
	one                // to exactly one
	session            // to the AMF of the MBS session
	routing            // to the AMF that used the Routing ID
)

// everyProcedure is TS 38.413 V19.1.0 9.4.3 once more, and the way by hand.
var everyProcedure = []struct {
	code    ngap.Code
	name    string
	way     way
	answers string // S successful, F unsuccessful
	crit    ngap.Criticality
}{
	{0, "AMFConfigurationUpdate", own, "SF", ngap.Reject},
	{1, "AMFStatusIndication", own, "", ngap.Ignore},
	{2, "CellTrafficTrace", up, "", ngap.Ignore},
	{3, "DeactivateTrace", down, "", ngap.Ignore},
	{4, "DownlinkNASTransport", down, "", ngap.Ignore},
	{5, "DownlinkNonUEAssociatedNRPPaTransport", toGNB, "", ngap.Ignore},
	{6, "DownlinkRANConfigurationTransfer", toGNB, "", ngap.Ignore},
	{7, "DownlinkRANStatusTransfer", down, "", ngap.Ignore},
	{8, "DownlinkUEAssociatedNRPPaTransport", down, "", ngap.Ignore},
	{9, "ErrorIndication", own, "", ngap.Ignore},
	{10, "HandoverCancel", up, "S", ngap.Reject},
	{11, "HandoverNotify", up, "", ngap.Ignore},
	{12, "HandoverRequired", up, "SF", ngap.Reject},
	{13, "HandoverRequest", own, "SF", ngap.Reject},
	{14, "InitialContextSetupRequest", down, "SF", ngap.Reject},
	{15, "InitialUEMessage", own, "", ngap.Ignore},
	{16, "LocationReportingControl", down, "", ngap.Ignore},
	{17, "LocationReportingFailureIndication", up, "", ngap.Ignore},
	{18, "LocationReport", up, "", ngap.Ignore},
	{19, "NASNonDeliveryIndication", up, "", ngap.Ignore},
	{20, "NGReset", own, "S", ngap.Reject},
	{21, "NGSetupRequest", own, "SF", ngap.Reject},
	{22, "OverloadStart", own, "", ngap.Ignore},
	{23, "OverloadStop", own, "", ngap.Reject},
	{24, "Paging", own, "", ngap.Ignore},
	{25, "PathSwitchRequest", own, "SF", ngap.Reject},
	{26, "PDUSessionResourceModifyRequest", down, "S", ngap.Reject},
	{27, "PDUSessionResourceModifyIndication", up, "S", ngap.Reject},
	{28, "PDUSessionResourceReleaseCommand", down, "S", ngap.Reject},
	{29, "PDUSessionResourceSetupRequest", down, "S", ngap.Reject},
	{30, "PDUSessionResourceNotify", up, "", ngap.Ignore},
	{31, "PrivateMessage", own, "", ngap.Ignore},
	{32, "PWSCancelRequest", asks, "S", ngap.Reject},
	{33, "PWSFailureIndication", all, "", ngap.Ignore},
	{34, "PWSRestartIndication", all, "", ngap.Ignore},
	{35, "RANConfigurationUpdate", own, "SF", ngap.Reject},
	{36, "RerouteNASRequest", own, "", ngap.Reject},
	{37, "RRCInactiveTransitionReport", up, "", ngap.Ignore},
	{38, "TraceFailureIndication", up, "", ngap.Ignore},
	{39, "TraceStart", down, "", ngap.Ignore},
	{40, "UEContextModificationRequest", down, "SF", ngap.Reject},
	{41, "UEContextReleaseCommand", own, "S", ngap.Reject},
	{42, "UEContextReleaseRequest", up, "", ngap.Ignore},
	{43, "UERadioCapabilityCheckRequest", down, "S", ngap.Reject},
	{44, "UERadioCapabilityInfoIndication", up, "", ngap.Ignore},
	{45, "UETNLABindingReleaseRequest", own, "", ngap.Ignore},
	{46, "UplinkNASTransport", up, "", ngap.Ignore},
	{47, "UplinkNonUEAssociatedNRPPaTransport", routing, "", ngap.Ignore},
	{48, "UplinkRANConfigurationTransfer", one, "", ngap.Ignore},
	{49, "UplinkRANStatusTransfer", up, "", ngap.Ignore},
	{50, "UplinkUEAssociatedNRPPaTransport", up, "", ngap.Ignore},
	{51, "WriteReplaceWarningRequest", asks, "S", ngap.Reject},
	{52, "SecondaryRATDataUsageReport", up, "", ngap.Ignore},
	{53, "UplinkRIMInformationTransfer", one, "", ngap.Ignore},
	{54, "DownlinkRIMInformationTransfer", toGNB, "", ngap.Ignore},
	{55, "RetrieveUEInformation", own, "", ngap.Reject},
	{56, "UEInformationTransfer", toGNB, "", ngap.Reject},
	{57, "RANCPRelocationIndication", own, "", ngap.Reject},
	{58, "UEContextResumeRequest", up, "SF", ngap.Reject},
	{59, "UEContextSuspendRequest", up, "SF", ngap.Reject},
	{60, "UERadioCapabilityIDMappingRequest", one, "S", ngap.Reject},
	{61, "HandoverSuccess", down, "", ngap.Ignore},
	{62, "UplinkRANEarlyStatusTransfer", up, "", ngap.Reject},
	{63, "DownlinkRANEarlyStatusTransfer", down, "", ngap.Ignore},
	{64, "AMFCPRelocationIndication", down, "", ngap.Reject},
	{65, "ConnectionEstablishmentIndication", down, "", ngap.Reject},
	{66, "BroadcastSessionModificationRequest", asks, "SF", ngap.Reject},
	{67, "BroadcastSessionReleaseRequest", asks, "S", ngap.Reject},
	{68, "BroadcastSessionSetupRequest", asks, "SF", ngap.Reject},
	{69, "DistributionSetupRequest", session, "SF", ngap.Reject},
	{70, "DistributionReleaseRequest", session, "S", ngap.Reject},
	{71, "MulticastSessionActivationRequest", asks, "SF", ngap.Reject},
	{72, "MulticastSessionDeactivationRequest", asks, "S", ngap.Reject},
	{73, "MulticastSessionUpdateRequest", asks, "SF", ngap.Reject},
	{74, "MulticastGroupPaging", toGNB, "", ngap.Ignore},
	{75, "BroadcastSessionReleaseRequired", session, "", ngap.Reject},
	{76, "TimingSynchronisationStatusRequest", asks, "SF", ngap.Reject},
	{77, "TimingSynchronisationStatusReport", routing, "", ngap.Ignore},
	{78, "MTCommunicationHandlingRequest", up, "SF", ngap.Reject},
	{79, "RANPagingRequest", down, "", ngap.Ignore},
	{80, "BroadcastSessionTransportRequest", session, "SF", ngap.Reject},
	{81, "NGRemovalRequest", own, "SF", ngap.Reject},
	{82, "InventoryRequest", asks, "SF", ngap.Reject},
	{83, "InventoryReport", one, "", ngap.Reject},
	{84, "CommandRequest", asks, "SF", ngap.Reject},
	{85, "AIOTSessionReleaseCommand", asks, "S", ngap.Reject},
	{86, "AIOTSessionReleaseRequest", one, "", ngap.Reject},
}

// later is an IE of no release, which must go on as it is.
var later = ngap.IE{ID: 60000, Criticality: ngap.Notify, Value: []byte("later")}

// The octets of MBS session 102030-001-22, as in the codec's tests by hand.
var mbs = ngap.IE{ID: ngap.IEMBSSessionID, Criticality: ngap.Reject, Value: unhex("00102030f11022")}

func routingID(s string) ngap.IE {
	return ngap.IE{ID: ngap.IERoutingID, Criticality: ngap.Reject, Value: ngap.AppendOctets(nil, []byte(s))}
}

// procedureBed is a gateway with two gNBs, of which the first has a UE at AMF 2.
type procedureBed struct {
	*bed
	g, h  *peer  // the gNBs
	a, x  *peer  // the AMFs' associations of the first, a the UE's
	outer uint64 // what the gNB calls the UE; 1 at its AMF, 1 its RAN ID
	code  ngap.Code
	crit  ngap.Criticality
}

// as checks that a PDU that came is what was sent, and that nobody else got it.
func (b *procedureBed) as(p *ngap.PDU) {
	b.Helper()
	if v, ok := p.Value(later.ID); !ok || !bytes.Equal(v, later.Value) || p.IEs[p.Find(later.ID)].Criticality != later.Criticality {
		b.Errorf("%s: the IE that nobody knows is %q", p.Name(), v)
	}
	if p.Criticality != b.crit {
		b.Errorf("%s has criticality %s", p.Name(), p.Criticality)
	}
	if i := p.Find(ngap.IENASPDU); i >= 0 && !bytes.Equal(p.IEs[i].Value, nas.Value) {
		b.Errorf("%s: NAS %x", p.Name(), p.IEs[i].Value)
	}
	for _, q := range []*peer{b.g, b.h, b.a, b.x} {
		q.wantNothing()
	}
	for _, a := range b.amfs {
		a.from(1).wantNothing()
	}
}

func (b *procedureBed) pass(from, to *peer, k ngap.Kind, ies ...ngap.IE) {
	b.Helper()
	from.send(0, simple(b.code, k, append(ies, later)...))
	b.as(to.want(b.code, k))
}

func (b *procedureBed) passUE(up bool, k ngap.Kind) {
	b.Helper()
	if up {
		b.g.send(1, message(b.code, k, b.outer, 1, nas, later))
		b.as(b.a.wantIDs(b.code, k, 1, 1))
	} else {
		b.a.send(1, message(b.code, k, 1, 1, nas, later))
		b.as(b.g.wantIDs(b.code, k, b.outer, 1))
	}
}

// reached is the AMF that got something.
func (b *procedureBed) reached() (it, other *peer) {
	if len(b.a.got) > 0 {
		return b.a, b.x
	}
	return b.x, b.a
}

// begin sends the initiating message and returns who is to answer.
func (b *procedureBed) begin(w way) (to, asker *peer) {
	b.Helper()
	switch w {
	case toGNB, asks:
		b.pass(b.x, b.g, ngap.Initiating, routingID("x"))
		return b.g, b.x
	case all:
		b.g.send(0, simple(b.code, ngap.Initiating, later))
		b.x.want(b.code, ngap.Initiating)
		b.as(b.a.want(b.code, ngap.Initiating))
	case one:
		b.g.send(0, simple(b.code, ngap.Initiating, later))
		to, _ := b.reached()
		b.as(to.want(b.code, ngap.Initiating))
		return to, b.g
	case session:
		c, crit := b.code, b.crit
		b.code, b.crit = ngap.CodeBroadcastSessionSetupRequest, ngap.Reject
		b.pass(b.x, b.g, ngap.Initiating, mbs)
		b.pass(b.g, b.x, ngap.Successful, mbs)
		b.code, b.crit = c, crit
		b.pass(b.g, b.x, ngap.Initiating, mbs)
		return b.x, b.g
	case routing:
		for _, q := range []*peer{b.a, b.x} {
			q.send(0, simple(ngap.CodeDownlinkNonUEAssociatedNRPPaTransport, ngap.Initiating, routingID(q.name)))
			b.g.want(ngap.CodeDownlinkNonUEAssociatedNRPPaTransport, ngap.Initiating)
		}
		for _, q := range []*peer{b.x, b.a} {
			b.pass(b.g, q, ngap.Initiating, routingID(q.name))
		}
	}
	return nil, nil
}

// Each procedure's messages go where they ought to, with the IDs translated, their
// criticality kept, NAS and what nobody knows untouched, and nowhere else.
//
// Facts: N6-61, N6-62, N6-63, N6-64, N7-03, N8-05
// Facts: N9-02 (CellTrafficTrace), N9-03 (DeactivateTrace), N9-04 (DownlinkNASTransport), N9-05 (DownlinkNonUEAssociatedNRPPaTransport)
// Facts: N9-06 (DownlinkRANConfigurationTransfer), N9-07 (DownlinkRANStatusTransfer), N9-08 (DownlinkUEAssociatedNRPPaTransport), N9-10 (HandoverCancel)
// Facts: N9-11 (HandoverNotify), N9-12 (HandoverRequired), N9-14 (InitialContextSetupRequest), N9-16 (LocationReportingControl)
// Facts: N9-17 (LocationReportingFailureIndication), N9-18 (LocationReport), N9-19 (NASNonDeliveryIndication), N9-26 (PDUSessionResourceModifyRequest)
// Facts: N9-27 (PDUSessionResourceModifyIndication), N9-28 (PDUSessionResourceReleaseCommand), N9-29 (PDUSessionResourceSetupRequest), N9-30 (PDUSessionResourceNotify)
// Facts: N9-32 (PWSCancelRequest), N9-33 (PWSFailureIndication), N9-34 (PWSRestartIndication), N9-37 (RRCInactiveTransitionReport)
// Facts: N9-38 (TraceFailureIndication), N9-39 (TraceStart), N9-40 (UEContextModificationRequest), N9-42 (UEContextReleaseRequest)
// Facts: N9-43 (UERadioCapabilityCheckRequest), N9-44 (UERadioCapabilityInfoIndication), N9-46 (UplinkNASTransport), N9-47 (UplinkNonUEAssociatedNRPPaTransport)
// Facts: N9-48 (UplinkRANConfigurationTransfer), N9-49 (UplinkRANStatusTransfer), N9-50 (UplinkUEAssociatedNRPPaTransport), N9-51 (WriteReplaceWarningRequest)
// Facts: N9-52 (SecondaryRATDataUsageReport), N9-53 (UplinkRIMInformationTransfer), N9-54 (DownlinkRIMInformationTransfer), N9-56 (UEInformationTransfer)
// Facts: N9-58 (UEContextResumeRequest), N9-59 (UEContextSuspendRequest), N9-60 (UERadioCapabilityIDMappingRequest), N9-61 (HandoverSuccess)
// Facts: N9-62 (UplinkRANEarlyStatusTransfer), N9-63 (DownlinkRANEarlyStatusTransfer), N9-64 (AMFCPRelocationIndication), N9-65 (ConnectionEstablishmentIndication)
// Facts: N9-66 (BroadcastSessionModificationRequest), N9-67 (BroadcastSessionReleaseRequest), N9-68 (BroadcastSessionSetupRequest), N9-69 (DistributionSetupRequest)
// Facts: N9-70 (DistributionReleaseRequest), N9-71 (MulticastSessionActivationRequest), N9-72 (MulticastSessionDeactivationRequest), N9-73 (MulticastSessionUpdateRequest)
// Facts: N9-74 (MulticastGroupPaging), N9-75 (BroadcastSessionReleaseRequired), N9-76 (TimingSynchronisationStatusRequest), N9-77 (TimingSynchronisationStatusReport)
// Facts: N9-78 (MTCommunicationHandlingRequest), N9-79 (RANPagingRequest), N9-80 (BroadcastSessionTransportRequest), N9-82 (InventoryRequest)
// Facts: N9-83 (InventoryReport), N9-84 (CommandRequest), N9-85 (AIOTSessionReleaseCommand), N9-86 (AIOTSessionReleaseRequest)
func TestEveryProcedure(t *testing.T) {
	if len(everyProcedure) != len(ngap.Procedures()) {
		t.Errorf("%d of %d procedures", len(everyProcedure), len(ngap.Procedures()))
	}
	for _, row := range everyProcedure {
		t.Run(row.name, func(t *testing.T) {
			if p := ngap.Lookup(row.code); p.Initiating != row.name || p.Criticality != row.crit {
				t.Errorf("the codec's table has %+v", p)
			}
			if row.way == own {
				return
			}
			run(t, 2, nil, func(bed *bed) {
				b := &procedureBed{bed: bed, code: row.code, crit: row.crit}
				b.g, b.h = b.up(7), b.up(8)
				a, outer := b.ue(b.g, 1, 1)
				b.a, b.x, b.outer = a.from(0), b.amfs[2-a.id].from(0), outer
				var to, asker *peer
				if row.way == up || row.way == down {
					b.passUE(row.way == up, ngap.Initiating)
				} else {
					to, asker = b.begin(row.way)
				}
				for i, kind := range []string{"S", "F"} {
					k := ngap.Successful + ngap.Kind(i)
					switch {
					case !bytes.Contains([]byte(row.answers), []byte(kind)):
						continue
					case to == nil:
						b.passUE(row.way == down, k)
						continue
					}
					if i > 0 {
						to, asker = b.begin(row.way)
					}
					ies := []ngap.IE{}
					if row.way == session {
						ies = append(ies, mbs)
					}
					b.pass(to, asker, k, ies...)
				}
			})
		})
	}
}

// Requests of two AMFs that nothing tells apart are answered in their order, each
// by its own answer; of MBS sessions each by its session.
// Facts: N6-59, N6-60
func TestAnswersWithoutATransactionID(t *testing.T) {
	other := mbs
	other.Value = unhex("00102031f11022")
	for _, row := range everyProcedure {
		if row.way != asks {
			continue
		}
		run(t, 3, nil, func(b *bed) {
			g := b.up(7)
			ask := func(amf int, ies ...ngap.IE) {
				b.amfs[amf-1].last().send(0, simple(row.code, ngap.Initiating, ies...))
				g.want(row.code, ngap.Initiating)
			}
			answered := func(amf int, ies ...ngap.IE) {
				b.Helper()
				g.send(0, simple(row.code, ngap.Successful, ies...))
				b.amfs[amf-1].last().want(row.code, ngap.Successful)
				for _, a := range b.amfs {
					a.last().wantNothing()
				}
			}
			for _, amf := range []int{2, 1, 3} {
				ask(amf)
			}
			for _, amf := range []int{2, 1, 3} {
				answered(amf)
			}
			ask(2, mbs)
			ask(1, other)
			answered(1, other)
			answered(2, mbs)
			g.send(0, simple(row.code, ngap.Successful)) // nobody asked
			for _, a := range b.amfs {
				a.last().wantNothing()
			}
		})
	}
}
