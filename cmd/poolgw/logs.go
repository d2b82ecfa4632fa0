package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"sync"
	"time"

	"poolgw/cli"
	"poolgw/config"
	"poolgw/logging"
)

// newHub returns the log hub with the categories of the configuration.
func newHub() *logging.Hub {
	names := make([]string, len(config.LogCategories))
	for i, c := range config.LogCategories {
		names[i] = c.Name
	}
	return logging.New(names...)
}

// logTargets makes the hub's targets follow the configuration.
type logTargets struct {
	hub  *logging.Hub
	opts *runOptions

	mu  sync.Mutex
	set *logging.TargetSet
}

func (l *logTargets) Apply(old, new *config.Config, _ time.Time) error {
	l.hub.SetLimit(int(new.Gb.Limits.LogLines))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set != nil && reflect.DeepEqual(old.Logs, new.Logs) {
		return nil
	}
	return l.install(new)
}

// install opens the targets of c; the caller holds mu.
func (l *logTargets) install(c *config.Config) error {
	set, err := l.hub.SetTargets(l.set, l.targets(c))
	if err == nil {
		l.set = set
	}
	return err
}

// reopen opens files anew, after a log rotation.
func (l *logTargets) reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set == nil {
		return nil
	}
	return l.set.Reopen()
}

func (l *logTargets) alarms() ([]string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set.Alarms()
}

// close writes out what waits.
func (l *logTargets) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set != nil {
		l.set.Close(l.hub)
		l.set = nil
	}
}

// targets are those of the configuration that poolgw acts on.
func (l *logTargets) targets(c *config.Config) []logging.Target {
	var ts []logging.Target
	for _, t := range c.Logs {
		levels, format, filter := logView(&t.LogView)
		target := logging.Target{Kind: t.Kind, Arg: t.Arg, Blocking: t.Blocking, Raw: t.Raw,
			Levels: levels, Format: format, Filter: filter}
		if t.Kind == "stderr" {
			target.Format.Color = target.Format.Color && isTerminal(os.Stderr) // a journal wants none
			l.opts.override(&target)
		}
		ts = append(ts, target)
	}
	return ts
}

// logView turns the configuration's words into the hub's.
func logView(v *config.LogView) (logging.Levels, logging.Format, logging.Filter) {
	var levels logging.Levels
	for cat, name := range v.Levels {
		if l, err := logging.ParseLevel(name); err == nil {
			levels = levels.With(cat, l)
		}
	}
	if l, err := logging.ParseLevel(v.ForceAll); err == nil {
		levels.Force = &l
	}
	return levels, logging.Format{
		Color: v.Color, Timestamp: v.Timestamp, ExtTimestamp: v.ExtTimestamp, ThreadID: v.ThreadID,
		Category: v.Category, CategoryHex: v.CategoryHex, Level: v.Level,
		File: fileFormats[v.File], FileLast: v.FileLast, Mask: v.Mask,
	}, logFilter(v)
}

func logFilter(v *config.LogView) logging.Filter {
	decimal := func(n *uint16) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(int(*n))
	}
	f := logging.Filter{Only: !v.FilterAll, NSE: decimal(v.NSE), NSVC: decimal(v.NSVC), BVC: decimal(v.BVC), IMSI: v.IMSI}
	if v.TLLI != nil {
		f.TLLI = fmt.Sprintf("0x%08x", *v.TLLI)
	}
	return f
}

var fileFormats = map[string]logging.FileFormat{"1": logging.FilePath, "basename": logging.FileBase}

// vtyLogs is the log as the VTY sees it.
type vtyLogs struct {
	hub     *logging.Hub
	targets *logTargets
}

func (l vtyLogs) Open(v config.LogView, sink func(string)) cli.LogSession {
	s := sessionLog{l.hub.Open(sink)}
	s.SetView(v)
	return s
}

func (l vtyLogs) Alarms() ([]string, bool) { return l.targets.alarms() }

func (l vtyLogs) Log(category, level, text string) {
	lv, err := logging.ParseLevel(level)
	if err != nil {
		lv = logging.LevelNotice
	}
	l.hub.Logger().Log(context.Background(), lv, text, "cat", category)
}

// sessionLog is the log of one VTY session.
type sessionLog struct{ *logging.Session }

func (s sessionLog) SetView(v config.LogView) { s.Session.Set(logView(&v)) }
