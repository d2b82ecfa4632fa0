package gb

import (
	"fmt"
	"time"

	"poolgw/bssgp"
	"poolgw/finding"
	"poolgw/ns"
)

// Timer indexes a timer or counter of the gateway, "timer GROUP NAME N" in node
// gbproxy.
type Timer uint8

const (
	TimerT1 Timer = iota
	TimerBlockRetries
	TimerUnblockRetries
	TimerT2
	TimerResetRetries
	TimerMaxBackoff
	TimerT3
	TimerT4
	TimerT5
	TimerPaging
	TimerEnquiry
	TimerPin
	NumTimers
)

// TimerDef describes one Timer: the "timer" commands, their help, the writer,
// "show timer" and the validation all read this table.
type TimerDef struct {
	Group, Name       string
	Default, Min, Max uint16
	Unit              string // "s" or "" for a number
	Doc               string
}

const (
	groupBSSGP = "bssgp" // times of TS 48.018 clause 12, and what belongs to them
	groupPool  = "pool"
)

// TimerDefs is indexed by Timer. T3 to T5 guard procedures at the BSS; here they
// are how long what such a procedure needs is kept.
var TimerDefs = [NumTimers]TimerDef{
	TimerT1:             {groupBSSGP, "t1", 5, 1, 30, "s", "Wait for BVC-BLOCK-ACK and BVC-UNBLOCK-ACK"},
	TimerBlockRetries:   {groupBSSGP, "block-retries", 3, 0, 20, "", "BVC-BLOCKs after the first before an alarm"},
	TimerUnblockRetries: {groupBSSGP, "unblock-retries", 3, 0, 20, "", "BVC-UNBLOCKs after the first before an alarm"},
	TimerT2:             {groupBSSGP, "t2", 10, 1, 120, "s", "Wait for BVC-RESET-ACK"},
	TimerResetRetries:   {groupBSSGP, "reset-retries", 3, 0, 20, "", "BVC-RESETs after the first before an alarm"},
	TimerMaxBackoff:     {groupBSSGP, "max-backoff", 120, 1, 3600, "s", "Longest wait after the alarm, up to which the waits double"},
	TimerT3:             {groupBSSGP, "t3", 10, 1, 120, "s", "How long the answer to a SUSPEND finds its BSS"},
	TimerT4:             {groupBSSGP, "t4", 10, 1, 120, "s", "How long the answer to a RESUME finds its BSS"},
	TimerT5:             {groupBSSGP, "t5", 15, 1, 30, "s", "RA-CAPABILITY-UPDATE at the BSS; no pin is shorter"},
	TimerPaging:         {groupPool, "paging", 10, 1, 120, "s", "How long the answers to a paging find its SGSN"},
	TimerEnquiry:        {groupPool, "registration-enquiry", 10, 1, 120, "s", "How long the answer to an MS-REGISTRATION-ENQUIRY finds its BSS"},
	TimerPin:            {groupPool, "pin", uint16(pinLife / time.Second), 0, 3600, "s", "How long a subscriber without an owner stays where seen last; 0: not"},
}

// Timers holds the value of every Timer, in its unit.
type Timers [NumTimers]uint16

// DefaultTimers returns the defaults of TimerDefs.
func DefaultTimers() (t Timers) {
	for i, d := range TimerDefs {
		t[i] = d.Default
	}
	return t
}

func (t *Timers) seconds(i Timer) time.Duration { return time.Duration(t[i]) * time.Second }

// pin is how long an unowned subscriber stays with the SGSN it was seen going
// to; 0: not at all.
func (t *Timers) pin() time.Duration {
	if t[TimerPin] == 0 {
		return 0
	}
	return max(t.seconds(TimerPin), t.seconds(TimerT5))
}

// bssgp returns those of the BVC machines.
func (t *Timers) bssgp() bssgp.Timers {
	return bssgp.Timers{T1: t.seconds(TimerT1), T2: t.seconds(TimerT2), MaxBackoff: t.seconds(TimerMaxBackoff),
		BlockRetries: int(t[TimerBlockRetries]), UnblockRetries: int(t[TimerUnblockRetries]), ResetRetries: int(t[TimerResetRetries])}
}

// validate refuses what is out of range.
func (t *Timers) validate() []finding.Finding {
	var fs []finding.Finding
	for i, d := range TimerDefs {
		if v := t[i]; v < d.Min || v > d.Max {
			fs = append(fs, finding.Finding{Class: finding.Error, Node: "gbproxy",
				Text: fmt.Sprintf("timer %s %s %d is not %d to %d", d.Group, d.Name, v, d.Min, d.Max)})
		}
	}
	return fs
}

// TimerState is one timer of the gateway or the NS layer, as "show timer" tells
// it.
type TimerState struct {
	Group   string `json:"group"` // bssgp, pool, ns
	Name    string `json:"name"`
	Value   uint16 `json:"value"`
	Unit    string `json:"unit"` // "s"; "" for a number
	Default uint16 `json:"default"`
	Min     uint16 `json:"min"`
	Max     uint16 `json:"max"`
	Doc     string `json:"doc"`
}

// timerStates lists all timers that can be set.
func (c *Config) timerStates() []TimerState {
	var all []TimerState
	for i, d := range TimerDefs {
		all = append(all, TimerState{d.Group, d.Name, c.Timers[i], d.Unit, d.Default, d.Min, d.Max, d.Doc})
	}
	for i, d := range ns.TimerDefs {
		unit := d.Unit
		if unit != "s" {
			unit = ""
		}
		all = append(all, TimerState{"ns", d.Name, c.NS.Timers[i], unit, d.Default, 0, 65535, d.Doc})
	}
	return all
}
