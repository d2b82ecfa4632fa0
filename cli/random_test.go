package cli

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"testing"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/nri"
	"poolgw/ns"
)

// gen makes configurations that commands could have made.
type gen struct{ *rand.Rand }

func (g gen) bool() bool { return g.IntN(2) == 0 }

func (g gen) word() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123456789-_"
	b := make([]byte, 1+g.IntN(12))
	for i := range b {
		b[i] = letters[g.IntN(26)]
		if i > 0 {
			b[i] = letters[g.IntN(len(letters))]
		}
	}
	return string(b)
}

func (g gen) addr() netip.AddrPort {
	port := uint16(1 + g.IntN(65535))
	if g.IntN(4) == 0 {
		var a [16]byte
		a[0], a[1], a[15] = 0xfd, byte(g.IntN(256)), byte(g.IntN(256))
		return netip.AddrPortFrom(netip.AddrFrom16(a), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, byte(g.IntN(256)), byte(g.IntN(256)), byte(g.IntN(255))}), port)
}

func (g gen) u16() uint16 { return uint16(g.IntN(65536)) }

func pick[T any](g gen, of ...T) T { return of[g.IntN(len(of))] }

func (g gen) config() config.Config {
	c := config.Default()
	if g.bool() {
		c.Hostname = g.word()
	}
	c.Banner = pick(g, config.Banner{}, config.Banner{None: true}, config.Banner{File: "/etc/" + g.word()})
	g.vty(&c.VTY)
	c.Logs = nil
	for _, kind := range []string{"stderr", "file", "file", "syslog", "systemd-journal", "gsmtap", "alarms"} {
		if g.bool() {
			c.Logs = append(c.Logs, g.log(kind))
		}
	}
	g.stats(&c.Stats)
	if g.bool() {
		c.Ctrl.Bind = g.addr()
	}
	g.cpuSched(&c.CPUSched)
	if g.bool() {
		c.Metrics.Bind = g.addr()
	}
	c.Metrics.Pprof = g.bool()
	g.gb(&c.Gb)
	for _, d := range limitDefs {
		if g.bool() {
			*d.field(&c) = 1 + uint32(g.IntN(int(d.max)))
		}
	}
	g.n2(&c.N2)
	return c
}

func (g gen) vty(v *config.VTY) {
	for range g.IntN(3) {
		v.Binds = append(v.Binds, g.addr())
	}
	v.Login = g.bool()
	v.Password = pick(g, "", "9 pbkdf2-sha256$1000$c2FsdA$"+g.word(), "8 "+g.word())
	v.EnablePassword = pick(g, "", "9 pbkdf2-sha256$1000$c2FsdA$"+g.word(), "8 "+g.word())
	v.TerminalLength = pick(g, -1, 0, g.IntN(513))
	v.IdleTimeout = pick(g, 0, uint32(g.IntN(86401)))
	v.RequireLogin = v.Login && g.bool()
	v.AdvancedVTY = g.bool()
}

func (g gen) log(kind string) config.LogTarget {
	t := config.LogTarget{Kind: kind, LogView: config.DefaultLogView()}
	switch kind {
	case "stderr":
		t.Blocking = g.bool()
	case "file":
		t.Arg, t.Blocking = "/var/log/"+g.word(), g.bool()
	case "syslog":
		t.Arg = pick(g, "daemon", "user", fmt.Sprintf("local %d", g.IntN(8)))
	case "systemd-journal":
		t.Raw = g.bool()
	case "gsmtap":
		t.Arg = pick(g, "", "127.0.0.1")
	case "alarms":
		t.Arg = fmt.Sprint(2 + g.IntN(32699))
	}
	v := &t.LogView
	for _, b := range []*bool{&v.FilterAll, &v.Color, &v.Timestamp, &v.ExtTimestamp, &v.ThreadID, &v.Category, &v.CategoryHex, &v.Level, &v.FileLast, &v.Mask} {
		*b = g.bool()
	}
	v.File = pick(g, "0", "1", "basename")
	for _, f := range []**uint16{&v.NSE, &v.NSVC, &v.BVC} {
		if n := g.u16(); g.bool() {
			*f = &n
		}
	}
	if n := g.Uint32(); g.bool() {
		v.TLLI = &n
	}
	v.IMSI = pick(g, "", "262420000000001")
	for _, c := range config.LogCategories {
		v.SetLevel(c.Name, pick(g, config.LogLevels...))
	}
	v.ForceAll = pick(g, append([]string{""}, config.LogLevels...)...)
	return t
}

