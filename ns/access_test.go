package ns

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

func prefixes(texts ...string) (l AccessList) {
	for _, t := range texts {
		l, _ = l.With(netip.MustParsePrefix(t))
	}
	return l
}

func TestAccessList(t *testing.T) {
	for _, c := range []struct {
		list    AccessList
		in, out string
	}{
		{nil, "10.0.0.1 fd00::1 fe80::1%lo", ""},
		{prefixes("10.0.0.0/8"), "10.0.0.0 10.255.255.255", "9.255.255.255 11.0.0.0 ::ffff:11.0.0.0 fd00::1"},
		{prefixes("10.1.2.3/32", "192.0.2.128/25"), "10.1.2.3 192.0.2.128", "10.1.2.2 192.0.2.127"},
		{prefixes("fe80::/10", "2001:db8::/32"), "fe80::7%lo 2001:db8::1", "10.0.0.1 2001:db9::1"},
		{prefixes("0.0.0.0/0"), "192.0.2.1", "fd00::1"},
	} {
		for _, a := range strings.Fields(c.in) {
			if !c.list.Accepts(netip.MustParseAddr(a)) {
				t.Errorf("%v shuts out %s", c.list, a)
			}
		}
		for _, a := range strings.Fields(c.out) {
			if c.list.Accepts(netip.MustParseAddr(a)) {
				t.Errorf("%v lets in %s", c.list, a)
			}
		}
	}
}

func TestAccessListAllocatesNothing(t *testing.T) {
	l, a := prefixes("192.0.2.0/24", "10.0.0.0/8"), netip.MustParseAddr("10.1.2.3")
	if n := testing.AllocsPerRun(100, func() { l.Accepts(a) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAccessListEdits(t *testing.T) {
	c := Config{}
	must(t, c.AddBind(LinkUDP, "a"))
	must(t, c.AddBind(LinkFR, "f"))
	net := func(i int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("10.%d.0.1/16", i)) }
	for i := range MaxAccess {
		must(t, c.AddAccept("a", net(i)))
	}
	must(t, c.AddAccept("a", net(0)))
	if n := len(c.Bind("a").Accept); n != MaxAccess || c.Bind("a").Accept[3].String() != "10.3.0.0/16" {
		t.Errorf("%d: %v", n, c.Bind("a").Accept[:4])
	}
	before := c.Clone()
	for what, err := range map[string]error{
		"one too many":    c.AddAccept("a", netip.MustParsePrefix("192.0.2.0/24")),
		"IPv4 as IPv6":    c.AddAccept("a", netip.MustParsePrefix("::ffff:10.0.0.0/104")),
		"no prefix":       c.AddAccept("a", netip.Prefix{}),
		"not there":       c.RemoveAccept("a", netip.MustParsePrefix("192.0.2.0/24")),
		"Frame Relay":     c.AddAccept("f", net(1)),
		"no bind":         c.ClearAccept("x"),
		"no bind to edit": c.RemoveAccept("x", net(1)),
	} {
		if err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if !c.Bind("a").Equal(*before.Bind("a")) {
		t.Error("a refused edit changed something")
	}
	must(t, c.RemoveAccept("a", net(7)))
	if c.Bind("a").Equal(*before.Bind("a")) || before.Bind("a").Accept[7] != net(7).Masked() {
		t.Error("clone and original share memory")
	}
	must(t, c.ClearAccept("a"))
	if len(c.Bind("a").Accept) != 0 {
		t.Error("not cleared")
	}
}

// What the list shuts out has no effect and no answer, and costs one counter:
// strangers at once, a peer that had been let in from the change on, and it comes
// back when it is let in again.
func TestAccessListAtRunTime(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, c.SetAcceptIPAccess("a", true))
		must(t, c.AddAccept("a", netip.MustParsePrefix("10.0.0.0/16")))
		must(t, c.AddAccept("a", netip.MustParsePrefix("fd00::/64")))
		must(t, c.SetAcceptIPAccess("b", true)) // nobody is there yet
		must(t, c.AddAccept("b", netip.MustParsePrefix("10.0.0.0/16")))
	})
	r.frames()
	reset7 := strings.ReplaceAll(reset101, "0065", "0007")
	r.write("a", "10.1.0.1:23000", reset7, alive, "08", "ff", "0000000022")
	r.write("b", "10.1.0.1:23000", reset7)
	r.wantIdle()
	r.wantDrop("a", DropAccess, 5)
	r.wantDrop("b", DropAccess, 1)
	if r.nse(7) != nil {
		t.Error("a peer that is not on the list made an NSE")
	}
	r.write("a", "10.0.9.9:23000", reset7)
	if r.nse(7) == nil {
		t.Error("a peer that is on the list was refused")
	}
	r.up()
	r.write("a", remote, alive)
	r.want(aliveAckHex)
	r.edit(func(c *Config) { must(t, c.RemoveAccept("a", netip.MustParsePrefix("10.0.0.0/16"))) })
	r.frames()
	r.write("a", remote, alive, "0000000022")
	r.wantIdle()
	r.wantDrop("a", DropAccess, 7)
	r.edit(func(c *Config) { must(t, c.ClearAccept("a")) })
	r.write("a", remote, alive)
	r.want(aliveAckHex)
	r.wantVCs(101, "UNBLOCKED")
	if c := r.net.open[ap("10.0.0.1:23000")]; c.tuned != 0 {
		t.Error("the socket was touched")
	}
}

// A peer that is configured but shut out is told of.
func TestAccessListFindings(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, c.AddNSE(102, RoleBSS))
		must(t, c.AddSNSRemote(102, ap("10.0.1.2:1")))
		must(t, c.AddSNSBind(102, "a"))
		must(t, c.AddAccept("a", netip.MustParsePrefix("10.0.1.9/32")))
	})
	var got []string
	for _, p := range r.cfg.Validate() {
		if p.Kind.Fatal() {
			t.Errorf("%v", p)
		}
		got = append(got, p.Node()+": "+p.Text)
	}
	want := "nse 101: NS-VC to 10.0.1.1:23000: the access list of bind a does not let it in\n" +
		"nse 102: ip-sns-remote 10.0.1.2:1: the access list of bind a does not let it in"
	if strings.Join(got, "\n") != want {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
