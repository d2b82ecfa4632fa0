package ns

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

const (
	sgsn1, sgsn2 = "10.0.1.1:7777", "10.0.1.2:7777"
	size101      = "12048200650a01070040080001" // reset, 64 NS-VCs, one IPv4 endpoint
	sizeAck101   = "1304820065"
	config101    = "0f010482006505880a00000159d80101" // 10.0.0.1:23000 weights 1 1
	configAck101 = "1004820065"
	// two endpoints: 10.0.1.1:7777 signalling only, 10.0.1.1:7770 data only
	sgsnConfig = "0f010482006505900a0001011e6101000a0001011e5a0001"
)

func ap(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

func snsRig(t *testing.T, remotes ...string) *rig {
	return newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		for _, a := range remotes {
			must(t, c.AddSNSRemote(101, ap(a)))
		}
	})
}

func (r *rig) wantSNS(nsei uint16, state string) {
	r.t.Helper()
	n := r.nse(nsei)
	if n == nil || n.SNS == nil || n.SNS.State != state {
		r.t.Fatalf("SNS of %d: %+v, want %s", nsei, n, state)
	}
}

func (r *rig) snsUp() {
	r.t.Helper()
	r.write("a", sgsn1, sizeAck101, configAck101, sgsnConfig, aliveAckHex)
	r.write("a", "10.0.1.1:7770", aliveAckHex)
	r.wantSNS(101, "CONFIGURED")
	r.frames()
	r.events = nil
}

// Facts: G1.3-03, G1.6-03, G1.6-08, G1.6-09, G1.6-11, G1.6-12, G1.6-14, U-16
func TestSNSBringUpAsBSS(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 " + size101)
	r.wantSNS(101, "BSS_SIZE")
	r.write("a", sgsn1, sizeAck101)
	r.want(config101)
	r.wantSNS(101, "BSS_CONFIG_BSS")
	r.write("a", sgsn1, configAck101)
	r.wantIdle()
	r.wantSNS(101, "BSS_CONFIG_SGSN")
	r.wantEvents("new 101")
	r.write("a", sgsn1, sgsnConfig)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 "+configAck101,
		"10.0.0.1:23000>10.0.1.1:7777 0a", "10.0.0.1:23000>10.0.1.1:7770 0a")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.wantSNS(101, "CONFIGURED")
	r.wantEvents("vc up 101", "vc up 101", "recovery 101", "sns up 101")
	// signalling to the one, data to the other, whatever the subscriber
	n := r.s.NSE(101)
	r.frames()
	for i := range 4 {
		r.s.Send(n, 0, 0, []byte{1})
		r.s.Send(n, 1000, uint32(i), []byte{2})
	}
	r.s.Flush()
	for _, f := range r.frames() {
		if sig := f.b[4] == 1; sig != (f.to.Port() == 7777) {
			t.Errorf("%v", f)
		}
	}
	r.write("a", sgsn1, sgsnConfig) // our ACK was lost
	r.want(configAck101)
}

// Each message lost: repeated tsns-prov apart, then the next endpoint.
// Facts: G1.6-06, G1.6-10
func TestSNSRetries(t *testing.T) {
	r := snsRig(t, sgsn1, sgsn2)
	for _, to := range []string{sgsn1, sgsn2, sgsn1} {
		r.wantTo("10.0.0.1:23000>" + to + " " + size101)
		for range 3 {
			r.timer(3 * sec)
			r.wantTo("10.0.0.1:23000>" + to + " " + size101)
		}
		r.timer(3 * sec)
	}
	r.write("a", sgsn2, sizeAck101)
	r.frames()
	for range 3 {
		r.timer(3 * sec)
		r.want(config101)
	}
	r.timer(3 * sec)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 " + size101)
	r.write("a", sgsn1, sizeAck101, configAck101)
	r.frames()
	for range 3 { // the wait for the SGSN's CONFIG is guarded too
		r.timer(3 * sec)
		r.wantIdle()
	}
	r.timer(3 * sec)
	r.wantTo("10.0.0.1:23000>10.0.1.2:7777 " + size101)
}

