package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"poolgw/lab/load"
)

const sustainN2Help = `Usage: poolgw load sustain n2 [OPTIONS]
Measures how many UEs an N2 gateway serves a second, binds UEs that stay and
talk, sets "limits new-ues" to what it is to let in, and then has 200 % begin.
What does not fit has to be new sessions: nothing of bound UEs may be lost, and
no association may end (each has HEARTBEATs of SCTP every second, or as often as
--heartbeat says).
  --duration D      of the overload (default 60s)
  --over TIMES      instead of 2
  --limit PART      of what is served that new-ues lets in (default 0.4)
  --bound N         UEs that stay (default 1000)
  --talk PART       of what comes through that bound UEs send, as many answers
                    beside (default 0.05)
  --look D          of each of three looks for the capacity (default 3s)
and --gnbs, --amfs, --subscribers, --transport, --heartbeat, --nas, --procs,
--no-pin as "poolgw load n2" has them.
Exit status: 0 only new sessions gave way, 1 something else did, 2 nothing could
be measured.
`

func loadSustainN2Command(args []string) int {
	var o loadN2Options
	s := load.N2SustainOptions{Out: os.Stderr}
	f := newFlags("poolgw load sustain n2")
	o.common(f, time.Minute)
	partVar(f, &s.Over, "over", 2, 0.01, 100)
	partVar(f, &s.Limit, "limit", 0.4, 0.001, 1000)
	partVar(f, &s.Talk, "talk", 0.05, 0.0001, 1)
	intVar(f, &s.Bound, "bound", 1000, 1, maxBound)
	spanVar(f, &s.Look, "look", 3*time.Second)
	if code, done := parseOptions(f, sustainN2Help, args); done {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return failure(err)
	}
	o.Own, s.Duration = true, o.load.Duration
	t, err := o.target(ctx, self)
	if err != nil {
		return failure(err)
	}
	defer t.Stop()
	r, err := t.Sustain(ctx, s)
	if err != nil {
		return failure(err)
	}
	fmt.Println(r)
	return verdict(r.Err())
}
