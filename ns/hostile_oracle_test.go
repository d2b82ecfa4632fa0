package ns

import (
	"slices"
)

// verdict is the cause with which TS 48.016 8 refuses a PDU's form; ok when it
// does not. It knows the PDU as a list; one that was cut is judged as octets.
func (p hostilePDU) verdict() (c Cause, ok bool) {
	d := p.typ.def()
	switch {
	case d == nil:
		return CauseNotCompatible, false
	case d.bare:
		return CauseProtocolError, len(p.rest) == 0
	case p.rest != nil && d.head != headUnitdata:
		return p.verdictOfCut(d)
	case d.head == headUnitdata:
		return CauseProtocolError, len(p.octets()) >= unitdataHeader
	}
	return p.judge(d, p.ies)
}

// judge looks at whole IEs.
func (p hostilePDU) judge(d *pduDef, list []hostileIE) (Cause, bool) {
	var seen IESet
	for _, ie := range list {
		if ie.id > IEIPAddress || seen.Has(ie.id) {
			continue
		}
		good := len(ie.val) >= 2
		switch ie.id {
		case IECause, IEResetFlag:
			good = len(ie.val) >= 1
		case IENSPDU:
			good = true
		case IEIPv4List:
			good = len(ie.val) > 0 && len(ie.val)%8 == 0
		}
		if !good {
			return CauseInvalidEssentialIE, false
		}
		seen |= ies(ie.id)
	}
	if d.must&^seen != 0 {
		return CauseMissingEssentialIE, false
	}
	if p.typ == PDUStatus && len(list) > 0 {
		i := slices.IndexFunc(list, func(ie hostileIE) bool { return ie.id == IECause })
		switch c := Cause(list[i].val[0]); {
		case c == CauseUnknownVC && p.unnamed:
		case (c == CauseBlocked || c == CauseUnknownVC) && !seen.Has(IENSVCI):
			return CauseMissingEssentialIE, false
		case c == CauseNotCompatible && !seen.Has(IENSPDU):
			return CauseMissingEssentialIE, false
		}
	}
	return 0, true
}

// verdictOfCut reads the IEs of a PDU that was cut somewhere, by the lengths
// that they tell.
func (p hostilePDU) verdictOfCut(d *pduDef) (Cause, bool) {
	b := p.rest
	if d.head == headEndFlag {
		if len(b) == 0 {
			return CauseMissingEssentialIE, false
		}
		b = b[1:]
	}
	var list []hostileIE
	for len(b) > 0 {
		lengths := map[IEI]int{IEMaxNSVCs: 2, IEIPv4Count: 2, IEIPv6Count: 2, IEResetFlag: 1, IEIPAddress: 5}
		n, fixed := lengths[IEI(b[0])]
		at := 1
		if !fixed && len(b) > 1 {
			n, at = int(b[1]&0x7f), 2
		}
		if len(b) < 2 || len(b) < at+n {
			return CauseProtocolError, false
		}
		ie := hostileIE{id: IEI(b[0]), val: b[at : at+n]}
		list = append(list, ie)
		if b = b[at+n:]; ie.id == IENSEI && d.transID {
			if len(b) == 0 {
				return CauseMissingEssentialIE, false
			}
			b = b[1:]
		}
	}
	return p.judge(d, list)
}

// replies lists the PDUs that a correct one may bring about, on its path.
var replies = map[PDUType][]PDUType{
	PDUReset:     {PDUResetAck, PDUAlive, PDUUnblock, PDUBlock, PDUStatus},
	PDUResetAck:  {PDUAlive, PDUUnblock, PDUBlock},
	PDUBlock:     {PDUBlockAck, PDUAlive, PDUStatus},
	PDUBlockAck:  {},
	PDUUnblock:   {PDUUnblockAck, PDUBlock},
	PDUUnitdata:  {PDUStatus},
	PDUStatus:    {PDUReset, PDUUnblock, PDUBlock, PDUAlive, PDUSNSSize},
	PDUAlive:     {PDUAliveAck, PDUStatus, PDUAlive},
	PDUSNSSize:   {PDUSNSSizeAck, PDUStatus},
	PDUSNSConfig: {PDUSNSConfigAck, PDUSNSConfig, PDUAlive, PDUStatus, PDUSNSSize}, PDUSNSConfigAck: {PDUAlive},
	PDUSNSSizeAck: {PDUSNSConfig}, PDUSNSAdd: {PDUSNSAck, PDUAlive, PDUStatus},
	PDUSNSDelete:       {PDUSNSAck, PDUStatus, PDUSNSSize},
	PDUSNSChangeWeight: {PDUSNSAck, PDUStatus, PDUSNSSize},
}

