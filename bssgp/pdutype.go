package bssgp

import "fmt"

// The PDU types of TS 48.018 table 11.27 (Release 15). PTM-UNITDATA is
// reserved in later releases and kept for its name.
const (
	TypeDLUnitdata                     PDUType = 0x00
	TypeULUnitdata                     PDUType = 0x01
	TypeRACapability                   PDUType = 0x02
	TypePTMUnitdata                    PDUType = 0x03
	TypeDLMBMSUnitdata                 PDUType = 0x04
	TypeULMBMSUnitdata                 PDUType = 0x05
	TypePagingPS                       PDUType = 0x06
	TypePagingCS                       PDUType = 0x07
	TypeRACapabilityUpdate             PDUType = 0x08
	TypeRACapabilityUpdateAck          PDUType = 0x09
	TypeRadioStatus                    PDUType = 0x0a
	TypeSuspend                        PDUType = 0x0b
	TypeSuspendAck                     PDUType = 0x0c
	TypeSuspendNack                    PDUType = 0x0d
	TypeResume                         PDUType = 0x0e
	TypeResumeAck                      PDUType = 0x0f
	TypeResumeNack                     PDUType = 0x10
	TypePagingPSReject                 PDUType = 0x11
	TypeDummyPagingPS                  PDUType = 0x12
	TypeDummyPagingPSResponse          PDUType = 0x13
	TypeMSRegistrationEnquiry          PDUType = 0x14
	TypeMSRegistrationEnquiryResponse  PDUType = 0x15
	TypeBVCBlock                       PDUType = 0x20
	TypeBVCBlockAck                    PDUType = 0x21
	TypeBVCReset                       PDUType = 0x22
	TypeBVCResetAck                    PDUType = 0x23
	TypeBVCUnblock                     PDUType = 0x24
	TypeBVCUnblockAck                  PDUType = 0x25
	TypeFlowControlBVC                 PDUType = 0x26
	TypeFlowControlBVCAck              PDUType = 0x27
	TypeFlowControlMS                  PDUType = 0x28
	TypeFlowControlMSAck               PDUType = 0x29
	TypeFlushLL                        PDUType = 0x2a
	TypeFlushLLAck                     PDUType = 0x2b
	TypeLLCDiscarded                   PDUType = 0x2c
	TypeFlowControlPFC                 PDUType = 0x2d
	TypeFlowControlPFCAck              PDUType = 0x2e
	TypeSGSNInvokeTrace                PDUType = 0x40
	TypeStatus                         PDUType = 0x41
	TypeOverload                       PDUType = 0x42
	TypeDownloadBSSPFC                 PDUType = 0x50
	TypeCreateBSSPFC                   PDUType = 0x51
	TypeCreateBSSPFCAck                PDUType = 0x52
	TypeCreateBSSPFCNack               PDUType = 0x53
	TypeModifyBSSPFC                   PDUType = 0x54
	TypeModifyBSSPFCAck                PDUType = 0x55
	TypeDeleteBSSPFC                   PDUType = 0x56
	TypeDeleteBSSPFCAck                PDUType = 0x57
	TypeDeleteBSSPFCReq                PDUType = 0x58
	TypePSHORequired                   PDUType = 0x59
	TypePSHORequiredAck                PDUType = 0x5a
	TypePSHORequiredNack               PDUType = 0x5b
	TypePSHORequest                    PDUType = 0x5c
	TypePSHORequestAck                 PDUType = 0x5d
	TypePSHORequestNack                PDUType = 0x5e
	TypePerformLocationRequest         PDUType = 0x60
	TypePerformLocationResponse        PDUType = 0x61
	TypePerformLocationAbort           PDUType = 0x62
	TypePositionCommand                PDUType = 0x63
	TypePositionResponse               PDUType = 0x64
	TypeRANInformation                 PDUType = 0x70
	TypeRANInformationRequest          PDUType = 0x71
	TypeRANInformationAck              PDUType = 0x72
	TypeRANInformationError            PDUType = 0x73
	TypeRANInformationApplicationError PDUType = 0x74
	TypeMBMSSessionStartRequest        PDUType = 0x80
	TypeMBMSSessionStartResponse       PDUType = 0x81
	TypeMBMSSessionStopRequest         PDUType = 0x82
	TypeMBMSSessionStopResponse        PDUType = 0x83
	TypeMBMSSessionUpdateRequest       PDUType = 0x84
	TypeMBMSSessionUpdateResponse      PDUType = 0x85
	TypePSHOComplete                   PDUType = 0x91
	TypePSHOCancel                     PDUType = 0x92
	TypePSHOCompleteAck                PDUType = 0x93
)

// String returns the PDU's name in the specification, "Type(0xNN)" for a type
// that has none.
func (t PDUType) String() string {
	if d := Definition(t); d != nil {
		return d.Name
	}
	return fmt.Sprintf("Type(0x%02x)", uint8(t))
}
