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
	Part        float64 // of the capacity that the calm load was to be
	Lossy       bool    // its loss is no matter
	Capacity    float64 // PDUs a second that come through at most
	Share       float64 // of a processor that the process under test had then; 0: unknown
	Busy        int     // busy loops on the gateway's processor during the overload
	Left        float64 // PDUs a second that come through beside them when as many as the capacity are sent
	Over        float64 // times Left that the overload was to be
	Calm, Flood Proof
	Scale       float64    // of the capacity: what the calm load is a part of, 1 but for a slowest second
	Held        Held       // how it held its speed during the calm load
	Unsteady    []Unsteady // tries of the calm load before this one
}

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
	k.Crowded, k.KernelDrops = g.alive.crowded.Load(), t.KernelDrops()
	if g.manager != nil {
		k.Down = g.manager.down.Load()
	}
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

// Sustain measures the capacity and sends a part of it. Then it does the same with more
// than the capacity, while busy loops take most of the gateway's processor: the
// generator, which has a processor of its own, could not send so much otherwise.
func (t *Target) Sustain(o SustainOptions) (s *Sustained, err error) {
	orDefault(&o.Duration, time.Minute)
	orDefault(&o.Part, 0.9)
	orDefault(&o.Over, 2)
	orDefault(&o.Busy, 2)
	s = &Sustained{Part: o.Part, Lossy: o.Lossy, Busy: o.Busy, Over: o.Over, Scale: 1}
	if err := t.calmLoads(s, o); err != nil {
		return nil, err
	}
	others, err := startBusy(o.Busy, o.Core)
	if err != nil {
		return nil, err
	}
	defer others.end()
	l := o.Load
	l.Rate, l.Window = s.Capacity, 0
	left, err := t.capacity(l)
	if err != nil {
		return nil, err
	}
	s.Left = left.rate()
	fmt.Fprintf(o.Out, "capacity beside %d busy loops %.0f/s; %.0f %% of it for %s …\n", s.Busy, s.Left, 100*o.Over, o.Duration)
	s.Flood, err = t.prove(s.overload(o))
	return s, err
}

// spare is how much more than the overload is sent: what comes through in a minute may be
// more than what did just before.
const spare = 1.1

// overload is what is sent beside the busy loops.
func (s *Sustained) overload(o SustainOptions) Load {
	l := o.Load
	l.Duration, l.Rate = o.Duration, s.Over*s.Left
	if s.Over > 1 {
		l.Rate *= spare
	}
	return l
}

// carried is what came through a second beside the busy loops, before the overload or
// during it, whichever was more.
func (s *Sustained) carried() float64 { return max(s.Left, s.Flood.Result.promptRate()) }

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
// generator was too slow, the processor was too slow for the calm load, or there was no
// overload.
func (s *Sustained) Unproven() error {
	err := errors.Join(s.notCalm(), s.noOverload())
	if s.slowed() {
		err = errors.Join(fmt.Errorf("load: %v", s.last()), err)
	}
	return err
}

func (s *Sustained) noOverload() error {
	var errs []error
	if sent := ratio(s.Flood.offered(), s.carried()); sent < leastOver*s.Over {
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
	fmt.Fprintf(&b, "capacity: %.0f PDUs a second, with %.0f %% of a processor\n", s.Capacity, 100*s.Share)
	s.Calm.write(&b, s.Scale*s.Capacity)
	fmt.Fprintf(&b, "  %v\n", s.Held)
	fmt.Fprintf(&b, "capacity with %d busy loops on the gateway's processor: %.0f PDUs a second\n", s.Busy, s.Left)
	s.Flood.write(&b, s.carried())
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *Proof) write(b *strings.Builder, capacity float64) {
	r := p.Result
	came := r.promptRate()
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
