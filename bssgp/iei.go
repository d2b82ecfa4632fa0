package bssgp

import "fmt"

// The information elements of TS 48.018 table 11.3 (Release 15).
const (
	IEAlignment                                 IEI = 0x00
	IEBmaxDefaultMS                             IEI = 0x01
	IEBSSAreaIndication                         IEI = 0x02
	IEBucketLeakRate                            IEI = 0x03
	IEBVCI                                      IEI = 0x04
	IEBVCBucketSize                             IEI = 0x05
	IEBVCMeasurement                            IEI = 0x06
	IECause                                     IEI = 0x07
	IECellIdentifier                            IEI = 0x08
	IEChannelNeeded                             IEI = 0x09
	IEDRXParameters                             IEI = 0x0a
	IEEMLPPPriority                             IEI = 0x0b
	IEFlushAction                               IEI = 0x0c
	IEIMSI                                      IEI = 0x0d
	IELLCPDU                                    IEI = 0x0e
	IELLCFramesDiscarded                        IEI = 0x0f
	IELocationArea                              IEI = 0x10
	IEMobileID                                  IEI = 0x11
	IEMSBucketSize                              IEI = 0x12
	IEMSRadioAccessCapability                   IEI = 0x13
	IEOMCID                                     IEI = 0x14
	IEPDUInError                                IEI = 0x15
	IEPDULifetime                               IEI = 0x16
	IEPriority                                  IEI = 0x17
	IEQoSProfile                                IEI = 0x18
	IERadioCause                                IEI = 0x19
	IERACapUpdCause                             IEI = 0x1a
	IERouteingArea                              IEI = 0x1b
	IERDefaultMS                                IEI = 0x1c
	IESuspendReferenceNumber                    IEI = 0x1d
	IETag                                       IEI = 0x1e
	IETLLI                                      IEI = 0x1f
	IETMSI                                      IEI = 0x20
	IETraceReference                            IEI = 0x21
	IETraceType                                 IEI = 0x22
	IETransactionID                             IEI = 0x23
	IETriggerID                                 IEI = 0x24
	IENumberOfOctetsAffected                    IEI = 0x25
	IELSAIdentifierList                         IEI = 0x26
	IELSAInformation                            IEI = 0x27
	IEPFI                                       IEI = 0x28
	IEGPRSTimer                                 IEI = 0x29
	IEABQP                                      IEI = 0x3a
	IEFeatureBitmap                             IEI = 0x3b
	IEBucketFullRatio                           IEI = 0x3c
	IEServiceUTRANCCO                           IEI = 0x3d
	IENSEI                                      IEI = 0x3e
	IERRLPAPDU                                  IEI = 0x3f
	IELCSQoS                                    IEI = 0x40
	IELCSClientType                             IEI = 0x41
	IERequestedGPSAssistanceData                IEI = 0x42
	IELocationType                              IEI = 0x43
	IELocationEstimate                          IEI = 0x44
	IEPositioningData                           IEI = 0x45
	IEDecipheringKeys                           IEI = 0x46
	IELCSPriority                               IEI = 0x47
	IELCSCause                                  IEI = 0x48
	IELCSCapability                             IEI = 0x49
	IERRLPFlags                                 IEI = 0x4a
	IERIMApplicationIdentity                    IEI = 0x4b
	IERIMSequenceNumber                         IEI = 0x4c
	IERANInformationRequestApplicationContainer IEI = 0x4d
	IERANInformationApplicationContainer        IEI = 0x4e
	IERIMPDUIndications                         IEI = 0x4f
	IEPFCFlowControlParameters                  IEI = 0x52
	IEGlobalCNID                                IEI = 0x53
	IERIMRoutingInformation                     IEI = 0x54
	IERIMProtocolVersion                        IEI = 0x55
	IEApplicationErrorContainer                 IEI = 0x56
	IERANInformationRequestContainer            IEI = 0x57
	IERANInformationContainer                   IEI = 0x58
	IERANInformationApplicationErrorContainer   IEI = 0x59
	IERANInformationAckContainer                IEI = 0x5a
	IERANInformationErrorContainer              IEI = 0x5b
	IETMGI                                      IEI = 0x5c
	IEMBMSSessionIdentity                       IEI = 0x5d
	IEMBMSSessionDuration                       IEI = 0x5e
	IEMBMSServiceAreaIdentityList               IEI = 0x5f
	IEMBMSResponse                              IEI = 0x60
	IEMBMSRoutingAreaList                       IEI = 0x61
	IEMBMSSessionInformation                    IEI = 0x62
	IEMBMSStopCause                             IEI = 0x63
	IESourceBSSToTargetBSSContainer             IEI = 0x64
	IETargetBSSToSourceBSSContainer             IEI = 0x65
	IENASContainerForPSHandover                 IEI = 0x66
	IEPFCsToBeSetupList                         IEI = 0x67
	IEListOfSetupPFCs                           IEI = 0x68
	IEExtendedFeatureBitmap                     IEI = 0x69
	IESourceToTargetContainer                   IEI = 0x6a
	IETargetToSourceContainer                   IEI = 0x6b
	IERNCIdentifier                             IEI = 0x6c
	IEPageMode                                  IEI = 0x6d
	IEContainerID                               IEI = 0x6e
	IEGlobalTFI                                 IEI = 0x6f
	IEIMEI                                      IEI = 0x70
	IETimeToMBMSDataTransfer                    IEI = 0x71
	IEMBMSSessionRepetitionNumber               IEI = 0x72
	IEInterRATHandoverInfo                      IEI = 0x73
	IEPSHandoverCommand                         IEI = 0x74
	IEPSHandoverIndications                     IEI = 0x75
	IESIPSIContainer                            IEI = 0x76
	IEActivePFCsList                            IEI = 0x77
	IEVelocityData                              IEI = 0x78
	IEDTMHandoverCommand                        IEI = 0x79
	IECSIndication                              IEI = 0x7a
	IERequestedGANSSAssistanceData              IEI = 0x7b
	IEGANSSLocationType                         IEI = 0x7c
	IEGANSSPositioningData                      IEI = 0x7d
	IEFlowControlGranularity                    IEI = 0x7e
	IEENBIdentifier                             IEI = 0x7f
	IEEUTRANInterRATHandoverInfo                IEI = 0x80
	IESubscriberProfileID                       IEI = 0x81
	IERequestForInterRATHandoverInfo            IEI = 0x82
	IEReliableInterRATHandoverInfo              IEI = 0x83
	IESONTransferApplicationIdentity            IEI = 0x84
	IECSGIdentifier                             IEI = 0x85
	IETAC                                       IEI = 0x86
	IERedirectAttemptFlag                       IEI = 0x87
	IERedirectionIndication                     IEI = 0x88
	IERedirectionCompleted                      IEI = 0x89
	IEUnconfirmedSendStateVariable              IEI = 0x8a
	IEIRATMeasurementConfiguration              IEI = 0x8b
	IESCI                                       IEI = 0x8c
	IEGGSNPGWLocation                           IEI = 0x8d
	IESelectedPLMNID                            IEI = 0x8e
	IEPriorityClassIndicator                    IEI = 0x8f
	IESourceCellID                              IEI = 0x90
	IEIRATMeasurementConfigurationEARFCN        IEI = 0x91
	IEEDRXParameters                            IEI = 0x92
	IETimeUntilNextPagingOccasion               IEI = 0x93
	IECoverageClass                             IEI = 0x98
	IEPagingAttemptInformation                  IEI = 0x99
	IEExceptionReportFlag                       IEI = 0x9a
	IEOldRoutingAreaIdentification              IEI = 0x9b
	IEAttachIndicator                           IEI = 0x9c
	IEPLMNIdentity                              IEI = 0x9d
	IEMMEQuery                                  IEI = 0x9e
	IESGSNGroupIdentity                         IEI = 0x9f
	IEAdditionalPTMSI                           IEI = 0xa0
	IEUEUsageType                               IEI = 0xa1
	IEMultilaterationTimer                      IEI = 0xa2
	IEMultilaterationTimingAdvance              IEI = 0xa3
	IEMSSyncAccuracy                            IEI = 0xa4
	IEBTSReceptionAccuracyLevel                 IEI = 0xa5
	IETimingAdvanceRequest                      IEI = 0xa6
)

