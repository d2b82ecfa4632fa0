package lab

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"poolgw/bssgp"
	"poolgw/nri"
)

// bssHandlers are the PDUs a BSS takes from its SGSN; c is the cell of the
// BVCI, nil for BVCI 0.
var bssHandlers map[bssgp.PDUType]func(b *bss, now time.Time, c *cell, pdu []byte)

func init() {
	bssHandlers = map[bssgp.PDUType]func(b *bss, now time.Time, c *cell, pdu []byte){
		bssgp.TypeDLUnitdata:        (*bss).rxUnitdata,
		bssgp.TypePagingPS:          (*bss).rxPaging,
		bssgp.TypeFlushLL:           (*bss).rxFlush,
		bssgp.TypeSuspendAck:        (*bss).rxSuspendAck,
		bssgp.TypeSuspendNack:       (*bss).rxSuspendNack,
		bssgp.TypeResumeAck:         (*bss).rxResumeAck,
		bssgp.TypeResumeNack:        (*bss).rxResumeNack,
		bssgp.TypeFlowControlBVCAck: (*bss).rxFlowControlAck,
		bssgp.TypeStatus:            (*bss).rxStatus,
		bssgp.TypeBVCReset:          (*bss).rxBVC,
		bssgp.TypeBVCResetAck:       (*bss).rxBVC,
		bssgp.TypeBVCBlockAck:       (*bss).rxBVC,
		bssgp.TypeBVCUnblockAck:     (*bss).rxBVC,
	}
}

func (b *bss) rxUnitdata(now time.Time, c *cell, pdu []byte) {
	b.count.DLUnitdata++
	tlli, _ := bssgp.ReadTLLI(pdu)
	frame, _ := bssgp.ReadLLC(pdu)
	m := b.byTLLI[tlli]
	switch {
	case m == nil:
		b.count.UnknownTLLI++
	case m.cell != c:
		b.count.WrongCell++
	default:
		m.downlink(now, frame)
		b.rearm(m)
	}
}

// rxPaging pages by P-TMSI, else by IMSI, in the area that the PDU names.
func (b *bss) rxPaging(now time.Time, c *cell, pdu []byte) {
	b.count.Pagings++
	m := b.pagedMS(pdu)
	if m == nil || !b.inArea(m.cell, c, pdu) {
		b.count.PagingsUnmatched++
		return
	}
	m.paged(now)
	b.rearm(m)
}

func (b *bss) pagedMS(pdu []byte) *ms {
	if tmsi, ok := bssgp.ReadTMSI(pdu); ok {
		return b.byTLLI[nri.LocalTLLI(tmsi)]
	}
	imsi, _ := bssgp.ReadIMSI(pdu)
	return b.all[imsi.String()]
}

// inArea tells whether a subscriber in cell at is paged: on the PTP BVC of its
// cell, or in the area named.
func (b *bss) inArea(at, ptp *cell, pdu []byte) bool {
	if ptp != nil {
		return at == ptp
	}
	if bvci, ok := bssgp.ReadBVCI(pdu); ok {
		return at.BVCI == bvci
	}
	if rai, ok := bssgp.ReadRAI(pdu); ok {
		return at.RAI == rai
	}
	if lai, ok := bssgp.ReadLAI(pdu); ok {
		return at.RAI.LAI() == lai
	}
	return true
}

// rxFlush acknowledges; there is no queue to delete or move (TS 48.018 8.1).
func (b *bss) rxFlush(now time.Time, c *cell, pdu []byte) {
	b.count.Flushes++
	a := bssgp.FlushLLAck{Action: bssgp.FlushDeleted}
	a.TLLI, _ = bssgp.ReadTLLI(pdu)
	if bvci, ok := bssgp.ReadNewBVCI(pdu); ok {
		a.Action, a.NewBVCI = bssgp.FlushTransferred, &bvci
	}
	b.send(0, a.TLLI, a.Append(nil))
}

func (b *bss) rxFlowControlAck(now time.Time, c *cell, pdu []byte) {
	if tag, ok := bssgp.ReadTag(pdu); ok && c != nil && tag == c.fcTag && !c.fcDue.IsZero() {
		b.count.FlowAcks++
		c.fcAckd, c.fcAwaited = true, false
	}
}

// rxStatus resets a BVC that the peer does not know (TS 48.018 8.3.3.3).
func (b *bss) rxStatus(now time.Time, _ *cell, pdu []byte) {
	b.count.Statuses++
	cause, _ := bssgp.ReadCause(pdu)
	bvci, ok := bssgp.ReadBVCI(pdu)
	if c := b.cells[bvci]; ok && cause == bssgp.CauseBVCIUnknown && c != nil {
		c.bvc.Reset(now, bssgp.CauseOMIntervention)
	}
}

// rxBVC gives a BVC management PDU to its machine.
func (b *bss) rxBVC(now time.Time, _ *cell, pdu []byte) {
	bvci, _ := bssgp.ReadBVCI(pdu)
	v := b.sig
	if c := b.cells[bvci]; c != nil {
		v = c.bvc
	} else if bvci != 0 {
		b.count.UnknownBVC++
		return
	}
	if _, e := v.Recv(now, pdu); e != nil {
		b.count.Malformed++
	}
}

// sorted lists the subscribers by their numbers.
func (b *bss) sorted() []*ms {
	return slices.SortedFunc(maps.Values(b.all), func(x, y *ms) int { return cmp.Compare(x.id, y.id) })
}
