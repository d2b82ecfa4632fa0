package gb_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"poolgw/bssgp"
)

// What is to be expected of a hostile PDU, told from the clauses and the
// routing table's text, not from the code that routes.

// The peers: SGSN 101 owns the subscriber; 103 never acknowledged the reset of
// its signalling BVC; BSS 2003 has reset nothing yet.
const (
	owner, other, lame = 101, 102, 103
	bssA, bssB, fresh  = 2001, 2002, 2003
)

var hostileOther = cellOf(20021, 13200, 0, 30021) // BSS B's, in another area

// hostileState is the state of cell 20011's BVCs.
type hostileState uint8

const (
	allUnblocked hostileState = iota
	allBlocked
	bssAwaited   // a reset toward the BSS runs
	ownerAwaited // a reset toward SGSN 101 runs
	neverReset   // by the BSS, since it reset its signalling BVC
	numHostileStates
)

func (s hostileState) String() string {
	return [...]string{"unblocked", "blocked", "BSS's RESET-ACK awaited", "SGSN's RESET-ACK awaited", "never reset"}[s]
}

// place is from where and where a PDU comes.
type place struct {
	from  uint16 // NSEI
	bvci  uint16
	state hostileState
}

func (p place) String() string { return fmt.Sprintf("from %d on %d, %v", p.from, p.bvci, p.state) }

func (p place) up() bool { return p.from >= bssA }
func (p place) dir() bssgp.Dir {
	if p.up() {
		return bssgp.Uplink
	}
	return bssgp.Downlink
}

func (p place) kind() bssgp.BVCKind { return bssgp.KindOf(p.bvci) }

// expected is what peers may and must get; all else is wrong.
type expected struct {
	must  map[uint16][]string // exactly these, in any order
	may   map[uint16][]string // any PDU that begins so
	oneOf []uint16            // one of them gets what came
	moves bool                // states may change
}

// class is how a PDU type is to be treated once its form and its BVC are right.
type class func(q *question) expected

// question is a PDU at its place.
type question struct {
	place
	hostilePDU
	hex string
}

func (q *question) status(c bssgp.Cause, bvci uint16) expected {
	if q.typ == bssgp.TypeStatus && !q.none {
		return expected{}
	}
	s := fmt.Sprintf("%d:410781%02x", q.bvci, uint8(c))
	if c == bssgp.CauseBVCIUnknown || c == bssgp.CauseBVCIBlocked {
		s += fmt.Sprintf("0482%04x", bvci)
	}
	n := len(q.hex) / 2
	if n < 128 {
		s += fmt.Sprintf("15%02x", 0x80|n)
	} else {
		s += fmt.Sprintf("15%04x", n)
	}
	return to(q.from, s+q.hex)
}

func to(nsei uint16, pdu ...string) expected {
	return expected{must: map[uint16][]string{nsei: pdu}}
}

// as is what came, on the BVCI on which it came.
func (q *question) as(nseis ...uint16) expected {
	e := expected{must: map[uint16][]string{}}
	for _, n := range nseis {
		e.must[n] = []string{fmt.Sprintf("%d:%s", q.bvci, q.hex)}
	}
	return e
}

// bssOf is the BSS with a cell that is there.
func (q *question) bssOf(bvci uint16) (nsei uint16, ok bool) {
	switch {
	case bvci == 20011 && q.state != neverReset:
		return bssA, true
	case bvci == 20021:
		return bssB, true
	}
	return 0, false
}

func (q *question) bssOfCell(id []byte) (nsei uint16, ok bool) {
	for _, c := range []cell{cell20011, hostileOther} {
		if hex.EncodeToString(id) == c.id {
			return q.bssOf(c.bvci)
		}
	}
	return 0, false
}

// ownerReachable tells whether the subscriber's SGSN has the BVC.
func (q *question) ownerReachable() bool { return q.bvci == 0 || q.state != ownerAwaited }

