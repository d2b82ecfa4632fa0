package cli

import (
	"encoding/json"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolgw/config"
	"poolgw/gb"
	"poolgw/nri"
	"poolgw/ns"
	"poolgw/vty"
)

// Facts of osmo-gbproxy's configuration that no other test names.

// Facts: G0-12, G0-13
func TestUsualPorts(t *testing.T) {
	for _, c := range []config.Config{config.Default(), loaded(t, "line vty\n no login\n")} {
		if at := c.VTY.BindsOrDefault(); len(at) != 1 || at[0] != netip.MustParseAddrPort("127.0.0.1:4246") {
			t.Errorf("VTY at %v", at)
		}
		if at := c.Ctrl.BindOrDefault(); at != netip.MustParseAddrPort("127.0.0.1:4263") {
			t.Errorf("CTRL at %v", at)
		}
	}
}

// loaded is load of a file that starts.
func loaded(t *testing.T, text string) config.Config {
	t.Helper()
	c, fs, err := load(t, text)
	if err != nil {
		t.Fatalf("%v %v", err, fs)
	}
	return c
}

// The prompts are those of osmo-gbproxy's nodes.
//
// Facts: G11-01, G11-02
func TestPrompts(t *testing.T) {
	for node, want := range map[string]string{
		"view": "> ", "enable": "# ", "config": "(config)# ", "config-line": "(config-line)# ", "config-log": "(config-log)# ",
		"config-stats": "(config-stats)# ", "config-ctrl": "(config-ctrl)# ", "config-cpu-sched": "(config-cpu-sched)# ",
		"config-gbproxy": "(config-gbproxy)# ", "config-sgsn": "(config-sgsn)# ", "config-ns": "(config-ns)# ",
		"config-ns-bind": "(config-ns-bind)# ", "config-ns-nse": "(config-ns-nse)# ",
	} {
		b := newBench(t, benchConfig, io.Discard)
		s := vty.NewSession(b.tree, b.term)
		for _, entry := range nodeEntries[node] {
			if err := s.Exec(entry); err != nil {
				t.Fatalf("%s: %v", entry, err)
			}
		}
		if got := s.Prompt(); got != "PoolGW"+want {
			t.Errorf("%s: %q", node, got)
		}
		s.Close()
	}
}

// What is in a node ns says how an NSE's NS-VCs are managed.
//
// Facts: G1.1-03, G1.1-04, G1.1-05, G1.1-06, G1.6-05, G1.6-19
func TestDialectsOfCommands(t *testing.T) {
	c := loaded(t, `ns
 bind udp core
  listen 127.0.0.1 23000
 bind fr f
 nse 1
  nsvc udp core 127.0.0.2 23000
 nse 2
  nsvc ipa core 127.0.0.3 23000 nsvci 2
 nse 4
  ip-sns-remote 127.0.0.4 23000
 nse 5
  ip-sns-bind core
 nse 6 ip-sns-role-sgsn
 nse 65535
`)
	for nsei, want := range map[uint16]ns.Dialect{1: ns.DialectStaticAlive, 2: ns.DialectIPAccess, 4: ns.DialectSNS,
		5: ns.DialectSNS, 6: ns.DialectUndefined, 65535: ns.DialectUndefined} {
		e := c.Gb.NS.NSE(nsei)
		if e.Dialect != want || (e.Role == ns.RoleSGSN) != (nsei == 6) {
			t.Errorf("nse %d: %v, role %v", nsei, e.Dialect, e.Role)
		}
	}
	var e ns.Config
	if err := e.AddNSE(3, ns.RoleBSS); err != nil {
		t.Fatal(err)
	}
	if err := e.AddVC(3, ns.VCConfig{Link: ns.LinkFR, Bind: "hdlc0", DLCI: 16, NSVCI: 3, HasNSVCI: true}); err != nil {
		t.Fatal(err)
	}
	if d := e.NSE(3).Dialect; d != ns.DialectStaticResetBlock {
		t.Errorf("nsvc fr: %v", d)
	}
}

