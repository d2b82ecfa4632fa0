package main

import (
	"reflect"
	"time"

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
	set  *logging.TargetSet
	opts *runOptions
}

func (l *logTargets) Apply(old, new *config.Config, _ time.Time) error {
	l.hub.SetLimit(int(new.Gb.Limits.LogLines))
	if l.set != nil && reflect.DeepEqual(old.Logs, new.Logs) {
		return nil
	}
	set, err := l.hub.SetTargets(l.set, l.targets(new))
	if err != nil {
		return err
	}
	l.set = set
	return nil
}

// reopen opens files anew, after a log rotation.
func (l *logTargets) reopen(c *config.Config) error {
	set, err := l.hub.SetTargets(l.set, l.targets(c))
	if err == nil {
		l.set = set
	}
	return err
}

// targets are those of the configuration that poolgw acts on; without any,
// stderr.
func (l *logTargets) targets(c *config.Config) []logging.Target {
	logs := c.Logs
	if len(logs) == 0 {
		logs = []config.LogTarget{{Kind: "stderr", LogView: config.DefaultLogView()}}
	}
	var ts []logging.Target
	for _, t := range logs {
		if t.Kind == "gsmtap" {
			continue // kept; not acted on
		}
		levels, format := logView(&t.LogView)
		target := logging.Target{Kind: t.Kind, Arg: t.Arg, Blocking: t.Blocking, Levels: levels, Format: format}
		if t.Kind == "stderr" {
			l.opts.override(&target)
		}
		ts = append(ts, target)
	}
	return ts
}

// logView turns the configuration's words into the hub's.
func logView(v *config.LogView) (logging.Levels, logging.Format) {
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
		Color: v.Color, Timestamp: v.Timestamp, ExtTimestamp: v.ExtTimestamp,
		Category: v.Category, CategoryHex: v.CategoryHex, Level: v.Level,
		File: fileFormats[v.File], FileLast: v.FileLast, Discard: !v.FilterAll,
	}
}

var fileFormats = map[string]logging.FileFormat{"1": logging.FilePath, "basename": logging.FileBase}

// sessionLog is the log of one VTY session.
type sessionLog struct{ *logging.Session }

func (s sessionLog) SetView(v config.LogView) { s.Set(logView(&v)) }
