package ns

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// Facts of osmo-gbproxy's NS layer that no other test names; octets by hand from
// TS 48.016 9 and 10.

// The same remote on two binds, and two ports of one remote, are different
// NS-VCs; none has an NSVCI.
//
// Facts: G1.1-12, G1.1-13
func TestVCIsBindAddressAndPort(t *testing.T) {
	const otherPort = "10.0.1.1:23001"
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "a", remote, 1, 1))
		must(t, staticVC(c, 7, "b", remote, 1, 1))
		must(t, staticVC(c, 7, "a", otherPort, 1, 1))
		must(t, c.AddNSE(8, RoleBSS))
		must(t, ipaVC(c, 8, "b", otherPort, 88))
	})
	r.write("b", remote, aliveAckHex)
	r.wantVCs(7, "RECOVERING", "UNBLOCKED", "RECOVERING")
	r.write("a", otherPort, aliveAckHex)
	r.wantVCs(7, "RECOVERING", "UNBLOCKED", "UNBLOCKED")
	r.write("a", remote, aliveAckHex)
	r.wantVCs(7, "UNBLOCKED", "UNBLOCKED", "UNBLOCKED")
	for _, v := range r.nse(7).VCs {
		if v.NSVCI != nil {
			t.Errorf("NSVCI %d without reset procedures", *v.NSVCI)
		}
	}
	if v := r.nse(8).VCs[0]; v.NSVCI == nil || *v.NSVCI != 88 {
		t.Errorf("%+v", v)
	}
}

// What a datagram costs does not grow with the number of NSEs and NS-VCs.
//
// Facts: G1.1-14
func TestLookupDoesNotGrow(t *testing.T) {
	cost := func(nses int) time.Duration {
		r := newRig(t, func(c *Config) {
			for i := range nses {
				must(t, c.AddNSE(uint16(i), RoleBSS))
				must(t, staticVC(c, uint16(i), "a", fmt.Sprintf("10.1.%d.%d:23000", i/250, i%250+1), 1, 1))
			}
		})
		last := nses - 1
		from := ap(fmt.Sprintf("10.1.%d.%d:23000", last/250, last%250+1))
		r.net.count = true
		p, b := newPort(r.s, r.s.binds["a"], 0), unhex(alive)
		best := time.Hour
		for range 20 {
			start := time.Now()
			for range 200 {
				p.batch([]Message{{Buf: b, N: len(b), Addr: from}})
				r.turnOnce()
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	few, many := cost(2), cost(3000)
	if many > 10*few {
		t.Errorf("%v with 2 NSEs, %v with 3,000", few, many)
	}
}

// turnOnce handles what waits, without timers.
func (r *rig) turnOnce() {
	for {
		select {
		case g := <-r.s.Control():
			r.s.Handle(r.now, g)
		default:
			r.s.Flush()
			return
		}
	}
}

// Facts: G1.3-31
func TestBlockForAnotherNSE(t *testing.T) {
	const other = "10.0.1.2:23000"
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, c.AddNSE(102, RoleBSS))
		must(t, ipaVC(c, 102, "a", other, 102))
	})
	r.write("a", remote, resetAck101, unblockOK)
	r.write("a", other, "030182006604820066", unblockOK)
	r.frames()
	r.write("a", remote, "0400810101820066", "0800810301820066", "0800810401820066")
	r.wantVCs(101, "UNBLOCKED")
	r.wantVCs(102, "UNBLOCKED")
	for _, f := range r.frames() {
		if f.to == ap(other) || PDUType(f.b[0]) == PDUBlockAck {
			t.Errorf("sent %v", f)
		}
	}
}

// Datagrams that can't be parsed leave nothing behind.
//
// Facts: G1.3-42
func TestMalformedCostsNoMemory(t *testing.T) {
	r := ipaRig(t)
	r.up()
	flood := func() uint64 {
		for range 5000 {
			r.write("a", remote, "0200810101ff", "0f0f0f", "08")
			r.write("a", "10.0.9.9:1", "0200810101ff")
			r.frames()
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first := flood()
	if again := flood(); again > first+256<<10 {
		t.Errorf("the heap grew from %d to %d octets", first, again)
	}
	r.wantVCs(101, "UNBLOCKED")
}

// A configured static NS-VC is its address: another one is a stranger, and not
// taken for it.
//
// Facts: G1.4-14
func TestStaticRemoteDoesNotMove(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.SetAcceptIPAccess("b", true))
		must(t, c.SetAcceptSNS("b", true))
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "b", remote, 1, 1))
	})
	r.write("b", remote, aliveAckHex)
	r.frames()
	r.events = nil
	const elsewhere = "10.0.1.99:23000"
	r.write("b", elsewhere, "020081010182000704820007", "120482"+"0007"+"0a01070008080001", aliveAckHex, "0000000022")
	r.wantTo("10.0.0.2:23000>10.0.1.99:23000 08008104") // to the UNITDATA
	r.wantEvents()
	r.wantVCs(7, "UNBLOCKED")
}

