package n2_test

import (
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"poolgw/n2"
	"poolgw/ngap"
	"poolgw/nri"
)

var update = flag.Bool("update", false, "write doc/ngap-routing.md anew")

func TestRoutingDoc(t *testing.T) {
	const file = "../doc/ngap-routing.md"
	text := n2.RoutingDoc()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text {
		t.Errorf("%s is not what the table says: run go generate ./n2 (%v)", file, err)
	}
}

func (b *bed) snapshot() n2.Snapshot {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := b.gw.Snapshot(ctx)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func TestSnapshotTellsWhatIsThere(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.AMFs[1].AllowAttach = false }, func(b *bed) {
		g := b.up(0x1234)
		g.send(1, unhex(initialUE))
		s := b.snapshot()
		if len(s.GNBs) != 1 || s.GNBs[0].ID != "001-01-1234" || s.GNBs[0].State != "up" || s.GNBs[0].UEs != 1 || s.UEs != 1 {
			t.Fatalf("gNBs %+v", s.GNBs)
		}
		if g := s.GNB("001-01-1234"); g == nil || len(g.AMFs) != 2 || g.AMFs[0].State != "up" || g.AMFs[0].UEs != 1 || g.AMFs[1].UEs != 0 {
			t.Errorf("legs %+v", g)
		}
		a, drained := s.AMF(1), s.AMF(2)
		if !a.Up || a.Bound != 1 || a.Told != 100 || a.Announced != "amf-1" || a.GUAMIs[0].GUAMI != "001-01 1/1/1" || a.GUAMIs[0].NRI != 65 {
			t.Errorf("AMF %+v", a)
		}
		if a.Decisions["no_identity"] != 1 || s.Pool.Reasons["no_identity"] != 1 {
			t.Errorf("decisions %v, %v", a.Decisions, s.Pool.Reasons)
		}
		if a.ToPDUs != 2 || a.FromPDUs != 1 { // NG Setup and its answer, an Initial UE Message
			t.Errorf("%d PDUs to the AMF, %d from it", a.ToPDUs, a.FromPDUs)
		}
		if drained.AllowAttach || drained.DrainedSince.IsZero() || !drained.Up {
			t.Errorf("drained AMF %+v", drained)
		}
		i := slices.IndexFunc(s.Procedures, func(p n2.ProcedureState) bool { return p.Code == 15 })
		if p := s.Procedures[i]; p.FromGNB.PDUs != 1 || p.FromGNB.Rule != "by identity" || p.FromAMF.Rule != "" {
			t.Errorf("procedure %+v", p)
		}
		if s.Binds[0].GNBs != 1 || s.Binds[0].Listen == "" {
			t.Errorf("bind %+v", s.Binds[0])
		}
	})
}

// PDUs of associations that are no more stay counted.
func TestCountsOutliveGNBs(t *testing.T) {
	run(t, 1, nil, func(b *bed) {
		g := b.up(1)
		g.assoc.Abort("end")
		b.sleep(time.Second)
		s := b.snapshot()
		if a := s.AMF(1); len(s.GNBs) != 0 || a.ToPDUs != 1 || a.FromPDUs != 1 {
			t.Errorf("%d gNBs, %d PDUs to the AMF, %d from it", len(s.GNBs), a.ToPDUs, a.FromPDUs)
		}
	})
}

// A UE that asks and the show that asks for it get one answer, and the show takes
// no turn of the round-robin.
func TestSubscriberSaysWhatWillBe(t *testing.T) {
	run(t, 3, nil, func(b *bed) {
		g := b.up(1)
		plmn := nri.PLMN(home)
		if a := b.gw.Subscriber(n2.Query{Set: 1, Pointer: 2, TMSI: 5, PLMN: plmn}); a.AMF != 2 || a.Reason != "nri" || a.Text != "it owns AMF Set and Pointer" {
			t.Errorf("owned: %+v", a)
		}
		if a := b.gw.Subscriber(n2.Query{Set: 1, Pointer: 2, TMSI: 5}); a.AMF != 2 {
			t.Errorf("owned, no network known: %+v", a)
		}
		for ran := range uint32(6) {
			said := b.gw.Subscriber(n2.Query{Set: 7, Pointer: 7, TMSI: ran, PLMN: plmn})
			if again := b.gw.Subscriber(n2.Query{Set: 7, Pointer: 7, TMSI: ran, PLMN: plmn}); again.AMF != said.AMF {
				t.Errorf("asked again: %d, %d", said.AMF, again.AMF)
			}
			var p ngap.PDU
			if err := p.Walk(unhex(initialUE)); err != nil {
				t.Fatal(err)
			}
			p.Replace(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, ran+1))
			p.Replace(ngap.IEFiveGSTMSI, ngap.Reject, ngap.AppendSTMSI(nil, ngap.STMSI{Set: 7, Pointer: 7, TMSI: ran}))
			g.send(1, p.Append(nil))
			if s := b.snapshot(); s.AMF(said.AMF).Decisions[said.Reason] != uint64(ran/3+1) {
				t.Errorf("UE %d: %+v, but %v", ran, said, s.AMF(said.AMF).Decisions)
			}
		}
		if strings.Contains(n2.ReasonText("unowned", false), "hash") || !strings.Contains(n2.ReasonText("unowned", true), "hash") {
			t.Error("the text does not tell how")
		}
	})
}

