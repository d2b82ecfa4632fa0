package gb

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"poolgw/ns"
)

// Register registers the gateway's metrics. They are made of a Snapshot at
// each collection: shows and metrics can't differ.
func (g *Gateway) Register(reg prometheus.Registerer) error { return reg.Register(&collector{g}) }

type collector struct{ g *Gateway }

// metric describes one family.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func counter(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("poolgw_gb_"+name, help, labels, nil), prometheus.CounterValue}
}

func gauge(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("poolgw_gb_"+name, help, labels, nil), prometheus.GaugeValue}
}

var (
	mDropped   = counter("dropped_pdus_total", "BSSGP PDUs that were not passed on, by reason.", "reason")
	mAlarms    = counter("bvc_alarms_total", "BVC procedures that got no answer after all retries.")
	mLostBSSs  = counter("bss_failures_total", "Failures of BSSs' NSEs.")
	mTakeovers = counter("bvc_takeovers_total", "BVCs that another BSS took.")
	mStalls    = counter("stalls_total", "Times that the gateway was held up for over a second.")
	mSteps     = counter("clock_steps_total", "Times that the wall clock was set by over a second.")
	mNobody    = counter("undecided_total", "Decisions of the pool for no SGSN, by reason.", "reason")
	mEvicted   = counter("evicted_entries_total", "Entries that gave way because a table was full, by table.", "table")
	mUp        = gauge("sgsn_up", "1 when the SGSN's NSE is alive and its signalling BVC unblocked.", "nsei", "name")
	mAllow     = gauge("sgsn_allow_attach", "1 when the SGSN takes new subscribers, 0 when it is drained.", "nsei", "name")
	mBound     = gauge("sgsn_bound_subscribers", "Subscribers seen going there within the activity window: an estimate.", "nsei", "name")
	mActive    = gauge("sgsn_active_subscribers", "Subscribers seen going there within five minutes, or the activity window where that is shorter.", "nsei", "name")
	mRestarts  = counter("sgsn_restarts_total", "Failures and signalling resets of an SGSN that was up.", "nsei", "name")
	mDecisions = counter("sgsn_decisions_total", "Decisions of the pool for the SGSN, by reason.", "nsei", "name", "reason")
	mPDUs      = counter("sgsn_pdus_total", "BSSGP PDUs to and from the SGSN.", "nsei", "name", "direction")
	mBytes     = counter("sgsn_bytes_total", "Octets of BSSGP to and from the SGSN.", "nsei", "name", "direction")
	mCells     = gauge("cells", "Cells by state: active, or inactive (the BSS is gone or has not reset the BVC yet).", "state")

	mBVCUp    = gauge("bvc_unblocked", "1 when the BVC is unblocked.", "side", "nsei", "bvci")
	mBVCPDUs  = counter("bvc_pdus_total", "BSSGP PDUs to and from the peer on the BVC.", "side", "nsei", "bvci", "direction")
	mBVCBytes = counter("bvc_bytes_total", "Octets of BSSGP to and from the peer on the BVC.", "side", "nsei", "bvci", "direction")
	mBVCEvent = counter("bvc_events_total", "What happened to the BVC, by event; only what did.", "nsei", "bvci", "event")
	mErrors   = counter("errors_total", "PDUs in error, by kind: osmo-gbproxy's global counters.", "kind")
	mBVCDrops = counter("bvc_dropped_pdus_total", "PDUs that came on the BVC and were not passed on.", "side", "nsei", "bvci")

	mNSAlive = gauge("nse_alive", "1 when the NSE can carry signalling and data.", "nsei")
	mNSPkts  = counter("nse_packets_total", "NS packets of the NSE.", "nsei", "direction")
	mNSBytes = counter("nse_bytes_total", "Octets of NS of the NSE.", "nsei", "direction")
	mNSDrop  = counter("nse_dropped_packets_total", "NS packets to the NSE that could not be sent.", "nsei")
	mNSLost  = counter("nse_lost_answers_total", "NS-ALIVE and NS-RESET without an answer.", "nsei", "procedure")
	mVCUp    = gauge("nsvc_unblocked", "1 when the NS-VC is unblocked.", "nsei", "nsvc")
	mVCPkts  = counter("nsvc_packets_total", "NS packets of the NS-VC.", "nsei", "nsvc", "direction")
	mVCBytes = counter("nsvc_bytes_total", "Octets of NS of the NS-VC.", "nsei", "nsvc", "direction")
	mVCDrop  = counter("nsvc_dropped_packets_total", "NS packets to the NS-VC that the transport did not take.", "nsei", "nsvc")
	mVCEvent = counter("nsvc_events_total", "What happened to the NS-VC, by event.", "nsei", "nsvc", "event")
	mVCDelay = gauge("nsvc_alive_delay_seconds", "Time that the last NS-ALIVE took to be acknowledged.", "nsei", "nsvc")
	mNSMoves = counter("ns_moves_total", "NS-VCs and IP-SNS NSEs that came back from another address.")
	mBind    = counter("bind_dropped_datagrams_total", "Datagrams dropped at a bind, by reason.", "bind", "reason")
)

