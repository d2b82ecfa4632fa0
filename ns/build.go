package ns

import "encoding/binary"

// ieOrder is the order of the IEs in the tables of TS 48.016 9.2 and 9.3: the
// exceptions are NS-RESET and NS-BLOCK, whose order is the IEIs' own anyway.
var ieOrder = [...]IEI{IECause, IENSVCI, IENSPDU, IEBVCI, IENSEI, IEResetFlag, IEIPAddress,
	IEIPv4List, IEIPv6List, IEMaxNSVCs, IEIPv4Count, IEIPv6Count}

// snsOrder is that of the SNS PDUs, which begin with the NSEI.
var snsOrder = [...]IEI{IENSEI, IECause, IENSVCI, IENSPDU, IEBVCI, IEResetFlag, IEIPAddress,
	IEIPv4List, IEIPv6List, IEMaxNSVCs, IEIPv4Count, IEIPv6Count}

// Append appends the encoding of p to b.
func (p *PDU) Append(b []byte) []byte {
	b = append(b, byte(p.Type))
	def := p.Type.def()
	if def == nil || def.bare {
		return b
	}
	switch def.head {
	case headUnitdata:
		b = append(b, p.Control)
		return append(binary.BigEndian.AppendUint16(b, p.BVCI), p.SDU...)
	case headEndFlag:
		b = append(b, flag(p.EndFlag))
	}
	order := &ieOrder
	if p.Type >= PDUSNSAck {
		order = &snsOrder
	}
	for _, id := range order {
		if p.Has.Has(id) {
			b = p.appendIE(b, id)
			if id == IENSEI && def.transID {
				b = append(b, p.TransID)
			}
		}
	}
	for _, ie := range p.Unknown {
		b = appendTLV(b, ie.IEI, ie.Value)
	}
	return b
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}

func (p *PDU) appendIE(b []byte, id IEI) []byte {
	switch id {
	case IECause:
		return append(b, byte(id), 0x81, byte(p.Cause))
	case IENSPDU:
		return appendTLV(b, id, p.NSPDU)
	case IEIPv4List:
		return appendEndpoints(b, p.IPv4)
	case IEIPv6List:
		return appendEndpoints(b, p.IPv6)
	case IEResetFlag:
		return append(b, byte(id), flag(p.Reset))
	case IEIPAddress:
		return p.appendIP(b)
	case IEMaxNSVCs, IEIPv4Count, IEIPv6Count:
		return appendFixed16(b, id, *p.word(id))
	}
	return appendTLV16(b, id, *p.word(id))
}

func (p *PDU) appendIP(b []byte) []byte {
	typ := byte(ipTypeV6)
	if p.IP.Is4() {
		typ = ipTypeV4
	}
	return append(append(b, byte(IEIPAddress), typ), p.IP.AsSlice()...)
}

// The PDUs that the stack sends.

func buildReset(c Cause, nsvci, nsei uint16) PDU {
	return PDU{Type: PDUReset, Has: ies(IECause, IENSVCI, IENSEI), Cause: c, NSVCI: nsvci, NSEI: nsei}
}

func buildResetAck(nsvci, nsei uint16) PDU {
	return PDU{Type: PDUResetAck, Has: ies(IENSVCI, IENSEI), NSVCI: nsvci, NSEI: nsei}
}

func buildBlock(c Cause, nsvci uint16) PDU {
	return PDU{Type: PDUBlock, Has: ies(IECause, IENSVCI), Cause: c, NSVCI: nsvci}
}

func buildBlockAck(nsvci uint16) PDU {
	return PDU{Type: PDUBlockAck, Has: ies(IENSVCI), NSVCI: nsvci}
}

// maxPDUInError bounds the NS PDU IE of a STATUS.
const maxPDUInError = 1024

// buildStatus answers pdu; which IEs go with it depends on the cause (9.2.7).
func buildStatus(c Cause, pdu []byte) PDU {
	p := PDU{Type: PDUStatus, Has: ies(IECause, IENSPDU), Cause: c, NSPDU: pdu}
	p.NSPDU = pdu[:min(len(pdu), maxPDUInError)]
	return p
}

// buildStatusVC names an NS-VC: causes "NS-VC blocked" and "NS-VC unknown".
func buildStatusVC(c Cause, nsvci uint16) PDU {
	return PDU{Type: PDUStatus, Has: ies(IECause, IENSVCI), Cause: c, NSVCI: nsvci}
}

// buildStatusUnknown says that there is no NS-VC where a PDU came from. Which
// NSVCI the peer has given it cannot be known; libosmogb takes it without.
func buildStatusUnknown() PDU {
	return PDU{Type: PDUStatus, Has: ies(IECause), Cause: CauseUnknownVC}
}

// buildSNS makes an SNS PDU with its list; cause is left out when nil.
func buildSNS(t PDUType, nsei uint16, cause *Cause) PDU {
	p := PDU{Type: t, Has: ies(IENSEI), NSEI: nsei}
	if cause != nil {
		p.Has |= ies(IECause)
		p.Cause = *cause
	}
	return p
}

// setEndpoints puts eps into the list of their family.
func (p *PDU) setEndpoints(eps []Endpoint) {
	switch {
	case len(eps) == 0:
	case eps[0].Addr.Addr().Is4():
		p.Has |= ies(IEIPv4List)
		p.IPv4 = eps
	default:
		p.Has |= ies(IEIPv6List)
		p.IPv6 = eps
	}
}
