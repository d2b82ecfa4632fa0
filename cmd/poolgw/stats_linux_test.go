package main

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolgw/cli"
)

// TestStatistics asks a gateway with traffic for its counters in every way: VTY,
// CTRL, statsd. What they say must agree with each other, and with what the
// lab's SGSNs took.
// Facts: G9-06, G9-09, G9-10, G9-11, G10-06
func TestStatistics(t *testing.T) {
	t.Parallel()
	statsd, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer statsd.Close()
	d := newDay(t)
	d.configure()
	d.run("configure terminal", "stats interval 1", "stats-tcp interval 1", "stats reporter statsd", "remote-ip 127.0.0.1",
		fmt.Sprintf("remote-port %d", statsd.LocalAddr().(*net.UDPAddr).Port), "level peer", "mtu 1400", "prefix gw", "enable", "end")
	d.startLab()
	c := dialCTRL(t, d.real("4263"))
	c.until("rate_ctr.abs.gbproxy:sgsn.101.packets:out", func(v string) bool { n, _ := strconv.Atoi(v); return n > 100 })
	c.until("rate_ctr.per_sec.gbproxy:sgsn.101.packets:out", func(v string) bool { return v != "0" })
	testCTRLCounters(t, d, c)
	testShownCounters(t, d, c)
	testStatsdLines(t, statsd)
	d.run("stats reset")
	if n, _ := strconv.Atoi(c.get("rate_ctr.abs.ns:nse.102.packets:in")); n > 200 {
		t.Errorf("%d packets after a reset", n)
	}
}

// The errors are what osmo-sgsn 1.9.0 answers.
func testCTRLCounters(t *testing.T, d *day, c *ctrlClient) {
	for _, q := range []struct{ variable, want string }{
		{"rate_ctr", "ERROR Command not found"},
		{"rate_ctr.abs", "ERROR Counter group must be of name.index form e. g. e1inp.0"},
		{"rate_ctr.abs.ns:nse", "ERROR Counter group must be of name.index form e. g. e1inp.0"},
		{"rate_ctr.foo.ns:nse.101", "ERROR Wrong interval. Expecting 'per_sec', 'per_min', 'per_hour', 'per_day' or 'abs' value."},
		{"rate_ctr.abs.nosuch.0", "ERROR Counter group with given name and index not found"},
		{"rate_ctr.abs.ns:nse.9", "ERROR Counter group with given name and index not found"},
		{"rate_ctr.abs.ns:nse.101.nosuch", "ERROR Counter name not found."},
		{"rate_ctr.abs.gbproxy:global.0.inv-bvci", "0"},
		{"rate_ctr.abs.ns:nse.101.dead", "0"},
		{"stat_item", "ERROR Command not found"},
		{"stat_item.last", "ERROR Stat item must be of form stat_item.type.group_name.N.item_name, e.g. 'stat_item.last.bsc.0.msc_num:connected'"},
		{"stat_item.last.nosuch.0.a", "ERROR Stat group with given name and index not found"},
		{"stat_item.last.ns.nsvc.9999.alive.delay", "ERROR Stat group with given name and index not found"},
		{"stat_item.last.ns.bind.0.nosuch", "ERROR No such stat item found"},
		{"counter.x", "ERROR Counter name not found."},
	} {
		if got := c.get(q.variable); got != q.want {
			t.Errorf("%s: %q, want %q", q.variable, got, q.want)
		}
	}
	c.write("SET 900 rate_ctr.abs.ns:nse.101.blocked 1")
	if got := c.answer("SET_REPLY 900", "ERROR 900 "); got != "ERROR Can't set rate counter." {
		t.Errorf("a counter was set: %q", got)
	}
	group := c.get("rate_ctr.abs.ns:nse.101")
	form := `^packets:in \d+;packets:out \d+;packets:out:drop \d+;bytes:in \d+;bytes:out \d+;bytes:out:drop \d+;blocked \d+;unblocked \d+;` +
		`dead \d+;replaced \d+;nsei-chg \d+;inv-nsvci \d+;inv-nsei \d+;lost:alive \d+;lost:reset \d+;$`
	if !regexp.MustCompile(form).MatchString(group) {
		t.Errorf("the whole group: %q", group)
	}
	for _, item := range []string{"stat_item.last.ns.nsvc.0.alive.delay", "stat_item.last.ns:nsvc.0.alive.delay", "stat_item.last.ns.bind.0.tx_backlog_length"} {
		if got := c.get(item); !regexp.MustCompile(`^\d+$`).MatchString(got) {
			t.Errorf("%s: %q", item, got)
		}
	}
	bvc := "rate_ctr.abs.gbproxy:peer." + strconv.Itoa(2001<<16|20011)
	if byIndex := c.get(bvc + ".packets:in"); byIndex == "0" || strings.HasPrefix(byIndex, "ERROR") {
		t.Errorf("%s: %s", bvc, byIndex)
	}
	if list := c.get("rate_ctr.list"); !strings.Contains(list, "ns:nse.101;") || !strings.Contains(list, "gbproxy:global.0;") {
		t.Errorf("list: %q", list)
	}
}

