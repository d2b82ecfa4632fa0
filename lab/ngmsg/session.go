package ngmsg

import (
	"fmt"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

// The lab's UEs have one PDU session, number 1, with one QoS flow, as far as
// mandatory IEs of mobility need it.

func transfer(v any) aper.OctetString {
	b, err := aper.MarshalWithParams(v, "valueExt")
	if err != nil {
		panic(fmt.Sprintf("ngmsg: %T: %v", v, err))
	}
	return b
}

func tunnel() *ngapType.UPTransportLayerInformation {
	return &ngapType.UPTransportLayerInformation{Present: ngapType.UPTransportLayerInformationPresentGTPTunnel,
		GTPTunnel: &ngapType.GTPTunnel{TransportLayerAddress: ngapType.TransportLayerAddress{Value: bits(0x7f000001, 32)},
			GTPTEID: ngapType.GTPTEID{Value: []byte{0, 0, 0, 1}}}}
}

var session = ngapType.PDUSessionID{Value: 1}

// SwitchedSessions is the IE PDU Session Resource to be Switched in Downlink List.
func SwitchedSessions() *ngapType.PDUSessionResourceToBeSwitchedDLList {
	t := transfer(ngapType.PathSwitchRequestTransfer{DLNGUUPTNLInformation: *tunnel(),
		QosFlowAcceptedList: ngapType.QosFlowAcceptedList{List: []ngapType.QosFlowAcceptedItem{{QosFlowIdentifier: ngapType.QosFlowIdentifier{Value: 1}}}}})
	return &ngapType.PDUSessionResourceToBeSwitchedDLList{List: []ngapType.PDUSessionResourceToBeSwitchedDLItem{
		{PDUSessionID: session, PathSwitchRequestTransfer: t}}}
}

// SwitchedAnswer is the IE PDU Session Resource Switched List.
func SwitchedAnswer() *ngapType.PDUSessionResourceSwitchedList {
	t := transfer(ngapType.PathSwitchRequestAcknowledgeTransfer{ULNGUUPTNLInformation: tunnel()})
	return &ngapType.PDUSessionResourceSwitchedList{List: []ngapType.PDUSessionResourceSwitchedItem{
		{PDUSessionID: session, PathSwitchRequestAcknowledgeTransfer: t}}}
}

// HandoverSessions is the list of a Handover Required.
func HandoverSessions() *ngapType.PDUSessionResourceListHORqd {
	return &ngapType.PDUSessionResourceListHORqd{List: []ngapType.PDUSessionResourceItemHORqd{
		{PDUSessionID: session, HandoverRequiredTransfer: transfer(ngapType.HandoverRequiredTransfer{})}}}
}

// HandoverSetup is the list of a Handover Request.
func HandoverSetup(s Slice) *ngapType.PDUSessionResourceSetupListHOReq {
	return &ngapType.PDUSessionResourceSetupListHOReq{List: []ngapType.PDUSessionResourceSetupItemHOReq{
		{PDUSessionID: session, SNSSAI: snssai(s), HandoverRequestTransfer: transfer(setupTransfer())}}}
}

func setupTransfer() (t ngapType.PDUSessionResourceSetupRequestTransfer) {
	add := func(id int64, v ngapType.PDUSessionResourceSetupRequestTransferIEsValue) {
		t.ProtocolIEs.List = append(t.ProtocolIEs.List, ngapType.PDUSessionResourceSetupRequestTransferIEs{
			Id: ngapType.ProtocolIEID{Value: id}, Criticality: ngapType.Criticality{Value: ngapType.CriticalityPresentReject}, Value: v})
	}
	type value = ngapType.PDUSessionResourceSetupRequestTransferIEsValue
	add(ngapType.ProtocolIEIDULNGUUPTNLInformation, value{Present: ngapType.PDUSessionResourceSetupRequestTransferIEsPresentULNGUUPTNLInformation,
		ULNGUUPTNLInformation: tunnel()})
	add(ngapType.ProtocolIEIDPDUSessionType, value{Present: ngapType.PDUSessionResourceSetupRequestTransferIEsPresentPDUSessionType,
		PDUSessionType: &ngapType.PDUSessionType{Value: ngapType.PDUSessionTypePresentIpv4}})
	add(ngapType.ProtocolIEIDQosFlowSetupRequestList, value{Present: ngapType.PDUSessionResourceSetupRequestTransferIEsPresentQosFlowSetupRequestList,
		QosFlowSetupRequestList: &ngapType.QosFlowSetupRequestList{List: []ngapType.QosFlowSetupRequestItem{
			{QosFlowIdentifier: ngapType.QosFlowIdentifier{Value: 1}, QosFlowLevelQosParameters: qos()}}}})
	return t
}

func qos() ngapType.QosFlowLevelQosParameters {
	return ngapType.QosFlowLevelQosParameters{
		QosCharacteristics: ngapType.QosCharacteristics{Present: ngapType.QosCharacteristicsPresentNonDynamic5QI,
			NonDynamic5QI: &ngapType.NonDynamic5QIDescriptor{FiveQI: ngapType.FiveQI{Value: 9}}},
		AllocationAndRetentionPriority: ngapType.AllocationAndRetentionPriority{
			PriorityLevelARP:        ngapType.PriorityLevelARP{Value: 8},
			PreEmptionCapability:    ngapType.PreEmptionCapability{Value: ngapType.PreEmptionCapabilityPresentShallNotTriggerPreEmption},
			PreEmptionVulnerability: ngapType.PreEmptionVulnerability{Value: ngapType.PreEmptionVulnerabilityPresentNotPreEmptable}}}
}

// HandoverAdmitted is the list of a Handover Request Acknowledge.
func HandoverAdmitted() *ngapType.PDUSessionResourceAdmittedList {
	t := transfer(ngapType.HandoverRequestAcknowledgeTransfer{DLNGUUPTNLInformation: *tunnel(),
		QosFlowSetupResponseList: ngapType.QosFlowListWithDataForwarding{List: []ngapType.QosFlowItemWithDataForwarding{
			{QosFlowIdentifier: ngapType.QosFlowIdentifier{Value: 1}}}}})
	return &ngapType.PDUSessionResourceAdmittedList{List: []ngapType.PDUSessionResourceAdmittedItem{
		{PDUSessionID: session, HandoverRequestAcknowledgeTransfer: t}}}
}

// Rates is the IE UE Aggregate Maximum Bit Rate.
func Rates() *ngapType.UEAggregateMaximumBitRate {
	return &ngapType.UEAggregateMaximumBitRate{UEAggregateMaximumBitRateDL: ngapType.BitRate{Value: 1e9},
		UEAggregateMaximumBitRateUL: ngapType.BitRate{Value: 1e9}}
}

// Security is the IE UE Security Capabilities: NULL algorithms only.
func Security() *ngapType.UESecurityCapabilities {
	none := bits(0, 16)
	return &ngapType.UESecurityCapabilities{NRencryptionAlgorithms: ngapType.NRencryptionAlgorithms{Value: none},
		NRintegrityProtectionAlgorithms:    ngapType.NRintegrityProtectionAlgorithms{Value: none},
		EUTRAencryptionAlgorithms:          ngapType.EUTRAencryptionAlgorithms{Value: none},
		EUTRAintegrityProtectionAlgorithms: ngapType.EUTRAintegrityProtectionAlgorithms{Value: none}}
}

// Key is the IE Security Key of NULL security: zeros.
func Key() *ngapType.SecurityKey {
	return &ngapType.SecurityKey{Value: aper.BitString{Bytes: make([]byte, 32), BitLength: 256}}
}

// NextHop is the IE Security Context.
func NextHop() *ngapType.SecurityContext {
	return &ngapType.SecurityContext{NextHopNH: *Key()}
}

// ReleasedSessions is the list of a Path Switch Request Failure.
func ReleasedSessions() *ngapType.PDUSessionResourceReleasedListPSFail {
	t := transfer(ngapType.PathSwitchRequestUnsuccessfulTransfer{Cause: *MakeCause(UnknownLocalID)})
	return &ngapType.PDUSessionResourceReleasedListPSFail{List: []ngapType.PDUSessionResourceReleasedItemPSFail{
		{PDUSessionID: session, PathSwitchRequestUnsuccessfulTransfer: t}}}
}

// Octets is the IE NGAP Message: a PDU within another.
func Octets(b []byte) *aper.OctetString {
	o := aper.OctetString(b)
	return &o
}
