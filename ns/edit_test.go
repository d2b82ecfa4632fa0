package ns

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The words of refusals are those that operators know.
// Facts: G0-20, G0-31, G1.1-07, G1.1-08
func TestEditRefusals(t *testing.T) {
	c := Config{Timers: DefaultTimers()}
	must(t, c.AddBind(LinkUDP, "sgsn-side"))
	must(t, c.AddBind(LinkUDP, "sgsn-side"))
	must(t, c.SetListen("sgsn-side", ap("127.0.0.1:23000")))
	must(t, c.AddNSE(101, RoleBSS))
	must(t, c.AddSNSRemote(101, ap("127.0.1.1:23000")))
	must(t, c.AddNSE(700, RoleBSS))
	must(t, staticVC(&c, 700, "sgsn-side", "127.0.0.9:5", 1, 1))
	must(t, c.AddNSE(900, RoleBSS))
	fr := VCConfig{Link: LinkFR, Bind: "x", DLCI: 16, NSVCI: 5, HasNSVCI: true}
	before := c.Clone()
	for _, x := range []struct {
		err  error
		want string
	}{
		{c.SetListen("sgsn-side", ap("127.0.0.1:23000")), "A bind with the specified address already exists!"},
		{c.SetFR("sgsn-side", "hdlc0", false), "fr can be only used with frame relay bind"},
		{c.AddBind(LinkFR, "sgsn-side"), "A bind with the specified ID already exists with a different type (fr|frgre|udp)!"},
		{c.AddBind(LinkUDP, "a$b"), "Invalid ID. The ID should be only alphanumeric."},
		{c.AddBind(LinkUDP, ""), "Invalid ID. The ID should be only alphanumeric."},
		{staticVC(&c, 101, "sgsn-side", "127.0.0.9:5", 1, 1), "Can not mix NS-VC with different dialects"},
		{ipaVC(&c, 101, "nosuch", "127.0.0.9:5", 3), "Can not mix NS-VC with different dialects"},
		{c.AddSNSRemote(101, ap("127.0.1.1:23000")), "Specified SNS endpoint already part of the NSE."},
		{staticVC(&c, 700, "sgsn-side", "127.0.0.9:5", 1, 1), "Specified NSVC is already present in this NSE."},
		{staticVC(&c, 900, "sgsn-side", "127.0.0.9:5", 1, 1), "Specified NSVC is already present in another NSE00700."},
		{ipaVC(&c, 700, "sgsn-side", "127.0.0.9:6", 5), "Can not mix NS-VC with different dialects"},
		{c.AddVC(700, fr), "Can not mix NS-VC with different link layer"},
		{c.AddSNSBind(700, "sgsn-side"), "Can not mix NS-VC with different dialects"},
		{c.RemoveVC(700, VCConfig{Link: LinkUDP, Bind: "sgsn-side", Remote: ap("127.0.0.9:77")}), "Can not find NS-VC with remote 127.0.0.9:77"},
		{c.RemoveNSE(7000), "Can not find NS Entity 7000"},
		{c.RemoveBind("nosuch"), "bind nosuch does not exist!"},
		{c.RemoveDefaultBind("nosuch"), "Can not find the given bind 'nosuch'"},
	} {
		if x.err == nil || x.err.Error() != x.want {
			t.Errorf("%v, want %s", x.err, x.want)
		}
	}
	if d := cmp.Diff(before, c, pduCmp); d != "" {
		t.Errorf("a refused edit changed something: %s", d)
	}
}

// Facts: G1.1-09
func TestDialectReturns(t *testing.T) {
	c := Config{}
	must(t, c.AddNSE(700, RoleBSS))
	must(t, staticVC(&c, 700, "a", "127.0.0.9:5", 1, 1))
	must(t, c.RemoveVC(700, VCConfig{Link: LinkUDP, Bind: "a", Remote: ap("127.0.0.9:5")}))
	must(t, ipaVC(&c, 700, "a", "127.0.0.9:6", 5))
	must(t, ipaVC(&c, 700, "a", "127.0.0.9:7", 5))
	if d := c.NSE(700).Dialect; d != DialectIPAccess {
		t.Errorf("%v", d)
	}
	must(t, c.RemoveNSVCI(700, 5))
	must(t, c.AddSNSBind(700, "a"))
	must(t, c.RemoveSNSBind(700, "a"))
	if d := c.NSE(700).Dialect; d != DialectUndefined {
		t.Errorf("%v", d)
	}
}