var allMetrics = []metric{mDropped, mAlarms, mLostBSSs, mTakeovers, mStalls, mSteps, mNobody, mEvicted, mUp, mAllow, mBound, mActive, mRestarts, mDecisions, mPDUs,
	mBytes, mCells, mBVCUp, mBVCPDUs, mBVCBytes, mBVCDrops, mNSAlive, mNSPkts, mNSBytes, mNSDrop, mNSLost, mVCUp, mVCPkts, mVCBytes,
	mVCDrop, mVCEvent, mVCDelay, mNSMoves, mBind, mBVCEvent, mErrors}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range allMetrics {
		ch <- m.desc
	}
}

// collectWithin is how long a collection may wait for the loop.
const collectWithin = 5 * time.Second

// Collect implements prometheus.Collector. A gateway that does not run has no
// metrics.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectWithin)
	defer cancel()
	s, err := c.g.Snapshot(ctx)
	if err != nil {
		return
	}
	e := emitter{ch}
	for reason, n := range s.Drops {
		e.put(mDropped, n, reason)
	}
	e.put(mAlarms, s.Alarms)
	e.put(mLostBSSs, s.LostBSSs)
	e.put(mTakeovers, s.Takeovers)
	e.put(mStalls, s.Stalls)
	e.put(mSteps, s.ClockSteps)
	e.put(mNSMoves, s.NS.Moves)
	for reason, n := range s.Pool.Undecided {
		e.put(mNobody, n, reason)
	}
	for table, n := range s.Evicted {
		e.put(mEvicted, n, table)
	}
	for i := range s.Pool.SGSNs {
		e.sgsn(&s.Pool.SGSNs[i])
	}
	for i := range s.BSSs {
		e.bvcs("BSS", s.BSSs[i].NSEI, s.BSSs[i].BVCs)
	}
	e.cells(s.Cells)
	e.ns(&s.NS)
	_ = c.g.Counters(ctx, CounterQuery{}, e.named) // a gateway that stopped meanwhile has said enough
}

type emitter struct{ ch chan<- prometheus.Metric }

func (e emitter) put(m metric, v uint64, labels ...string) {
	e.ch <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(v), labels...)
}

