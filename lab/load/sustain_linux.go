package load

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// SustainOptions say how long a gateway has to stand what it can carry, and more.
type SustainOptions struct {
	Load     Load          // sizes and directions; its duration is that of looking for the capacity
	Duration time.Duration // of each proof; default 60 s
	Part     float64       // of the capacity at which nothing may be lost; default 0.9
	Over     float64       // times what comes through beside the busy loops, at which no keepalive may be lost; default 2
	Busy     int           // busy loops on the processor of the process under test during the overload; default 2
	Lossy    bool          // loss of the calm load is no matter
	Core     int           // that processor; -1: any
	Out      io.Writer     // progress
}

// Sustained is what came of it.
type Sustained struct {
	Capacity    float64 // PDUs a second that come through at most
	Busy        int     // busy loops on the gateway's processor during the overload
	Left        float64 // PDUs a second that come through at most beside them
	Over        float64 // times Left that the overload was to be
	Calm, Flood Proof
	Pace        float64    // of the processor for which the calm load was made, as a part of its usual one
	Held        Held       // how it held its speed during the calm load
	Unsteady    []Unsteady // tries of the calm load before this one
}

// Unsteady is a calm load that the processor was too slow for whenever something was lost.
type Unsteady struct {
	Capacity, Offered float64 // PDUs a second
	Lost              uint64
	Held              Held
}

// mostTries of a calm load, on a processor that does not hold its speed: the second is made
// for the slowest second of the first.
const mostTries = 2

// Proof is one load, and what became of the test procedure of the NS-VCs meanwhile.
type Proof struct {
	Result *Result
	Keepalives
	Losses []Look // while something was dropped at the gateway's sockets; the first only
}

// Keepalives are NS-ALIVE and NS-ALIVE-ACK (TS 48.016 7.4) as the nodes and the
// gateway count them.
type Keepalives struct {
	Asked, Answered uint64 // NS-ALIVE of the nodes; answers that came
	Heard, Replied  uint64 // NS-ALIVE of the gateway that came; the nodes' answers
	Crowded         uint64 // PDUs of management that nodes had no room for: their own fault
	Down            uint64 // times that an NS-VC went down at a node
	Known           bool   // the gateway tells the next three
	Missed          uint64 // NS-ALIVE of the gateway without an answer in time
	Dead            uint64 // times that an NS-VC went down at the gateway
	Dropped         uint64 // PDUs, by the gateway
	KernelDrops     uint64 // datagrams, at the gateway's sockets
}

func (a Keepalives) minus(b Keepalives) Keepalives {
	return Keepalives{a.Asked - b.Asked, a.Answered - b.Answered, a.Heard - b.Heard, a.Replied - b.Replied, a.Crowded - b.Crowded,
		a.Down - b.Down, a.Known, a.Missed - b.Missed, a.Dead - b.Dead, a.Dropped - b.Dropped, a.KernelDrops - b.KernelDrops}
}

// keepalives reads all counts. It waits until what was asked is answered, five
// seconds at most: longer means lost.
func (t *Target) keepalives() (k Keepalives, err error) {
	g := t.Generator
	for end := time.Now().Add(5 * time.Second); ; {
		k.Asked, k.Answered = g.alive.asked.Load(), g.alive.answered.Load()
		k.Heard, k.Replied = g.alive.heard.Load(), g.alive.replied.Load()
		if k.Asked == k.Answered && k.Heard == k.Replied || time.Now().After(end) {
			break
		}
		g.receive(1)
	}
	k.Crowded, k.Down, k.KernelDrops = g.alive.crowded.Load(), g.manager.down.Load(), t.KernelDrops()
	m, err := t.Metrics()
	if errors.Is(err, errNoMetrics) {
		return k, nil
	}
	k.Known = true
	k.Missed = uint64(m.Sum(`poolgw_gb_nse_lost_answers_total\{.*procedure="alive".*\}`))
	k.Dead = uint64(m.Sum(`poolgw_gb_nsvc_events_total\{event="dead".*\}`))
	k.Dropped = drops(m)
	return k, err
}

// drops counts what the gateway has not passed on, or could not send. What its sockets
// tell besides is in it already, or was dropped by the kernel before it came.
func drops(m Metrics) uint64 {
	return uint64(m.Sum(`poolgw_gb_(bind_)?dropped_.*`) - m.Sum(`poolgw_gb_bind_dropped_.*reason="udp_.*`))
}

// toldDrops is what the gateway knows of the kernel's drops at its sockets.
func toldDrops(m Metrics) uint64 {
	return uint64(m.Sum(`poolgw_gb_bind_dropped_.*reason="udp_receive_queue_full".*`))
}

// inTurns is how many PDUs are on their way at most when the gateway has its processor in
// turns only: enough that it has work for each of them, so few that no receive buffer
// overflows meanwhile.
const inTurns = 8 * saturation

