package load

import (
	"fmt"
	"strings"
	"time"
)

// N2Result is what became of an N2Load. Messages are NGAP PDUs that the gateway
// had to pass on.
type N2Result struct {
	Load       N2Load
	Duration   time.Duration // while UEs began
	UEs        uint64        // that began
	Done       uint64        // of these, whose last message came
	Unbegun    uint64        // the generator had no place for: its own fault
	Waiting    uint64        // could not begin: the transport did not take their first message
	Sent       uint64        // messages taken by the transport
	Refused    uint64        // not taken
	Received   uint64        // once each, wherever they came
	Turned     uint64        // UEs that the gateway refused: their first message is not lost
	Cut        uint64        // UEs that it released in the middle
	Talk       N2Talk        // of bound UEs, in no other count but those of what is wrong
	WrongAMF   uint64        // of the received: not at the AMF that owns the UE
	WrongGNB   uint64        // of the received: not at the UE's gNB
	WrongIDs   uint64        // of the received: with another UE's IDs
	Overtaken  uint64        // of the received: after a later one of the same UE
	Duplicates uint64
	Altered    uint64 // NAS-PDU or message are not as sent
	Strange    uint64 // what nobody sent: the gateway made it, or it is of a UE that has left
	Stale      uint64 // of a UE of an earlier run, which did not wait for its end: sent then, or made for it by the gateway
	Late       time.Duration
	Latency    Histogram
	CPU        time.Duration
	Memory     uint64        // octets resident of the process under test
	Grown      int64         // by so many in this run
	Up         time.Duration // from the start of the process under test until all gNBs and AMFs were up with it
	Again      int           // NG Setup Failures with Time to Wait until then
}

// Lost is how many messages were sent and did not come.
func (r *N2Result) Lost() uint64 { return r.Sent - min(r.Sent, r.Received+r.Turned) }

// Loss is the part of the messages that was lost, 0..1.
func (r *N2Result) Loss() float64 { return ratio(float64(r.Lost()), float64(r.Sent)) }

// Rate is how many messages a second came through.
func (r *N2Result) Rate() float64 { return ratio(float64(r.Received), r.Duration.Seconds()) }

// CPUPerMessage is the CPU time of the process under test per message that came
// through.
func (r *N2Result) CPUPerMessage() time.Duration {
	return time.Duration(ratio(float64(r.CPU), float64(r.Received)))
}

// Err tells what a gateway must never do, and loss beyond the part most, 0..1.
func (r *N2Result) Err(most float64) error {
	var wrong []string
	note := func(n uint64, what string) {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(r.WrongAMF, "at the wrong AMF")
	note(r.WrongGNB, "at the wrong gNB")
	note(r.WrongIDs, "with wrong IDs")
	note(r.Overtaken, "out of order")
	note(r.Duplicates, "twice")
	note(r.Altered, "altered")
	note(r.Strange, "that nobody sent")
	if r.Loss() > most {
		note(r.Lost(), "lost")
	}
	note(r.Cut, "UEs released by the gateway")
	if !r.Load.Limited {
		note(r.Turned, "UEs refused")
	}
	note(r.Talk.Lost(), "of bound UEs lost")
	note(r.Talk.Released, "bound UEs released by the gateway")
	if r.Received == 0 {
		wrong = append(wrong, "nothing received")
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("load: of %d messages: %s", r.Sent, strings.Join(wrong, ", "))
}

// String is the result in a few lines.
func (r *N2Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "UEs: %d began in %.2f s, %d were served to the end\n", r.UEs, r.Duration.Seconds(), r.Done)
	fmt.Fprintf(&b, "messages: sent %d, received %d (%.0f/s), lost %d (%.4f %%)\n", r.Sent, r.Received, r.Rate(), r.Lost(), 100*r.Loss())
	fmt.Fprintf(&b, "wrong AMF %d, wrong gNB %d, wrong IDs %d, out of order %d, twice %d, altered %d, strange %d\n",
		r.WrongAMF, r.WrongGNB, r.WrongIDs, r.Overtaken, r.Duplicates, r.Altered, r.Strange)
	fmt.Fprintf(&b, "latency p50 %s, p99 %s, p99.9 %s, max %s\n", short(r.Latency.Quantile(0.5)),
		short(r.Latency.Quantile(0.99)), short(r.Latency.Quantile(0.999)), short(r.Latency.Max()))
	fmt.Fprintf(&b, "generator: at most %s late, %d messages not taken, %d UEs without a place, %d messages of earlier runs",
		short(r.Late), r.Refused+r.Waiting, r.Unbegun, r.Stale)
	if r.CPU > 0 {
		fmt.Fprintf(&b, "\nprocess under test: CPU %.2f s, %.2f us per message; %.1f MB resident, %+.1f MB; all up after %.2f s, %d NG Setup Failures before", r.CPU.Seconds(),
			micros(r.CPUPerMessage()), float64(r.Memory)/1e6, float64(r.Grown)/1e6, r.Up.Seconds(), r.Again)
	}
	return b.String()
}
