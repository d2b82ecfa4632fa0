package cli

import (
	"slices"

	"poolgw/n2"
	"poolgw/vty"
)

// ngapOverview is the N2 gateway in a few figures.
type ngapOverview struct {
	Running bool           `json:"running"`
	Binds   []n2.BindState `json:"binds"`
	GNBs    int            `json:"gnbs"`
	AMFs    int            `json:"amfs"`
	AMFsUp  int            `json:"amfs_up"`
	UEs     int64          `json:"ues"`
	Counts  n2.Counts      `json:"counts"` // since the start
}

func overviewOf(s *n2.Snapshot) ngapOverview {
	o := ngapOverview{Running: s.Running, Binds: s.Binds, GNBs: len(s.GNBs), AMFs: len(s.Pool.AMFs), UEs: s.UEs, Counts: s.Counts}
	for i := range s.Pool.AMFs {
		if s.Pool.AMFs[i].Up {
			o.AMFsUp++
		}
	}
	return o
}

type ngapCount struct {
	what string
	n    func(c *n2.Counts) uint64
}

// ngapCounts are events since the start, in the order in which they are shown.
var ngapCounts = []ngapCount{
	{"gNBs that were not let in", func(c *n2.Counts) uint64 { return c.RefusedGNBs }},
	{"of these, for limits gnbs", func(c *n2.Counts) uint64 { return c.LimitedGNBs }},
	{"of these, whose associations never live", func(c *n2.Counts) uint64 { return c.Storms }},
	{"gNBs whose association was lost", func(c *n2.Counts) uint64 { return c.LostGNBs }},
	{"gNBs refused, since one with their ID is alive", func(c *n2.Counts) uint64 { return c.SameIDRefused }},
	{"gNBs that gave way to one with their ID", func(c *n2.Counts) uint64 { return c.SameIDTaken }},
	{"associations to AMFs that were lost", func(c *n2.Counts) uint64 { return c.LostAMFs }},
	{"associations ended: their peer took nothing", func(c *n2.Counts) uint64 { return c.Stalled }},
	{"UEs refused, for limits ues-per-gnb", func(c *n2.Counts) uint64 { return c.LimitedPerGNB }},
	{"UEs refused, for limits ues", func(c *n2.Counts) uint64 { return c.LimitedUEs }},
	{"UEs refused, for limits new-ues", func(c *n2.Counts) uint64 { return c.LimitedNewUEs }},
	{"UEs refused, since their gNB does not read", func(c *n2.Counts) uint64 { return c.LimitedSlow }},
	{"UEs released, since a PDU found no room", func(c *n2.Counts) uint64 { return c.Congested }},
	{"UEs without an AMF's answer in timer initial-ue", func(c *n2.Counts) uint64 { return c.InitialLate }},
	{"releases without an end in timer release", func(c *n2.Counts) uint64 { return c.ReleaseLate }},
	{"handovers without an end in timer handover", func(c *n2.Counts) uint64 { return c.HandoverLate }},
	{"requests without an answer in timer request", func(c *n2.Counts) uint64 { return c.RequestsLate }},
	{"PDUs without room in limits ngap-queue", func(c *n2.Counts) uint64 { return c.QueueFull }},
	{"messages that were too long", func(c *n2.Counts) uint64 { return c.Oversized }},
	{"5G-S-TMSIs that their AMF does not know", func(c *n2.Counts) uint64 { return c.Stale }},
	{"Overload Starts", func(c *n2.Counts) uint64 { return c.Overloads }},
	{"IEs of NG Setup in which AMFs differ", func(c *n2.Counts) uint64 { return c.Differences }},
	{"AMF UE NGAP IDs in the table of large ones", func(c *n2.Counts) uint64 { return c.LargeIDs }},
	{"AMF UE NGAP IDs for which that had no room", func(c *n2.Counts) uint64 { return c.LargeRefused }},
	{"shows for which a gNB's owner had no time", func(c *n2.Counts) uint64 { return c.Unasked }},
}

// textNGAP has the counts that are not 0.
func textNGAP(w *writer, s *n2.Snapshot, _ vty.Args) {
	o := overviewOf(s)
	if !o.Running {
		w.line("The N2 gateway does not run: there is no node ngap")
		return
	}
	w.line("N2: %s, %d of %s up, %s", count(o.GNBs, "gNB"), o.AMFsUp, count(o.AMFs, "AMF"), count(int(o.UEs), "UE"))
	for _, b := range o.Binds {
		where := b.Listen
		if where == "" {
			where = "nowhere"
		}
		w.line(" bind %s at %s %s: %s", cut(b.Name, 16), cut(where, 30), b.Transport, count(b.GNBs, "gNB"))
	}
	some := slices.ContainsFunc(ngapCounts, func(c ngapCount) bool { return c.n(&o.Counts) > 0 })
	w.lineIf(some, "Since the start, where not 0:")
	for _, c := range ngapCounts {
		n := c.n(&o.Counts)
		w.lineIf(n > 0, " %14d %s", n, c.what)
	}
}
