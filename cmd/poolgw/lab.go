package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"poolgw/lab"
)

const labHelp = `Usage: poolgw lab [OPTIONS]
Runs the gateway as a process of its own with simulated SGSNs, BSSs and
subscribers on loopback, and shows who serves whom.
  --duration D       end after D (such as 60s), with a verdict; default: run on
  --sgsns N          SGSNs, 1 to 16 (default 3)
  --bsss N           BSSs (default 4)
  --subscribers N    subscribers (default 1000)
  --vty-port N       port of the gateway's VTY (default 4246, or a free one)
  --every D          time between tables (default 1s on a terminal, else 5s)
  --kill NSEI        kill this SGSN after --kill-after (default 20s) and start it
  --revive D         again after D
  --seed N           of all that is drawn by lot (default 1)
Exit status 0: the gateway's figures and the simulators' own truth agree at the
end; 1: they do not; 2: the lab could not run.
`

func labCommand(args []string) int {
	o := lab.Options{Out: os.Stdout, IsTerminal: isTerminal(os.Stdout)}
	f := newFlags("poolgw lab")
	f.DurationVar(&o.Duration, "duration", 0, "")
	f.IntVar(&o.SGSNs, "sgsns", 0, "")
	f.IntVar(&o.BSSs, "bsss", 0, "")
	f.IntVar(&o.Subscribers, "subscribers", 0, "")
	f.DurationVar(&o.Every, "every", 0, "")
	f.DurationVar(&o.KillAfter, "kill-after", 0, "")
	f.DurationVar(&o.Revive, "revive", 0, "")
	f.Uint64Var(&o.Seed, "seed", 0, "")
	f.Func("vty-port", "", uint16Flag(&o.VTYPort))
	f.Func("kill", "", uint16Flag(&o.Kill))
	if code, done := parseFlags(f, labHelp, args); done {
		return code
	}
	if f.NArg() > 0 {
		return failure(errors.New("lab takes options only (see poolgw lab -h)"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := lab.Demo(ctx, o)
	if err != nil {
		code := failure(err)
		if errors.Is(err, lab.ErrCrossCheck) {
			return exitListen
		}
		return code
	}
	return exitOK
}
