package ns

import (
	"fmt"
	"net/netip"
	"testing"
)

func dynRig(t *testing.T, limits ...Limits) *rig {
	return newRig(t, func(c *Config) {
		must(t, c.SetAcceptIPAccess("b", true))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
	}, limits...)
}

const (
	bts       = "10.0.2.1:23000"
	reset2001 = "02008101018207d2048207d1" // NSVCI 2002, NSEI 2001
	rack2001  = "03018207d2048207d1"
)

// As seen on the wire of another implementation: an ip.access BTS comes up.
// Facts: G1.1-10, G1.3-01, G1.3-09, G1.3-13, G1.4-09
func TestDynamicIPAccess(t *testing.T) {
	r := dynRig(t)
	r.frames()
	r.events = nil
	r.write("b", bts, reset2001)
	r.wantTo("10.0.0.2:23000>10.0.2.1:23000 "+rack2001, "10.0.0.2:23000>10.0.2.1:23000 0a")
	r.write("b", bts, unblock, aliveAckHex)
	r.want(unblockOK)
	r.wantEvents("new 2001", "vc up 2001", "recovery 2001")
	if n := r.nse(2001); n.Persistent || n.Dialect != "ipaccess" || *n.VCs[0].NSVCI != 2002 {
		t.Errorf("%+v", n)
	}
	// it does not send RESET, nor UNBLOCK: those are the BTS's
	r.sleep(30*sec + 11*3*sec)
	r.wantVCs(2001, "RESET")
	for _, f := range r.frames() {
		if f.from == ap("10.0.0.2:23000") && f.b[0] != byte(PDUAlive) {
			t.Errorf("sent %v", f)
		}
	}
	r.write("b", bts, reset2001, unblock)
	r.wantVCs(2001, "UNBLOCKED")
}

// The BTS comes from another address: the NS-VC moves.
// Facts: G1.4-08, G1.4-09, G1.4-10
func TestDynamicMoves(t *testing.T) {
	r := dynRig(t)
	r.write("b", bts, reset2001, unblock)
	r.events = nil
	r.write("b", "10.0.2.7:999", reset2001)
	r.wantVCs(2001, "BLOCKED")
	r.wantEvents("vc down 2001", "failure 2001")
	if v := r.nse(2001).VCs[0]; v.Remote != ap("10.0.2.7:999") || v.Counters.Replaced != 1 {
		t.Errorf("%+v", v)
	}
	// the same NSVCI for another NSE: the old NSE has nothing left
	r.write("b", "10.0.2.7:998", "02008101018207d2048207d3")
	r.wantEvents("new 2003", "free 2001")
	// configured ones are not replaced
	r.frames()
	r.write("b", "10.0.2.7:997", reset101, "0200810101820fff04820065", "020081010182006504820fff")
	r.wantIdle()
	r.wantDrop("b", DropConflict, 3)
	r.wantEvents()
}

// Two BTSs have each other's address now. An NS-VC that lives is not taken from
// its peer by a RESET with other ids; one that is dead gives way.
func TestDynamicAddressesSwapped(t *testing.T) {
	const other, reset2003 = "10.0.2.2:23000", "02008101018207d4048207d3" // NSVCI 2004, NSEI 2003
	r := dynRig(t)
	r.write("b", bts, reset2001, unblock)
	r.write("b", other, reset2003, unblock)
	swap := func() {
		r.write("b", bts, reset2003)
		r.write("b", other, reset2001)
	}
	r.frames()
	swap()
	r.wantTo("10.0.0.2:23000>10.0.2.1:23000 "+rack2001, "10.0.0.2:23000>10.0.2.2:23000 03018207d4048207d3")
	r.wantVCs(2001, "UNBLOCKED")
	r.wantVCs(2003, "UNBLOCKED")
	r.sleep(30*sec + 11*3*sec)
	r.wantVCs(2001, "RESET")
	r.frames()
	swap()
	r.write("b", bts, unblock)
	r.write("b", other, unblock)
	r.wantVCs(2001, "UNBLOCKED")
	r.wantVCs(2003, "UNBLOCKED")
	if v := r.nse(2001).VCs[0]; v.Remote != ap(other) {
		t.Errorf("%+v", v)
	}
}

