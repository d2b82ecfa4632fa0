package ns

import (
	"testing"
)

// Facts: G1.3-01, G1.3-04, G1.3-05, G1.3-07, G1.3-10, G1.3-12, G1.3-15, G1.3-18, G1.3-26, G1.5-03
func TestIPAccessBringUp(t *testing.T) {
	r := ipaRig(t)
	r.wantEvents("new 101")
	r.wantTo("10.0.0.1:23000>10.0.1.1:23000 " + reset101)
	r.wantVCs(101, "RESET")
	r.write("a", remote, resetAck101)
	r.want(unblock, alive)
	r.wantVCs(101, "BLOCKED")
	r.write("a", remote, alive)
	r.want(aliveAckHex)
	r.wantEvents()
	r.write("a", remote, unblockOK)
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED")
	r.wantEvents("vc up 101", "recovery 101")
	r.write("a", remote, aliveAckHex)
	r.timer(30 * sec)
	r.want(alive)
}

// A lost RESET is repeated for ever, every tns-reset.
// Facts: G1.3-06, G1.3-46
func TestResetRepeats(t *testing.T) {
	r := ipaRig(t)
	r.frames()
	for range 10 {
		r.timer(3 * sec)
		r.want(reset101)
	}
	if n := r.nse(101).VCs[0].Counters.LostReset; n != 10 {
		t.Errorf("LostReset %d", n)
	}
}

// A lost UNBLOCK is repeated tns-block-retries times, then RESET.
// Facts: G1.3-10, G1.3-11
func TestUnblockRetries(t *testing.T) {
	r := ipaRig(t)
	r.write("a", remote, resetAck101, aliveAckHex)
	r.frames()
	for range 3 {
		r.timer(3 * sec)
		r.want(unblock)
	}
	r.timer(3 * sec)
	r.want(reset101)
	r.wantVCs(101, "RESET")
}

// ALIVE unanswered: repeated every tns-alive, dead after retries + 1 losses.
// Facts: G1.3-19, G1.3-20, G1.3-27, G1.5-02, G1.5-03
func TestAliveLost(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.timer(30 * sec)
	r.want(alive)
	for range 10 {
		r.timer(3 * sec)
		r.want(alive)
	}
	r.wantVCs(101, "UNBLOCKED")
	r.timer(3 * sec)
	r.want(reset101)
	r.wantVCs(101, "RESET")
	r.wantEvents("vc down 101", "failure 101")
	c := r.nse(101).VCs[0].Counters
	if c.LostAlive != 11 || c.Dead != 1 {
		t.Errorf("%+v", c)
	}
	r.write("a", remote, alive) // not answered in RESET
	r.wantIdle()
	r.wantDrop("a", DropState, 1)
}

// One answer among many losses is enough.
func TestAliveLossForgotten(t *testing.T) {
	r := ipaRig(t)
	r.up()
	for range 3 {
		r.sleep(30*sec + 10*3*sec)
		r.write("a", remote, aliveAckHex)
	}
	r.wantVCs(101, "UNBLOCKED")
}

// Facts: G1.3-08
func TestPeerResets(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.write("a", remote, reset101)
	r.want(resetAck101, unblock, alive)
	r.wantVCs(101, "BLOCKED")
	r.wantEvents("vc down 101", "failure 101")
	// crossed RESETs: the peer's is an acknowledge
	r = ipaRig(t)
	r.want(reset101)
	r.write("a", remote, reset101)
	r.want(resetAck101, unblock, alive)
	r.wantVCs(101, "BLOCKED")
}

// Facts: G1.3-32, G1.3-33, U-11
func TestWrongIDs(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.write("a", remote, "020081010182006504820066", "020081010182006604820065")
	r.want(resetAck101, resetAck101)
	r.write("a", remote, "030182006604820065")
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED")
	c := r.nse(101).VCs[0].Counters
	if c.InvalidNSEI != 1 || c.InvalidNSVCI != 2 {
		t.Errorf("%+v", c)
	}
	r.wantDrop("a", DropWrongID, 3)
}

