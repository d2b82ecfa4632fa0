package bssgp

import "fmt"

// The cause values of TS 48.018 table 11.10 (Release 15).
const (
	CauseProcessorOverload                Cause = 0x00
	CauseEquipmentFailure                 Cause = 0x01
	CauseTransitNetworkServiceFailure     Cause = 0x02
	CauseCapacityModified                 Cause = 0x03
	CauseUnknownMS                        Cause = 0x04
	CauseBVCIUnknown                      Cause = 0x05
	CauseCellTrafficCongestion            Cause = 0x06
	CauseSGSNCongestion                   Cause = 0x07
	CauseOMIntervention                   Cause = 0x08
	CauseBVCIBlocked                      Cause = 0x09
	CausePFCCreateFailure                 Cause = 0x0a
	CausePFCPreempted                     Cause = 0x0b
	CauseABQPNotSupported                 Cause = 0x0c
	CauseSemanticallyIncorrectPDU         Cause = 0x20
	CauseInvalidMandatoryInformation      Cause = 0x21
	CauseMissingMandatoryIE               Cause = 0x22
	CauseMissingConditionalIE             Cause = 0x23
	CauseUnexpectedConditionalIE          Cause = 0x24
	CauseConditionalIEError               Cause = 0x25
	CausePDUNotCompatibleWithState        Cause = 0x26
	CauseProtocolErrorUnspecified         Cause = 0x27
	CausePDUNotCompatibleWithFeatureSet   Cause = 0x28
	CauseRequestedInformationNotAvailable Cause = 0x29
	CauseUnknownDestinationAddress        Cause = 0x2a
	CauseUnknownRIMApplicationIdentity    Cause = 0x2b
	CauseInvalidContainerUnitInformation  Cause = 0x2c
	CausePFCQueuing                       Cause = 0x2d
	CausePFCCreatedSuccessfully           Cause = 0x2e
	CauseT12Expiry                        Cause = 0x2f
	CauseMSUnderPSHandover                Cause = 0x30
	CauseUplinkQuality                    Cause = 0x31
	CauseUplinkStrength                   Cause = 0x32
	CauseDownlinkQuality                  Cause = 0x33
	CauseDownlinkStrength                 Cause = 0x34
	CauseDistance                         Cause = 0x35
	CauseBetterCell                       Cause = 0x36
	CauseTraffic                          Cause = 0x37
	CauseRadioContactLost                 Cause = 0x38
	CauseMSBackOnOldChannel               Cause = 0x39
	CauseT13Expiry                        Cause = 0x3a
	CauseT14Expiry                        Cause = 0x3b
	CauseNotAllRequestedPFCsCreated       Cause = 0x3c
	CauseCSCause                          Cause = 0x3d
	CauseAlgorithmsNotSupported           Cause = 0x3e
	CauseRelocationFailure                Cause = 0x3f
	CauseDirectedRetry                    Cause = 0x40
	CauseTimeCriticalRelocation           Cause = 0x41
	CausePSHOTargetNotAllowed             Cause = 0x42
	CausePSHONotSupportedInTarget         Cause = 0x43
	CausePUESBINEFeature                  Cause = 0x44
	CauseDTMHONoCSResource                Cause = 0x45
	CauseDTMHOPSAllocationFailure         Cause = 0x46
	CauseDTMHOT24Expiry                   Cause = 0x47
	CauseDTMHOInvalidCSIndication         Cause = 0x48
	CauseDTMHOT23Expiry                   Cause = 0x49
	CauseDTMHOMSCError                    Cause = 0x4a
	CauseInvalidCSGCell                   Cause = 0x4b
)