func TestOwnerDownHoldTurnsAway(t *testing.T) {
	run(t, 2, func(c *n2.Config) { c.OwnerDownHold = 10 * time.Second }, func(b *bed) {
		b.up(1)
		b.amfs[0].listener.Close()
		b.amfs[0].last().assoc.Abort("down")
		b.sleep(time.Second)
		q := n2.Query{Set: 1, Pointer: 1, TMSI: 5, PLMN: nri.PLMN(home)}
		if a := b.gw.Subscriber(q); a.AMF != 0 || a.Reason != "hold" {
			t.Errorf("while it is held: %+v", a)
		}
		b.sleep(10 * time.Second)
		if a := b.gw.Subscriber(q); a.AMF != 2 || a.Reason != "owner_down" {
			t.Errorf("later: %+v", a)
		}
	})
}

func TestLimitsOfUEs(t *testing.T) {
	run(t, 1, func(c *n2.Config) { c.Limits.GNBs, c.Limits.UEsPerGNB, c.Limits.UEs = 1, 1, 10 }, func(b *bed) {
		g := b.up(1)
		g.send(1, unhex(initialUE))
		var p ngap.PDU
		p.Walk(unhex(initialUE))
		p.Replace(ngap.IERANUENGAPID, ngap.Reject, ngap.AppendRANUENGAPID(nil, 77))
		g.send(1, p.Append(nil))
		other := b.associate()
		b.sleep(time.Second)
		s := b.snapshot()
		if s.UEs != 1 || s.Counts.LimitedPerGNB != 1 || s.Counts.LimitedGNBs != 1 || other.down == nil {
			t.Errorf("%d UEs, %+v", s.UEs, s.Counts)
		}
		g.got = nil
	})
}

func TestMetrics(t *testing.T) {
	run(t, 2, nil, func(b *bed) {
		g := b.up(0x1234)
		g.send(1, unhex(initialUE))
		g.send(1, []byte{1, 2, 3})
		g.got = nil
		reg := prometheus.NewRegistry()
		if err := b.gw.Register(reg); err != nil {
			t.Fatal(err)
		}
		families, err := reg.Gather()
		if err != nil || len(families) < 25 {
			t.Fatalf("%d families, %v", len(families), err)
		}
		if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
			t.Errorf("lint: %v %v", problems, err)
		}
		want := `# HELP poolgw_n2_amf_up 1 when an association with NG Setup to the AMF exists.
# TYPE poolgw_n2_amf_up gauge
poolgw_n2_amf_up{amf="1",name="AMF01"} 1
poolgw_n2_amf_up{amf="2",name="AMF02"} 1
# HELP poolgw_n2_gnb_ues UEs of the gNB; gNBs beyond the first 256 together as "others".
# TYPE poolgw_n2_gnb_ues gauge
poolgw_n2_gnb_ues{gnb="001-01-1234"} 1
# HELP poolgw_n2_procedure_pdus_total NGAP PDUs that came, by procedure and side.
# TYPE poolgw_n2_procedure_pdus_total counter
poolgw_n2_procedure_pdus_total{from="amf",procedure="NGSetupRequest"} 2
poolgw_n2_procedure_pdus_total{from="gnb",procedure="InitialUEMessage"} 1
poolgw_n2_procedure_pdus_total{from="gnb",procedure="NGSetupRequest"} 1
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "poolgw_n2_amf_up", "poolgw_n2_gnb_ues", "poolgw_n2_procedure_pdus_total"); err != nil {
			t.Error(err)
		}
		c := b.snapshot().Conservation
		if c.Dropped["malformed"] != 1 || testutil.CollectAndCount(reg, "poolgw_n2_dropped_pdus_total") != n2.Classes*n2.Drops {
			t.Errorf("drops %v", c.Dropped)
		}
	})
}
