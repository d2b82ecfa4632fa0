package ns

import (
	"fmt"
	"testing"
)

// Four octets, a STATUS "NS-VC blocked" that does not say which, block an NS-VC
// of osmo-gbproxy 0.5.0. Nothing of the kind has an effect, or an answer.
// Facts: G1.3-37
func TestHostileStatus(t *testing.T) {
	r := ipaRig(t)
	r.up()
	for _, s := range []string{"08008103", "08008104", "0800810301820066", "0800810301", "08", "0800", "080081030182", "08810301820065"} {
		for range 3 {
			r.write("a", remote, s)
			r.wantIdle()
			r.wantVCs(101, "UNBLOCKED")
		}
	}
	r.wantEvents()
	r.write("a", remote, blocked101) // that one is right
	r.wantVCs(101, "BLOCKED")
}

// An IE that is longer than specified is no error (TS 48.016 8.1), nor is a bad
// one that has no place in the PDU.
func TestLongerThanSpecified(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"02008201ff01820065048300650a", "RESET"}, {"040082010001830065ff", "BLOCK"}, {"0400810101820065" + "0480", "BLOCK"},
	} {
		r := ipaRig(t)
		r.up()
		r.write("a", remote, c.in)
		if r.wantVCs(101, "BLOCKED"); t.Failed() {
			t.Errorf("%s %s", c.out, c.in)
		}
	}
}

// A stranger, or who takes a stranger's address, gets no more octets out of
// the stack than go in, and makes no more NSEs than the limit; from then on
// those that are there are served as before.
func TestHostileStrangers(t *testing.T) {
	r := newRig(t, hostileConfig(t), Limits{DynamicNSEs: 4, VCsPerNSE: 8, ControlQueue: 64})
	r.write("b", "10.0.4.1:4", aliveAckHex)
	r.frames()
	in, out := 0, 0
	for i := range 2000 {
		from := fmt.Sprintf("10.7.%d.%d:%d", i/250, i%250, 1000+i)
		for _, h := range []string{fmt.Sprintf("02008101018230%02x0482%04x", i%256, 0x3000+i), fmt.Sprintf("120482%04x0a01070008080001", 0x3000+i),
			"0a", "00004e2b01", "55", fmt.Sprintf("0c0482%04x07", 0x3000+i)} {
			r.write("b", from, h)
			in += len(h) / 2
		}
		for _, f := range r.frames() {
			out += len(f.b)
		}
	}
	if out > in {
		t.Errorf("%d octets out for %d in", out, in)
	}
	if r.s.dynamic > 4 || len(r.s.nses) > 8 || len(r.s.binds["b"].vcs) > 8 {
		t.Errorf("%d dynamic NSEs, %d NS-VCs", r.s.dynamic, len(r.s.binds["b"].vcs))
	}
	r.events = nil
	r.write("b", "10.0.4.1:4", "00004e2b0102")
	r.wantEvents("data 104/20011 0102")
}