func testShownCounters(t *testing.T, d *day, c *ctrlClient) {
	var groups []cli.StatsGroup
	if err := json.Unmarshal([]byte(d.run("show stats json")), &groups); err != nil {
		t.Fatal(err)
	}
	value := func(group, name, counter string) (v uint64) {
		for _, g := range groups {
			for _, x := range g.Values {
				if g.Group == group && g.IndexName == name && x.Name == counter {
					v += x.Value
				}
			}
		}
		return v
	}
	// Of each SGSN: what it was sent is the sum over its BVCs.
	for _, sgsn := range []struct{ nsei, name string }{{"00101", "SGSN01"}, {"00102", "SGSN02"}} {
		sum := value("gbproxy:peer", "BVC00000-NSE"+sgsn.nsei, "packets:out")
		for _, cell := range []string{"20011", "20012", "20021", "20022"} {
			sum += value("gbproxy:peer", "BVC"+cell+"-NSE"+sgsn.nsei, "packets:out")
		}
		if n := value("gbproxy:sgsn", sgsn.name, "packets:out"); n == 0 || n > sum+20 || sum > n+20 { // it moves while it is read
			t.Errorf("%s was sent %d PDUs, its BVCs %d", sgsn.name, n, sum)
		}
	}
	tcp := 0
	for _, g := range groups {
		if g.Group == "tcp" && g.Values[3].Value > 0 { // a round-trip time
			tcp++
		}
	}
	if tcp < 2 { // the VTY's and the CTRL session
		t.Errorf("%d TCP sockets are shown", tcp)
	}
	text := d.run("show rate-counters skip-zero")
	for _, want := range []string{
		`(?m)^NSVC Peer Statistics \d+ \(NSE00101-NSVC-UDP-127_0_0_1:\d+-127_0_0_1:\d+\):$`,
		`(?m)^ +packets:out: +\d+ \(\d+/s \d+/m \d+/h \d+/d\) Packets at NS Level  \(Out\)$`,
		`(?m)^GBProxy SGSN Statistics 101 \(SGSN01\):$`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no line %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, ":          0 (0/s 0/m 0/h 0/d)") {
		t.Errorf("zeros are shown:\n%s", text)
	}
}

// testStatsdLines wants well-formed lines, and the differences of one counter to
// add up to it.
func testStatsdLines(t *testing.T, statsd *net.UDPConn) {
	line := regexp.MustCompile(`^gw\.[A-Za-z0-9_.()<>=-]+:\d+\|[cg]$`)
	seen := map[string]bool{}
	b := make([]byte, 65536)
	for until := time.Now().Add(4 * time.Second); time.Now().Before(until); {
		statsd.SetReadDeadline(until)
		n, err := statsd.Read(b)
		if err != nil {
			break
		}
		if n > 1400-28 {
			t.Errorf("%d octets in a datagram", n)
		}
		for l := range strings.SplitSeq(string(b[:n]), "\n") {
			if !line.MatchString(l) {
				t.Fatalf("line %q", l)
			}
			name, _, _ := strings.Cut(l, ":")
			seen[name] = true
		}
	}
	for _, want := range []string{"gw.gbproxy.sgsn.SGSN01.packets.out", "gw.gbproxy.peer.BVC20011-NSE02001.packets.in", "gw.ns.nse.101.bytes.in"} {
		if !seen[want] {
			t.Errorf("%s was not sent", want)
		}
	}
}
