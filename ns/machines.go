package ns

import "time"

// Machine is one state machine at one moment.
type Machine struct {
	Class string `json:"class"` // "GPRS-NS2-VC", "GPRS-NS2-SNS-BSS", "GPRS-NS2-SNS-SGSN"
	ID    string `json:"id"`
	State string `json:"state"`
	// Timer is the running timer's number, 0 where the specification has none;
	// Left is how long it runs yet, negative if none runs.
	Timer int           `json:"timer"`
	Left  time.Duration `json:"left_ns"`
}

// Machines returns the state machines: NSEs by NSEI, each with its IP-SNS
// machine before those of its NS-VCs.
func (s *Stack) Machines(now time.Time) (list []Machine) {
	for _, n := range s.sortedNSEs() {
		if n.sns != nil {
			list = append(list, n.sns.machine(now))
		}
		for _, v := range n.vcs {
			list = append(list, Machine{Class: VCClass, ID: v.ID(), State: v.current().String(), Left: v.proc.left(now)})
		}
	}
	return list
}

// The classes of state machines, by their names in libosmogb.
const (
	VCClass      = "GPRS-NS2-VC"
	SNSClassBSS  = "GPRS-NS2-SNS-BSS"
	SNSClassSGSN = "GPRS-NS2-SNS-SGSN"
)

func (x *sns) machine(now time.Time) Machine {
	m := Machine{Class: SNSClassBSS, ID: x.nse.snsID(), State: x.state.String(), Left: x.timer.left(now)}
	if x.nse.role != RoleBSS {
		m.Class = SNSClassSGSN
	}
	if m.Left >= 0 && int(x.state) < len(snsTimerNumbers) {
		m.Timer = snsTimerNumbers[x.state]
	}
	return m
}

// left is how long a timer runs yet, -1 when it doesn't.
func (t *timer) left(now time.Time) time.Duration {
	if t.pos == 0 {
		return -1
	}
	return max(0, t.at.Sub(now))
}
