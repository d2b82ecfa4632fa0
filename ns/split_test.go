package ns

import (
	"testing"
)

// splitRig has NSE 101 with an NS-VC of RESET and BLOCK procedures on bind c,
// which has a socket for what is no user data.
func splitRig(t *testing.T) *rig {
	r := newRig(t, func(*Config) {})
	r.net.split = true
	r.edit(func(c *Config) {
		must(t, c.AddBind(LinkUDP, "c"))
		must(t, c.SetListen("c", ap("10.0.0.3:23000")))
		must(t, c.AddNSE(101, RoleBSS))
		must(t, ipaVC(c, 101, "c", remote, 101))
	})
	r.want(reset101)
	r.write("c", remote, resetAck101)
	r.want(unblock, alive)
	return r
}

const data1000 = "000003e801"

// User data that comes before the NS-UNBLOCK-ACK which the peer has sent before
// it waits for that.
func TestDataBeforeUnblockAck(t *testing.T) {
	r := splitRig(t)
	r.write("c", remote, data1000)
	r.wantIdle()
	r.wantEvents("new 101")
	r.write("c", remote, unblockOK)
	r.wantVCs(101, "UNBLOCKED")
	r.wantEvents("vc up 101", "recovery 101", "data 101/1000 01")
	r.wantDrop("c", DropBlocked, 0)
}

// It waits no longer than for one NS-UNBLOCK, and little of it; what the peer
// sends while it has the NS-VC blocked is refused at once.
func TestDataWithoutUnblockAck(t *testing.T) {
	r := splitRig(t)
	for range maxEarly {
		r.write("c", remote, data1000)
	}
	r.wantIdle()
	r.write("c", remote, data1000)
	r.want(blocked101)
	r.wantDrop("c", DropBlocked, 1)
	r.timer(3 * sec)
	r.frames()
	r.wantDrop("c", DropBlocked, 1+maxEarly)
	r.write("c", remote, unblockOK)
	r.wantVCs(101, "UNBLOCKED")
	r.write("c", remote, block101)
	r.frames()
	r.write("c", remote, data1000)
	r.want(blocked101)
	r.wantDrop("c", DropBlocked, 2+maxEarly)
}

func TestControlSocketIsShown(t *testing.T) {
	r := splitRig(t)
	for _, b := range r.s.Snapshot(r.now).Binds {
		if b.ControlSocket != (b.Name == "c") {
			t.Errorf("bind %s: control socket %v", b.Name, b.ControlSocket)
		}
	}
	if conns := r.s.binds["c"].conns; len(conns) != 3 {
		t.Errorf("%d sockets for two workers and the rest", len(conns))
	}
}