// The peer blocks; then it is the peer who unblocks.
// Facts: G1.3-13, G1.3-14, G1.3-16, G1.3-22, G1.3-23, U-18
func TestPeerBlocks(t *testing.T) {
	r := ipaRig(t)
	r.up()
	r.write("a", remote, block101)
	r.want(blockAck101)
	r.wantVCs(101, "BLOCKED")
	if by := r.nse(101).VCs[0].BlockedBy; by != "peer" {
		t.Errorf("blocked by %q", by)
	}
	r.write("a", remote, block101)
	r.want(blockAck101)
	r.write("a", remote, "000003e800") // data meanwhile
	r.want(blocked101)
	r.wantDrop("a", DropBlocked, 1)
	r.sleep(20 * sec)
	r.wantIdle()
	r.write("a", remote, unblock)
	r.want(unblockOK)
	r.wantVCs(101, "UNBLOCKED")
	r.write("a", remote, unblock)
	r.want(unblockOK)
}

// Facts: G1.3-28, G1.3-29, G1.3-30
func TestBlockOfAnother(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
		must(t, ipaVC(c, 101, "a", "10.0.1.1:23001", 102))
	})
	r.write("a", remote, resetAck101, unblockOK)
	r.write("a", "10.0.1.1:23001", "030182006604820065", unblockOK)
	r.wantVCs(101, "UNBLOCKED", "UNBLOCKED")
	r.frames()
	r.write("a", remote, "0400810101820066")
	r.wantTo("10.0.0.1:23000>10.0.1.1:23000 0501820066")
	r.wantVCs(101, "UNBLOCKED", "BLOCKED")
	r.write("a", remote, "0400810101820fff") // nobody's
	r.want("0800810401820fff")
	r.write("a", "10.0.1.1:23001", "0800810401820065") // "NS-VC 101 unknown"
	r.wantTo("10.0.0.1:23000>10.0.1.1:23000 " + reset101)
	r.wantVCs(101, "RESET", "BLOCKED")
}

// Facts: G1.3-35, G1.3-36, G1.3-37, G1.3-41
func TestStatus(t *testing.T) {
	r := ipaRig(t)
	r.up()
	// without the NS-VCI that it needs it is not answered and changes nothing
	r.write("a", remote, "08008103", "08008104", "0800810a")
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED")
	r.wantDrop("a", DropMalformed, 3)
	r.write("a", remote, "0800810a02810a")
	r.wantIdle()
	r.wantVCs(101, "UNBLOCKED")
	r.write("a", remote, blocked101)
	r.want(unblock)
	r.wantVCs(101, "BLOCKED")
	r.write("a", remote, "0800810401820065")
	r.want(reset101)
	r.wantVCs(101, "RESET")
}

// Facts: G1.3-38, G1.3-39, G1.3-40
func TestMalformedIsAnswered(t *testing.T) {
	r := ipaRig(t)
	r.up()
	for _, c := range []struct{ in, out string }{
		{"0a00", "0800810b02820a00"},
		{"0700", "0800810b02820700"},
		{"04008101", "0800810d028404008101"},
		{"02008101018200", "0800810b028702008101018200"},
		{"55", "0800810a028155"},
		{"000000", "0800810b0283000000"},
	} {
		r.write("a", remote, c.in)
		r.want(c.out)
	}
	r.wantVCs(101, "UNBLOCKED")
}

