package bssgp

import "time"

// Timers are those of the BVC procedures (TS 48.018 clause 12).
type Timers struct {
	T1 time.Duration // (un)blocking, 1..30 s
	T2 time.Duration // reset, 1..120 s
	// Retries are the attempts after the first before the owner gets an alarm,
	// by procedure; 0: the alarm comes when the first was in vain.
	BlockRetries, UnblockRetries, ResetRetries int
	// MaxBackoff is the longest wait between attempts after the retries. One
	// below T1 or T2 makes them the longest.
	MaxBackoff time.Duration
}

// DefaultTimers returns the values that TS 48.018 table 12.1 recommends; the
// back-off is ours.
func DefaultTimers() Timers {
	return Timers{T1: 5 * time.Second, T2: 10 * time.Second, BlockRetries: 3, UnblockRetries: 3, ResetRetries: 3,
		MaxBackoff: 2 * time.Minute}
}

// Every returns the default timers with T1 and T2 of d.
func Every(d time.Duration) *Timers {
	t := DefaultTimers()
	t.T1, t.T2 = d, d
	return &t
}

// of returns the wait and the retries of a procedure.
func (t *Timers) of(p procedure) (time.Duration, int) {
	switch p {
	case procReset:
		return t.T2, t.ResetRetries
	case procUnblock:
		return t.T1, t.UnblockRetries
	}
	return t.T1, t.BlockRetries
}
