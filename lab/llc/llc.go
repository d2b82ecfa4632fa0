// Package llc knows the unacknowledged frames of the logical link control
// between MS and SGSN (TS 44.064): UI frames with their frame check sequence,
// unciphered, and XID frames. Simulated subscribers and SGSNs use it; the gateway does not look
// into LLC.
package llc

import "errors"

// SAPIs (6.2.3) that carry signalling and user data.
const (
	SAPIGMM  uint8 = 1
	SAPITOM2 uint8 = 2
	SAPILL3  uint8 = 3
	SAPILL5  uint8 = 5
	SAPISMS  uint8 = 7
	SAPITOM8 uint8 = 8
	SAPILL9  uint8 = 9
	SAPILL11 uint8 = 11
)

// MaxNU is the largest unconfirmed sequence number; the next is 0 (8.4.1).
const MaxNU = 511

const (
	header   = 3 // address, control
	trailer  = 3 // FCS
	n202     = 4 // information octets that the FCS of an unprotected frame covers (8.9.3)
	bitPD    = 0x80
	bitCR    = 0x40
	bitsUI   = 0xc0 // control: 110 in the high bits
	maskUI   = 0xe0
	bitE     = 0x02
	bitPM    = 0x01
	maskSAPI = 0x0f
)

// Errors of Parse and ParseXID.
var (
	ErrShort  = errors.New("llc: frame too short")
	ErrNotUI  = errors.New("llc: not a UI frame")
	ErrNotXID = errors.New("llc: not an XID frame")
	ErrXID    = errors.New("llc: too many XID parameters")
	ErrFCS    = errors.New("llc: wrong frame check sequence")
)

// UI is an unconfirmed information frame.
type UI struct {
	SAPI     uint8 // 0..15
	FromSGSN bool  // the C/R bit: UI frames are commands, 1 from the SGSN, 0 from the MS (6.2.2)
	NU       uint16
	// Ciphered is the E bit; this package neither ciphers nor deciphers.
	Ciphered bool
	// Protected is the PM bit: the FCS covers the whole frame; else the header
	// and the first four octets of information.
	Protected bool
	Info      []byte
}

// Append appends the frame with its FCS.
func (u *UI) Append(b []byte) []byte {
	start := len(b)
	addr := u.SAPI & maskSAPI
	if u.FromSGSN {
		addr |= bitCR
	}
	nu := u.NU & MaxNU
	low := byte(nu<<2) & 0xfc
	if u.Ciphered {
		low |= bitE
	}
	if u.Protected {
		low |= bitPM
	}
	b = append(b, addr, bitsUI|byte(nu>>6), low)
	b = append(b, u.Info...)
	fcs := FCS(covered(b[start:], u.Protected))
	return append(b, fcs[:]...)
}

// Parse reads a frame and checks its FCS. Info is a sub-slice of b.
func Parse(b []byte) (u UI, err error) {
	if len(b) >= header && (b[0]&bitPD != 0 || b[1]&maskUI != bitsUI) {
		return UI{}, ErrNotUI
	}
	if len(b) < header+trailer {
		return UI{}, ErrShort
	}
	u = UI{SAPI: b[0] & maskSAPI, FromSGSN: b[0]&bitCR != 0, NU: uint16(b[1]&7)<<6 | uint16(b[2]>>2),
		Ciphered: b[2]&bitE != 0, Protected: b[2]&bitPM != 0}
	end := len(b) - trailer
	if FCS(covered(b[:end], u.Protected)) != [3]byte(b[end:]) {
		return UI{}, ErrFCS
	}
	u.Info = b[header:end:end]
	return u, nil
}

// covered is the part of a frame without FCS that the FCS covers.
func covered(b []byte, protected bool) []byte {
	if !protected && len(b) > header+n202 {
		return b[:header+n202]
	}
	return b
}
