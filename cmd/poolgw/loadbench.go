package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"poolgw/lab/load"
)

const benchHelp = `Usage: poolgw load bench [OPTIONS]
Measures the gateway and a bare relay in turn, with the same generator on the
same processors, and prints a table.
  --duration D    of each measurement (default 3s)
  --rounds N      of each measurement; the table has the medians (default 3)
  --subscribers N different TLLIs (default 100000)
  --segment       both send PDUs of one size and destination together
                  (UDP_SEGMENT; the gateway by its udp-segmentation)
  --exec COMMAND  another gateway that takes "-c FILE" in osmo-gbproxy's syntax
  --most RATIO    exit status 1 when the gateway takes more CPU time per PDU
                  than so many times the relay's in a full-load row (default:
                  no bound)
Exit status: 0 measured, 1 above --most, 2 nothing could be measured or a PDU
went astray.
`

func loadBenchCommand(args []string) int {
	var o load.BenchOptions
	f := newFlags("poolgw load bench")
	f.DurationVar(&o.Duration, "duration", 3*time.Second, "")
	f.IntVar(&o.Rounds, "rounds", 3, "")
	f.IntVar(&o.Subscribers, "subscribers", 0, "")
	f.BoolVar(&o.Segment, "segment", false, "")
	other := f.String("exec", "", "")
	most := f.Float64("most", 0, "")
	if code, done := parseFlags(f, benchHelp, args); done {
		return code
	}
	self, err := os.Executable()
	if err == nil && (f.NArg() > 0 || o.Rounds < 1) {
		err = errors.New("load bench takes options only, and at least one round (see poolgw load bench -h)")
	}
	if err != nil {
		return failure(err)
	}
	o.Relay, o.Gateway = []string{self, "load", "relay"}, []string{self, "run"}
	if argv := strings.Fields(*other); len(argv) > 0 {
		o.Gateway = argv
	}
	o.Cores, o.Out = load.ChooseCores(), os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return runBench(ctx, o, *most)
}

func runBench(ctx context.Context, o load.BenchOptions, most float64) int {
	b, err := load.RunBench(ctx, o)
	if err != nil {
		return failure(err)
	}
	if _, err := b.WriteTo(os.Stdout); err != nil {
		return failure(err)
	}
	for _, r := range b.Rows {
		if most > 0 && !r.Half && r.Ratio > most {
			fmt.Fprintf(os.Stderr, "poolgw: %s: %.2f times the relay's CPU time, above %.2f\n", r.Name, r.Ratio, most)
			return exitListen
		}
	}
	return exitOK
}
