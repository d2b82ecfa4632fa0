package ns

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// Octets by hand from Q.933 A.2 and A.3.
const (
	lmiRemote     = "0.0.0.0:0"
	dlci16        = "0.0.0.0:16"
	dlci17        = "0.0.0.0:17"
	new16active   = "570301808a"
	active16      = "5703018082"
	active17      = "5703018882"
	inactive16    = "5703018080"
	fullEnquiry   = "0308007551010053 02"
	reset501      = "0200810101820 1f504820065" // O&M, NSVCI 501, NSEI 101
	resetAck501   = "0301820 1f504820065"
	reset502      = "02008101018201f604820065"
	resetAck502   = "03018201f604820065"
	unitdata0     = "00000000" // BVCI 0
	unitdata7     = "00000007" // BVCI 7
	firstQuestion = "03080075510100530201 00"
)

func lmiStatus(report, send, recv byte, pvcs ...string) string {
	return fmt.Sprintf("0308007d5101%02x5302%02x%02x", report, send, recv) + strings.Join(pvcs, "")
}

func lmiEnquiry(report, send, recv byte) string {
	return fmt.Sprintf("030800755101%02x5302%02x%02x", report, send, recv)
}

func joined(s string) string { return strings.ReplaceAll(s, " ", "") }

func frVC(c *Config, nsei uint16, netif string, dlci, nsvci uint16) error {
	return c.AddVC(nsei, VCConfig{Link: LinkFR, Bind: netif, DLCI: dlci, NSVCI: nsvci, HasNSVCI: true})
}

// frRig has a line hdlc0 as user with the DLCIs 16 and 17 for NSE 101.
func frRig(t *testing.T, network bool) *rig {
	return newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkFR, "f"))
		must(t, c.SetFR("f", "hdlc0", network))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, frVC(c, 101, "hdlc0", 16, 501))
		must(t, frVC(c, 101, "hdlc0", 17, 502))
	})
}

// frUp brings both NS-VCs of a user's line up. The next enquiry is due in 10 s.
func frUp(t *testing.T) *rig {
	r := frRig(t, false)
	r.timer(0)
	r.want(joined(firstQuestion))
	r.write("f", lmiRemote, lmiStatus(0, 1, 1, active16, active17))
	r.wantIdle()
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r.sleep(10 * sec)
	r.want(lmiEnquiry(0, 2, 1))
	r.write("f", lmiRemote, lmiStatus(0, 2, 2, active16, active17))
	r.wantTo("invalid AddrPort>"+dlci16+" "+joined(reset501), "invalid AddrPort>"+dlci17+" "+reset502)
	r.write("f", dlci16, joined(resetAck501), unblockOK, aliveAckHex)
	r.write("f", dlci17, resetAck502, unblockOK, aliveAckHex)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.frames()
	r.events = nil
	return r
}

// Facts: G1.7-02, G1.7-06
func TestFRUserStartsItsNSVCs(t *testing.T) {
	r := frUp(t)
	n := r.nse(101)
	if n.Link != "FR" || n.Dialect != "static-resetblock" || n.VCs[0].DLCI != 16 {
		t.Errorf("%+v", n)
	}
	r.sleep(10 * sec)
	r.frames()
	r.write("f", lmiRemote, lmiStatus(0, 3, 3, inactive16, active17))
	r.wantVCs(101, "UNCONFIGURED", "UNBLOCKED")
	r.wantEvents("vc down 101")
	r.write("f", dlci16, alive) // not while it is inactive
	r.wantIdle()
	r.write("f", lmiRemote, "0308007d510102"+active16)
	r.want(joined(reset501))
	r.wantVCs(101, "RESET", "UNBLOCKED")
	// No answer any more: the third error of four takes the link down.
	r.events = nil
	r.sleep(41 * sec)
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r.wantEvents("vc down 101", "failure 101")
}

func TestFRForceUnconfiguredWaitsForTheDLCI(t *testing.T) {
	r := frRig(t, false)
	must(t, r.s.ForceUnconfigured(101, r.now))
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r = frUp(t)
	must(t, r.s.ForceUnconfigured(101, r.now))
	r.wantVCs(101, "RESET", "RESET")
}

// A user that has been restarted has received 0 of us: its NS-VCs begin anew.
// Facts: G1.7-03, G1.7-04
func TestFRNetworkRole(t *testing.T) {
	r := frRig(t, true)
	r.write("f", lmiRemote, lmiEnquiry(0, 1, 0))
	r.want(lmiStatus(0, 1, 1, new16active, "570301888a"))
	r.write("f", lmiRemote, lmiEnquiry(1, 2, 1))
	r.want(lmiStatus(1, 2, 2), joined(reset501), reset502)
	r.write("f", dlci16, joined(resetAck501), unblockOK, aliveAckHex)
	r.wantVCs(101, "UNBLOCKED", "RESET")
	r.frames()
	r.write("f", lmiRemote, lmiEnquiry(0, 1, 0))
	r.want(lmiStatus(0, 3, 1, active16, active17))
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r.write("f", lmiRemote, lmiEnquiry(1, 2, 3))
	r.want(lmiStatus(1, 4, 2), joined(reset501), reset502)
	r.events = nil
	r.sleep(46 * sec) // T392 three times
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	if l := r.bind("f").Line; l.Up || !l.Running || l.Role != "NETWORK" {
		t.Errorf("%+v", l)
	}
}

