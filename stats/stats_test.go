package stats

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	nsvc = &Group{Name: "ns:nsvc", Text: "NSVC Peer Statistics", Level: "peer", Counters: []Counter{
		{Name: "packets:in", Text: "Packets at NS Level  ( In)"}, {Name: "packets:out:drop", Text: "Dropped Packets      (Out)"}}}
	global = &Group{Name: "gbproxy:global", Text: "GBProxy Global Statistics", Level: "global", Counters: []Counter{{Name: "inv-bvci"}}}
	delay  = &Group{Name: "ns.nsvc", Text: "NSVC Peer Statistics", Level: "peer", Items: true,
		Counters: []Counter{{Name: "alive.delay", Text: "ALIVE response time", Unit: "ms"}}}
)

const nsvcName = "NSE00101-NSVC-UDP-127_0_0_77:23000-127_0_0_77:23001"

// counts is a source whose values tests set.
type counts struct {
	mu                    sync.Mutex
	in, drop, inv, answer uint64
	gone                  bool
}

func (c *counts) set(f func(c *counts)) { c.mu.Lock(); defer c.mu.Unlock(); f(c) }

func (c *counts) source(_ context.Context, _ Query, visit Visit) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		visit(nsvc, 0, nsvcName, []uint64{c.in, c.drop})
		visit(delay, 0, nsvcName, []uint64{c.answer})
	}
	visit(global, 0, "", []uint64{c.inv})
	return nil
}

func read(t *testing.T, r *Registry, q Query) string {
	t.Helper()
	list, err := r.Read(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range list {
		for i, v := range g.Values {
			out = append(out, fmt.Sprintf("%s.%d.%s %d %v", g.Group.Name, g.Index, g.Group.Counters[i].Name, v.Value, v.Rates))
		}
	}
	return strings.Join(out, "\n")
}

// Ten packets each second for 3700 s: the rates are those of the last whole
// intervals.
func TestRates(t *testing.T) {
	var c counts
	r := NewRegistry(c.source)
	at := int64(0)
	pass := func(seconds int64, perSecond uint64) {
		for range seconds {
			at++
			c.in += perSecond
			if err := r.Tick(context.Background(), at); err != nil {
				t.Fatal(err)
			}
		}
	}
	zero := uint32(0)
	q := Query{Group: "ns:nsvc", Index: &zero}
	want := func(in string) {
		t.Helper()
		if got := read(t, r, q); got != "ns:nsvc.0.packets:in "+in+"\nns:nsvc.0.packets:out:drop 0 [0 0 0 0]" {
			t.Errorf("at %d s: %s", at, got)
		}
	}
	pass(59, 10)
	want("590 [10 0 0 0]")
	pass(1, 10)
	want("600 [10 600 0 0]")
	pass(60, 1)
	want("660 [1 60 0 0]")
	pass(3480, 1)
	want("4140 [1 60 4140 0]")
	pass(86400-3600, 0)
	want("4140 [0 0 0 4140]")
	c.in += 7
	want("4147 [0 0 0 4140]") // values are of the moment
}

// A counter that was made anew begins at zero; a group that is gone is forgotten.
func TestRestartAndEnd(t *testing.T) {
	c := counts{in: 100}
	r := NewRegistry(c.source)
	r.Tick(context.Background(), 1)
	c.in = 3
	r.Tick(context.Background(), 2)
	if got := read(t, r, Query{Group: "ns:nsvc"}); !strings.HasPrefix(got, "ns:nsvc.0.packets:in 3 [3 ") {
		t.Error(got)
	}
	c.gone = true
	r.Tick(context.Background(), 3)
	if len(r.series) != 1 {
		t.Errorf("%d groups are kept", len(r.series))
	}
}

func TestReset(t *testing.T) {
	c := counts{in: 100, answer: 7}
	r := NewRegistry(c.source)
	if err := r.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.in += 5
	want := "ns:nsvc.0.packets:in 5 [0 0 0 0]\nns:nsvc.0.packets:out:drop 0 [0 0 0 0]\nns.nsvc.0.alive.delay 7 [0 0 0 0]\n" +
		"gbproxy:global.0.inv-bvci 0 [0 0 0 0]"
	if got := read(t, r, Query{}); got != want {
		t.Error(got)
	}
}

// What there is beyond the bound is read, and takes no memory.
func TestBound(t *testing.T) {
	n := maxSeries + 10
	r := NewRegistry(func(_ context.Context, _ Query, visit Visit) error {
		for i := range n {
			visit(global, uint32(i), "", []uint64{1})
		}
		return nil
	})
	list, err := r.Read(context.Background(), Query{})
	if err != nil || len(list) != n || list[n-1].Values[0].Value != 1 {
		t.Errorf("%d groups, %v", len(list), err)
	}
	if len(r.series) != maxSeries || r.Left() != 10 {
		t.Errorf("%d are kept, %d were too many", len(r.series), r.Left())
	}
}

// listener is a statsd server on loopback.
type listener struct {
	t *testing.T
	*net.UDPConn
}

func listen(t *testing.T, ip string) listener {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(ip)})
	if err != nil && ip == "::1" {
		t.Skip("this machine has no ::1")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return listener{t, c}
}

