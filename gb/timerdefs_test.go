package gb_test

import (
	"testing"
	"time"

	"poolgw/gb"
)

// timed is a configuration with timers as given.
func timed(sgsns int, timers map[gb.Timer]uint16) gb.Config {
	c := config(sgsns)
	for t, v := range timers {
		c.Timers[t] = v
	}
	return c
}

// setTimer changes one timer of a running gateway.
func (b *bed) setTimer(t gb.Timer, v uint16) {
	b.t.Helper()
	next := b.cfg.Clone()
	next.Timers[t] = v
	if err := b.gw.Apply(b.cfg, next, time.Now()); err != nil {
		b.t.Fatal(err)
	}
	b.cfg = next
}

// sentAfter wants a PDU of a type at each of the times, in seconds from now, and
// none between.
func (p *peer) sentAfter(typ string, seconds ...int) {
	p.t.Helper()
	for i, s := range seconds {
		last := 0
		if i > 0 {
			last = seconds[i-1]
		}
		time.Sleep(time.Duration(s-last)*time.Second - time.Millisecond)
		if in := p.taken(); len(in) != 0 {
			p.t.Errorf("before %d s: %v", s, in)
		}
		time.Sleep(time.Millisecond)
		if in := p.taken(); len(in) != 1 || in[0].pdu[:2] != typ {
			p.t.Errorf("at %d s: %v", s, in)
		}
	}
}

// T2 with its retries, the alarm and the back-off are as configured, and change
// with the next attempt.
// Facts: G-38
func TestTimerT2(t *testing.T) {
	c := timed(1, map[gb.Timer]uint16{gb.TimerT2: 3, gb.TimerResetRetries: 1, gb.TimerMaxBackoff: 10})
	run(t, c, func(b *bed) {
		b.at(101).set(false, true)
		b.add(2001, false).start()
		b.at(2001).sig("2204820000078108")
		b.at(2001).sig("220482" + "4e2b" + "0781080888" + cell20011.id)
		b.clear() // the first BVC-RESET went to the SGSN
		b.at(101).sentAfter("22", 3)
		if n := b.snapshot().Alarms; n != 0 {
			t.Errorf("%d alarms before the retries were used up", n)
		}
		b.at(101).sentAfter("22", 3)
		if n := b.snapshot().Alarms; n != 1 {
			t.Errorf("%d alarms", n)
		}
		b.at(101).sentAfter("22", 6, 16, 26)
		b.setTimer(gb.TimerMaxBackoff, 1)
		b.at(101).sentAfter("22", 10, 13, 16)
		b.setTimer(gb.TimerT2, 1)
		b.at(101).sentAfter("22", 3, 4, 5)
	})
}

// T1 and its retries, for blocking and unblocking each.
// Facts: G-38
func TestTimerT1(t *testing.T) {
	c := timed(1, map[gb.Timer]uint16{gb.TimerT1: 2, gb.TimerBlockRetries: 0, gb.TimerUnblockRetries: 2})
	run(t, c, func(b *bed) {
		bss := b.bss(2001, cell20011)
		b.clear()
		b.at(101).set(false, true)
		bss.sig("2004824e2b078101")
		b.clear()
		b.at(101).sentAfter("20", 2)
		if n := b.snapshot().Alarms; n != 1 {
			t.Errorf("%d alarms after BVC-BLOCK without retry", n)
		}
		b.at(101).sig("2104824e2b")
		bss.sig("2404824e2b")
		b.clear()
		b.at(101).sentAfter("24", 2, 4)
		if n := b.snapshot().Alarms; n != 1 {
			t.Errorf("%d alarms before the retries of BVC-UNBLOCK were used up", n)
		}
		b.at(101).sentAfter("24", 2)
		if n := b.snapshot().Alarms; n != 2 {
			t.Errorf("%d alarms", n)
		}
	})
}

// Each kind of answer finds back for as long as its own timer says.
// Facts: G-39
func TestTimerCacheLives(t *testing.T) {
	for _, c := range []struct {
		timer         gb.Timer
		asks, answers func(b *bed)
		gets          uint16
		reply         string
	}{
		{gb.TimerT3, func(b *bed) { b.at(2001).sig("0b" + suspendID) }, func(b *bed) { b.at(101).sig("0c" + suspendID + "1d8101") }, 2001, "0c" + suspendID + "1d8101"},
		{gb.TimerT4, func(b *bed) { b.at(2001).sig("0e" + suspendID + "1d8101") }, func(b *bed) { b.at(101).sig("0f" + suspendID) }, 2001, "0f" + suspendID},
		{gb.TimerPaging, func(b *bed) { b.at(101).sig(paging(false, "02810f")) }, func(b *bed) { b.at(2001).sig(rejectPS) }, 101, rejectPS},
		{gb.TimerEnquiry, func(b *bed) { b.at(2001).sig("14" + imsiIE) }, func(b *bed) { b.at(101).sig("15" + imsiIE) }, 2001, "15" + imsiIE},
	} {
		for _, life := range []uint16{4, 40} {
			name := gb.TimerDefs[c.timer].Name
			suite(t, timed(1, map[gb.Timer]uint16{c.timer: life}), func(b *bed) {
				for _, late := range []bool{false, true} {
					c.asks(b)
					wait := time.Duration(life)*time.Second - time.Millisecond
					if late {
						wait += 2 * time.Millisecond
					}
					time.Sleep(wait)
					b.clear()
					c.answers(b)
					if late {
						b.at(c.gets).want()
						continue
					}
					b.at(c.gets).want("0:" + c.reply)
				}
			})
			if t.Failed() {
				t.Fatalf("%s of %d s", name, life)
			}
		}
	}
}

// A life that is made shorter counts for what is asked from then on.
func TestTimerCacheLifeChanges(t *testing.T) {
	suite(t, config(1), func(b *bed) {
		suspend, ack := "0b"+suspendID, "0c"+suspendID+"1d8101"
		b.at(2001).sig(suspend)
		b.setTimer(gb.TimerT3, 2)
		time.Sleep(9 * time.Second)
		b.clear()
		b.at(101).sig(ack)
		b.at(2001).want("0:" + ack)
		b.at(2001).sig(suspend)
		time.Sleep(3 * time.Second)
		b.clear()
		if n := len(b.snapshot().TLLIs); n != 0 {
			t.Errorf("%d entries", n)
		}
		b.at(101).sig(ack)
		b.at(2001).want()
	})
}

// How long a subscriber without an owner stays with the SGSN that was seen
// sending to it: as configured, never shorter than T5, not at all with 0.
// Facts: G-39
func TestTimerPin(t *testing.T) {
	for _, c := range []struct{ pin, t5, lasts uint16 }{{20, 15, 20}, {200, 15, 200}, {5, 15, 15}, {5, 1, 5}, {0, 15, 0}} {
		suite(t, timed(2, map[gb.Timer]uint16{gb.TimerPin: c.pin, gb.TimerT5: c.t5}), func(b *bed) {
			const tlli = 0x78001234
			chosen := goesTo(b, tlli)
			other := 203 - chosen
			for _, after := range []uint16{c.lasts, c.lasts + 1} {
				time.Sleep(time.Second) // entries tell whole seconds
				b.clear()
				b.at(other).send(20011, dl(tlli, "01"))
				time.Sleep(time.Duration(after) * time.Second)
				b.clear()
				want := other
				if after > c.lasts || c.lasts == 0 {
					want = chosen
				}
				if to := goesTo(b, tlli); to != want {
					t.Errorf("pin %d, T5 %d: after %d s to %d, want %d", c.pin, c.t5, after, to, want)
				}
			}
		})
	}
}