// expect is the order of the checks.
func (q *question) expect() expected {
	if q.none {
		return q.status(bssgp.CauseSemanticallyIncorrectPDU, 0)
	}
	d := bssgp.Definition(q.typ)
	c := classes[q.typ]
	if d == nil {
		c = unknownType
	}
	if q.kind() == bssgp.PTM || d != nil && (c == nil || !d.Kinds.Has(q.kind()) || !d.Dirs.Has(q.dir())) {
		return q.status(bssgp.CauseProtocolErrorUnspecified, 0)
	}
	if q.kind() == bssgp.PTP {
		if e, stop := q.expectBVC(); stop {
			return e
		}
	}
	if d != nil {
		if cause := q.verdict(d, q.up()); cause != 0 {
			return q.status(cause, 0)
		}
	}
	return c(q)
}

// expectBVC: a BSS never hears that a cell which is there is unknown or
// blocked; an SGSN does.
func (q *question) expectBVC() (e expected, stop bool) {
	known := q.bvci == 20011 || q.bvci == 20021
	about := q.typ == bssgp.TypeStatus
	switch {
	case !known, !q.up() && q.from == lame:
		return q.status(bssgp.CauseBVCIUnknown, q.bvci), true
	case q.up() && (q.bvci == 20021 || q.from == fresh):
		return expected{}, true // another BSS's
	case q.bvci == 20021 || q.state == allUnblocked || about:
		return expected{}, q.up() && about && q.state == neverReset
	case q.up():
		return expected{}, q.state != ownerAwaited
	case q.state != bssAwaited && q.typ != bssgp.TypeFlowControlBVCAck:
		return q.status(bssgp.CauseBVCIBlocked, q.bvci), true
	}
	return expected{}, false
}

var classes = func() map[bssgp.PDUType]class {
	m := map[bssgp.PDUType]class{
		bssgp.TypeSuspend: toOwner, bssgp.TypeResume: toOwner, bssgp.TypeRadioStatus: byIdentity,
		bssgp.TypePSHORequired: handover, bssgp.TypeLLCDiscarded: discarded,
		bssgp.TypePagingPS: pages, bssgp.TypePagingCS: pages, bssgp.TypeDummyPagingPS: pages,
		bssgp.TypePagingPSReject: needsIMSI(nobody), bssgp.TypeDummyPagingPSResponse: needsIMSI(nobody),
		bssgp.TypeMSRegistrationEnquiry:         needsIMSI(func(q *question) expected { return q.as(owner, other) }),
		bssgp.TypeMSRegistrationEnquiryResponse: needsIMSI(nobody),
		bssgp.TypeFlushLL:                       flush, bssgp.TypeFlowControlBVC: flowControl, bssgp.TypeFlowControlBVCAck: nobody,
		bssgp.TypeStatus: aboutPDU, bssgp.TypeSGSNInvokeTrace: everyBSS, bssgp.TypeOverload: everyBSS,
		bssgp.TypeBVCReset: bvcReset, bssgp.TypeBVCResetAck: bvcAck,
		bssgp.TypeBVCBlock: bvcBlock, bssgp.TypeBVCUnblock: bvcBlock, bssgp.TypeBVCBlockAck: bvcAck, bssgp.TypeBVCUnblockAck: bvcAck,
	}
	set := func(c class, types ...bssgp.PDUType) {
		for _, t := range types {
			m[t] = c
		}
	}
	set(toOwner, bssgp.TypeULUnitdata, bssgp.TypeRACapabilityUpdate, bssgp.TypeFlowControlMS, bssgp.TypeFlowControlPFC,
		bssgp.TypeDownloadBSSPFC, bssgp.TypeCreateBSSPFCAck, bssgp.TypeCreateBSSPFCNack, bssgp.TypeModifyBSSPFCAck,
		bssgp.TypeDeleteBSSPFCAck, bssgp.TypeDeleteBSSPFCReq, bssgp.TypePSHORequestAck, bssgp.TypePSHORequestNack,
		bssgp.TypePSHOComplete, bssgp.TypePSHOCancel, bssgp.TypeFlushLLAck, bssgp.TypePerformLocationResponse, bssgp.TypePositionCommand)
	set(toItsCell, bssgp.TypeDLUnitdata, bssgp.TypeRACapability, bssgp.TypeRACapabilityUpdateAck, bssgp.TypeFlowControlMSAck,
		bssgp.TypeFlowControlPFCAck, bssgp.TypeCreateBSSPFC, bssgp.TypeModifyBSSPFC, bssgp.TypeDeleteBSSPFC, bssgp.TypePSHORequiredAck,
		bssgp.TypePSHORequiredNack, bssgp.TypePSHORequest, bssgp.TypePSHOCompleteAck)
	set(awaited, bssgp.TypeSuspendAck, bssgp.TypeSuspendNack, bssgp.TypeResumeAck, bssgp.TypeResumeNack)
	set(named, bssgp.TypePerformLocationRequest, bssgp.TypePerformLocationAbort, bssgp.TypePositionResponse)
	set(rim, bssgp.TypeRANInformation, bssgp.TypeRANInformationRequest, bssgp.TypeRANInformationAck,
		bssgp.TypeRANInformationError, bssgp.TypeRANInformationApplicationError)
	return m
}()

