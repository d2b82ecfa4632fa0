package gb_test

import (
	"testing"
	"time"
)

// goesTo sends user data of a TLLI and tells which SGSN got it.
func goesTo(b *bed, tlli uint32) uint16 {
	pdu := ul(tlli, cell20011, "01")
	b.at(2001).send(20011, pdu)
	for _, s := range b.cfg.SGSNs {
		if len(b.at(s.NSEI).taken()) == 1 {
			return s.NSEI
		}
	}
	return 0
}

// An SGSN's downlink pins a subscriber that nobody owns to it, for 75 s.
// Facts: G-12
func TestDownlinkPins(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		const tlli = 0x78001234
		first := goesTo(b, tlli)
		other := 203 - first
		time.Sleep(80 * time.Second)
		b.clear()
		b.at(other).send(20011, dl(tlli, "01"))
		b.clear()
		if to := goesTo(b, tlli); to != other {
			t.Errorf("to %d, but %d had just sent to it", to, other)
		}
		a := b.snapshot()
		if a.Pool.Reasons["pinned"] != 1 {
			t.Errorf("%v", a.Pool.Reasons)
		}
		time.Sleep(80 * time.Second)
		b.clear()
		if to := goesTo(b, tlli); to != first {
			t.Errorf("to %d after the pin had ended", to)
		}
	})
}

// A drained SGSN keeps who is attaching; afterwards they go elsewhere.
// Facts: G-11
func TestPinOutlivesDrain(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		const tlli = 0x78001234
		first := goesTo(b, tlli)
		next := b.cfg.Clone()
		next.SGSNs[first-101].AllowAttach = false
		if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
			t.Fatal(err)
		}
		if to := goesTo(b, tlli); to != first {
			t.Errorf("to %d, the attach had begun at %d", to, first)
		}
		time.Sleep(80 * time.Second)
		b.clear()
		if to := goesTo(b, tlli); to != 203-first {
			t.Errorf("to %d, which is drained", to)
		}
	})
}

func TestBoundAndActive(t *testing.T) {
	suite(t, config(2), func(b *bed) {
		for i := range uint32(5) {
			goesTo(b, tlliOf(3, i))
		}
		goesTo(b, tlliOf(3, 1)&^0x40000000) // the same subscriber's foreign TLLI
		m := b.snapshot().Pool.SGSNs[0]
		if m.Bound != 5 || m.Active != 5 || m.LastSeen.IsZero() {
			t.Errorf("%+v", m)
		}
		time.Sleep(6 * time.Minute)
		if m = b.snapshot().Pool.SGSNs[0]; m.Bound != 5 || m.Active != 0 {
			t.Errorf("after 6 minutes: %d bound, %d active", m.Bound, m.Active)
		}
		time.Sleep(time.Hour)
		if m = b.snapshot().Pool.SGSNs[0]; m.Bound != 0 {
			t.Errorf("after the window: %d bound", m.Bound)
		}
	})
}
