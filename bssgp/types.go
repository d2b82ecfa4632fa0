package bssgp

// PDUType is the first octet of every BSSGP PDU (TS 48.018 11.3.26).
type PDUType uint8

// IEI identifies an information element (TS 48.018 11.3).
type IEI uint8

// Cause is the value of the Cause IE (TS 48.018 11.3.8).
type Cause uint8

// Dir is the direction of a PDU.
type Dir uint8

const (
	Uplink   Dir = iota // BSS to SGSN
	Downlink            // SGSN to BSS
)

// BVCKind tells signalling from user data BVCs.
type BVCKind uint8

const (
	SIG BVCKind = iota // BVCI 0
	PTP                // BVCI 2 and above: a cell
	PTM                // BVCI 1: point to multipoint, MBMS only
)

// KindOf returns the kind of a BVC by its BVCI (TS 48.018 5.4.1).
func KindOf(bvci uint16) BVCKind {
	switch bvci {
	case 0:
		return SIG
	case 1:
		return PTM
	}
	return PTP
}

// IE is one information element of a PDU; Value is a sub-slice of the PDU.
type IE struct {
	IEI   IEI
	Value []byte
}
