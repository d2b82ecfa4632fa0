package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"poolgw/lab/load"
	"poolgw/ns"
)

const loadHelp = `Usage: poolgw load gb [OPTIONS]
       poolgw load n2 [OPTIONS]        (see poolgw load n2 -h)
       poolgw load (bench|sustain|soak|start) [OPTIONS]      (see -h of each)
gb: simulated BSSs and SGSNs send user data through a Gb gateway at a given
rate, and tell what became of each PDU. bench: the same, through the gateway and
through a bare relay in turn, as a table. sustain: what is lost at 90 % of what
the gateway carries, and of keepalives at 200 % of what it carries beside other
work on its processor; "sustain n2": of what bound UEs say while twice as many
UEs begin as are served. soak: for half an hour, with an account. start: how
long many NSEs and BVCs take to be there, and how much memory.

The load:
  --rate N          PDUs per second (default 20000); 0: as many as --window lets
  --window N        with --rate 0: PDUs on their way at most (default 1024);
                    0: no bound, which is an overload
  --search          look for the highest rate with less loss than --loss
  --duration D      default 5s
  --size N[,N...]   octets of a PDU, drawn by lot (default 100)
  --down PART       the part that goes down, 0 to 1 (default 0)
  --loss PERCENT    loss that is no fault (default 0)
Who sends:
  --bsss N          default 4
  --cells N         of each BSS (default 1)
  --sgsns N         default 3
  --subscribers N   different TLLIs (default 100000)
  --dialect D       NS of the BSSs: static, ipaccess or sns (default static)
  --ipv6            NS over IPv6
  --seed N          of all that is drawn by lot (default 1)
The gateway, by default this program as a process of its own:
  --exec COMMAND    another one that takes "-c FILE", with osmo-gbproxy's syntax
  --relay           none: a bare relay in its place
  --segment         poolgw or relay sends with UDP_SEGMENT
  --reference COMMAND   besides, the same load through another Gb proxy that
                    takes "-c FILE" with osmo-gbproxy's syntax
  --procs N         its GOMAXPROCS (default 1; 0: as it likes)
  --to-bsss A:P     one that runs: its end toward the BSSs
  --to-sgsns A:P    and toward the SGSNs
  --sgsn NSEI=A:P   an SGSN that it knows, in the order of their equal shares of
                    the NRIs; for each one of --sgsns
  --pid N           its process, for the CPU time
  --no-pin          do not keep generator and gateway on a processor each
Exit status: 0 all PDUs came where they belong, 1 they did not, 2 nothing could
be measured.
`

// The bounds of options that only a slip exceeds.
const (
	maxRate   = 1e8
	maxProcs  = 1024
	maxBound  = 1 << 20
	leastPart = 0.001
)

// loadOptions are the options of "load gb".
type loadOptions struct {
	load.Options
	load   load.Load
	sgsns  int
	search bool
	loss   float64 // per cent
	exec   string
	relay  bool
	procs  int
	pid    int
	noPin  bool
	given  []load.SGSN
	// reference is another proxy's command.
	reference string
}

func loadCommand(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "gb":
			return loadGbCommand(args[1:])
		case "bench":
			return loadBenchCommand(args[1:])
		case "sustain":
			return loadSustainCommand(args[1:])
		case "soak":
			return loadSoakCommand(args[1:])
		case "start":
			return loadStartCommand(args[1:])
		case "n2":
			return loadN2Command(args[1:])
		case "n2relay": // what load starts itself
			return loadN2RelayCommand(args[1:])
		case "relay": // what load starts itself
			return loadRelayCommand(args[1:])
		}
	}
	if len(args) > 0 && args[0] != "-h" && args[0] != "--help" {
		return failure(fmt.Errorf("there is no load %q: gb, n2, bench, sustain, soak and start are possible (see poolgw load -h)", args[0]))
	}
	fmt.Print(loadHelp)
	if len(args) > 0 {
		return exitOK
	}
	return exitConfig
}

// nodes are the options of every load of Gb: who is there.
func (o *loadOptions) nodes(f *flag.FlagSet) {
	intVar(f, &o.Cells, "cells", 1, 1, load.MaxCells)
	f.BoolVar(&o.IPv6, "ipv6", false, "")
	intVar(f, &o.sgsns, "sgsns", 3, 1, 64)
	intVar(f, &o.Subscribers, "subscribers", 100000, 1, load.MaxSubscribers)
	f.Uint64Var(&o.Seed, "seed", 1, "")
	f.Func("dialect", "", o.setDialect)
	f.BoolVar(&o.noPin, "no-pin", false, "")
}

// common are the options of "load gb" and of the proofs, with the duration unless given.
func (o *loadOptions) common(f *flag.FlagSet, duration time.Duration) {
	o.nodes(f)
	spanVar(f, &o.load.Duration, "duration", duration)
	f.Func("size", "", o.setSizes)
	partVar(f, &o.load.Down, "down", 0, 0, 1)
	intVar(f, &o.BSSs, "bsss", 4, 1, load.MaxBSSs)
	f.StringVar(&o.exec, "exec", "", "")
	f.BoolVar(&o.Segment, "segment", false, "")
	intVar(f, &o.procs, "procs", 1, 0, maxProcs)
}

