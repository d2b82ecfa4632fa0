// Package config is the whole configuration and its transaction: edit a copy,
// validate, apply, swap; roll back when applying fails.
//
// It knows no syntax: package cli turns lines into edits and a Config into
// lines.
package config

import (
	"net/netip"
	"slices"

	"poolgw/gb"
	"poolgw/n2"
)

// Defaults that a program needs beside Default.
const (
	DefaultHostname = "PoolGW"
	DefaultVTYPort  = 4246
	DefaultCtrlPort = 4263
)

// Config is everything that a file can say. It is a value: edits work on a
// Clone.
type Config struct {
	Hostname string // "": DefaultHostname
	Banner   Banner
	VTY      VTY
	Logs     []LogTarget // default: stderr
	Stats    Stats
	Ctrl     Ctrl
	CPUSched CPUSched
	Metrics  Metrics
	Gb       gb.Config
	N2       n2.Config
}

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{
		VTY:   VTY{TerminalLength: -1},
		Logs:  []LogTarget{{Kind: "stderr", LogView: DefaultLogView()}},
		Stats: Stats{Interval: DefaultStatsInterval},
		Ctrl:  Ctrl{Bind: loopback(DefaultCtrlPort)},
		Gb:    gb.Default(),
		N2:    n2.Default(),
	}
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	c.VTY.Binds = slices.Clone(c.VTY.Binds)
	c.Logs = slices.Clone(c.Logs)
	for i := range c.Logs {
		c.Logs[i] = c.Logs[i].clone()
	}
	c.Stats.Reporters = slices.Clone(c.Stats.Reporters)
	c.CPUSched.Affinity = slices.Clone(c.CPUSched.Affinity)
	c.Gb = c.Gb.Clone()
	c.N2 = c.N2.Clone()
	return c
}

// HostnameOrDefault is the name in the prompt.
func (c *Config) HostnameOrDefault() string {
	if c.Hostname == "" {
		return DefaultHostname
	}
	return c.Hostname
}

// VTY is the node "line vty" with what else governs sessions. How many
// sessions there may be is Gb.Limits.VTYSessions.
type VTY struct {
	Binds          []netip.AddrPort // none: 127.0.0.1 4246
	Login          bool             // ask for Password; default: no
	Password       string           // "9 …", "8 …" or plain, as vty.CheckPassword takes it; empty: none
	EnablePassword string           // likewise
	TerminalLength int              // rows, 0..512; -1: as the terminal says
	IdleTimeout    uint32           // s, 0..86400; 0: never
	RequireLogin   bool             // listening beyond loopback without login is an error
	AdvancedVTY    bool             // sessions begin in the enable node
}

// BindsOrDefault returns where the VTY listens.
func (v *VTY) BindsOrDefault() []netip.AddrPort {
	if len(v.Binds) > 0 {
		return v.Binds
	}
	return []netip.AddrPort{loopback(DefaultVTYPort)}
}

func loopback(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
}

// Banner is "banner motd …": what a session sees first.
type Banner struct {
	None bool
	File string // read at each connection; "": the program's own text
}

// DefaultStatsInterval is the reporters' period in seconds.
const DefaultStatsInterval = 5

// Stats is what the nodes "stats …" hold.
type Stats struct {
	Interval     uint16 // s, 0: no reports; default 5
	TCPInterval  uint16 // s; 0: off
	TCPBatchSize uint16 // sockets; 0: unset
	Reporters    []StatsReporter
}

// StatsReporter is a node "stats reporter statsd|log [NAME]"; Kind and Name
// are its key.
type StatsReporter struct {
	Kind, Name        string
	LocalIP, RemoteIP string // as given; empty: unset
	RemotePort        uint16 // 0: unset
	MTU               uint16 // octets, 100..65535; 0: unset
	Prefix            string
	Level             string // "", global, peer, subscriber
	Enabled           bool
	FlushPeriod       uint16 // 0: unset
}

// Ctrl is the node "ctrl".
type Ctrl struct {
	Bind netip.AddrPort // default 127.0.0.1 4263
}

// BindOrDefault returns where the CTRL interface listens, for a Config that
// isn't made by Default.
func (c Ctrl) BindOrDefault() netip.AddrPort {
	if c.Bind.IsValid() {
		return c.Bind
	}
	return loopback(DefaultCtrlPort)
}

// CPUSched is the node "cpu-sched".
type CPUSched struct {
	RR       uint8 // SCHED_RR priority 1..32; 0: none
	Affinity []CPUAffinity
}

// CPUAffinity is one "cpu-affinity" line; Thread is its key.
type CPUAffinity struct {
	Thread string // self, all, or a name
	Mask   string // hexadecimal as given
	Delay  bool
}

// Whole tells that it is about the whole process: osmo-gbproxy has one thread,
// so that its "self" is all of it.
func (a CPUAffinity) Whole() bool { return a.Thread == "self" || a.Thread == "all" }

// Metrics is the node "metrics": the Prometheus endpoint.
type Metrics struct {
	Bind  netip.AddrPort // zero: none
	Pprof bool           // serve profiles there too; default: no
}
