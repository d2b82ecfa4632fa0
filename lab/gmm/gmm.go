package gmm

import (
	"errors"
	"fmt"
	"time"
)

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

// String returns the message's name, "Type(0xNN)" for an unknown one.
func (t Type) String() string {
	if r := rows[t]; r != nil {
		return r.name
	}
	return fmt.Sprintf("Type(0x%02x)", uint8(t))
}

// Cause is a GMM cause (TS 24.008 10.5.5.14).
type Cause uint8

const (
	CauseGPRSNotAllowed     Cause = 7
	CauseMSIdentityUnknown  Cause = 9
	CauseImplicitlyDetached Cause = 10
	CausePLMNNotAllowed     Cause = 11
	CauseNetworkFailure     Cause = 17
	CauseCongestion         Cause = 22
)

// UpdateType of a RAU request (TS 24.008 10.5.5.18).
type UpdateType uint8

const (
	RAUpdating       UpdateType = 0
	PeriodicUpdating UpdateType = 3
)

// RAI as on the wire: PLMN 3 octets, LAC 2, RAC 1.
type RAI = [6]byte

// Types of identity that an IdentityRequest asks for (TS 24.008 10.5.5.9).
const (
	IdentityIMSI   = 1
	IdentityIMEI   = 2
	IdentityIMEISV = 3
)

// Message is one GMM message; each Type uses the fields named beside them.
type Message struct {
	Type Type
	// Uplink tells a DetachRequest or DetachAccept of the MS from one of the
	// network. Parse sets it always.
	Uplink bool

	IMSI     string        // AttachRequest (without P-TMSI), IdentityResponse
	IMEI     string        // IdentityResponse, in place of the IMSI: 15 digits, or the 16 of an IMEISV
	PTMSI    *uint32       // AttachRequest, AttachAccept, RAUAccept, PTMSIReallocCommand: the allocated one; DetachRequest of the MS
	OldRAI   RAI           // AttachRequest, RAURequest
	RAI      RAI           // AttachAccept, RAUAccept, PTMSIReallocCommand
	Update   UpdateType    // RAURequest
	Timer    time.Duration // AttachAccept, RAUAccept: T3312; 0: deactivated
	T3302    time.Duration // AttachAccept, RAUAccept, AttachReject, RAUReject; 0: absent
	Cause    Cause         // AttachReject, RAUReject, DetachRequest of the network (0: none)
	Identity uint8         // IdentityRequest: 1 IMSI, 2 IMEI …
	PowerOff bool          // DetachRequest of the MS
	Reattach bool          // DetachRequest of the network: re-attach required
	// Signature is the P-TMSI signature: the old one of the MS's requests, the
	// new one of the network's answers; nil: absent.
	Signature *[3]byte
}

// Errors of Parse.
var (
	ErrShort     = errors.New("gmm: message too short")
	ErrNotGMM    = errors.New("gmm: not a GMM message")
	ErrUnknown   = errors.New("gmm: unknown message type")
	ErrDirection = errors.New("gmm: message of the other direction")
	ErrIdentity  = errors.New("gmm: bad mobile identity")
)

// pdGMM is the protocol discriminator with skip indicator 0 (TS 24.007 11.2.3).
const pdGMM = 0x08

// Append appends the message, protocol discriminator first. It fails on a type
// that is not known, an IMSI of other than 6 to 15 digits and a P-TMSI that is
// missing where it is mandatory.
func (m Message) Append(b []byte) ([]byte, error) {
	r := rows[m.Type]
	if r == nil {
		return nil, fmt.Errorf("%w 0x%02x", ErrUnknown, uint8(m.Type))
	}
	w := &writer{b: append(b, pdGMM, byte(m.Type))}
	r.write(&m, w)
	if w.err != nil {
		return nil, fmt.Errorf("%v: %w", m.Type, w.err)
	}
	return w.b, nil
}

// Parse reads one message; uplink tells where it comes from. Unknown optional
// IEs and octets behind the last known IE are ignored.
func Parse(b []byte, uplink bool) (Message, error) {
	if len(b) < 2 {
		return Message{}, ErrShort
	}
	if b[0] != pdGMM {
		return Message{}, ErrNotGMM
	}
	m := Message{Type: Type(b[1]), Uplink: uplink}
	row := rows[m.Type]
	if row == nil {
		return Message{}, fmt.Errorf("%w 0x%02x", ErrUnknown, b[1])
	}
	if (uplink && row.dir == down) || (!uplink && row.dir == up) {
		return Message{}, fmt.Errorf("%w: %v", ErrDirection, m.Type)
	}
	r := &reader{b: b[2:]}
	row.read(&m, r)
	if r.err != nil {
		return Message{}, fmt.Errorf("%v: %w", m.Type, r.err)
	}
	return m, nil
}
