package bssgp

import (
	"errors"
	"time"
)

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

// String returns the state's name as the shows print it.
func (s BVCState) String() string {
	return [...]string{"NULL", "BLOCKED", "WAIT_RESET_ACK", "UNBLOCKED"}[s&3]
}

// String returns "SGSN" or "BSS".
func (r BVCRole) String() string {
	if r == RoleBSS {
		return "BSS"
	}
	return "SGSN"
}

// BVCOwner is what a BVC machine needs of its owner; calls come from within
// the BVC's methods, in the loop, after the BVC's own state is settled: they
// may call its methods.
type BVCOwner interface {
	// SendBVC sends a BVC management PDU on the signalling BVC of the BVC's NSE.
	// The owner may keep pdu.
	SendBVC(b *BVC, pdu []byte)
	// BVCReset tells that the BVC was reset by the peer (locally false) or that
	// our reset was acknowledged (locally true); the state is UNBLOCKED.
	BVCReset(now time.Time, b *BVC, cause Cause, locally bool)
	// BVCStateChanged tells of every change of state.
	BVCStateChanged(now time.Time, b *BVC, from, to BVCState)
	// BVCAlarm tells, once per procedure, that "reset", "block" or "unblock" got
	// no answer after all its retries; it goes on with back-off.
	BVCAlarm(now time.Time, b *BVC, procedure string)
}

// ErrNotBlockable is returned by Block and Unblock: only a BSS blocks, and
// only PTP BVCs (TS 48.018 8.3).
var ErrNotBlockable = errors.New("bssgp: only a PTP BVC can be blocked, by its BSS side")

// BVCConfig makes a BVC.
type BVCConfig struct {
	NSEI, BVCI uint16
	Role       BVCRole
	Owner      BVCOwner
	Cell       *CellID  // of a PTP BVC in the BSS role
	Features   Features // what we advertise when BVCI 0 is reset
	// Timers may be shared by BVCs of one goroutine, and changed: a change counts
	// from the next attempt on. nil: the defaults.
	Timers *Timers
}

// BVC is one end of a BSSGP virtual connection. It belongs to one goroutine.
type BVC struct {
	// Ref is the owner's own.
	Ref any

	cfg       BVCConfig
	state     BVCState
	proc      procedure
	tries     int // attempts after the first
	deadline  time.Time
	resetWhy  Cause
	blockWhy  Cause
	wantBlock bool // BSS role: block again after each reset
	cell      CellID
	hasCell   bool
	peer      Features
}

// NewBVC returns a BVC in state NULL.
func NewBVC(cfg BVCConfig) *BVC {
	if cfg.Timers == nil {
		t := DefaultTimers()
		cfg.Timers = &t
	}
	b := &BVC{cfg: cfg}
	if cfg.Cell != nil {
		b.SetCell(*cfg.Cell)
	}
	return b
}

// NSEI returns the NSEI of the BVC's NSE.
func (b *BVC) NSEI() uint16 { return b.cfg.NSEI }

// BVCI returns the BVC's identifier.
func (b *BVC) BVCI() uint16 { return b.cfg.BVCI }

// Role returns the side that we play.
func (b *BVC) Role() BVCRole { return b.cfg.Role }

// State returns the state.
func (b *BVC) State() BVCState { return b.state }

// Cell returns the cell of a PTP BVC: in the SGSN role what the BSS said last.
func (b *BVC) Cell() (c CellID, ok bool) { return b.cell, b.hasCell }

// SetCell sets the cell that later resets tell.
func (b *BVC) SetCell(c CellID) { b.cell, b.hasCell = c, true }

// Features returns what we advertise.
func (b *BVC) Features() Features { return b.cfg.Features }

// SetFeatures sets what later resets of BVCI 0 advertise.
func (b *BVC) SetFeatures(f Features) { b.cfg.Features = f }

// PeerFeatures returns what the peer advertised with the last reset of BVCI 0;
// what both have is negotiated.
func (b *BVC) PeerFeatures() Features { return b.peer }

// BlockCause returns the cause of the last block, ours or the peer's.
func (b *BVC) BlockCause() Cause { return b.blockWhy }

// Deadline returns when Expire wants to be called; zero: not at all.
func (b *BVC) Deadline() time.Time { return b.deadline }

// Timer returns the number of the timer that runs: 1 (block, unblock), 2
// (reset), 0 for none.
func (b *BVC) Timer() int {
	switch {
	case b.deadline.IsZero():
		return 0
	case b.proc == procReset:
		return 2
	}
	return 1
}
