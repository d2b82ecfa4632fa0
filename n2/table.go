package n2

import "poolgw/ngap"

// rule is what is done with a PDU of one procedure from one side. Its name is
// shown by "show ngap procedures" and in doc/ngap-routing.md.
type rule struct {
	name string
	run  func(g *gnb, m *msg)
}

// The rules.
var (
	byUE         = rule{"by UE", (*gnb).relayUE}
	byIdentity   = rule{"by identity", (*gnb).initialUE}
	bySTMSI      = rule{"by 5G-S-TMSI", (*gnb).bySTMSI}
	relocation   = rule{"by 5G-S-TMSI, binds", (*gnb).relocation}
	anyAMF       = rule{"one AMF", (*gnb).anyAMF}
	allAMFs      = rule{"all AMFs", (*gnb).allAMFs}
	toRequester  = rule{"requester's answer", (*gnb).toRequester}
	byRouting    = rule{"by Routing ID", (*gnb).byRouting}
	toGNB        = rule{"to the gNB", (*gnb).toTheGNB}
	request      = rule{"to the gNB, answer to the requester", (*gnb).requestToGNB}
	routed       = rule{"to the gNB, learns the Routing ID", (*gnb).routedToGNB}
	paging       = rule{"to the gNB if it serves the area", (*gnb).paging}
	setup        = rule{"ends here: replayed to every AMF", (*gnb).setupRequest}
	setupAnswer  = rule{"ends here: merged", (*gnb).setupAnswer}
	ranUpdates   = rule{"all AMFs, answers merged", (*gnb).ranUpdateRequest}
	ranAnswer    = rule{"ends here: merged", (*gnb).ranUpdateAnswer}
	amfUpdate    = rule{"ends here: the union goes to every gNB", (*gnb).amfUpdate}
	updateAnswer = rule{"ends here", (*gnb).amfUpdateAnswer}
	amfStatus    = rule{"ends here: GUAMIs are unavailable", (*gnb).amfStatus}
	overloadOn   = rule{"ends here: fewer new UEs", (*gnb).overloadStart}
	overloadOff  = rule{"ends here", (*gnb).overloadStop}
	resetUp      = rule{"ends here: to the AMFs concerned", (*gnb).resetFromGNB}
	resetDown    = rule{"ends here: that AMF's UEs only", (*gnb).resetFromAMF}
	errorUp      = rule{"by UE, else ends here", (*gnb).errorFromGNB}
	errorDown    = rule{"by UE, else ends here", (*gnb).errorFromAMF}
	handover     = rule{"new UE of the gNB", (*gnb).handoverRequest}
	handoverBack = rule{"by AMF UE NGAP ID, binds", (*gnb).handoverAnswer}
	pathSwitch   = rule{"by source AMF UE NGAP ID", (*gnb).pathSwitch}
	pathSwitched = rule{"by UE, ends the source's binding", (*gnb).pathSwitchAnswer}
	reroute      = rule{"ends here: sent again within the AMF Set", (*gnb).rerouteNAS}
	modification = rule{"by UE, new AMF UE NGAP ID", (*gnb).modification}
	release      = rule{"by UE, ends the binding", (*gnb).releaseCommand}
	tnlaRelease  = rule{"ends here: bound anew by the next uplink", (*gnb).tnlaRelease}
	removal      = rule{"ends here, to all AMFs", (*gnb).ngRemoval}
)

// route is one elementary procedure: what is done with its PDUs that come from
// the gNB, and with those from an AMF. The codec's table says who may send which.
// For errors (clause 10) it tells the answer to a request that this gateway itself
// refuses, and what a request must hold that ends here.
type route struct {
	up, down rule
	failure  failure     // nil: an Error Indication
	needs    []ngap.IEID // mandatory, criticality reject
}

// both is one rule for either side.
func both(r rule) route { return route{up: r, down: r} }

// ways is a rule for each side.
func ways(up, down rule) route { return route{up: up, down: down} }

// fails is r with the failure that answers its requests.
func (r route) fails(f failure) route {
	r.failure = f
	return r
}