// flags are the options of "load gb".
func (o *loadOptions) flags(f *flag.FlagSet) {
	o.common(f, 5*time.Second)
	partVar(f, &o.load.Rate, "rate", 20000, 0, maxRate)
	intVar(f, &o.load.Window, "window", 1024, 0, 1<<20)
	partVar(f, &o.loss, "loss", 0, 0, 100)
	f.BoolVar(&o.search, "search", false, "")
	f.StringVar(&o.reference, "reference", "", "")
	f.BoolVar(&o.relay, "relay", false, "")
	f.IntVar(&o.pid, "pid", 0, "")
	f.TextVar(&o.ToBSSs, "to-bsss", netip.AddrPort{}, "")
	f.TextVar(&o.ToSGSNs, "to-sgsns", netip.AddrPort{}, "")
	f.Func("sgsn", "", o.addSGSN)
}

func (o *loadOptions) setSizes(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return fmt.Errorf("size %q is no number", part)
		}
		o.load.Sizes = append(o.load.Sizes, n)
	}
	return nil
}

func (o *loadOptions) setDialect(s string) error {
	d, ok := map[string]ns.Dialect{"static": ns.DialectStaticAlive, "ipaccess": ns.DialectIPAccess, "sns": ns.DialectSNS}[s]
	if !ok {
		return fmt.Errorf("%q is none of static, ipaccess, sns", s)
	}
	o.Dialect = d
	return nil
}

func (o *loadOptions) addSGSN(s string) error {
	nsei, addr, ok := strings.Cut(s, "=")
	n, err := strconv.ParseUint(nsei, 10, 16)
	if !ok || err != nil {
		return fmt.Errorf("%q is not NSEI=ADDRESS:PORT", s)
	}
	a, err := netip.ParseAddrPort(addr)
	o.given = append(o.given, load.SGSN{NSEI: uint16(n), Addr: a})
	return err
}

// complete makes the SGSNs.
func (o *loadOptions) complete() error {
	const bitLen = 10
	o.SGSNs = load.ShareNRIs(o.sgsns, bitLen)
	if !o.ToBSSs.IsValid() && !o.ToSGSNs.IsValid() && o.given == nil {
		return nil
	}
	if len(o.given) != o.sgsns {
		return fmt.Errorf("%d --sgsn for %d SGSNs", len(o.given), o.sgsns)
	}
	for i, s := range o.given {
		o.SGSNs[i].NSEI, o.SGSNs[i].Addr = s.NSEI, s.Addr
	}
	return nil
}

func loadGbCommand(args []string) int {
	var o loadOptions
	f := newFlags("poolgw load gb")
	o.flags(f)
	if code, done := parseOptions(f, loadHelp, args); done {
		return code
	}
	if err := o.complete(); err != nil {
		return failure(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	code := o.run(ctx)
	if o.reference == "" || code == exitConfig {
		return code
	}
	fmt.Printf("\n%s:\n", o.reference)
	o.exec, o.relay = o.reference, false
	return max(code, o.run(ctx))
}

// run measures one gateway.
func (o *loadOptions) run(ctx context.Context) int {
	t, err := o.target(ctx)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	r, err := o.measure(t)
	if err != nil {
		return failure(err)
	}
	fmt.Println(r)
	if ctx.Err() != nil { // half a measurement is none
		return failure(ctx.Err())
	}
	return verdict(r.Err(o.loss / 100))
}

func (o *loadOptions) cores() load.Cores {
	if o.noPin {
		return load.AnyCore
	}
	return load.ChooseCores()
}

// target starts the gateway or finds it.
func (o *loadOptions) target(ctx context.Context) (*load.Target, error) {
	cores := o.cores()
	if err := load.PinSelf(cores.Generator); err != nil {
		return nil, err
	}
	if o.given != nil {
		return load.Connect(ctx, o.Options, o.pid)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if o.relay {
		return load.StartRelay(ctx, o.Options, []string{self, "load", "relay"}, cores.Tested)
	}
	argv := strings.Fields(o.exec)
	if len(argv) == 0 {
		argv = []string{self, "run"}
	}
	return load.StartGateway(ctx, o.Options, argv, cores.Tested, o.procs)
}

func (o *loadOptions) measure(t *load.Target) (*load.Result, error) {
	if err := t.WarmUp(); err != nil {
		return nil, err
	}
	if !o.search {
		return t.Run(o.load)
	}
	rate, r, err := t.Capacity(o.load, o.loss/100, func(r *load.Result) {
		fmt.Printf("at %8.0f/s: %8.0f/s come through, %.4f %% lost\n", float64(r.Sent)/r.Duration.Seconds(), r.Rate(), 100*r.Loss())
	})
	if err == nil {
		fmt.Printf("highest rate with at most %g %% lost: %.0f/s\n", o.loss, rate)
	}
	return r, err
}

// loadRelayCommand is the bare relay; its argument is a file that the generator
// wrote.
func loadRelayCommand(args []string) int {
	if len(args) != 1 {
		return failure(errors.New("load relay takes the file that load wrote"))
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return failure(err)
	}
	c, err := load.ReadRelayConfig(b)
	if err != nil {
		return failure(err)
	}
	r, err := load.NewRelay(c)
	if err != nil {
		return failure(err)
	}
	defer r.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := r.Run(ctx); err != nil {
		return failure(err)
	}
	return exitOK
}
