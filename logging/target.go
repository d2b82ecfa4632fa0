package logging

import (
	"fmt"
	"io"
	"log/slog"
	"log/syslog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Target is one "log …" of the configuration.
type Target struct {
	Kind     string // "stderr", "file", "syslog", "systemd-journal", "alarms"
	Arg      string // file name; syslog facility; number of alarms kept
	Blocking bool   // write at once instead of through the queue
	Levels   Levels
	Format   Format
}

// queueLen is how many lines may wait for a slow target, and drainTime how long
// a target that is closed may take to write them.
const (
	queueLen  = 4096
	drainTime = 2 * time.Second
)

// SetTargets replaces the configured targets; sessions stay. On error the
// targets are as before.
func (h *Hub) SetTargets(old *TargetSet, ts []Target) (*TargetSet, error) {
	set := &TargetSet{}
	for _, t := range ts {
		s, err := open(t, set)
		if err != nil {
			set.Close(h)
			return old, err
		}
		s.rule.Store(&rule{levels: t.Levels, format: t.Format})
		set.sinks = append(set.sinks, s)
	}
	for _, s := range set.sinks {
		h.add(s)
	}
	if old != nil {
		old.Close(h)
	}
	return set, nil
}

// TargetSet is the targets in force.
type TargetSet struct {
	sinks   []*sink
	alarms  *alarms
	dropped atomic.Uint64
}

// Dropped returns how many lines slow targets have lost.
func (t *TargetSet) Dropped() uint64 { return t.dropped.Load() }

// Alarms returns the lines of the alarm list, oldest first.
func (t *TargetSet) Alarms() []string {
	if t == nil || t.alarms == nil {
		return nil
	}
	return t.alarms.list()
}

// Close detaches the targets from h and writes out what waits.
func (t *TargetSet) Close(h *Hub) {
	for _, s := range t.sinks {
		h.remove(s)
		s.close()
	}
}

func open(t Target, set *TargetSet) (*sink, error) {
	switch t.Kind {
	case "stderr":
		return lines(os.Stderr, nil, t.Blocking, set), nil
	case "file":
		// A FIFO without a reader is an error and not a wait.
		f, err := os.OpenFile(t.Arg, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o640)
		if err != nil {
			return nil, fmt.Errorf("logging: %w", err)
		}
		return lines(f, f, t.Blocking, set), nil
	case "syslog":
		return openSyslog(t.Arg, set)
	case "systemd-journal":
		return openJournal(set)
	case "alarms":
		n := 100
		fmt.Sscan(t.Arg, &n)
		set.alarms = &alarms{max: max(n, 1)}
		return &sink{write: set.alarms.add, close: func() {}}, nil
	}
	return nil, fmt.Errorf("logging: no target of kind %q", t.Kind)
}

// lines writes whole lines to w, by default through a queue.
func lines(w io.Writer, c io.Closer, blocking bool, set *TargetSet) *sink {
	return queued(func(_ entry, line string) { io.WriteString(w, line+"\n") }, c, blocking, set)
}

// queued puts a bounded queue and a goroutine before write.
func queued(write func(entry, string), c io.Closer, blocking bool, set *TargetSet) *sink {
	done := func() {
		if c != nil {
			c.Close()
		}
	}
	if blocking {
		var mu sync.Mutex
		return &sink{close: done, write: func(e entry, l string) {
			mu.Lock()
			defer mu.Unlock()
			write(e, l)
		}}
	}
	type item struct {
		e entry
		l string
	}
	q, stop, ended := make(chan item, queueLen), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case it := <-q:
				write(it.e, it.l)
			case <-stop:
				for len(q) > 0 {
					it := <-q
					write(it.e, it.l)
				}
				return
			}
		}
	}()
	var once sync.Once
	return &sink{
		write: func(e entry, l string) {
			select {
			case q <- item{e, l}:
			default:
				set.dropped.Add(1)
			}
		},
		close: func() { once.Do(func() { close(stop); await(ended); done() }) },
	}
}

// await gives up on a target that takes nothing: a change of the log, or the
// end of the program, must not wait for ever on who reads its pipe.
func await(ended <-chan struct{}) {
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
}

var facilities = map[string]syslog.Priority{
	"authpriv": syslog.LOG_AUTHPRIV, "cron": syslog.LOG_CRON, "daemon": syslog.LOG_DAEMON,
	"ftp": syslog.LOG_FTP, "lpr": syslog.LOG_LPR, "mail": syslog.LOG_MAIL, "news": syslog.LOG_NEWS,
	"user": syslog.LOG_USER, "uucp": syslog.LOG_UUCP,
	"local 0": syslog.LOG_LOCAL0, "local 1": syslog.LOG_LOCAL1, "local 2": syslog.LOG_LOCAL2,
	"local 3": syslog.LOG_LOCAL3, "local 4": syslog.LOG_LOCAL4, "local 5": syslog.LOG_LOCAL5,
	"local 6": syslog.LOG_LOCAL6, "local 7": syslog.LOG_LOCAL7,
}

func openSyslog(facility string, set *TargetSet) (*sink, error) {
	p, ok := facilities[facility]
	if !ok {
		return nil, fmt.Errorf("logging: no syslog facility %q", facility)
	}
	w, err := syslog.New(p|syslog.LOG_INFO, "poolgw")
	if err != nil {
		return nil, fmt.Errorf("logging: syslog: %w", err)
	}
	by := []struct {
		level slog.Level
		write func(string) error
	}{{LevelFatal, w.Crit}, {LevelError, w.Err}, {LevelNotice, w.Notice}, {LevelInfo, w.Info}, {LevelDebug, w.Debug}}
	return queued(func(e entry, line string) {
		for _, b := range by {
			if e.level >= b.level {
				b.write(line)
				return
			}
		}
	}, w, false, set), nil
}

// journalSocket takes the journal's native datagrams.
const journalSocket = "/run/systemd/journal/socket"

func openJournal(set *TargetSet) (*sink, error) {
	c, err := net.Dial("unixgram", journalSocket)
	if err != nil {
		return nil, fmt.Errorf("logging: systemd journal: %w", err)
	}
	return queued(func(e entry, line string) {
		prio := 7
		for _, p := range []struct {
			level slog.Level
			prio  int
		}{{LevelInfo, 6}, {LevelNotice, 5}, {LevelError, 3}, {LevelFatal, 2}} {
			if e.level >= p.level {
				prio = p.prio
			}
		}
		fmt.Fprintf(c, "SYSLOG_IDENTIFIER=poolgw\nPRIORITY=%d\nOSMO_SUBSYS=D%s\nMESSAGE=%s\n",
			prio, strings.ToUpper(e.cat), line)
	}, c, false, set), nil
}

// alarms keeps the last lines.
type alarms struct {
	mu    sync.Mutex
	max   int
	lines []string
}

func (a *alarms) add(_ entry, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.lines) == a.max {
		a.lines = a.lines[1:]
	}
	a.lines = append(a.lines, line)
}

func (a *alarms) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.lines...)
}
