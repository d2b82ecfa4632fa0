package bssgp

// Presence says whether an IE must be in a PDU (TS 48.016 8.1).
type Presence uint8

const (
	Mandatory Presence = iota
	Conditional
	Optional
)

// Format is how an IE stands in a PDU.
type Format uint8

const (
	TLV Format = iota
	V          // value alone, at the beginning of UL- and DL-UNITDATA
)

// Row is one IE of a PDU. An IEI that has several rows may occur as often; the
// n-th occurrence is the n-th row. More occurrences are ignored.
type Row struct {
	IEI      IEI
	Presence Presence
	Format   Format
	// Min is the shortest value, in octets. There is no maximum: an IE that is
	// longer than specified is no error (TS 48.016 8.1).
	Min int
}

// Dirs and Kinds are sets of Dir and BVCKind.
type (
	Dirs  uint8
	Kinds uint8
)

// Has tells whether d is in the set.
func (s Dirs) Has(d Dir) bool { return s&(1<<d) != 0 }

// Has tells whether k is in the set.
func (s Kinds) Has(k BVCKind) bool { return s&(1<<k) != 0 }

// Def defines a PDU: TS 48.018 clause 10, and 5.4 for the kinds of BVC. LCS and
// MBMS PDUs are defined only as far as a relay needs: the identities.
type Def struct {
	Type  PDUType
	Name  string
	Dirs  Dirs
	Kinds Kinds
	Rows  []Row
	// OneOf are conditional IEs of which one must be present; Exactly says that
	// more than one is an error, too.
	OneOf   []IEI
	Exactly bool
}

const (
	ul   Dirs = 1 << Uplink
	dl   Dirs = 1 << Downlink
	both      = ul | dl

	sig Kinds = 1 << SIG
	ptp Kinds = 1 << PTP
	ptm Kinds = 1 << PTM
)

func must(i IEI, min int) Row { return Row{IEI: i, Min: min} }
func cond(i IEI, min int) Row { return Row{IEI: i, Min: min, Presence: Conditional} }
func opt(i IEI, min int) Row  { return Row{IEI: i, Min: min, Presence: Optional} }
func bare(i IEI, n int) Row   { return Row{IEI: i, Min: n, Format: V} }

// pagingArea are the IEs of which a paging has exactly one (TS 48.018 10.3.1).
var pagingArea = []IEI{IEBVCI, IELocationArea, IERouteingArea, IEBSSAreaIndication}