// Facts: G1.3-17, G1.3-43, G1.3-44, G1.3-45, U-18
func TestOMBlock(t *testing.T) {
	r := ipaRig(t)
	r.up()
	must(t, r.s.BlockVC(101, r.now))
	r.turn()
	r.want(block101)
	r.wantVCs(101, "BLOCKED")
	if by := r.nse(101).VCs[0].BlockedBy; by != "O&M/vty" {
		t.Errorf("blocked by %q", by)
	}
	r.events = nil
	r.write("a", remote, "000003e8aa") // still taken: the peer does not know yet
	r.wantEvents("data 101/1000 aa")
	r.timer(3 * sec)
	r.want(block101)
	r.write("a", remote, blockAck101)
	r.write("a", remote, "000003e8aa")
	r.want(blocked101)
	r.wantEvents()
	r.write("a", remote, unblock) // the peer may not
	r.want(block101)
	r.write("a", remote, blockAck101)
	must(t, r.s.UnblockVC(101, r.now))
	r.turn()
	r.want(unblock)
	r.write("a", remote, unblockOK)
	r.wantVCs(101, "UNBLOCKED")
	must(t, r.s.ResetVC(101, r.now))
	r.turn()
	r.want(reset101)
	if r.s.BlockVC(7, r.now) == nil || r.s.UnblockVC(7, r.now) == nil || r.s.ResetVC(7, r.now) == nil {
		t.Error("an NSVCI that is not there was taken")
	}
}

// BLOCK without an answer: repeated, then it holds on our side.
func TestOMBlockUnanswered(t *testing.T) {
	r := ipaRig(t)
	r.up()
	must(t, r.s.BlockVC(101, r.now))
	r.turn()
	r.want(block101)
	for range 3 {
		r.timer(3 * sec)
		r.want(block101)
	}
	r.timer(3 * sec)
	r.wantIdle()
	r.write("a", remote, "000003e8aa")
	r.want(blocked101)
}

// Facts: G1.1-11, G1.3-02, G1.3-21, G1.3-24, G1.3-25, G1.3-26, G1.3-34, G1.3-46
func TestStaticAlive(t *testing.T) {
	r := newRig(t, func(c *Config) {
		must(t, c.AddNSE(7, RoleBSS))
		must(t, staticVC(c, 7, "b", remote, 1, 1))
	})
	r.wantTo("10.0.0.2:23000>10.0.1.1:23000 0a")
	r.wantVCs(7, "RECOVERING")
	for range 30 { // never given up, never dead
		r.timer(3 * sec)
		r.want(alive)
	}
	for range maxAskBack {
		r.write("b", remote, alive) // our question goes before the answer
		r.want(alive, aliveAckHex)
	}
	r.write("b", remote, alive)
	r.want(aliveAckHex)
	r.timer(3 * sec)
	r.want(alive)
	r.events = nil
	r.write("b", remote, "00000000aa") // taken in RECOVERING
	r.wantEvents("data 7/0 aa")
	if r.s.Send(r.s.NSE(7), 5, 0, []byte{1}) {
		t.Error("sent on an NSE that is not available")
	}
	r.write("b", remote, aliveAckHex)
	r.wantVCs(7, "UNBLOCKED")
	r.wantEvents("vc up 7", "recovery 7")
	r.write("b", remote, aliveAckHex) // nobody waits for it
	r.write("b", remote, reset101, block101, unblock, unblockOK)
	r.wantIdle()
	r.wantVCs(7, "UNBLOCKED")
	r.wantDrop("b", DropMode, 4)
	r.sleep(30*sec + 11*3*sec)
	r.wantVCs(7, "RECOVERING")
	r.wantEvents("vc down 7", "failure 7")
}

// Every state permits exactly what its row says, and each next state is
// reachable: a table that lost a row would fail here or above.
func TestTransitionOutsideTable(t *testing.T) {
	r := ipaRig(t)
	r.up()
	v := r.s.nses[101].vcs[0]
	v.to(stRecovering, r.now) // BLOCKED/RESET mode never recovers … but UNBLOCKED may
	r = ipaRig(t)
	v = r.s.nses[101].vcs[0]
	v.to(stUnblocked, r.now) // RESET to UNBLOCKED: not in the table
	if v.current() != stReset {
		t.Errorf("%v", v.current())
	}
}

func TestZeroTimerDoesNotSpin(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Timers = Timers{}
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "a", remote, 101))
	})
	r.frames()
	r.timer(sec)
	r.want(reset101)
}
