package ngap

import (
	"slices"
	"strconv"
)

// IEID is a protocol IE's identifier, 0..65535 (9.4.7).
type IEID uint16

// The IEs that this package names.
const (
	IEAllowedNSSAI                        IEID = 0
	IEAMFName                             IEID = 1
	IEAMFOverloadResponse                 IEID = 2
	IEAMFSetID                            IEID = 3
	IEAMFTNLAssociationFailedToSetupList  IEID = 4
	IEAMFTNLAssociationSetupList          IEID = 5
	IEAMFTNLAssociationToAddList          IEID = 6
	IEAMFTNLAssociationToRemoveList       IEID = 7
	IEAMFTNLAssociationToUpdateList       IEID = 8
	IEAMFTrafficLoadReductionIndication   IEID = 9
	IEAMFUENGAPID                         IEID = 10
	IECause                               IEID = 15
	IECriticalityDiagnostics              IEID = 19
	IEDefaultPagingDRX                    IEID = 21
	IEFiveGSTMSI                          IEID = 26
	IEGlobalRANNodeID                     IEID = 27
	IEGUAMI                               IEID = 28
	IEHandoverType                        IEID = 29
	IEMessageIdentifier                   IEID = 35
	IENASPDU                              IEID = 38
	IENewAMFUENGAPID                      IEID = 40
	IENGAPMessage                         IEID = 42
	IENRPPaPDU                            IEID = 46
	IEOldAMF                              IEID = 48
	IEOverloadStartNSSAIList              IEID = 49
	IEReleasedSessionsPSFail              IEID = 69
	IESessionsToBeSwitchedDL              IEID = 76
	IEPLMNSupportList                     IEID = 80
	IERANNodeName                         IEID = 82
	IERANUENGAPID                         IEID = 85
	IERelativeAMFCapacity                 IEID = 86
	IEResetType                           IEID = 88
	IERoutingID                           IEID = 89
	IERRCEstablishmentCause               IEID = 90
	IESerialNumber                        IEID = 95
	IEServedGUAMIList                     IEID = 96
	IESourceAMFUENGAPID                   IEID = 100
	IESupportedTAList                     IEID = 102
	IETAIListForPaging                    IEID = 103
	IETargetID                            IEID = 105
	IETimeToWait                          IEID = 107
	IEUEAssociatedLogicalNGConnectionList IEID = 111
	IEUEContextRequest                    IEID = 112
	IEUENGAPIDs                           IEID = 114
	IEUEPagingIdentity                    IEID = 115
	IEUnavailableGUAMIList                IEID = 120
	IEUserLocationInformation             IEID = 121
	IEWarningAreaList                     IEID = 122
	IEUERetentionInformation              IEID = 147
	IENewGUAMI                            IEID = 162
	IENGRANTNLAssociationToRemoveList     IEID = 167
	IEEndpointIPAddressAndPort            IEID = 169
	IESourceToTargetAMFInformationReroute IEID = 171
	IESelectedPLMNIdentity                IEID = 174
	IEGUAMIType                           IEID = 176
	IETAI                                 IEID = 213
	IEGlobalTNGFID                        IEID = 240
	IEGlobalTWIFID                        IEID = 241
	IEGlobalWAGFID                        IEID = 242
	IEUserLocationInformationWAGF         IEID = 243
	IEUserLocationInformationTNGF         IEID = 244
	IEUserLocationInformationTWIF         IEID = 248
	IENID                                 IEID = 263
	IEUERadioCapabilityID                 IEID = 264
	IEExtendedSliceSupportList            IEID = 270
	IEExtendedRANNodeName                 IEID = 273
	IEExtendedAMFName                     IEID = 274
	IEMBSSessionID                        IEID = 299
	IEExtendedBackupAMFName               IEID = 442
	IEExtendedOldAMF                      IEID = 443
	IEAMFUENGAPID2                        IEID = 450
	IEGUAMIList                           IEID = 451
	IESourceAMFGUAMI                      IEID = 453
	IERequestedNSSAI                      IEID = 454
)

// String returns the IE's name, or "IE 999".
func (id IEID) String() string {
	i, ok := slices.BinarySearchFunc(ieNames[:], id, func(n ieName, id IEID) int { return int(n.id) - int(id) })
	if ok {
		return ieNames[i].name
	}
	return "IE " + strconv.Itoa(int(id))
}

type ieName struct {
	id   IEID
	name string
}

var ieNames = [...]ieName{
	{0, "AllowedNSSAI"},
	{1, "AMFName"},
	{2, "AMFOverloadResponse"},
	{3, "AMFSetID"},
	{4, "AMFTNLAssociationFailedToSetupList"},
	{5, "AMFTNLAssociationSetupList"},
	{6, "AMFTNLAssociationToAddList"},
	{7, "AMFTNLAssociationToRemoveList"},
	{8, "AMFTNLAssociationToUpdateList"},
	{9, "AMFTrafficLoadReductionIndication"},
	{10, "AMFUENGAPID"},
	{15, "Cause"},
	{19, "CriticalityDiagnostics"},
	{21, "DefaultPagingDRX"},
	{26, "5G-S-TMSI"},
	{27, "GlobalRANNodeID"},
	{28, "GUAMI"},
	{29, "HandoverType"},
	{35, "MessageIdentifier"},
	{38, "NASPDU"},
	{40, "NewAMFUENGAPID"},
	{42, "NGAPMessage"},
	{46, "NRPPaPDU"},
	{48, "OldAMF"},
	{49, "OverloadStartNSSAIList"},
	{69, "PDUSessionResourceReleasedListPSFail"},
	{76, "PDUSessionResourceToBeSwitchedDLList"},
	{80, "PLMNSupportList"},
	{82, "RANNodeName"},
	{85, "RANUENGAPID"},
	{86, "RelativeAMFCapacity"},
	{88, "ResetType"},
	{89, "RoutingID"},
	{90, "RRCEstablishmentCause"},
	{95, "SerialNumber"},
	{96, "ServedGUAMIList"},
	{100, "SourceAMFUENGAPID"},
	{102, "SupportedTAList"},
	{103, "TAIListForPaging"},
	{105, "TargetID"},
	{107, "TimeToWait"},
	{111, "UEAssociatedLogicalNGConnectionList"},
	{112, "UEContextRequest"},
	{114, "UENGAPIDs"},
	{115, "UEPagingIdentity"},
	{120, "UnavailableGUAMIList"},
	{121, "UserLocationInformation"},
	{122, "WarningAreaList"},
	{147, "UERetentionInformation"},
	{162, "NewGUAMI"},
	{167, "NGRANTNLAssociationToRemoveList"},
	{169, "EndpointIPAddressAndPort"},
	{171, "SourceToTargetAMFInformationReroute"},
	{174, "SelectedPLMNIdentity"},
	{176, "GUAMIType"},
	{213, "TAI"},
	{240, "GlobalTNGFID"},
	{241, "GlobalTWIFID"},
	{242, "GlobalWAGFID"},
	{243, "UserLocationInformationWAGF"},
	{244, "UserLocationInformationTNGF"},
	{248, "UserLocationInformationTWIF"},
	{263, "NID"},
	{264, "UERadioCapabilityID"},
	{270, "ExtendedSliceSupportList"},
	{273, "ExtendedRANNodeName"},
	{274, "ExtendedAMFName"},
	{299, "MBSSessionID"},
	{442, "ExtendedBackupAMFName"},
	{443, "ExtendedOldAMF"},
	{450, "AMFUENGAPID2"},
	{451, "GUAMIList"},
	{453, "SourceAMFGUAMI"},
	{454, "RequestedNSSAI"},
}
