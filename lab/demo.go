package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	Seed          uint64        // 1
	Out           io.Writer
	IsTerminal    bool          // Out understands ANSI sequences: the table is drawn in place
	Every         time.Duration // between tables: 1 s on a terminal, else 5 s
	VTYPort       uint16        // 4246, or a free one if that is taken

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
	case o.Kill != 0 && (o.Kill < firstSGSN || int(o.Kill) >= firstSGSN+o.SGSNs):
		return fmt.Errorf("lab: there is no SGSN %d to kill; the first is %d", o.Kill, firstSGSN)
	}
	return nil
}

// Demo runs the demonstration: a gateway as a process of its own, simulated
// SGSNs, BSSs and subscribers on loopback, a live table of who serves whom. It
// ends with the context, with an error wrapping ErrCrossCheck if the figures
// disagree, or when the gateway dies; the gateway is ended in any case.
func Demo(ctx context.Context, opt Options) (err error) {
	opt, err = opt.withDefaults()
	if err != nil {
		return err
	}
	d, err := newDemo(opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.end()) }()
	if err := d.start(ctx); err != nil {
		return err
	}
	if opt.Ready != nil {
		opt.Ready(d.plan.vty)
	}
	return d.watch(ctx)
}

// demo is a running demonstration.
type demo struct {
	opt     Options
	plan    *plan
	gateway *gateway
	reg     *Register
	sgsns   []*SGSN
	bsss    []*BSS
	started time.Time
	drained map[uint16]time.Time // since when the gateway says "no allow-attach"
	killed  map[uint16]time.Time
	differs map[string]time.Time // since when a check does not hold
}

func newDemo(opt Options) (*demo, error) {
	p, err := newPlan(opt)
	if err != nil {
		return nil, err
	}
	d := &demo{opt: opt, plan: p, reg: NewRegister(planBitLen, planNull),
		drained: map[uint16]time.Time{}, killed: map[uint16]time.Time{}, differs: map[string]time.Time{}}
	network := &ns.KernelUDP{}
	for i := range opt.SGSNs {
		d.sgsns = append(d.sgsns, NewSGSN(p.sgsn(i, opt, network, d.reg)))
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
	up := len(p.SGSNs) == len(d.sgsns)
	for i := range p.SGSNs {
		up = up && p.SGSNs[i].ready() && d.sgsns[i].Truth().Peers == 1
	}
	return up, nil
}

// end stops everything that was started.
func (d *demo) end() error {
	for _, b := range d.bsss {
		b.Stop()
	}
	for _, s := range d.sgsns {
		s.Stop()
	}
	if d.gateway == nil {
		return d.plan.remove()
	}
	return errors.Join(d.gateway.stop(), d.plan.remove())
}

// watch shows the table until the end and gives the verdict.
func (d *demo) watch(ctx context.Context) error {
	if !d.opt.IsTerminal {
		fmt.Fprintln(d.opt.Out, d.plan.intro())
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	shown := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return nil // by the user: no verdict
		case <-d.gateway.died:
			return d.gateway.death()
		case <-tick.C:
		}
		v, err := d.observe()
		if err != nil {
			return d.gateway.explain(err)
		}
		d.operate(v)
		if d.opt.Duration > 0 && v.elapsed >= d.opt.Duration {
			return d.verdict(v)
		}
		if time.Since(shown) >= d.opt.Every-time.Second/2 {
			shown = time.Now()
			d.show(v)
		}
	}
}

// operate does what the operator of the SGSNs does: a member that the gateway
// keeps new subscribers from is switched to offload, so that it empties; and
// what the options ask for.
func (d *demo) operate(v *view) {
	for i, m := range v.members {
		s := d.sgsns[i]
		if m.truth.Offload == m.gw.AllowAttach {
			s.Offload(!m.gw.AllowAttach)
		}
		_, was := d.drained[s.NSEI()]
		switch {
		case !m.gw.AllowAttach && !was:
			d.drained[s.NSEI()] = time.Now()
		case m.gw.AllowAttach:
			delete(d.drained, s.NSEI())
		}
		if d.opt.Kill == s.NSEI() {
			d.killing(s, v.elapsed)
		}
	}
}

func (d *demo) killing(s *SGSN, elapsed time.Duration) {
	_, dead := d.killed[s.NSEI()]
	switch {
	case !dead && elapsed >= d.opt.KillAfter:
		s.Stop()
		d.killed[s.NSEI()] = time.Now()
	case dead && d.opt.Revive > 0 && elapsed >= d.opt.KillAfter+d.opt.Revive && !s.Running():
		if err := s.Start(); err != nil {
			fmt.Fprintln(d.opt.Out, "lab:", err)
		}
	}
}

// show draws the table in place, or prints one line for each SGSN.
func (d *demo) show(v *view) {
	if !d.opt.IsTerminal {
		io.WriteString(d.opt.Out, plainLines(v))
		return
	}
	io.WriteString(d.opt.Out, "\x1b[H\x1b[2J"+d.plan.intro()+"\n"+table(v))
}

// verdict prints the summary.
func (d *demo) verdict(v *view) error {
	io.WriteString(d.opt.Out, table(v)+"\n"+summary(v))
	if !v.holds() {
		return ErrCrossCheck
	}
	return nil
}
