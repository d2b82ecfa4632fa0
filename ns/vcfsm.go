package ns

import (
	"time"
)

// The NS-VC machine, TS 48.016 7.2 to 7.4.
//
//	             start (SNS)
//	UNCONFIGURED ─────────────────────────────────────────┐
//	  │      │ start (static-alive)                       ▼
//	  │      └──────────────▶ RECOVERING ──ALIVE-ACK──▶ UNBLOCKED ◀──┐
//	  │ start                     ▲                      │  │  │     │
//	  │ (reset mode)              └──────ALIVE lost──────┘  │  │     │ UNBLOCK,
//	  ▼                           "unknown" (no reset mode) │  │     │ UNBLOCK-ACK
//	RESET ──RESET-ACK, RESET──▶ BLOCKED ◀──BLOCK, O&M ──────┘  │     │
//	  ▲                           │  └─────────────────────────┼─────┘
//	  └──no UNBLOCK-ACK, lost─────┴────ALIVE lost, "unknown"───┘
//
// A RESET that comes in goes to BLOCKED from every state but UNCONFIGURED;
// force goes back to UNCONFIGURED from everywhere.

// vcEvent is an input of the machine.
type vcEvent uint8

const (
	evStart vcEvent = iota
	evForce         // to UNCONFIGURED
	evReset         // RESET with our ids
	evResetAck
	evBlock
	evBlockAck
	evUnblock
	evUnblockAck
	evAlive
	evAliveAck
	evStatusBlocked
	evStatusUnknown
	evProcTimeout
	evAliveLost
	evOMBlock
	evOMUnblock
	evOMReset
	numVCEvents
)

var vcEventNames = [numVCEvents]string{"start", "force", "NS-RESET", "NS-RESET-ACK", "NS-BLOCK", "NS-BLOCK-ACK",
	"NS-UNBLOCK", "NS-UNBLOCK-ACK", "NS-ALIVE", "NS-ALIVE-ACK", "STATUS blocked", "STATUS unknown",
	"procedure timeout", "ALIVE lost", "O&M block", "O&M unblock", "O&M reset"}

func (e vcEvent) String() string { return name(vcEventNames[:], "event", uint8(e)) }

// vcRow is what one state permits; an event without action is not permitted.
type vcRow struct {
	enter func(*VC, time.Time)
	on    [numVCEvents]func(*VC, time.Time)
	next  []vcState
}

var vcRows [numVCStates]vcRow

// The table is filled at init because its actions refer to it.
func init() {
	vcRows = [numVCStates]vcRow{
		stUnconfigured: {
			enter: (*VC).enterUnconfigured,
			next:  []vcState{stReset, stRecovering, stUnblocked},
			on:    [numVCEvents]func(*VC, time.Time){evStart: (*VC).start, evForce: ignore, evAlive: (*VC).rxAliveAwaited},
		},
		stReset: {
			enter: (*VC).enterReset,
			next:  []vcState{stUnconfigured, stBlocked},
			on: [numVCEvents]func(*VC, time.Time){
				evForce: (*VC).force, evReset: (*VC).rxReset, evResetAck: (*VC).rxResetAck,
				evProcTimeout: (*VC).resetTimeout, evStatusUnknown: ignore, evStatusBlocked: ignore,
				evOMBlock: (*VC).omBlock, evOMUnblock: (*VC).omUnblock, evOMReset: (*VC).omReset,
			},
		},
		stBlocked: {
			enter: (*VC).enterBlocked,
			next:  []vcState{stUnconfigured, stReset, stUnblocked},
			on: [numVCEvents]func(*VC, time.Time){
				evForce: (*VC).force, evReset: (*VC).rxReset, evResetAck: ignore,
				evBlock: (*VC).rxBlock, evBlockAck: (*VC).rxBlockAck,
				evUnblock: (*VC).rxUnblock, evUnblockAck: (*VC).rxUnblockAck,
				evAlive: (*VC).rxAlive, evAliveAck: (*VC).rxAliveAck,
				evStatusBlocked: ignore, evStatusUnknown: (*VC).statusUnknown,
				evProcTimeout: (*VC).blockTimeout, evAliveLost: (*VC).dead,
				evOMBlock: (*VC).omBlock, evOMUnblock: (*VC).omUnblock, evOMReset: (*VC).omReset,
			},
		},
		stUnblocked: {
			enter: (*VC).enterUnblocked,
			next:  []vcState{stUnconfigured, stReset, stBlocked, stRecovering},
			on: [numVCEvents]func(*VC, time.Time){
				evForce: (*VC).force, evReset: (*VC).rxReset, evResetAck: ignore,
				evBlock: (*VC).rxBlock, evBlockAck: ignore,
				evUnblock: (*VC).rxUnblock, evUnblockAck: ignore,
				evAlive: (*VC).rxAlive, evAliveAck: (*VC).rxAliveAck,
				evStatusBlocked: (*VC).statusBlocked, evStatusUnknown: (*VC).statusUnknown,
				evProcTimeout: ignore, evAliveLost: (*VC).dead,
				evOMBlock: (*VC).omBlock, evOMUnblock: ignore, evOMReset: (*VC).omReset,
			},
		},
		stRecovering: {
			enter: (*VC).enterRecovering,
			next:  []vcState{stUnconfigured, stUnblocked},
			on: [numVCEvents]func(*VC, time.Time){
				evForce: (*VC).force, evAlive: (*VC).rxAliveRecovering, evAliveAck: (*VC).rxAliveAck,
				evStatusUnknown: ignore,
			},
		},
	}
}

func ignore(*VC, time.Time) {}

// event gives an input to the machine; false means that the state does not
// permit it.
func (v *VC) event(now time.Time, ev vcEvent) bool {
	act := vcRows[v.current()].on[ev]
	if act == nil {
		return false
	}
	act(v, now)
	return true
}

// to changes the state. A change that the table does not have is a bug: it is
// logged and not made. To the same state it runs the enter function again.
func (v *VC) to(next vcState, now time.Time) {
	old := v.current()
	if old != next && !permits(old, next) {
		v.stack.log.Error("NS-VC transition outside the table", "cat", "lns", "nsvc", v, "from", old, "to", next)
		return
	}
	v.publish(next)
	if old != next {
		v.since = now
		v.stack.log.Info("NS-VC state", "cat", "lns", "nsvc", v, "from", old.String(), "to", next.String())
	}
	vcRows[next].enter(v, now)
	v.publish(next)
	switch {
	case old == next:
		return
	case next == stUnblocked:
		v.stack.post(v.nse, EventVCRecovery)
	case old == stUnblocked:
		v.stack.post(v.nse, EventVCFailure)
	}
	v.nse.recompute(now)
}

func permits(old, next vcState) bool {
	for _, s := range vcRows[old].next {
		if s == next {
			return true
		}
	}
	return false
}