// capacity is what comes through at most, with so many on their way: the median of three
// looks.
func (t *Target) capacity(l Load, window int) (float64, error) {
	l.Rate, l.Window = 0, window
	var rates []float64
	for range 3 {
		r, err := t.whole(l)
		if err == nil {
			err = r.Err(1)
		}
		if err != nil {
			return 0, err
		}
		rates = append(rates, r.Rate())
	}
	return median(rates), nil
}

// Sustain measures the capacity and sends a part of it. Then it does the same with more
// than the capacity, while busy loops take most of the gateway's processor: the
// generator, which has a processor of its own, could not send so much otherwise.
func (t *Target) Sustain(o SustainOptions) (s *Sustained, err error) {
	orDefault(&o.Duration, time.Minute)
	orDefault(&o.Part, 0.9)
	orDefault(&o.Over, 2)
	orDefault(&o.Busy, 2)
	s = &Sustained{Busy: o.Busy, Over: o.Over, Pace: 1}
	if err := t.calmLoads(s, o); err != nil {
		return nil, err
	}
	others, err := startBusy(o.Busy, o.Core)
	if err != nil {
		return nil, err
	}
	defer others.end()
	if s.Left, err = t.capacity(o.Load, inTurns); err != nil {
		return nil, err
	}
	fmt.Fprintf(o.Out, "capacity beside %d busy loops %.0f/s; %.0f %% of it for %s …\n", s.Busy, s.Left, 100*o.Over, o.Duration)
	s.Flood, err = t.prove(s.overload(o))
	return s, err
}

// calmLoads sends a part of what comes through at most, as often as it takes on a processor
// that does not hold its speed.
func (t *Target) calmLoads(s *Sustained, o SustainOptions) error {
	var y *yardstick
	if o.Core >= 0 && !o.Lossy {
		var err error
		if y, err = startYardstick(o.Core); err != nil {
			return err
		}
		defer y.end()
	}
	for try := 1; ; try++ {
		if err := t.calm(s, o, y); err != nil {
			return err
		}
		if !s.slowed() || try == mostTries {
			return nil
		}
		fmt.Fprintln(o.Out, s.last())
		s.Unsteady = append(s.Unsteady, s.last())
	}
}

// calm sends a part of what comes through at most, while a yardstick, if any, measures the
// processor.
func (t *Target) calm(s *Sustained, o SustainOptions, y *yardstick) (err error) {
	began := time.Now()
	if s.Capacity, err = t.capacity(o.Load, saturation); err != nil {
		return err
	}
	var usual []pace
	if y != nil {
		if usual, err = y.since(began); err != nil {
			return err
		}
	}
	if n := len(s.Unsteady); n > 0 {
		slowest := s.Unsteady[n-1].Held
		s.Pace = min(1, ratio(slowest.Least*slowest.Usual, median(rates(usual))))
	}
	l := o.Load
	l.Duration, l.Rate = o.Duration, o.Part*s.Pace*s.Capacity
	fmt.Fprintf(o.Out, "capacity %.0f/s; %.0f %% of it for %s …\n", s.Capacity, 100*o.Part*s.Pace, o.Duration)
	l.watch = newWatcher(t.KernelDrops, t.CPU)
	began = time.Now()
	if s.Calm, err = t.prove(l); err != nil {
		return err
	}
	s.Calm.Losses = l.watch.bad
	if y == nil {
		return nil
	}
	paces, err := y.since(began)
	s.Held = holds(usual, paces, ratio(s.Calm.offered(), s.Capacity), l.watch.lost)
	return err
}

// overload is what is sent beside the busy loops.
func (s *Sustained) overload(o SustainOptions) Load {
	l := o.Load
	l.Duration, l.Rate = o.Duration, s.Over*s.Left
	return l
}

// slowed reports that something of the calm load was lost, and all of it while the
// processor was too slow.
func (s *Sustained) slowed() bool {
	lost := s.Calm.Result.Lost()
	return lost > 0 && s.Held.Explained >= lost
}

func (s *Sustained) last() Unsteady {
	return Unsteady{s.Capacity, s.Calm.offered(), s.Calm.Result.Lost(), s.Held}
}

// String is a line of a report.
func (u Unsteady) String() string {
	return fmt.Sprintf("the processor does not hold its speed: %.0f/s came through at most, %.0f/s were sent, of which %d PDUs were lost; %v",
		u.Capacity, u.Offered, u.Lost, u.Held)
}

func (t *Target) prove(l Load) (p Proof, err error) {
	before, err := t.keepalives()
	if err != nil {
		return p, err
	}
	if p.Result, err = t.whole(l); err != nil {
		return p, err
	}
	after, err := t.keepalives()
	p.Keepalives = after.minus(before)
	return p, err
}

