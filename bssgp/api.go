package bssgp

import "time"

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

// BVCKind tells signalling (BVCI 0) from point-to-point BVCs.
type BVCKind uint8

const (
	SIG BVCKind = iota
	PTP
)

// RAI is a routeing area identity as on the wire (TS 24.008 10.5.5.15):
// PLMN 3 octets, LAC 2, RAC 1.
type RAI [6]byte

// IE is one information element of a PDU; Value is a sub-slice of the PDU.
type IE struct {
	IEI   IEI
	Value []byte
}

// BVC roles, states and inputs: see fsm.go.

// BVCRole is the side that an end of a BVC plays.
type BVCRole uint8

const (
	RoleSGSN BVCRole = iota // toward a BSS
	RoleBSS                 // toward an SGSN
)

// BVCState is a state of the BVC machine.
type BVCState uint8

const (
	BVCNull BVCState = iota
	BVCBlocked
	BVCWaitResetAck
	BVCUnblocked
)

// BVCOwner is what a BVC machine needs of its owner; calls come from within
// the BVC's methods, in the loop.
type BVCOwner interface {
	// SendBVC sends a BVC management PDU on the signalling BVC of the BVC's NSE.
	SendBVC(b *BVC, pdu []byte)
	// BVCReset tells that the BVC was reset by the peer (locally false) or that
	// our reset was acknowledged (locally true).
	BVCReset(now time.Time, b *BVC, cause Cause, locally bool)
	// BVCStateChanged tells of every change of state.
	BVCStateChanged(now time.Time, b *BVC, from, to BVCState)
	// BVCAlarm tells that a procedure got no answer after all its retries; it
	// goes on with back-off.
	BVCAlarm(now time.Time, b *BVC, procedure string)
}

// BVC is one end of a BSSGP virtual connection.
type BVC struct{}
