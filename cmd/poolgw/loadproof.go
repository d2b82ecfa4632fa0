package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"poolgw/lab/load"
)

const sustainHelp = `Usage: poolgw load sustain [gb] [OPTIONS]
       poolgw load sustain n2 [OPTIONS]        (see poolgw load sustain n2 -h)
Measures what a Gb gateway carries, then sends 90 % of it, of which nothing may
be lost. Then busy loops take most of the gateway's processor, what it carries
beside them is measured, and 200 % of that (a tenth more, to be sure of it) is
sent, in which no NS-VC may go down and no NS-ALIVE of the gateway's or a peer's
may be lost. Each end of each NS-VC sends one a second.
  --duration D      of each of the two (default 60s)
  --part PART       instead of 0.9
  --over TIMES      instead of 2
  --busy N          busy loops on the gateway's processor, 1 to 64 (default 2:
                    they leave it a third)
  --look D          of each of three looks for each capacity (default 3s)
  --lossy           lost PDUs at 90 % are no fault (a busy machine)
and --size, --down, --bsss, --cells, --sgsns, --subscribers, --dialect, --seed,
--ipv6, --exec, --procs, --no-pin as "poolgw load gb" has them.
A yardstick, a small piece of work beside the gateway, tells how its processor
holds its speed. What is lost at 90 % while the machine was too slow for that
proves nothing, and 90 % of what it carries in its slowest second is sent; any
other loss is the gateway's. --lossy, --no-pin, a --look below 2s and machines
with one processor do without it: any loss is the gateway's.
Exit status: 0 nothing of the (last) 90 % and no NS-ALIVE was lost, 1 something
was, 2 nothing could be measured: the machine was too slow both times, the
generator could not send 90 % or saturate the gateway, or less than 190 % was
sent, or the gateway's sockets lost nothing of it.
`

// proofOptions are what the long-running proofs share with "load gb".
type proofOptions struct {
	loadOptions
	duration time.Duration
	look     time.Duration // for the capacity
	part     float64
}

func (o *proofOptions) flags(f *flag.FlagSet, duration time.Duration, part float64) {
	o.common(f, duration)
	spanVar(f, &o.look, "look", 3*time.Second)
	partVar(f, &o.part, "part", part, leastPart, 1)
}

// start starts the gateway and has everybody seen once.
func (o *proofOptions) start(ctx context.Context) (*load.Target, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	o.duration, o.load.Duration = o.load.Duration, o.look
	o.Own = o.exec == ""
	t, err := o.target(ctx)
	if err == nil {
		err = t.WarmUp()
		if err != nil {
			t.Stop()
		}
	}
	return t, err
}

func loadSustainCommand(args []string) int {
	if len(args) > 0 && args[0] == "n2" {
		return loadSustainN2Command(args[1:])
	}
	if len(args) > 0 && args[0] == "gb" {
		args = args[1:]
	}
	var o proofOptions
	f := newFlags("poolgw load sustain")
	o.flags(f, time.Minute, 0.9)
	var over float64
	var busy int
	partVar(f, &over, "over", 2, 0.01, 100)
	intVar(f, &busy, "busy", 2, 1, 64)
	lossy := f.Bool("lossy", false, "")
	if code, done := parseOptions(f, sustainHelp, args); done {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o.Keepalive = 1
	cores := o.cores() // before this process is bound to one processor
	t, err := o.start(ctx)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	s, err := t.Sustain(load.SustainOptions{Load: o.load, Duration: o.duration, Part: o.part, Over: over, Busy: busy, Lossy: *lossy, Core: cores.Tested, Out: os.Stderr})
	if err != nil {
		return failure(err)
	}
	fmt.Println(s)
	if *lossy {
		s.Calm.Result.Forgive()
	}
	return proven(s)
}

// proven tells what is wrong with the gateway or the measurement, if anything.
func proven(s *load.Sustained) int {
	code := verdict(s.Err())
	if err := s.Unproven(); err != nil {
		return cmp.Or(code, failure(err)) // what the gateway did wrong counts for more
	}
	return code
}

// verdict tells what is wrong, if anything.
func verdict(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "poolgw: %v\n", err)
	return exitListen
}

