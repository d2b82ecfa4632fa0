package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"poolgw/lab/load"
	"poolgw/sctp"
)

const benchHelp = `Usage: poolgw load bench [OPTIONS]
Measures the gateway and a bare relay in turn, with the same generator on the
same processors: Gb, and N2 where --transport can be had; then what is lost at
90 % of what comes through and at 200 % of what does beside busy loops on the
gateway's processor, and how long 500 NSEs with 5000 BVCs take to come up.
Prints one table.
  --duration D    of each measurement (default 3s)
  --rounds N      of each measurement; the table has the medians (default 3)
  --sustain D     of each of the two proofs (default 60s; 0: none)
  --nses N        that come up (default 500, with 10 BVCs each)
  --subscribers N different TLLIs (default 100000)
  --segment       in all rows of Gb, not in the last two only, both send PDUs of
                  one size and destination together (UDP_SEGMENT; the gateway
                  by its udp-segmentation)
  --exec COMMAND  another gateway that takes "-c FILE" in osmo-gbproxy's syntax
  --reference COMMAND   besides, another such Gb proxy in the same run
  --transport T   of N2: auto, kernel or userspace (default auto); none: no N2
  --logs FILE     what "go test -v ./n2" printed: its figures become rows too
  --quick         two rows of Gb only, to see whether the ratio is what it was
  --most RATIO    exit status 1 when the gateway takes more CPU time per PDU
                  than so many times the relay's in a full-load row (default:
                  no bound)
Exit status: 0 measured, 1 above --most, or something was lost that must not be
(see poolgw load sustain -h), 2 nothing could be measured, that proof was none,
or a PDU went astray.
`

type benchOptions struct {
	load.BenchOptions
	exec, reference string
	sustain         time.Duration
	transport       string
	logs            string
	nses            int
	most            float64
	tests           load.Table      // rows of logs
	proof           *load.Sustained // nil: there was none
}

func (o *benchOptions) flags(f *flag.FlagSet) {
	spanVar(f, &o.Duration, "duration", 3*time.Second)
	intVar(f, &o.Rounds, "rounds", 3, 1, 1000)
	f.IntVar(&o.Subscribers, "subscribers", 0, "")
	f.BoolVar(&o.Segment, "segment", false, "")
	f.BoolVar(&o.Quick, "quick", false, "")
	f.DurationVar(&o.sustain, "sustain", time.Minute, "")
	f.StringVar(&o.exec, "exec", "", "")
	f.StringVar(&o.reference, "reference", "", "")
	f.StringVar(&o.transport, "transport", "auto", "")
	f.IntVar(&o.nses, "nses", 500, "")
	f.StringVar(&o.logs, "logs", "", "")
	f.Float64Var(&o.most, "most", 0, "")
}

func loadBenchCommand(args []string) int {
	var o benchOptions
	f := newFlags("poolgw load bench")
	o.flags(f)
	if code, done := parseOptions(f, benchHelp, args); done {
		return code
	}
	self, err := os.Executable()
	if err == nil && o.sustain < 0 {
		err = errors.New("--sustain is 0 or more (see poolgw load bench -h)")
	}
	if err == nil && o.logs != "" {
		o.tests, err = tested(o.logs)
	}
	if err != nil {
		return failure(err)
	}
	o.Relay, o.Gateway = []string{self, "load", "relay"}, []string{self, "run"}
	if argv := strings.Fields(o.exec); len(argv) > 0 {
		o.Gateway = argv
	}
	if argv := strings.Fields(o.reference); len(argv) > 0 {
		o.Other = argv
	}
	o.Own = o.exec == ""
	o.Cores, o.Out = load.ChooseCores(), os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return o.run(ctx, self)
}

// run measures all and prints the table.
func (o *benchOptions) run(ctx context.Context, self string) int {
	start := time.Now()
	workers, err := load.RunWorkers(ctx, load.Options{BSSs: 50}, o.Gateway, load.AllCores(), o.Duration) // before this process is bound to one processor
	if err != nil {
		return failure(err)
	}
	b, err := load.RunBench(ctx, o.BenchOptions)
	if err != nil {
		return failure(err)
	}
	table := b.Table()
	if !o.Quick {
		rest, err := o.rest(ctx, self, b, workers)
		if err != nil {
			return failure(err)
		}
		table = append(table, rest...)
	}
	if _, err := table.WriteTo(os.Stdout); err != nil {
		return failure(err)
	}
	fmt.Fprintf(os.Stderr, "measured in %.0f s\n", time.Since(start).Seconds())
	if code := o.judge(b); code != exitOK || o.proof == nil {
		return code
	}
	return proven(o.proof)
}

