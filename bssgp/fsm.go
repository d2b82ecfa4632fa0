package bssgp

import "time"

// The BVC machine (TS 48.018 8.3 and 8.4).
//
//	            reset                    rx RESET-ACK, rx RESET (crossed)
//	  NULL ───────────► WAIT_RESET_ACK ───────────────────────────────► UNBLOCKED
//	   │                  ▲   ▲   │ T2: RESET again                       │    ▲
//	   │ rx RESET         │   │   └──┘                                    │    │
//	   │ (RESET-ACK)      │   └───────────────── reset ───────────────────┤    │
//	   └──────────────────│──────────────────────────────────────────────►│    │
//	                      │ reset                                         │    │
//	                      │            block (BLOCK), rx BLOCK (BLOCK-ACK)│    │
//	                    BLOCKED ◄─────────────────────────────────────────┘    │
//	                      │  T1: BLOCK or UNBLOCK again                        │
//	                      └────────────────────────────────────────────────────┘
//	                        rx UNBLOCK-ACK, rx UNBLOCK (UNBLOCK-ACK), rx RESET (RESET-ACK)
//
// Any state goes to NULL by Drop. A BVC that its BSS side wants blocked is
// blocked again after each reset. BVCI 0 is never blocked.
//
// T1 and T2 run: after the retries the owner gets an alarm, and the procedure
// goes on, each wait twice as long as the one before up to
// Timers.MaxBackoff.

// event is what happens to a BVC, also as a set.
type event uint16

const (
	evReset event = 1 << iota
	evBlock
	evUnblock
	evTimer
	evDrop
	rxReset
	rxResetAck
	rxBlock
	rxBlockAck
	rxUnblock
	rxUnblockAck
)

// procedure is what waits for an acknowledgement.
type procedure uint8

const (
	procNone procedure = iota
	procReset
	procBlock
	procUnblock
)

func (p procedure) String() string { return [...]string{"none", "reset", "block", "unblock"}[p] }

// stateDef is a row of the table: the events that a state handles, those it
// ignores (late acknowledgements, and what a running reset makes void), the
// states that may follow, and what runs when it is entered. Any other PDU is
// not compatible with the state.
type stateDef struct {
	events, ignores event
	next            uint8 // set of 1 << BVCState
	enter           func(*BVC)
}

const (
	toNull      = 1 << BVCNull
	toBlocked   = 1 << BVCBlocked
	toWait      = 1 << BVCWaitResetAck
	toUnblocked = 1 << BVCUnblocked

	always = evReset | evBlock | evUnblock | evDrop | rxReset
)

var bvcTable = [...]stateDef{
	BVCNull: {events: always, ignores: evTimer | rxResetAck | rxBlockAck | rxUnblockAck,
		next: toNull | toWait | toUnblocked, enter: (*BVC).stop},
	BVCBlocked: {events: always | evTimer | rxBlock | rxBlockAck | rxUnblock | rxUnblockAck, ignores: rxResetAck,
		next: toNull | toBlocked | toWait | toUnblocked, enter: (*BVC).stop},
	BVCWaitResetAck: {events: always | evTimer | rxResetAck, ignores: rxBlock | rxBlockAck | rxUnblock | rxUnblockAck,
		next: toNull | toWait | toUnblocked, enter: (*BVC).stop},
	BVCUnblocked: {events: always | evTimer | rxBlock | rxBlockAck | rxUnblock | rxUnblockAck, ignores: rxResetAck,
		next: toNull | toBlocked | toWait | toUnblocked, enter: (*BVC).stop},
}

// handlers do the work of an event; each settles the BVC before it calls the
// owner for anything but sending.
var handlers = map[event]func(b *BVC, now time.Time, in input){
	evReset: (*BVC).doReset, evBlock: (*BVC).doBlock, evUnblock: (*BVC).doUnblock, evTimer: (*BVC).doTimer,
	evDrop: (*BVC).doDrop, rxReset: (*BVC).onReset, rxResetAck: (*BVC).onResetAck, rxBlock: (*BVC).onBlock,
	rxBlockAck: (*BVC).onBlockAck, rxUnblock: (*BVC).onUnblock, rxUnblockAck: (*BVC).onUnblockAck,
}