func (r *rig) bind(name string) *BindState {
	for _, b := range r.s.Snapshot(r.now).Binds {
		if b.Name == name {
			return &b
		}
	}
	return nil
}

// Facts: G1.5-08
func TestFRLoadSharing(t *testing.T) {
	r := frUp(t)
	n := r.s.NSE(101)
	for _, tc := range []struct {
		bvci uint16
		lsp  uint32
		to   string
	}{{0, 0, dlci16}, {0, 0, dlci16}, {0, 1, dlci17}, {7, 0, dlci17}, {7, 1, dlci16}, {7, 0xffffffff, dlci16}, {8, 0, dlci16}} {
		if !r.s.Send(n, tc.bvci, tc.lsp, []byte{1}) {
			t.Fatal("not sent")
		}
		r.s.Flush()
		r.wantTo(fmt.Sprintf("invalid AddrPort>%s 0000%04x01", tc.to, tc.bvci))
	}
	r.write("f", dlci17, "04008101018201f6") // the peer blocks 502
	r.frames()
	r.s.Send(n, 7, 0, []byte{1})
	r.s.Flush()
	r.wantTo("invalid AddrPort>" + dlci16 + " 0000000701")
}

// When the device has no room user data is dropped; LMI, signalling and NS
// control wait, the LMI first.
// Facts: G1.7-08, U-13
func TestFRNoRoom(t *testing.T) {
	r := frUp(t)
	n := r.s.NSE(101)
	before := n.vcs[0].count()
	r.net.busy = true
	r.s.Send(n, 0, 0, []byte{0xaa})
	r.s.Send(n, 8, 0, []byte{0xbb}) // user data
	r.write("f", dlci16, alive)
	r.sleep(10*sec + time.Millisecond) // the LMI asks
	r.s.Send(n, 0, 0, []byte{0xcc})
	r.s.Flush()
	r.wantIdle()
	if at, armed := r.s.Deadline(); !armed || at.Sub(r.now) > retryPeriod {
		t.Fatalf("tried again in %v", at.Sub(r.now))
	}
	r.net.busy = false
	r.sleep(retryPeriod)
	r.want(lmiEnquiry(1, 3, 2), unitdata0+"aa", aliveAckHex, unitdata0+"cc")
	if c := n.vcs[0].count(); c.PacketsOutDrop != before.PacketsOutDrop+1 || c.PacketsOut != before.PacketsOut+3 {
		t.Errorf("before %+v\nafter %+v", before, c)
	}
	r.wantDrop("f", DropTransmit, 1)
	if at, armed := r.s.Deadline(); armed && at.Sub(r.now) < time.Millisecond*100 {
		t.Errorf("still trying: %v", at.Sub(r.now))
	}
	// What waits is bounded.
	r.net.busy = true
	for range 1000 {
		r.s.Send(n, 0, 0, []byte{0xaa})
	}
	r.s.Flush()
	r.net.busy = false
	r.sleep(retryPeriod)
	if got := len(r.frames()); got != 128 {
		t.Errorf("%d waited, want txqueue-max-length", got)
	}
}

// A worker drops user data at once.
func TestFRNoRoomForAWorker(t *testing.T) {
	r := frUp(t)
	r.data = dataFunc(func(p *Port, _ *NSE, bvci uint16, dgram []byte) bool {
		return p.Forward(r.s.NSE(101), bvci, 0, dgram)
	})
	r.net.busy = true
	r.write("f", dlci16, unitdata7+"01")
	r.net.busy = false
	r.turn()
	r.wantIdle()
	r.wantDrop("f", DropTransmit, 1)
	r.write("f", dlci16, unitdata7+"02")
	r.wantTo("invalid AddrPort>" + dlci17 + " " + unitdata7 + "02")
}

type dataFunc func(p *Port, n *NSE, bvci uint16, dgram []byte) bool

func (f dataFunc) Data(p *Port, n *NSE, bvci uint16, dgram []byte) bool { return f(p, n, bvci, dgram) }