// Facts: G1.6-01, G1.6-16, G1.6-17
func TestSNSCauses(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.frames()
	r.write("a", sgsn1, sizeAck101+"008110")
	r.wantIdle()
	r.wantSNS(101, "BSS_SIZE")
	r.write("a", sgsn1, sizeAck101, configAck101+"008111")
	r.want(config101)
	r.wantSNS(101, "BSS_CONFIG_BSS")
	r.write("a", sgsn1, configAck101)
	// weights 0: refused, and begun again after tsns-prov
	r.write("a", sgsn1, "0f010482006505880a0001011e610001")
	r.want(configAck101 + "008111")
	r.wantSNS(101, "UNCONFIGURED")
	r.timer(3 * sec)
	r.want(size101)
	// a CONFIG of the wrong family, or of none
	r.write("a", sgsn1, sizeAck101, configAck101)
	r.frames()
	r.write("a", sgsn1, "0f0104820065069420010db800000000000000000000000159d80101")
	r.want(configAck101 + "00810e")
}

// Facts: G1.6-13
func TestSNSConfigInPieces(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.write("a", sgsn1, sizeAck101, configAck101)
	r.frames()
	first := "0f000482006505880a0001011e610100"
	r.write("a", sgsn1, first, first) // the second because our ACK was lost
	r.want(configAck101, configAck101)
	r.wantSNS(101, "BSS_CONFIG_SGSN")
	r.write("a", sgsn1, "0f010482006505880a0001011e5a0001")
	r.want(configAck101, alive, alive)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
}

// The first contact need not be in the SGSN's list.
// Facts: G1.6-15
func TestSNSInitialNotInList(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.write("a", sgsn1, sizeAck101, configAck101)
	r.frames()
	list := "0f010482006505880a0001051e610101"
	r.write("a", sgsn1, list)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 "+configAck101, "10.0.0.1:23000>10.0.1.5:7777 0a")
	r.write("a", sgsn1, list) // our ACK was lost; its NS-VC is gone
	r.want(configAck101)
}

// All signalling NS-VCs lost: re-selection, though data would go on.
// Facts: G1.5-02, G1.6-18
func TestSNSReselection(t *testing.T) {
	r := snsRig(t, sgsn1, sgsn2)
	r.snsUp()
	for range 13 {
		r.sleep(10 * sec)
		r.write("a", "10.0.1.1:7770", aliveAckHex)
		if r.nse(101).SNS.State != "CONFIGURED" {
			break
		}
	}
	r.wantSNS(101, "BSS_SIZE")
	var last frame
	for _, f := range r.frames() {
		if f.b[0] == byte(PDUSNSSize) {
			last = f
		}
	}
	if last.to != ap(sgsn2) {
		t.Errorf("SIZE to %v", last.to)
	}
	r.wantEvents("vc down 101", "failure 101", "sns failure 101", "vc down 101")
}

