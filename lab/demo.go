package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"poolgw/ns"
)

// Options of the demonstration. The zero value of each field but Out takes the
// default named beside it.
type Options struct {
	GatewayBinary string        // poolgw; default: this executable
	GatewayArgs   []string      // before "-c FILE"; default: none
	Duration      time.Duration // 0: until the context ends
	SGSNs         int           // 3
	BSSs          int           // 4
	Subscribers   int           // 1000
	UEs           int           // of the N2 part; 0: there is none
	Seed          uint64        // 1
	Out           io.Writer
	IsTerminal    bool // Out understands ANSI sequences: the table is drawn in place
	// Size tells the rows and columns of the terminal; nil or zeros: 24, 80.
	Size func() (rows, columns int)
	// Resized gives a value when the terminal has another size.
	Resized <-chan os.Signal
	Every   time.Duration // between tables: 1 s on a terminal, else 5 s
	VTYPort uint16        // 4246, or a free one if that is taken

	Kill      uint16        // NSEI of an SGSN to be killed; 0: none
	KillAfter time.Duration // 20 s
	Revive    time.Duration // it is started again so long after; 0: never

	// Ready is called when all of the lab has been started, with the address
	// of the gateway's VTY: a test drives the gateway from there.
	Ready func(vty string)
}

// ErrCrossCheck is returned when the gateway's figures and the simulators'
// truth disagree at the end.
var ErrCrossCheck = errors.New("lab: the cross-check does not hold")

func (o Options) withDefaults() (Options, error) {
	set := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	set(&o.SGSNs, 3)
	set(&o.BSSs, 4)
	set(&o.Subscribers, 1000)
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Every == 0 {
		o.Every = 5 * time.Second
		if o.IsTerminal {
			o.Every = time.Second
		}
	}
	if o.KillAfter == 0 {
		o.KillAfter = 20 * time.Second
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.GatewayBinary == "" {
		self, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("lab: which program to run as gateway: %w", err)
		}
		o.GatewayBinary = self
	}
	return o, o.check()
}

// check finds numbers beyond what the plan of addresses and NRIs holds.
func (o Options) check() error {
	switch {
	case o.SGSNs < 1 || o.SGSNs > 16:
		return errors.New("lab: 1 to 16 SGSNs")
	case o.BSSs < 1 || o.BSSs > 64:
		return errors.New("lab: 1 to 64 BSSs")
	case o.Subscribers < 1 || o.Subscribers > 50000:
		return errors.New("lab: 1 to 50000 subscribers")
	case o.UEs < 0 || o.UEs > 50000:
		return errors.New("lab: 0 to 50000 UEs")
	case o.Kill != 0 && (o.Kill < firstSGSN || int(o.Kill) >= firstSGSN+o.SGSNs):
		return fmt.Errorf("lab: there is no SGSN %d to kill; the first is %d", o.Kill, firstSGSN)
	}
	return nil
}

// Demo runs the demonstration: a gateway as a process of its own, simulated
// SGSNs, BSSs and subscribers on loopback, a live table of who serves whom. It
// ends after the duration or with the context, with a verdict: an error that
// wraps ErrCrossCheck if the figures disagree. When the gateway ends by itself
// the error is a *GatewayEnded, unless its operator ended it in good order. The
// gateway is ended in any case.
func Demo(ctx context.Context, opt Options) (err error) {
	opt, err = opt.withDefaults()
	if err != nil {
		return err
	}
	d, err := begin(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.end()) }()
	if opt.Ready != nil {
		opt.Ready(d.plan.vty)
	}
	return d.watch(ctx)
}

// startTries is how often the start is tried with other ports when somebody took
// one that had just been free.
const startTries = 3

func begin(ctx context.Context, opt Options) (*demo, error) {
	for try := 1; ; try++ {
		d, err := newDemo(opt)
		if err != nil {
			return nil, err
		}
		if err = d.start(ctx); err == nil {
			return d, nil
		}
		err = errors.Join(err, d.end())
		if try == startTries || !strings.Contains(err.Error(), "in use") {
			return nil, err
		}
	}
}

// demo is a running demonstration.
type demo struct {
	opt     Options
	plan    *plan
	gateway *gateway
	reg     *Register
	sgsns   []*SGSN
	bsss    []*BSS
	n2      *n2Lab // nil: none
	started time.Time
	history map[uint16]*history
	differs map[string]time.Time // since when a check does not hold
	window  time.Duration        // the gateway's activity window, and
	changed time.Time            // when it last changed
	last    *view                // nil: none yet
}

func newDemo(opt Options) (*demo, error) {
	p, err := newPlan(opt)
	if err != nil {
		return nil, err
	}
	d := &demo{opt: opt, plan: p, reg: NewRegister(planBitLen, planNull), window: planWindow,
		history: map[uint16]*history{}, differs: map[string]time.Time{}}
	network := &ns.KernelUDP{}
	for i := range opt.SGSNs {
		s := NewSGSN(p.sgsn(i, opt, network, d.reg))
		d.sgsns = append(d.sgsns, s)
		d.history[s.NSEI()] = &history{nris: s.cfg.NRI}
	}
	for i := range opt.BSSs {
		d.bsss = append(d.bsss, NewBSS(p.bss(i, opt, network, d.reg)))
	}
	Connect(d.bsss...)
	return d, nil
}

// start starts the gateway, waits for its VTY, then starts the SGSNs and, when
// all of them are up, the BSSs: no reset disturbs a subscriber.
func (d *demo) start(ctx context.Context) error {
	g, err := startGateway(ctx, d.opt, d.plan)
	if err != nil {
		return err
	}
	d.gateway = g
	for _, s := range d.sgsns {
		if err := s.Start(); err != nil {
			return fmt.Errorf("lab: SGSN %d: %w", s.NSEI(), err)
		}
	}
	if err := d.awaitSGSNs(ctx); err != nil {
		return err
	}
	for _, b := range d.bsss {
		if err := b.Start(); err != nil {
			return fmt.Errorf("lab: BSS %d: %w", b.core.cfg.NSEI, err)
		}
	}
	if d.plan.n2.gateway != 0 {
		if d.n2, err = startN2(d.plan.n2, d.opt.UEs, d.opt.Seed); err != nil {
			return err
		}
		d.n2.live(startWait)
	}
	d.started = time.Now()
	return nil
}

// awaitSGSNs waits until gateway and SGSNs agree that all of them are up.
func (d *demo) awaitSGSNs(ctx context.Context) error {
	for deadline := time.Now().Add(startWait); ; {
		up, err := d.sgsnsUp()
		switch {
		case err != nil:
			return d.gateway.explain(err)
		case up:
			return nil
		case time.Now().After(deadline):
			return d.gateway.explain(errors.New("lab: the SGSNs do not come up"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.gateway.died:
			return d.gateway.death()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (d *demo) sgsnsUp() (bool, error) {
	var p gwPool
	if err := d.gateway.ask("show pool json", &p); err != nil {
		return false, err
	}
	for _, s := range d.sgsns {
		if g := p.find(s.NSEI()); g == nil || !g.ready() || s.Truth().Peers != 1 {
			return false, nil
		}
	}
	return true, nil
}

// end stops everything that was started.
func (d *demo) end() error {
	for _, b := range d.bsss {
		b.Stop()
	}
	for _, s := range d.sgsns {
		s.Stop()
		d.history[s.NSEI()].release()
	}
	if d.n2 != nil {
		d.n2.stop()
	}
	if d.gateway == nil {
		return d.plan.remove()
	}
	return errors.Join(d.gateway.stop(), d.plan.remove())
}
