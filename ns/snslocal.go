package ns

import (
	"net/netip"
	"slices"
	"time"
)

// Changes of our own endpoints while SNS is configured (TS 48.016 7.4b.2 to
// 7.4b.4): SNS-ADD, SNS-CHANGEWEIGHT and SNS-DELETE, one at a time. There is no
// queue to get out of step: what comes next is the difference between what the
// peer has acknowledged, x.local, and what the configuration wants, taken anew
// after each answer.
//
//	CONFIGURED ──difference──▶ LOCAL_PROCEDURE ──SNS-ACK, none left──▶ CONFIGURED
//	                             │  ▲ └ SNS-ACK, more left
//	                             │  └── every tsns-prov, tsns-procedures-retries times
//	                             ▼
//	                           no answer, or refused as BSS: SNS failed, begun anew

// snsProcKind is a procedure of ours; their order is that in which they are
// run, so that no sum of weights is 0 in between.
type snsProcKind uint8

const (
	procAdd snsProcKind = iota
	procWeight
	procDelete
	numProcs
)

// snsProcs describes the procedures.
var snsProcs = [numProcs]struct {
	pdu PDUType
	// most is how many endpoints go in one. Weights go together, because their
	// sums are judged by the result.
	most int
	// again is the cause with which a peer that has no memory refuses the
	// repetition of what it has done.
	again    Cause
	hasAgain bool
}{
	procAdd:    {PDUSNSAdd, 1, CauseProtocolError, true},
	procWeight: {PDUSNSChangeWeight, snsListMax, 0, false},
	procDelete: {PDUSNSDelete, 1, CauseUnknownIPEndpoint, true},
}

// snsListMax is how many endpoints we put in one PDU: of IPv6 they fill 1280
// octets.
const snsListMax = 64

// snsProc is the procedure that runs, or is to run next.
type snsProc struct {
	kind    snsProcKind
	id      uint8 // transaction
	list    []localEndpoint
	waiting int // endpoints that have to be told of afterwards
}

// wanted lists our endpoints as the configuration has them.
func (x *sns) wanted() []localEndpoint { return x.localEndpoints(x.bindNames(), x.faced) }

func (x *sns) bindNames() []string {
	if x.nse.role == RoleSGSN {
		return x.sgsnBinds(x.path)
	}
	return x.binds
}

func localIndex(list []localEndpoint, a netip.AddrPort) int {
	return slices.IndexFunc(list, func(l localEndpoint) bool { return l.Addr == a })
}

// room tells how many endpoints more of ours the mesh can take.
func (x *sns) room() int {
	return min(x.maxVCs, x.stack().limits.VCsPerNSE)/max(len(x.remote), 1) - len(x.local)
}

// ends counts our endpoints, with one that is being added.
func (x *sns) ends() int {
	if x.state == snsLocal && x.proc.kind == procAdd {
		return len(x.local) + len(x.proc.list)
	}
	return len(x.local)
}

// changes lists what the peer has yet to be told, by procedure, and what there
// is no room for.
func (x *sns) changes(want []localEndpoint) (todo [numProcs][]localEndpoint, unfit []localEndpoint) {
	room := x.room()
	for _, w := range want {
		i := localIndex(x.local, w.Addr)
		switch {
		case i >= 0 && x.local[i].Endpoint == w.Endpoint, slices.Contains(x.refused, w.Endpoint):
		case i >= 0:
			todo[procWeight] = append(todo[procWeight], w)
		case len(todo[procAdd]) < room:
			todo[procAdd] = append(todo[procAdd], w)
		default:
			unfit = append(unfit, w)
		}
	}
	for _, l := range x.local { // with the weights that the peer knows: libosmogb compares them
		if localIndex(want, l.Addr) < 0 {
			todo[procDelete] = append(todo[procDelete], l)
		}
	}
	return todo, unfit
}

// localChanged deals with a change of the configuration.
func (x *sns) localChanged(now time.Time) {
	if !x.configured() {
		return
	}
	x.refused = nil
	x.relink(now)
	switch {
	case x.nse.share.Load().sigSum == 0:
		x.startOver(now, "no NS-VC is left for signalling")
	case x.state == snsConfigured:
		x.next(now)
	}
}

// relink finds endpoints of ours whose sockets were opened anew: the peer need
// not know.
func (x *sns) relink(now time.Time) {
	for _, w := range x.wanted() {
		if i := localIndex(x.local, w.Addr); i >= 0 && x.local[i].bind != w.bind {
			x.local[i].bind = w.bind
			x.meshLocal(x.local[i], now)
		}
	}
	if x.path.bind.closed {
		x.path = x.procPath()
	}
}

// next runs the next procedure, or rests.
func (x *sns) next(now time.Time) {
	if x.nse.share.Load().sigSum == 0 {
		return // settle will begin anew
	}
	want := x.wanted()
	if !hasWeights(want) {
		x.startOver(now, "no local endpoint has the weights")
		return
	}
	todo, unfit := x.changes(want)
	if len(unfit) > 0 {
		x.stack().warn(now, "SNS endpoints do not fit the number of NS-VCs", "nse", x.nse, "first", unfit[0].Addr)
	}
	for kind, list := range todo {
		if n := min(len(list), snsProcs[kind].most); n > 0 {
			all := len(todo[procAdd]) + len(todo[procWeight]) + len(todo[procDelete])
			x.run(now, snsProc{kind: snsProcKind(kind), list: list[:n], waiting: all - n})
			return
		}
	}
	x.proc = snsProc{}
	if x.state == snsLocal {
		x.to(snsConfigured, now, false)
	}
}

func hasWeights(list []localEndpoint) bool {
	sig, data := weightSums(list, localWeights)
	return sig > 0 && data > 0
}

