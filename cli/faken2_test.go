package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolgw/config"
	"poolgw/n2"
)

// benchN2 has both gateways.
const benchN2 = benchConfig + `
ngap
amf 1
 name AMF01
 remote 127.0.0.5 38412
amf 2
 name AMF02
 no allow-attach
`

// TestN2ShowsAsJSON: the json form is the snapshot's part, marshalled.
func TestN2ShowsAsJSON(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchN2, &out)
	s, _ := b.n2.Snapshot(context.Background())
	for command, want := range map[string]any{
		"show amf json":                               s.Pool.AMFs,
		"show amf 2 json":                             s.Pool.AMFs[1],
		"show gnb json":                               s.GNBs,
		"show gnb gnb2 json":                          s.GNBs[1],
		"show ngap json":                              overviewOf(&s),
		"show ngap procedures json":                   s.Procedures,
		"show ngap trace json":                        s.Traces,
		"show nri amf 1 json":                         amfNRIs{1, "AMF01", "", s.Pool.AMFs[0].GUAMIs},
		"show subscriber 5g-s-tmsi 004100000001 json": b.n2.Subscriber(n2.Query{Set: 1, Pointer: 1, TMSI: 1}),
	} {
		out.Reset()
		if err := b.Exec(command); err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		if d := cmp.Diff(decode(t, mustJSON(t, filled(want))), decode(t, out.Bytes())); d != "" {
			t.Errorf("%s (-snapshot +shown):\n%s", command, d)
		}
	}
}

// TestN2Width: the shows fit 80 columns with the largest figures and longest
// names.
func TestN2Width(t *testing.T) {
	var out bytes.Buffer
	b := newBench(t, benchN2, &out)
	b.n2.wide = true
	name := strings.Repeat("N", 150)
	for _, command := range []string{"show amf", "show amf 1", "show gnb", "show gnb " + name, "show pool", "show drain", "show ngap", "show ngap conservation",
		"show ngap procedures", "show sctp", "show subscriber 5g-s-tmsi 004100000001"} {
		out.Reset()
		if err := b.Exec(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s: %d columns: %s", command, n, line)
			}
		}
	}
}

// widen makes all of a snapshot long.
func widen(s *n2.Snapshot) {
	long := strings.Repeat("N", 150)
	s.UEs = 4000000
	for i := range s.Pool.AMFs {
		a := &s.Pool.AMFs[i]
		a.Name, a.Announced, a.Remote, a.Overload = long, long, "127.100.100.100/127.100.100.101:38412", "99 % less"
		a.Capacity, a.Told, a.Share, a.Associations, a.Bound, a.Lost = 255, 255, 255, 4096, 4000000, 999999
		a.NRI, a.GUAMIs[0].Backup, a.FromPDUs, a.ToPDUs = strings.Repeat("1-2,", 99), long, 1<<50, 1<<50
	}
	for i := range s.GNBs {
		g := &s.GNBs[i]
		g.ID, g.Name, g.Peer, g.Bind, g.UEs = "N3IWF 262-042-ffffffff", long, "[2001:db8:1111:2222:3333:4444:5555:6666]:38412", long, 65536
		for j := range g.AMFs {
			l := &g.AMFs[j]
			l.Name, l.UEs, l.Attempts, l.FromPDUs, l.ToPDUs, l.Refused = long, 65536, 999999, 99999999, 99999999, long
		}
		g.Association.Local, g.Association.Remote = g.Peer, g.Peer
		g.State, g.Association.State, g.Association.Transport, g.Association.InStreams, g.Association.OutStreams = "probing", "shutdown-ack-sent", "userspace", 65535, 65535
		g.Association.InMessages, g.Association.OutMessages = 99999999, 99999999
	}
}

// fakeN2 follows the configuration, and has two gNBs.
type fakeN2 struct {
	cfg   n2.Config
	calls []string
	fail  error // of the next Apply
	empty bool  // nothing is there
	wide  bool  // everything is long
}

func (g *fakeN2) Apply(_, new *config.Config, _ time.Time) error {
	err := g.fail
	g.fail = nil
	if err == nil {
		g.cfg = new.N2.Clone()
	}
	return err
}