func (e emitter) both(m metric, to, from uint64, labels ...string) {
	e.put(m, to, append(labels[:len(labels):len(labels)], "to")...)
	e.put(m, from, append(labels[:len(labels):len(labels)], "from")...)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func number(n uint16) string { return strconv.Itoa(int(n)) }

func (e emitter) sgsn(s *SGSNState) {
	id := []string{number(s.NSEI), s.Name}
	e.put(mUp, bit(s.Up), id...)
	e.put(mAllow, bit(s.AllowAttach), id...)
	e.put(mBound, uint64(s.Bound), id...)
	e.put(mActive, uint64(s.Active), id...)
	e.put(mRestarts, s.Restarts, id...)
	e.both(mPDUs, s.ToPDUs, s.FromPDUs, id...)
	e.both(mBytes, s.ToBytes, s.FromBytes, id...)
	for reason, n := range s.Decisions {
		e.put(mDecisions, n, id[0], id[1], reason)
	}
	e.bvcs("SGSN", s.NSEI, s.BVCs)
}

func (e emitter) bvcs(side string, nsei uint16, list []BVCState) {
	for _, b := range list {
		id := []string{side, number(nsei), number(b.BVCI)}
		e.put(mBVCUp, bit(b.State == "UNBLOCKED"), id...)
		e.both(mBVCPDUs, b.ToPDUs, b.FromPDUs, id...)
		e.both(mBVCBytes, b.ToBytes, b.FromBytes, id...)
		e.put(mBVCDrops, b.Drops, id...)
	}
}

func (e emitter) cells(cells []CellState) {
	active := uint64(0)
	for _, c := range cells {
		active += bit(c.Active)
	}
	e.put(mCells, active, "active")
	e.put(mCells, uint64(len(cells))-active, "inactive")
}

func (e emitter) ns(s *ns.Snapshot) {
	for _, n := range s.NSEs {
		id := number(n.NSEI)
		e.put(mNSAlive, bit(n.Alive), id)
		e.both(mNSPkts, n.Counters.PacketsOut, n.Counters.PacketsIn, id)
		e.both(mNSBytes, n.Counters.BytesOut, n.Counters.BytesIn, id)
		e.put(mNSDrop, n.Counters.PacketsOutDrop, id)
		e.put(mNSLost, n.Counters.LostAlive, id, "alive")
		e.put(mNSLost, n.Counters.LostReset, id, "reset")
		for i := range n.VCs {
			e.nsvc(id, &n.VCs[i])
		}
	}
	for _, b := range s.Binds {
		for reason, n := range b.Dropped {
			e.put(mBind, n, b.Name, reason)
		}
	}
}

func (e emitter) nsvc(nsei string, v *ns.VCState) {
	id, c := []string{nsei, v.ID}, &v.Counters
	e.put(mVCUp, bit(v.Alive), id...)
	e.both(mVCPkts, c.PacketsOut, c.PacketsIn, id...)
	e.both(mVCBytes, c.BytesOut, c.BytesIn, id...)
	e.put(mVCDrop, c.PacketsOutDrop, id...)
	for _, x := range []struct {
		event string
		n     uint64
	}{
		{"blocked", c.Blocked}, {"unblocked", c.Unblocked}, {"dead", c.Dead}, {"replaced", c.Replaced}, {"nsei_changed", c.NSEIChanged},
		{"invalid_nsvci", c.InvalidNSVCI}, {"invalid_nsei", c.InvalidNSEI}, {"lost_alive", c.LostAlive}, {"lost_reset", c.LostReset},
	} {
		e.put(mVCEvent, x.n, nsei, v.ID, x.event)
	}
	e.ch <- prometheus.MustNewConstMetric(mVCDelay.desc, mVCDelay.kind, v.AliveDelay.Seconds(), id...)
}

// bvcEventNames are the events of bvc_events_total, as peerCounters begins.
var bvcEventNames = []string{"blocked", "unblocked", "", "invalid_nsei", "transmit_error", "forward_sgsn_error", "forward_bss_error"}

// named puts what only the counters with osmo-gbproxy's names have.
func (e emitter) named(g *CounterGroup, index uint32, _ string, values []uint64) {
	switch g {
	case GlobalCounters:
		for i, v := range values {
			e.put(mErrors, v, strings.NewReplacer("-", "_", ":", "_").Replace(g.Counters[i].Name))
		}
	case PeerCounters:
		for i, event := range bvcEventNames {
			if event != "" && values[i] > 0 {
				e.put(mBVCEvent, values[i], number(uint16(index>>16)), number(uint16(index)), event)
			}
		}
	}
}
