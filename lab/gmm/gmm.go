package gmm

import "time"

// Type is a GMM message type (TS 24.008 10.4).
type Type uint8

const (
	AttachRequest        Type = 0x01
	AttachAccept         Type = 0x02
	AttachComplete       Type = 0x03
	AttachReject         Type = 0x04
	DetachRequest        Type = 0x05
	DetachAccept         Type = 0x06
	RAURequest           Type = 0x08
	RAUAccept            Type = 0x09
	RAUComplete          Type = 0x0a
	RAUReject            Type = 0x0b
	PTMSIReallocCommand  Type = 0x10
	PTMSIReallocComplete Type = 0x11
	IdentityRequest      Type = 0x15
	IdentityResponse     Type = 0x16
)

// Cause is a GMM cause (TS 24.008 10.5.5.14).
type Cause uint8

const (
	CauseMSIdentityUnknown  Cause = 9
	CauseImplicitlyDetached Cause = 10
)

// UpdateType of a RAU request (TS 24.008 10.5.5.18).
type UpdateType uint8

const (
	RAUpdating       UpdateType = 0
	PeriodicUpdating UpdateType = 3
)

// RAI as on the wire: PLMN 3 octets, LAC 2, RAC 1.
type RAI = [6]byte

// IdentityIMSI is the type of identity that an IdentityRequest asks for (TS
// 24.008 10.5.5.9).
const IdentityIMSI = 1

// Message is one GMM message; each Type uses the fields named beside them.
type Message struct {
	Type Type
	// Uplink tells a DetachRequest of the MS from one of the network.
	Uplink bool

	IMSI     string        // AttachRequest (without P-TMSI), IdentityResponse
	PTMSI    *uint32       // AttachRequest, AttachAccept, RAUAccept, PTMSIReallocCommand: the allocated one
	OldRAI   RAI           // AttachRequest, RAURequest
	RAI      RAI           // AttachAccept, RAUAccept, PTMSIReallocCommand
	Update   UpdateType    // RAURequest
	Timer    time.Duration // AttachAccept, RAUAccept: T3312; 0: deactivated
	Cause    Cause         // AttachReject, RAUReject, DetachRequest of the network (0: none)
	Identity uint8         // IdentityRequest: 1 IMSI, 2 IMEI …
	PowerOff bool          // DetachRequest of the MS
	Reattach bool          // DetachRequest of the network: re-attach required
}

// Append appends the message, protocol discriminator first.
func (m Message) Append(b []byte) ([]byte, error) { return b, nil }

// Parse reads one message; uplink tells where it comes from.
func Parse(b []byte, uplink bool) (Message, error) { return Message{}, nil }
