package lab

import (
	"time"

	"poolgw/bssgp"
	"poolgw/ns"
)

// The BSS as the user of its NS stack and owner of its BVCs. Bring-up: NS
// recovers, BVCI 0 is reset, then each cell (TS 48.018 8.4), then flow control.

// NewNSE takes the only NSE of the stack.
func (b *bss) NewNSE(n *ns.NSE) any {
	b.nse = n
	return nil
}

// FreeNSE forgets it.
func (b *bss) FreeNSE(now time.Time, n *ns.NSE) {
	b.down(now)
	b.nse = nil
}

// Status brings the BVCs up and down with the NSE.
func (b *bss) Status(now time.Time, n *ns.NSE, ev ns.Event) {
	switch ev {
	case ns.EventRecovery:
		b.nse = n
		b.sig.Reset(now, bssgp.CauseOMIntervention)
	case ns.EventFailure:
		b.count.Failures++
		b.down(now)
	}
}

func (b *bss) down(now time.Time) {
	b.sig.Drop(now)
	for _, c := range b.order {
		c.bvc.Drop(now)
	}
}

// SendBVC sends a BVC management PDU.
func (b *bss) SendBVC(_ *bssgp.BVC, pdu []byte) { b.send(0, 0, pdu) }

func (b *bss) send(bvci uint16, lsp uint32, pdu []byte) bool {
	n := b.node.Load()
	return n != nil && b.nse != nil && n.stack.Send(b.nse, bvci, lsp, pdu)
}

// BVCReset follows a reset of BVCI 0 by one of each cell.
func (b *bss) BVCReset(now time.Time, v *bssgp.BVC, _ bssgp.Cause, locally bool) {
	switch {
	case v == b.sig:
		if !locally {
			b.count.SIGResets++
		}
		for _, c := range b.order {
			c.bvc.Reset(now, bssgp.CauseOMIntervention)
		}
	case !locally:
		b.count.PTPResets++
	}
}

// BVCStateChanged begins flow control when a cell comes up and ends it with the
// cell.
func (b *bss) BVCStateChanged(now time.Time, v *bssgp.BVC, _, to bssgp.BVCState) {
	c := b.cells[v.BVCI()]
	if c == nil {
		return
	}
	c.fcDue, c.fcAckd, c.fcAwaited = time.Time{}, false, false
	if to == bssgp.BVCUnblocked {
		b.flowControl(now, c)
	}
}

// BVCAlarm counts.
func (b *bss) BVCAlarm(time.Time, *bssgp.BVC, string) { b.count.Alarms++ }

// flowControl sends the cell's FLOW-CONTROL-BVC: 50 kbyte buckets, 100 kbit/s.
func (b *bss) flowControl(now time.Time, c *cell) {
	c.fcTag++
	c.fcDue = now.Add(b.cfg.FlowControl)
	c.fcAckd, c.fcAwaited = c.fcAckd && !c.fcAwaited, true
	b.count.FlowControls++
	f := bssgp.FlowControlBVC{Tag: c.fcTag, BucketSize: 50000, LeakRate: 100000,
		MSBmax: 5000, MSLeakRate: 20000}
	b.send(c.BVCI, 0, f.Append(nil))
}

// UnitData takes one BSSGP PDU.
func (b *bss) UnitData(now time.Time, n *ns.NSE, bvci uint16, pdu []byte) {
	kind := bssgp.KindOf(bvci)
	if e := bssgp.Check(pdu, bssgp.Downlink, kind); e != nil {
		b.count.Malformed++
		return
	}
	c := b.cells[bvci]
	if kind != bssgp.SIG && c == nil {
		b.count.UnknownBVC++
		return
	}
	t, _ := bssgp.Type(pdu)
	if h := bssHandlers[t]; h != nil {
		h(b, now, c, pdu)
		return
	}
	b.count.Others++
}

// expire runs the timers of BVCs, flow control, suspensions and subscribers.
func (b *bss) expire(now time.Time) {
	b.sig.Expire(now)
	for _, c := range b.order {
		c.bvc.Expire(now)
		if !c.fcDue.IsZero() && !c.fcDue.After(now) {
			b.flowControl(now, c)
		}
	}
	for m, ok := b.waits.next(now); ok; m, ok = b.waits.next(now) {
		b.suspensionDue(now, m)
	}
	for m, ok := b.timers.next(now); ok; m, ok = b.timers.next(now) {
		m.expire(now)
		if b.leaving != nil {
			b.handOver(m)
			continue
		}
		b.rearm(m)
	}
}

func (b *bss) deadline() time.Time {
	next := earliest(earliest(b.timers.first(), b.waits.first()), b.sig.Deadline())
	for _, c := range b.order {
		next = earliest(earliest(next, c.bvc.Deadline()), c.fcDue)
	}
	return next
}

// rearm notes the subscriber's next timer.
func (b *bss) rearm(m *ms) { b.timers.set(m, m.deadline()) }