// with is r with what its requests must hold.
func (r route) with(needs ...ngap.IEID) route {
	r.needs = needs
	return r
}

// routes is the table of all elementary procedures of TS 38.413; a code that has
// no row goes by its UE's IDs when it has them, else all answers to who asked,
// and what a gNB begins to one AMF.
var routes = [...]route{
	ngap.CodeAMFConfigurationUpdate:                ways(updateAnswer, amfUpdate).fails(failsByCause),
	ngap.CodeAMFStatusIndication:                   route{down: amfStatus}.with(ngap.IEUnavailableGUAMIList),
	ngap.CodeCellTrafficTrace:                      both(byUE),
	ngap.CodeDeactivateTrace:                       both(byUE),
	ngap.CodeDownlinkNASTransport:                  both(byUE),
	ngap.CodeDownlinkNonUEAssociatedNRPPaTransport: {down: routed},
	ngap.CodeDownlinkRANConfigurationTransfer:      {down: toGNB},
	ngap.CodeDownlinkRANStatusTransfer:             both(byUE),
	ngap.CodeDownlinkUEAssociatedNRPPaTransport:    both(byUE),
	ngap.CodeErrorIndication:                       ways(errorUp, errorDown),
	ngap.CodeHandoverCancel:                        both(byUE),
	ngap.CodeHandoverNotify:                        both(byUE),
	ngap.CodeHandoverRequired:                      both(byUE).fails(failsWithPair),
	ngap.CodeHandoverRequest:                       ways(handoverBack, handover).fails(failsWithAMF),
	ngap.CodeInitialContextSetupRequest:            both(byUE).fails(failsWithPair),
	ngap.CodeInitialUEMessage:                      {up: byIdentity},
	ngap.CodeLocationReportingControl:              both(byUE),
	ngap.CodeLocationReportingFailureIndication:    both(byUE),
	ngap.CodeLocationReport:                        both(byUE),
	ngap.CodeNASNonDeliveryIndication:              both(byUE),
	ngap.CodeNGReset:                               ways(resetUp, resetDown).with(ngap.IEResetType),
	ngap.CodeNGSetupRequest:                        ways(setup, setupAnswer).with(ngap.IEGlobalRANNodeID, ngap.IESupportedTAList).fails(failsByCause),
	ngap.CodeOverloadStart:                         {down: overloadOn},
	ngap.CodeOverloadStop:                          {down: overloadOff},
	ngap.CodePaging:                                {down: paging},
	ngap.CodePathSwitchRequest:                     ways(pathSwitch, pathSwitched).fails(failsPathSwitch),
	ngap.CodePDUSessionResourceModifyRequest:       both(byUE),
	ngap.CodePDUSessionResourceModifyIndication:    both(byUE),
	ngap.CodePDUSessionResourceReleaseCommand:      both(byUE),
	ngap.CodePDUSessionResourceSetupRequest:        both(byUE),
	ngap.CodePDUSessionResourceNotify:              both(byUE),
	ngap.CodePrivateMessage:                        ways(allAMFs, toGNB),
	ngap.CodePWSCancelRequest:                      ways(toRequester, request),
	ngap.CodePWSFailureIndication:                  {up: allAMFs},
	ngap.CodePWSRestartIndication:                  {up: allAMFs},
	ngap.CodeRANConfigurationUpdate:                ways(ranUpdates, ranAnswer).fails(failsByCause),
	ngap.CodeRerouteNASRequest:                     route{down: reroute}.with(ngap.IERANUENGAPID, ngap.IENGAPMessage, ngap.IEAMFSetID),
	ngap.CodeRRCInactiveTransitionReport:           both(byUE),
	ngap.CodeTraceFailureIndication:                both(byUE),
	ngap.CodeTraceStart:                            both(byUE),
	ngap.CodeUEContextModificationRequest:          ways(byUE, modification).fails(failsWithPair),
	ngap.CodeUEContextReleaseCommand:               ways(byUE, release),
	ngap.CodeUEContextReleaseRequest:               both(byUE),
	ngap.CodeUERadioCapabilityCheckRequest:         both(byUE),
	ngap.CodeUERadioCapabilityInfoIndication:       both(byUE),
	ngap.CodeUETNLABindingReleaseRequest:           {down: tnlaRelease},
	ngap.CodeUplinkNASTransport:                    both(byUE),
	ngap.CodeUplinkNonUEAssociatedNRPPaTransport:   {up: byRouting},
	ngap.CodeUplinkRANConfigurationTransfer:        {up: anyAMF},
	ngap.CodeUplinkRANStatusTransfer:               both(byUE),
	ngap.CodeUplinkUEAssociatedNRPPaTransport:      both(byUE),
	ngap.CodeWriteReplaceWarningRequest:            ways(toRequester, request),
	ngap.CodeSecondaryRATDataUsageReport:           both(byUE),
	ngap.CodeUplinkRIMInformationTransfer:          {up: anyAMF},
	ngap.CodeDownlinkRIMInformationTransfer:        {down: toGNB},
	ngap.CodeRetrieveUEInformation:                 {up: bySTMSI},
	ngap.CodeUEInformationTransfer:                 {down: toGNB},
	ngap.CodeRANCPRelocationIndication:             {up: relocation},
	ngap.CodeUEContextResumeRequest:                both(byUE).fails(failsWithPair),
	ngap.CodeUEContextSuspendRequest:               both(byUE).fails(failsWithPair),
	ngap.CodeUERadioCapabilityIDMappingRequest:     ways(anyAMF, toGNB),
	ngap.CodeHandoverSuccess:                       both(byUE),
	ngap.CodeUplinkRANEarlyStatusTransfer:          both(byUE),
	ngap.CodeDownlinkRANEarlyStatusTransfer:        both(byUE),
	ngap.CodeAMFCPRelocationIndication:             both(byUE),
	ngap.CodeConnectionEstablishmentIndication:     both(byUE),
	ngap.CodeBroadcastSessionModificationRequest:   ways(toRequester, request).fails(failsWithSession),
	ngap.CodeBroadcastSessionReleaseRequest:        ways(toRequester, request),
	ngap.CodeBroadcastSessionSetupRequest:          ways(toRequester, request).fails(failsWithSession),
	ngap.CodeDistributionSetupRequest:              ways(toRequester, toGNB),
	ngap.CodeDistributionReleaseRequest:            ways(toRequester, toGNB),
	ngap.CodeMulticastSessionActivationRequest:     ways(toRequester, request).fails(failsWithSession),
	ngap.CodeMulticastSessionDeactivationRequest:   ways(toRequester, request),
	ngap.CodeMulticastSessionUpdateRequest:         ways(toRequester, request).fails(failsWithSession),
	ngap.CodeMulticastGroupPaging:                  {down: toGNB},
	ngap.CodeBroadcastSessionReleaseRequired:       {up: toRequester},
	ngap.CodeTimingSynchronisationStatusRequest:    ways(toRequester, routed).fails(failsWithRouting),
	ngap.CodeTimingSynchronisationStatusReport:     {up: byRouting},
	ngap.CodeMTCommunicationHandlingRequest:        both(byUE).fails(failsWithPair),
	ngap.CodeRANPagingRequest:                      both(byUE),
	ngap.CodeBroadcastSessionTransportRequest:      ways(toRequester, toGNB).fails(failsWithSession),
	ngap.CodeNGRemovalRequest:                      route{up: removal}.fails(failsByCause),
	ngap.CodeInventoryRequest:                      ways(toRequester, request),
	ngap.CodeInventoryReport:                       {up: toRequester},
	ngap.CodeCommandRequest:                        ways(toRequester, request),
	ngap.CodeAIOTSessionReleaseCommand:             ways(toRequester, request),
	ngap.CodeAIOTSessionReleaseRequest:             {up: toRequester},
}

// unknown is the row of codes that this release doesn't know.
var unknown = ways(rule{"by UE, else one AMF", (*gnb).unknownUp}, rule{"by UE, else to the gNB", (*gnb).unknownDown})

func routeOf(c ngap.Code) *route {
	if int(c) < len(routes) {
		return &routes[c]
	}
	return &unknown
}
