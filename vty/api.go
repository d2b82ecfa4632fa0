package vty

import (
	"io"
	"net/netip"
	"time"
)

// Node names one place of the command tree.
type Node string

// The nodes that every tree has.
const (
	ViewNode   Node = "view"   // PoolGW>
	EnableNode Node = "enable" // PoolGW#
	ConfigNode Node = "config" // PoolGW(config)#
)

// NodeDef describes a node; Prompt is what stands between host name and sign,
// such as "(config-sgsn)".
type NodeDef struct {
	Name   Node
	Prompt string
	Parent Node // where "exit" goes, and the next place where an unknown command is tried
}

// Handler runs a command. What it writes to s is the command's output; an
// error is printed as one line ("% " is put before it unless Error says
// otherwise) and, in a file, ends the reading with its file, number and line.
type Handler func(s *Session, a Args) error

// Command is one command of one or more nodes.
type Command struct {
	Nodes  []Node
	Syntax string
	Help   []string
	Flags  Flags
	Run    Handler
}

// Flags of a command.
type Flags uint8

const (
	Hidden Flags = 1 << iota // not in help, list or completion; runs
	Expert                   // as Hidden unless "enable expert-mode"
	Deprecated
)

// Args are the values of a command's variable tokens and choices in the order
// of its syntax: <0-9>, (a|b), WORD, A.B.C.D, [x], .REST. Literal keywords do
// not count. An absent optional token is "".
type Args []string

// Has tells whether token i was given.
func (a Args) Has(i int) bool { return i < len(a) && a[i] != "" }

// Raw is an error printed exactly as it is, without "% ".
type Raw string

func (r Raw) Error() string { return string(r) }

// Settings govern the terminal; they may be changed while sessions run.
type Settings struct {
	Hostname       string
	Banner         string // printed after connecting; lines end in \n
	Login          bool
	Password       string        // see CheckPassword
	EnablePassword string        // empty: "enable" asks for none
	TerminalLength int           // -1: as the terminal says
	Advanced       bool          // sessions begin in EnableNode, unless that has a password
	IdleTimeout    time.Duration // 0: never
	MaxSessions    int           // 16 when 0
}

// Program is what built-in commands ask of the program.
type Program interface {
	Name() string    // "PoolGW", for "show version"
	Version() string // lines of "show version"
	RunningConfig(w io.Writer) error
	StartupConfig(w io.Writer) error
	// Save writes the running configuration: path "" is the file it came from.
	// It returns the path written. force saves in spite of findings.
	Save(path string, force bool) (string, error)
	Shutdown() // "shutdown" in expert mode
}

// Logs lets a session receive the program's log ("terminal monitor",
// "logging enable"); lines come without line end.
type Logs interface {
	Subscribe(sink func(line string)) (cancel func())
}

// Origin says where a session's lines come from.
type Origin struct {
	Remote netip.AddrPort // of a telnet session
	File   string         // of a file reader, with Line
	Line   int
}
