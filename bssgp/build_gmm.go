package bssgp

// AppendSuspend appends a SUSPEND (10.3.6).
func AppendSuspend(b []byte, tlli uint32, r RAI) []byte {
	return AppendIE(appendTLLI(b, TypeSuspend, tlli), IERouteingArea, r[:])
}

// AppendSuspendAck appends a SUSPEND-ACK (10.3.7).
func AppendSuspendAck(b []byte, tlli uint32, r RAI, ref uint8) []byte {
	b = AppendIE(appendTLLI(b, TypeSuspendAck, tlli), IERouteingArea, r[:])
	return append8(b, IESuspendReferenceNumber, ref)
}

// AppendSuspendNack appends a SUSPEND-NACK (10.3.8).
func AppendSuspendNack(b []byte, tlli uint32, r RAI, c Cause) []byte {
	b = AppendIE(appendTLLI(b, TypeSuspendNack, tlli), IERouteingArea, r[:])
	return append8(b, IECause, uint8(c))
}

// AppendResume appends a RESUME (10.3.9).
func AppendResume(b []byte, tlli uint32, r RAI, ref uint8) []byte {
	b = AppendIE(appendTLLI(b, TypeResume, tlli), IERouteingArea, r[:])
	return append8(b, IESuspendReferenceNumber, ref)
}

// AppendResumeAck appends a RESUME-ACK (10.3.10).
func AppendResumeAck(b []byte, tlli uint32, r RAI) []byte {
	return AppendIE(appendTLLI(b, TypeResumeAck, tlli), IERouteingArea, r[:])
}

// AppendResumeNack appends a RESUME-NACK (10.3.11).
func AppendResumeNack(b []byte, tlli uint32, r RAI, c Cause) []byte {
	b = AppendIE(appendTLLI(b, TypeResumeNack, tlli), IERouteingArea, r[:])
	return append8(b, IECause, uint8(c))
}

// MSID names a mobile station in a RADIO-STATUS: the first of its fields that
// is set.
type MSID struct {
	TLLI *uint32
	TMSI *uint32
	IMSI IMSI
}

// AppendRadioStatus appends a RADIO-STATUS (10.3.5).
func AppendRadioStatus(b []byte, id MSID, c RadioCause) []byte {
	b = append(b, byte(TypeRadioStatus))
	switch {
	case id.TLLI != nil:
		b = append32(b, IETLLI, *id.TLLI)
	case id.TMSI != nil:
		b = append32(b, IETMSI, *id.TMSI)
	default:
		b = appendIMSI(b, id.IMSI)
	}
	return append8(b, IERadioCause, uint8(c))
}

// AppendRACapability appends an RA-CAPABILITY (10.2.3).
func AppendRACapability(b []byte, tlli uint32, rac []byte) []byte {
	return AppendIE(appendTLLI(b, TypeRACapability, tlli), IEMSRadioAccessCapability, rac)
}

// AppendRACapabilityUpdate appends an RA-CAPABILITY-UPDATE (10.3.3).
func AppendRACapabilityUpdate(b []byte, tlli uint32, tag uint8) []byte {
	return append8(appendTLLI(b, TypeRACapabilityUpdate, tlli), IETag, tag)
}

// RA-CAPABILITY-UPDATE-ACK causes (11.3.30).
const (
	RACapOK          uint8 = 0 // capability present
	RACapTLLIUnknown uint8 = 1
	RACapNone        uint8 = 2 // neither capability nor IMSI known
)

// AppendRACapabilityUpdateAck appends an RA-CAPABILITY-UPDATE-ACK (10.3.4); the
// IMSI and the capability are left out when empty.
func AppendRACapabilityUpdateAck(b []byte, tlli uint32, tag uint8, i IMSI, cause uint8, rac []byte) []byte {
	b = append8(appendTLLI(b, TypeRACapabilityUpdateAck, tlli), IETag, tag)
	b = append8(appendIMSI(b, i), IERACapUpdCause, cause)
	if len(rac) > 0 {
		b = AppendIE(b, IEMSRadioAccessCapability, rac)
	}
	return b
}

// AppendMSRegistrationEnquiry appends an MS-REGISTRATION-ENQUIRY.
func AppendMSRegistrationEnquiry(b []byte, i IMSI) []byte {
	return appendIMSI(append(b, byte(TypeMSRegistrationEnquiry)), i)
}

// AppendMSRegistrationEnquiryResponse appends an
// MS-REGISTRATION-ENQUIRY-RESPONSE.
func AppendMSRegistrationEnquiryResponse(b []byte, i IMSI) []byte {
	return appendIMSI(append(b, byte(TypeMSRegistrationEnquiryResponse)), i)
}
