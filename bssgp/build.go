package bssgp

import "encoding/binary"

// The builders append one PDU to b and return the grown slice; with enough
// capacity in b none of them allocates. They write the IEs in the order of
// TS 48.018 clause 10.

// maxValue is the longest value that a two-octet length indicator can tell.
const maxValue = 0x7fff

// AppendHeader appends tag and length indicator of an IE whose value, n octets
// (0..32767), follows: one octet of length up to 127, else two (11.2).
func AppendHeader(b []byte, iei IEI, n int) []byte {
	if n <= 0x7f {
		return append(b, byte(iei), 0x80|byte(n))
	}
	return append(b, byte(iei), byte(n>>8)&0x7f, byte(n))
}

// AppendIE appends an IE. A value beyond 32767 octets can't be expressed and is
// cut there.
func AppendIE(b []byte, iei IEI, value []byte) []byte {
	if len(value) > maxValue {
		value = value[:maxValue]
	}
	return append(AppendHeader(b, iei, len(value)), value...)
}

func append8(b []byte, iei IEI, v uint8) []byte {
	return append(AppendHeader(b, iei, 1), v)
}

func append16(b []byte, iei IEI, v uint16) []byte {
	return binary.BigEndian.AppendUint16(AppendHeader(b, iei, 2), v)
}

// append24 writes the low 24 bits, saturating.
func append24(b []byte, iei IEI, v uint32) []byte {
	v = min(v, 0xffffff)
	return append(AppendHeader(b, iei, 3), byte(v>>16), byte(v>>8), byte(v))
}

func append32(b []byte, iei IEI, v uint32) []byte {
	return binary.BigEndian.AppendUint32(AppendHeader(b, iei, 4), v)
}

func appendIMSI(b []byte, i IMSI) []byte {
	if i.IsZero() {
		return b
	}
	return i.Append(AppendHeader(b, IEIMSI, int(i.n)/2+1))
}

// appendTLLI begins a PDU whose first IE is a TLLI.
func appendTLLI(b []byte, t PDUType, tlli uint32) []byte {
	return append32(append(b, byte(t)), IETLLI, tlli)
}

// AppendBVCReset appends a BVC-RESET (10.4.12). cell stands in it when a BSS
// resets a PTP BVC, features for BVCI 0; nil leaves them out.
func AppendBVCReset(b []byte, bvci uint16, c Cause, cell *CellID, f *Features) []byte {
	b = append16(append(b, byte(TypeBVCReset)), IEBVCI, bvci)
	return appendCellFeatures(append8(b, IECause, uint8(c)), cell, f)
}

// AppendBVCResetAck appends a BVC-RESET-ACK (10.4.13); cell and features as in
// AppendBVCReset.
func AppendBVCResetAck(b []byte, bvci uint16, cell *CellID, f *Features) []byte {
	return appendCellFeatures(append16(append(b, byte(TypeBVCResetAck)), IEBVCI, bvci), cell, f)
}

func appendCellFeatures(b []byte, cell *CellID, f *Features) []byte {
	if cell != nil {
		b = AppendIE(b, IECellIdentifier, cell[:])
	}
	if f != nil {
		b = append8(b, IEFeatureBitmap, uint8(*f))
		b = append8(b, IEExtendedFeatureBitmap, uint8(*f>>8))
	}
	return b
}

// AppendBVCBlock appends a BVC-BLOCK (10.4.8).
func AppendBVCBlock(b []byte, bvci uint16, c Cause) []byte {
	return append8(append16(append(b, byte(TypeBVCBlock)), IEBVCI, bvci), IECause, uint8(c))
}

// AppendBVCBlockAck appends a BVC-BLOCK-ACK (10.4.9).
func AppendBVCBlockAck(b []byte, bvci uint16) []byte {
	return append16(append(b, byte(TypeBVCBlockAck)), IEBVCI, bvci)
}

// AppendBVCUnblock appends a BVC-UNBLOCK (10.4.10).
func AppendBVCUnblock(b []byte, bvci uint16) []byte {
	return append16(append(b, byte(TypeBVCUnblock)), IEBVCI, bvci)
}

// AppendBVCUnblockAck appends a BVC-UNBLOCK-ACK (10.4.11).
func AppendBVCUnblockAck(b []byte, bvci uint16) []byte {
	return append16(append(b, byte(TypeBVCUnblockAck)), IEBVCI, bvci)
}

// AppendStatus appends a STATUS (10.4.14). The BVCI stands in it with causes
// "BVCI unknown" and "BVCI blocked" and only then. The PDU in error is cut so
// that the STATUS takes at most mtu octets (0: as long as it is); nil leaves
// the IE out.
func AppendStatus(b []byte, c Cause, bvci uint16, pdu []byte, mtu int) []byte {
	start := len(b)
	b = append8(append(b, byte(TypeStatus)), IECause, uint8(c))
	if c == CauseBVCIUnknown || c == CauseBVCIBlocked {
		b = append16(b, IEBVCI, bvci)
	}
	if pdu == nil {
		return b
	}
	if mtu > 0 {
		room := mtu - (len(b) - start) - 2
		if room > 0x7f {
			room = max(0x7f, room-1) // two octets of length
		}
		pdu = pdu[:min(len(pdu), max(0, room))]
	}
	return AppendIE(b, IEPDUInError, pdu)
}

// AppendOverload appends an OVERLOAD with its priority class indicator.
func AppendOverload(b []byte, priorityClass uint8) []byte {
	return append8(append(b, byte(TypeOverload)), IEPriorityClassIndicator, priorityClass)
}

// AppendSGSNInvokeTrace appends an SGSN-INVOKE-TRACE with its mandatory IEs
// (10.4.15).
func AppendSGSNInvokeTrace(b []byte, traceType uint8, reference uint16) []byte {
	b = append8(append(b, byte(TypeSGSNInvokeTrace)), IETraceType, traceType)
	return append16(b, IETraceReference, reference)
}
