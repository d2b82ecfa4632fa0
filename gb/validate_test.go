package gb_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"poolgw/finding"
	"poolgw/gb"
	"poolgw/nri"
	"poolgw/ns"
)

// valid is a configuration without a finding.
func valid() gb.Config {
	c := config(0)
	c.BitLen = 10
	for _, nsei := range []uint16{1, 2, 3} {
		c.SGSNs = append(c.SGSNs, gb.SGSN{NSEI: nsei, AllowAttach: true, Weight: 100})
		c.NS.NSEs = append(c.NS.NSEs, ns.NSEConfig{NSEI: nsei, Dialect: ns.DialectSNS, SNSBinds: []string{"sgsn"},
			SNSRemotes: []netip.AddrPort{sgsnAddr(nsei)}})
	}
	return c
}

func ranges(values ...nri.V) (s nri.Set) {
	for i := 0; i < len(values); i += 2 {
		s, _ = s.Add(nri.Range{First: values[i], Last: values[i+1]})
	}
	return s
}

// Facts: G0-32 (bitlen 0), G2-04 (sgsn without nse), G4-20 (overlaps)
func TestValidate(t *testing.T) {
	cases := []struct {
		name string
		edit func(c *gb.Config)
		want []string
	}{
		{"good", func(*gb.Config) {}, nil},
		{"overlaps", func(c *gb.Config) {
			c.SGSNs[0].NRI, c.SGSNs[1].NRI, c.SGSNs[2].NRI = ranges(1, 511), ranges(512, 1023), ranges(500, 555)
		}, []string{
			"fatal at start: sgsn nsei 3: NSE(00003/SGSN): NRI range [500..555] overlaps between NSE 00003 and NSE 00001. For overlaps, NSE 00001 has higher priority than NSE 00003",
			"fatal at start: sgsn nsei 3: NSE(00003/SGSN): NRI range [500..555] overlaps between NSE 00003 and NSE 00002. For overlaps, NSE 00002 has higher priority than NSE 00003"}},
		{"beyond bitlen", func(c *gb.Config) { c.BitLen = 5; c.SGSNs[1].NRI = ranges(3, 3, 20, 40, 99, 99) }, []string{
			"note: sgsn nsei 2: NSE(00002/SGSN): Warning: NRI range surpasses current NRI bitlen: 20..40",
			"note: sgsn nsei 2: NSE(00002/SGSN): Warning: NRI range surpasses current NRI bitlen: 99"}},
		{"null beyond bitlen", func(c *gb.Config) { c.BitLen = 4; c.Null.Any = ranges(15, 15, 99, 99) }, []string{
			"note: gbproxy: nri null add: Warning: NRI range surpasses current NRI bitlen: 99"}},
		{"null in one network", func(c *gb.Config) {
			c.BitLen = 4
			c.Null = nri.NullSet{Any: ranges(1, 1), ByPLMN: map[nri.PLMN]nri.Set{{0x62, 0xF2, 0x24}: ranges(1, 1, 5, 5, 99, 99), {0xA2, 0xF2, 0x24}: ranges(2, 2)}}
			c.SGSNs[0].NRI = ranges(5, 5)
		}, []string{
			"error: gbproxy: nri null: 2a2-42 is no PLMN",
			"note: gbproxy: nri null add: Warning: NRI range surpasses current NRI bitlen: 99 plmn 262 42",
			"note: gbproxy: nri null add 1 plmn 262 42: every PLMN has it as a NULL-NRI already",
			"note: sgsn nsei 1: NSE(00001/SGSN): NULL-NRI 5 plmn 262 42 is within its own NRIs: who brings it never goes there"}},
		{"bitlen 0", func(c *gb.Config) { c.BitLen = 0 }, []string{
			"note: gbproxy: Pooling disabled, but multiple SGSNs defined"}},
		{"sgsn without nse", func(c *gb.Config) { c.SGSNs[1].NSEI = 22 }, []string{
			"note: sgsn nsei 22: NSE(00022/SGSN): there is no nse 22 in node ns, the SGSN will never be up"}},
		{"no endpoints", func(c *gb.Config) { c.NS.NSEs[2].SNSRemotes = nil }, []string{
			"note: nse 3: NSE(00003) SNS has no endpoints to begin with"}},
		{"frame relay", func(c *gb.Config) {
			c.NS.Binds = append(c.NS.Binds, ns.BindConfig{Name: "f", Link: ns.LinkFR, FRNetIf: "hdlc0"})
			c.NS.NSEs = append(c.NS.NSEs, ns.NSEConfig{NSEI: 77, VCs: []ns.VCConfig{{Link: ns.LinkFR, Bind: "hdlc1", DLCI: 16, HasNSVCI: true}}})
		}, []string{`error: nse 77: Can not find fr interface "hdlc1". Please configure it via fr vty.`}},
		{"unknown bind", func(c *gb.Config) { c.NS.NSEs[0].SNSBinds = append(c.NS.NSEs[0].SNSBinds, "x") }, []string{
			"error: nse 1: Can not find the given bind 'x'"}},
		{"values that no command sets", func(c *gb.Config) {
			c.BitLen, c.FlowControlRatio, c.ActivityWindow, c.OwnerDownHold, c.SGSNs[2].NSEI = 16, 0, 0, 3601, 65535
			c.Timers[gb.TimerT1], c.Timers[gb.TimerPin] = 31, 3601
		}, []string{"error: gbproxy: NRI bitlen 16 is beyond 15", "error: gbproxy: pool bvc-flow-control-ratio 0 is not 1 to 100",
			"error: gbproxy: pool owner-down-hold 3601 is beyond 3600 s", "error: gbproxy: pool activity-window 0 is not 1 to 1440 min",
			"error: gbproxy: timer bssgp t1 31 is not 1 to 30", "error: gbproxy: timer pool pin 3601 is not 0 to 3600",
			"error: sgsn nsei 65535: the NSEI of an SGSN is 0 to 65534",
			"note: sgsn nsei 65535: NSE(65535/SGSN): there is no nse 65535 in node ns, the SGSN will never be up"}},
		{"twice", func(c *gb.Config) { c.SGSNs[1].NSEI = 1 }, []string{"error: sgsn nsei 1: NSEI 1 stands for two SGSNs"}},
	}
	for _, tc := range cases {
		c := valid()
		tc.edit(&c)
		var have []string
		for _, f := range c.Validate() {
			have = append(have, f.String())
		}
		if strings.Join(have, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, strings.Join(have, "\n"), strings.Join(tc.want, "\n"))
		}
	}
}