func (g gen) stats(s *config.Stats) {
	s.Interval, s.TCPInterval, s.TCPBatchSize = g.u16(), g.u16(), g.u16()
	seen := map[string]bool{}
	for range g.IntN(4) {
		r := config.StatsReporter{Kind: pick(g, "statsd", "log"), Name: pick(g, "", g.word()), Enabled: g.bool(),
			LocalIP: pick(g, "", "127.0.0.2"), RemoteIP: pick(g, "", "::1"), RemotePort: g.u16(), Prefix: pick(g, "", g.word()),
			MTU: pick(g, 0, 100+uint16(g.IntN(60000))), Level: pick(g, "", "global", "peer", "subscriber"), FlushPeriod: g.u16()}
		if r.Kind == "log" { // it has no network
			r.LocalIP, r.RemoteIP, r.RemotePort, r.MTU = "", "", 0, 0
		}
		if !seen[r.Kind+r.Name] {
			s.Reporters = append(s.Reporters, r)
		}
		seen[r.Kind+r.Name] = true
	}
}

func (g gen) cpuSched(s *config.CPUSched) {
	s.RR = pick(g, 0, uint8(1+g.IntN(32)))
	for i, thread := range []string{"self", "all", "worker"} {
		if g.bool() {
			s.Affinity = append(s.Affinity, config.CPUAffinity{Thread: thread, Mask: fmt.Sprintf("0x%x", g.IntN(255)+1), Delay: i != 1 && g.bool()})
		}
	}
}

func (g gen) nris(n int) nri.Set {
	var s nri.Set
	for range g.IntN(n) {
		first := nri.V(g.IntN(nri.MaxBitLen << 11))
		last := min(first+nri.V(g.IntN(50)), nri.Max)
		s, _ = s.Add(nri.Range{First: first, Last: last})
	}
	return s
}

func (g gen) gb(c *gb.Config) {
	c.BitLen = uint8(g.IntN(16))
	c.Null.Any = g.nris(4)
	for _, p := range []nri.PLMN{{0x62, 0xf2, 0x24}, {0x00, 0x11, 0x00}, {0x00, 0xf1, 0x10}} {
		for _, r := range g.nris(3) {
			c.Null, _ = c.Null.Add(p, r)
		}
	}
	c.FlowControlAuto = g.bool()
	if !c.FlowControlAuto {
		c.FlowControlRatio = uint8(1 + g.IntN(100))
	}
	c.SGSNReset = pick(g, gb.ResetIsolate, gb.ResetPropagate)
	c.OwnerDownHold = uint16(g.IntN(3601))
	c.ActivityWindow = uint16(1 + g.IntN(1440))
	c.FeatureBitmap, c.ExtendedFeatureBitmap = uint8(g.IntN(256)), uint8(g.IntN(256))
	c.PoolDownRefuse, c.RegistrationEnquiryAny = g.bool(), g.bool()
	for i, d := range gb.TimerDefs {
		if g.bool() {
			c.Timers[i] = d.Min + uint16(g.IntN(int(d.Max-d.Min)+1))
		}
	}
	for i := range g.IntN(5) {
		nsei := uint16(i*1000 + g.IntN(1000))
		c.SGSNs = append(c.SGSNs, gb.SGSN{NSEI: nsei, Name: pick(g, gb.DefaultName(nsei), g.word()),
			AllowAttach: g.bool(), Weight: g.u16(), NRI: g.nris(5)})
	}
	g.ns(&c.NS)
}

func (g gen) ns(c *ns.Config) {
	for i := range c.Timers {
		c.Timers[i] = g.u16()
	}
	c.TxQueueMax = uint16(1 + g.IntN(4096))
	c.Binds = append(c.Binds, ns.BindConfig{Name: "base", Link: ns.LinkUDP, Listen: g.addr(), SigWeight: 1, DataWeight: 1})
	for i := range g.IntN(4) {
		b := ns.BindConfig{Name: fmt.Sprintf("b%d%s", i, g.word()), Link: ns.LinkUDP, DSCP: uint8(g.IntN(64)), Priority: uint8(g.IntN(256)),
			SigWeight: uint8(g.IntN(255)), DataWeight: uint8(g.IntN(255)), AcceptIPAccess: g.bool(), AcceptSNS: g.bool(), Segmentation: g.bool()}
		if g.bool() {
			b.ReceiveBuffer, b.SendBuffer = 4096+g.Uint32N(1<<29), 4096+g.Uint32N(1<<29)
		}
		if g.bool() {
			b.Listen = g.addr()
		}
		for range g.IntN(4) {
			a := g.addr().Addr()
			b.Accept, _ = b.Accept.With(netip.PrefixFrom(a, g.IntN(a.BitLen()+1)))
		}
		c.Binds = append(c.Binds, b)
	}
	if g.bool() {
		fr := ns.BindConfig{Name: "fr", Link: ns.LinkFR, SigWeight: 1, DataWeight: 1}
		if g.bool() {
			fr.FRNetIf, fr.FRNetwork = "hdlc1", g.bool()
		}
		c.Binds = append(c.Binds, fr)
	}
	c.Binds = append(c.Binds, ns.BindConfig{Name: "line", Link: ns.LinkFR, FRNetIf: "hdlc0", SigWeight: 1, DataWeight: 1})
	gre := ns.BindConfig{Name: "gre", Link: ns.LinkFRGRE, SigWeight: 1, DataWeight: 1, DSCP: uint8(g.IntN(64)), Priority: uint8(g.IntN(256))}
	if g.bool() {
		gre.Listen = netip.AddrPortFrom(g.addr().Addr(), 0)
	}
	c.Binds = append(c.Binds, gre)
	if g.bool() {
		c.SNSDefaultBinds = append(c.SNSDefaultBinds, "base")
	}
	for i := range g.IntN(6) {
		c.NSEs = append(c.NSEs, g.nse(uint16(i*100+g.IntN(100)), c.Binds[0].Name))
	}
}

