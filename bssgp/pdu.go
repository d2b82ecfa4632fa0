package bssgp

import (
	"fmt"
	"strings"
)

// MaxIEs bounds the IEs that Parse keeps of one PDU.
const MaxIEs = 64

// PDU is a whole PDU as a list: for tests, logs and originated PDUs, not for
// the forwarding path.
type PDU struct {
	Type PDUType
	TLLI uint32 // of UL- and DL-UNITDATA only
	QoS  QoS    // of UL- and DL-UNITDATA only
	IEs  []IE   // in order, unknown and repeated ones too; values are sub-slices of the input
}

// Parse reads a PDU of any type. An IE that overruns the PDU is ErrTruncated;
// more than MaxIEs of them is an error.
func Parse(b []byte) (p PDU, err error) {
	body, err := Body(b)
	if err != nil {
		return PDU{}, err
	}
	p.Type = PDUType(b[0])
	if hasUnitdataHeader(p.Type) {
		p.TLLI, _ = ReadTLLI(b)
		p.QoS = QoS(b[5:8])
	}
	for len(body) > 0 {
		var ie IE
		if ie, body, err = Next(body); err != nil {
			return PDU{}, fmt.Errorf("%w: %v in %v", err, ie.IEI, p.Type)
		}
		if len(p.IEs) == MaxIEs {
			return PDU{}, fmt.Errorf("bssgp: %v has more than %d IEs", p.Type, MaxIEs)
		}
		p.IEs = append(p.IEs, ie)
	}
	return p, nil
}

// Append appends the PDU with its IEs in their order. Length indicators are the
// shortest possible, so octets may differ from what was parsed; meaning can't.
func (p *PDU) Append(b []byte) []byte {
	if hasUnitdataHeader(p.Type) {
		b = appendUnitdata(b, p.Type, p.TLLI, p.QoS)
	} else {
		b = append(b, byte(p.Type))
	}
	for _, ie := range p.IEs {
		b = AppendIE(b, ie.IEI, ie.Value)
	}
	return b
}

// String prints the PDU on one line for a log.
func (p *PDU) String() string {
	var s strings.Builder
	s.WriteString(p.Type.String())
	if hasUnitdataHeader(p.Type) {
		fmt.Fprintf(&s, " TLLI=%08x QoS=%x", p.TLLI, p.QoS)
	}
	for _, ie := range p.IEs {
		fmt.Fprintf(&s, " %v=%x", ie.IEI, ie.Value)
	}
	return s.String()
}
