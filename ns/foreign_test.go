package ns

import "testing"

// A BSS that tells another BSS's endpoint as its own does not get it: the
// other's NS-VC stays as it is.
func TestSNSForeignEndpoint(t *testing.T) {
	r := sgsnRig(t)
	r.write("b", bss, size2001, conf2001, confAck, aliveAckHex)
	r.wantVCs(2001, "UNBLOCKED")
	r.frames()
	r.events = nil
	before := r.nse(2001).VCs[0]
	const thief = "10.0.2.2:23000"
	r.write("b", thief, "12048207d20a01070008080002", // NSEI 2002, two endpoints
		"0f01048207d205900a00020259d801010a00020159d80709", // its own; 10.0.2.1:23000 with weights 7 and 9
		"10048207d2")
	r.wantSNS(2002, "CONFIGURED")
	r.wantDrop("b", DropConflict, 1)
	if vcs := r.nse(2002).VCs; len(vcs) != 1 || vcs[0].Remote != ap(thief) {
		t.Errorf("%+v", vcs)
	}
	after := r.nse(2001).VCs
	if len(after) != 1 || after[0].State != "UNBLOCKED" || after[0].SigWeight != before.SigWeight ||
		after[0].DataWeight != before.DataWeight {
		t.Errorf("the other's NS-VC was %+v, is %+v", before, after)
	}
	for _, f := range r.frames() {
		if f.to == ap(bss) {
			t.Errorf("sent %v", f)
		}
	}
	for _, e := range r.events {
		if e == "vc down 2001" || e == "failure 2001" || e == "free 2001" {
			t.Errorf("the other BSS: %s", e)
		}
	}
}

// A peer that had blocked the NS-VC and begins anew has forgotten it: it is for
// us to unblock again (TS 48.016 7.3).
func TestResetEndsPeersBlock(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.write("a", remote, block101)
	r.want(blockAck101)
	r.sleep(20 * sec)
	r.frames()
	r.write("a", remote, reset101)
	r.want(resetAck101, unblock, alive)
	r.write("a", remote, unblockOK)
	r.wantVCs(101, "UNBLOCKED")
}
