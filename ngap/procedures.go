package ngap

// procedures is the one table of elementary procedures, TS 38.413 V19.1.0
// (9.4.3), in the order of their codes.
var procedures = [...]Procedure{
	{0, "AMFConfigurationUpdate", "AMFConfigurationUpdateAcknowledge", "AMFConfigurationUpdateFailure", AMF, NonUE, Reject},
	{1, "AMFStatusIndication", "", "", AMF, NonUE, Ignore},
	{2, "CellTrafficTrace", "", "", RAN, UE, Ignore},
	{3, "DeactivateTrace", "", "", AMF, UE, Ignore},
	{4, "DownlinkNASTransport", "", "", AMF, UE, Ignore},
	{5, "DownlinkNonUEAssociatedNRPPaTransport", "", "", AMF, NonUE, Ignore},
	{6, "DownlinkRANConfigurationTransfer", "", "", AMF, NonUE, Ignore},
	{7, "DownlinkRANStatusTransfer", "", "", AMF, UE, Ignore},
	{8, "DownlinkUEAssociatedNRPPaTransport", "", "", AMF, UE, Ignore},
	{9, "ErrorIndication", "", "", RAN | AMF, EitherUE, Ignore},
	{10, "HandoverCancel", "HandoverCancelAcknowledge", "", RAN, UE, Reject},
	{11, "HandoverNotify", "", "", RAN, UE, Ignore},
	{12, "HandoverRequired", "HandoverCommand", "HandoverPreparationFailure", RAN, UE, Reject},
	{13, "HandoverRequest", "HandoverRequestAcknowledge", "HandoverFailure", AMF, UE, Reject},
	{14, "InitialContextSetupRequest", "InitialContextSetupResponse", "InitialContextSetupFailure", AMF, UE, Reject},
	{15, "InitialUEMessage", "", "", RAN, UE, Ignore},
	{16, "LocationReportingControl", "", "", AMF, UE, Ignore},
	{17, "LocationReportingFailureIndication", "", "", RAN, UE, Ignore},
	{18, "LocationReport", "", "", RAN, UE, Ignore},
	{19, "NASNonDeliveryIndication", "", "", RAN, UE, Ignore},
	{20, "NGReset", "NGResetAcknowledge", "", RAN | AMF, NonUE, Reject},
	{21, "NGSetupRequest", "NGSetupResponse", "NGSetupFailure", RAN, NonUE, Reject},
	{22, "OverloadStart", "", "", AMF, NonUE, Ignore},
	{23, "OverloadStop", "", "", AMF, NonUE, Reject},
	{24, "Paging", "", "", AMF, NonUE, Ignore},
	{25, "PathSwitchRequest", "PathSwitchRequestAcknowledge", "PathSwitchRequestFailure", RAN, UE, Reject},
	{26, "PDUSessionResourceModifyRequest", "PDUSessionResourceModifyResponse", "", AMF, UE, Reject},
	{27, "PDUSessionResourceModifyIndication", "PDUSessionResourceModifyConfirm", "", RAN, UE, Reject},
	{28, "PDUSessionResourceReleaseCommand", "PDUSessionResourceReleaseResponse", "", AMF, UE, Reject},
	{29, "PDUSessionResourceSetupRequest", "PDUSessionResourceSetupResponse", "", AMF, UE, Reject},
	{30, "PDUSessionResourceNotify", "", "", RAN, UE, Ignore},
	{31, "PrivateMessage", "", "", RAN | AMF, NonUE, Ignore},
	{32, "PWSCancelRequest", "PWSCancelResponse", "", AMF, NonUE, Reject},
	{33, "PWSFailureIndication", "", "", RAN, NonUE, Ignore},
	{34, "PWSRestartIndication", "", "", RAN, NonUE, Ignore},
	{35, "RANConfigurationUpdate", "RANConfigurationUpdateAcknowledge", "RANConfigurationUpdateFailure", RAN, NonUE, Reject},
	{36, "RerouteNASRequest", "", "", AMF, UE, Reject},
	{37, "RRCInactiveTransitionReport", "", "", RAN, UE, Ignore},
	{38, "TraceFailureIndication", "", "", RAN, UE, Ignore},
	{39, "TraceStart", "", "", AMF, UE, Ignore},
	{40, "UEContextModificationRequest", "UEContextModificationResponse", "UEContextModificationFailure", AMF, UE, Reject},
	{41, "UEContextReleaseCommand", "UEContextReleaseComplete", "", AMF, UE, Reject},
	{42, "UEContextReleaseRequest", "", "", RAN, UE, Ignore},
	{43, "UERadioCapabilityCheckRequest", "UERadioCapabilityCheckResponse", "", AMF, UE, Reject},
	{44, "UERadioCapabilityInfoIndication", "", "", RAN, UE, Ignore},
	{45, "UETNLABindingReleaseRequest", "", "", AMF, UE, Ignore},
	{46, "UplinkNASTransport", "", "", RAN, UE, Ignore},
	{47, "UplinkNonUEAssociatedNRPPaTransport", "", "", RAN, NonUE, Ignore},
	{48, "UplinkRANConfigurationTransfer", "", "", RAN, NonUE, Ignore},
	{49, "UplinkRANStatusTransfer", "", "", RAN, UE, Ignore},
	{50, "UplinkUEAssociatedNRPPaTransport", "", "", RAN, UE, Ignore},
	{51, "WriteReplaceWarningRequest", "WriteReplaceWarningResponse", "", AMF, NonUE, Reject},
	{52, "SecondaryRATDataUsageReport", "", "", RAN, UE, Ignore},
	{53, "UplinkRIMInformationTransfer", "", "", RAN, NonUE, Ignore},
	{54, "DownlinkRIMInformationTransfer", "", "", AMF, NonUE, Ignore},
	{55, "RetrieveUEInformation", "", "", RAN, NonUE, Reject},
	{56, "UEInformationTransfer", "", "", AMF, NonUE, Reject},
	{57, "RANCPRelocationIndication", "", "", RAN, UE, Reject},
	{58, "UEContextResumeRequest", "UEContextResumeResponse", "UEContextResumeFailure", RAN, UE, Reject},
	{59, "UEContextSuspendRequest", "UEContextSuspendResponse", "UEContextSuspendFailure", RAN, UE, Reject},
	{60, "UERadioCapabilityIDMappingRequest", "UERadioCapabilityIDMappingResponse", "", RAN, NonUE, Reject},
	{61, "HandoverSuccess", "", "", AMF, UE, Ignore},
	{62, "UplinkRANEarlyStatusTransfer", "", "", RAN, UE, Reject},
	{63, "DownlinkRANEarlyStatusTransfer", "", "", AMF, UE, Ignore},
	{64, "AMFCPRelocationIndication", "", "", AMF, UE, Reject},
	{65, "ConnectionEstablishmentIndication", "", "", AMF, UE, Reject},
	{66, "BroadcastSessionModificationRequest", "BroadcastSessionModificationResponse", "BroadcastSessionModificationFailure", AMF, NonUE, Reject},
	{67, "BroadcastSessionReleaseRequest", "BroadcastSessionReleaseResponse", "", AMF, NonUE, Reject},
	{68, "BroadcastSessionSetupRequest", "BroadcastSessionSetupResponse", "BroadcastSessionSetupFailure", AMF, NonUE, Reject},
	{69, "DistributionSetupRequest", "DistributionSetupResponse", "DistributionSetupFailure", RAN, NonUE, Reject},
	{70, "DistributionReleaseRequest", "DistributionReleaseResponse", "", RAN, NonUE, Reject},
	{71, "MulticastSessionActivationRequest", "MulticastSessionActivationResponse", "MulticastSessionActivationFailure", AMF, NonUE, Reject},
	{72, "MulticastSessionDeactivationRequest", "MulticastSessionDeactivationResponse", "", AMF, NonUE, Reject},
	{73, "MulticastSessionUpdateRequest", "MulticastSessionUpdateResponse", "MulticastSessionUpdateFailure", AMF, NonUE, Reject},
	{74, "MulticastGroupPaging", "", "", AMF, NonUE, Ignore},
	{75, "BroadcastSessionReleaseRequired", "", "", RAN, NonUE, Reject},
	{76, "TimingSynchronisationStatusRequest", "TimingSynchronisationStatusResponse", "TimingSynchronisationStatusFailure", AMF, NonUE, Reject},
	{77, "TimingSynchronisationStatusReport", "", "", RAN, NonUE, Ignore},
	{78, "MTCommunicationHandlingRequest", "MTCommunicationHandlingResponse", "MTCommunicationHandlingFailure", RAN, UE, Reject},
	{79, "RANPagingRequest", "", "", AMF, UE, Ignore},
	{80, "BroadcastSessionTransportRequest", "BroadcastSessionTransportResponse", "BroadcastSessionTransportFailure", RAN, NonUE, Reject},
	{81, "NGRemovalRequest", "NGRemovalResponse", "NGRemovalFailure", RAN, NonUE, Reject},
	{82, "InventoryRequest", "InventoryResponse", "InventoryFailure", AMF, NonUE, Reject},
	{83, "InventoryReport", "", "", RAN, NonUE, Reject},
	{84, "CommandRequest", "CommandResponse", "CommandFailure", AMF, NonUE, Reject},
	{85, "AIOTSessionReleaseCommand", "AIOTSessionReleaseComplete", "", AMF, NonUE, Reject},
	{86, "AIOTSessionReleaseRequest", "", "", RAN, NonUE, Reject},
}

