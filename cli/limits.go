package cli

import (
	"fmt"
	"strings"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/n2"
	"poolgw/vty"
)

// limitDef is a setting of the node "limits": commands, writer and "show
// limits" read this table.
type limitDef struct {
	name, doc, unit string
	max             uint32
	field           func(c *config.Config) *uint32
	atStart         bool                       // a change counts from the next start on
	used            func(s *bothStates) int    // nil: the gateway doesn't know
	hits            func(s *bothStates) uint64 // how often it was full; nil likewise
	metric          string                     // where the hits are counted
}

const (
	dropMetric  = "poolgw_gb_dropped_pdus_total"
	bindMetric  = "poolgw_gb_bind_dropped_datagrams_total"
	evictMetric = "poolgw_gb_evicted_entries_total"

	n2DropMetric  = "poolgw_n2_dropped_pdus_total"
	n2LimitMetric = "poolgw_n2_limit_hits_total"
)

var limitDefs = []limitDef{
	{name: "dynamic-nses", doc: "NSEs made by peers; a dead one gives way, else more are refused", unit: "NSEs", max: 65536,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.DynamicNSEs }, used: dynamicNSEs, hits: atBinds("limit_nses"), metric: bindMetric},
	{name: "ns-vcs-per-nse", doc: "NS-VCs of one NSE; more are refused", unit: "NS-VCs", max: 65536,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.VCsPerNSE }, used: mostVCs, hits: atBinds("limit_nsvcs"), metric: bindMetric},
	{name: "bvcs", doc: "BVCs of all BSSs; more are refused", unit: "BVCs", max: 1 << 24,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.BVCs }, used: func(s *bothStates) int { return len(s.gb.Cells) },
		hits: func(s *bothStates) uint64 { return s.gb.Drops["limit"] }, metric: dropMetric},
	{name: "cache-entries", doc: "TLLI and IMSI cache, each use; the oldest entry goes", unit: "Entries", max: 1 << 28,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.CacheEntries }, used: mostEntries, hits: evictions("tlli_cache", "imsi_cache"), metric: evictMetric},
	{name: "subscribers", doc: "Activity table; the oldest entry goes", unit: "Subscribers", max: 1 << 28, atStart: true,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.Subscribers }, used: bound, hits: evictions("activity"), metric: evictMetric},
	{name: "gnbs", doc: "Associations of gNBs; more are refused", unit: "gNBs", max: 1 << 20,
		field: func(c *config.Config) *uint32 { return &c.N2.Limits.GNBs }, used: func(s *bothStates) int { return len(s.n2.GNBs) },
		hits: func(s *bothStates) uint64 { return s.n2.Counts.LimitedGNBs }, metric: "poolgw_n2_refused_gnbs_total"},
	{name: "ues-per-gnb", doc: "UEs of one gNB; more are refused", unit: "UEs", max: 1 << 28,
		field: func(c *config.Config) *uint32 { return &c.N2.Limits.UEsPerGNB }, used: mostUEs,
		hits: func(s *bothStates) uint64 { return s.n2.Counts.LimitedPerGNB }, metric: n2DropMetric},
	{name: "ues", doc: "UEs of all gNBs; more are refused", unit: "UEs", max: 1 << 28,
		field: func(c *config.Config) *uint32 { return &c.N2.Limits.UEs }, used: func(s *bothStates) int { return int(s.n2.UEs) },
		hits: func(s *bothStates) uint64 { return s.n2.Counts.LimitedUEs }, metric: n2DropMetric},
	{name: "new-ues", doc: "UEs that a gNB begins in a second; more are refused, not emergencies", unit: "UEs per second", max: 1 << 28,
		field: func(c *config.Config) *uint32 { return &c.N2.Limits.NewUEs },
		hits:  func(s *bothStates) uint64 { return s.n2.Counts.LimitedNewUEs }, metric: n2LimitMetric},
	{name: "ngap-queue", doc: "Kilobytes of NGAP that waits for slow gNBs and AMFs; UEs whose PDUs find no room are released", unit: "Kilobytes", max: 1 << 24,
		field: func(c *config.Config) *uint32 { return &c.N2.Limits.Queue }, used: func(s *bothStates) int { return int(s.n2.Counts.QueuedOctets >> 10) },
		hits: func(s *bothStates) uint64 { return s.n2.Counts.QueueFull }, metric: n2LimitMetric},
	{name: "vty-sessions", doc: "Telnet sessions; more are refused", unit: "Sessions", max: 1024,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.VTYSessions }, metric: "poolgw_vty_refused_sessions_total"},
	{name: "queue-length", doc: "Control datagrams waiting; more are dropped", unit: "Datagrams", max: 1 << 20, atStart: true,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.QueueLength },
		hits:  atBinds("queue_control", "queue_signalling", "queue_data"), metric: bindMetric},
	{name: "log-lines", doc: "Log lines per second; more are left out and counted", unit: "Lines", max: 1 << 20,
		field: func(c *config.Config) *uint32 { return &c.Gb.Limits.LogLines }, metric: "poolgw_log_lines_held_back_total"},
}

func dynamicNSEs(s *bothStates) (n int) {
	for i := range s.gb.NS.NSEs {
		if !s.gb.NS.NSEs[i].Persistent {
			n++
		}
	}
	return n
}