func TestTooManySGSNs(t *testing.T) {
	c := valid()
	for i := range 1025 {
		c.SGSNs = append(c.SGSNs, gb.SGSN{NSEI: uint16(5000 + i)})
	}
	if w, _ := finding.Worst(c.Validate()); w != finding.Error {
		t.Error("not refused")
	}
}

// Every field must make a difference to Equal, and a clone share nothing.
func TestCloneAndEqual(t *testing.T) {
	c := valid()
	c.Null, c.SGSNs[0].NRI = nri.NullSet{Any: ranges(1, 2), ByPLMN: map[nri.PLMN]nri.Set{{0x62, 0xF2, 0x24}: ranges(7, 7)}}, ranges(3, 4)
	if !c.Equal(c.Clone()) {
		t.Fatal("a clone is not equal")
	}
	vary(t, "Config", reflect.ValueOf(&c).Elem(), func(path string) {
		if d := c.Clone(); !c.Equal(d) {
			t.Errorf("after %s a clone is not equal", path)
		}
		if c.Equal(pristine()) {
			t.Errorf("%s makes no difference", path)
		}
	})
	if !c.Equal(pristine()) {
		t.Error("not as it was")
	}
	d := c.Clone()
	d.Null.Any[0].First, d.SGSNs[0].NRI[0].Last, d.SGSNs[1].Name, d.NS.NSEs[0].SNSBinds[0] = 9, 9, "x", "y"
	d.NS.Binds[0].DSCP, d.Null.ByPLMN[nri.PLMN{0x62, 0xF2, 0x24}][0].First = 3, 9
	if !c.Equal(pristine()) {
		t.Error("the clone shares memory")
	}
}

func pristine() gb.Config {
	c := valid()
	c.Null, c.SGSNs[0].NRI = nri.NullSet{Any: ranges(1, 2), ByPLMN: map[nri.PLMN]nri.Set{{0x62, 0xF2, 0x24}: ranges(7, 7)}}, ranges(3, 4)
	return c
}

// vary changes each integer, bool and string under v in turn and calls f.
func vary(t *testing.T, path string, v reflect.Value, f func(path string)) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[netip.AddrPort]() {
			old := v.Interface()
			v.Set(reflect.ValueOf(netip.MustParseAddrPort("192.0.2.1:1")))
			f(path)
			v.Set(reflect.ValueOf(old))
			return
		}
		for i := range v.NumField() {
			vary(t, path+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			vary(t, fmt.Sprintf("%s[%d]", path, i), v.Index(i), f)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			old := v.MapIndex(k)
			v.SetMapIndex(k, reflect.Value{})
			f(fmt.Sprintf("%s[%v]", path, k))
			v.SetMapIndex(k, old)
		}
	case reflect.Pointer: // an index: no setting
	case reflect.Bool:
		v.SetBool(!v.Bool())
		f(path)
		v.SetBool(!v.Bool())
	case reflect.String:
		old := v.String()
		v.SetString(old + "x")
		f(path)
		v.SetString(old)
	default:
		old := v.Uint()
		v.SetUint(old ^ 1)
		f(path)
		v.SetUint(old)
	}
}
