package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"poolgw/lab/load"
	"poolgw/sctp"
)

const loadN2Help = `Usage: poolgw load n2 [OPTIONS]
Simulated gNBs and AMFs have UEs register and leave through an N2 gateway, 11
messages each, and tell what became of each message.
The load:
  --rate N          UEs that begin a second (default 200); 0: as many as
                    --window lets
  --window N        with --rate 0: UEs in the middle of it at most (default 64)
  --duration D      default 5s
  --nas N           octets of a NAS-PDU, 16 to 4096 (default 60)
  --loss PERCENT    loss that is no fault (default 0)
Who sends:
  --gnbs N          default 4, at most 4096
  --amfs N          default 3, at most 64
  --subscribers N   5G-S-TMSIs of the UEs, in turn (default 100000)
  --transport T     auto, kernel or userspace SCTP, of all (default auto)
  --heartbeat D     time between the heartbeats of an idle association, of gNBs,
                    AMFs and poolgw, 10ms to 10m (default 1s)
The gateway, by default this program as a process of its own:
  --exec COMMAND    another one that takes "-c FILE"
  --relay           none: a bare relay of SCTP messages in its place
  --procs N         its GOMAXPROCS (default 1; 0: as it likes)
  --no-pin          do not keep generator and gateway on a processor each
  --bench           relay and gateway in turn, as a table; --duration is of each
                    measurement
  --rounds N        of --bench (default 3)
  --json            the result as JSON
Exit status: 0 all messages came where they belong, 1 they did not, 2 nothing
could be measured.
`

type loadN2Options struct {
	load.N2Options
	load   load.N2Load
	choice sctp.Choice
	loss   float64 // per cent
	exec   string
	relay  bool
	procs  int
	noPin  bool
	bench  bool
	rounds int
	json   bool
}

// common are the options of every load of N2, with the duration unless given.
func (o *loadN2Options) common(f *flag.FlagSet, duration time.Duration) {
	spanVar(f, &o.load.Duration, "duration", duration)
	intVar(f, &o.NAS, "nas", 60, load.N2MinNAS, load.N2MaxNAS)
	intVar(f, &o.GNBs, "gnbs", 4, 1, load.N2MaxGNBs)
	intVar(f, &o.AMFs, "amfs", 3, 1, load.N2MaxAMFs)
	intVar(f, &o.Subscribers, "subscribers", 100000, 1, load.N2MaxSubscribers)
	f.Func("transport", "", o.setTransport)
	o.SCTP = sctp.Defaults()
	f.Func("heartbeat", "", o.setHeartbeat)
	intVar(f, &o.procs, "procs", 1, 0, maxProcs)
	f.BoolVar(&o.noPin, "no-pin", false, "")
}

// flags are the options of "load n2".
func (o *loadN2Options) flags(f *flag.FlagSet) {
	o.common(f, 5*time.Second)
	partVar(f, &o.load.Rate, "rate", 200, 0, maxRate)
	intVar(f, &o.load.Window, "window", 64, 1, load.N2MaxOpen)
	partVar(f, &o.loss, "loss", 0, 0, 100)
	f.StringVar(&o.exec, "exec", "", "")
	f.BoolVar(&o.relay, "relay", false, "")
	f.BoolVar(&o.bench, "bench", false, "")
	intVar(f, &o.rounds, "rounds", 3, 1, 1000)
	f.BoolVar(&o.json, "json", false, "")
}

func (o *loadN2Options) setTransport(s string) error {
	for _, c := range []sctp.Choice{sctp.Auto, sctp.OnlyKernel, sctp.OnlyUserspace} {
		if s == c.String() {
			o.choice = c
			return nil
		}
	}
	return fmt.Errorf("%q is none of auto, kernel, userspace", s)
}

// setHeartbeat takes what "sctp heartbeat-interval" takes.
func (o *loadN2Options) setHeartbeat(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 10*time.Millisecond || d > 10*time.Minute {
		return errors.New("10ms to 10m are possible")
	}
	o.SCTP.HeartbeatInterval = d
	return nil
}

func loadN2Command(args []string) int {
	var o loadN2Options
	f := newFlags("poolgw load n2")
	o.flags(f)
	if code, done := parseOptions(f, loadN2Help, args); done {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return failure(err)
	}
	if o.bench {
		return o.runBench(ctx, self)
	}
	t, err := o.target(ctx, self)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	r, err := t.Run(o.load)
	if err != nil {
		return failure(err)
	}
	o.print(r)
	if ctx.Err() != nil {
		return failure(ctx.Err())
	}
	if err := r.Err(o.loss / 100); err != nil {
		fmt.Fprintf(os.Stderr, "poolgw: %v\n", err)
		return exitListen
	}
	return exitOK
}

func (o *loadN2Options) print(r any) {
	if !o.json {
		fmt.Println(r)
		return
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	_ = e.Encode(r) // standard output is gone: nothing to tell it to
}

func (o *loadN2Options) cores() load.Cores {
	if o.noPin {
		return load.AnyCore
	}
	return load.ChooseCores()
}

func (o *loadN2Options) gateway(self string) []string {
	if argv := strings.Fields(o.exec); len(argv) > 0 {
		return argv
	}
	return []string{self, "run"}
}

func n2RelayOf(self string) []string { return []string{self, "load", "n2relay"} }

// target starts the gateway, or the relay.
func (o *loadN2Options) target(ctx context.Context, self string) (*load.N2Target, error) {
	cores := o.cores()
	if err := load.PinSelf(cores.Generator); err != nil {
		return nil, err
	}
	if o.relay {
		return load.StartN2Relay(ctx, o.N2Options, o.choice, n2RelayOf(self), cores.Tested, o.procs)
	}
	return load.StartN2Gateway(ctx, o.N2Options, o.choice, o.gateway(self), cores.Tested, o.procs)
}

func (o *loadN2Options) runBench(ctx context.Context, self string) int {
	b, err := load.RunN2Bench(ctx, load.N2BenchOptions{Gateway: o.gateway(self), Relay: n2RelayOf(self), Transport: o.choice,
		Rounds: o.rounds, Duration: o.load.Duration, Cores: o.cores(), Procs: o.procs, Out: os.Stderr})
	if err != nil {
		return failure(err)
	}
	o.print(b)
	return exitOK
}

// loadN2RelayCommand is the bare relay; its argument is a file that the generator
// wrote.
func loadN2RelayCommand(args []string) int {
	if len(args) != 1 {
		return failure(errors.New("load n2relay takes the file that load wrote"))
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return failure(err)
	}
	c, err := load.ReadN2RelayConfig(b)
	if err != nil {
		return failure(err)
	}
	t, _, err := sctp.Choose(c.Transport, sctp.UserspaceOptions{Shared: true})
	if err != nil {
		return failure(err)
	}
	r, err := load.NewN2Relay(t, c)
	if err != nil {
		return failure(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := r.Run(ctx); err != nil {
		return failure(err)
	}
	return exitOK
}
