package cli

import (
	"context"
	"time"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/n2"
	"poolgw/ns"
	"poolgw/vty"
)

// Gateway is what the operate and show commands need of the Gb gateway; see
// gb.Gateway for the methods. GbGateway makes one of it.
type Gateway interface {
	Snapshot(ctx context.Context) (gb.Snapshot, error)
	Machines(ctx context.Context) ([]ns.Machine, error)
	Subscriber(q gb.Query) (gb.Answer, error)
	DeletePeer(nsei uint16, mode gb.DeleteMode, dryRun bool) (bvcs, nsvcs int, err error)
	DeleteBVC(nsei, bvci uint16) error
	FixSelection(name string) error

	BlockVC(nsvci uint16) error
	UnblockVC(nsvci uint16) error
	ResetVC(nsvci uint16) error
	RestartSNS(nsei uint16) error
	ForceUnconfigured(nsei uint16) error
}

// N2 is what the operate and show commands need of the N2 gateway; see
// n2.Gateway for the methods.
type N2 interface {
	Snapshot(ctx context.Context) (n2.Snapshot, error)
	Subscriber(q n2.Query) n2.Answer
	StartTrace(ctx context.Context, order n2.TraceOrder) (file string, err error)
	StopTraces(ctx context.Context) int
}

// Logs is the program's log as the VTY sees it.
type Logs interface {
	// Open gives every line that v lets through to sink, which doesn't block.
	Open(v config.LogView, sink func(line string)) LogSession
	// Alarms returns the lines that "log alarms" keeps, oldest first; ok tells
	// that there is such a list.
	Alarms() (lines []string, ok bool)
	// Log writes one line of a category and level ("logp").
	Log(category, level, text string)
}

// LogSession is one VTY session's view of the log.
type LogSession interface {
	SetView(v config.LogView)
	Close()
}

// Env is what the commands work on. For a tree that only reads files or is
// written as reference every field may be empty.
type Env struct {
	Store    *config.Store
	Gateway  Gateway
	N2       N2
	Logs     Logs
	Stats    Stats
	Path     string // the configuration file; "": none, "write" needs a path
	Version  string // such as "0.1.0"
	Now      func() time.Time
	Shutdown func()
	// Affinity lets a thread run on the processors of a hexadecimal mask alone.
	Affinity func(tid int, mask string) error
}

// program holds the environment; the command tables are its methods.
type program struct {
	Env
}

// New returns the tree of all commands.
func New(env Env) *vty.Tree { return newProgram(env).tree() }

func newProgram(env Env) *program {
	if env.Now == nil {
		env.Now = time.Now
	}
	return &program{Env: env}
}

// The nodes, as in osmo-gbproxy and poolgw's own.
const (
	nodeLine     vty.Node = "config-line"
	nodeLog      vty.Node = "config-log"
	nodeStats    vty.Node = "config-stats"
	nodeCtrl     vty.Node = "config-ctrl"
	nodeCPUSched vty.Node = "config-cpu-sched"
	nodeMetrics  vty.Node = "config-metrics"
	nodeLimits   vty.Node = "config-limits"
	nodeGbproxy  vty.Node = "config-gbproxy"
	nodeNetwork  vty.Node = "config-network"
	nodeSGSN     vty.Node = "config-sgsn"
	nodeNS       vty.Node = "config-ns"
	nodeNSBind   vty.Node = "config-ns-bind"
	nodeNSE      vty.Node = "config-ns-nse"
	nodeNGAP     vty.Node = "config-ngap"
	nodeNGAPBind vty.Node = "config-ngap-bind"
	nodeAMF      vty.Node = "config-amf"
)

var nodes = []struct{ name, parent vty.Node }{
	{nodeLine, vty.ConfigNode}, {nodeLog, vty.ConfigNode}, {nodeStats, vty.ConfigNode},
	{nodeCtrl, vty.ConfigNode}, {nodeCPUSched, vty.ConfigNode}, {nodeMetrics, vty.ConfigNode},
	{nodeLimits, vty.ConfigNode}, {nodeGbproxy, vty.ConfigNode}, {nodeNetwork, vty.ConfigNode},
	{nodeSGSN, vty.ConfigNode}, {nodeNS, vty.ConfigNode},
	{nodeNSBind, nodeNS}, {nodeNSE, nodeNS},
	{nodeNGAP, vty.ConfigNode}, {nodeNGAPBind, nodeNGAP}, {nodeAMF, vty.ConfigNode},
}

var (
	inConfig = []vty.Node{vty.ConfigNode}
	inView   = []vty.Node{vty.ViewNode, vty.EnableNode}
	inEnable = []vty.Node{vty.EnableNode}
)

func (p *program) tree() *vty.Tree {
	t := vty.NewTree()
	for _, n := range nodes {
		t.Node(vty.NodeDef{Name: n.name, Prompt: "(" + string(n.name) + ")", Parent: n.parent})
	}
	for _, table := range [][]vty.Command{
		p.hostCommands(), p.lineCommands(), p.logCommands(), p.loggingCommands(), p.statsCommands(),
		p.ctrlCommands(), p.cpuSchedCommands(), p.metricsCommands(), p.limitsCommands(),
		p.gbproxyCommands(), p.sgsnCommands(), p.nsCommands(), p.nsBindCommands(), p.nseCommands(),
		p.ngapCommands(), p.ngapBindCommands(), p.amfCommands(), p.amfShows(), p.ngapShows(), p.sctpShows(), p.traceCommands(),
		p.poolShows(), p.timerShows(), p.limitShows(), p.gbproxyShows(), p.nsShows(), p.statsShows(), p.fsmShows(), p.operateCommands(),
	} {
		t.Add(table...)
	}
	return t
}

// GbGateway makes a Gateway of the gateway itself.
func GbGateway(g *gb.Gateway) Gateway { return gbGateway{g} }

type gbGateway struct{ *gb.Gateway }

func (g gbGateway) BlockVC(nsvci uint16) error {
	return g.NS(func(s *ns.Stack, now time.Time) error { return s.BlockVC(nsvci, now) })
}

func (g gbGateway) UnblockVC(nsvci uint16) error {
	return g.NS(func(s *ns.Stack, now time.Time) error { return s.UnblockVC(nsvci, now) })
}

func (g gbGateway) ResetVC(nsvci uint16) error {
	return g.NS(func(s *ns.Stack, now time.Time) error { return s.ResetVC(nsvci, now) })
}

func (g gbGateway) RestartSNS(nsei uint16) error {
	return g.NS(func(s *ns.Stack, now time.Time) error { return s.RestartSNS(nsei, now) })
}

func (g gbGateway) ForceUnconfigured(nsei uint16) error {
	return g.NS(func(s *ns.Stack, now time.Time) error { return s.ForceUnconfigured(nsei, now) })
}
