package bssgp_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	. "poolgw/bssgp"
)

// sample is one PDU: its octets, written by hand from TS 48.018 clauses 10 and
// 11 or seen on a wire, and what our builder makes of the same content. fields
// are what tshark must find in it.
type sample struct {
	name   string
	hex    string
	built  []byte
	dir    Dir
	kind   BVCKind
	fields map[string]string
	// expert is tshark's complaint where its reading of the clause differs.
	expert string
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ptr[T any](v T) *T { return &v }

// The cell, area and subscriber of the samples: 262-42-4096-1-42, TLLI
// c0000001, IMSI 262421234567890.
var (
	rai  = MakeRAI(262, 42, false, 4096, 1)
	lai  = rai.LAI()
	cell = MakeCellID(rai, 42)
	imsi = mustIMSI("262421234567890")
	tlli = uint32(0xc0000001)
	bvci = uint16(1000)
	abqp = []byte{0x0b, 0x92, 0x1f, 0x91, 0x97, 0xfe, 0x74, 0xf8, 0xff, 0xff, 0x00}
	// uiFrame is a captured LLC UI frame with an Identity Request.
	uiFrame = []byte{0x41, 0xc0, 0x01, 0x08, 0x15, 0x01, 0xff, 0x6c, 0xba}
)

func unhexed(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func mustIMSI(s string) IMSI {
	i, ok := ParseIMSI(s)
	if !ok {
		panic(s)
	}
	return i
}

const (
	hexTLLI = "1f84 c0000001"
	hexRAI  = "1b86 62f224 1000 01"
	hexCell = "0888 62f224 1000 01 002a"
	// hexRAC is a captured MS radio access capability.
	hexRAC  = "18b3432b2596620060809ac2c6620060" + "80bac8c662006080" + "00"
	hexIMSI = "0d88 2926242143658709"
)

func samples() []sample {
	return slices.Concat(bvcSamples(), flowSamples(), gmmSamples(), userSamples(), pfcSamples())
}

func bvcSamples() []sample {
	none, all := Features(0), FeatINR|FeatRIM|FeatGBIT
	return []sample{
		{name: "BVC-RESET SIG", hex: "22 04820000 078108 3b8100 698100", dir: Uplink,
			built:  AppendBVCReset(nil, 0, CauseOMIntervention, nil, &none),
			fields: map[string]string{"bssgp.bvci": "0x0000", "bssgp.cause": "8", "bssgp.inr": "0"}},
		{name: "BVC-RESET SIG with features", hex: "22 04820000 078108 3b8114 698102", dir: Downlink,
			built:  AppendBVCReset(nil, 0, CauseOMIntervention, nil, &all),
			fields: map[string]string{"bssgp.inr": "1", "bssgp.rim": "1", "bssgp.gb_if": "1", "bssgp.lcs": "0"}},
		{name: "BVC-RESET PTP", hex: "22 048203e8 078108 " + hexCell, dir: Uplink,
			built: AppendBVCReset(nil, bvci, CauseOMIntervention, &cell, nil),
			fields: map[string]string{"bssgp.bvci": "0x03e8", "bssgp.ci": "0x002a", "e212.rai.mcc": "262", "e212.rai.mnc": "42",
				"gsm_a.lac": "0x1000", "gsm_a.gm.gmm.rac": "0x01"}},
		{name: "BVC-RESET-ACK SIG", hex: "23 04820000 3b8100 698100", dir: Downlink,
			built: AppendBVCResetAck(nil, 0, nil, &none), fields: map[string]string{"bssgp.bvci": "0x0000"}},
		{name: "BVC-RESET-ACK PTP", hex: "23 048203e8", dir: Downlink,
			built: AppendBVCResetAck(nil, bvci, nil, nil), fields: map[string]string{"bssgp.bvci": "0x03e8"}},
		{name: "BVC-BLOCK", hex: "20 048203e8 078101", dir: Uplink,
			built:  AppendBVCBlock(nil, bvci, CauseEquipmentFailure),
			fields: map[string]string{"bssgp.bvci": "0x03e8", "bssgp.cause": "1"}},
		{name: "BVC-BLOCK-ACK", hex: "21 048203e8", dir: Downlink, built: AppendBVCBlockAck(nil, bvci),
			fields: map[string]string{"bssgp.bvci": "0x03e8"}},
		{name: "BVC-UNBLOCK", hex: "24 048203e8", dir: Uplink, built: AppendBVCUnblock(nil, bvci),
			fields: map[string]string{"bssgp.bvci": "0x03e8"}},
		{name: "BVC-UNBLOCK-ACK", hex: "25 048203e8", dir: Downlink, built: AppendBVCUnblockAck(nil, bvci),
			fields: map[string]string{"bssgp.bvci": "0x03e8"}},
		{name: "STATUS BVCI unknown", hex: "41 078105 048208ae 1585 20048208ae", dir: Downlink,
			built:  AppendStatus(nil, CauseBVCIUnknown, 0x8ae, []byte{0x20, 0x04, 0x82, 0x08, 0xae}, 0),
			fields: map[string]string{"bssgp.cause": "5", "bssgp.bvci": "0x08ae"}},
		{name: "STATUS protocol error", hex: "41 078127 1581ff", dir: Downlink,
			built:  AppendStatus(nil, CauseProtocolErrorUnspecified, 0, []byte{0xff}, 0),
			fields: map[string]string{"bssgp.cause": "39"}},
		{name: "OVERLOAD", hex: "42 8f8103", dir: Downlink, built: AppendOverload(nil, 3),
			fields: map[string]string{"bssgp.prio_class_ind": "0x03"}},
		{name: "SGSN-INVOKE-TRACE", hex: "40 228101 21821234", dir: Downlink,
			built: AppendSGSNInvokeTrace(nil, 1, 0x1234), fields: map[string]string{"bssgp.trace_ref": "4660"}},
	}
}

func flowSamples() []sample {
	return []sample{
		{name: "FLOW-CONTROL-BVC", hex: "26 1e8101 05820066 038200c8 0182000a 1c820064", dir: Uplink, kind: PTP,
			built: (&FlowControlBVC{Tag: 1, BucketSize: 10240, LeakRate: 20000, MSBmax: 1024, MSLeakRate: 10000}).Append(nil),
			fields: map[string]string{"bssgp.tag": "1", "bssgp.bucket_size": "102", "bssgp.r": "200",
				"bssgp.bmax": "10", "bssgp.r_default_ms": "100"}},
		{name: "FLOW-CONTROL-BVC granularity", hex: "26 1e8102 058203e8 038200c8 0182000a 1c820064 3c81ff 7e8103",
			dir: Uplink, kind: PTP,
			built: (&FlowControlBVC{Tag: 2, BucketSize: 100000000, LeakRate: 20000000, MSBmax: 1000000, MSLeakRate: 10000000,
				Granularity: 3, HasGranularity: true, Other: []IE{{IEBucketFullRatio, []byte{0xff}}}}).Append(nil),
			fields: map[string]string{"bssgp.flow_control_gran": "3", "bssgp.bucket_full_ratio": "255"}},
		{name: "FLOW-CONTROL-BVC-ACK", hex: "27 1e8101", dir: Downlink, kind: PTP, built: AppendFlowControlBVCAck(nil, 1),
			fields: map[string]string{"bssgp.tag": "1"}},
		{name: "FLOW-CONTROL-MS", hex: "28 " + hexTLLI + " 1e8105 1282000a 03820014", dir: Uplink, kind: PTP,
			built:  AppendFlowControlMS(nil, tlli, 5, 10, 20),
			fields: map[string]string{"gsm_a.rr.tlli": "0xc0000001", "bssgp.tag": "5"}},
		{name: "FLOW-CONTROL-MS-ACK", hex: "29 " + hexTLLI + " 1e8105", dir: Downlink, kind: PTP,
			built: AppendFlowControlMSAck(nil, tlli, 5), fields: map[string]string{"bssgp.tag": "5"}},
		{name: "FLOW-CONTROL-PFC-ACK", hex: "2e " + hexTLLI + " 1e8106", dir: Downlink, kind: PTP,
			built: AppendFlowControlPFCAck(nil, tlli, 6), fields: map[string]string{"bssgp.tag": "6"}},
		{name: "FLUSH-LL", hex: "2a " + hexTLLI + " 048203e8 048203e9 3e8207d2", dir: Downlink,
			built:  (&FlushLL{TLLI: tlli, OldBVCI: bvci, NewBVCI: ptr(bvci + 1), NewNSEI: ptr[uint16](2002)}).Append(nil),
			fields: map[string]string{"bssgp.bvci": "0x03e8,0x03e9"}, expert: "Not dissected yet"},
		{name: "FLUSH-LL-ACK", hex: "2b " + hexTLLI + " 0c8101 048203e9 2583000102", dir: Uplink,
			built:  (&FlushLLAck{TLLI: tlli, Action: FlushTransferred, NewBVCI: ptr(bvci + 1), Octets: 258}).Append(nil),
			fields: map[string]string{"bssgp.flush_action": "1", "bssgp.no_of_oct": "258"}},
		{name: "LLC-DISCARDED", hex: "2c " + hexTLLI + " 0f8102 048203e8 2583000102", dir: Uplink,
			built:  AppendLLCDiscarded(nil, tlli, 2, bvci, 258),
			fields: map[string]string{"bssgp.llc_frames_disc": "2", "bssgp.no_of_oct": "258", "bssgp.bvci": "0x03e8"}},
	}
}

func gmmSamples() []sample {
	tl := map[string]string{"gsm_a.rr.tlli": "0xc0000001", "gsm_a.lac": "0x1000", "gsm_a.gm.gmm.rac": "0x01"}
	id := map[string]string{"e212.imsi": "262421234567890"}
	return []sample{
		{name: "SUSPEND", hex: "0b " + hexTLLI + hexRAI, dir: Uplink, built: AppendSuspend(nil, tlli, rai), fields: tl},
		{name: "SUSPEND-ACK", hex: "0c " + hexTLLI + hexRAI + "1d8107", dir: Downlink,
			built: AppendSuspendAck(nil, tlli, rai, 7), fields: map[string]string{"bssgp.suspend_ref_no": "7"}},
		{name: "SUSPEND-NACK", hex: "0d " + hexTLLI + hexRAI + "078104", dir: Downlink,
			built: AppendSuspendNack(nil, tlli, rai, CauseUnknownMS), fields: map[string]string{"bssgp.cause": "4"}},
		{name: "RESUME", hex: "0e " + hexTLLI + hexRAI + "1d8107", dir: Uplink, built: AppendResume(nil, tlli, rai, 7), fields: tl},
		{name: "RESUME-ACK", hex: "0f " + hexTLLI + hexRAI, dir: Downlink, built: AppendResumeAck(nil, tlli, rai), fields: tl},
		{name: "RESUME-NACK", hex: "10 " + hexTLLI + hexRAI + "078104", dir: Downlink,
			built: AppendResumeNack(nil, tlli, rai, CauseUnknownMS), fields: map[string]string{"bssgp.cause": "4"}},
		{name: "RADIO-STATUS TLLI", hex: "0a " + hexTLLI + "198100", dir: Uplink, kind: PTP,
			built: AppendRadioStatus(nil, MSID{TLLI: &tlli}, RadioContactLost), fields: map[string]string{"bssgp.ra_cause": "0"}},
		{name: "RADIO-STATUS TMSI", hex: "0a 2084 c0000001 198102", dir: Uplink, kind: PTP,
			built: AppendRadioStatus(nil, MSID{TMSI: &tlli}, RadioCellReselection), fields: map[string]string{"bssgp.ra_cause": "2"}},
		{name: "RADIO-STATUS IMSI", hex: "0a " + hexIMSI + "198101", dir: Uplink, kind: PTP,
			built: AppendRadioStatus(nil, MSID{IMSI: imsi}, RadioLinkQualityInsufficient), fields: id},
		{name: "RA-CAPABILITY", hex: "02 " + hexTLLI + "1399" + hexRAC, dir: Downlink, kind: PTP,
			built: AppendRACapability(nil, tlli, unhexed(hexRAC))},
		{name: "RA-CAPABILITY-UPDATE", hex: "08 " + hexTLLI + "1e8109", dir: Uplink, kind: PTP,
			built: AppendRACapabilityUpdate(nil, tlli, 9), fields: map[string]string{"bssgp.tag": "9"}},
		{name: "RA-CAPABILITY-UPDATE-ACK", hex: "09 " + hexTLLI + "1e8109" + hexIMSI + "1a8101", dir: Downlink, kind: PTP,
			built:  AppendRACapabilityUpdateAck(nil, tlli, 9, imsi, RACapTLLIUnknown, nil),
			fields: map[string]string{"bssgp.ra_cap_upd_cause": "1", "e212.imsi": "262421234567890"}},
		{name: "MS-REGISTRATION-ENQUIRY", hex: "14 " + hexIMSI, dir: Uplink,
			built: AppendMSRegistrationEnquiry(nil, imsi)},
		{name: "MS-REGISTRATION-ENQUIRY-RESPONSE", hex: "15 " + hexIMSI, dir: Downlink,
			built: AppendMSRegistrationEnquiryResponse(nil, imsi)},
		{name: "PAGING-PS BVCI", hex: "06 " + hexIMSI + "048203e8 1883000420 2084c0000001", dir: Downlink,
			built:  (&Paging{IMSI: imsi, Area: Area{BVCI: &bvci}, QoS: QoS{0, 4, 0x20}, TMSI: &tlli}).AppendPS(nil),
			fields: map[string]string{"bssgp.bvci": "0x03e8", "e212.imsi": "262421234567890"}},
		{name: "PAGING-PS LAI", hex: "06 " + hexIMSI + "1085 62f224 1000 1883000420", dir: Downlink,
			built:  (&Paging{IMSI: imsi, Area: Area{LAI: &lai}, QoS: QoS{0, 4, 0x20}}).AppendPS(nil),
			fields: map[string]string{"gsm_a.lac": "0x1000"}},
		{name: "PAGING-PS RAI", hex: "06 " + hexIMSI + hexRAI + "1883000420", dir: Downlink, kind: PTP,
			built:  (&Paging{IMSI: imsi, Area: Area{RAI: &rai}, QoS: QoS{0, 4, 0x20}}).AppendPS(nil),
			fields: map[string]string{"gsm_a.gm.gmm.rac": "0x01"}},
		{name: "PAGING-CS BSS", hex: "07 " + hexIMSI + "0a820704 028100 2084c0000001", dir: Downlink,
			built: (&Paging{IMSI: imsi, DRX: [2]byte{7, 4}, TMSI: &tlli}).AppendCS(nil), fields: id},
		{name: "PAGING-CS TLLI", hex: "07 " + hexIMSI + "0a820704 048203e8" + hexTLLI, dir: Downlink, kind: PTP,
			built:  (&Paging{IMSI: imsi, DRX: [2]byte{7, 4}, Area: Area{BVCI: &bvci}, TLLI: &tlli}).AppendCS(nil),
			fields: map[string]string{"gsm_a.rr.tlli": "0xc0000001"}},
		{name: "PAGING-PS-REJECT", hex: "11 " + hexIMSI + "93820102", dir: Uplink,
			built: AppendPagingPSReject(nil, imsi, 0x0102), fields: id},
		{name: "DUMMY-PAGING-PS", hex: "12 " + hexIMSI + hexRAI, dir: Downlink,
			built: AppendDummyPagingPS(nil, imsi, &rai), fields: id},
		{name: "DUMMY-PAGING-PS-RESPONSE", hex: "13 " + hexIMSI + "93820102", dir: Uplink, kind: PTP,
			built: AppendDummyPagingPSResponse(nil, imsi, 0x0102), fields: id},
	}
}

func userSamples() []sample {
	long := append([]byte{0x01, 0xc0, 0x01}, make([]byte, 200)...)
	return []sample{
		{name: "UL-UNITDATA", hex: "01 c0000001 000004" + hexCell + "0080 0e89 41c00108 1501ff6c ba", dir: Uplink, kind: PTP,
			built:  AppendULUnitdata(nil, tlli, QoS{0, 0, 4}, cell, uiFrame),
			fields: map[string]string{"gsm_a.rr.tlli": "0xc0000001", "bssgp.ci": "0x002a", "gsm_a.dtap.msg_gmm_type": "0x15"}},
		{name: "UL-UNITDATA long", hex: "01 c0000001 000004" + hexCell + "0080 0e00cb" + hex.EncodeToString(long),
			built: AppendULUnitdata(nil, tlli, QoS{0, 0, 4}, cell, long), dir: Uplink, kind: PTP},
		{name: "DL-UNITDATA", dir: Downlink, kind: PTP,
			hex: "00 c0000001 005020 16820258 0a820704" + hexIMSI + "1f84c0000002 0e89 41c00108 1501ff6c ba",
			built: (&DLUnitdata{TLLI: tlli, QoS: QoS{0, 0x50, 0x20}, Lifetime: 600, DRX: &[2]byte{7, 4}, IMSI: imsi,
				OldTLLI: ptr(tlli + 1), LLC: uiFrame}).Append(nil),
			fields: map[string]string{"gsm_a.rr.tlli": "0xc0000001,0xc0000002", "e212.imsi": "262421234567890",
				"bssgp.delay_val": "600", "gsm_a.dtap.msg_gmm_type": "0x15"}},
	}
}

func pfcSamples() []sample {
	hexABQP := "3a8b 0b921f9197fe74f8ffff00"
	f := map[string]string{"gsm_a.rr.tlli": "0xc0000001"}
	return []sample{
		{name: "DOWNLOAD-BSS-PFC", hex: "50" + hexTLLI + "288109", dir: Uplink, kind: PTP,
			built: AppendPFC(nil, TypeDownloadBSSPFC, tlli, 9), fields: f},
		{name: "CREATE-BSS-PFC", hex: "51" + hexTLLI + "288109 298120" + hexABQP, dir: Downlink, kind: PTP, fields: f,
			built: AppendPFCQoS(nil, TypeCreateBSSPFC, tlli, 9, ptr[uint8](0x20), abqp)},
		{name: "CREATE-BSS-PFC-ACK", hex: "52" + hexTLLI + "288109" + hexABQP, dir: Uplink, kind: PTP, fields: f,
			built: AppendPFCQoS(nil, TypeCreateBSSPFCAck, tlli, 9, nil, abqp)},
		{name: "CREATE-BSS-PFC-NACK", hex: "53" + hexTLLI + "288109 07810a", dir: Uplink, kind: PTP,
			built:  AppendPFCCause(nil, TypeCreateBSSPFCNack, tlli, 9, CausePFCCreateFailure),
			fields: map[string]string{"bssgp.cause": "10"}},
		{name: "MODIFY-BSS-PFC", hex: "54" + hexTLLI + "288109" + hexABQP, dir: Downlink, kind: PTP, fields: f,
			built: AppendPFCQoS(nil, TypeModifyBSSPFC, tlli, 9, nil, abqp)},
		{name: "MODIFY-BSS-PFC-ACK", hex: "55" + hexTLLI + "288109 298120" + hexABQP, dir: Uplink, kind: PTP, fields: f,
			built: AppendPFCQoS(nil, TypeModifyBSSPFCAck, tlli, 9, ptr[uint8](0x20), abqp)},
		{name: "DELETE-BSS-PFC", hex: "56" + hexTLLI + "288109", dir: Downlink, kind: PTP,
			built: AppendPFC(nil, TypeDeleteBSSPFC, tlli, 9), fields: f},
		{name: "DELETE-BSS-PFC-ACK", hex: "57" + hexTLLI + "288109", dir: Uplink, kind: PTP,
			built: AppendPFC(nil, TypeDeleteBSSPFCAck, tlli, 9), fields: f},
		{name: "DELETE-BSS-PFC-REQ", hex: "58" + hexTLLI + "288109 07810b", dir: Uplink, kind: PTP,
			built:  AppendPFCCause(nil, TypeDeleteBSSPFCReq, tlli, 9, CausePFCPreempted),
			fields: map[string]string{"bssgp.cause": "11"}},
		{name: "PS-HANDOVER-REQUIRED-NACK", hex: "5b" + hexTLLI + "078142", dir: Downlink, kind: PTP,
			built:  AppendPSHONack(nil, TypePSHORequiredNack, tlli, CausePSHOTargetNotAllowed),
			fields: map[string]string{"bssgp.cause": "66"}},
		{name: "PS-HANDOVER-REQUEST-NACK", hex: "5e" + hexTLLI + "078142", dir: Uplink, kind: PTP,
			built:  AppendPSHONack(nil, TypePSHORequestNack, tlli, CausePSHOTargetNotAllowed),
			fields: map[string]string{"bssgp.cause": "66"}},
	}
}
