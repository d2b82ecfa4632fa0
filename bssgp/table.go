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

func m(i IEI, min int) Row { return Row{IEI: i, Min: min} }
func c(i IEI, min int) Row { return Row{IEI: i, Min: min, Presence: Conditional} }
func o(i IEI, min int) Row { return Row{IEI: i, Min: min, Presence: Optional} }
func v(i IEI, n int) Row   { return Row{IEI: i, Min: n, Format: V} }

// pagingArea are the IEs of which a paging has exactly one (TS 48.018 10.3.1).
var pagingArea = []IEI{IEBVCI, IELocationArea, IERouteingArea, IEBSSAreaIndication}

// definitions is the one table of PDUs: it drives Check and the tests.
var definitions = []Def{
	{Type: TypeDLUnitdata, Name: "DL-UNITDATA", Dirs: dl, Kinds: ptp, Rows: []Row{
		v(IETLLI, 4), v(IEQoSProfile, 3), m(IEPDULifetime, 2), o(IEMSRadioAccessCapability, 1), o(IEPriority, 1),
		o(IEDRXParameters, 2), o(IEIMSI, 3), o(IETLLI, 4), o(IEPFI, 1), o(IELSAInformation, 1), o(IEServiceUTRANCCO, 1),
		o(IESubscriberProfileID, 1), o(IERedirectionIndication, 1), o(IERedirectionCompleted, 1),
		o(IEUnconfirmedSendStateVariable, 2), o(IESCI, 1), o(IEGGSNPGWLocation, 1), o(IEEDRXParameters, 1),
		o(IEAlignment, 0), m(IELLCPDU, 0), o(IELLCPDU, 0)}},
	{Type: TypeULUnitdata, Name: "UL-UNITDATA", Dirs: ul, Kinds: ptp, Rows: []Row{
		v(IETLLI, 4), v(IEQoSProfile, 3), m(IECellIdentifier, 8), o(IEPFI, 1), o(IELSAIdentifierList, 1),
		o(IERedirectAttemptFlag, 1), o(IEIMSI, 3), o(IEUnconfirmedSendStateVariable, 2), o(IESelectedPLMNID, 3),
		o(IECoverageClass, 1), o(IEAlignment, 0), m(IELLCPDU, 0)}},
	{Type: TypeRACapability, Name: "RA-CAPABILITY", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEMSRadioAccessCapability, 1)}},
	{Type: TypePTMUnitdata, Name: "PTM-UNITDATA", Dirs: dl, Kinds: ptm},
	{Type: TypeDLMBMSUnitdata, Name: "DL-MBMS-UNITDATA", Dirs: dl, Kinds: ptm},
	{Type: TypeULMBMSUnitdata, Name: "UL-MBMS-UNITDATA", Dirs: ul, Kinds: ptm},

	{Type: TypePagingPS, Name: "PAGING-PS", Dirs: dl, Kinds: sig | ptp, OneOf: pagingArea, Exactly: true, Rows: []Row{
		m(IEIMSI, 3), o(IEDRXParameters, 2), c(IEBVCI, 2), c(IELocationArea, 5), c(IERouteingArea, 6),
		c(IEBSSAreaIndication, 1), o(IEPFI, 1), o(IEABQP, 11), m(IEQoSProfile, 3), o(IETMSI, 4),
		o(IEEDRXParameters, 1), o(IECoverageClass, 1), o(IEMSRadioAccessCapability, 1), o(IEPagingAttemptInformation, 1)}},
	{Type: TypePagingCS, Name: "PAGING-CS", Dirs: dl, Kinds: sig | ptp, OneOf: pagingArea, Exactly: true, Rows: []Row{
		m(IEIMSI, 3), m(IEDRXParameters, 2), c(IEBVCI, 2), c(IELocationArea, 5), c(IERouteingArea, 6),
		c(IEBSSAreaIndication, 1), o(IETLLI, 4), o(IEChannelNeeded, 1), o(IEEMLPPPriority, 1), o(IETMSI, 4),
		o(IEGlobalCNID, 5)}},
	{Type: TypePagingPSReject, Name: "PAGING-PS-REJECT", Dirs: ul, Kinds: sig | ptp, Rows: []Row{
		m(IEIMSI, 3), o(IETMSI, 4), m(IETimeUntilNextPagingOccasion, 2)}},
	{Type: TypeDummyPagingPS, Name: "DUMMY-PAGING-PS", Dirs: dl, Kinds: sig | ptp, Rows: []Row{
		m(IEIMSI, 3), o(IERouteingArea, 6), o(IEEDRXParameters, 1)}},
	{Type: TypeDummyPagingPSResponse, Name: "DUMMY-PAGING-PS-RESPONSE", Dirs: ul, Kinds: sig | ptp, Rows: []Row{
		m(IEIMSI, 3), m(IETimeUntilNextPagingOccasion, 2)}},
	{Type: TypeRACapabilityUpdate, Name: "RA-CAPABILITY-UPDATE", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1)}},
	{Type: TypeRACapabilityUpdateAck, Name: "RA-CAPABILITY-UPDATE-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1), o(IEIMSI, 3), m(IERACapUpdCause, 1), o(IEMSRadioAccessCapability, 1)}},
	{Type: TypeRadioStatus, Name: "RADIO-STATUS", Dirs: ul, Kinds: ptp, OneOf: []IEI{IETLLI, IETMSI, IEIMSI}, Rows: []Row{
		c(IETLLI, 4), c(IETMSI, 4), c(IEIMSI, 3), m(IERadioCause, 1)}},
	{Type: TypeSuspend, Name: "SUSPEND", Dirs: ul, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6)}},
	{Type: TypeSuspendAck, Name: "SUSPEND-ACK", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6), m(IESuspendReferenceNumber, 1)}},
	{Type: TypeSuspendNack, Name: "SUSPEND-NACK", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6), o(IECause, 1)}},
	{Type: TypeResume, Name: "RESUME", Dirs: ul, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6), m(IESuspendReferenceNumber, 1)}},
	{Type: TypeResumeAck, Name: "RESUME-ACK", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6)}},
	{Type: TypeResumeNack, Name: "RESUME-NACK", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IERouteingArea, 6), o(IECause, 1)}},
	{Type: TypeMSRegistrationEnquiry, Name: "MS-REGISTRATION-ENQUIRY", Dirs: ul, Kinds: sig, Rows: []Row{
		m(IEIMSI, 3)}},
	{Type: TypeMSRegistrationEnquiryResponse, Name: "MS-REGISTRATION-ENQUIRY-RESPONSE", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IEIMSI, 3)}},

	{Type: TypeBVCBlock, Name: "BVC-BLOCK", Dirs: ul, Kinds: sig, Rows: []Row{m(IEBVCI, 2), m(IECause, 1)}},
	{Type: TypeBVCBlockAck, Name: "BVC-BLOCK-ACK", Dirs: dl, Kinds: sig, Rows: []Row{m(IEBVCI, 2)}},
	{Type: TypeBVCReset, Name: "BVC-RESET", Dirs: both, Kinds: sig, Rows: []Row{
		m(IEBVCI, 2), m(IECause, 1), c(IECellIdentifier, 8), o(IEFeatureBitmap, 1), o(IEExtendedFeatureBitmap, 1)}},
	{Type: TypeBVCResetAck, Name: "BVC-RESET-ACK", Dirs: both, Kinds: sig, Rows: []Row{
		m(IEBVCI, 2), o(IECellIdentifier, 8), o(IEFeatureBitmap, 1), o(IEExtendedFeatureBitmap, 1)}},
	{Type: TypeBVCUnblock, Name: "BVC-UNBLOCK", Dirs: ul, Kinds: sig, Rows: []Row{m(IEBVCI, 2)}},
	{Type: TypeBVCUnblockAck, Name: "BVC-UNBLOCK-ACK", Dirs: dl, Kinds: sig, Rows: []Row{m(IEBVCI, 2)}},
	{Type: TypeFlowControlBVC, Name: "FLOW-CONTROL-BVC", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETag, 1), m(IEBVCBucketSize, 2), m(IEBucketLeakRate, 2), m(IEBmaxDefaultMS, 2), m(IERDefaultMS, 2),
		o(IEBucketFullRatio, 1), o(IEBVCMeasurement, 2), o(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlBVCAck, Name: "FLOW-CONTROL-BVC-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{m(IETag, 1)}},
	{Type: TypeFlowControlMS, Name: "FLOW-CONTROL-MS", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1), m(IEMSBucketSize, 2), m(IEBucketLeakRate, 2), o(IEBucketFullRatio, 1),
		o(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlMSAck, Name: "FLOW-CONTROL-MS-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1)}},
	{Type: TypeFlushLL, Name: "FLUSH-LL", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IEBVCI, 2), o(IEBVCI, 2), o(IENSEI, 2)}},
	{Type: TypeFlushLLAck, Name: "FLUSH-LL-ACK", Dirs: ul, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IEFlushAction, 1), c(IEBVCI, 2), m(IENumberOfOctetsAffected, 3), o(IENSEI, 2)}},
	{Type: TypeLLCDiscarded, Name: "LLC-DISCARDED", Dirs: ul, Kinds: sig, Rows: []Row{
		m(IETLLI, 4), m(IELLCFramesDiscarded, 1), m(IEBVCI, 2), m(IENumberOfOctetsAffected, 3), o(IEPFI, 1)}},
	{Type: TypeFlowControlPFC, Name: "FLOW-CONTROL-PFC", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1), o(IEMSBucketSize, 2), o(IEBucketLeakRate, 2), o(IEBucketFullRatio, 1),
		m(IEPFCFlowControlParameters, 1), o(IEFlowControlGranularity, 1)}},
	{Type: TypeFlowControlPFCAck, Name: "FLOW-CONTROL-PFC-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IETag, 1)}},
	{Type: TypeSGSNInvokeTrace, Name: "SGSN-INVOKE-TRACE", Dirs: dl, Kinds: sig, Rows: []Row{
		m(IETraceType, 1), m(IETraceReference, 2), o(IETriggerID, 1), o(IEMobileID, 1), o(IEOMCID, 1),
		o(IETransactionID, 2)}},
	{Type: TypeStatus, Name: "STATUS", Dirs: both, Kinds: sig | ptp | ptm, Rows: []Row{
		m(IECause, 1), c(IEBVCI, 2), o(IEPDUInError, 0)}},
	{Type: TypeOverload, Name: "OVERLOAD", Dirs: dl, Kinds: sig, Rows: []Row{m(IEPriorityClassIndicator, 1)}},

	{Type: TypeDownloadBSSPFC, Name: "DOWNLOAD-BSS-PFC", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1)}},
	{Type: TypeCreateBSSPFC, Name: "CREATE-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), o(IEIMSI, 3), m(IEPFI, 1), m(IEGPRSTimer, 1), m(IEABQP, 11), o(IEServiceUTRANCCO, 1),
		o(IEMSRadioAccessCapability, 1), o(IEPriority, 1), c(IEGPRSTimer, 1), o(IEInterRATHandoverInfo, 1),
		o(IEEUTRANInterRATHandoverInfo, 1), o(IESubscriberProfileID, 1)}},
	{Type: TypeCreateBSSPFCAck, Name: "CREATE-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1), m(IEABQP, 11), o(IECause, 1)}},
	{Type: TypeCreateBSSPFCNack, Name: "CREATE-BSS-PFC-NACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1), m(IECause, 1)}},
	{Type: TypeModifyBSSPFC, Name: "MODIFY-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1), o(IEGPRSTimer, 1), m(IEABQP, 11)}},
	{Type: TypeModifyBSSPFCAck, Name: "MODIFY-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1), m(IEGPRSTimer, 1), m(IEABQP, 11)}},
	{Type: TypeDeleteBSSPFC, Name: "DELETE-BSS-PFC", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1)}},
	{Type: TypeDeleteBSSPFCAck, Name: "DELETE-BSS-PFC-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1)}},
	{Type: TypeDeleteBSSPFCReq, Name: "DELETE-BSS-PFC-REQ", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEPFI, 1), m(IECause, 1)}},
	{Type: TypePSHORequired, Name: "PS-HANDOVER-REQUIRED", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IECause, 1), m(IECellIdentifier, 8), c(IECellIdentifier, 8), c(IESourceBSSToTargetBSSContainer, 1),
		c(IERNCIdentifier, 8), c(IESourceToTargetContainer, 1), m(IEActivePFCsList, 1)}},
	{Type: TypePSHORequiredAck, Name: "PS-HANDOVER-REQUIRED-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEListOfSetupPFCs, 1), c(IETargetBSSToSourceBSSContainer, 1), c(IETargetToSourceContainer, 1)}},
	{Type: TypePSHORequiredNack, Name: "PS-HANDOVER-REQUIRED-NACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IECause, 1)}},
	{Type: TypePSHORequest, Name: "PS-HANDOVER-REQUEST", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEIMSI, 3), m(IECause, 1), c(IERNCIdentifier, 8), m(IECellIdentifier, 8), c(IECellIdentifier, 8),
		m(IESourceBSSToTargetBSSContainer, 1), m(IEPFCsToBeSetupList, 1), o(IENASContainerForPSHandover, 1)}},
	{Type: TypePSHORequestAck, Name: "PS-HANDOVER-REQUEST-ACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEListOfSetupPFCs, 1), m(IETargetBSSToSourceBSSContainer, 1)}},
	{Type: TypePSHORequestNack, Name: "PS-HANDOVER-REQUEST-NACK", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IECause, 1)}},
	{Type: TypePSHOComplete, Name: "PS-HANDOVER-COMPLETE", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IEIMSI, 3), o(IECellIdentifier, 8), o(IERequestForInterRATHandoverInfo, 1)}},
	{Type: TypePSHOCancel, Name: "PS-HANDOVER-CANCEL", Dirs: ul, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), m(IECause, 1), m(IECellIdentifier, 8), c(IECellIdentifier, 8), c(IERNCIdentifier, 8)}},
	{Type: TypePSHOCompleteAck, Name: "PS-HANDOVER-COMPLETE-ACK", Dirs: dl, Kinds: ptp, Rows: []Row{
		m(IETLLI, 4), o(IEInterRATHandoverInfo, 1), o(IEEUTRANInterRATHandoverInfo, 1)}},

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
var lcs = []Row{m(IETLLI, 4), m(IEBVCI, 2), o(IEIMSI, 3), o(IENSEI, 2), o(IECellIdentifier, 8)}

// rim gives the rows of a RIM PDU: destination, source and container.
func rim(container IEI) []Row {
	return []Row{m(IERIMRoutingInformation, 1), m(IERIMRoutingInformation, 1), m(container, 1)}
}
