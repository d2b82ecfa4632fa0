package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"poolgw/gb"
	"poolgw/n2"
	"poolgw/vty"
)

// snapshotTimeout bounds how long a show waits for the gateway's loop.
const snapshotTimeout = 10 * time.Second

var errNoGateway = errors.New("there is no gateway here")

// snapshotN2 asks the N2 gateway. One that does not run, since there is no node
// ngap, has a snapshot too.
func (p *program) snapshotN2() (n2.Snapshot, error) {
	if p.N2 == nil {
		return n2.Snapshot{}, errNoGateway
	}
	ctx, cancel := context.WithTimeout(context.Background(), ownersTimeout)
	defer cancel()
	return p.N2.Snapshot(ctx)
}

// bothStates is the state of both gateways; that of N2 is empty where there is
// none.
type bothStates struct {
	gb gb.Snapshot
	n2 n2.Snapshot
}

func (p *program) snapshots() (s bothStates, err error) {
	if s.gb, err = p.snapshot(); err == nil && p.N2 != nil {
		s.n2, err = p.snapshotN2()
	}
	return s, err
}

// ownersTimeout bounds how long a show waits for the gNBs' owners; those that
// are late are shown as busy.
const ownersTimeout = 2 * time.Second

func (p *program) snapshot() (gb.Snapshot, error) {
	if p.Gateway == nil {
		return gb.Snapshot{}, errNoGateway
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTimeout)
	defer cancel()
	return p.Gateway.Snapshot(ctx)
}

// view is what a show of the Gb gateway shows, viewN2 what one of the N2 gateway
// does.
type (
	view   = viewOf[gb.Snapshot]
	viewN2 = viewOf[n2.Snapshot]
)

// viewOf is what a show shows: it picks it from a snapshot, and renders it as
// text.
type viewOf[S any] struct {
	// pick returns the part of the snapshot that the arguments ask for; it is
	// what the json form marshals. An error says that there is none.
	pick func(s *S, a vty.Args) (any, error)
	text func(w *writer, s *S, a vty.Args)
}

// showsOf makes the commands of a view: the syntax as it is, and with "json".
func showsOf[S any](get func() (S, error), syntax string, help []string, v viewOf[S]) []vty.Command {
	return []vty.Command{
		{Nodes: inView, Syntax: syntax, Help: help, Run: showText(get, v)},
		showJSONOf(get, syntax, help, v),
	}
}

func (p *program) shows(syntax string, help []string, v view) []vty.Command {
	return showsOf(p.snapshot, syntax, help, v)
}

func (p *program) showsN2(syntax string, help []string, v viewN2) []vty.Command {
	return showsOf(p.snapshotN2, syntax, help, v)
}

// showsStats is shows for a syntax that has "[stats]" too.
func (p *program) showsStats(syntax string, help []string, v view) []vty.Command {
	return []vty.Command{
		{Nodes: inView, Syntax: syntax + " [stats]", Help: append(help[:len(help):len(help)], statsOpt), Run: showText(p.snapshot, v)},
		showJSONOf(p.snapshot, syntax, help, v),
	}
}

func showJSONOf[S any](get func() (S, error), syntax string, help []string, v viewOf[S]) vty.Command {
	return vty.Command{Nodes: inView, Syntax: syntax + " json",
		Help: append(help[:len(help):len(help)], jsonHelp), Run: showJSON(get, v)}
}

func showText[S any](get func() (S, error), v viewOf[S]) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		snap, err := get()
		if err != nil {
			return err
		}
		if _, err := v.pick(&snap, a); err != nil {
			return err
		}
		var w writer
		v.text(&w, &snap, a)
		_, err = s.Write(w.Bytes())
		return err
	}
}

func showJSON[S any](get func() (S, error), v viewOf[S]) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		snap, err := get()
		if err != nil {
			return err
		}
		part, err := v.pick(&snap, a)
		if err != nil {
			return err
		}
		return writeJSON(s, part)
	}
}

// since is a duration as osmo-gbproxy writes it, "0d 0h 0m 6s".
func since(now, t time.Time) string {
	if t.IsZero() || now.Before(t) {
		t = now
	}
	s := int64(now.Sub(t) / time.Second)
	return fmt.Sprintf("%dd %dh %dm %ds", s/86400, s/3600%24, s/60%60, s%60)
}

// ago is a short duration for columns: "12s", "5m", "3h", "2d"; "-" for never.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	s := max(int64(now.Sub(t)/time.Second), 0)
	switch {
	case s < 120:
		return fmt.Sprintf("%ds", s)
	case s < 2*3600:
		return fmt.Sprintf("%dm", s/60)
	case s < 2*86400:
		return fmt.Sprintf("%dh", s/3600)
	}
	return fmt.Sprintf("%dd", s/86400)
}
