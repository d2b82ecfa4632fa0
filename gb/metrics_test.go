package gb_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"poolgw/gb"
)

// Facts: G2-05
func TestMetrics(t *testing.T) {
	var reg *prometheus.Registry
	register := func(g *gb.Gateway) {
		reg = prometheus.NewRegistry()
		if err := g.Register(reg); err != nil {
			t.Fatal(err)
		}
	}
	run(t, config(2), func(b *bed) {
		b.bss(2001, cell20011)
		b.at(2001).send(20011, ul(tlliOf(3, 1), cell20011, "0102"))
		b.at(2001).send(2222, ul(tlliOf(3, 1), cell20011, "0102"))
		b.at(2001).sig("2004824e2b078108") // it blocks the cell
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		var named []*dto.MetricFamily
		for _, f := range families {
			rest, ok := strings.CutPrefix(f.GetName(), "poolgw_gb_")
			if !ok {
				t.Errorf("name %s", f.GetName())
			}
			// The linter takes the interface Gb for gigabytes.
			named = append(named, &dto.MetricFamily{Name: &rest, Help: f.Help, Type: f.Type, Metric: f.Metric})
		}
		if problems, err := promlint.NewWithMetricFamilies(named).Lint(); err != nil || len(problems) > 0 {
			t.Errorf("lint: %v %v", problems, err)
		}
		drops := labels(families, "poolgw_gb_dropped_pdus_total", "reason")
		for reason := range b.snapshot().Drops {
			if !drops[reason] {
				t.Errorf("no metric for the drop reason %s", reason)
			}
		}
		want := `# HELP poolgw_gb_sgsn_up 1 when the SGSN's NSE is alive and its signalling BVC unblocked.
# TYPE poolgw_gb_sgsn_up gauge
poolgw_gb_sgsn_up{name="NSE(00101)",nsei="101"} 1
poolgw_gb_sgsn_up{name="NSE(00102)",nsei="102"} 1
# HELP poolgw_gb_sgsn_decisions_total Decisions of the pool for the SGSN, by reason.
# TYPE poolgw_gb_sgsn_decisions_total counter
poolgw_gb_sgsn_decisions_total{name="NSE(00101)",nsei="101",reason="nri"} 1
`
		want += moreMetrics
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "poolgw_gb_sgsn_up", "poolgw_gb_sgsn_decisions_total",
			"poolgw_gb_nsvc_unblocked", "poolgw_gb_errors_total", "poolgw_gb_bvc_events_total"); err != nil {
			t.Error(err)
		}
	}, register)
}

// labels returns the values of a label in a family.
func labels(families []*dto.MetricFamily, name, label string) map[string]bool {
	values := map[string]bool{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == name && l.GetName() == label {
					values[l.GetValue()] = true
				}
			}
		}
	}
	return values
}

// moreMetrics are of the NS-VCs, and of what the counters with osmo-gbproxy's
// names have alone: one PDU came on a BVCI that nobody has.
const moreMetrics = `# HELP poolgw_gb_nsvc_unblocked 1 when the NS-VC is unblocked.
# TYPE poolgw_gb_nsvc_unblocked gauge
poolgw_gb_nsvc_unblocked{nsei="101",nsvc="NSE00101-NSVC-UDP-10_0_0_1:23000-10_1_0_101:24000"} 1
poolgw_gb_nsvc_unblocked{nsei="102",nsvc="NSE00102-NSVC-UDP-10_0_0_1:23000-10_1_0_102:24000"} 1
poolgw_gb_nsvc_unblocked{nsei="2001",nsvc="NSE02001-NSVC-UDP-10_0_1_1:23000-10_2_7_209:25000"} 1
# HELP poolgw_gb_bvc_events_total What happened to the BVC, by event; only what did.
# TYPE poolgw_gb_bvc_events_total counter
poolgw_gb_bvc_events_total{bvci="20011",event="blocked",nsei="101"} 1
poolgw_gb_bvc_events_total{bvci="20011",event="blocked",nsei="102"} 1
poolgw_gb_bvc_events_total{bvci="20011",event="blocked",nsei="2001"} 1
# HELP poolgw_gb_errors_total PDUs in error, by kind: osmo-gbproxy's global counters.
# TYPE poolgw_gb_errors_total counter
poolgw_gb_errors_total{kind="error"} 0
poolgw_gb_errors_total{kind="inv_bvci"} 1
poolgw_gb_errors_total{kind="inv_lai"} 0
poolgw_gb_errors_total{kind="inv_nsei"} 0
poolgw_gb_errors_total{kind="inv_rai"} 0
poolgw_gb_errors_total{kind="not_supp_bss"} 0
poolgw_gb_errors_total{kind="not_supp_sgsn"} 0
poolgw_gb_errors_total{kind="proto_err_bss"} 0
poolgw_gb_errors_total{kind="proto_err_sgsn"} 0
poolgw_gb_errors_total{kind="restart_sgsn"} 0
poolgw_gb_errors_total{kind="tx_err_sgsn"} 0
`