// Facts: G1.4-02, G1.4-06, G1.4-07, G1.4-11, G1.4-13, G1.4-15
func TestDynamicRefused(t *testing.T) {
	r := dynRig(t)
	r.frames()
	r.events = nil
	for _, c := range []struct{ in, out string }{ // the answers were seen on the wire, but for the first two
		{"0a", "08008104"},
		{"000000002204820000078108", "08008104"},
		{"02008101", "0800810d028402008101"},
		{"55", "0800810a028155"},
		{"120a0107000808000104820bb8", ""},
		{"0b", ""}, {"0800810a02810a", ""}, {"08", ""}, {"030182006504820065", ""}, {"07", ""}, {"0501820065", ""}, {"", ""},
	} {
		r.write("b", "10.0.9.9:1", c.in)
		r.want(map[bool][]string{true: {c.out}}[c.out != ""]...)
	}
	r.write("a", "10.0.9.9:1", reset2001) // this bind does not accept
	r.want("0800810a028c" + reset2001)
	r.wantEvents()
	r.wantDrop("b", DropNotAccepted, 1)
	r.wantDrop("b", DropShort, 1)
}

// Answers to strangers are few, and never to a STATUS.
// Facts: G1.4-12
func TestStatusRate(t *testing.T) {
	r := dynRig(t)
	r.frames()
	for i := range 1000 {
		r.write("b", fmt.Sprintf("10.0.9.9:%d", 1000+i), "000003e8")
	}
	if n := len(r.frames()); n != statusBurst {
		t.Errorf("%d answers in no time", n)
	}
	r.wantDrop("b", DropStatusRate, 1000-statusBurst)
	r.sleep(sec)
	r.frames()
	r.write("b", "10.0.9.9:1", "0a")
	r.want("08008104")
	r.write("a", "10.0.9.9:1", "0a") // no stranger may come here
	r.want("0800810a02810a")
	long := make([]byte, MaxDatagram)
	long[0] = 0x77
	r.writeBytes("b", ap("10.0.9.9:2"), long)
	if f := r.frames(); len(f) != 1 || len(f[0].b) > maxPDUInError+8 {
		t.Errorf("%d answers", len(f))
	}
}

// resetVC sends the NS-RESET of an ip.access BTS for an NSE.
func (r *rig) resetVC(from netip.AddrPort, nsvci, nsei int) {
	r.t.Helper()
	r.writeBytes("b", from, unhex(fmt.Sprintf("020081010182%04x0482%04x", nsvci, nsei)))
}

func btsAt(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("10.0.2.2"), uint16(i))
}

func TestDynamicLimits(t *testing.T) {
	r := dynRig(t, Limits{DynamicNSEs: 3, VCsPerNSE: 2})
	for i := range 10 {
		r.write("b", bts, fmt.Sprintf("0200810101820%03x04820%03x", 0x300+i, 0x300+i))
		r.resetVC(btsAt(i+1), 0x100+i, 0x200+i)
		r.writeBytes("b", btsAt(i+1), unhex(unblock))
	}
	if n := len(r.s.nses); n != 4 { // with the configured one
		t.Errorf("%d NSEs", n)
	}
	r.wantDrop("b", DropLimitNSEs, 14) // the first one from bts was dead and gave way
	for i := range 5 {
		r.resetVC(netip.AddrPortFrom(netip.MustParseAddr("10.0.2.3"), uint16(i+1)), 0x400+i, 0x200)
	}
	r.wantDrop("b", DropLimitVCs, 4)
	must(t, r.s.DeleteDynamic(0x200, r.now))
	r.write("b", "10.0.2.9:1", reset2001)
	if r.s.NSE(2001) == nil {
		t.Error("room was not given back")
	}
	if r.s.DeleteDynamic(101, r.now) == nil || r.s.DeleteDynamic(5, r.now) == nil {
		t.Error("deleted what is configured, or is not there")
	}
}