func mostVCs(s *bothStates) (n int) {
	for i := range s.gb.NS.NSEs {
		n = max(n, len(s.gb.NS.NSEs[i].VCs))
	}
	return n
}

func mostUEs(s *bothStates) (n int) {
	for i := range s.n2.GNBs {
		n = max(n, s.n2.GNBs[i].UEs)
	}
	return n
}

// mostEntries is the length of the longest of the caches.
func mostEntries(s *bothStates) (n int) {
	count := map[string]int{}
	for _, e := range s.gb.TLLIs {
		count[e.Usage]++
	}
	for _, e := range s.gb.IMSIs {
		count[e.Usage]++
	}
	for _, c := range count {
		n = max(n, c)
	}
	return n
}

func bound(s *bothStates) (n int) {
	for i := range s.gb.Pool.SGSNs {
		n += s.gb.Pool.SGSNs[i].Bound
	}
	return n
}

// atBinds sums drops of all binds by their reasons.
func atBinds(reasons ...string) func(s *bothStates) uint64 {
	return func(s *bothStates) (n uint64) {
		for i := range s.gb.NS.Binds {
			for _, r := range reasons {
				n += s.gb.NS.Binds[i].Dropped[r]
			}
		}
		return n
	}
}

func evictions(tables ...string) func(s *bothStates) uint64 {
	return func(s *bothStates) (n uint64) {
		for _, t := range tables {
			n += s.gb.Evicted[t]
		}
		return n
	}
}

// limitsCommands are the node "limits".
func (p *program) limitsCommands() []vty.Command {
	in := []vty.Node{nodeLimits}
	cmds := []vty.Command{{Nodes: inConfig, Syntax: "limits",
		Help: []string{"How much poolgw takes, so that nobody can exhaust it"}, Run: goTo(nodeLimits)}}
	for _, d := range limitDefs {
		set := func(value func(e *edit) uint32) vty.Handler {
			return p.set(func(e *edit) {
				*d.field(e.c) = value(e)
				if d.atStart {
					e.say("%% Note: %s counts from the next start on", d.name)
				}
			})
		}
		cmds = append(cmds,
			vty.Command{Nodes: in, Syntax: fmt.Sprintf("%s <1-%d>", d.name, d.max), Help: []string{d.doc, d.unit},
				Run: set(func(e *edit) uint32 { return e.uint32(0) })},
			vty.Command{Nodes: in, Syntax: "no " + d.name, Help: []string{no, d.doc},
				Run: set(func(*edit) uint32 {
					def := defaultLimits()
					return *d.field(&def)
				})})
	}
	return cmds
}

// defaultLimits is a configuration of which only the limits count.
func defaultLimits() (c config.Config) {
	c.Gb.Limits, c.N2.Limits = gb.DefaultLimits(), n2.DefaultLimits()
	return c
}

func writeLimits(w *writer, c *config.Config) {
	def := defaultLimits()
	if c.Gb.Limits == def.Gb.Limits && c.N2.Limits == def.N2.Limits {
		return
	}
	w.line("limits")
	for _, d := range limitDefs {
		if v := *d.field(c); v != *d.field(&def) {
			w.line(" %s %d", d.name, v)
		}
	}
}

// limitState is what "show limits json" shows of a limit.
type limitState struct {
	Name   string `json:"name"`
	Value  uint32 `json:"value"`
	Used   *int   `json:"used,omitempty"`
	Hits   uint64 `json:"hits"`
	Metric string `json:"metric,omitempty"`
	Doc    string `json:"doc"`
}

func limitsOf(s *bothStates) []limitState {
	list := []limitState{}
	var c config.Config
	c.Gb.Limits, c.N2.Limits = s.gb.Limits, s.n2.Limits
	for _, d := range limitDefs {
		l := limitState{Name: d.name, Value: *d.field(&c), Metric: d.metric, Doc: d.doc}
		if d.used != nil {
			n := d.used(s)
			l.Used = &n
		}
		if d.hits != nil {
			l.Hits = d.hits(s)
		}
		list = append(list, l)
	}
	return list
}

// limitShows show the limits, what is used of them, and how often they were hit.
func (p *program) limitShows() []vty.Command {
	return showsOf(p.snapshots, "show limits", []string{showHelp, "Limits, and how far they are used"},
		viewOf[bothStates]{func(s *bothStates, _ vty.Args) (any, error) { return limitsOf(s), nil }, textLimits})
}

func textLimits(w *writer, s *bothStates, _ vty.Args) {
	w.line("%-14s %9s %9s %9s  When full", "", "Limit", "Used", "Was full")
	for i, l := range limitsOf(s) {
		used, hits := "-", "-"
		if l.Used != nil {
			used = fmt.Sprint(*l.Used)
		}
		if limitDefs[i].hits != nil {
			hits = fmt.Sprint(l.Hits)
		}
		head := fmt.Sprintf("%-14s %9d %9s %9s  ", l.Name, l.Value, used, hits)
		for _, line := range wrap(strings.Fields(l.Doc), " ", screen-len(head)) {
			w.line("%s%s", head, line)
			head = fmt.Sprintf("%*s", len(head), "")
		}
	}
}
