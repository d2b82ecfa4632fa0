package ngap

import "fmt"

// Reason says what is wrong with octets; it is what errors.Is is asked for.
type Reason string

// What can be wrong.
const (
	Truncated   Reason = "cut off"                            // a length or field reaches beyond the end
	Trailing    Reason = "octets after the end"               // after the PDU, the message or the value
	Alternative Reason = "alternative not in the choice"      // CHOICE or ENUMERATED
	OutOfRange  Reason = "value out of range"                 // beyond the constraint
	Fragments   Reason = "fragment count out of range"        // X.691 11.9.3.8: 1 to 4 times 16384
	TooMany     Reason = "too many"                           // MaxIEs, or a list above its bound
	NotText     Reason = "name with unprintable octets"       // PrintableString
	Opaque      Reason = "a private message has no known IEs" // see PDU.Private
)

// Error returns the reason's text.
func (r Reason) Error() string { return string(r) }

// NoIE is in Error.IE when the fault is outside every IE.
const NoIE IEID = 0xffff

// Error is malformed input. From Walk, Offset counts octets from the beginning
// of the PDU (of the message when the message was fragmented); from a reader,
// from the beginning of the IE's value.
type Error struct {
	Reason Reason
	Offset int
	IE     IEID // NoIE outside an IE, and from readers
}

// Error says what is wrong and where.
func (e *Error) Error() string {
	if e.IE == NoIE {
		return fmt.Sprintf("ngap: octet %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("ngap: octet %d, in %s: %s", e.Offset, e.IE, e.Reason)
}

// Unwrap returns the Reason.
func (e *Error) Unwrap() error { return e.Reason }