// judge compares with --most.
func (o *benchOptions) judge(b *load.Bench) int {
	for _, r := range b.Rows {
		if o.most > 0 && !r.Half {
			fmt.Fprintf(os.Stderr, "%s: %.2f times the relay's CPU time (rounds %.2f to %.2f), at most %.2f\n", r.Name, r.Ratio, r.Least, r.Most, o.most)
			if r.Ratio > o.most {
				return exitListen
			}
		}
	}
	return exitOK
}

// rest is what else the table has.
func (o *benchOptions) rest(ctx context.Context, self string, b *load.Bench, workers *load.Workers) (t load.Table, err error) {
	t = workers.Table()
	if o.sustain > 0 {
		s, err := o.sustained(ctx)
		if err != nil {
			return nil, err
		}
		o.proof = s
		t = append(t, s.Table()...)
	}
	if o.Own {
		s, err := load.RunStart(ctx, load.Options{BSSs: o.nses, Cells: 10, Subscribers: 100000, Own: true}, o.Gateway, o.Cores, o.Out)
		if err != nil {
			return nil, err
		}
		t = append(t, s.Table()...)
	}
	n2, err := o.n2(ctx, self)
	if err != nil {
		return nil, err
	}
	if n2 != nil {
		t = append(t, n2.Table()...)
	}
	t = append(t, o.tests...)
	return append(t, load.Published(b, n2, o.proof)...), nil
}

func (o *benchOptions) sustained(ctx context.Context) (*load.Sustained, error) {
	nodes := load.Options{BSSs: 20, Subscribers: o.Subscribers, Own: o.Own, Keepalive: 1}
	t, err := load.StartGateway(ctx, nodes, o.Gateway, o.Cores.Tested, 1)
	if err != nil {
		return nil, err
	}
	defer t.Stop()
	if err := t.WarmUp(); err != nil {
		return nil, err
	}
	return t.Sustain(load.SustainOptions{Load: load.Load{Sizes: []int{100, 500}, Down: 0.5, Duration: o.Duration},
		Duration: o.sustain, Core: o.Cores.Tested, Out: o.Out})
}

// boundUEs are those whose heap is measured.
const boundUEs = 20000

// n2 is nil where there is no SCTP.
func (o *benchOptions) n2(ctx context.Context, self string) (*load.N2Bench, error) {
	var n loadN2Options
	if o.transport == "none" {
		return nil, nil
	}
	if err := n.setTransport(o.transport); err != nil {
		return nil, err
	}
	if _, _, err := sctp.Choose(n.choice, sctp.UserspaceOptions{Shared: true}); err != nil {
		fmt.Fprintf(os.Stderr, "N2 is not measured: %v\n", err)
		return nil, nil
	}
	bound := boundUEs
	if !o.Own {
		bound = 0 // it has no metrics
	}
	return load.RunN2Bench(ctx, load.N2BenchOptions{Gateway: n.gateway(self), Relay: n2RelayOf(self), Transport: n.choice, Own: o.Own,
		Rounds: o.Rounds, Duration: o.Duration, Bound: bound, Cores: o.Cores, Procs: 1, Out: os.Stderr})
}

// testRow is a row of the table as tests of package n2 log it.
var testRow = regexp.MustCompile(`\| (N2, [^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|`)

// mustTestRows are as many as there must be.
const mustTestRows = 5

// tested takes the rows out of a log of tests.
func tested(file string) (t load.Table, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if m := testRow.FindStringSubmatch(lines.Text()); m != nil {
			for i := range m {
				m[i] = strings.TrimSpace(m[i])
			}
			t = append(t, load.TableRow{Figure: m[1], Reference: m[2], Ours: m[3], Ratio: m[4], Goal: m[5]})
		}
	}
	if err = lines.Err(); err != nil {
		err = fmt.Errorf("--logs %s: %w", file, err)
	} else if len(t) < mustTestRows {
		err = fmt.Errorf("--logs %s has %d rows of figures, not %d: is it what \"go test -v ./n2 -run 'MillionUEs|RelayTwentyTimes|DoesNotAllocate'\" printed?", file, len(t), mustTestRows)
	}
	return t, err
}
