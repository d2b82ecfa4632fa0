package logging

import (
	"errors"
	"fmt"
	"os"
)

// Target is one "log …" of the configuration.
type Target struct {
	Kind     string // "stderr", "file", "syslog", "systemd-journal", "gsmtap", "alarms"
	Arg      string // file name; syslog facility; gsmtap host; number of alarms kept
	Blocking bool   // write at once instead of through the queue
	Raw      bool   // systemd-journal: fields in the place of what a line begins with
	Levels   Levels
	Format   Format
	Filter   Filter
}

// key is what a target may not change while it goes on.
type key struct {
	kind, arg     string
	blocking, raw bool
}

func (t *Target) key() key {
	if t.Kind == "alarms" {
		return key{kind: t.Kind} // the list goes on with another length
	}
	return key{t.Kind, t.Arg, t.Blocking, t.Raw}
}

// rule is what the target takes, and how. Colours are for terminals and files.
func (t *Target) rule() *rule {
	f := t.Format
	f.Color = f.Color && (t.Kind == "stderr" || t.Kind == "file")
	if t.Kind == "stderr" && onJournal(os.Stderr) {
		f.Priority, f.Color = true, false
	}
	return &rule{levels: t.Levels, format: f, filter: t.Filter}
}

// TargetSet is the targets in force.
type TargetSet struct {
	sinks  map[key]*sink
	files  []*file
	alarms *alarms
}

// SetTargets replaces the configured targets; sessions stay. A target that both
// sets have goes on without losing a line. On error the targets are as before.
func (h *Hub) SetTargets(old *TargetSet, ts []Target) (*TargetSet, error) {
	if old == nil {
		old = &TargetSet{}
	}
	set, added := &TargetSet{sinks: map[key]*sink{}}, []*sink{}
	for _, t := range ts {
		s, err := old.sinks[t.key()], error(nil)
		if s == nil {
			if s, err = h.open(t); err != nil {
				closeAll(added)
				return old, err
			}
			s.rule.Store(t.rule())
			added = append(added, s)
		}
		set.sinks[t.key()] = s
	}
	for _, t := range ts {
		set.sinks[t.key()].rule.Store(t.rule())
		set.note(t, set.sinks[t.key()])
	}
	var gone []*sink
	for k, s := range old.sinks {
		if set.sinks[k] == nil {
			gone = append(gone, s)
		}
	}
	h.replace(gone, added)
	closeAll(gone)
	return set, nil
}

// note keeps what the set's methods need of a target.
func (t *TargetSet) note(of Target, s *sink) {
	switch out := s.out.(type) {
	case *alarms:
		out.resize(of.Arg)
		t.alarms = out
	case *file:
		t.files = append(t.files, out)
	}
}

// Reopen opens the files anew, after a log rotation; one that can't be opened
// goes on where it was.
func (t *TargetSet) Reopen() error {
	var errs []error
	for _, f := range t.files {
		errs = append(errs, f.reopen())
	}
	return errors.Join(errs...)
}

// Alarms returns the lines of the alarm list, oldest first; ok tells that there
// is one.
func (t *TargetSet) Alarms() (lines []string, ok bool) {
	if t == nil || t.alarms == nil {
		return nil, false
	}
	return t.alarms.list(), true
}

// Close detaches the targets from h and writes out what waits.
func (t *TargetSet) Close(h *Hub) {
	var all []*sink
	for _, s := range t.sinks {
		all = append(all, s)
	}
	h.replace(all, nil)
	closeAll(all)
}

func closeAll(ss []*sink) {
	for _, s := range ss {
		s.close()
	}
}

// open makes the sink of a target. What is reached through a socket is tried
// when there is something to write, and again when it fails: the log's receiver
// may come later than poolgw, or go.
func (h *Hub) open(t Target) (*sink, error) {
	out, err := output(nil), error(nil)
	switch t.Kind {
	case "stderr":
		out = stderr{}
	case "file":
		out, err = openFile(t.Arg)
	case "syslog":
		out, err = newSyslog(t.Arg)
	case "systemd-journal":
		out = newJournal(t.Raw)
	case "gsmtap":
		out = newGSMTAP(t.Arg)
	case "alarms":
		out = &alarms{}
	default:
		err = fmt.Errorf("logging: no target of kind %q", t.Kind)
	}
	if err != nil {
		return nil, err
	}
	name := t.Kind
	if t.Arg != "" && t.Kind != "alarms" {
		name += " " + t.Arg
	}
	return h.newSink(name, out, t.Blocking || t.Kind == "alarms"), nil
}