// Facts: G1.6-27, G1.6-28, G1.6-29, G1.6-30, G1.6-31, G1.6-33, G1.6-35, G1.6-36, G1.6-38, G1.6-45, G1.6-46, G1.6-47
func TestSNSPeerChanges(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	add := "0d04820065" + "01" + "05880a0001011e620101" // 10.0.1.1:7778
	r.write("a", sgsn1, add)
	r.want("0c0482006501", alive) // the answer first
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	r.write("a", sgsn1, add) // our ACK was lost: the same answer, once done
	r.want("0c0482006501")
	const none, known, unknown = "0a0001011e620001", "0a0001011e620101", "0a0001011fff0101"
	for _, c := range []struct{ in, out string }{ // with a cause goes what failed
		{"0d04820065" + "02" + "0588" + known, "0c0482006502" + "00810b" + "0588" + known},
		{"0d04820065" + "12" + "0590" + unknown + known, "0c0482006512" + "00810b" + "0588" + known}, // as a whole or not at all
		{"0d04820065" + "13" + "0590" + unknown + unknown, "0c0482006513" + "00810b" + "0588" + unknown},
		{"0d04820065" + "03", "0c0482006503" + "00810d"},
		{"0d04820065" + "14" + "069420010db800000000000000000000000159d80101",
			"0c0482006514" + "00810e" + "069420010db800000000000000000000000159d80101"},
		{"1104820065" + "04" + "0588" + unknown, "0c0482006504" + "008112" + "0588" + unknown},
		{"1104820065" + "05" + "0b010a000909", "0c0482006505" + "008113"},
		{"0e04820065" + "06" + "0588" + unknown, "0c0482006506" + "008112" + "0588" + unknown},
		{"0e04820065" + "07" + "0598" + "0a0001011e610001" + none + "0a0001011e5a0001",
			"0c0482006507" + "008111" + "0598" + "0a0001011e610001" + none + "0a0001011e5a0001"},
	} {
		r.write("a", sgsn1, c.in)
		r.want(c.out)
	}
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	r.write("a", sgsn1, "0e04820065"+"08"+"05880a0001011e620009")
	r.want("0c0482006508")
	if v := r.nse(101).VCs[2]; v.SigWeight != 0 || v.DataWeight != 9 {
		t.Errorf("%+v", v)
	}
	if d := r.s.nses[101].share.Load().dataSum; d != 10 {
		t.Errorf("sum of data weights %d", d)
	}
	// delete the middle one: the others keep their weights; what is unknown is told
	r.write("a", sgsn1, "1104820065"+"09"+"05900a0001011e5a0000"+unknown)
	r.want("0c0482006509" + "008112" + "0588" + unknown)
	if n := r.nse(101); len(n.SNS.Remote) != 2 || n.SNS.Remote[1].DataWeight != 9 || !n.Alive {
		t.Errorf("%+v", n)
	}
	// the last signalling endpoint goes: all begins anew
	r.write("a", sgsn1, "1104820065"+"0a"+"0b010a000101")
	r.want("0c048200650a", size101)
}

// SNS-ADD beyond what is allowed changes nothing, and is answered once.
// Facts: G1.6-32, G1.6-34
func TestSNSAddLimit(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	}, Limits{VCsPerNSE: 2})
	r.write("a", sgsn1, sizeAck101, configAck101, sgsnConfig)
	r.frames()
	r.write("a", sgsn1, "0d0482006501"+"05880a0001011e620101")
	r.want("0c0482006501" + "008110" + "05880a0001011e620101")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
}

func sgsnRig(t *testing.T, limits ...Limits) *rig {
	return newRig(t, func(c *Config) { must(t, c.SetAcceptSNS("b", true)) }, limits...)
}

const (
	bss      = "10.0.2.1:23000"
	size2001 = "12048207d10a01070008080001"
	ack2001  = "13048207d1"
	conf2001 = "0f01048207d105880a00020159d80101" // 10.0.2.1:23000
	confAck  = "10048207d1"
	ourConf  = "0f01048207d105880a00000259d80101" // 10.0.0.2:23000
)