// Datagrams from forged addresses keep nobody out: what is dead gives way, the
// strangers that never lived before a BSS that did. What lives stays.
// Facts: G1.3-47
func TestDeadGiveWay(t *testing.T) {
	r := dynRig(t, Limits{DynamicNSEs: 3})
	r.edit(func(c *Config) { c.Binds[1].AcceptSNS = true })
	for i := range 2 { // two BSSs; the second one dies
		r.resetVC(btsAt(i), 10+i, 10+i)
		r.writeBytes("b", btsAt(i), unhex(unblock))
	}
	r.resetVC(btsAt(1), 11, 11)
	for i := range 50 {
		r.sleep(sec / 100)
		r.resetVC(btsAt(100+i), 1000+i, 1000+i)
	}
	r.events = nil
	r.write("b", bts, reset2001, unblock)
	r.wantEvents("free 1049", "new 2001", "vc up 2001", "recovery 2001")
	r.write("b", "10.0.2.7:1", "120a010700080800010482"+"07d3")
	r.wantEvents("free 11", "new 2003")
	r.wantDrop("b", DropLimitNSEs, 0)
	r.write("b", "10.0.2.7:1", "0f01"+"048207d3"+"05880a00020759d80101", "10"+"048207d3")
	r.events = nil
	r.resetVC(btsAt(7), 7, 7)
	r.wantEvents()
	r.wantDrop("b", DropLimitNSEs, 1)
}

func TestRefuseNew(t *testing.T) {
	r := dynRig(t)
	r.edit(func(c *Config) { must(t, c.SetAcceptSNS("b", true)) })
	r.s.RefuseNew(true)
	r.frames()
	r.write("b", bts, reset2001, size2001)
	r.wantIdle()
	r.wantDrop("b", DropNotAccepted, 2)
	r.s.RefuseNew(false)
	r.write("b", bts, reset2001)
	r.want(rack2001, alive)
}

// Facts: G1.6-41, G1.6-42
func TestForceUnconfigured(t *testing.T) {
	r := dynRig(t)
	r.up()
	must(t, r.s.ForceUnconfigured(101, r.now))
	r.turn()
	r.want(reset101)
	r.write("b", bts, reset2001)
	r.events = nil
	must(t, r.s.ForceUnconfigured(2001, r.now))
	r.wantEvents("free 2001")
	if r.s.ForceUnconfigured(2001, r.now) == nil || r.s.RestartSNS(101, r.now) == nil || r.s.RestartSNS(1, r.now) == nil {
		t.Error("no error")
	}
	q := snsRig(t, sgsn1, sgsn2)
	q.snsUp()
	must(t, q.s.RestartSNS(101, q.now))
	q.turn()
	q.wantTo("10.0.0.1:23000>10.0.1.2:7777 " + size101)
	must(t, q.s.ForceUnconfigured(101, q.now))
	q.turn()
	q.wantTo("10.0.0.1:23000>10.0.1.1:7777 " + size101)
}

// A peer that tried NS-RESET first, as libosmogb does with IP-SNS after NS-STATUS
// "NS-VC unknown", comes in by SNS-SIZE; one that is alive is not replaced.
func TestSizeReplacesDeadReset(t *testing.T) {
	r := dynRig(t)
	r.edit(func(c *Config) { c.Binds[1].AcceptSNS = true })
	const size = "120a0107000808000104820" + "7d1" // reset, 8 NS-VCs, 1 IPv4 endpoint, NSEI 2001
	r.write("b", bts, reset2001)
	r.events = nil
	r.write("b", bts, size)
	r.wantEvents("free 2001", "new 2001")
	if n := r.nse(2001); n.Dialect != "sns" {
		t.Errorf("dialect %s", n.Dialect)
	}
	r = dynRig(t)
	r.edit(func(c *Config) { c.Binds[1].AcceptSNS = true })
	r.write("b", bts, reset2001)
	r.write("b", bts, unblock)
	r.events = nil
	r.write("b", bts, size)
	r.wantEvents()
	if n := r.nse(2001); n.Dialect != "ipaccess" || !n.Alive {
		t.Errorf("dialect %s, alive %v", n.Dialect, n.Alive)
	}
}