func (g *fakeN2) Snapshot(context.Context) (n2.Snapshot, error) {
	s := n2.Snapshot{Time: now, Running: g.cfg.Enabled, Limits: g.cfg.Limits}
	if g.empty || len(g.cfg.AMFs) == 0 {
		return s, nil
	}
	s.UEs = 1000
	s.Pool = n2.PoolState{BitLen: g.cfg.BitLen, Selection: "weighted", Affinity: true, Reasons: map[string]uint64{"nri": 1200, "unowned": 34, "no_identity": 5}}
	for i, a := range g.cfg.AMFs {
		m := n2.AMFState{ID: a.ID, Name: a.Name, Announced: fmt.Sprintf("amf%d.5gc", a.ID), Remote: a.Remote.String(), Up: i == 0, Since: now.Add(-26 * time.Hour),
			Associations: 2 - 2*min(i, 1), AllowAttach: a.AllowAttach, Capacity: 100, Told: 100, Share: 100, NRI: a.NRI.String(), Bound: int64(700 - 400*i),
			PLMNs: []string{"262-42"}, Lost: uint64(i), Decisions: map[string]uint64{"nri": 600, "unowned": 17}, FromPDUs: 5000, ToPDUs: 6000,
			GUAMIs: []n2.GUAMIState{{GUAMI: fmt.Sprintf("262-42 1/1/%d", a.ID), PLMN: "262-42", Region: 1, Set: 1, Pointer: a.ID, NRI: 64 + uint16(a.ID)}}}
		if !a.AllowAttach {
			m.DrainedSince = now.Add(-5 * time.Minute)
		}
		s.Pool.AMFs = append(s.Pool.AMFs, m)
	}
	s.Binds = []n2.BindState{{Name: "ran", Listen: "127.0.0.50:38412", Transport: "userspace", Reason: "sctp: the kernel has no SCTP: load its module (modprobe sctp), or take transport userspace", GNBs: 2}}
	for i := range uint32(2) {
		s.GNBs = append(s.GNBs, fakeGNB(i, s.Pool.AMFs))
	}
	s.Conservation = n2.Conservation{FromGNB: 5001, FromAMF: 6000, Copies: 2, Originated: 10, ToGNB: 6004, ToAMF: 5000, Absorbed: 6, Dropped: map[string]uint64{"unknown_ue": 2, "limit": 1},
		ByClass: map[string]map[string]uint64{"established": {"unknown_ue": 2}, "new_session": {"limit": 1}}}
	s.Procedures = []n2.ProcedureState{{Code: 15, Name: "InitialUEMessage", FromGNB: n2.Flow{Rule: "by identity", PDUs: 1234}},
		{Code: 46, Name: "UplinkNASTransport", FromGNB: n2.Flow{Rule: "by UE", PDUs: 99}, FromAMF: n2.Flow{Rule: "by UE"}}}
	s.Traces = []n2.TraceState{{GNB: "262-42-1", File: "/var/lib/poolgw/traces/gnb-262-42-1-20260301T120000.000.pcap", Packets: 12, Of: 1000}}
	if g.wide {
		widen(&s)
	}
	return s, nil
}

func fakeGNB(i uint32, amfs []n2.AMFState) n2.GNBState {
	assoc := n2.Association{State: "established", Transport: "userspace", Local: "127.0.0.50:38412", Remote: fmt.Sprintf("127.0.0.%d:38412", 70+i), InMessages: 2500, OutMessages: 3000, InStreams: 10, OutStreams: 10,
		Paths: []n2.PathState{{Remote: fmt.Sprintf("127.0.0.%d", 70+i), State: "active", Primary: true, SRTT: 240 * time.Microsecond, RTO: 200 * time.Millisecond, MTU: 1500}}}
	g := n2.GNBState{Serial: i + 1, ID: fmt.Sprintf("262-42-%x", i+1), Name: fmt.Sprintf("gnb%d", i+1), Peer: assoc.Remote, Bind: "ran", State: "up", Since: now.Add(-time.Hour), UEs: 500,
		TAs: []n2.TAState{{TAC: 1, PLMNs: []string{"262-42"}}}, Association: assoc, Conservation: n2.Conservation{FromGNB: 2500, ToAMF: 2500}}
	for _, a := range amfs {
		l := n2.LegState{AMF: a.ID, Name: a.Name, State: "up", Since: now.Add(-time.Minute), UEs: 250, FromPDUs: 3000, ToPDUs: 2500}
		if a.Up {
			l.Association = assoc
		} else {
			l.State, l.Attempts, l.Refused = "waiting", 4, "unknown PLMN"
		}
		g.AMFs = append(g.AMFs, l)
	}
	return g
}

func (g *fakeN2) Subscriber(q n2.Query) n2.Answer {
	a := n2.Answer{NRI: q.Set<<6 | uint16(q.Pointer), Set: q.Set, Pointer: q.Pointer, TMSI: q.TMSI, Reason: "unowned", Text: n2.ReasonText("unowned", false)}
	if len(g.cfg.AMFs) > 0 {
		a.AMF, a.Member = g.cfg.AMFs[0].ID, g.cfg.AMFs[0].Name
	}
	return a
}

func (g *fakeN2) StartTrace(_ context.Context, o n2.TraceOrder) (string, error) {
	g.calls = append(g.calls, fmt.Sprintf("trace %+v", o))
	if o.GNB == "nosuch" {
		return "", n2.ErrNoGNB
	}
	return "/var/lib/poolgw/traces/x.pcap", nil
}

func (g *fakeN2) StopTraces(context.Context) int {
	g.calls = append(g.calls, "stop traces")
	return 1
}