// Facts: G1.4-01, G1.4-03, G1.4-04, G1.6-19, G1.6-24
func TestSNSBringUpAsSGSN(t *testing.T) {
	r := sgsnRig(t)
	r.write("b", bss, size2001)
	r.want(ack2001)
	r.wantEvents("new 2001")
	r.write("b", bss, conf2001)
	r.want(confAck, ourConf)
	r.wantSNS(2001, "SGSN_WAIT_CONFIG_ACK")
	if n := r.nse(2001); n.SNS.Timer != 4 || n.Persistent {
		t.Errorf("%+v", n.SNS)
	}
	r.write("b", bss, conf2001) // our ACK was lost
	r.want(confAck)
	r.timer(3 * sec)
	r.want(ourConf)
	r.write("b", bss, confAck)
	r.want(alive)
	r.wantVCs(2001, "UNBLOCKED")
	r.wantEvents("vc up 2001", "recovery 2001", "sns up 2001")
	// the BSS restarts
	r.write("b", bss, size2001)
	r.want(ack2001)
	r.wantSNS(2001, "SGSN_WAIT_CONFIG")
	r.wantEvents("vc down 2001", "failure 2001")
	r.write("b", bss, size2001) // our ACK was lost
	r.want(ack2001)
	// from another address
	r.write("b", "10.0.2.9:23000", size2001)
	r.wantTo("10.0.0.2:23000>10.0.2.9:23000 " + ack2001)
}

// No wait of the SGSN role is for ever; a dynamic NSE goes.
// Facts: G1.6-24, G1.6-25, G1.6-26
func TestSNSSGSNTimeouts(t *testing.T) {
	r := sgsnRig(t)
	r.write("b", bss, size2001)
	r.sleep(12 * sec)
	r.wantEvents("new 2001", "sns failure 2001", "free 2001")
	r.write("b", bss, size2001, conf2001)
	r.frames()
	for range 3 {
		r.timer(3 * sec)
		r.want(ourConf)
	}
	r.timer(3 * sec)
	if r.s.NSE(2001) != nil {
		t.Error("still there")
	}
	if _, armed := r.s.Deadline(); armed {
		t.Error("a timer outlived its NSE")
	}
	r.write("b", bss, size2001, conf2001, confAck)
	r.events = nil
	r.sleep(35 * sec) // ALIVE unanswered
	r.wantEvents("vc down 2001", "failure 2001", "sns failure 2001", "free 2001")
}

// Facts: G1.4-02, G1.4-05, G1.6-22, G1.6-23
func TestSNSSizeJudged(t *testing.T) {
	r := sgsnRig(t)
	for _, c := range []struct{ in, out string }{
		{"12048207d10a01070008", "0800810d028a12048207d10a01070008"}, // no count
		{"12048207d10a01070000080001", ack2001 + "008110"},           // fewer NS-VCs than the mesh
		{"12048207d10a01070008080009", ack2001 + "008110"},
		{"12048207d10a01ffff", ""},
		{"12048207d10a010700080800ff", ack2001 + "008110"},
		{"12048207d10a01070008090001", ack2001 + "00810f"}, // IPv6 on an IPv4 bind
		{"12048207d10a01070008080000", ack2001 + "00810e"},
		{"12048207d10a00070008080001", ""}, // no reset of what is not there
		{"120a01070008080001", "0800810d0289120a01070008080001"},
	} {
		r.frames()
		r.write("b", bss, c.in)
		if c.out != "" {
			r.want(c.out)
		}
	}
	if len(r.s.nses) != 0 {
		t.Error("an NSE was made")
	}
	r.frames()
	r.write("a", bss, size2001) // this bind does not accept
	r.wantIdle()
	r.wantDrop("a", DropNotAccepted, 1)
	r.write("b", bss, size2001)
	r.frames()
	r.write("b", bss, "0f01048207d105880a00020159d80001", "0f01048207d105900a00020159d801010a00020259d80101")
	r.want(confAck+"008111", confAck+"00810e")
	r.write("b", bss, conf2001) // and a good one
	r.want(confAck, ourConf)
}

// An NSE configured for the SGSN role needs no accept flag, and stays.
// Facts: G1.4-01, G1.6-19
func TestSNSConfiguredSGSNRole(t *testing.T) {
	r := newRig(t, func(c *Config) { must(t, c.AddNSE(2001, RoleSGSN)) })
	r.write("b", bss, size2001, conf2001, confAck)
	r.wantVCs(2001, "UNBLOCKED")
	r.sleep(40 * sec)
	r.wantSNS(2001, "UNCONFIGURED")
	r.wantVCs(2001)
	r.frames()
	r.write("b", bss, size2001)
	r.want(ack2001)
}

