package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"poolgw/lab"
)

const labHelp = `Usage: poolgw lab [OPTIONS]
Runs the gateway as a process of its own with simulated SGSNs, BSSs and
subscribers on loopback, and shows who serves whom.
  --duration D       end after D (such as 60s), with a verdict; default: run on
  --sgsns N          SGSNs, 1 to 16 (default 3)
  --bsss N           BSSs (default 4)
  --subscribers N    subscribers (default 1000)
  --ues N            5G UEs at three gNBs, with three AMFs (default 1000; 0 or
                     a build without the userspace SCTP stack: none)
  --vty-port N       port of the gateway's VTY (default 4246, or a free one)
  --every D          time between tables (default 1s on a terminal, else 5s)
  --kill NSEI        kill this SGSN after --kill-after (default 20s)
  --revive D         and start it again after D
  --seed N           of all that is drawn by lot (default 1)
^C ends it as --duration does. Exit status 0: the gateway's figures and the
simulators' own truth agree at the end; 1: they do not; 2: the lab could not
run.
When the gateway ends by itself its exit status, if that is not 0, is the lab's.
`

func labCommand(args []string) int {
	o := lab.Options{Out: os.Stdout, IsTerminal: isTerminal(os.Stdout)}
	f := newFlags("poolgw lab")
	f.DurationVar(&o.Duration, "duration", 0, "")
	f.IntVar(&o.SGSNs, "sgsns", 0, "")
	f.IntVar(&o.BSSs, "bsss", 0, "")
	f.IntVar(&o.Subscribers, "subscribers", 0, "")
	f.IntVar(&o.UEs, "ues", 1000, "")
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
	if o.IsTerminal {
		resized := make(chan os.Signal, 1)
		signal.Notify(resized, syscall.SIGWINCH)
		defer signal.Stop(resized)
		o.Size, o.Resized = terminalSize, resized
	}
	return labExit(lab.Demo(ctx, o))
}

// labExit reports the lab's error and maps it.
func labExit(err error) int {
	if err == nil {
		return exitOK
	}
	code := failure(err)
	var ended *lab.GatewayEnded
	switch {
	case errors.Is(err, lab.ErrCrossCheck):
		return exitListen
	case errors.As(err, &ended) && ended.Status > 0:
		return ended.Status
	}
	return code
}

// terminalSize is that of the terminal at standard output; 0, 0: unknown.
func terminalSize() (rows, columns int) {
	w, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(w.Row), int(w.Col)
}