// The procedure codes (9.4.7), named after the initiating message.
const (
	CodeAMFConfigurationUpdate                Code = 0
	CodeAMFStatusIndication                   Code = 1
	CodeCellTrafficTrace                      Code = 2
	CodeDeactivateTrace                       Code = 3
	CodeDownlinkNASTransport                  Code = 4
	CodeDownlinkNonUEAssociatedNRPPaTransport Code = 5
	CodeDownlinkRANConfigurationTransfer      Code = 6
	CodeDownlinkRANStatusTransfer             Code = 7
	CodeDownlinkUEAssociatedNRPPaTransport    Code = 8
	CodeErrorIndication                       Code = 9
	CodeHandoverCancel                        Code = 10
	CodeHandoverNotify                        Code = 11
	CodeHandoverRequired                      Code = 12
	CodeHandoverRequest                       Code = 13
	CodeInitialContextSetupRequest            Code = 14
	CodeInitialUEMessage                      Code = 15
	CodeLocationReportingControl              Code = 16
	CodeLocationReportingFailureIndication    Code = 17
	CodeLocationReport                        Code = 18
	CodeNASNonDeliveryIndication              Code = 19
	CodeNGReset                               Code = 20
	CodeNGSetupRequest                        Code = 21
	CodeOverloadStart                         Code = 22
	CodeOverloadStop                          Code = 23
	CodePaging                                Code = 24
	CodePathSwitchRequest                     Code = 25
	CodePDUSessionResourceModifyRequest       Code = 26
	CodePDUSessionResourceModifyIndication    Code = 27
	CodePDUSessionResourceReleaseCommand      Code = 28
	CodePDUSessionResourceSetupRequest        Code = 29
	CodePDUSessionResourceNotify              Code = 30
	CodePrivateMessage                        Code = 31
	CodePWSCancelRequest                      Code = 32
	CodePWSFailureIndication                  Code = 33
	CodePWSRestartIndication                  Code = 34
	CodeRANConfigurationUpdate                Code = 35
	CodeRerouteNASRequest                     Code = 36
	CodeRRCInactiveTransitionReport           Code = 37
	CodeTraceFailureIndication                Code = 38
	CodeTraceStart                            Code = 39
	CodeUEContextModificationRequest          Code = 40
	CodeUEContextReleaseCommand               Code = 41
	CodeUEContextReleaseRequest               Code = 42
	CodeUERadioCapabilityCheckRequest         Code = 43
	CodeUERadioCapabilityInfoIndication       Code = 44
	CodeUETNLABindingReleaseRequest           Code = 45
	CodeUplinkNASTransport                    Code = 46
	CodeUplinkNonUEAssociatedNRPPaTransport   Code = 47
	CodeUplinkRANConfigurationTransfer        Code = 48
	CodeUplinkRANStatusTransfer               Code = 49
	CodeUplinkUEAssociatedNRPPaTransport      Code = 50
	CodeWriteReplaceWarningRequest            Code = 51
	CodeSecondaryRATDataUsageReport           Code = 52
	CodeUplinkRIMInformationTransfer          Code = 53
	CodeDownlinkRIMInformationTransfer        Code = 54
	CodeRetrieveUEInformation                 Code = 55
	CodeUEInformationTransfer                 Code = 56
	CodeRANCPRelocationIndication             Code = 57
	CodeUEContextResumeRequest                Code = 58
	CodeUEContextSuspendRequest               Code = 59
	CodeUERadioCapabilityIDMappingRequest     Code = 60
	CodeHandoverSuccess                       Code = 61
	CodeUplinkRANEarlyStatusTransfer          Code = 62
	CodeDownlinkRANEarlyStatusTransfer        Code = 63
	CodeAMFCPRelocationIndication             Code = 64
	CodeConnectionEstablishmentIndication     Code = 65
	CodeBroadcastSessionModificationRequest   Code = 66
	CodeBroadcastSessionReleaseRequest        Code = 67
	CodeBroadcastSessionSetupRequest          Code = 68
	CodeDistributionSetupRequest              Code = 69
	CodeDistributionReleaseRequest            Code = 70
	CodeMulticastSessionActivationRequest     Code = 71
	CodeMulticastSessionDeactivationRequest   Code = 72
	CodeMulticastSessionUpdateRequest         Code = 73
	CodeMulticastGroupPaging                  Code = 74
	CodeBroadcastSessionReleaseRequired       Code = 75
	CodeTimingSynchronisationStatusRequest    Code = 76
	CodeTimingSynchronisationStatusReport     Code = 77
	CodeMTCommunicationHandlingRequest        Code = 78
	CodeRANPagingRequest                      Code = 79
	CodeBroadcastSessionTransportRequest      Code = 80
	CodeNGRemovalRequest                      Code = 81
	CodeInventoryRequest                      Code = 82
	CodeInventoryReport                       Code = 83
	CodeCommandRequest                        Code = 84
	CodeAIOTSessionReleaseCommand             Code = 85
	CodeAIOTSessionReleaseRequest             Code = 86
)