var causeNames = map[Cause]string{
	CauseProcessorOverload:                "Processor overload",
	CauseEquipmentFailure:                 "Equipment failure",
	CauseTransitNetworkServiceFailure:     "Transit network service failure",
	CauseCapacityModified:                 "Network service transmission capacity modified from zero kbps to greater than zero kbps",
	CauseUnknownMS:                        "Unknown MS",
	CauseBVCIUnknown:                      "BVCI unknown",
	CauseCellTrafficCongestion:            "Cell traffic congestion",
	CauseSGSNCongestion:                   "SGSN congestion",
	CauseOMIntervention:                   "O&M intervention",
	CauseBVCIBlocked:                      "BVCI blocked",
	CausePFCCreateFailure:                 "PFC create failure",
	CausePFCPreempted:                     "PFC preempted",
	CauseABQPNotSupported:                 "ABQP no more supported",
	CauseSemanticallyIncorrectPDU:         "Semantically incorrect PDU",
	CauseInvalidMandatoryInformation:      "Invalid mandatory information",
	CauseMissingMandatoryIE:               "Missing mandatory IE",
	CauseMissingConditionalIE:             "Missing conditional IE",
	CauseUnexpectedConditionalIE:          "Unexpected conditional IE",
	CauseConditionalIEError:               "Conditional IE error",
	CausePDUNotCompatibleWithState:        "PDU not compatible with the protocol state",
	CauseProtocolErrorUnspecified:         "Protocol error - unspecified",
	CausePDUNotCompatibleWithFeatureSet:   "PDU not compatible with the feature set",
	CauseRequestedInformationNotAvailable: "Requested information not available",
	CauseUnknownDestinationAddress:        "Unknown destination address",
	CauseUnknownRIMApplicationIdentity:    "Unknown RIM application identity",
	CauseInvalidContainerUnitInformation:  "Invalid container unit information",
	CausePFCQueuing:                       "PFC queuing",
	CausePFCCreatedSuccessfully:           "PFC created successfully",
	CauseT12Expiry:                        "T12 expiry",
	CauseMSUnderPSHandover:                "MS under PS Handover treatment",
	CauseUplinkQuality:                    "Uplink quality",
	CauseUplinkStrength:                   "Uplink strength",
	CauseDownlinkQuality:                  "Downlink quality",
	CauseDownlinkStrength:                 "Downlink strength",
	CauseDistance:                         "Distance",
	CauseBetterCell:                       "Better cell",
	CauseTraffic:                          "Traffic",
	CauseRadioContactLost:                 "Radio contact lost with MS",
	CauseMSBackOnOldChannel:               "MS back on old channel",
	CauseT13Expiry:                        "T13 expiry",
	CauseT14Expiry:                        "T14 expiry",
	CauseNotAllRequestedPFCsCreated:       "Not all requested PFCs created",
	CauseCSCause:                          "CS cause",
	CauseAlgorithmsNotSupported:           "Requested ciphering and/or integrity protection algorithms not supported",
	CauseRelocationFailure:                "Relocation failure in target system",
	CauseDirectedRetry:                    "Directed Retry",
	CauseTimeCriticalRelocation:           "Time critical relocation",
	CausePSHOTargetNotAllowed:             "PS Handover Target not allowed",
	CausePSHONotSupportedInTarget:         "PS Handover not Supported in Target BSS or Target System",
	CausePUESBINEFeature:                  "Incoming relocation not supported due to PUESBINE feature",
	CauseDTMHONoCSResource:                "DTM Handover - No CS resource",
	CauseDTMHOPSAllocationFailure:         "DTM Handover - PS Allocation failure",
	CauseDTMHOT24Expiry:                   "DTM Handover - T24 expiry",
	CauseDTMHOInvalidCSIndication:         "DTM Handover - Invalid CS Indication IE",
	CauseDTMHOT23Expiry:                   "DTM Handover - T23 expiry",
	CauseDTMHOMSCError:                    "DTM Handover - MSC Error",
	CauseInvalidCSGCell:                   "Invalid CSG cell",
}

// String returns the cause's name in the specification, "Cause(0xNN)" for a
// value that has none. Receivers treat such a value as "Protocol error -
// unspecified" (table 11.10).
func (c Cause) String() string {
	if s, ok := causeNames[c]; ok {
		return s
	}
	return fmt.Sprintf("Cause(0x%02x)", uint8(c))
}

// RadioCause is the value of the Radio Cause IE (TS 48.018 11.3.29).
type RadioCause uint8

const (
	RadioContactLost             RadioCause = 0
	RadioLinkQualityInsufficient RadioCause = 1
	RadioCellReselection         RadioCause = 2
	RadioCellReselectionPrepare  RadioCause = 3
	RadioCellReselectionFailure  RadioCause = 4
)
