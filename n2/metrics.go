package n2

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Register registers the gateway's metrics. They are made of a Snapshot at each
// collection: shows and metrics can't differ.
func (g *Gateway) Register(reg prometheus.Registerer) error { return reg.Register(&collector{g}) }

type collector struct{ g *Gateway }

// metric describes one family.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func counter(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("poolgw_n2_"+name, help, labels, nil), prometheus.CounterValue}
}

func gauge(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("poolgw_n2_"+name, help, labels, nil), prometheus.GaugeValue}
}

var (
	mAMFUp        = gauge("amf_up", "1 when an association with NG Setup to the AMF exists.", "amf", "name")
	mAMFAssocs    = gauge("amf_associations", "Associations with NG Setup to the AMF, one for each gNB.", "amf", "name")
	mAMFAllow     = gauge("amf_allow_attach", "1 when the AMF takes new UEs, 0 when it is drained.", "amf", "name")
	mAMFBound     = gauge("amf_bound_ues", "UEs with a context on the AMF.", "amf", "name")
	mAMFWeight    = gauge("amf_weight", "Share of new UEs, less for overload.", "amf", "name")
	mAMFOverload  = gauge("amf_overloaded", "1 between Overload Start and Overload Stop.", "amf", "name")
	mAMFLost      = counter("amf_lost_associations_total", "Associations to the AMF that ended.", "amf", "name")
	mAMFDecisions = counter("amf_decisions_total", "Decisions of the pool for the AMF, by reason.", "amf", "name", "reason")
	mAMFPDUs      = counter("amf_pdus_total", "NGAP PDUs to and from the AMF.", "amf", "name", "direction")
	mDecisions    = counter("decisions_total", "Decisions of the pool, by reason.", "reason")

	mGNBs    = gauge("gnbs", "gNBs by state.", "state")
	mGNBUEs  = gauge("gnb_ues", "UEs of the gNB; gNBs beyond the first 256 together as \"others\".", "gnb")
	mGNBPDUs = counter("gnb_pdus_total", "NGAP PDUs to and from the gNB; gNBs beyond the first 256 together as \"others\".", "gnb", "direction")
	mGNBAMFs = gauge("gnb_amfs", "AMFs that the gNB has an association with NG Setup to.", "gnb")
	mUEs     = gauge("ues", "UEs of all gNBs.")
	mRefused = counter("refused_gnbs_total", "gNBs whose association was not accepted.")
	mLost    = counter("lost_gnbs_total", "gNBs whose association ended otherwise than by us.")
	mLimited = counter("limit_hits_total", "What was refused for a limit, by limit.", "limit")

	mStalled   = counter("stalled_associations_total", "Associations that were ended because the gNB or AMF took nothing any more.")
	mCongested = counter("congested_ues_total", "UEs that were released because a PDU of theirs found no room.")
	mOversized = counter("oversized_messages_total", "SCTP messages that were longer than what is taken.")
	mBusy      = counter("owner_busy_total", "Shows and traces for which the owner of a gNB had no room.")
	mNoRoom    = counter("userspace_sctp_dropped_packets_total", "Packets to the userspace SCTP stack that the kernel dropped because its receive buffer was full.")
	mWaiting   = gauge("queued_octets", "Octets of PDUs that wait for gNBs and AMFs that are slow.")
	mGuards    = counter("ue_guard_ends_total", "UEs, and handovers and requests to a gNB, that waited too long, by timer.", "timer")
	mRivals    = counter("gnb_same_id_total", "gNBs that came with the ID of another: refused, or let in since that one did not answer.", "outcome")

	mProcedures = counter("procedure_pdus_total", "NGAP PDUs that came, by procedure and side.", "procedure", "from")
	mStale      = counter("stale_identities_total", "5G-S-TMSIs that were marked as unknown to their AMF.")
	mDiffer     = counter("setup_differences_total", "IEs of NG Setup in which AMFs differ.")
	mOverloads  = counter("overload_starts_total", "Overload Starts from AMFs.")
	mLarge      = counter("large_amf_ue_ids_total", "AMF UE NGAP IDs that do not fit below the index, or were another UE's before an association ended.")
	mLargeFull  = counter("large_amf_ue_ids_refused_total", "AMF UE NGAP IDs for which the table of large ones had no room.")

	// The terms of the conservation account: in_* is what came or was made, out_*
	// what became of it; with dropped and queued both sums are equal at rest.
	mIn      = counter("conservation_in_pdus_total", "PDUs that came or were made: from_gnb, from_amf, multicast_copies, originated.", "term")
	mOut     = counter("conservation_out_pdus_total", "PDUs that went or ended: to_gnb, to_amf, absorbed.", "term")
	mDropped = counter("dropped_pdus_total", "PDUs that went nowhere, by class and reason.", "class", "reason")
	mQueued  = gauge("queued_pdus", "PDUs that wait for a transport.")
)

var allMetrics = []metric{mAMFUp, mAMFAssocs, mAMFAllow, mAMFBound, mAMFWeight, mAMFOverload, mAMFLost, mAMFDecisions, mAMFPDUs, mDecisions,
	mGNBs, mGNBUEs, mGNBPDUs, mGNBAMFs, mUEs, mRefused, mLost, mLimited, mGuards, mRivals, mProcedures, mStale, mDiffer, mOverloads, mLarge, mLargeFull,
	mStalled, mCongested, mOversized, mBusy, mNoRoom, mWaiting,
	mIn, mOut, mDropped, mQueued}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range allMetrics {
		ch <- m.desc
	}
}

// collectWithin is how long a collection may wait for the owners.
const collectWithin = 2 * time.Second

