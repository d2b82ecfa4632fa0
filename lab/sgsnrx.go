package lab

import (
	"time"

	"poolgw/bssgp"
	"poolgw/lab/llc"
)

// sgsnHandlers are the PDUs an SGSN takes from its BSSs.
var sgsnHandlers map[bssgp.PDUType]func(c *sgsn, now time.Time, p *peer, bvci uint16, pdu []byte)

func init() {
	sgsnHandlers = map[bssgp.PDUType]func(c *sgsn, now time.Time, p *peer, bvci uint16, pdu []byte){
		bssgp.TypeULUnitdata:     (*sgsn).rxUnitdata,
		bssgp.TypeFlowControlBVC: (*sgsn).rxFlowControl,
		bssgp.TypeSuspend:        (*sgsn).rxSuspend,
		bssgp.TypeResume:         (*sgsn).rxResume,
		bssgp.TypeFlushLLAck:     justCount(func(c *SGSNCounters) *uint64 { return &c.FlushAcks }),
		bssgp.TypeLLCDiscarded:   justCount(func(c *SGSNCounters) *uint64 { return &c.LLCDiscarded }),
		bssgp.TypeRadioStatus:    justCount(func(c *SGSNCounters) *uint64 { return &c.RadioStatuses }),
		bssgp.TypeStatus:         justCount(func(c *SGSNCounters) *uint64 { return &c.Statuses }),
		bssgp.TypeBVCReset:       (*sgsn).rxBVC,
		bssgp.TypeBVCResetAck:    (*sgsn).rxBVC,
		bssgp.TypeBVCBlock:       (*sgsn).rxBVC,
		bssgp.TypeBVCUnblock:     (*sgsn).rxBVC,
	}
}

// justCount is the handler of a PDU that is only counted.
func justCount(which func(*SGSNCounters) *uint64) func(*sgsn, time.Time, *peer, uint16, []byte) {
	return func(c *sgsn, _ time.Time, _ *peer, _ uint16, _ []byte) { *which(&c.count)++ }
}

// rxBVC gives a BVC management PDU to its machine.
func (c *sgsn) rxBVC(now time.Time, p *peer, _ uint16, pdu []byte) {
	bvci, _ := bssgp.ReadBVCI(pdu)
	v := p.sig
	if bvci != 0 {
		cell := p.cellFor(bvci, pdu)
		if cell == nil {
			c.count.UnknownBVC++
			p.status(bssgp.CauseBVCIUnknown, bvci, pdu)
			return
		}
		v = cell.bvc
	}
	if _, e := v.Recv(now, pdu); e != nil {
		c.count.Malformed++
		p.status(e.Cause, bvci, pdu)
	}
}

func (c *sgsn) rxFlowControl(now time.Time, p *peer, bvci uint16, pdu []byte) {
	tag, _ := bssgp.ReadTag(pdu)
	c.count.FlowControls++
	p.cells[bvci].flowControl = true
	p.send(bvci, 0, bssgp.AppendFlowControlBVCAck(nil, tag))
}

func (c *sgsn) rxSuspend(now time.Time, p *peer, _ uint16, pdu []byte) {
	tlli, _ := bssgp.ReadTLLI(pdu)
	rai, _ := bssgp.ReadRAI(pdu)
	c.watch(now, tlli, 0)
	x := c.lookup(tlli)
	if x == nil || !x.attached() {
		c.count.SuspNacks++
		p.send(0, tlli, bssgp.AppendSuspendNack(nil, tlli, rai, bssgp.CauseUnknownMS))
		return
	}
	c.count.Suspends++
	if !x.suspended {
		x.suspended = true
		x.suspRef++
	}
	p.send(0, tlli, bssgp.AppendSuspendAck(nil, tlli, rai, x.suspRef))
}

func (c *sgsn) rxResume(now time.Time, p *peer, _ uint16, pdu []byte) {
	tlli, _ := bssgp.ReadTLLI(pdu)
	rai, _ := bssgp.ReadRAI(pdu)
	c.watch(now, tlli, 0)
	x := c.lookup(tlli)
	if x == nil || !x.attached() {
		c.count.SuspNacks++
		p.send(0, tlli, bssgp.AppendResumeNack(nil, tlli, rai, bssgp.CauseUnknownMS))
		return
	}
	c.count.Resumes++
	x.suspended = false
	p.send(0, tlli, bssgp.AppendResumeAck(nil, tlli, rai))
}

// uplink is where and from whom an uplink frame came.
type uplink struct {
	peer *peer
	bvci uint16
	tlli uint32
	cell bssgp.CellID
}

func (c *sgsn) rxUnitdata(now time.Time, p *peer, bvci uint16, pdu []byte) {
	c.count.ULUnitdata++
	l := &uplink{peer: p, bvci: bvci}
	l.tlli, _ = bssgp.ReadTLLI(pdu)
	l.cell, _ = bssgp.ReadCellID(pdu)
	c.watch(now, l.tlli, bvci)
	frame, _ := bssgp.ReadLLC(pdu)
	u, err := llc.Parse(frame)
	if err != nil {
		c.count.Malformed++
		return
	}
	if u.SAPI == llc.SAPIGMM {
		c.rxGMM(now, l, u.Info)
		return
	}
	c.rxData(now, l, u.Info)
}

// watch records an uplink PDU of a subscriber, and whether it should have gone
// elsewhere.
func (c *sgsn) watch(now time.Time, tlli uint32, bvci uint16) {
	c.cfg.Register.saw(tlli, c.cfg.NSEI, now)
	if !c.cfg.Register.wrong(tlli, c.cfg.NSEI, now) {
		return
	}
	c.count.WrongSGSN++
	if len(c.strays) < maxStrays {
		c.strays = append(c.strays, Stray{now, tlli, bvci})
	}
}

// rxData answers an echo request; an empty frame is a cell update or the answer
// to a paging. A stranger is told to attach anew.
func (c *sgsn) rxData(now time.Time, l *uplink, sdu []byte) {
	x := c.lookup(l.tlli)
	if x == nil || !x.attached() {
		c.stranger(l)
		return
	}
	c.confirm(now, x, l)
	c.moveTo(x, l)
	c.heard(now, x)
	if x.paging {
		x.paging = false
		c.count.PagingsAnswered++
	}
	if len(sdu) == 0 {
		return
	}
	p, err := parsePing(sdu)
	if err != nil || p.reply {
		c.count.Malformed++
		return
	}
	if p.seq < x.lastSeq {
		c.count.Disordered++
	}
	x.lastSeq = max(x.lastSeq, p.seq)
	c.count.Echoes++
	p.reply, p.sgsn = true, c.cfg.NSEI
	c.llc(x, llc.SAPILL3, p.append(nil))
}

// page pages a registered subscriber in its routing area.
func (c *sgsn) page(x *mmContext) bool {
	imsi, ok := bssgp.ParseIMSI(x.imsi)
	if !ok || x.suspended || x.at.sig.State() != bssgp.BVCUnblocked {
		return false
	}
	rai := x.cell.RAI()
	pg := bssgp.Paging{IMSI: imsi, Area: bssgp.Area{RAI: &rai}, QoS: bssgp.QoS{0, 0, 4}}
	if x.hasPTMSI && !x.hasFormr {
		pg.TMSI = &x.ptmsi
	}
	x.paging = true
	c.count.Pagings++
	return x.at.send(0, 0, pg.AppendPS(nil))
}