func (g gen) nse(nsei uint16, bind string) ns.NSEConfig {
	e := ns.NSEConfig{NSEI: nsei, Role: pick(g, ns.RoleBSS, ns.RoleSGSN)}
	n := g.IntN(4)
	if n > 0 {
		e.Dialect = pick(g, ns.DialectStaticAlive, ns.DialectIPAccess, ns.DialectSNS, ns.DialectStaticResetBlock)
	}
	gre := g.bool()
	for i := range n {
		v := ns.VCConfig{Link: ns.LinkUDP, Bind: bind, Remote: g.addr()}
		switch e.Dialect {
		case ns.DialectStaticAlive:
			v.SigWeight, v.DataWeight = uint8(g.IntN(255)), uint8(g.IntN(255))
		case ns.DialectIPAccess:
			v.HasNSVCI, v.NSVCI = true, g.u16()
		case ns.DialectStaticResetBlock:
			v = ns.VCConfig{Link: ns.LinkFR, Bind: "hdlc0", DLCI: 16 + nsei + uint16(i), HasNSVCI: true, NSVCI: g.u16()}
			if gre {
				v.Link, v.Bind, v.Remote = ns.LinkFRGRE, "gre", netip.AddrPortFrom(g.addr().Addr(), 0)
			}
		case ns.DialectSNS:
			e.SNSRemotes = append(e.SNSRemotes, v.Remote)
			continue
		}
		e.VCs = append(e.VCs, v)
	}
	if e.Dialect == ns.DialectSNS && g.bool() {
		e.SNSBinds = append(e.SNSBinds, bind)
	}
	return e
}

// Facts: G11-19
func TestGeneratedConfigurationsAreFixedPoints(t *testing.T) {
	for seed := range uint64(400) {
		g := gen{rand.New(rand.NewPCG(seed, 1))}
		wantFixedPoint(t, g.config())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestGeneratorReachesEverySetting makes sure that no setting is forgotten: a
// field that never leaves its default in many configurations isn't generated.
func TestGeneratorReachesEverySetting(t *testing.T) {
	varied := map[string]bool{}
	all := map[string]bool{}
	def := config.Default()
	g := gen{rand.New(rand.NewPCG(7, 7))}
	for range 200 {
		c := g.config()
		visit("", reflect.ValueOf(c), reflect.ValueOf(def), all, varied)
	}
	for name := range all {
		if !varied[name] {
			t.Errorf("%s is never set", name)
		}
	}
	if len(all) < 60 {
		t.Errorf("only %d settings were found", len(all))
	}
}

// notSettings are fields that a configuration holds and no command sets: the
// encapsulation is that of each bind and AMF, the index is made while a file is read.
var notSettings = map[string]bool{".N2.SCTP.Encapsulation": true, ".Gb.NS.Index": true}

// visit notes each leaf of v, and whether it differs from def; elements of
// slices are compared with the zero value.
func visit(name string, v, def reflect.Value, all, varied map[string]bool) {
	switch {
	case v.Type() == reflect.TypeFor[netip.AddrPort](), v.Type() == reflect.TypeFor[netip.Prefix](), v.Type() == reflect.TypeFor[netip.Addr]():
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			d := reflect.Zero(v.Field(i).Type())
			if def.IsValid() {
				d = def.Field(i)
			}
			visit(name+"."+v.Type().Field(i).Name, v.Field(i), d, all, varied)
		}
		return
	case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[nri.Set]():
		for i := range v.Len() {
			visit(name+"[]", v.Index(i), reflect.Zero(v.Type().Elem()), all, varied)
		}
	}
	if notSettings[name] {
		return
	}
	all[name] = true
	if !reflect.DeepEqual(v.Interface(), def.Interface()) {
		varied[name] = true
	}
}