// Facts: G1.1-15
func TestRangesOfNSEIs(t *testing.T) {
	loaded(t, "ns\n nse 0\n nse 65535\nsgsn nsei 0\nsgsn nsei 65534\n")
	for _, bad := range []string{"ns\n nse 65536\n", "sgsn nsei 65535\n"} {
		if _, _, err := load(t, bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// osmo-gbproxy's timers, with their defaults.
//
// Facts: G1.2-01, G1.2-02, G1.2-03, G1.2-04, G1.2-05, G1.2-06, G1.2-07
func TestTimersOfNS(t *testing.T) {
	defaults := map[string]uint16{"tns-block": 3, "tns-block-retries": 3, "tns-reset": 3, "tns-reset-retries": 3, "tns-test": 30,
		"tns-alive": 3, "tns-alive-retries": 10, "tsns-prov": 3, "tsns-size-retries": 3, "tsns-config-retries": 3,
		"tsns-procedures-retries": 3}
	text := written(t, config.Default())
	for name, value := range defaults {
		line := " timer " + name + " "
		if !strings.Contains(text, line+strconv.Itoa(int(value))+"\n") {
			t.Errorf("%s is not %d by default", name, value)
		}
		if again := written(t, loaded(t, "ns\n"+line+"17\n")); !strings.Contains(again, line+"17\n") {
			t.Errorf("%s can't be set", name)
		}
	}
	if n := strings.Count(text, "\n timer "); n != len(defaults) {
		t.Errorf("%d timers are written", n)
	}
	if c := config.Default(); c.Gb.NS.TxQueueMax != 128 || loaded(t, "ns\n txqueue-max-length 4096\n").Gb.NS.TxQueueMax != 4096 {
		t.Errorf("txqueue-max-length %d", c.Gb.NS.TxQueueMax)
	}
	for _, bad := range []string{"0", "4097"} {
		if _, _, err := load(t, "ns\n txqueue-max-length "+bad+"\n"); err == nil {
			t.Errorf("txqueue-max-length %s is taken", bad)
		}
	}
}

// Facts: G0-29, G2-05, G2-06, G2-07, G2-08
func TestSGSNsAsWritten(t *testing.T) {
	c := loaded(t, "sgsn nsei 102\n nri add 7\n nri add 5\n nri add 6\nsgsn nsei 101\n no allow-attach\nsgsn nsei 103\n")
	var order []uint16
	for _, s := range c.Gb.SGSNs {
		order = append(order, s.NSEI)
	}
	if !slices.Equal(order, []uint16{102, 101, 103}) {
		t.Errorf("in the order %v", order)
	}
	if s := c.Gb.SGSNs; !s[0].AllowAttach || s[1].AllowAttach || !s[2].AllowAttach || s[0].NRI.String() != "5-7" {
		t.Errorf("%+v", s)
	}
	if name := gb.DefaultName(c.Gb.SGSNs[0].NSEI); name != "NSE(00102)" {
		t.Errorf("named %s", name)
	}
	if twice := loaded(t, "sgsn nsei 5\n nri add 1\nsgsn nsei 5\n nri add 3\n").Gb.SGSNs; len(twice) != 1 || twice[0].NRI.String() != "1,3" {
		t.Errorf("one that stands twice: %+v", twice)
	}
	text := written(t, c)
	if a, b := strings.Index(text, "sgsn nsei 102"), strings.Index(text, "sgsn nsei 101"); a < 0 || b < a {
		t.Errorf("written in another order:\n%s", text)
	}
}

// Facts: G-02, G-01
func TestNullNRIs(t *testing.T) {
	c := loaded(t, "gbproxy\n nri bitlen 15\n nri null add 0\n nri null add 7 9\n nri null add 32767\n nri null del 8\n")
	if got := c.Gb.Null.Of(nri.PLMN{}).String(); got != "0,7,9,32767" || c.Gb.BitLen != 15 {
		t.Errorf("NULL-NRIs %s of %d bits", got, c.Gb.BitLen)
	}
	if _, _, err := load(t, "gbproxy\n nri bitlen 16\n"); err == nil {
		t.Error("16 bits are taken")
	}
}

// Facts: G2-14
func TestDynamicSNSIsShownByItsNSEI(t *testing.T) {
	var w writer
	textSNS(&w, &ns.NSEState{NSEI: 2001, SNS: &ns.SNSState{Role: "SGSN", State: "CONFIGURED"}})
	if want := "'GPRS-NS2-SNS-SGSN(NSE02001-SNS)', ID: 'NSE02001-SNS'"; !strings.Contains(w.String(), want) {
		t.Errorf("%q is not in\n%s", want, w.String())
	}
}

// A Frame Relay bind is shown with its line, the local management with its DLCIs.
//
// Facts: G1.7-09
func TestFrameRelayIsShown(t *testing.T) {
	var line ns.LineState
	if err := json.Unmarshal([]byte(`{"device": "hdlc0", "running": true, "mtu": 1598, "role": "USER", "up": false, "last_rx_seq": 7,
		"last_tx_seq": 9, "dlcs": [{"dlci": 16, "used": true, "active": true}, {"dlci": 17, "new": true}]}`), &line); err != nil {
		t.Fatal(err)
	}
	s := &gb.Snapshot{NS: ns.Snapshot{Binds: []ns.BindState{{Name: "f", Link: "FR", Line: &line}}}}
	var w writer
	textBinds(&w, s, nil)
	textFRNetwork(&w, s)
	for _, want := range []string{"FR bind: hdlc0, role: USER, link: UP\n", "FR Link 'hdlc0': Role USER, LastRxSeq 7, LastTxSeq 9, DOWN, MTU 1598\n",
		"  FR DLC 00016: ACTIVE\n", "  FR DLC 00017: INACTIVE ADDED UNUSED\n"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("%q is not in\n%s", want, w.String())
		}
	}
}