// run begins a procedure.
func (x *sns) run(now time.Time, p snsProc) {
	if p.kind == procDelete && !hasWeights(without(x.local, p.list)) {
		x.startOver(now, "the new endpoints do not fit beside the old ones")
		return
	}
	if x.trans++; x.trans == 0 { // as libosmogb counts
		x.trans = 1
	}
	p.id = x.trans
	x.proc = p
	switch p.kind {
	case procAdd:
		x.await(p.list[0], now)
	case procDelete:
		x.leave(p.list[0], now)
	}
	x.to(snsLocal, now, true)
	x.sendProc()
}

func without(list, gone []localEndpoint) []localEndpoint {
	return slices.DeleteFunc(slices.Clone(list), func(l localEndpoint) bool { return localIndex(gone, l.Addr) >= 0 })
}

// await makes the NS-VCs of an endpoint that the peer is being told of. They are
// silent until it acknowledges; what it sends there before, because it was
// quicker than its answer, is not that of a stranger.
func (x *sns) await(l localEndpoint, now time.Time) {
	for _, r := range x.remote {
		if l.bind.vcs[r.Addr] != nil || l.bind.closed || len(x.nse.vcs) >= x.stack().limits.VCsPerNSE {
			continue
		}
		v := x.meshVC(l, r, now)
		v.awaited = true
		v.publish(stUnconfigured)
	}
}

// leave has nothing more sent from an endpoint that is being deleted: the peer
// may have done so.
func (x *sns) leave(l localEndpoint, now time.Time) {
	if x.movesOnBind(l) {
		return
	}
	for _, v := range x.nse.vcs {
		v.leaving = v.leaving || v.bind == l.bind
	}
	x.nse.recompute(now)
}

// movesOnBind tells whether a bind on the unspecified address now faces the peer
// with another address: its NS-VCs stay.
func (x *sns) movesOnBind(l localEndpoint) bool {
	return slices.ContainsFunc(x.local, func(o localEndpoint) bool { return o.bind == l.bind && o.Addr != l.Addr })
}

func (x *sns) sendProc() {
	p := buildSNS(snsProcs[x.proc.kind].pdu, x.nse.nsei, nil)
	p.TransID = x.proc.id
	p.setEndpoints(endpointsOf(x.proc.list))
	x.stack().reply(x.procPath(), p)
}

func endpointsOf(list []localEndpoint) []Endpoint {
	eps := make([]Endpoint, len(list))
	for i, l := range list {
		eps[i] = l.Endpoint
	}
	return eps
}

// procPath is where the procedure goes: an unblocked NS-VC for signalling, on
// none of the endpoints that are about to go, another one for each repetition.
func (x *sns) procPath() path {
	var ways []path
	first := 0
	for _, v := range x.nse.vcs {
		if v.current() != stUnblocked || v.sigWeight == 0 || v.bind.closed || v.leaving {
			continue
		}
		if way := (path{v.bind, v.remote}); way == x.path {
			first = len(ways)
		}
		ways = append(ways, path{v.bind, v.remote})
	}
	if len(ways) == 0 {
		return x.path
	}
	return ways[(first+x.tries)%len(ways)]
}

// rxAck takes the answer to our procedure; the transaction tells which it is.
func (x *sns) rxAck(now time.Time, p *PDU) bool {
	if x.state != snsLocal || p.TransID != x.proc.id {
		return false
	}
	def := &snsProcs[x.proc.kind]
	done := !p.Has.Has(IECause) || x.tries > 0 && def.hasAgain && p.Cause == def.again
	if !done {
		x.stack().warn(now, "SNS procedure refused", "nse", x.nse, "pdu", def.pdu.String(), "cause", p.Cause.String())
	}
	switch {
	case done:
		x.agreed(now)
	case x.nse.role == RoleBSS:
		x.fail(now, p.Cause.String())
		x.candidate++
		x.begin(now)
		return true
	default:
		x.declined(now)
	}
	x.next(now)
	return true
}

// agreed makes the procedure's change ours.
func (x *sns) agreed(now time.Time) {
	switch x.proc.kind {
	case procAdd:
		for _, l := range x.proc.list {
			x.local = append(x.local, l)
			x.meshLocal(l, now)
		}
	case procWeight:
		for _, l := range x.proc.list {
			if i := localIndex(x.local, l.Addr); i >= 0 {
				x.local[i].Endpoint = l.Endpoint
			}
		}
	case procDelete:
		x.local = without(x.local, x.proc.list)
		x.dropOthers(now)
	}
}

// declined: in the SGSN role nothing can be begun anew from here, and the BSS is
// served as it was. What was to be deleted is gone all the same.
func (x *sns) declined(now time.Time) {
	if x.proc.kind == procDelete {
		x.agreed(now)
		return
	}
	x.refused = append(x.refused, endpointsOf(x.proc.list)...)
	x.dropOthers(now)
}

// procExpired repeats the procedure, then gives up.
func (x *sns) procExpired(now time.Time) {
	x.tries++
	switch {
	case x.tries <= x.stack().cfg.Timers.retries(TsnsProceduresRetries):
		x.sendProc()
		x.arm(now)
	case x.nse.role == RoleSGSN:
		x.fail(now, "no answer")
		x.sgsnGiveUp(now)
	default:
		x.fail(now, "no answer")
		x.candidate++
		x.begin(now)
	}
}

// startOver begins anew when the configuration can't be reached by procedures.
func (x *sns) startOver(now time.Time, why string) {
	x.fail(now, why)
	if x.nse.role == RoleSGSN {
		x.sgsnGiveUp(now)
		return
	}
	x.begin(now)
}
