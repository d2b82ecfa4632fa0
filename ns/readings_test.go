package ns

import (
	"testing"
	"time"
)

// NS-VCs have names and numbers for statistics; the number is not used again.
func TestReadingsOfNSVCs(t *testing.T) {
	r := ipaRig(t)
	r.write("a", remote, resetAck101)
	r.sleep(40 * time.Millisecond)
	r.write("a", remote, aliveAckHex)
	first := r.s.Readings().VCs[0]
	if first.Index != 0 || first.AliveDelay != 40*time.Millisecond || first.Counters.PacketsIn != 2 {
		t.Errorf("%+v", first)
	}
	if want := "NSE00101-NSVC00101-UDP-10_0_0_1:23000-10_0_1_1:23000"; first.ID != want {
		t.Errorf("ID %s, want %s", first.ID, want)
	}
	n := r.s.NSE(101)
	r.s.deleteVC(n.vcs[0], r.now)
	r.s.newVC(n, r.s.binds["a"], ap("10.0.1.9:23000"), r.now)
	again := r.s.Readings()
	if again.VCs[0].Index != 1 || again.NSEs[0].Counters.PacketsIn != 2 {
		t.Errorf("%+v", again)
	}
}

// On a line that has no room signalling waits: that is the backlog.
// Facts: G9-09
func TestReadingsOfALine(t *testing.T) {
	r := frUp(t)
	read := r.s.Readings()
	if id := read.VCs[1].ID; id != "NSE00101-NSVC00502-FR-hdlc0-DLCI17" {
		t.Errorf("ID %s", id)
	}
	want := func(n int) {
		t.Helper()
		binds := r.s.Readings().Binds
		if b := binds[len(binds)-1]; b.Backlog != n || b.Name != "f" {
			t.Errorf("%+v, want a backlog of %d", b, n)
		}
	}
	r.net.busy = true
	for range 3 {
		r.s.Send(r.s.NSE(101), 0, 0, []byte{0xaa})
	}
	r.s.Flush()
	want(3)
	want(3) // they still wait
	r.net.busy = false
	r.s.Flush()
	want(3) // the most since the last reading
	want(0)
	r.frames()
}

// The state machines by the names that libosmogb has for them.
// Facts: G10-07
func TestMachines(t *testing.T) {
	r := ipaRig(t)
	r.sleep(time.Second)
	if m := r.s.Machines(r.now); len(m) != 1 || m[0].Class != "GPRS-NS2-VC" || m[0].State != "RESET" || m[0].Left != 2*time.Second {
		t.Errorf("%+v", m)
	}
	r.write("a", remote, resetAck101, unblockOK, aliveAckHex)
	if m := r.s.Machines(r.now); m[0].State != "UNBLOCKED" || m[0].Left >= 0 {
		t.Errorf("%+v", m)
	}
}
