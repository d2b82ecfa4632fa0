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
	Over     float64       // times the capacity at which no keepalive may be lost; default 2
	Core     int           // of the process under test: the rest of the overload is sent there
	Out      io.Writer     // progress
}

// Sustained is what came of it.
type Sustained struct {
	Capacity    float64 // PDUs a second that come through at most
	Calm, Flood Proof
}

// Proof is one load, and what became of the test procedure of the NS-VCs meanwhile.
type Proof struct {
	Result *Result
	Keepalives
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

// capacity is what comes through at most: the median of three looks.
func (t *Target) capacity(l Load) (float64, error) {
	l.Rate, l.Window = 0, saturation
	var rates []float64
	for range 3 {
		r, err := t.Run(l)
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

// Sustain measures the capacity, then sends a part of it and then more than it.
func (t *Target) Sustain(o SustainOptions) (s *Sustained, err error) {
	orDefault(&o.Duration, time.Minute)
	orDefault(&o.Part, 0.9)
	orDefault(&o.Over, 2)
	s = &Sustained{}
	if s.Capacity, err = t.capacity(o.Load); err != nil {
		return nil, err
	}
	l := o.Load
	l.Duration, l.Rate = o.Duration, o.Part*s.Capacity
	fmt.Fprintf(o.Out, "capacity %.0f/s; %.0f %% of it for %s …\n", s.Capacity, 100*o.Part, o.Duration)
	if s.Calm, err = t.prove(l); err != nil {
		return nil, err
	}
	l.Rate, l.Offered, l.Core = s.Capacity*o.Over/2, s.Capacity*o.Over, o.Core
	fmt.Fprintf(o.Out, "%.0f %% of it for %s …\n", 100*o.Over, o.Duration)
	s.Flood, err = t.prove(l)
	return s, err
}

func (t *Target) prove(l Load) (p Proof, err error) {
	before, err := t.keepalives()
	if err != nil {
		return p, err
	}
	if p.Result, err = t.Run(l); err != nil {
		return p, err
	}
	after, err := t.keepalives()
	p.Keepalives = after.minus(before)
	return p, err
}

// Err tells what must not be: PDUs of the calm load lost, NS-VCs down, keepalives lost.
func (s *Sustained) Err() error {
	return errors.Join(s.Calm.Result.Err(0), s.Calm.err("calm"), s.Flood.Result.Err(1), s.Flood.err("overload"))
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
	return ratio(float64(p.Result.Sent+p.Result.Chaff), p.Result.Duration.Seconds())
}

// String is all of it in a few lines.
func (s *Sustained) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "capacity: %.0f PDUs a second\n", s.Capacity)
	for _, p := range []*Proof{&s.Calm, &s.Flood} {
		r := p.Result
		fmt.Fprintf(&b, "at %.0f %% (%.0f/s) for %.0f s: sent %d, received %d (%.0f/s), lost %d\n", 100*ratio(p.offered(), s.Capacity), p.offered(),
			r.Duration.Seconds(), r.Sent+r.Chaff, r.Received+r.ChaffReceived, ratio(float64(r.Received+r.ChaffReceived), r.Duration.Seconds()),
			r.Sent+r.Chaff-min(r.Sent+r.Chaff, r.Received+r.ChaffReceived+r.Overrun))
		fmt.Fprintf(&b, "  wrong SGSN %d, wrong BSS %d, out of order %d, twice %d, altered %d; p50 %s, p99 %s, p99.9 %s\n", r.WrongSGSN, r.WrongBSS,
			r.Overtaken, r.Duplicates, r.Altered, short(r.Latency.Quantile(0.5)), short(r.Latency.Quantile(0.99)), short(r.Latency.Quantile(0.999)))
		fmt.Fprintf(&b, "  generator: at most %s late, %d refused by the kernel, %d lost here, %d of management lost here\n",
			short(r.Late), r.Refused, r.Overrun, p.Crowded)
		fmt.Fprintf(&b, "  NS-ALIVE: %d of peers, %d answered; %d of the gateway heard, %d answered; NS-VCs that went down %d\n",
			p.Asked, p.Answered, p.Heard, p.Replied, p.Down)
		if p.Known {
			fmt.Fprintf(&b, "  the gateway tells: NS-ALIVE without answer %d, NS-VCs that went down %d, PDUs dropped %d; its sockets: %d dropped\n",
				p.Missed, p.Dead, p.Dropped, p.KernelDrops)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