func (l listener) addr() netip.AddrPort { return l.LocalAddr().(*net.UDPAddr).AddrPort() }

// datagrams reads what has come.
func (l listener) datagrams() (all []string) {
	b := make([]byte, 65536)
	for {
		l.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		n, err := l.Read(b)
		if err != nil {
			return all
		}
		all = append(all, string(b[:n]))
	}
}

func (l listener) want(datagrams ...string) {
	l.t.Helper()
	if got := l.datagrams(); strings.Join(got, "\n--\n") != strings.Join(datagrams, "\n--\n") {
		l.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n--\n"), strings.Join(datagrams, "\n--\n"))
	}
}

func newEngine(t *testing.T, c *counts, log *slog.Logger) *Engine {
	t.Helper()
	e := NewEngine(NewRegistry(c.source), nil, log)
	t.Cleanup(e.Close)
	return e
}

func (e *Engine) mustReport(t *testing.T) {
	t.Helper()
	if err := e.Report(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// The lines are what osmo-sgsn 1.9.0 sent for an NS-VC of this name with
// "prefix TTCN3" and an MTU.
// Facts: G9-12
func TestStatsd(t *testing.T) {
	for _, ip := range []string{"127.0.0.1", "::1"} {
		t.Run(ip, func(t *testing.T) {
			l := listen(t, ip)
			var c counts
			e := newEngine(t, &c, slog.New(slog.DiscardHandler))
			cfg := Reporter{Kind: "statsd", Remote: l.addr(), MTU: 1400, Prefix: "TTCN3", Level: "subscriber", Enabled: true}
			e.Configure(Config{Reporters: []Reporter{cfg}})
			e.mustReport(t)
			const nsvc = "TTCN3.ns.nsvc.NSE00101-NSVC-UDP-127_0_0_77.23000-127_0_0_77.23001."
			all := nsvc + "packets.in:0|c\n" + nsvc + "packets.out.drop:0|c\n" + nsvc + "alive.delay:0|g\nTTCN3.gbproxy.global.0.inv-bvci:0|c"
			l.want(all) // the first report is whole
			e.mustReport(t)
			l.want() // nothing has changed
			c.set(func(c *counts) { c.in, c.answer = 7, 12 })
			e.mustReport(t)
			l.want(nsvc + "packets.in:7|c\n" + nsvc + "alive.delay:12|g")
			c.set(func(c *counts) { c.in = 10 })
			e.mustReport(t)
			l.want(nsvc + "packets.in:3|c") // the difference
			cfg.Level, cfg.Prefix, cfg.FlushPeriod = "", "", 1
			e.Configure(Config{Reporters: []Reporter{cfg}})
			for range 2 { // every report is whole; only what is global
				e.mustReport(t)
				l.want("gbproxy.global.0.inv-bvci:0|c")
			}
			cfg.Enabled = false
			e.Configure(Config{Reporters: []Reporter{cfg}})
			e.mustReport(t)
			l.want()
		})
	}
}

// No datagram is longer than the MTU leaves; without an MTU each has one value.
func TestStatsdMTU(t *testing.T) {
	l := listen(t, "127.0.0.1")
	var c counts
	e := newEngine(t, &c, slog.New(slog.DiscardHandler))
	cfg := Reporter{Kind: "statsd", Remote: l.addr(), Level: "peer", Enabled: true}
	e.Configure(Config{Reporters: []Reporter{cfg}})
	e.mustReport(t)
	if got := l.datagrams(); len(got) != 4 || strings.Contains(strings.Join(got, ""), "\n") {
		t.Errorf("without an MTU: %q", got)
	}
	cfg.MTU = 200
	e.Configure(Config{Reporters: []Reporter{cfg}})
	e.mustReport(t)
	got := l.datagrams()
	for _, d := range got {
		if len(d) > 200-28 {
			t.Errorf("%d octets: %q", len(d), d)
		}
	}
	if len(got) != 2 || strings.Count(strings.Join(got, "\n"), "|") != 4 {
		t.Errorf("%q", got)
	}
}

// Letters that would end a name, or begin another value, are replaced.
func TestStatsdNames(t *testing.T) {
	l := listen(t, "127.0.0.1")
	r := NewRegistry(func(_ context.Context, _ Query, visit Visit) error {
		visit(global, 1, "a b|c#d@e\nf:g", []uint64{1})
		return nil
	})
	e := NewEngine(r, nil, slog.New(slog.DiscardHandler))
	defer e.Close()
	e.Configure(Config{Reporters: []Reporter{{Kind: "statsd", Remote: l.addr(), Enabled: true}}})
	e.mustReport(t)
	l.want("gbproxy.global.a_b_c_d_e_f.g.inv-bvci:1|c")
}

// A reporter that can't have its address is told once, and is no harm to others.
func TestStatsdFails(t *testing.T) {
	l := listen(t, "127.0.0.1")
	var c counts
	var log bytes.Buffer
	e := newEngine(t, &c, slog.New(slog.NewTextHandler(&log, nil)))
	e.Configure(Config{Reporters: []Reporter{
		{Kind: "statsd", Name: "bad", Remote: l.addr(), Local: netip.MustParseAddr("192.0.2.1"), Enabled: true},
		{Kind: "statsd", Remote: l.addr(), Enabled: true}}})
	e.mustReport(t)
	e.mustReport(t)
	l.want("gbproxy.global.0.inv-bvci:0|c")
	if n := strings.Count(log.String(), "statistics can't be sent"); n != 1 {
		t.Errorf("%d lines:\n%s", n, &log)
	}
}

// The log reporter every three seconds; every second of its reports is whole.
// Facts: G9-13
func TestLogReporterAndInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c counts
		var log bytes.Buffer
		e := NewEngine(NewRegistry(c.source), nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}})))
		defer e.Close()
		cfg := Config{Interval: 3 * time.Second, Reporters: []Reporter{{Kind: "log", Prefix: "gw", Enabled: true, FlushPeriod: 2}}}
		e.Configure(cfg)
		line := func(v int) string {
			return fmt.Sprintf("level=INFO msg=stats cat=lstats t=c p=gw g=gbproxy:global i=0 n=inv-bvci v=%d u=\"\"\n", v)
		}
		for _, s := range []struct {
			after time.Duration
			inv   uint64
			want  string
		}{
			{1500 * time.Millisecond, 0, line(0)}, // at 1 s: the first, whole
			{3 * time.Second, 0, ""},              // at 4 s: nothing new
			{3 * time.Second, 0, line(0)},         // at 7 s: whole again
			{3 * time.Second, 5, line(5)},         // at 10 s: changed
			{2 * time.Second, 6, ""},              // not due
		} {
			c.set(func(c *counts) { c.inv = s.inv })
			e.Configure(cfg) // as before: nothing begins anew
			time.Sleep(s.after)
			synctest.Wait()
			if log.String() != s.want {
				t.Errorf("got %q, want %q", log.String(), s.want)
			}
			log.Reset()
		}
	})
}

// The kernel's own TCP_INFO: a connection over loopback has a round-trip time.
func TestTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var tcp TCP
	var done []func()
	for range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		done = append(done, tcp.Watch(s))
	}
	seen := func() (n int, rtt uint64) {
		tcp.Source(context.Background(), Query{}, func(g *Group, _ uint32, name string, values []uint64) {
			if n++; len(values) != len(g.Counters) || !strings.HasPrefix(name, "r=127.0.0.1:") {
				t.Errorf("%s: %v", name, values)
			}
			rtt += values[3]
		})
		return n, rtt
	}
	for want := 1; want <= 3; want++ { // one at a time, each in turn
		tcp.look(1)
		if n, rtt := seen(); n != want || rtt == 0 {
			t.Errorf("%d sockets, RTT %d us", n, rtt)
		}
	}
	done[1]()
	tcp.look(0)
	if n, _ := seen(); n != 2 {
		t.Errorf("%d sockets after one was closed", n)
	}
	tcp.Watch(nil)()
}
