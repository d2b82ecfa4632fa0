package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"poolgw/gb"
	"poolgw/vty"
)

// snapshotTimeout bounds how long a show waits for the gateway's loop.
const snapshotTimeout = 10 * time.Second

var errNoGateway = errors.New("there is no gateway here")

func (p *program) snapshot() (gb.Snapshot, error) {
	if p.Gateway == nil {
		return gb.Snapshot{}, errNoGateway
	}
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTimeout)
	defer cancel()
	return p.Gateway.Snapshot(ctx)
}

// view is what a show shows: it picks it from a snapshot, and renders it as
// text.
type view struct {
	// pick returns the part of the snapshot that the arguments ask for; it is
	// what the json form marshals. An error says that there is none.
	pick func(s *gb.Snapshot, a vty.Args) (any, error)
	text func(w *writer, s *gb.Snapshot, a vty.Args)
}

// shows makes the commands of a view: the syntax as it is, and with "json".
func (p *program) shows(syntax string, help []string, v view) []vty.Command {
	return []vty.Command{
		{Nodes: inView, Syntax: syntax, Help: help, Run: p.showText(v)},
		p.showJSONOf(syntax, help, v),
	}
}

// showsStats is shows for a syntax that has "[stats]" too.
func (p *program) showsStats(syntax string, help []string, v view) []vty.Command {
	return []vty.Command{
		{Nodes: inView, Syntax: syntax + " [stats]", Help: append(help[:len(help):len(help)], statsOpt), Run: p.showText(v)},
		p.showJSONOf(syntax, help, v),
	}
}

func (p *program) showJSONOf(syntax string, help []string, v view) vty.Command {
	return vty.Command{Nodes: inView, Syntax: syntax + " json",
		Help: append(help[:len(help):len(help)], jsonHelp), Run: p.showJSON(v)}
}

func (p *program) showText(v view) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		snap, err := p.snapshot()
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

func (p *program) showJSON(v view) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		snap, err := p.snapshot()
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