// Facts: G1.5-11
func TestFRMTU(t *testing.T) {
	r := frUp(t)
	n := r.s.NSE(101)
	check := func(mtu int) {
		t.Helper()
		if n.MTU() != mtu {
			t.Errorf("MTU %d, want %d", n.MTU(), mtu)
		}
		if !r.s.Send(n, 7, 0, make([]byte, mtu-unitdataHeader)) || r.s.Send(n, 7, 0, make([]byte, mtu-unitdataHeader+1)) {
			t.Errorf("a PDU of %d octets is not the longest", mtu)
		}
		r.s.Flush()
		r.frames()
	}
	check(1598)
	r.net.mtu = 1500
	r.sleep(sec)
	check(1498)
	r.net.mtu = 9000
	r.sleep(sec)
	check(1598)
	r.net.mtu = 1
	r.sleep(sec)
	check(1598)
	r.data = dataFunc(func(p *Port, _ *NSE, bvci uint16, dgram []byte) bool {
		p.Forward(n, bvci, 0, dgram)
		return true
	})
	long := append(unhex(unitdata7), make([]byte, 1595)...)
	r.writeBytes("f", netip.MustParseAddrPort(dlci16), long)
	r.wantIdle()
	r.wantDrop("f", DropTooLong, 1)
}

// A device that is gone takes the NS-VCs with it; they come back with it.
func TestFRDeviceGoesAndComes(t *testing.T) {
	r := frUp(t)
	r.net.down = true
	r.sleep(sec)
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r.wantEvents("vc down 101", "vc down 101", "failure 101")
	if l := r.bind("f").Line; l.Up || l.Running {
		t.Errorf("%+v", l)
	}
	r.sleep(60 * sec)
	r.wantIdle()
	r.net.down = false
	r.sleep(sec)
	r.want(lmiEnquiry(0, 3, 2))
	r.write("f", lmiRemote, lmiStatus(0, 1, 3, active16, active17))
	r.sleep(10 * sec)
	r.want(lmiEnquiry(0, 4, 1))
	r.write("f", lmiRemote, lmiStatus(0, 2, 4, active16, active17))
	r.want(joined(reset501), reset502)
}

func TestFREditsAtRunTime(t *testing.T) {
	r := frUp(t)
	r.edit(func(c *Config) {
		must(t, c.RemoveVC(101, VCConfig{Link: LinkFR, Bind: "hdlc0", DLCI: 16}))
		must(t, frVC(c, 101, "hdlc0", 17+1, 503))
	})
	r.wantVCs(101, "UNBLOCKED", "UNCONFIGURED")
	r.edit(func(c *Config) { // the role: a new link
		must(t, c.SetFR("f", "hdlc0", true))
	})
	r.wantVCs(101, "UNCONFIGURED", "UNCONFIGURED")
	r.write("f", lmiRemote, lmiEnquiry(0, 1, 0))
	r.want(lmiStatus(0, 1, 1, "570301888a", "570301908a"))
	r.edit(func(c *Config) { must(t, c.RemoveBind("f")) })
	r.wantVCs(101)
	r.sleep(60 * sec)
	r.wantIdle()
	if _, armed := r.s.Deadline(); armed {
		t.Error("a timer still runs")
	}
}

// What no DLCI of ours carries makes nothing and is not answered; LMI that
// makes no sense is counted.
func TestFRStrangers(t *testing.T) {
	r := frUp(t)
	r.write("f", "0.0.0.0:99", reset101, alive, "00000007aa", block101)
	r.write("f", lmiRemote, "00", lmiEnquiry(0, 1, 0), lmiStatus(0, 9, 77))
	r.wantIdle()
	r.wantDrop("f", DropUnknownRemote, 4)
	r.wantDrop("f", DropLMI, 3)
}

// Over GRE there is no LMI: NS-VCs start at once, each by peer and DLCI.
// Facts: G1.1-02, G1.7-11
func TestFRGREStack(t *testing.T) {
	peer := netip.MustParseAddrPort("10.0.9.9:0")
	r := newRig(t, func(c *Config) {
		must(t, c.AddBind(LinkFRGRE, "g"))
		must(t, c.SetGRE("g", netip.MustParseAddr("10.0.0.9")))
		must(t, c.AddNSE(101, RoleBSS))
		for i, d := range []uint16{16, 17} {
			must(t, c.AddVC(101, VCConfig{Link: LinkFRGRE, Bind: "g", Remote: peer, DLCI: d, NSVCI: 501 + uint16(i), HasNSVCI: true}))
		}
	})
	r.wantTo("10.0.0.9:0>10.0.9.9:16 "+joined(reset501), "10.0.0.9:0>10.0.9.9:17 "+reset502)
	r.write("g", "10.0.9.9:17", resetAck502)
	r.wantVCs(101, "RESET", "BLOCKED")
	r.write("g", "10.0.9.8:16", joined(resetAck501)) // another peer
	r.wantVCs(101, "RESET", "BLOCKED")
	r.write("g", "10.0.9.9:16", joined(resetAck501))
	r.wantVCs(101, "BLOCKED", "BLOCKED")
	if n := r.nse(101); n.Link != "FRGRE" || r.s.NSE(101).MTU() != 1598 && r.s.NSE(101).Alive() {
		t.Errorf("%+v", n)
	}
}