// definitions is the one table of PDUs: it drives Check and the tests.
var definitions = []Def{
	{Type: TypeDLUnitdata, Name: "DL-UNITDATA", Dirs: dl, Kinds: ptp, Rows: []Row{
		bare(IETLLI, 4), bare(IEQoSProfile, 3), must(IEPDULifetime, 2), opt(IEMSRadioAccessCapability, 1), opt(IEPriority, 1),
		opt(IEDRXParameters, 2), opt(IEIMSI, 3), opt(IETLLI, 4), opt(IEPFI, 1), opt(IELSAInformation, 1), opt(IEServiceUTRANCCO, 1),
		opt(IESubscriberProfileID, 1), opt(IERedirectionIndication, 1), opt(IERedirectionCompleted, 1),
		opt(IEUnconfirmedSendStateVariable, 2), opt(IESCI, 1), opt(IEGGSNPGWLocation, 1), opt(IEEDRXParameters, 1),
		opt(IEAlignment, 0), must(IELLCPDU, 0), opt(IELLCPDU, 0)}},
	{Type: TypeULUnitdata, Name: "UL-UNITDATA", Dirs: ul, Kinds: ptp, Rows: []Row{
		bare(IETLLI, 4), bare(IEQoSProfile, 3), must(IECellIdentifier, 8), opt(IEPFI, 1), opt(IELSAIdentifierList, 1),
		opt(IERedirectAttemptFlag, 1), opt(IEIMSI, 3), opt(IEUnconfirmedSendStateVariable, 2), opt(IESelectedPLMNID, 3),
		opt(IECoverageClass, 1), opt(IEAlignment, 0), must(IELLCPDU, 0)}},
	{Type: TypeRACapability, Name: "RA-CAPABILITY", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEMSRadioAccessCapability, 1)}},
	{Type: TypePTMUnitdata, Name: "PTM-UNITDATA", Dirs: dl, Kinds: ptm},
	{Type: TypeDLMBMSUnitdata, Name: "DL-MBMS-UNITDATA", Dirs: dl, Kinds: ptm},
	{Type: TypeULMBMSUnitdata, Name: "UL-MBMS-UNITDATA", Dirs: ul, Kinds: ptm},

	{Type: TypePagingPS, Name: "PAGING-PS", Dirs: dl, Kinds: sig | ptp, OneOf: pagingArea, Exactly: true, Rows: []Row{
		must(IEIMSI, 3), opt(IEDRXParameters, 2), cond(IEBVCI, 2), cond(IELocationArea, 5), cond(IERouteingArea, 6),
		cond(IEBSSAreaIndication, 1), opt(IEPFI, 1), opt(IEABQP, 11), must(IEQoSProfile, 3), opt(IETMSI, 4),
		opt(IEEDRXParameters, 1), opt(IECoverageClass, 1), opt(IEMSRadioAccessCapability, 1), opt(IEPagingAttemptInformation, 1)}},
	{Type: TypePagingCS, Name: "PAGING-CS", Dirs: dl, Kinds: sig | ptp, OneOf: pagingArea, Exactly: true, Rows: []Row{
		must(IEIMSI, 3), must(IEDRXParameters, 2), cond(IEBVCI, 2), cond(IELocationArea, 5), cond(IERouteingArea, 6),
		cond(IEBSSAreaIndication, 1), opt(IETLLI, 4), opt(IEChannelNeeded, 1), opt(IEEMLPPPriority, 1), opt(IETMSI, 4),
		opt(IEGlobalCNID, 5)}},
	{Type: TypePagingPSReject, Name: "PAGING-PS-REJECT", Dirs: ul, Kinds: sig | ptp, Rows: []Row{
		must(IEIMSI, 3), opt(IETMSI, 4), must(IETimeUntilNextPagingOccasion, 2)}},
	{Type: TypeDummyPagingPS, Name: "DUMMY-PAGING-PS", Dirs: dl, Kinds: sig | ptp, Rows: []Row{
		must(IEIMSI, 3), opt(IERouteingArea, 6), opt(IEEDRXParameters, 1)}},
	{Type: TypeDummyPagingPSResponse, Name: "DUMMY-PAGING-PS-RESPONSE", Dirs: ul, Kinds: sig | ptp, Rows: []Row{
		must(IEIMSI, 3), must(IETimeUntilNextPagingOccasion, 2)}},
	{Type: TypeRACapabilityUpdate, Name: "RA-CAPABILITY-UPDATE", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1)}},
	{Type: TypeRACapabilityUpdateAck, Name: "RA-CAPABILITY-UPDATE-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1), opt(IEIMSI, 3), must(IERACapUpdCause, 1), opt(IEMSRadioAccessCapability, 1)}},
	{Type: TypeRadioStatus, Name: "RADIO-STATUS", Dirs: ul, Kinds: ptp, OneOf: []IEI{IETLLI, IETMSI, IEIMSI}, Rows: []Row{
		cond(IETLLI, 4), cond(IETMSI, 4), cond(IEIMSI, 3), must(IERadioCause, 1)}},
	{Type: TypeSuspend, Name: "SUSPEND", Dirs: ul, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6)}},
	{Type: TypeSuspendAck, Name: "SUSPEND-ACK", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6), must(IESuspendReferenceNumber, 1)}},
	{Type: TypeSuspendNack, Name: "SUSPEND-NACK", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6), opt(IECause, 1)}},
	{Type: TypeResume, Name: "RESUME", Dirs: ul, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6), must(IESuspendReferenceNumber, 1)}},
	{Type: TypeResumeAck, Name: "RESUME-ACK", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6)}},
	{Type: TypeResumeNack, Name: "RESUME-NACK", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IERouteingArea, 6), opt(IECause, 1)}},
	{Type: TypeMSRegistrationEnquiry, Name: "MS-REGISTRATION-ENQUIRY", Dirs: ul, Kinds: sig, Rows: []Row{
		must(IEIMSI, 3)}},
	{Type: TypeMSRegistrationEnquiryResponse, Name: "MS-REGISTRATION-ENQUIRY-RESPONSE", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IEIMSI, 3)}},

	{Type: TypeBVCBlock, Name: "BVC-BLOCK", Dirs: ul, Kinds: sig, Rows: []Row{must(IEBVCI, 2), must(IECause, 1)}},
	{Type: TypeBVCBlockAck, Name: "BVC-BLOCK-ACK", Dirs: dl, Kinds: sig, Rows: []Row{must(IEBVCI, 2)}},
	{Type: TypeBVCReset, Name: "BVC-RESET", Dirs: both, Kinds: sig, Rows: []Row{
		must(IEBVCI, 2), must(IECause, 1), cond(IECellIdentifier, 8), opt(IEFeatureBitmap, 1), opt(IEExtendedFeatureBitmap, 1)}},
	{Type: TypeBVCResetAck, Name: "BVC-RESET-ACK", Dirs: both, Kinds: sig, Rows: []Row{
		must(IEBVCI, 2), opt(IECellIdentifier, 8), opt(IEFeatureBitmap, 1), opt(IEExtendedFeatureBitmap, 1)}},
	{Type: TypeBVCUnblock, Name: "BVC-UNBLOCK", Dirs: ul, Kinds: sig, Rows: []Row{must(IEBVCI, 2)}},
	{Type: TypeBVCUnblockAck, Name: "BVC-UNBLOCK-ACK", Dirs: dl, Kinds: sig, Rows: []Row{must(IEBVCI, 2)}},
	{Type: TypeFlowControlBVC, Name: "FLOW-CONTROL-BVC", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETag, 1), must(IEBVCBucketSize, 2), must(IEBucketLeakRate, 2), must(IEBmaxDefaultMS, 2), must(IERDefaultMS, 2),
		opt(IEBucketFullRatio, 1), opt(IEBVCMeasurement, 2), opt(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlBVCAck, Name: "FLOW-CONTROL-BVC-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{must(IETag, 1)}},
	{Type: TypeFlowControlMS, Name: "FLOW-CONTROL-MS", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1), must(IEMSBucketSize, 2), must(IEBucketLeakRate, 2), opt(IEBucketFullRatio, 1),
		opt(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlMSAck, Name: "FLOW-CONTROL-MS-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1)}},
	{Type: TypeFlushLL, Name: "FLUSH-LL", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IEBVCI, 2), opt(IEBVCI, 2), opt(IENSEI, 2)}},
	{Type: TypeFlushLLAck, Name: "FLUSH-LL-ACK", Dirs: ul, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IEFlushAction, 1), cond(IEBVCI, 2), must(IENumberOfOctetsAffected, 3), opt(IENSEI, 2)}},
	{Type: TypeLLCDiscarded, Name: "LLC-DISCARDED", Dirs: ul, Kinds: sig, Rows: []Row{
		must(IETLLI, 4), must(IELLCFramesDiscarded, 1), must(IEBVCI, 2), must(IENumberOfOctetsAffected, 3), opt(IEPFI, 1)}},
	{Type: TypeFlowControlPFC, Name: "FLOW-CONTROL-PFC", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1), opt(IEMSBucketSize, 2), opt(IEBucketLeakRate, 2), opt(IEBucketFullRatio, 1),
		must(IEPFCFlowControlParameters, 1), opt(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlPFCAck, Name: "FLOW-CONTROL-PFC-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IETag, 1)}},
	{Type: TypeSGSNInvokeTrace, Name: "SGSN-INVOKE-TRACE", Dirs: dl, Kinds: sig, Rows: []Row{
		must(IETraceType, 1), must(IETraceReference, 2), opt(IETriggerID, 1), opt(IEMobileID, 1), opt(IEOMCID, 1),
		opt(IETransactionID, 2)}},
	{Type: TypeStatus, Name: "STATUS", Dirs: both, Kinds: sig | ptp | ptm, Rows: []Row{
		must(IECause, 1), cond(IEBVCI, 2), opt(IEPDUInError, 0)}},
	{Type: TypeOverload, Name: "OVERLOAD", Dirs: dl, Kinds: sig, Rows: []Row{must(IEPriorityClassIndicator, 1)}},

	{Type: TypeDownloadBSSPFC, Name: "DOWNLOAD-BSS-PFC", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1)}},
	{Type: TypeCreateBSSPFC, Name: "CREATE-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), opt(IEIMSI, 3), must(IEPFI, 1), must(IEGPRSTimer, 1), must(IEABQP, 11), opt(IEServiceUTRANCCO, 1),
		opt(IEMSRadioAccessCapability, 1), opt(IEPriority, 1), cond(IEGPRSTimer, 1), opt(IEInterRATHandoverInfo, 1),
		opt(IEEUTRANInterRATHandoverInfo, 1), opt(IESubscriberProfileID, 1)}},
	{Type: TypeCreateBSSPFCAck, Name: "CREATE-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1), must(IEABQP, 11), opt(IECause, 1)}},
	{Type: TypeCreateBSSPFCNack, Name: "CREATE-BSS-PFC-NACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1), must(IECause, 1)}},
	{Type: TypeModifyBSSPFC, Name: "MODIFY-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1), opt(IEGPRSTimer, 1), must(IEABQP, 11)}},
	{Type: TypeModifyBSSPFCAck, Name: "MODIFY-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1), must(IEGPRSTimer, 1), must(IEABQP, 11)}},
	{Type: TypeDeleteBSSPFC, Name: "DELETE-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1)}},
	{Type: TypeDeleteBSSPFCAck, Name: "DELETE-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1)}},
	{Type: TypeDeleteBSSPFCReq, Name: "DELETE-BSS-PFC-REQ", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEPFI, 1), must(IECause, 1)}},
	{Type: TypePSHORequired, Name: "PS-HANDOVER-REQUIRED", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IECause, 1), must(IECellIdentifier, 8), cond(IECellIdentifier, 8), cond(IESourceBSSToTargetBSSContainer, 1),
		cond(IERNCIdentifier, 8), cond(IESourceToTargetContainer, 1), must(IEActivePFCsList, 1)}},
	{Type: TypePSHORequiredAck, Name: "PS-HANDOVER-REQUIRED-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEListOfSetupPFCs, 1), cond(IETargetBSSToSourceBSSContainer, 1), cond(IETargetToSourceContainer, 1)}},
	{Type: TypePSHORequiredNack, Name: "PS-HANDOVER-REQUIRED-NACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IECause, 1)}},
	{Type: TypePSHORequest, Name: "PS-HANDOVER-REQUEST", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEIMSI, 3), must(IECause, 1), cond(IERNCIdentifier, 8), must(IECellIdentifier, 8), cond(IECellIdentifier, 8),
		must(IESourceBSSToTargetBSSContainer, 1), must(IEPFCsToBeSetupList, 1), opt(IENASContainerForPSHandover, 1)}},
	{Type: TypePSHORequestAck, Name: "PS-HANDOVER-REQUEST-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEListOfSetupPFCs, 1), must(IETargetBSSToSourceBSSContainer, 1)}},
	{Type: TypePSHORequestNack, Name: "PS-HANDOVER-REQUEST-NACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IECause, 1)}},
	{Type: TypePSHOComplete, Name: "PS-HANDOVER-COMPLETE", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IEIMSI, 3), opt(IECellIdentifier, 8), opt(IERequestForInterRATHandoverInfo, 1)}},
	{Type: TypePSHOCancel, Name: "PS-HANDOVER-CANCEL", Dirs: ul, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), must(IECause, 1), must(IECellIdentifier, 8), cond(IECellIdentifier, 8), cond(IERNCIdentifier, 8)}},
	{Type: TypePSHOCompleteAck, Name: "PS-HANDOVER-COMPLETE-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		must(IETLLI, 4), opt(IEInterRATHandoverInfo, 1), opt(IEEUTRANInterRATHandoverInfo, 1)}},

	{Type: TypePerformLocationRequest, Name: "PERFORM-LOCATION-REQUEST", Dirs: dl, Kinds: sig, Rows: lcs},
	{Type: TypePerformLocationResponse, Name: "PERFORM-LOCATION-RESPONSE", Dirs: ul, Kinds: sig, Rows: lcs},
	{Type: TypePerformLocationAbort, Name: "PERFORM-LOCATION-ABORT", Dirs: dl, Kinds: sig, Rows: lcs},
	{Type: TypePositionCommand, Name: "POSITION-COMMAND", Dirs: ul, Kinds: sig, Rows: lcs},
	{Type: TypePositionResponse, Name: "POSITION-RESPONSE", Dirs: dl, Kinds: sig, Rows: lcs},

	{Type: TypeRANInformation, Name: "RAN-INFORMATION", Dirs: both, Kinds: sig, Rows: rim(IERANInformationContainer)},
	{Type: TypeRANInformationRequest, Name: "RAN-INFORMATION-REQUEST", Dirs: both, Kinds: sig,
		Rows: rim(IERANInformationRequestContainer)},
	{Type: TypeRANInformationAck, Name: "RAN-INFORMATION-ACK", Dirs: both, Kinds: sig,
		Rows: rim(IERANInformationAckContainer)},
	{Type: TypeRANInformationError, Name: "RAN-INFORMATION-ERROR", Dirs: both, Kinds: sig,
		Rows: rim(IERANInformationErrorContainer)},
	{Type: TypeRANInformationApplicationError, Name: "RAN-INFORMATION-APPLICATION-ERROR", Dirs: both, Kinds: sig,
		Rows: rim(IERANInformationApplicationErrorContainer)},

	{Type: TypeMBMSSessionStartRequest, Name: "MBMS-SESSION-START-REQUEST", Dirs: dl, Kinds: sig},
	{Type: TypeMBMSSessionStartResponse, Name: "MBMS-SESSION-START-RESPONSE", Dirs: ul, Kinds: sig},
	{Type: TypeMBMSSessionStopRequest, Name: "MBMS-SESSION-STOP-REQUEST", Dirs: dl, Kinds: sig},
	{Type: TypeMBMSSessionStopResponse, Name: "MBMS-SESSION-STOP-RESPONSE", Dirs: ul, Kinds: sig},
	{Type: TypeMBMSSessionUpdateRequest, Name: "MBMS-SESSION-UPDATE-REQUEST", Dirs: dl, Kinds: sig},
	{Type: TypeMBMSSessionUpdateResponse, Name: "MBMS-SESSION-UPDATE-RESPONSE", Dirs: ul, Kinds: sig},
}

// lcs is the envelope of every LCS PDU.
var lcs = []Row{must(IETLLI, 4), must(IEBVCI, 2), opt(IEIMSI, 3), opt(IENSEI, 2), opt(IECellIdentifier, 8)}

// rim gives the rows of a RIM PDU: destination, source and container.
func rim(container IEI) []Row {
	return []Row{must(IERIMRoutingInformation, 1), must(IERIMRoutingInformation, 1), must(container, 1)}
}