func TestRemoveBindTakesWhatStandsOnIt(t *testing.T) {
	c := Config{}
	must(t, c.AddBind(LinkUDP, "a"))
	must(t, c.AddDefaultBind("a"))
	must(t, c.AddNSE(1, RoleBSS))
	must(t, c.AddSNSBind(1, "a"))
	must(t, c.AddNSE(2, RoleBSS))
	must(t, staticVC(&c, 2, "a", "127.0.0.9:5", 1, 1))
	must(t, c.RemoveBind("a"))
	if ps := c.Validate(); len(ps) != 0 {
		t.Errorf("%+v", ps)
	}
	if c.NSE(1).Dialect != DialectUndefined || len(c.NSE(2).VCs) != 0 {
		t.Errorf("%+v", c.NSEs)
	}
}

// A file may name a bind before it defines it; one that never comes is found.
func TestValidate(t *testing.T) {
	c := Config{}
	must(t, c.AddDefaultBind("nosuch"))
	must(t, c.AddNSE(1, RoleBSS))
	must(t, c.AddSNSBind(1, "later"))
	must(t, c.AddSNSRemote(1, ap("127.0.1.1:23000")))
	must(t, c.AddNSE(2, RoleBSS))
	must(t, staticVC(&c, 2, "none", "127.0.0.9:5", 1, 1))
	must(t, staticVC(&c, 2, "later", "127.0.0.9:5", 1, 1))
	must(t, c.AddBind(LinkFR, "f"))
	must(t, c.AddNSE(3, RoleBSS))
	must(t, frVC(&c, 3, "hdlc0", 16, 1))
	want := []string{
		"ns: Can not find the given bind 'nosuch'",
		"nse 1: Can not find the given bind 'later'",
		"nse 1: NSE(00001) SNS has no endpoints to begin with",
		"nse 2: Can not find bind with name none",
		"nse 2: Can not find bind with name later",
		`nse 3: Can not find fr interface "hdlc0". Please configure it via fr vty.`,
	}
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, p := range c.Validate() {
			got = append(got, p.Node()+": "+p.Text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check(want...)
	must(t, c.AddBind(LinkUDP, "later"))
	check(want[0], want[2], want[3], "nse 2: NS-VC to 127.0.0.9:5: bind later does not listen", want[5])
	must(t, c.SetListen("later", ap("127.0.0.1:1")))
	must(t, c.RemoveDefaultBind("nosuch"))
	must(t, c.RemoveVC(2, VCConfig{Link: LinkUDP, Bind: "none", Remote: ap("127.0.0.9:5")}))
	check(want[5])
	must(t, c.SetFR("f", "hdlc0", true))
	for d := range uint16(10) {
		must(t, frVC(&c, 3, "hdlc0", 17+d, 2+d))
	}
	check("bind f: 11 NS-VCs on interface hdlc0: the network side reports at most 10")
	c.Binds[0].FRNetwork = false
	c.Binds = append(c.Binds, BindConfig{Name: "g", Link: LinkFR, FRNetIf: "hdlc0"})
	check("bind g: Interface hdlc0 already used.")
	must(t, c.RemoveBind("f"))
	must(t, c.RemoveNSE(2))
	must(t, c.RemoveNSE(1))
	check()
}

func TestCloneIsDeep(t *testing.T) {
	c := Config{}
	must(t, c.AddBind(LinkUDP, "a"))
	must(t, c.AddDefaultBind("a"))
	must(t, c.AddNSE(1, RoleBSS))
	must(t, c.AddSNSBind(1, "a"))
	must(t, c.AddSNSRemote(1, ap("127.0.1.1:1")))
	d := c.Clone()
	d.Binds[0].Name, d.SNSDefaultBinds[0], d.NSEs[0].SNSBinds[0] = "x", "x", "x"
	d.NSEs[0].SNSRemotes[0] = ap("1.1.1.1:1")
	if c.Binds[0].Name+c.SNSDefaultBinds[0]+c.NSEs[0].SNSBinds[0] != "aaa" || c.NSEs[0].SNSRemotes[0] != ap("127.0.1.1:1") {
		t.Error("shared")
	}
}

func TestSetTimer(t *testing.T) {
	c := Config{Timers: DefaultTimers()}
	must(t, c.SetTimer("tns-alive-retries", 5))
	if c.Timers[TnsAliveRetries] != 5 || c.SetTimer("foo", 1) == nil {
		t.Error("SetTimer")
	}
}
