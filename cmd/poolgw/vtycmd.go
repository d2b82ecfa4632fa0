package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"poolgw/vty"
)

const vtyHelp = `Usage: poolgw vty [OPTIONS] [HOST [PORT]]
  -c COMMAND      run it and print its output; may be given several times
  -p PASSWORD     answer of the login prompt
  -e PASSWORD     answer of the enable prompt
  -t SECONDS      wait for each answer at most so long (default 30)
Without -c the session is interactive. HOST is 127.0.0.1, PORT 4246 by default.
The exit status is 1 when a command was refused, 2 when there is no VTY.
`

type stringList []string

func (l *stringList) String() string     { return fmt.Sprint(*l) }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }

func vtyCommand(args []string) int {
	f := newFlags("poolgw vty")
	var commands stringList
	var o vty.DialOptions
	f.Var(&commands, "c", "")
	f.StringVar(&o.Password, "p", "", "")
	f.StringVar(&o.EnablePassword, "e", "", "")
	seconds := f.Int("t", 30, "")
	words, code, done := parseMixed(f, vtyHelp, args)
	if done {
		return code
	}
	o.Timeout = time.Duration(*seconds) * time.Second
	host, port := "127.0.0.1", "4246"
	switch len(words) {
	case 2:
		port = words[1]
		fallthrough
	case 1:
		host = words[0]
	case 0:
	default:
		return failure(errors.New("vty takes HOST and PORT at most (see poolgw vty -h)"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	addr := net.JoinHostPort(host, port)
	if len(commands) == 0 {
		if err := vty.Interactive(ctx, addr, os.Stdin, os.Stdout); err != nil {
			return failure(err)
		}
		return exitOK
	}
	return runVTYCommands(ctx, addr, o, commands)
}

// runVTYCommands stops at the first command that is refused.
func runVTYCommands(ctx context.Context, addr string, o vty.DialOptions, commands []string) int {
	c, err := vty.Dial(ctx, addr, o)
	if err != nil {
		return failure(err)
	}
	defer c.Close()
	for _, cmd := range commands {
		out, err := c.Run(cmd)
		fmt.Print(out)
		var refused *vty.CommandError
		if errors.As(err, &refused) {
			fmt.Fprintf(os.Stderr, "poolgw: %q was refused\n", cmd)
			return exitListen
		}
		if errors.Is(err, io.EOF) {
			return exitOK // "exit"
		}
		if err != nil {
			return failure(err)
		}
	}
	return exitOK
}
