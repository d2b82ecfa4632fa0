package cli

import (
	"slices"
	"strings"

	"poolgw/config"
	"poolgw/vty"
)

const (
	logHelp     = "Where the log goes"
	loggingHelp = "What a log target lets through, and how it looks"
)

// logCommands create and remove log targets.
func (p *program) logCommands() []vty.Command {
	cmds := []vty.Command{
		{Nodes: inConfig, Syntax: "log stderr [blocking-io]",
			Help: []string{logHelp, "Standard error", "Written at once, not through a queue"},
			Run:  p.enterLog("stderr", func(t *config.LogTarget, a vty.Args) { t.Blocking = a.Has(0) })},
		{Nodes: inConfig, Syntax: "no log stderr",
			Help: []string{no, logHelp, "Standard error"},
			Run:  p.removeLog("stderr", "No stderr logging active")},
		{Nodes: inConfig, Syntax: "log file FILENAME [blocking-io]",
			Help: []string{logHelp, "A file", "Its name", "Written at once, not through a queue"},
			Run:  p.enterLog("file", func(t *config.LogTarget, a vty.Args) { t.Arg, t.Blocking = a[0], a.Has(1) })},
		{Nodes: inConfig, Syntax: "no log file FILENAME",
			Help: []string{no, logHelp, "A file", "Its name"},
			Run:  p.removeLog("file", "No such log file")},
		{Nodes: inConfig, Syntax: "log alarms <2-32700>",
			Help: []string{logHelp, "The list that \"show alarms\" shows", "How many lines are kept"},
			Run:  p.enterLog("alarms", func(t *config.LogTarget, a vty.Args) { t.Arg = a[0] })},
		{Nodes: inConfig, Syntax: "no log alarms",
			Help: []string{no, logHelp, "The list that \"show alarms\" shows"},
			Run:  p.removeLog("alarms", "No alarm list found")},
		{Nodes: inConfig, Syntax: "log syslog (authpriv|cron|daemon|ftp|lpr|mail|news|user|uucp)",
			Help: append([]string{logHelp, "The system log"}, facilityHelp()...),
			Run:  p.enterLog("syslog", func(t *config.LogTarget, a vty.Args) { t.Arg = a[0] })},
		{Nodes: inConfig, Syntax: "log syslog local <0-7>",
			Help: []string{logHelp, "The system log", "A facility for local use", "Its number"},
			Run:  p.enterLog("syslog", func(t *config.LogTarget, a vty.Args) { t.Arg = "local " + a[0] })},
		{Nodes: inConfig, Syntax: "no log syslog",
			Help: []string{no, logHelp, "The system log"},
			Run:  p.removeLog("syslog", "No syslog target found")},
		{Nodes: inConfig, Syntax: "log systemd-journal [raw]",
			Help: []string{logHelp, "The journal of systemd", "With fields in the place of what a line begins with"},
			Run:  p.enterLog("systemd-journal", func(t *config.LogTarget, a vty.Args) { t.Raw = a.Has(0) })},
		{Nodes: inConfig, Syntax: "no log systemd-journal",
			Help: []string{no, logHelp, "The journal of systemd"},
			Run:  p.removeLog("systemd-journal", "No systemd-journal logging active")},
		{Nodes: inConfig, Syntax: "log gsmtap [HOSTNAME]",
			Help: []string{logHelp, "GSMTAP packets", "Where they go"},
			Run:  p.enterLog("gsmtap", func(t *config.LogTarget, a vty.Args) { t.Arg = arg(a, 0) })},
		{Nodes: inConfig, Syntax: "no log gsmtap [HOSTNAME]",
			Help: []string{no, logHelp, "GSMTAP packets", "Where they go, for completeness"},
			Run:  p.removeLog("gsmtap", "No gsmtap logging active")},
	}
	for _, v := range viewCommands() {
		cmds = append(cmds, vty.Command{Nodes: []vty.Node{nodeLog}, Syntax: v.syntax, Help: v.help, Run: p.edit(v.edit)})
	}
	return append(cmds, noLevel([]vty.Node{nodeLog}))
}