// silent are the PDUs that strangers get no answer to, however bad: answers,
// and what speaks of errors.
var silent = []PDUType{PDUStatus, PDUAliveAck, PDUResetAck, PDUBlockAck, PDUUnblockAck}

// ask sends a PDU and judges what it brings about.
func (at hostilePlace) ask(r *rig, p hostilePDU) {
	r.t.Helper()
	b := p.octets()
	before, third := r.stateText(-1), r.stateText(int(at.ids.nsei))
	r.writeBytes(at.bind, ap(at.from), b)
	frames, after := r.frames(), r.stateText(-1)
	fail := func(format string, a ...any) {
		r.t.Helper()
		r.t.Errorf("%v %s: %.80x\n  sent %.300v\n  "+format, append([]any{p.typ, p.name, b, frames}, a...)...)
	}
	p.unnamed = at.known && at.ids.nsvci == 0
	cause, ok := p.verdict()
	var status []byte
	if !ok || !at.known {
		status = r.statusWanted(at, p, cause, ok)
	}
	switch {
	case !ok || status != nil || !at.known && slices.Contains(silent, p.typ):
		if before != after {
			fail("state %s\n  became %s", before, after)
		}
		if len(frames) == 1 && at.mayBeUnknown(p) && string(frames[0].b) == string(unhex("08008104")) {
			break
		}
		if status == nil && len(frames) > 0 || status != nil && (len(frames) != 1 || string(frames[0].b) != string(status)) {
			fail("want STATUS %.80x", status)
		}
	default:
		for _, f := range frames {
			if !slices.Contains(replies[p.typ], PDUType(f.b[0])) {
				fail("%v is no answer to %v", PDUType(f.b[0]), p.typ)
			}
		}
	}
	if at.known && p.foreign && !(p.typ == PDUSNSSize && at.ids.nsei == 2001) && before != after {
		fail("foreign ids: %s\n  became %s", before, after)
	}
	if now := r.stateText(int(at.ids.nsei)); now != third {
		fail("others: %s\n  became %s", third, now)
	}
	at.checkFrames(r, p, frames, fail)
}

// statusWanted is the STATUS that must come, nil for none.
func (r *rig) statusWanted(at hostilePlace, p hostilePDU, cause Cause, ok bool) []byte {
	sns := p.typ >= PDUSNSAck && p.typ.def() != nil
	switch {
	case p.typ == PDUStatus, !at.known && slices.Contains(silent, p.typ):
		return nil
	case at.known:
	case (p.typ == PDUAlive || p.typ == PDUUnitdata) && r.s.binds[at.bind].takesStrangers():
		return []byte{byte(PDUStatus), byte(IECause), 0x81, byte(CauseUnknownVC)}
	case !ok && (p.typ == PDUReset || sns):
	case !ok, !sns && p.typ != PDUReset:
		cause = CauseNotCompatible
	default:
		return nil // judged by replies
	}
	pdu := p.octets()
	return appendTLV([]byte{byte(PDUStatus), byte(IECause), 0x81, byte(cause)}, IENSPDU, pdu[:min(len(pdu), 1024)])
}

// mayBeUnknown tells what a stranger may be told to have no NS-VC for, rather
// than to be out of place: what only peers send that have had one.
func (at hostilePlace) mayBeUnknown(p hostilePDU) bool {
	return !at.known && at.bind == "b" && (p.typ == PDUAlive || p.typ == PDUUnitdata)
}

// checkFrames: nothing goes anywhere but where it came from, unless SNS told
// of it, and a stranger gets no more than it sent and a STATUS's header.
func (at hostilePlace) checkFrames(r *rig, p hostilePDU, frames []frame, fail func(string, ...any)) {
	octets := 0
	for _, f := range frames {
		octets += len(f.b)
		if f.to != ap(at.from) && PDUType(f.b[0]) != PDUAlive && PDUType(f.b[0]) != PDUSNSSize {
			fail("to %v", f.to)
		}
		if p.typ == PDUStatus && PDUType(f.b[0]) == PDUStatus {
			fail("STATUS for STATUS")
		}
	}
	if !at.known && octets > len(p.octets())+8 {
		fail("%d octets for %d", octets, len(p.octets()))
	}
	if len(frames) > 8 || len(r.s.nses) > 8 || r.s.dynamic > 4 || len(r.s.timers) > 32 {
		fail("%d answers, %d NSEs, %d dynamic, %d timers", len(frames), len(r.s.nses), r.s.dynamic, len(r.s.timers))
	}
	if p.typ != PDUUnitdata {
		for _, e := range r.events {
			if len(e) > 4 && e[:4] == "data" {
				fail("%s", e)
			}
		}
	}
	r.events = nil
}
