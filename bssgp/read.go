package bssgp

import "encoding/binary"

// The readers return an IE's value from a PDU, ok false when it is absent or
// too short. The first IE of a kind counts, its place does not matter, and a
// longer value than the specification has is accepted (TS 48.016 8.1). None of
// them allocates.

// ReadTLLI reads the current TLLI: the header field of UL- and DL-UNITDATA,
// else the TLLI IE.
func ReadTLLI(pdu []byte) (tlli uint32, ok bool) {
	if len(pdu) > 0 && hasUnitdataHeader(PDUType(pdu[0])) {
		if len(pdu) < 5 {
			return 0, false
		}
		return binary.BigEndian.Uint32(pdu[1:]), true
	}
	return read32(pdu, IETLLI)
}

// ReadOldTLLI reads the old TLLI of a DL-UNITDATA.
func ReadOldTLLI(pdu []byte) (tlli uint32, ok bool) {
	if len(pdu) == 0 || PDUType(pdu[0]) != TypeDLUnitdata {
		return 0, false
	}
	return read32(pdu, IETLLI)
}

// ReadTMSI reads the TMSI or P-TMSI.
func ReadTMSI(pdu []byte) (tmsi uint32, ok bool) { return read32(pdu, IETMSI) }

// ReadBVCI reads the first BVCI IE; in FLUSH-LL that is the old one.
func ReadBVCI(pdu []byte) (bvci uint16, ok bool) { return read16(pdu, IEBVCI, 0) }

// ReadNewBVCI reads the new BVCI: the second BVCI IE of a FLUSH-LL, the only
// one of a FLUSH-LL-ACK.
func ReadNewBVCI(pdu []byte) (bvci uint16, ok bool) {
	if t, _ := Type(pdu); t == TypeFlushLLAck {
		return read16(pdu, IEBVCI, 0)
	}
	return read16(pdu, IEBVCI, 1)
}

// ReadNSEI reads the NSEI (of FLUSH-LL and LCS PDUs).
func ReadNSEI(pdu []byte) (nsei uint16, ok bool) { return read16(pdu, IENSEI, 0) }

// ReadCause reads the Cause.
func ReadCause(pdu []byte) (c Cause, ok bool) {
	v, ok := read8(pdu, IECause)
	return Cause(v), ok
}

// ReadTag reads the Tag of flow control and RA capability PDUs.
func ReadTag(pdu []byte) (tag uint8, ok bool) { return read8(pdu, IETag) }

// ReadRAI reads the Routeing Area.
func ReadRAI(pdu []byte) (r RAI, ok bool) {
	v, ok := Find(pdu, IERouteingArea)
	if !ok || len(v) < len(r) {
		return r, false
	}
	return RAI(v[:len(r)]), true
}

// ReadLAI reads the Location Area.
func ReadLAI(pdu []byte) (l LAI, ok bool) {
	v, ok := Find(pdu, IELocationArea)
	if !ok || len(v) < len(l) {
		return l, false
	}
	return LAI(v[:len(l)]), true
}

// ReadCellID reads the first Cell Identifier.
func ReadCellID(pdu []byte) (c CellID, ok bool) {
	v, ok := Find(pdu, IECellIdentifier)
	if !ok || len(v) < len(c) {
		return c, false
	}
	return CellID(v[:len(c)]), true
}

// ReadIMSI reads the IMSI.
func ReadIMSI(pdu []byte) (i IMSI, ok bool) {
	v, ok := Find(pdu, IEIMSI)
	if !ok {
		return i, false
	}
	return DecodeIMSI(v)
}

// ReadPDUInError returns the PDU that a STATUS complains of; it may have been
// cut off anywhere.
func ReadPDUInError(pdu []byte) (inner []byte, ok bool) { return Find(pdu, IEPDUInError) }

// ReadLLC returns the (first) LLC-PDU of a UL- or DL-UNITDATA.
func ReadLLC(pdu []byte) (llc []byte, ok bool) { return Find(pdu, IELLCPDU) }

func read8(pdu []byte, iei IEI) (uint8, bool) {
	v, ok := Find(pdu, iei)
	if !ok || len(v) < 1 {
		return 0, false
	}
	return v[0], true
}

func read16(pdu []byte, iei IEI, n int) (uint16, bool) {
	v, ok := FindN(pdu, iei, n)
	if !ok || len(v) < 2 {
		return 0, false
	}
	return binary.BigEndian.Uint16(v), true
}

func read32(pdu []byte, iei IEI) (uint32, bool) {
	v, ok := Find(pdu, iei)
	if !ok || len(v) < 4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(v), true
}
