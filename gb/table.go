package gb

import "poolgw/bssgp"

// row says what becomes of a PDU type that comes in one direction on one kind
// of BVC. What has no row is refused (TS 48.018 10.3.4: STATUS "protocol error -
// unspecified").
type row struct {
	pdu  bssgp.PDUType
	dir  bssgp.Dir
	kind bssgp.BVCKind
	rule rule
}

const (
	ul  = bssgp.Uplink
	dl  = bssgp.Downlink
	ptp = bssgp.PTP
	sig = bssgp.SIG
)

// routing is the routing table. It drives the code: routes is made of it, and
// doc/routing.md too.
var routing = []row{
	// User data and what belongs to one subscriber of a cell.
	{bssgp.TypeULUnitdata, ul, ptp, byTLLI},
	{bssgp.TypeRACapabilityUpdate, ul, ptp, byTLLI},
	{bssgp.TypeFlowControlMS, ul, ptp, byTLLI},
	{bssgp.TypeFlowControlPFC, ul, ptp, byTLLI},
	{bssgp.TypeDownloadBSSPFC, ul, ptp, byTLLI},
	{bssgp.TypeCreateBSSPFCAck, ul, ptp, byTLLI},
	{bssgp.TypeCreateBSSPFCNack, ul, ptp, byTLLI},
	{bssgp.TypeModifyBSSPFCAck, ul, ptp, byTLLI},
	{bssgp.TypeDeleteBSSPFCAck, ul, ptp, byTLLI},
	{bssgp.TypeDeleteBSSPFCReq, ul, ptp, byTLLI},
	{bssgp.TypePSHORequired, ul, ptp, byTLLI},
	{bssgp.TypePSHORequestAck, ul, ptp, byTLLI},
	{bssgp.TypePSHORequestNack, ul, ptp, byTLLI},
	{bssgp.TypePSHOComplete, ul, ptp, byTLLI},
	{bssgp.TypePSHOCancel, ul, ptp, byTLLI},
	{bssgp.TypeRadioStatus, ul, ptp, byIdentity},
	{bssgp.TypeDLUnitdata, dl, ptp, toCell},
	{bssgp.TypeRACapability, dl, ptp, toCell},
	{bssgp.TypeRACapabilityUpdateAck, dl, ptp, toCell},
	{bssgp.TypeFlowControlMSAck, dl, ptp, toCell},
	{bssgp.TypeFlowControlPFCAck, dl, ptp, toCell},
	{bssgp.TypeCreateBSSPFC, dl, ptp, toCell},
	{bssgp.TypeModifyBSSPFC, dl, ptp, toCell},
	{bssgp.TypeDeleteBSSPFC, dl, ptp, toCell},
	{bssgp.TypePSHORequiredAck, dl, ptp, toCell},
	{bssgp.TypePSHORequiredNack, dl, ptp, toCell},
	{bssgp.TypePSHORequest, dl, ptp, toCell},
	{bssgp.TypePSHOCompleteAck, dl, ptp, toCell},

	// Paging and registration enquiry: answers find back by the IMSI cache.
	{bssgp.TypePagingPS, dl, ptp, pageCell},
	{bssgp.TypeDummyPagingPS, dl, ptp, pageCell},
	{bssgp.TypePagingCS, dl, ptp, pageCell},
	{bssgp.TypePagingPS, dl, sig, pageArea},
	{bssgp.TypeDummyPagingPS, dl, sig, pageArea},
	{bssgp.TypePagingCS, dl, sig, pageArea},
	{bssgp.TypePagingPSReject, ul, ptp, byPagingCache},
	{bssgp.TypeDummyPagingPSResponse, ul, ptp, byPagingCache},
	{bssgp.TypePagingPSReject, ul, sig, byPagingCache},
	{bssgp.TypeDummyPagingPSResponse, ul, sig, byPagingCache},
	{bssgp.TypeMSRegistrationEnquiry, ul, sig, registrationEnquiry},
	{bssgp.TypeMSRegistrationEnquiryResponse, dl, sig, byEnquiryCache},

	// Subscribers on the signalling BVC.
	{bssgp.TypeSuspend, ul, sig, byTLLIRemembered},
	{bssgp.TypeResume, ul, sig, byTLLIRemembered},
	{bssgp.TypeSuspendAck, dl, sig, byTLLICache},
	{bssgp.TypeSuspendNack, dl, sig, byTLLICache},
	{bssgp.TypeResumeAck, dl, sig, byTLLICache},
	{bssgp.TypeResumeNack, dl, sig, byTLLICache},
	{bssgp.TypeFlushLL, dl, sig, flushLL},
	{bssgp.TypeFlushLLAck, ul, sig, byTLLI},
	{bssgp.TypeLLCDiscarded, ul, sig, byTLLI},
	{bssgp.TypePerformLocationRequest, dl, sig, byBVCI},
	{bssgp.TypePerformLocationAbort, dl, sig, byBVCI},
	{bssgp.TypePositionResponse, dl, sig, byBVCI},
	{bssgp.TypePerformLocationResponse, ul, sig, byTLLI},
	{bssgp.TypePositionCommand, ul, sig, byTLLI},

	// Management of BVCs and their flow control.
	{bssgp.TypeBVCReset, ul, sig, bvcMachine},
	{bssgp.TypeBVCResetAck, ul, sig, bvcMachine},
	{bssgp.TypeBVCBlock, ul, sig, bvcMachine},
	{bssgp.TypeBVCUnblock, ul, sig, bvcMachine},
	{bssgp.TypeBVCReset, dl, sig, bvcMachine},
	{bssgp.TypeBVCResetAck, dl, sig, bvcMachine},
	{bssgp.TypeBVCBlockAck, dl, sig, bvcMachine},
	{bssgp.TypeBVCUnblockAck, dl, sig, bvcMachine},
	{bssgp.TypeFlowControlBVC, ul, ptp, flowControl},
	{bssgp.TypeFlowControlBVCAck, dl, ptp, flowControlAck},

	// The rest.
	{bssgp.TypeStatus, ul, ptp, statusUp},
	{bssgp.TypeStatus, ul, sig, statusUp},
	{bssgp.TypeStatus, dl, ptp, statusDown},
	{bssgp.TypeStatus, dl, sig, statusDown},
	{bssgp.TypeSGSNInvokeTrace, dl, sig, allBSSs},
	{bssgp.TypeOverload, dl, sig, allBSSs},
	{bssgp.TypeRANInformation, ul, sig, rimUp},
	{bssgp.TypeRANInformationRequest, ul, sig, rimUp},
	{bssgp.TypeRANInformationAck, ul, sig, rimUp},
	{bssgp.TypeRANInformationError, ul, sig, rimUp},
	{bssgp.TypeRANInformationApplicationError, ul, sig, rimUp},
	{bssgp.TypeRANInformation, dl, sig, rimDown},
	{bssgp.TypeRANInformationRequest, dl, sig, rimDown},
	{bssgp.TypeRANInformationAck, dl, sig, rimDown},
	{bssgp.TypeRANInformationError, dl, sig, rimDown},
	{bssgp.TypeRANInformationApplicationError, dl, sig, rimDown},
	{bssgp.TypeMBMSSessionStartRequest, dl, sig, unknownDown},
	{bssgp.TypeMBMSSessionStopRequest, dl, sig, unknownDown},
	{bssgp.TypeMBMSSessionUpdateRequest, dl, sig, unknownDown},
	{bssgp.TypeMBMSSessionStartResponse, ul, sig, unknownUp},
	{bssgp.TypeMBMSSessionStopResponse, ul, sig, unknownUp},
	{bssgp.TypeMBMSSessionUpdateResponse, ul, sig, unknownUp},
}

// routes is the routing table in the form that is looked up: [dir][kind][type].
// BVCI 1 (PTM, MBMS) has no rows.
type routes [2][3][256]rule

func compile(rows []row) *routes {
	t := new(routes)
	for _, r := range rows {
		t[r.dir][r.kind][r.pdu] = r.rule
	}
	for pdu := range 256 {
		if bssgp.Definition(bssgp.PDUType(pdu)) == nil {
			for _, d := range []bssgp.Dir{ul, dl} {
				t[d][ptp][pdu], t[d][sig][pdu] = unknownRule(d), unknownRule(d)
			}
		}
	}
	return t
}

// unknownRule is the rule of the types that TS 48.018 does not define.
func unknownRule(d bssgp.Dir) rule {
	if d == ul {
		return unknownUp
	}
	return unknownDown
}