const soakHelp = `Usage: poolgw load soak [gb] [OPTIONS]
       poolgw load soak n2 [OPTIONS]
Sends 60 % of what the gateway carries for half an hour. At the end the account
must be exact: what was sent arrived, or was dropped where it is counted; and
the gateway must not have grown (goroutines, descriptors, live heap).
  --duration D      default 30m
  --part PART       of what it carries (default 0.6)
  --look D          of each look for that (default 3s)
  --gate COMMAND    run before each ten seconds of load, which wait for its
                    end: for a machine that others use too
gb: --size, --down, --bsss, --cells, --sgsns, --subscribers, --dialect, --seed,
--ipv6, --procs, --no-pin as "poolgw load gb" has them. n2: --gnbs, --amfs,
--subscribers, --transport, --heartbeat, --nas, --procs, --no-pin as "poolgw
load n2" has them; the account begins when each subscriber has been seen.
Exit status: 0 all is well, 1 it is not, or it was interrupted, 2 nothing could
be measured.
`

func loadSoakCommand(args []string) int {
	if len(args) > 0 && args[0] == "n2" {
		return loadSoakN2Command(args[1:])
	}
	if len(args) > 0 && args[0] == "gb" {
		args = args[1:]
	}
	var o proofOptions
	f := newFlags("poolgw load soak")
	o.flags(f, 30*time.Minute, 0.6)
	gate := f.String("gate", "", "")
	if code, done := parseOptions(f, soakHelp, args); done {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if o.exec != "" {
		return failure(errors.New("the soak reads the gateway's metrics: --exec is not for it"))
	}
	t, err := o.start(ctx)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	s, err := t.Soak(ctx, o.load, load.SoakOptions{Duration: o.duration, Part: o.part, Gate: gateOf(*gate), Out: os.Stderr})
	if err != nil {
		return failure(err)
	}
	fmt.Println(s)
	return verdict(s.Err())
}

// gateOf runs a command; nil: none.
func gateOf(command string) func() error {
	argv := strings.Fields(command)
	if len(argv) == 0 {
		return nil
	}
	return func() error {
		if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
			return fmt.Errorf("--gate %s: %w", command, err)
		}
		return nil
	}
}

const startHelp = `Usage: poolgw load start [OPTIONS]
Starts the gateway with many configured NSEs, brings all BVCs up with it and
tells how long that took and how much memory a BVC and a TLLI take.
  --nses N          of BSSs (default 500)
  --cells N         of each (default 10)
  --subscribers N   different TLLIs (default 100000)
and --sgsns, --dialect, --ipv6, --no-pin as "poolgw load gb" has them.
Exit status: 0 all came up, 2 it did not.
`

func loadStartCommand(args []string) int {
	o := loadOptions{}
	f := newFlags("poolgw load start")
	o.nodes(f)
	intVar(f, &o.BSSs, "nses", 500, 1, load.MaxBSSs)
	o.Cells, o.procs = 10, 1
	if code, done := parseOptions(f, startHelp, args); done {
		return code
	}
	self, err := os.Executable()
	if err == nil {
		err = o.complete()
	}
	if err != nil {
		return failure(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o.Own = true
	s, err := load.RunStart(ctx, o.Options, []string{self, "run"}, o.cores(), os.Stderr)
	if err != nil {
		return failure(err)
	}
	fmt.Println(s)
	return exitOK
}

func loadSoakN2Command(args []string) int {
	var o loadN2Options
	f := newFlags("poolgw load soak n2")
	o.common(f, 30*time.Minute)
	var look time.Duration
	spanVar(f, &look, "look", 3*time.Second)
	var part float64
	partVar(f, &part, "part", 0.6, leastPart, 1)
	gate := f.String("gate", "", "")
	if code, done := parseOptions(f, soakHelp, args); done {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return failure(err)
	}
	o.Own = true
	t, err := o.target(ctx, self)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	s, err := t.Soak(ctx, load.SoakOptions{Duration: o.load.Duration, Part: part, Gate: gateOf(*gate), Out: os.Stderr}, look)
	if err != nil {
		return failure(err)
	}
	fmt.Println(s)
	return verdict(s.Err())
}
