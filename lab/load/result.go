package load

import (
	"fmt"
	"strings"
	"time"
)

// Load is what to send.
type Load struct {
	Rate     float64       // PDUs a second, both directions together; 0: as many as Window lets
	Window   int           // with Rate 0: PDUs on their way at most; 0: no bound, an overload
	Duration time.Duration // default 3 s
	Sizes    []int         // octets of UDP payload, drawn by lot; default 100
	Down     float64       // the part that goes down, 0..1
	sweep    bool          // the subscribers in turn, not by lot
	watch    *watcher      // nil: nobody looks meanwhile
}

// Result is what became of it. Everything is counted in PDUs.
type Result struct {
	Load       Load
	Duration   time.Duration // while it was sent
	Sent       uint64        // taken by the kernel
	Refused    uint64        // not taken
	Received   uint64        // once each, wherever they came
	Prompt     uint64        // of these, while it was sent
	WrongSGSN  uint64        // of the received: at an SGSN that does not own the NRI
	WrongBSS   uint64        // of the received: at a BSS that has not the cell
	Overtaken  uint64        // of the received: after a later one of the same TLLI
	Duplicates uint64
	Altered    uint64 // not as they were sent, or nobody's
	Stale      uint64 // of an earlier run
	Overrun    uint64 // lost by the generator: its own receive buffers were full
	Late       time.Duration
	Latency    Histogram
	CPU        time.Duration // of the process under test; 0: unknown
}

// Lost is what was sent and did not come, but for what the generator lost.
func (r *Result) Lost() uint64 {
	if got := r.Received + r.Overrun; got < r.Sent {
		return r.Sent - got
	}
	return 0
}

// Forgive takes what is lost for lost by the generator: a busy machine stops the
// gateway longer than its buffers hold.
func (r *Result) Forgive() { r.Overrun += r.Lost() }

// Loss is the part of the sent PDUs that was lost, 0..1.
func (r *Result) Loss() float64 { return ratio(float64(r.Lost()), float64(r.Sent)) }

// Rate is how many PDUs a second came through.
func (r *Result) Rate() float64 {
	return ratio(float64(r.Received+r.Overrun), r.Duration.Seconds())
}

// promptRate is how many PDUs a second came through while it was sent.
func (r *Result) promptRate() float64 {
	return ratio(float64(r.Prompt), r.Duration.Seconds())
}

// CPUPerPDU is the CPU time that the process under test took per PDU that came
// through; 0 if unknown.
func (r *Result) CPUPerPDU() time.Duration {
	return time.Duration(ratio(float64(r.CPU), float64(r.Received+r.Overrun)))
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Err tells what a gateway must never do, and loss beyond the part most, 0..1.
func (r *Result) Err(most float64) error {
	var wrong []string
	note := func(n uint64, what string) {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(r.WrongSGSN, "at the wrong SGSN")
	note(r.WrongBSS, "at the wrong BSS")
	note(r.Overtaken, "out of order")
	note(r.Duplicates, "twice")
	note(r.Altered, "altered")
	if r.Loss() > most {
		note(r.Lost(), "lost")
	}
	if r.Received == 0 {
		wrong = append(wrong, "nothing received")
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("load: of %d PDUs: %s", r.Sent, strings.Join(wrong, ", "))
}

// String is the result in a few lines.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sent %d in %.2f s, received %d (%.0f/s), lost %d (%.4f %%)\n", r.Sent, r.Duration.Seconds(),
		r.Received, r.Rate(), r.Lost(), 100*r.Loss())
	fmt.Fprintf(&b, "wrong SGSN %d, wrong BSS %d, out of order %d, twice %d, altered %d\n",
		r.WrongSGSN, r.WrongBSS, r.Overtaken, r.Duplicates, r.Altered)
	fmt.Fprintf(&b, "latency p50 %s, p99 %s, p99.9 %s, max %s\n", short(r.Latency.Quantile(0.5)),
		short(r.Latency.Quantile(0.99)), short(r.Latency.Quantile(0.999)), short(r.Latency.Max()))
	fmt.Fprintf(&b, "generator: at most %s late, %d refused by the kernel, %d lost here, %d of earlier runs",
		short(r.Late), r.Refused, r.Overrun, r.Stale)
	if r.CPU > 0 {
		fmt.Fprintf(&b, "\nCPU of the process under test %.2f s: %.2f us per PDU", r.CPU.Seconds(), micros(r.CPUPerPDU()))
	}
	return b.String()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func short(d time.Duration) string { return fmt.Sprintf("%.0f us", micros(d)) }