// Facts: G1.6-20
func TestSizeWithoutItsIEs(t *testing.T) {
	r := sgsnRig(t)
	for _, in := range []string{
		"12048207d1" + "070008" + "080001",  // no reset flag
		"12048207d1" + "0a01" + "080001",    // no number of NS-VCs
		"12048207d1" + "0a01" + "070008",    // no number of endpoints
		"12" + "0a01" + "070008" + "080001", // no NSEI
		"12048207d1",                        // nothing
	} {
		r.frames()
		r.write("b", bss, in)
		r.want(fmt.Sprintf("0800810d02%02x%s", 0x80|len(in)/2, in))
	}
	if len(r.s.nses) != 0 {
		t.Error("an NSE was made")
	}
}

// A BSS that speaks both families gets IPv6 where there is an IPv6 bind.
//
// Facts: G1.6-21
func TestSizeOfBothFamilies(t *testing.T) {
	for _, six := range []bool{false, true} {
		r := newRig(t, func(c *Config) {
			must(t, c.SetAcceptSNS("b", true))
			must(t, c.AddDefaultBind("b"))
			if six {
				must(t, c.AddBind(LinkUDP, "six"))
				must(t, c.SetListen("six", ap("[2001:db8::2]:23000")))
				must(t, c.AddDefaultBind("six"))
			}
		})
		r.write("b", bss, "12048207d10a01070008080001090001")
		r.want(ack2001)
		four, sixth := "0f01048207d105880a00020159d80101", "0f01048207d1069420010db800000000000000000000000959d80101"
		good, bad, cause := four, sixth, "00810e"
		if six {
			good, bad, cause = sixth, four, "00810f"
		}
		r.write("b", bss, bad)
		r.want(confAck + cause)
		r.write("b", bss, good)
		f := r.frames()
		if len(f) != 2 || fmt.Sprintf("%x", f[0].b) != confAck {
			t.Errorf("IPv6 bind %v: %v", six, f)
		}
	}
}

// Weights that leave nothing to what lives make the NSE unavailable, though the
// list as a whole has its sums.
//
// Facts: G1.3-21, G1.6-37
func TestChangeWeightMakesUnavailable(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.write("a", sgsn1, sizeAck101, configAck101, // 7777 and 7770 both carry both
		"0f010482006505900a0001011e6101010a0001011e5a0101", aliveAckHex)
	for range 14 { // 7770 dies
		r.sleep(5 * sec)
		r.write("a", sgsn1, aliveAckHex)
	}
	r.wantVCs(101, "UNBLOCKED", "RECOVERING")
	if !r.nse(101).Alive {
		t.Fatal("unavailable too early")
	}
	r.frames()
	r.events = nil
	r.write("a", sgsn1, "0e0482006501"+"05880a0001011e610100") // 7777: no data
	r.want("0c0482006501")
	r.wantEvents("failure 101")
	if r.nse(101).Alive {
		t.Error("available without a way for data")
	}
	r.write("a", sgsn1, "0e0482006502"+"05880a0001011e610101")
	r.wantEvents("recovery 101")
}

// An answer goes back where the request came from.
//
// Facts: G1.6-43, G1.6-46
func TestSNSAnswerWhereAsked(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.write("a", "10.0.1.1:7770", "1104820065"+"05"+"05880a0001011fff0101") // DELETE of what is not there
	r.wantTo("10.0.0.1:23000>10.0.1.1:7770 0c0482006505008112" + "05880a0001011fff0101")
	r.write("a", sgsn1, "1104820065"+"06"+"05880a0001011fff0101")
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 0c0482006506008112" + "05880a0001011fff0101")
}

// An NSE with binds and remotes of both families speaks one of them at a time.
//
// Facts: G1.6-01, G1.6-10, G1.6-44
func TestSNSOneFamilyAtATime(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkUDP, "six"))
		must(t, c.SetListen("six", ap("[2001:db8::2]:23000")))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSBind(101, "six"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
		must(t, c.AddSNSRemote(101, ap("[2001:db8::9]:7777")))
	})
	r.want(size101) // one IPv4 endpoint, and no IPv6 number
	var sixth frame
	for range 20 {
		r.sleep(3 * sec)
		for _, f := range r.frames() {
			if PDUType(f.b[0]) == PDUSNSSize && f.to.Addr().Is6() {
				sixth = f
			}
		}
	}
	if fmt.Sprintf("%x", sixth.b) != "12048200650a01070040090001" || sixth.from != ap("[2001:db8::2]:23000") {
		t.Errorf("by IPv6: %v", sixth)
	}
}