var ieiNames = map[IEI]string{
	IEAlignment:                  "Alignment Octets",
	IEBmaxDefaultMS:              "Bmax default MS",
	IEBSSAreaIndication:          "BSS Area Indication",
	IEBucketLeakRate:             "Bucket Leak Rate",
	IEBVCI:                       "BVCI",
	IEBVCBucketSize:              "BVC Bucket Size",
	IEBVCMeasurement:             "BVC Measurement",
	IECause:                      "Cause",
	IECellIdentifier:             "Cell Identifier",
	IEChannelNeeded:              "Channel needed",
	IEDRXParameters:              "DRX Parameters",
	IEEMLPPPriority:              "eMLPP-Priority",
	IEFlushAction:                "Flush Action",
	IEIMSI:                       "IMSI",
	IELLCPDU:                     "LLC-PDU",
	IELLCFramesDiscarded:         "LLC Frames Discarded",
	IELocationArea:               "Location Area",
	IEMobileID:                   "Mobile Id",
	IEMSBucketSize:               "MS Bucket Size",
	IEMSRadioAccessCapability:    "MS Radio Access Capability",
	IEOMCID:                      "OMC Id",
	IEPDUInError:                 "PDU In Error",
	IEPDULifetime:                "PDU Lifetime",
	IEPriority:                   "Priority",
	IEQoSProfile:                 "QoS Profile",
	IERadioCause:                 "Radio Cause",
	IERACapUpdCause:              "RA-Cap-UPD-Cause",
	IERouteingArea:               "Routeing Area",
	IERDefaultMS:                 "R_default_MS",
	IESuspendReferenceNumber:     "Suspend Reference Number",
	IETag:                        "Tag",
	IETLLI:                       "TLLI",
	IETMSI:                       "TMSI",
	IETraceReference:             "Trace Reference",
	IETraceType:                  "Trace Type",
	IETransactionID:              "TransactionId",
	IETriggerID:                  "Trigger Id",
	IENumberOfOctetsAffected:     "Number of octets affected",
	IELSAIdentifierList:          "LSA Identifier List",
	IELSAInformation:             "LSA Information",
	IEPFI:                        "Packet Flow Identifier",
	IEGPRSTimer:                  "GPRS Timer",
	IEABQP:                       "Aggregate BSS QoS Profile",
	IEFeatureBitmap:              "Feature Bitmap",
	IEBucketFullRatio:            "Bucket_Full Ratio",
	IEServiceUTRANCCO:            "Service UTRAN CCO",
	IENSEI:                       "NSEI",
	IERRLPAPDU:                   "RRLP APDU",
	IELCSQoS:                     "LCS QoS",
	IELCSClientType:              "LCS Client Type",
	IERequestedGPSAssistanceData: "Requested GPS Assistance Data",
	IELocationType:               "Location Type",
	IELocationEstimate:           "Location Estimate",
	IEPositioningData:            "Positioning Data",
	IEDecipheringKeys:            "Deciphering Keys",
	IELCSPriority:                "LCS Priority",
	IELCSCause:                   "LCS Cause",
	IELCSCapability:              "LCS Capability",
	IERRLPFlags:                  "RRLP Flags",
	IERIMApplicationIdentity:     "RIM Application Identity",
	IERIMSequenceNumber:          "RIM Sequence Number",
	IERANInformationRequestApplicationContainer: "RAN-INFORMATION-REQUEST Application Container",
	IERANInformationApplicationContainer:        "RAN-INFORMATION Application Container",
	IERIMPDUIndications:                         "RIM PDU Indications",
	IEPFCFlowControlParameters:                  "PFC flow control parameters",
	IEGlobalCNID:                                "Global CN-Id",
	IERIMRoutingInformation:                     "RIM Routing Information",
	IERIMProtocolVersion:                        "RIM Protocol Version",
	IEApplicationErrorContainer:                 "Application Error Container",
	IERANInformationRequestContainer:            "RAN-INFORMATION-REQUEST RIM Container",
	IERANInformationContainer:                   "RAN-INFORMATION RIM Container",
	IERANInformationApplicationErrorContainer:   "RAN-INFORMATION-APPLICATION-ERROR RIM Container",
	IERANInformationAckContainer:                "RAN-INFORMATION-ACK RIM Container",
	IERANInformationErrorContainer:              "RAN-INFORMATION-ERROR RIM Container",
	IETMGI:                                      "TMGI",
	IEMBMSSessionIdentity:                       "MBMS Session Identity",
	IEMBMSSessionDuration:                       "MBMS Session Duration",
	IEMBMSServiceAreaIdentityList:               "MBMS Service Area Identity List",
	IEMBMSResponse:                              "MBMS Response",
	IEMBMSRoutingAreaList:                       "MBMS Routing Area List",
	IEMBMSSessionInformation:                    "MBMS Session Information",
	IEMBMSStopCause:                             "MBMS Stop Cause",
	IESourceBSSToTargetBSSContainer:             "Source BSS to Target BSS Transparent Container",
	IETargetBSSToSourceBSSContainer:             "Target BSS to Source BSS Transparent Container",
	IENASContainerForPSHandover:                 "NAS container for PS Handover",
	IEPFCsToBeSetupList:                         "PFCs to be set-up list",
	IEListOfSetupPFCs:                           "List of set-up PFCs",
	IEExtendedFeatureBitmap:                     "Extended Feature Bitmap",
	IESourceToTargetContainer:                   "Source to Target Transparent Container",
	IETargetToSourceContainer:                   "Target to Source Transparent Container",
	IERNCIdentifier:                             "RNC Identifier",
	IEPageMode:                                  "Page Mode",
	IEContainerID:                               "Container ID",
	IEGlobalTFI:                                 "Global TFI",
	IEIMEI:                                      "IMEI",
	IETimeToMBMSDataTransfer:                    "Time to MBMS Data Transfer",
	IEMBMSSessionRepetitionNumber:               "MBMS Session Repetition Number",
	IEInterRATHandoverInfo:                      "Inter RAT Handover Info",
	IEPSHandoverCommand:                         "PS Handover Command",
	IEPSHandoverIndications:                     "PS Handover Indications",
	IESIPSIContainer:                            "SI/PSI Container",
	IEActivePFCsList:                            "Active PFCs List",
	IEVelocityData:                              "Velocity Data",
	IEDTMHandoverCommand:                        "DTM Handover Command",
	IECSIndication:                              "CS Indication",
	IERequestedGANSSAssistanceData:              "Requested GANSS Assistance Data",
	IEGANSSLocationType:                         "GANSS Location Type",
	IEGANSSPositioningData:                      "GANSS Positioning Data",
	IEFlowControlGranularity:                    "Flow Control Granularity",
	IEENBIdentifier:                             "eNB Identifier",
	IEEUTRANInterRATHandoverInfo:                "E-UTRAN Inter RAT Handover Info",
	IESubscriberProfileID:                       "Subscriber Profile ID for RAT/Frequency priority",
	IERequestForInterRATHandoverInfo:            "Request for Inter-RAT Handover Info",
	IEReliableInterRATHandoverInfo:              "Reliable Inter-RAT Handover Info",
	IESONTransferApplicationIdentity:            "SON Transfer Application Identity",
	IECSGIdentifier:                             "CSG Identifier",
	IETAC:                                       "Tracking Area Code",
	IERedirectAttemptFlag:                       "Redirect Attempt Flag",
	IERedirectionIndication:                     "Redirection Indication",
	IERedirectionCompleted:                      "Redirection Completed",
	IEUnconfirmedSendStateVariable:              "Unconfirmed send state variable",
	IEIRATMeasurementConfiguration:              "IRAT Measurement Configuration",
	IESCI:                                       "SCI",
	IEGGSNPGWLocation:                           "GGSN/P-GW location",
	IESelectedPLMNID:                            "Selected PLMN ID",
	IEPriorityClassIndicator:                    "Priority Class Indicator",
	IESourceCellID:                              "Source Cell ID",
	IEIRATMeasurementConfigurationEARFCN:        "IRAT Measurement Configuration (extended E-ARFCNs)",
	IEEDRXParameters:                            "eDRX Parameters",
	IETimeUntilNextPagingOccasion:               "Time Until Next Paging Occasion",
	IECoverageClass:                             "Coverage Class",
	IEPagingAttemptInformation:                  "Paging Attempt Information",
	IEExceptionReportFlag:                       "Exception Report Flag",
	IEOldRoutingAreaIdentification:              "Old Routing Area Identification",
	IEAttachIndicator:                           "Attach Indicator",
	IEPLMNIdentity:                              "PLMN Identity",
	IEMMEQuery:                                  "MME Query",
	IESGSNGroupIdentity:                         "SGSN Group Identity",
	IEAdditionalPTMSI:                           "Additional P-TMSI",
	IEUEUsageType:                               "UE Usage Type",
	IEMultilaterationTimer:                      "Multilateration Timer",
	IEMultilaterationTimingAdvance:              "Multilateration Timing Advance",
	IEMSSyncAccuracy:                            "MS Sync Accuracy",
	IEBTSReceptionAccuracyLevel:                 "BTS Reception Accuracy Level",
	IETimingAdvanceRequest:                      "Timing Advance Request",
}

// String returns the IE's name in the specification, "IEI(0xNN)" for one that
// has none.
func (i IEI) String() string {
	if s, ok := ieiNames[i]; ok {
		return s
	}
	return fmt.Sprintf("IEI(0x%02x)", uint8(i))
}
