package load

import (
	"fmt"
	"time"
)

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Table is what a gateway stood.
func (s *Sustained) Table() (t Table) {
	c, f := &s.Calm, &s.Flood
	lost, goal := fmt.Sprintf("%d of %d", c.Result.Lost(), c.Result.Sent), "must 0"
	for _, u := range s.Unsteady {
		lost += fmt.Sprintf("; before, at %.0f/s, %d while the machine was too slow for it (yardstick)", u.Offered, u.Lost)
	}
	if s.Scale < 1 {
		goal = "must 0; of the slowest second only"
	}
	if s.slowed() {
		goal = "must 0; not proven: the machine was too slow (yardstick)"
	} else if s.notCalm() != nil {
		goal = "must 0; not proven: it was no such load"
	}
	through := fmt.Sprintf("%.0f/s come through", s.Capacity)
	if s.Scale < 1 {
		through = fmt.Sprintf("%.0f/s come through in the processor's slowest second (yardstick), %.0f/s else", s.Scale*s.Capacity, s.Capacity)
	}
	t.add(fmt.Sprintf("Gb, lost at %.0f %% of what comes through, %.0f s", 100*ratio(c.offered(), s.Scale*s.Capacity), c.Result.Duration.Seconds()),
		through, lost, "", goal)
	t.add(fmt.Sprintf("Gb, NS-ALIVE lost at %.0f %% of what comes through beside %d busy loops, %.0f s", 100*ratio(f.offered(), s.carried()), s.Busy, f.Result.Duration.Seconds()),
		fmt.Sprintf("%.0f/s come through; %.0f/s sent", s.carried(), f.offered()),
		fmt.Sprintf("%d of %d of peers, %d of %d of the gateway; %d NS-VCs went down; %d of %d PDUs lost, the kernel dropped %d at the gateway's sockets, %d at the generator's",
			f.Asked-min(f.Asked, f.Answered), f.Asked, f.Missed, f.Heard+f.Missed, f.Down+f.Dead, f.Result.Lost(), f.Result.Sent, f.KernelDrops, f.Result.Overrun), "",
		s.goal())
	return t
}

// goal tells when there was no such overload.
func (s *Sustained) goal() string {
	if s.noOverload() != nil {
		return fmt.Sprintf("must 0; not proven: no %.0f %%", 100*s.Over)
	}
	return "must 0"
}

// Table is how a gateway with many NSEs comes up.
func (s *Started) Table() (t Table) {
	t.add(fmt.Sprintf("Gb, process start to sockets bound, %d NSEs", s.NSEs), "", fmt.Sprintf("%.3f s", s.Bound.Seconds()), "", "aim 0.135 s")
	t.add(fmt.Sprintf("Gb, then %d BVCs up at BSSs and SGSNs", s.BVCs), "", fmt.Sprintf("%.2f s", s.Up.Seconds()), "", "aim 5 s")
	t.add("Gb, live heap of a BVC, with its part of an NSE", "", fmt.Sprintf("%.0f octets", s.PerBVC()), "", "bounded: 65536 BVCs")
	t.add(fmt.Sprintf("Gb, live heap of a TLLI, %d seen", s.Subscribers), "", fmt.Sprintf("%.0f octets", s.PerTLLI()), "", "bounded: 1000000 subscribers")
	t.add("Gb, longest pause of the collector meanwhile", "", fmt.Sprintf("%.2f ms", 1000*s.Known.Pause), "", "aim 1 ms")
	return t
}

// Table is two workers beside one.
func (w *Workers) Table() (t Table) {
	if w.Why != "" {
		t.add("Gb, two workers beside one", "", "not measured: "+w.Why, "", "must 1.8")
		return t
	}
	t.add("Gb, two workers beside one", fmt.Sprintf("one %.0f/s", w.One), fmt.Sprintf("two %.0f/s", w.Two), fmt.Sprintf("%.2f", ratio(w.Two, w.One)), "must 1.8")
	return t
}