// input is what comes with an event: a cause, or a PDU.
type input struct {
	cause Cause
	pdu   []byte
}

// rxEvents maps the PDUs that the machine takes.
var rxEvents = map[PDUType]event{
	TypeBVCReset: rxReset, TypeBVCResetAck: rxResetAck, TypeBVCBlock: rxBlock, TypeBVCBlockAck: rxBlockAck,
	TypeBVCUnblock: rxUnblock, TypeBVCUnblockAck: rxUnblockAck,
}

// Reset begins the reset procedure, also anew while one runs.
func (b *BVC) Reset(now time.Time, c Cause) { b.event(now, evReset, input{cause: c}) }

// Block begins the block procedure of a PTP BVC in the BSS role; in NULL and
// WAIT_RESET_ACK it begins after the reset. The BVC stays wanted blocked over
// resets and Drop until Unblock.
func (b *BVC) Block(now time.Time, c Cause) error {
	if !b.blockable() {
		return ErrNotBlockable
	}
	b.event(now, evBlock, input{cause: c})
	return nil
}

// Unblock begins the unblock procedure; the state stays BLOCKED until the
// acknowledgement.
func (b *BVC) Unblock(now time.Time) error {
	if !b.blockable() {
		return ErrNotBlockable
	}
	b.event(now, evUnblock, input{})
	return nil
}

// Drop goes to NULL without telling the peer: the NSE is gone.
func (b *BVC) Drop(now time.Time) { b.event(now, evDrop, input{}) }

// Expire runs the timer if it is due.
func (b *BVC) Expire(now time.Time) {
	if !b.deadline.IsZero() && !now.Before(b.deadline) {
		b.event(now, evTimer, input{})
	}
}

// Recv takes a BVC management PDU that came for this BVC on BVCI 0. handled is
// false for PDUs of other types. An error says with which cause a STATUS
// answers the PDU, which had no effect.
func (b *BVC) Recv(now time.Time, pdu []byte) (handled bool, e *CheckError) {
	t, _ := Type(pdu)
	ev, ok := rxEvents[t]
	if !ok {
		return false, nil
	}
	if e := Check(pdu, b.peerDir(), SIG); e != nil {
		return true, e
	}
	if bvci, _ := ReadBVCI(pdu); bvci != b.cfg.BVCI {
		return true, &CheckError{Type: t, Cause: CauseInvalidMandatoryInformation, IEI: IEBVCI, HasIEI: true}
	}
	if b.cfg.BVCI == 0 && ev&(rxReset|rxResetAck) == 0 {
		return true, nil // the signalling BVC is never blocked (8.3)
	}
	if !b.event(now, ev, input{pdu: pdu}) {
		return true, &CheckError{Type: t, Cause: CausePDUNotCompatibleWithState}
	}
	return true, nil
}

func (b *BVC) blockable() bool { return b.cfg.Role == RoleBSS && KindOf(b.cfg.BVCI) == PTP }

// peerDir is the direction of what the peer sends.
func (b *BVC) peerDir() Dir {
	if b.cfg.Role == RoleSGSN {
		return Uplink
	}
	return Downlink
}

// event runs the table; false says that the state does not know the event.
func (b *BVC) event(now time.Time, ev event, in input) bool {
	row := bvcTable[b.state]
	if row.events&ev != 0 {
		handlers[ev](b, now, in)
		return true
	}
	return row.ignores&ev != 0
}

// enter changes the state and returns the old one, for tell. A change that the
// table lacks is a bug of this package: the state stays.
func (b *BVC) enter(next BVCState) (from BVCState) {
	from = b.state
	if bvcTable[from].next&(1<<next) != 0 {
		b.state = next
		bvcTable[next].enter(b)
	}
	return from
}

// tell reports a change of state to the owner.
func (b *BVC) tell(now time.Time, from BVCState) {
	if from != b.state {
		b.cfg.Owner.BVCStateChanged(now, b, from, b.state)
	}
}