// Collect implements prometheus.Collector. A gateway that never ran has no
// metrics.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectWithin)
	defer cancel()
	s, err := c.g.Snapshot(ctx)
	if err != nil || !s.Running {
		return
	}
	e := emitter{ch}
	for i := range s.Pool.AMFs {
		e.amf(&s.Pool.AMFs[i])
	}
	for reason, n := range s.Pool.Reasons {
		e.put(mDecisions, float64(n), reason)
	}
	e.gnbs(s.GNBs)
	e.put(mUEs, float64(s.UEs))
	e.put(mNoRoom, float64(s.Userspace.Dropped))
	e.counts(&s.Counts)
	e.conservation(&s.Conservation)
	for _, p := range s.Procedures {
		for from, n := range map[string]uint64{"gnb": p.FromGNB.PDUs, "amf": p.FromAMF.PDUs} {
			if n > 0 {
				e.put(mProcedures, float64(n), p.Name, from)
			}
		}
	}
}

// emitter sends metrics.
type emitter struct{ ch chan<- prometheus.Metric }

func (e emitter) put(m metric, v float64, labels ...string) {
	e.ch <- prometheus.MustNewConstMetric(m.desc, m.kind, v, labels...)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (e emitter) amf(a *AMFState) {
	id := strconv.Itoa(int(a.ID))
	for _, v := range []struct {
		m metric
		v float64
	}{{mAMFUp, truth(a.Up)}, {mAMFAssocs, float64(a.Associations)}, {mAMFAllow, truth(a.AllowAttach)}, {mAMFBound, float64(a.Bound)},
		{mAMFWeight, float64(a.Share)}, {mAMFOverload, truth(a.Overload != "")}, {mAMFLost, float64(a.Lost)}} {
		e.put(v.m, v.v, id, a.Name)
	}
	for reason, n := range a.Decisions {
		e.put(mAMFDecisions, float64(n), id, a.Name, reason)
	}
	e.put(mAMFPDUs, float64(a.FromPDUs), id, a.Name, "from")
	e.put(mAMFPDUs, float64(a.ToPDUs), id, a.Name, "to")
}

// metricGNBs bounds the gNBs that have series of their own.
const metricGNBs = 256

// gnbs emits what there is of gNBs. Two with one label, as one that came back
// while its old association is still there, are one.
func (e emitter) gnbs(list []GNBState) {
	states := make(map[string]int)
	sums := make(map[string]*gnbSum)
	for i := range list {
		g := &list[i]
		states[g.State]++
		label := g.ID
		if label == "" {
			continue // it has not said who it is; strangers make no series
		}
		if sums[label] == nil && len(sums) >= metricGNBs {
			label = "others"
		}
		if sums[label] == nil {
			sums[label] = &gnbSum{}
		}
		sums[label].add(g)
	}
	for _, name := range gnbStates {
		if name != gnbGone.String() {
			e.put(mGNBs, float64(states[name]), name)
		}
	}
	for label, s := range sums {
		e.put(mGNBUEs, float64(s.ues), label)
		e.put(mGNBAMFs, float64(s.amfs), label)
		e.put(mGNBPDUs, float64(s.from), label, "from")
		e.put(mGNBPDUs, float64(s.to), label, "to")
	}
}

// gnbSum is what is counted of one gNB, or of several with one label.
type gnbSum struct {
	ues, amfs int
	from, to  uint64
}

func (s *gnbSum) add(g *GNBState) {
	s.ues += g.UEs
	s.from += g.Conservation.FromGNB
	s.to += g.Conservation.ToGNB
	for _, l := range g.AMFs {
		if l.State == legUp.String() {
			s.amfs++
		}
	}
}

func (e emitter) counts(c *Counts) {
	for _, v := range []struct {
		m metric
		n uint64
	}{{mRefused, c.RefusedGNBs}, {mLost, c.LostGNBs}, {mStale, c.Stale}, {mDiffer, c.Differences}, {mOverloads, c.Overloads},
		{mLarge, c.LargeIDs}, {mLargeFull, c.LargeRefused}, {mStalled, c.Stalled}, {mCongested, c.Congested}, {mOversized, c.Oversized},
		{mBusy, c.Unasked}} {
		e.put(v.m, float64(v.n))
	}
	for name, n := range map[string]uint64{"gnbs": c.LimitedGNBs, "ues_per_gnb": c.LimitedPerGNB, "ues": c.LimitedUEs, "new_ues": c.LimitedNewUEs,
		"slow_gnb": c.LimitedSlow, "storm": c.Storms, "ngap_queue": c.QueueFull} {
		e.put(mLimited, float64(n), name)
	}
	e.put(mWaiting, float64(c.QueuedOctets))
	e.put(mGuards, float64(c.InitialLate), guardInitial.String())
	e.put(mGuards, float64(c.ReleaseLate), guardRelease.String())
	e.put(mGuards, float64(c.HandoverLate), guardHandover.String())
	e.put(mGuards, float64(c.RequestsLate), guardRequest.String())
	e.put(mRivals, float64(c.SameIDRefused), "refused")
	e.put(mRivals, float64(c.SameIDTaken), "let_in")
}

func (e emitter) conservation(c *Conservation) {
	for _, t := range []struct {
		m    metric
		term string
		n    uint64
	}{{mIn, "from_gnb", c.FromGNB}, {mIn, "from_amf", c.FromAMF}, {mIn, "multicast_copies", c.Copies}, {mIn, "originated", c.Originated},
		{mOut, "to_gnb", c.ToGNB}, {mOut, "to_amf", c.ToAMF}, {mOut, "absorbed", c.Absorbed}} {
		e.put(t.m, float64(t.n), t.term)
	}
	for _, class := range classNames {
		for _, reason := range dropNames {
			e.put(mDropped, float64(c.ByClass[class][reason]), class, reason)
		}
	}
	e.put(mQueued, float64(c.Queued))
}
