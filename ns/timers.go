package ns

// Timer indexes a timer or counter of the NS layer.
type Timer uint8

const (
	TnsBlock Timer = iota
	TnsBlockRetries
	TnsReset
	TnsResetRetries
	TnsTest
	TnsAlive
	TnsAliveRetries
	TsnsProv
	TsnsSizeRetries
	TsnsConfigRetries
	TsnsProceduresRetries
	NumTimers
)

// TimerDef describes one Timer: the "timer" commands, their help and the
// configuration writer all read this table.
type TimerDef struct {
	Name    string // as in "timer NAME N"
	Default uint16
	Unit    string // "s" or "retries"
	Doc     string
}

// TimerDefs is indexed by Timer. Every value may be 0..65535.
var TimerDefs = [NumTimers]TimerDef{
	TnsBlock:              {"tns-block", 3, "s", "(un)blocking procedure (TS 48.016 10, Tns-block)"},
	TnsBlockRetries:       {"tns-block-retries", 3, "retries", "(un)blocking procedure retries"},
	TnsReset:              {"tns-reset", 3, "s", "reset procedure (Tns-reset)"},
	TnsResetRetries:       {"tns-reset-retries", 3, "retries", "reset procedure retries"},
	TnsTest:               {"tns-test", 30, "s", "period of the NS-VC test procedure (Tns-test)"},
	TnsAlive:              {"tns-alive", 3, "s", "wait for NS-ALIVE-ACK (Tns-alive)"},
	TnsAliveRetries:       {"tns-alive-retries", 10, "retries", "NS-ALIVE retries before an NS-VC is dead"},
	TsnsProv:              {"tsns-prov", 3, "s", "SNS procedures (Tsns-prov)"},
	TsnsSizeRetries:       {"tsns-size-retries", 3, "retries", "SNS-SIZE retries"},
	TsnsConfigRetries:     {"tsns-config-retries", 3, "retries", "SNS-CONFIG retries"},
	TsnsProceduresRetries: {"tsns-procedures-retries", 3, "retries", "SNS ADD, DELETE, CHANGE-WEIGHT retries"},
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
