package llc

// Control octet of an XID frame (6.4.1.6): U format 111, M bits 1011.
const (
	bitsXID = 0xeb
	bitPF   = 0x10
)

// XID parameter types (6.4.1.6).
const (
	XIDVersion uint8 = 0
	XIDIOVUI   uint8 = 1
	XIDReset   uint8 = 12
)

// maxXIDs bounds the parameters of one frame; types have five bits.
const maxXIDs = 32

// XID is an XID frame, by which two ends agree on parameters or begin anew
// (6.4.1.6).
type XID struct {
	SAPI     uint8 // 0..15
	FromSGSN bool
	Response bool
	Final    bool // the P/F bit
	Params   []XIDParam
}

// XIDParam is one parameter of an XID frame; its value may be empty.
type XIDParam struct {
	Type  uint8 // 0..31
	Value []byte
}

// Has tells that the frame has a parameter of type t.
func (x *XID) Has(t uint8) bool {
	for _, p := range x.Params {
		if p.Type == t {
			return true
		}
	}
	return false
}

// Append appends the frame with its FCS, which covers all of it. Values are
// shorter than 256 octets.
func (x *XID) Append(b []byte) []byte {
	start := len(b)
	addr := x.SAPI & maskSAPI
	if x.FromSGSN != x.Response { // commands of the SGSN and responses of the MS (6.2.2)
		addr |= bitCR
	}
	control := byte(bitsXID)
	if x.Final {
		control |= bitPF
	}
	b = append(b, addr, control)
	for _, p := range x.Params {
		b = p.append(b)
	}
	fcs := FCS(b[start:])
	return append(b, fcs[:]...)
}

// append writes the short form, with a length of 0 to 3, or the long one, whose
// length has 8 bits over two octets (6.4.1.6.1).
func (p XIDParam) append(b []byte) []byte {
	first := p.Type << 2 & 0x7c
	if n := byte(len(p.Value)); n <= 3 {
		b = append(b, first|n)
	} else {
		b = append(b, bitXL|first|n>>6, n<<2)
	}
	return append(b, p.Value...)
}

const bitXL = 0x80

// ParseXID reads a frame from the SGSN or the MS and checks its FCS; ErrNotXID
// tells that it is another. Values are sub-slices of b.
func ParseXID(b []byte, fromSGSN bool) (x XID, err error) {
	const header = 2
	if len(b) < header+trailer {
		return XID{}, ErrShort
	}
	if b[0]&bitPD != 0 || b[1]&^bitPF != bitsXID {
		return XID{}, ErrNotXID
	}
	end := len(b) - trailer
	if FCS(b[:end]) != [3]byte(b[end:]) {
		return XID{}, ErrFCS
	}
	x = XID{SAPI: b[0] & maskSAPI, FromSGSN: fromSGSN, Response: (b[0]&bitCR != 0) != fromSGSN, Final: b[1]&bitPF != 0}
	for rest := b[header:end:end]; len(rest) > 0; {
		var p XIDParam
		if p, rest, err = readXIDParam(rest); err != nil {
			return XID{}, err
		}
		if x.Params = append(x.Params, p); len(x.Params) > maxXIDs {
			return XID{}, ErrXID
		}
	}
	return x, nil
}

func readXIDParam(b []byte) (p XIDParam, rest []byte, err error) {
	p.Type = b[0] >> 2 & 31
	n, at := int(b[0]&3), 1
	if b[0]&bitXL != 0 {
		if len(b) < 2 {
			return p, nil, ErrShort
		}
		n, at = n<<6|int(b[1]>>2), 2
	}
	if len(b) < at+n {
		return p, nil, ErrShort
	}
	p.Value = b[at : at+n : at+n]
	return p, b[at+n:], nil
}