// A bind on the unspecified address tells the address that faces the remote.
// Facts: G1.6-04
func TestSNSWildcardBind(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkUDP, "w"))
		must(t, c.SetListen("w", ap("0.0.0.0:24000")))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "w"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
	})
	r.frames()
	r.write("w", sgsn1, sizeAck101)
	r.want("0f010482006505880a0909095dc00101") // 10.9.9.9:24000
}

// Facts: G1.6-03, G1.6-07
func TestSNSNoEndpoints(t *testing.T) {
	r := snsRig(t)
	r.wantEvents("new 101", "sns none 101")
	r.wantIdle()
	r.edit(func(c *Config) { must(t, c.AddSNSRemote(101, ap(sgsn1))) })
	r.want(size101)
	// until all is exchanged a change begins it anew
	r.write("a", sgsn1, sizeAck101)
	r.want(config101)
	r.edit(func(c *Config) { must(t, c.SetSNSWeights("a", 3, 4)) })
	r.want(size101)
	r.write("a", sgsn1, sizeAck101)
	r.want("0f010482006505880a00000159d80304")
	r.edit(func(c *Config) { must(t, c.AddSNSBind(101, "b")) })
	r.want("12048200650a01070040080002")
}

// Two stacks against each other, one in each role, every n-th datagram lost:
// they come up all the same.
// Facts: G1.4-04, G1.6-02, G1.6-14
func TestSNSBothRoles(t *testing.T) {
	for loss := range 6 {
		t.Run(fmt.Sprint("loss", loss), func(t *testing.T) { bothRoles(t, loss) })
	}
}

func bothRoles(t *testing.T, loss int) {
	core := newRig(t, func(c *Config) { // SGSN role on 10.0.0.1 and 10.0.0.2
		must(t, c.SetAcceptSNS("a", true))
		must(t, c.AddDefaultBind("a"))
		must(t, c.AddDefaultBind("b"))
	})
	ran := newRig(t, func(c *Config) {
		for i, n := range []string{"c", "d"} {
			must(t, c.AddBind(LinkUDP, n))
			must(t, c.SetListen(n, ap(fmt.Sprintf("10.0.3.%d:23000", i+1))))
		}
		must(t, c.AddNSE(2001, RoleBSS))
		must(t, c.AddSNSBind(2001, "c"))
		must(t, c.AddSNSBind(2001, "d"))
		must(t, c.AddSNSRemote(2001, ap("10.0.0.1:23000")))
	})
	count := 0
	deliver := func(from, to *rig) {
		for _, f := range from.frames() {
			if count++; loss > 0 && count <= 40 && count%6 == loss {
				continue
			}
			for name, b := range to.s.binds {
				if b.local == f.to {
					to.writeBytes(name, f.from, f.b)
				}
			}
		}
	}
	for range 60 {
		for range 10 {
			deliver(ran, core)
			deliver(core, ran)
		}
		ran.sleep(time.Second)
		core.sleep(time.Second)
	}
	for _, r := range []*rig{core, ran} {
		r.wantSNS(2001, "CONFIGURED")
		r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	}
}

func TestSNSIPv6(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkUDP, "six"))
		must(t, c.SetListen("six", ap("[2001:db8::2]:23000")))
		must(t, c.SetAcceptSNS("six", true))
	})
	r.write("six", "[2001:db8::9]:23000", "12048207d10a01070008090001")
	r.want(ack2001)
	r.write("six", "[2001:db8::9]:23000", "0f01048207d1069420010db800000000000000000000000959d80101")
	r.want(confAck, "0f01048207d1069420010db8000000000000000000000002"+hex.EncodeToString([]byte{0x59, 0xd8})+"0101")
	r.write("six", "[2001:db8::9]:23000", confAck)
	r.wantVCs(2001, "UNBLOCKED")
}
