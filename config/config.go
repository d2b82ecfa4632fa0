// Package config is the whole configuration and its transaction: edit a copy,
// validate, apply, swap; roll back when applying fails.
package config

import (
	"net/netip"

	"poolgw/gb"
)

// Config is everything that a file can say. It is a value: edits work on a
// Clone.
type Config struct {
	Hostname string
	Banner   Banner
	VTY      VTY
	Logs     []LogTarget
	Stats    Stats
	Ctrl     Ctrl
	CPUSched CPUSched
	Metrics  Metrics
	Gb       gb.Config
}

// VTY is the node "line vty" with what else governs sessions.
type VTY struct {
	Binds          []netip.AddrPort // none: 127.0.0.1 4246
	Login          bool             // default true, as Osmocom's
	Password       string           // encoded: "9 …", "8 …" or plain as given; empty: none
	EnablePassword string
	TerminalLength int // -1: as the terminal says
	IdleTimeout    int // s; 0: never
	RequireLogin   bool
	AdvancedVTY    bool
}

// Banner is "banner motd …".
type Banner struct {
	None bool
	File string
}

// LogTarget is one "log …" node.
type LogTarget struct {
	Kind                                                                   string // stderr, file, syslog, systemd-journal, gsmtap, alarms
	Arg                                                                    string // file name, facility, host, size
	Blocking                                                               bool
	Raw                                                                    bool
	Filters                                                                map[string]string // as set: "all" -> "1", "nse" -> "101"
	Color, Timestamp, ExtTimestamp, ThreadID, Category, CategoryHex, Level bool
	File                                                                   string // "0", "1", "basename"; PrintLast adds "last"
	FileLast                                                               bool
	Levels                                                                 map[string]string // category -> debug…fatal
	SetAll, ForceAll                                                       string
}

// Stats is what the nodes "stats …" hold.
type Stats struct {
	Interval     uint16 // s; default 5
	TCPInterval  uint16
	TCPBatchSize uint16
	Reporters    []StatsReporter
}

// StatsReporter is a node "stats reporter statsd|log [NAME]".
type StatsReporter struct {
	Kind, Name        string
	LocalIP, RemoteIP string
	RemotePort        uint16
	MTU               uint32
	Prefix            string
	Level             string
	Enabled           bool
	FlushPeriod       uint16
}

// Ctrl is the node "ctrl".
type Ctrl struct {
	Bind netip.AddrPort // zero: 127.0.0.1 4263
}

// CPUSched is the node "cpu-sched".
type CPUSched struct {
	RR       uint8 // 0: none
	Affinity []CPUAffinity
}

// CPUAffinity is one "cpu-affinity" line.
type CPUAffinity struct {
	Thread, Mask string
	Delay        bool
}

// Metrics is the node "metrics": the Prometheus endpoint.
type Metrics struct {
	Bind netip.AddrPort // zero: none
}
