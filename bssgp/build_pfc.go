package bssgp

// AppendPFC appends a packet flow PDU that names only the flow:
// DOWNLOAD-BSS-PFC, DELETE-BSS-PFC, DELETE-BSS-PFC-ACK (10.4.16, 10.4.22,
// 10.4.23).
func AppendPFC(b []byte, t PDUType, tlli uint32, pfi uint8) []byte {
	return append8(appendTLLI(b, t, tlli), IEPFI, pfi)
}

// AppendPFCCause appends a packet flow PDU with a cause: CREATE-BSS-PFC-NACK,
// DELETE-BSS-PFC-REQ (10.4.19, 10.4.26).
func AppendPFCCause(b []byte, t PDUType, tlli uint32, pfi uint8, c Cause) []byte {
	return append8(AppendPFC(b, t, tlli, pfi), IECause, uint8(c))
}

// AppendPFCQoS appends a packet flow PDU with timer (nil: absent) and aggregate
// BSS QoS profile: CREATE-BSS-PFC, CREATE-BSS-PFC-ACK, MODIFY-BSS-PFC,
// MODIFY-BSS-PFC-ACK (10.4.17, 10.4.18, 10.4.20, 10.4.21).
func AppendPFCQoS(b []byte, t PDUType, tlli uint32, pfi uint8, timer *uint8, abqp []byte) []byte {
	b = AppendPFC(b, t, tlli, pfi)
	if timer != nil {
		b = append8(b, IEGPRSTimer, *timer)
	}
	return AppendIE(b, IEABQP, abqp)
}

// AppendPSHONack appends a PDU that refuses or ends a handover with a cause:
// PS-HANDOVER-REQUIRED-NACK, PS-HANDOVER-REQUEST-NACK.
func AppendPSHONack(b []byte, t PDUType, tlli uint32, c Cause) []byte {
	return append8(appendTLLI(b, t, tlli), IECause, uint8(c))
}