func nobody(*question) expected { return expected{} }

func toOwner(q *question) expected {
	if !q.ownerReachable() {
		return expected{}
	}
	return q.as(owner)
}

// handover: a BSS is not left waiting for an answer.
func handover(q *question) expected {
	if q.ownerReachable() {
		return q.as(owner)
	}
	tlli, _ := q.get(bssgp.IETLLI, 0, 4)
	return to(q.from, fmt.Sprintf("%d:5b1f84%x078107", q.bvci, tlli[:4]))
}

func byIdentity(q *question) expected {
	_, tlli := q.get(bssgp.IETLLI, 0, 4)
	_, tmsi := q.get(bssgp.IETMSI, 0, 4)
	if tlli || tmsi {
		return toOwner(q)
	}
	return expected{oneOf: []uint16{owner, other}}
}

func discarded(q *question) expected {
	if bvci, _ := q.word(bssgp.IEBVCI, 0); bvci != 20011 && bvci != 20021 {
		return q.status(bssgp.CauseBVCIUnknown, bvci)
	}
	return q.as(owner)
}

func toItsCell(q *question) expected {
	if q.bvci == 20021 {
		return q.as(bssB)
	}
	if q.state != allUnblocked && q.state != ownerAwaited {
		return expected{}
	}
	return q.as(bssA)
}

func pages(q *question) expected {
	if q.kind() == bssgp.PTP {
		return toItsCell(q)
	}
	here, there := hex.EncodeToString, func(n int) string { return cell20011.id[:n] }
	if bvci, ok := q.word(bssgp.IEBVCI, 0); ok {
		return q.asOrNobody(q.bssOf(bvci))
	}
	if v, ok := q.get(bssgp.IERouteingArea, 0, 6); ok {
		nsei, known := q.bssOf(20011)
		return q.asOrNobody(nsei, known && here(v[:6]) == there(12))
	}
	if v, ok := q.get(bssgp.IELocationArea, 0, 5); ok {
		nsei, known := q.bssOf(20011)
		return q.asOrNobody(nsei, known && here(v[:5]) == there(10))
	}
	if _, ok := q.bssOf(20011); !ok {
		return q.as(bssB)
	}
	return q.as(bssA, bssB)
}

func (q *question) asOrNobody(nsei uint16, ok bool) expected {
	if !ok {
		return expected{}
	}
	return q.as(nsei)
}

// needsIMSI: an IMSI of more than 15 digits is none.
func needsIMSI(c class) class {
	return func(q *question) expected {
		if v, _ := q.get(bssgp.IEIMSI, 0, 3); len(v) > 8 {
			return q.status(bssgp.CauseInvalidMandatoryInformation, 0)
		}
		return c(q)
	}
}

// awaited: the answers that end an entry of the TLLI cache, and find none.
func awaited(q *question) expected {
	return q.status(bssgp.CauseInvalidMandatoryInformation, 0)
}

