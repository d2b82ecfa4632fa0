package ns

import (
	"encoding/binary"
	"net/netip"
)

// PDU is a decoded NS PDU; Has tells which IEs it carries. Byte slices are
// sub-slices of what was parsed. It serves control, logs and tests: user data
// is forwarded undecoded.
type PDU struct {
	Type    PDUType
	Control uint8  // NS-UNITDATA: SDU control bits
	EndFlag bool   // SNS-CONFIG
	TransID uint8  // SNS-ACK, -ADD, -DELETE, -CHANGEWEIGHT
	BVCI    uint16 // NS-UNITDATA, or IE
	SDU     []byte // NS-UNITDATA

	Has       IESet
	Cause     Cause
	NSVCI     uint16
	NSEI      uint16
	NSPDU     []byte
	Reset     bool
	MaxNSVCs  uint16
	IPv4Count uint16
	IPv6Count uint16
	IPv4      []Endpoint
	IPv6      []Endpoint
	IP        netip.Addr
	Unknown   []RawIE // of IEIs that this package does not know
}

// RawIE is an IE kept as it came.
type RawIE struct {
	IEI   IEI
	Value []byte
}

// maxUnknown bounds the unknown IEs of a PDU.
const maxUnknown = 16

// PDUError tells why a PDU was refused, as the cause of the NS-STATUS that
// answers it (TS 48.016 8).
type PDUError struct {
	Type  PDUType
	Cause Cause
	IE    IEI
}

func (e *PDUError) Error() string {
	return "ns: " + e.Type.String() + ": " + e.Cause.String() + " (" + e.IE.String() + ")"
}

// Endpoints returns the endpoint list that the PDU carries.
func (p *PDU) Endpoints() []Endpoint {
	if p.Has.Has(IEIPv4List) {
		return p.IPv4
	}
	return p.IPv6
}

// Parse decodes one NS PDU. The error is a *PDUError.
func Parse(b []byte) (p PDU, err error) {
	if len(b) == 0 {
		return p, &PDUError{Cause: CauseProtocolError}
	}
	// PDU type, TS 48.016 10.3.7.
	p.Type = PDUType(b[0])
	def := p.Type.def()
	if def == nil {
		return p, p.fail(CauseNotCompatible, 0)
	}
	b = b[1:]
	switch {
	case def.bare && len(b) > 0:
		return p, p.fail(CauseProtocolError, 0)
	case def.head == headUnitdata:
		return p, p.parseUnitdata(b)
	case def.head == headEndFlag: // End flag, 10.3.2f
		if len(b) < 1 {
			return p, p.fail(CauseMissingEssentialIE, IENSEI)
		}
		p.EndFlag, b = b[0]&1 != 0, b[1:]
	}
	if err := p.parseIEs(b, def); err != nil {
		return p, err
	}
	return p, p.check(def)
}

func (p *PDU) fail(c Cause, id IEI) error { return &PDUError{Type: p.Type, Cause: c, IE: id} }

func (p *PDU) parseUnitdata(b []byte) error {
	if len(b) < 3 {
		return p.fail(CauseProtocolError, IEBVCI)
	}
	p.Control = b[0]
	p.BVCI = binary.BigEndian.Uint16(b[1:])
	p.SDU = b[3:]
	return nil
}

func (p *PDU) parseIEs(b []byte, def *pduDef) error {
	needTrans := def.transID
	for len(b) > 0 {
		id, v, n := consumeIE(b)
		if n < 0 {
			return p.fail(CauseProtocolError, IEI(b[0]))
		}
		b = b[n:]
		if err := p.take(id, v, def); err != nil {
			return err
		}
		if id == IENSEI && needTrans { // Transaction ID, 10.3.2l, has no IEI
			if len(b) == 0 {
				return p.fail(CauseMissingEssentialIE, id)
			}
			p.TransID, b, needTrans = b[0], b[1:], false
		}
	}
	return nil
}

// check looks for the mandatory IEs and those that a cause or list needs.
func (p *PDU) check(def *pduDef) error {
	for id := range IEIPAddress + 1 {
		if def.must.Has(id) && !p.Has.Has(id) {
			return p.fail(CauseMissingEssentialIE, id)
		}
	}
	if p.Type != PDUStatus {
		return nil
	}
	switch c := p.Cause; {
	case c == CauseBlocked && !p.Has.Has(IENSVCI): // "NS-VC unknown" without: rxStatus
		return p.fail(CauseMissingEssentialIE, IENSVCI)
	case c == CauseUnknownBVCI && !p.Has.Has(IEBVCI):
		return p.fail(CauseMissingEssentialIE, IEBVCI)
	case c >= CauseSemanticallyWrong && c <= CauseMissingEssentialIE && !p.Has.Has(IENSPDU):
		return p.fail(CauseMissingEssentialIE, IENSPDU)
	}
	return nil
}

// take stores one IE; the first of its kind counts. A bad one that the PDU is
// not defined with is ignored.
func (p *PDU) take(id IEI, v []byte, def *pduDef) error {
	if id > IEIPAddress {
		if len(p.Unknown) == maxUnknown {
			return p.fail(CauseProtocolError, id)
		}
		p.Unknown = append(p.Unknown, RawIE{id, v})
		return nil
	}
	if p.Has.Has(id) {
		return nil
	}
	if !p.set(id, v) {
		if !(def.must | def.may).Has(id) {
			return nil
		}
		return p.fail(CauseInvalidEssentialIE, id)
	}
	p.Has |= ies(id)
	return nil
}

// set reads an IE's value. One that is longer than specified is no error: what
// is beyond its end is ignored (TS 48.016 8.1).
func (p *PDU) set(id IEI, v []byte) (ok bool) {
	switch id {
	case IECause:
		if ok = len(v) >= 1; ok {
			p.Cause = Cause(v[0])
		}
	case IENSPDU:
		p.NSPDU, ok = v, true
	case IEIPv4List:
		p.IPv4, ok = parseEndpoints(id, v)
	case IEIPv6List:
		p.IPv6, ok = parseEndpoints(id, v)
	case IEResetFlag:
		p.Reset, ok = v[0]&1 != 0, true
	case IEIPAddress:
		p.IP, ok = netip.AddrFromSlice(v[1:])
	default:
		if ok = len(v) >= 2; ok {
			*p.word(id) = binary.BigEndian.Uint16(v)
		}
	}
	return ok
}

// word is where a two-octet IE is kept.
func (p *PDU) word(id IEI) *uint16 {
	switch id {
	case IENSVCI:
		return &p.NSVCI
	case IEBVCI:
		return &p.BVCI
	case IEMaxNSVCs:
		return &p.MaxNSVCs
	case IEIPv4Count:
		return &p.IPv4Count
	case IEIPv6Count:
		return &p.IPv6Count
	}
	return &p.NSEI
}
