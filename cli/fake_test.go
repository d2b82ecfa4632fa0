package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

// now is when every test happens.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakeGateway follows the configuration, and has two BSSs and three
// subscribers.
type fakeGateway struct {
	cfg   gb.Config
	calls []string
	fail  error // of the next Apply
	since map[uint16]time.Time
	empty bool // nothing is there
}

func (g *fakeGateway) Apply(_, new *config.Config, now time.Time) error {
	if err := g.fail; err != nil {
		g.fail = nil
		return err
	}
	for _, s := range new.Gb.SGSNs {
		if s.AllowAttach {
			delete(g.since, s.NSEI)
		} else if g.since[s.NSEI].IsZero() {
			g.since[s.NSEI] = now.Add(-5 * time.Minute)
		}
	}
	g.cfg = new.Gb.Clone()
	return nil
}

func (g *fakeGateway) Snapshot(context.Context) (gb.Snapshot, error) {
	if g.empty {
		return gb.Snapshot{Time: now}, nil
	}
	s := gb.Snapshot{Time: now, Timers: g.timers(), Limits: g.cfg.Limits, Evicted: map[string]uint64{"activity": 12},
		Pool: gb.PoolState{BitLen: g.cfg.BitLen, Null: g.cfg.Null.Any.String(), NullByPLMN: nullByPLMN(g.cfg.Null), ActivityWindow: time.Duration(g.cfg.ActivityWindow) * time.Minute,
			ActiveWindow: 5 * time.Minute, Reasons: map[string]uint64{"nri": 1234, "owner_down": 56, "pinned": 0}},
		Drops: map[string]uint64{"no_sgsn": 7}}
	for i, m := range g.cfg.SGSNs {
		s.Pool.SGSNs = append(s.Pool.SGSNs, gb.SGSNState{NSEI: m.NSEI, Name: m.Name, Up: i == 0, Since: now.Add(-26 * time.Hour),
			AllowAttach: m.AllowAttach, DrainedSince: g.since[m.NSEI], Weight: m.Weight, NRI: m.NRI.String(),
			Bound: 300 * i, Active: 20 * i, LastSeen: now.Add(-90 * time.Second),
			BVCs: []gb.BVCState{{BVCI: 0, State: "UNBLOCKED"}, {BVCI: 1000, State: "UNBLOCKED", RAI: "262-42-4096-1", CI: 42}}})
	}
	s.BSSs = []gb.BSSState{{NSEI: 2001, BVCs: []gb.BVCState{{BVCI: 0, State: "UNBLOCKED"},
		{BVCI: 1000, State: "UNBLOCKED", RAI: "262-42-4096-1", CI: 42, FromPDUs: 12, FromBytes: 1200, ToPDUs: 3, ToBytes: 300, Drops: 1}}}}
	s.Cells = []gb.CellState{{BVCI: 1000, RAI: "262-42-4096-1", CI: 42, BSS: 2001, SGSNs: []uint16{101}}}
	s.TLLIs = []gb.TLLIEntry{{TLLI: 0xc0000001, NSEI: 2001, Valid: 4 * time.Second}}
	s.IMSIs = []gb.IMSIEntry{{IMSI: "262420000000001", Usage: "paging", NSEI: 101, Valid: 7 * time.Second}}
	s.NS = fakeNS()
	return s, nil
}

func (g *fakeGateway) timers() (all []gb.TimerState) {
	for i, d := range gb.TimerDefs {
		all = append(all, gb.TimerState{Group: d.Group, Name: d.Name, Value: g.cfg.Timers[i], Unit: d.Unit,
			Default: d.Default, Min: d.Min, Max: d.Max, Doc: d.Doc})
	}
	return all
}

func nullByPLMN(n nri.NullSet) map[string]string {
	m := map[string]string{}
	for _, p := range n.PLMNs() {
		m[p.String()] = n.Of(p).String()
	}
	return m
}

func fakeNS() ns.Snapshot {
	core, ran := netip.MustParseAddrPort("127.0.0.10:23000"), netip.MustParseAddrPort("127.0.0.11:23000")
	sgsn, bss := netip.MustParseAddrPort("127.0.0.20:24000"), netip.MustParseAddrPort("127.0.0.30:25000")
	a, b := uint16(101), uint16(2002)
	up, later := now.Add(-12*time.Second), now.Add(-9*time.Second)
	return ns.Snapshot{
		NSEs: []ns.NSEState{
			{NSEI: 101, Link: "UDP", Dialect: "ipaccess", Persistent: true, Alive: true, Since: up, VCs: []ns.VCState{
				{NSVCI: &a, State: "UNBLOCKED", Persistent: true, Bind: "core", Local: core, Remote: sgsn, Since: up, Alive: true,
					Counters: ns.Counters{PacketsIn: 5, PacketsOut: 11, BytesIn: 32, BytesOut: 159, Blocked: 1, Unblocked: 1, LostReset: 1}}}},
			{NSEI: 102, Link: "UDP", Dialect: "sns", Persistent: true, Alive: true, Since: now.Add(-26 * time.Hour),
				SNS: &ns.SNSState{Role: "BSS", State: "CONFIGURED", MaxNSVCs: 8192, MaxIPv4: 8192, MaxIPv6: 8192,
					Local:  []ns.Endpoint{{Addr: core, SigWeight: 1, DataWeight: 1}},
					Remote: []ns.Endpoint{{Addr: sgsn, SigWeight: 1}, {Addr: bss, DataWeight: 1}}},
				VCs: []ns.VCState{{State: "UNBLOCKED", Bind: "core", Local: core, Remote: sgsn, SigWeight: 1, Since: up, Alive: true}}},
			{NSEI: 2001, Link: "UDP", Dialect: "ipaccess", Alive: true, Since: later, VCs: []ns.VCState{
				{NSVCI: &b, State: "BLOCKED", BlockedBy: "O&M/vty", Bind: "ran", Local: ran, Remote: bss, Since: later, Alive: true}}},
		},
		Binds: []ns.BindState{{Name: "core", Link: "UDP", Local: core, SigWeight: 1, DataWeight: 1},
			{Name: "ran", Link: "UDP", Local: ran, SigWeight: 1, DataWeight: 1, DSCP: 46, Dropped: map[string]uint64{"too_short": 3}}},
	}
}