func flush(q *question) expected {
	old, _ := q.word(bssgp.IEBVCI, 0)
	nsei, ok := q.bssOf(old)
	if !ok {
		return q.status(bssgp.CauseBVCIUnknown, old)
	}
	if next, ok := q.word(bssgp.IEBVCI, 1); ok && (old != 20011 || next != 20011) && (old != 20021 || next != 20021) {
		tlli, _ := q.get(bssgp.IETLLI, 0, 4)
		return to(nsei, fmt.Sprintf("0:2a1f84%x0482%04x", tlli[:4], old))
	}
	return q.as(nsei)
}

func named(q *question) expected {
	bvci, _ := q.word(bssgp.IEBVCI, 0)
	nsei, ok := q.bssOf(bvci)
	if !ok {
		return q.status(bssgp.CauseBVCIUnknown, bvci)
	}
	return q.as(nsei)
}

// flowControl is acknowledged; each SGSN with the BVC gets its own.
func flowControl(q *question) expected {
	tag, _ := q.get(bssgp.IETag, 0, 1)
	e := to(q.from, fmt.Sprintf("%d:271e81%02x", q.bvci, tag[0]))
	e.may = map[uint16][]string{owner: {"20011:26"}, other: {"20011:26"}}
	return e
}

func everyBSS(q *question) expected { return q.as(bssA, bssB) }

func rim(q *question) expected {
	dst, okDst := q.get(bssgp.IERIMRoutingInformation, 0, 1)
	src, okSrc := q.get(bssgp.IERIMRoutingInformation, 1, 1)
	whole := func(v []byte, ok bool) bool { return ok && (v[0]&15 != 0 || len(v) >= 9) }
	if !whole(dst, okDst) || q.up() && !whole(src, okSrc) {
		return q.status(bssgp.CauseInvalidMandatoryInformation, 0)
	}
	at := func(v []byte) (uint16, bool) {
		if v[0]&15 != 0 {
			return 0, false
		}
		return q.bssOfCell(v[1:9])
	}
	nsei, known := at(dst)
	if q.up() {
		if _, ours := at(src); !ours {
			return q.status(bssgp.CauseUnknownRIMApplicationIdentity, 0)
		}
		if !known {
			return expected{oneOf: []uint16{owner, other}}
		}
	}
	if !known {
		return q.status(bssgp.CauseUnknownRIMApplicationIdentity, 0)
	}
	return q.as(nsei)
}

// aboutPDU: what concerns the BVC itself ends here, and may make the gateway
// reset it; the rest is relayed if it leads anywhere.
func aboutPDU(q *question) expected {
	cause, _ := q.get(bssgp.IECause, 0, 1)
	local := cause[0] == 5 || cause[0] == 9
	switch {
	case local && q.up():
		return expected{}
	case local:
		return expected{may: map[uint16][]string{q.from: {"0:220482"}}, moves: true}
	case q.up():
		same := fmt.Sprintf("%d:%s", q.bvci, q.hex)
		return expected{may: map[uint16][]string{owner: {same}, other: {same}}}
	case q.bvci == 20011 && (q.state == allUnblocked || q.state == ownerAwaited):
		return q.as(bssA)
	case q.bvci == 20021:
		return q.as(bssB)
	case q.bvci == 0:
		inner, _ := q.get(bssgp.IEPDUInError, 0, 0)
		if nsei, ok := q.bssOf(20011); ok && strings.Contains(hex.EncodeToString(inner), "04824e2b") {
			return q.as(nsei)
		}
	}
	return expected{}
}

func unknownType(q *question) expected {
	_, tlli := q.get(bssgp.IETLLI, 0, 4)
	bvci, hasBVCI := q.word(bssgp.IEBVCI, 0)
	nsei, known := q.bssOf(bvci)
	switch {
	case q.up() && tlli:
		return toOwner(q)
	case q.up() && hasBVCI:
		return expected{oneOf: []uint16{owner, other}}
	case !q.up() && q.kind() == bssgp.PTP && (tlli || hasBVCI):
		return toItsCell(q)
	case !q.up() && hasBVCI && known:
		return q.as(nsei)
	}
	return q.status(bssgp.CauseProtocolErrorUnspecified, 0)
}

