package ns

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"time"
)

// path is where a datagram came from: a bind and a remote.
type path struct {
	bind   *bind
	remote netip.AddrPort
}

// receive deals with one datagram in the loop.
func (s *Stack) receive(now time.Time, b *bind, from netip.AddrPort, dgram []byte) {
	if b.closed {
		b.drop(DropClosed)
		return
	}
	if len(dgram) == 0 {
		b.drop(DropShort)
		return
	}
	if b.isLMI(from) {
		b.fr.receive(now, dgram)
		return
	}
	src := path{b, from}
	v := b.vcs[from]
	if v != nil && v.awaited && v.nse.sns.keep(src, dgram) {
		return
	}
	if v != nil && PDUType(dgram[0]) == PDUUnitdata && len(dgram) >= unitdataHeader {
		s.rxUnitdata(now, v, dgram)
		return
	}
	p, err := Parse(dgram)
	s.trace("received", src, &p)
	if v != nil && err == nil && s.givesWay(v, &p) {
		s.clear(v, now)
		v = nil
	}
	if v == nil {
		s.receiveUnknown(now, src, &p, err, dgram)
		return
	}
	if err != nil {
		s.refuse(now, src, &p, err, dgram)
		return
	}
	if p.Type >= PDUSNSAck {
		s.rxSNS(now, src, v, &p, dgram)
		return
	}
	s.rxVC(now, v, &p)
}

// refuse answers a PDU that Parse refused, TS 48.016 8: a STATUS never is
// answered, and never has an effect.
func (s *Stack) refuse(now time.Time, src path, p *PDU, err error, dgram []byte) {
	src.bind.drop(DropMalformed)
	s.warn(now, "malformed NS PDU", append(src.named(), "err", err)...)
	var pe *PDUError
	if p.Type != PDUStatus && errors.As(err, &pe) {
		s.sendStatus(now, src, buildStatus(pe.Cause, dgram))
	}
}

// sendStatus sends an NS-STATUS, at a bounded rate per bind.
func (s *Stack) sendStatus(now time.Time, to path, p PDU) {
	if !to.bind.status.AllowN(now, 1) {
		to.bind.drop(DropStatusRate)
		return
	}
	s.sendPDU(to.bind, to.remote, to.bind.vcs[to.remote], &p)
}

// rxUnitdata delivers user data and signalling that came to the loop.
func (s *Stack) rxUnitdata(now time.Time, v *VC, dgram []byte) {
	src := path{v.bind, v.remote}
	if !v.takesData() {
		if v.awaitUnblock(src, dgram) {
			return
		}
		v.bind.drop(DropBlocked)
		if v.resetMode() && v.current() == stBlocked {
			s.sendStatus(now, src, buildStatusVC(CauseBlocked, v.nsvci))
		}
		return
	}
	s.upper.UnitData(now, v.nse, binary.BigEndian.Uint16(dgram[2:]), dgram[unitdataHeader:])
}

// vcPDUs says which event of the machine a PDU is, and whether only NS-VCs
// with RESET and BLOCK procedures take it.
var vcPDUs = [...]struct {
	event     vcEvent
	resetMode bool
}{
	PDUReset:      {evReset, true},
	PDUResetAck:   {evResetAck, true},
	PDUBlock:      {evBlock, true},
	PDUBlockAck:   {evBlockAck, true},
	PDUUnblock:    {evUnblock, true},
	PDUUnblockAck: {evUnblockAck, true},
	PDUStatus:     {},
	PDUAlive:      {evAlive, false},
	PDUAliveAck:   {evAliveAck, false},
}

// rxVC gives a PDU to the machine of its NS-VC.
func (s *Stack) rxVC(now time.Time, v *VC, p *PDU) {
	row := vcPDUs[p.Type]
	if row.resetMode && !v.resetMode() {
		v.bind.drop(DropMode)
		return
	}
	switch p.Type {
	case PDUStatus:
		s.rxStatus(now, v, p)
		return
	case PDUReset, PDUResetAck:
		if !s.idsMatch(v, p) {
			return
		}
	case PDUBlock, PDUBlockAck:
		s.rxBlockPDU(now, v, p, row.event)
		return
	}
	if !v.event(now, row.event) {
		v.bind.drop(DropState)
	}
}

// idsMatch checks NSEI and NSVCI. A RESET with others is answered with ours,
// so that the peer sees the fault, and has no effect (TS 48.016 7.3.1).
func (s *Stack) idsMatch(v *VC, p *PDU) bool {
	if p.NSEI == v.nse.nsei && p.NSVCI == v.nsvci {
		return true
	}
	if p.NSEI != v.nse.nsei {
		v.events.InvalidNSEI++
	}
	if p.NSVCI != v.nsvci {
		v.events.InvalidNSVCI++
	}
	v.bind.drop(DropWrongID)
	if p.Type == PDUReset {
		v.send(buildResetAck(v.nsvci, v.nse.nsei))
	}
	return false
}

// rxBlockPDU: BLOCK and its ACK name an NS-VC, which may be another one of the
// same NSE than that on which they came (TS 48.016 7.2.1).
func (s *Stack) rxBlockPDU(now time.Time, v *VC, p *PDU, ev vcEvent) {
	target := v.nse.vcByNSVCI(p.NSVCI)
	if target == nil {
		v.events.InvalidNSVCI++
		v.bind.drop(DropWrongID)
		if p.Type == PDUBlock && !s.knownNSVCI(p.NSVCI) {
			s.sendStatus(now, path{v.bind, v.remote}, buildStatusVC(CauseUnknownVC, p.NSVCI))
		}
		return
	}
	if vcRows[target.current()].on[ev] == nil {
		v.bind.drop(DropState)
		return
	}
	if p.Type == PDUBlock {
		v.send(buildBlockAck(p.NSVCI))
	}
	target.event(now, ev)
}

func (s *Stack) knownNSVCI(nsvci uint16) bool { return s.vcOfNSVCI(nsvci) != nil }

// rxStatus: only the two causes about an NS-VC have an effect. The NSVCI says which
// NS-VC is meant (9.2.7.1); where NS-VCs have none, it is the one that the STATUS
// came on: the peer knows but its two endpoints.
func (s *Stack) rxStatus(now time.Time, v *VC, p *PDU) {
	unnamed := p.Cause == CauseUnknownVC && !p.Has.Has(IENSVCI)
	if unnamed && v.resetMode() {
		s.refuse(now, path{v.bind, v.remote}, p, p.fail(CauseMissingEssentialIE, IENSVCI), nil)
		return
	}
	s.warn(now, "NS-STATUS received", "nsvc", v, "cause", p.Cause.String())
	ev := evStatusBlocked
	switch p.Cause {
	case CauseBlocked:
	case CauseUnknownVC:
		ev = evStatusUnknown
	default:
		return
	}
	target := v
	if !unnamed {
		target = v.nse.vcByNSVCI(p.NSVCI)
	}
	if target == nil {
		v.bind.drop(DropWrongID)
		return
	}
	if !target.event(now, ev) {
		v.bind.drop(DropState)
	}
}
