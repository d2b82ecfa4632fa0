package bssgp

import "encoding/binary"

// QoS is the QoS profile of UL- and DL-UNITDATA and PAGING-PS (11.3.28): peak
// rate 2 octets, then precedence, type and transmission mode.
type QoS [3]byte

// Lifetimes of a PDU (11.3.25), in centiseconds.
const LifetimeInfinite uint16 = 0xffff

// DLUnitdata is what a DL-UNITDATA holds (10.2.1).
type DLUnitdata struct {
	TLLI     uint32
	QoS      QoS
	Lifetime uint16 // centiseconds; LifetimeInfinite
	RAC      []byte // MS radio access capability; nil: absent
	DRX      *[2]byte
	IMSI     IMSI
	OldTLLI  *uint32
	LLC      []byte
}

// Append appends the PDU, with alignment octets so that the LLC-PDU IE begins
// at a multiple of four octets of the PDU.
func (d *DLUnitdata) Append(b []byte) []byte {
	start := len(b)
	b = appendUnitdata(b, TypeDLUnitdata, d.TLLI, d.QoS)
	b = append16(b, IEPDULifetime, d.Lifetime)
	if d.RAC != nil {
		b = AppendIE(b, IEMSRadioAccessCapability, d.RAC)
	}
	if d.DRX != nil {
		b = AppendIE(b, IEDRXParameters, d.DRX[:])
	}
	b = appendIMSI(b, d.IMSI)
	if d.OldTLLI != nil {
		b = append32(b, IETLLI, *d.OldTLLI)
	}
	return appendLLC(b, start, d.LLC)
}

// AppendULUnitdata appends a UL-UNITDATA (10.2.2), aligned as DLUnitdata is.
func AppendULUnitdata(b []byte, tlli uint32, q QoS, cell CellID, llc []byte) []byte {
	start := len(b)
	b = appendUnitdata(b, TypeULUnitdata, tlli, q)
	b = AppendIE(b, IECellIdentifier, cell[:])
	return appendLLC(b, start, llc)
}

func appendUnitdata(b []byte, t PDUType, tlli uint32, q QoS) []byte {
	b = binary.BigEndian.AppendUint32(append(b, byte(t)), tlli)
	return append(b, q[:]...)
}

// appendLLC appends alignment octets (11.3.1) and the LLC-PDU.
func appendLLC(b []byte, start int, llc []byte) []byte {
	if off := (len(b) - start) % 4; off != 0 {
		// The alignment IE has two octets itself, then 0 to 3 spare ones.
		n := (4 - (off+2)%4) % 4
		b = AppendHeader(b, IEAlignment, n)
		b = append(b, 0, 0, 0)[:len(b)+n]
	}
	return AppendIE(b, IELLCPDU, llc)
}
