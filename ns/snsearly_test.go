package ns

import (
	"slices"
	"testing"
)

// twoEndpoints is a stack whose BSSs are told of both binds.
func twoEndpoints(t *testing.T) *rig {
	return newRig(t, func(c *Config) {
		must(t, c.SetAcceptSNS("b", true))
		must(t, c.AddDefaultBind("b"))
		must(t, c.AddDefaultBind("a"))
	})
}

func (r *rig) dropped(bind string, why Drop) (n uint64) {
	r.t.Helper()
	for _, b := range r.s.Snapshot(r.now).Binds {
		if b.Name == bind {
			n = b.Dropped[why.String()]
		}
	}
	return n
}

const bvcReset = "000000002204820000078108" // of BVCI 0, in an NS-UNITDATA

// What a BSS sends to one bind is read before its SNS-CONFIG-ACK on the other:
// it is answered, and in its order, as soon as the answer is there.
func TestSNSEarlyDatagramsWait(t *testing.T) {
	r := twoEndpoints(t)
	r.write("b", bss, size2001, conf2001)
	r.frames()
	r.events = nil
	r.write("a", bss, "0a", bvcReset)
	r.wantIdle()
	r.wantEvents()
	r.write("b", bss, confAck)
	if got := r.frames(); !slices.ContainsFunc(got, func(f frame) bool { return f.String() == "10.0.0.1:23000>10.0.2.1:23000 0b" }) {
		t.Errorf("NS-ALIVE is not answered: %v", got)
	}
	if n := len(r.events); n == 0 || r.events[n-1] != "data 2001/0 2204820000078108" || !slices.Contains(r.events, "recovery 2001") {
		t.Errorf("the BVC-RESET is not the last thing told: %v", r.events)
	}
	r.wantVCs(2001, "UNBLOCKED", "UNBLOCKED")
	if n := r.dropped("a", DropState) + r.dropped("a", DropBlocked); n != 0 {
		t.Errorf("%d datagrams were dropped", n)
	}
	r.events = nil
	r.write("a", bss, bvcReset)
	r.wantEvents("data 2001/0 2204820000078108") // once each
}

// No more than eight wait, not beyond a repetition of our SNS-CONFIG, and not
// beyond their NSE; what does not wait is counted.
func TestSNSEarlyDatagramsAreBounded(t *testing.T) {
	flood := slices.Repeat([]string{bvcReset}, 20)
	early := func() *rig {
		r := twoEndpoints(t)
		r.write("b", bss, size2001, conf2001)
		r.write("a", bss, flood...)
		r.events = nil
		return r
	}
	data := func(r *rig) (n int) {
		for _, e := range r.events {
			if e == "data 2001/0 2204820000078108" {
				n++
			}
		}
		return n
	}
	r := early()
	r.write("b", bss, confAck)
	if n := data(r); n != 8 || r.dropped("a", DropBlocked) != 12 {
		t.Errorf("%d of 20 were kept, %d dropped", n, r.dropped("a", DropBlocked))
	}

	r = early()
	r.timer(3 * sec) // our SNS-CONFIG is repeated
	r.write("b", bss, confAck)
	if n := data(r); n != 0 || r.dropped("a", DropState) != 8 {
		t.Errorf("%d came late, %d dropped", n, r.dropped("a", DropState))
	}

	r = early()
	r.write("b", bss, size2001, conf2001, confAck) // the BSS begins anew
	if n := data(r); n != 0 || r.dropped("a", DropState) != 8 {
		t.Errorf("%d of the BSS's former life, %d dropped", n, r.dropped("a", DropState))
	}

	r = early()
	r.edit(func(c *Config) { must(t, c.ClearListen("a")) })
	r.write("b", bss, confAck)
	if n := data(r); n != 0 {
		t.Errorf("%d of a bind that is gone", n)
	}
}
