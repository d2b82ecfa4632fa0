package lab

import (
	"time"

	"poolgw/bssgp"
	"poolgw/lab/gmm"
)

// The BSS as its subscribers see it.

func (b *bss) ready(m *ms) bool { return m.cell.bvc.State() == bssgp.BVCUnblocked }

func (b *bss) uplink(now time.Time, m *ms, tlli uint32, frame []byte) {
	if !b.ready(m) {
		b.count.NotReady++
		return
	}
	b.count.ULUnitdata++
	b.send(m.cell.BVCI, tlli, bssgp.AppendULUnitdata(nil, tlli, bssgp.QoS{0, 0, 4}, m.cell.id, frame))
}

func (b *bss) serving(imsi string) (uint16, bool) { return b.cfg.Register.Serving(imsi) }

func (b *bss) lost(nsei uint16) { b.lostBy[nsei]++ }

// answersTo keeps the two last TLLIs of a subscriber: the SGSN repeats an
// accept on the TLLI of the request.
func (b *bss) answersTo(m *ms, tlli uint32) {
	a := b.answers[m]
	if a[0] == tlli {
		return
	}
	if a[1] != 0 && b.byTLLI[a[1]] == m {
		delete(b.byTLLI, a[1])
	}
	b.answers[m] = [2]uint32{tlli, a[0]}
	b.byTLLI[tlli] = m
}

// move takes a subscriber to a cell drawn from all others; one of another BSS
// when its timer has run, see expire.
func (b *bss) move(now time.Time, m *ms) {
	p := b.places[b.rng.IntN(len(b.places))]
	from := m.cell.RAI
	switch {
	case p.bss == b && p.bvci == m.cell.BVCI, p.bss.node.Load() == nil:
		m.set(msMove, now, m.b.Move)
	case p.bss == b:
		m.cell = b.cells[p.bvci]
		m.arrived(now, gmm.RAI(from))
	default:
		b.leaving = &p
	}
}

// handOver gives a subscriber to another BSS's loop: from here on it is that
// one's. If the other stops now, the subscriber is gone with it.
func (b *bss) handOver(m *ms) {
	p := *b.leaving
	b.leaving = nil
	from := gmm.RAI(m.cell.RAI)
	b.forget(m)
	m.at = p.bss
	if n := p.bss.node.Load(); n != nil {
		n.post(func() { p.bss.adopt(time.Now(), m, p.bvci, from) })
	}
}

func (b *bss) forget(m *ms) {
	for _, tlli := range b.answers[m] {
		if b.byTLLI[tlli] == m {
			delete(b.byTLLI, tlli)
		}
	}
	delete(b.answers, m)
	delete(b.suspended, m)
	b.waits.set(m, time.Time{})
	delete(b.all, m.imsi)
	b.timers.set(m, time.Time{})
}

func (b *bss) adopt(now time.Time, m *ms, bvci uint16, from gmm.RAI) {
	m.cell = b.cells[bvci]
	b.all[m.imsi] = m
	b.answersTo(m, m.tlli)
	m.arrived(now, from)
	b.rearm(m)
}

// suspension is a SUSPEND, later a RESUME, of one subscriber (TS 48.018 7.4,
// 7.5).
type suspension struct {
	tlli   uint32
	resume bool
	ref    uint8
	tries  int
}

const (
	t3       = 500 * time.Millisecond // T3 and T4
	t3Tries  = 4                      // the first, and SUSPEND-RETRIES or RESUME-RETRIES
	noAnswer = 0xff                   // suspend reference of a SUSPEND without ACK
)

func (b *bss) suspend(now time.Time, m *ms) {
	b.suspended[m] = &suspension{tlli: m.tlli, ref: noAnswer}
	b.suspensionDue(now, m)
}

func (b *bss) resume(now time.Time, m *ms) {
	s := b.suspended[m]
	if s == nil || s.tlli != m.tlli { // refused, unanswered, or another TLLI since
		return
	}
	s.resume, s.tries = true, 0
	b.suspensionDue(now, m)
}

// suspensionDue sends the SUSPEND or RESUME, again until its tries are used up.
func (b *bss) suspensionDue(now time.Time, m *ms) {
	s := b.suspended[m]
	if s == nil {
		return
	}
	if s.tries == t3Tries {
		b.count.SuspendUnanswered++
		delete(b.suspended, m)
		return
	}
	s.tries++
	b.waits.set(m, now.Add(t3))
	if s.resume {
		b.send(0, s.tlli, bssgp.AppendResume(nil, s.tlli, m.cell.RAI, s.ref))
		return
	}
	b.send(0, s.tlli, bssgp.AppendSuspend(nil, s.tlli, m.cell.RAI))
}

// answered ends the wait for an answer to a SUSPEND or RESUME; nil: nobody
// waits for it.
func (b *bss) answered(pdu []byte, resume bool) (*ms, *suspension) {
	tlli, _ := bssgp.ReadTLLI(pdu)
	m := b.byTLLI[tlli]
	s := b.suspended[m]
	if s == nil || s.resume != resume || s.tlli != tlli {
		return nil, nil
	}
	b.waits.set(m, time.Time{})
	return m, s
}

func (b *bss) rxSuspendAck(now time.Time, _ *cell, pdu []byte) {
	_, s := b.answered(pdu, false)
	if s == nil {
		return
	}
	b.count.SuspendAcks++
	if v, ok := bssgp.Find(pdu, bssgp.IESuspendReferenceNumber); ok && len(v) > 0 {
		s.ref = v[0]
	}
}

func (b *bss) rxSuspendNack(now time.Time, _ *cell, pdu []byte) {
	b.endSuspension(pdu, false, &b.count.SuspendNacks)
}

func (b *bss) rxResumeAck(now time.Time, _ *cell, pdu []byte) {
	b.endSuspension(pdu, true, &b.count.ResumeAcks)
}

func (b *bss) rxResumeNack(now time.Time, _ *cell, pdu []byte) {
	b.endSuspension(pdu, true, &b.count.ResumeNacks)
}

func (b *bss) endSuspension(pdu []byte, resume bool, counter *uint64) {
	if m, s := b.answered(pdu, resume); s != nil {
		*counter++
		delete(b.suspended, m)
	}
}