// Err tells what the gateway must not do: lose PDUs of the calm load or keepalives, take
// an NS-VC down.
func (s *Sustained) Err() error {
	mostLoss := 0.0
	if s.slowed() {
		mostLoss = 1 // see Unproven
	}
	return errors.Join(s.Calm.Result.Err(mostLoss), s.Calm.err("calm"), s.Flood.Result.Err(1), s.Flood.err("overload"))
}

// leastOver is the part of the overload that must have been sent at least.
const leastOver = 0.95

// Unproven tells what the measurement lacks, for which the gateway can't help: the
// processor was too slow for the calm load, the generator did not send enough, or all of it
// came through, so that there was no overload.
func (s *Sustained) Unproven() error {
	err := s.noOverload()
	if s.slowed() {
		err = errors.Join(fmt.Errorf("load: %v", s.last()), err)
	}
	return err
}

func (s *Sustained) noOverload() error {
	var errs []error
	if sent := ratio(s.Flood.offered(), s.Left); sent < leastOver*s.Over {
		errs = append(errs, fmt.Errorf("load: the generator did not get to %.0f %%: it sent %.0f %%", 100*s.Over, 100*sent))
	}
	if s.Over > 1 && s.Flood.KernelDrops == 0 {
		errs = append(errs, errors.New("load: nothing was lost at the gateway's sockets: there was no overload"))
	}
	return errors.Join(errs...)
}

func (p *Proof) err(when string) error {
	var wrong []string
	note := func(n uint64, what string) {
		if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(p.Asked-min(p.Asked, p.Answered), "NS-ALIVE of peers without an answer")
	note(p.Missed, "NS-ALIVE of the gateway without an answer")
	note(p.Down, "times an NS-VC went down at a peer")
	note(p.Dead, "times an NS-VC went down at the gateway")
	if p.Asked == 0 || p.Known && p.Heard == 0 {
		wrong = append(wrong, "no NS-ALIVE was sent")
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("load: %s: %s", when, strings.Join(wrong, ", "))
}

// offered is how many PDUs a second were sent.
func (p *Proof) offered() float64 {
	return ratio(float64(p.Result.Sent), p.Result.Duration.Seconds())
}

// String is all of it in a few lines.
func (s *Sustained) String() string {
	var b strings.Builder
	for _, u := range s.Unsteady {
		fmt.Fprintf(&b, "%v; tried again\n", u)
	}
	fmt.Fprintf(&b, "capacity: %.0f PDUs a second\n", s.Capacity)
	s.Calm.write(&b, s.Capacity)
	fmt.Fprintf(&b, "  %v\n", s.Held)
	fmt.Fprintf(&b, "capacity with %d busy loops on the gateway's processor: %.0f PDUs a second\n", s.Busy, s.Left)
	s.Flood.write(&b, s.Left)
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *Proof) write(b *strings.Builder, capacity float64) {
	r := p.Result
	came := ratio(float64(r.Received), r.Duration.Seconds())
	fmt.Fprintf(b, "at %.0f %% (%.0f/s) for %.0f s: sent %d, received %d (%.0f/s, %.0f %% of the capacity), lost %d\n", 100*ratio(p.offered(), capacity),
		p.offered(), r.Duration.Seconds(), r.Sent, r.Received, came, 100*ratio(came, capacity), r.Lost())
	fmt.Fprintf(b, "  wrong SGSN %d, wrong BSS %d, out of order %d, twice %d, altered %d; p50 %s, p99 %s, p99.9 %s\n", r.WrongSGSN, r.WrongBSS,
		r.Overtaken, r.Duplicates, r.Altered, short(r.Latency.Quantile(0.5)), short(r.Latency.Quantile(0.99)), short(r.Latency.Quantile(0.999)))
	fmt.Fprintf(b, "  the kernel dropped %d at the gateway's sockets, %d at the generator's; the gateway had %.0f %% of a processor\n",
		p.KernelDrops, r.Overrun, 100*ratio(r.CPU.Seconds(), r.Duration.Seconds()))
	b.WriteString(losses(p.Losses))
	fmt.Fprintf(b, "  generator: at most %s late, %d refused by the kernel, %d of management lost here\n", short(r.Late), r.Refused, p.Crowded)
	fmt.Fprintf(b, "  NS-ALIVE: %d of peers, %d answered; %d of the gateway heard, %d answered; NS-VCs that went down %d\n",
		p.Asked, p.Answered, p.Heard, p.Replied, p.Down)
	if p.Known {
		fmt.Fprintf(b, "  the gateway tells: NS-ALIVE without answer %d, NS-VCs that went down %d, PDUs dropped %d\n", p.Missed, p.Dead, p.Dropped)
	}
}
