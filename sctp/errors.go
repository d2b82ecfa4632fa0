package sctp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// What Send may answer beside a *Down.
var (
	ErrFull    = errors.New("sctp: the send buffer is full")
	ErrTooLong = errors.New("sctp: the message is longer than the association carries")
	ErrStream  = errors.New("sctp: no such stream")
)

// Cause is why an association ended, or never began.
type Cause uint8

// Causes.
const (
	LocalClose   Cause = iota // Close
	LocalAbort                // Abort
	PeerShutdown              // the peer shut down gracefully
	PeerAbort                 // the peer's ABORT, Down.Code and Down.Reason from its first error cause
	Timeout                   // Options.AssocMaxRetrans exceeded, on one path or all together
	InitTimeout               // nobody answered the INIT
	Refused                   // the peer answered the INIT with an ABORT
	StackFailure              // the stack beneath failed: Down.Err
)

func (c Cause) String() string {
	return nameOf(int(c), "closed here", "aborted here", "shut down by the peer", "aborted by the peer",
		"the peer does not answer", "no answer to INIT", "refused by the peer", "failure of the SCTP stack")
}

// Down says why an association ended.
type Down struct {
	Cause  Cause
	Code   uint16 // error cause code of RFC 9260 clause 3.3.10; 0: none
	Reason string // the peer's words, at most 128 octets, not to be trusted
	Err    error  // of the stack
}

func (d *Down) Error() string {
	s := "sctp: association down: " + d.Cause.String()
	if d.Code != 0 {
		s += fmt.Sprintf(", error cause %d", d.Code)
	}
	if d.Reason != "" {
		s += fmt.Sprintf(", %q", d.Reason)
	}
	if d.Err != nil {
		s += ": " + d.Err.Error()
	}
	return s
}

func (d *Down) Unwrap() error { return d.Err }

// CauseOf returns the cause that err, an error of Recv, Send or Dial, carries.
func CauseOf(err error) (Cause, bool) {
	var d *Down
	if errors.As(err, &d) {
		return d.Cause, true
	}
	return 0, false
}

// abortCause returns the code of the first error cause of an ABORT (RFC 9260
// clause 3.3.10), and its text where it is a user's (12) or a protocol
// violation's (13). The octets may be anything, with the chunk's header or not.
func abortCause(b []byte) (code uint16, reason string) {
	const abortChunk = 6
	if len(b) >= 4 && b[0] == abortChunk { // no cause code begins so
		b = b[4:]
	}
	if len(b) < 4 {
		return 0, ""
	}
	code = binary.BigEndian.Uint16(b)
	n := int(binary.BigEndian.Uint16(b[2:]))
	if code != 12 && code != 13 || n < 4 || n > len(b) {
		return code, ""
	}
	return code, strings.TrimRight(string(b[4:min(n, 4+128)]), "\x00")
}
