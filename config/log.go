package config

import (
	"maps"
	"slices"
)

// LogTarget is one "log …" node; Kind and, for files, Arg are its key.
type LogTarget struct {
	Kind     string // stderr, file, syslog, systemd-journal, gsmtap, alarms
	Arg      string // file name; syslog facility ("daemon", "local 3"); gsmtap host; number of alarms kept
	Blocking bool   // stderr, file: write at once
	Raw      bool   // systemd-journal
	LogView
}

// LogView is what a target or a VTY session lets through, and how it looks.
type LogView struct {
	FilterAll bool // false: only what one of the filters names passes
	// NSE, NSVC and BVC are "logging filter nse …"; nil: unset.
	NSE, NSVC, BVC *uint16
	TLLI           *uint32
	IMSI           string // "": unset
	Mask           bool   // pseudonyms for identities

	Color        bool
	Timestamp    bool
	ExtTimestamp bool
	ThreadID     bool
	Category     bool
	CategoryHex  bool
	Level        bool
	File         string // "0", "1" or "basename": the source file
	FileLast     bool   // at the line's end

	// Levels by category; a category that is absent has DefaultLogLevel.
	Levels map[string]string
	// ForceAll, when set, beats Levels.
	ForceAll string
}

// DefaultLogLevel is that of a category about which nothing is said.
const DefaultLogLevel = "notice"

// DefaultLogView is that of a target about which nothing is said.
func DefaultLogView() LogView {
	return LogView{FilterAll: true, Color: true, Category: true, Level: true, File: "0"}
}

// LevelOf returns the level of a category without regard to ForceAll.
func (v *LogView) LevelOf(category string) string {
	if l, ok := v.Levels[category]; ok {
		return l
	}
	return DefaultLogLevel
}

// SetLevel sets the level of one category.
func (v *LogView) SetLevel(category, level string) {
	if level == DefaultLogLevel {
		delete(v.Levels, category)
		if len(v.Levels) == 0 {
			v.Levels = nil
		}
		return
	}
	if v.Levels == nil {
		v.Levels = make(map[string]string)
	}
	v.Levels[category] = level
}

// SetAll sets the level of every category ("logging level set-all").
func (v *LogView) SetAll(level string) {
	for _, c := range LogCategories {
		v.SetLevel(c.Name, level)
	}
}

// Clone returns a deep copy.
func (v LogView) Clone() LogView {
	v.Levels = maps.Clone(v.Levels)
	v.NSE, v.NSVC, v.BVC, v.TLLI = clonePtr(v.NSE), clonePtr(v.NSVC), clonePtr(v.BVC), clonePtr(v.TLLI)
	return v
}

// Filtered tells whether a filter names something.
func (v *LogView) Filtered() bool {
	return v.NSE != nil || v.NSVC != nil || v.BVC != nil || v.TLLI != nil || v.IMSI != ""
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func (t LogTarget) clone() LogTarget {
	t.LogView = t.LogView.Clone()
	return t
}

// LogKey names a log target: only files can be several.
type LogKey struct{ Kind, File string }

// Key returns the target's key.
func (t *LogTarget) Key() LogKey {
	if t.Kind == "file" {
		return LogKey{t.Kind, t.Arg}
	}
	return LogKey{Kind: t.Kind}
}

// Log returns the target with the key, or nil.
func (c *Config) Log(k LogKey) *LogTarget {
	i := slices.IndexFunc(c.Logs, func(t LogTarget) bool { return t.Key() == k })
	if i < 0 {
		return nil
	}
	return &c.Logs[i]
}

// LogLevels are the names of the levels, lowest first.
var LogLevels = []string{"debug", "info", "notice", "error", "fatal"}

// LogCategory is a subsystem with a level of its own.
type LogCategory struct {
	Name, Doc string
	// Own says that osmo-gbproxy does not have it: its level is written only where
	// it is not the default, so that what is saved of Gb alone loads there, too.
	Own bool
}

// LogCategories are those of osmo-gbproxy, so that its files load, in the
// order in which it writes them, and then those of what it does not do.
var LogCategories = []LogCategory{
	{"gprs", "The Gb gateway: pool, cells, routing", false},
	{"obj", "Object life", false},
	{"lglobal", "Process, VTY, configuration", false},
	{"llapd", "LAPD", false},
	{"linp", "A-bis input", false},
	{"lmux", "A-bis multiplex", false},
	{"lmi", "Layer 1 management", false},
	{"lmib", "Layer 1 management base", false},
	{"lsms", "Short messages", false},
	{"lctrl", "CTRL interface", false},
	{"lgtp", "GTP", false},
	{"lstats", "Statistics", false},
	{"lgsup", "GSUP", false},
	{"loap", "OAP", false},
	{"lss7", "SS7", false},
	{"lsccp", "SCCP", false},
	{"lsua", "SUA", false},
	{"lm3ua", "M3UA", false},
	{"lmgcp", "MGCP", false},
	{"ljibuf", "Jitter buffer", false},
	{"lrspro", "Remote SIM", false},
	{"lns", "Network service: NSEs, NS-VCs, IP-SNS", false},
	{"lbssgp", "BSSGP: BVCs and their PDUs", false},
	{"lnsdata", "Network service, user data", false},
	{"lnssignal", "Network service, signalling", false},
	{"liuup", "Iu UP", false},
	{"lpfcp", "PFCP", false},
	{"lcsn1", "CSN.1", false},
	{"lio", "Input and output", false},
	{"ngap", "The N2 gateway: gNBs, AMFs, pool, NGAP", true},
	{"sctp", "SCTP: stacks, binds, associations, paths", true},
}
