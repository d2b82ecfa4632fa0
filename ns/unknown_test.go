package ns

import "testing"

// unknownVC is NS-STATUS (08), Cause (00) of one octet (81): NS-VC unknown (04). There is
// no NSVCI: with IP an NS-VC is a pair of endpoints (TS 48.016 9.2.7, 10.3.2).
const unknownVC = "08008104"

// An SGSN that has forgotten us says so for every PDU. Twice is enough: SNS begins anew,
// long before the test procedure would have given up.
func TestSNSPeerForgets(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	r.write("a", sgsn1, unknownVC)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 0a")
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.write("a", sgsn1, unknownVC)
	r.wantTo("10.0.0.1:23000>10.0.1.1:7777 0a", "10.0.0.1:23000>10.0.1.1:7777 "+size101)
	r.wantSNS(101, "BSS_SIZE")
	r.wantDrop("a", DropMalformed, 0)
	r.write("a", sgsn1, unknownVC, unknownVC) // for what was on its way
	r.wantIdle()
	r.snsUp()
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
}

// One that knows us answers the NS-ALIVE: the STATUS was late.
func TestLateStatusUnknown(t *testing.T) {
	r := snsRig(t, sgsn1)
	r.snsUp()
	for range 3 {
		r.write("a", sgsn1, unknownVC)
		r.wantTo("10.0.0.1:23000>10.0.1.1:7777 0a")
		r.write("a", sgsn1, aliveAckHex)
		r.wantIdle()
		r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	}
	r.wantEvents()
}

// A BSS that has forgotten us, and a static peer.
func TestPeersForget(t *testing.T) {
	r := sgsnRig(t)
	r.sgsnUp()
	for range 2 {
		r.write("b", bss, unknownVC)
	}
	if n := r.nse(2001); n != nil && n.Alive {
		t.Errorf("an NSE that its BSS does not know is alive: %+v", n)
	}
	r = newRig(t, func(c *Config) {
		must(t, c.AddNSE(103, RoleBSS))
		must(t, staticVC(c, 103, "b", staticPeer, 1, 1))
	})
	r.write("b", staticPeer, aliveAckHex)
	r.wantVCs(103, "UNBLOCKED")
	r.frames()
	r.write("b", staticPeer, unknownVC, unknownVC)
	r.want("0a", "0a")
	r.wantVCs(103, "RECOVERING")
	r.write("b", staticPeer, unknownVC) // it is asked every tns-alive only
	r.wantIdle()
	r.wantDrop("b", DropState, 0)
	r.write("b", staticPeer, aliveAckHex)
	r.wantVCs(103, "UNBLOCKED")
}
