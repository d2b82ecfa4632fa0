package bssgp

import "errors"

// ErrTruncated tells that a PDU ends within an information element or header.
var ErrTruncated = errors.New("bssgp: PDU ends within an information element")

// unitdataHeader is the length of what precedes the IEs of UL- and DL-UNITDATA:
// PDU type, TLLI and QoS profile, the latter two without tag and length.
const unitdataHeader = 1 + 4 + 3

// Next takes the first TLV off b (TS 48.018 11.2): tag, length indicator of one
// octet (bit 8 set, 0..127) or two (bit 8 clear, 0..32767), value. The value is
// a sub-slice of b. At the end of b it returns ErrTruncated: callers stop when
// b is empty.
func Next(b []byte) (ie IE, rest []byte, err error) {
	if len(b) < 2 {
		return IE{}, nil, ErrTruncated
	}
	n, at := int(b[1]&0x7f), 2
	if b[1]&0x80 == 0 {
		if len(b) < 3 {
			return IE{}, nil, ErrTruncated
		}
		n, at = n<<8|int(b[2]), 3
	}
	if len(b)-at < n {
		return IE{IEI: IEI(b[0])}, nil, ErrTruncated
	}
	return IE{IEI: IEI(b[0]), Value: b[at : at+n : at+n]}, b[at+n:], nil
}

// Type returns the PDU's type; ok is false when the PDU is empty.
func Type(pdu []byte) (t PDUType, ok bool) {
	if len(pdu) == 0 {
		return 0, false
	}
	return PDUType(pdu[0]), true
}

// hasUnitdataHeader tells the two PDU types that begin with fields without tag.
func hasUnitdataHeader(t PDUType) bool { return t == TypeDLUnitdata || t == TypeULUnitdata }

// Body returns the TLVs of a PDU, behind its type and, in UL- and DL-UNITDATA,
// behind the fields without tag. It returns ErrTruncated when the PDU is
// shorter than that.
func Body(pdu []byte) ([]byte, error) {
	if len(pdu) == 0 {
		return nil, ErrTruncated
	}
	at := 1
	if hasUnitdataHeader(PDUType(pdu[0])) {
		at = unitdataHeader
	}
	if len(pdu) < at {
		return nil, ErrTruncated
	}
	return pdu[at:], nil
}

// Find returns the value of the first IE with this IEI. It looks no further
// than needed, so a PDU cut off behind the IE (as a PDU in error may be) still
// gives it.
func Find(pdu []byte, iei IEI) (value []byte, ok bool) { return FindN(pdu, iei, 0) }

// FindN returns the value of the n-th IE with this IEI, counting from 0.
func FindN(pdu []byte, iei IEI, n int) (value []byte, ok bool) {
	b, err := Body(pdu)
	for err == nil && len(b) > 0 {
		var ie IE
		if ie, b, err = Next(b); err == nil && ie.IEI == iei {
			if n == 0 {
				return ie.Value, true
			}
			n--
		}
	}
	return nil, false
}