func bvciUnknown(q *question) expected {
	return q.status(bssgp.CauseInvalidMandatoryInformation, 0)
}

// mgmt is what BVC management may cause about one BVC: at the SGSNs a reset,
// its blocking and unblocking and its flow control, at its BSS a reset.
func mgmt(bvci uint16, nseis ...uint16) expected {
	e := expected{may: map[uint16][]string{}, moves: true}
	for _, n := range nseis {
		for _, t := range []string{"22", "20", "24"} {
			e.may[n] = append(e.may[n], fmt.Sprintf("0:%s0482%04x", t, bvci))
		}
		e.may[n] = append(e.may[n], fmt.Sprintf("%d:26", bvci))
	}
	return e
}

func bvcReset(q *question) expected {
	bvci, _ := q.word(bssgp.IEBVCI, 0)
	ack := fmt.Sprintf("0:230482%04x", bvci)
	var e expected
	switch nsei, active := q.bssOf(bvci); {
	case bvci == 1 && q.up():
		return bvciUnknown(q)
	case q.up() && (bvci == 20021 || q.from == fresh && bvci == 20011): // another BSS's: that is probed, or gone
		return mgmt(bvci, bssA, bssB, owner, other).and(map[uint16][]string{q.from: {ack}})
	case q.up():
		e = mgmt(bvci, owner, other)
		if bvci == 0 {
			e = mgmt(20011, owner, other)
		}
		if bvci == 20011 && q.state == bssAwaited { // it counts as the acknowledge
			return e
		}
		return e.with(q.from, ack)
	case bvci == 0 && q.from == lame:
		return mgmt(20011, lame).and(mgmt(20021, lame).may)
	case bvci == 0:
		return mgmt(20011, owner).and(mgmt(20021, owner).may).with(q.from, ack)
	case !active || q.from == lame:
		return q.status(bssgp.CauseBVCIUnknown, bvci)
	default:
		e = mgmt(bvci, q.from, nsei)
		if bvci == 20011 && q.state == ownerAwaited {
			return e
		}
		return e.with(q.from, ack)
	}
}

// with adds a PDU, told by its beginning, that must come beside the others.
func (e expected) with(nsei uint16, prefix string) expected {
	e.must = map[uint16][]string{nsei: {prefix + "*"}}
	return e
}

func (e expected) and(may map[uint16][]string) expected {
	for n, l := range may {
		e.may[n] = append(slices.Clone(e.may[n]), l...)
	}
	return e
}

// bvcBlock is BVC-BLOCK and -UNBLOCK, which only a BSS sends.
func bvcBlock(q *question) expected {
	bvci, _ := q.word(bssgp.IEBVCI, 0)
	switch {
	case bvci == 0 && q.from == bssA:
		return expected{} // never blocked
	case bvci != 20011 || q.from != bssA || q.state == neverReset:
		return bvciUnknown(q)
	case q.state == bssAwaited:
		return expected{}
	}
	return mgmt(bvci, owner, other).with(q.from, fmt.Sprintf("0:%02x0482%04x", uint8(q.typ)+1, bvci))
}

// bvcAck is an acknowledge that perhaps nobody waits for.
func bvcAck(q *question) expected {
	bvci, _ := q.word(bssgp.IEBVCI, 0)
	_, active := q.bssOf(bvci)
	switch {
	case bvci == 0 && q.from == lame && q.typ == bssgp.TypeBVCResetAck:
		return mgmt(20011, lame).and(mgmt(20021, lame).may)
	case bvci == 0 && q.from != fresh:
		return expected{}
	case bvci == 20099 && q.from == owner: // perhaps it was there a moment ago
		return expected{may: bvciUnknown(q).must}
	case q.up() && (bvci != 20011 || q.from != bssA || !active), q.from == lame, bvci != 20011 && bvci != 20021:
		return bvciUnknown(q)
	}
	return mgmt(bvci, owner, other)
}