func facilityHelp() []string {
	return []string{"Security and authorization", "Clock daemon", "System daemons", "File transfer", "Printing",
		"Mail", "News", "Users' programs", "UUCP"}
}

// logKey is the key of the target that a command of a kind names.
func logKey(kind string, a vty.Args) config.LogKey {
	k := config.LogKey{Kind: kind}
	if kind == "file" {
		k.File = a[0]
	}
	return k
}

// enterLog makes the command that creates a target, or finds it, and goes to
// its node.
func (p *program) enterLog(kind string, set func(t *config.LogTarget, a vty.Args)) vty.Handler {
	return p.enter(nodeLog, func(a vty.Args) any { return logKey(kind, a) }, func(e *edit) error {
		k := e.key.(config.LogKey)
		if e.c.Log(k) == nil {
			at := len(e.c.Logs)
			if kind == "stderr" { // first, as in the default
				at = 0
			}
			e.c.Logs = slices.Insert(e.c.Logs, at, config.LogTarget{Kind: kind, Arg: k.File, LogView: config.DefaultLogView()})
		}
		set(e.c.Log(k), e.args)
		return nil
	})
}

func (p *program) removeLog(kind, missing string) vty.Handler {
	return p.edit(func(e *edit) error {
		k := logKey(kind, append(e.args, ""))
		n := len(e.c.Logs)
		e.c.Logs = slices.DeleteFunc(e.c.Logs, func(t config.LogTarget) bool { return t.Key() == k })
		if len(e.c.Logs) == n {
			return refuse("%s", strings.TrimSpace(missing+" "+k.File))
		}
		return nil
	})
}

func writeLogs(w *writer, c *config.Config) {
	for i := range c.Logs {
		t := &c.Logs[i]
		words := []string{"log", t.Kind}
		if t.Arg != "" {
			words = append(words, t.Arg)
		}
		if t.Blocking {
			words = append(words, "blocking-io")
		}
		if t.Raw {
			words = append(words, "raw")
		}
		w.line("%s", strings.Join(words, " "))
		writeView(w, &t.LogView)
	}
	w.lineIf(c.Log(config.LogKey{Kind: "stderr"}) == nil, "no log stderr")
	w.line("!")
}

func writeView(w *writer, v *config.LogView) {
	w.line(" logging filter all %s", zeroOne(v.FilterAll))
	for _, f := range []struct {
		words string
		value *uint16
	}{{"bvc bvci", v.BVC}, {"nse nsei", v.NSE}, {"nsvc nsvci", v.NSVC}} {
		if f.value != nil {
			w.line(" logging filter %s %d", f.words, *f.value)
		}
	}
	if v.TLLI != nil {
		w.line(" logging filter tlli 0x%08x", *v.TLLI)
	}
	w.lineIf(v.IMSI != "", " logging filter imsi %s", v.IMSI)
	w.lineIf(v.Mask, " logging mask-identities")
	w.line(" logging color %s", zeroOne(v.Color))
	w.line(" logging print category-hex %s", zeroOne(v.CategoryHex))
	w.line(" logging print category %s", zeroOne(v.Category))
	w.line(" logging print thread-id %s", zeroOne(v.ThreadID))
	if v.ExtTimestamp {
		w.line(" logging print extended-timestamp 1")
	}
	if !v.ExtTimestamp || v.Timestamp {
		w.line(" logging timestamp %s", zeroOne(v.Timestamp))
	}
	w.line(" logging print level %s", zeroOne(v.Level))
	last := ""
	if v.FileLast {
		last = " last"
	}
	w.line(" logging print file %s%s", v.File, last)
	w.lineIf(v.ForceAll != "", " logging level force-all %s", v.ForceAll)
	for _, c := range config.LogCategories {
		level := v.LevelOf(c.Name)
		w.lineIf(!c.Own || level != config.DefaultLogLevel, " logging level %s %s", c.Name, level)
	}
}

func zeroOne(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