// NS-VCs without reset procedures take neither RESET nor BLOCK nor UNBLOCK; those
// of ip.access do. Which NSEs are persistent is told.
//
// Facts: G1.1-10, G1.1-11, G1.3-34
func TestProceduresOfDialects(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, c.AddSNSBind(101, "a"))
		must(t, c.AddSNSRemote(101, ap(sgsn1)))
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "b", remote, 1, 1))
		must(t, c.AddNSE(8, RoleBSS))
		must(t, ipaVC(c, 8, "b", "10.0.1.8:1", 101))
		must(t, c.SetAcceptIPAccess("b", true))
	})
	r.snsUp()
	r.write("b", remote, aliveAckHex)
	r.write("b", "10.0.1.8:1", "03018200650482"+"0008", unblockOK)
	r.wantVCs(8, "UNBLOCKED")
	r.write("b", bts, reset2001, unblock)
	r.frames()
	for _, pdu := range []string{reset101, "0200810101820007048200" + "07", block101, unblock} {
		r.write("a", sgsn1, pdu)
		r.write("b", remote, pdu)
	}
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.wantVCs(7, "UNBLOCKED")
	r.write("b", "10.0.1.8:1", block101)
	r.want(blockAck101)
	for nsei, want := range map[uint16]bool{101: true, 7: true, 8: true, 2001: false} {
		if r.nse(nsei).Persistent != want {
			t.Errorf("NSE %d: persistent %v", nsei, !want)
		}
	}
}

// Facts: G1.3-26, G1.3-27
func TestAliveInEveryState(t *testing.T) {
	r := ipaRig(t)
	asked := func(answered bool) {
		t.Helper()
		r.frames()
		r.write("a", remote, alive)
		if f := r.frames(); (len(f) == 1 && fmt.Sprintf("%x", f[0].b) == aliveAckHex) != answered || !answered && len(f) > 0 {
			t.Errorf("in %s: %v", r.nse(101).VCs[0].State, f)
		}
	}
	asked(false) // RESET
	r.write("a", remote, resetAck101, aliveAckHex)
	r.wantVCs(101, "BLOCKED")
	asked(true)
	r.write("a", remote, unblockOK)
	r.wantVCs(101, "UNBLOCKED")
	asked(true)
	r.s.nses[101].vcs[0].event(r.now, evForce)
	r.wantVCs(101, "UNCONFIGURED")
	asked(false)
}

// Facts: G1.3-39
func TestOctetsBehind(t *testing.T) {
	r := ipaRig(t)
	r.up()
	for _, pdu := range []string{"0a00", "0b00", "0600", "0700", "0aff01"} {
		r.write("a", remote, pdu)
		r.want(fmt.Sprintf("0800810b02%02x%s", 0x80|len(pdu)/2, pdu))
	}
	r.wantVCs(101, "UNBLOCKED")
}

// Facts: G1.4-12, G1.4-13
func TestStrangersWhereNobodyMayCome(t *testing.T) {
	r := dynRig(t)
	r.frames()
	for _, pdu := range []string{alive, "000000002204820000078108", "00004e2b01", "55", unblock, block101} {
		r.write("a", "10.0.9.9:1", pdu)
		r.want(fmt.Sprintf("0800810a02%02x%s", 0x80|len(pdu)/2, pdu))
	}
	for _, pdu := range []string{alive, "000000002204820000078108", "00004e2b01"} {
		r.write("b", "10.0.9.9:1", pdu) // here they may
		r.want("08008104")
	}
}

// IP-SNS begins only when there is a way: a bind and a remote of one family, with
// weights.
//
// Facts: G1.6-07
func TestSNSNeedsAWay(t *testing.T) {
	for name, edit := range map[string]func(c *Config) error{
		"no bind":      func(c *Config) error { return c.RemoveSNSBind(101, "a") },
		"no remote":    func(c *Config) error { return c.RemoveSNSRemote(101, ap(sgsn1)) },
		"no weights":   func(c *Config) error { return c.SetSNSWeights("a", 0, 0) },
		"no data":      func(c *Config) error { return c.SetSNSWeights("a", 1, 0) },
		"other family": func(c *Config) error { return c.SetListen("a", ap("[2001:db8::2]:23000")) },
		"all there":    func(c *Config) error { return nil },
	} {
		r := newRig(t, func(c *Config) {
			must(t, c.AddNSE(101, RoleBSS))
			must(t, c.AddSNSBind(101, "a"))
			must(t, c.AddSNSRemote(101, ap(sgsn1)))
			must(t, edit(c))
		})
		r.sleep(30 * sec)
		if sent := len(r.frames()) > 0; sent != (name == "all there") {
			t.Errorf("%s: began %v", name, sent)
		}
	}
}

// Either sum may be what is missing.
//
// Facts: G1.6-17, G1.6-38
func TestWeightsOfZero(t *testing.T) {
	for _, weights := range []string{"0001", "0100", "0000"} {
		r := snsRig(t, sgsn1)
		r.write("a", sgsn1, sizeAck101, configAck101)
		r.frames()
		r.write("a", sgsn1, "0f010482006505880a0001011e61"+weights)
		r.want(configAck101 + "008111")
		r.wantSNS(101, "UNCONFIGURED")
		r.timer(3 * sec)
		r.want(size101)
	}
}

// What ends poolgw says nothing to the peers.
//
// Facts: G0-10
func TestCloseSaysNothing(t *testing.T) {
	r := ipaRig(t)
	r.up()
	must(t, r.s.Close())
	r.wantIdle()
}