// Machines are those of an osmo-gbproxy 0.5.0's "show ns", and a BVC.
func (g *fakeGateway) Machines(context.Context) ([]ns.Machine, error) {
	return []ns.Machine{
		{Class: "BSSGP-BVC", ID: "NSE00101-BVC00002", State: "WAIT_RESET_ACK", Timer: 2, Left: time.Second},
		{Class: "GPRS-NS2-SNS-BSS", ID: "NSE00101-SNS", State: "CONFIGURED", Left: -1},
	}, nil
}

func (g *fakeGateway) Subscriber(q gb.Query) (gb.Answer, error) {
	if q.IMSI != "" {
		return gb.Answer{Reason: "no-identity", Text: "An IMSI tells no SGSN: any member."}, nil
	}
	n := uint16(300)
	return gb.Answer{NSEI: 101, Member: "SGSN01", Reason: "owner", Text: "The SGSN owns NRI 300 and is up.", Kind: "local",
		NRI: &n, LastSeen: now.Add(-30 * time.Second)}, nil
}

func (g *fakeGateway) call(format string, a ...any) error {
	g.calls = append(g.calls, fmt.Sprintf(format, a...))
	return nil
}

func (g *fakeGateway) DeletePeer(nsei uint16, mode gb.DeleteMode, dry bool) (int, int, error) {
	if nsei != 2001 {
		return 0, 0, errors.New("there is no BSS with NSEI " + fmt.Sprint(nsei))
	}
	return 2, 1, g.call("delete %d mode %d dry %v", nsei, mode, dry)
}

func (g *fakeGateway) DeleteBVC(nsei, bvci uint16) error {
	return g.call("delete %d bvci %d", nsei, bvci)
}
func (g *fakeGateway) FixSelection(name string) error { return g.call("fix %q", name) }
func (g *fakeGateway) BlockVC(nsvci uint16) error     { return g.call("block %d", nsvci) }
func (g *fakeGateway) UnblockVC(nsvci uint16) error   { return g.call("unblock %d", nsvci) }
func (g *fakeGateway) ResetVC(nsvci uint16) error     { return g.call("reset %d", nsvci) }
func (g *fakeGateway) RestartSNS(nsei uint16) error   { return g.call("restart-sns %d", nsei) }
func (g *fakeGateway) ForceUnconfigured(nsei uint16) error {
	return g.call("force-unconfigured %d", nsei)
}

// fakeLogs records what sessions ask for.
type fakeLogs struct {
	mu    sync.Mutex
	calls []string
	sinks []func(string)
}

func (l *fakeLogs) note(format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprintf(format, a...))
}

func (l *fakeLogs) Open(v config.LogView, sink func(string)) LogSession {
	l.note("open lns=%s", v.LevelOf("lns"))
	l.sinks = append(l.sinks, sink)
	return fakeLogSession{l}
}

func (l *fakeLogs) Alarms() ([]string, bool) { return []string{"DLNS ERROR NSE(00101) is down"}, true }

func (l *fakeLogs) Log(category, level, text string) { l.note("log %s %s %s", category, level, text) }

type fakeLogSession struct{ l *fakeLogs }

func (s fakeLogSession) SetView(v config.LogView) {
	s.l.note("view all=%v lns=%s force=%q", v.FilterAll, v.LevelOf("lns"), v.ForceAll)
}
func (s fakeLogSession) Close() { s.l.note("close") }

// bench is a session on fakes.
type bench struct {
	*vty.Session
	tree  *vty.Tree
	term  *vty.Headless
	store *config.Store
	gw    *fakeGateway
	n2    *fakeN2
	logs  *fakeLogs
	path  string
}

func newBench(t *testing.T, cfg string, out io.Writer) *bench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pool.cfg")
	c, _, err := Load(New(Env{}), "pool.cfg", stringReader(cfg))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{gw: &fakeGateway{cfg: c.Gb, since: map[uint16]time.Time{}}, n2: &fakeN2{cfg: c.N2}, logs: &fakeLogs{}, path: path}
	b.store = config.NewStore(c, func() time.Time { return now })
	b.store.Register(b.gw, b.n2)
	env := Env{Store: b.store, Gateway: b.gw, N2: b.n2, Logs: b.logs, Stats: fakeStats{b.logs}, Path: path, Version: "1.2.3", Now: func() time.Time { return now }}
	b.term = &vty.Headless{Out: out, Prog: Program(env), Conf: vty.Settings{Hostname: "PoolGW"}}
	b.tree = New(env)
	b.Session = vty.NewSession(b.tree, b.term)
	t.Cleanup(b.Session.Close)
	return b
}
