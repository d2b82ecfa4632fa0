package llc

// SAPI is a service access point identifier of LLC (TS 44.064 6.2.3).
type SAPI uint8

const (
	SAPIGMM   SAPI = 1 // mobility and session management
	SAPIData1 SAPI = 3 // user data 1, what the lab's data goes over
)

// UI is an unconfirmed information frame (TS 44.064 6.4.1.x, 6.3.5.4).
type UI struct {
	SAPI SAPI
	// Response is the C/R bit's meaning: a UI frame is a command (false).
	Response bool
	NU       uint16 // N(U), 0..511
	Info     []byte // sub-slice of the frame when parsed
}

// Append appends the frame with its FCS (protected mode, not ciphered);
// fromSGSN decides the C/R bit.
func (u UI) Append(b []byte, fromSGSN bool) []byte { return b }

// Parse reads a UI frame and checks its FCS.
func Parse(b []byte) (UI, error) { return UI{}, nil }
