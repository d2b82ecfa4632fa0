package sctp

// AssocState is how far an association is (RFC 9260 clause 4).
type AssocState uint8

// States of associations.
const (
	StateUnknown AssocState = iota // the stack does not tell
	Closed
	CookieWait
	CookieEchoed
	Established
	ShutdownPending
	ShutdownSent
	ShutdownReceived
	ShutdownAckSent
)

// String is the RFC's word in small letters.
func (s AssocState) String() string {
	return nameOf(int(s), "unknown", "closed", "cookie-wait", "cookie-echoed", "established", "shutdown-pending", "shutdown-sent",
		"shutdown-received", "shutdown-ack-sent")
}
