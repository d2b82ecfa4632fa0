package ns

import (
	"crypto/sha256"
	"net/netip"
	"slices"
	"time"
)

// rxSNS gives an SNS PDU to its NSE: that of the NS-VC on which it came, else
// the one whose procedures run on that path (the NS-VC of the first contact is
// gone when its endpoint is not in the mesh, but its PDUs may come again).
func (s *Stack) rxSNS(now time.Time, src path, v *VC, p *PDU, dgram []byte) {
	if p.Type == PDUSNSSize {
		s.rxSize(now, src, v, p)
		return
	}
	n := s.nses[p.NSEI]
	switch {
	case v != nil && v.nse != n:
		v.events.InvalidNSEI++
		src.bind.drop(DropWrongID)
	case n == nil || n.sns == nil || v == nil && n.sns.path != src:
		src.bind.drop(DropUnknownRemote)
		if v == nil && p.Type != PDUSNSAck && p.Type != PDUSNSConfigAck && p.Type != PDUSNSSizeAck {
			s.sendStatus(now, src, buildStatus(CauseNotCompatible, dgram))
		}
	case !n.sns.receive(now, src, p, dgram):
		src.bind.drop(DropState)
	}
}

// receive gives a PDU to the machine; false when its state has no use for it.
func (x *sns) receive(now time.Time, src path, p *PDU, dgram []byte) bool {
	bss := x.nse.role == RoleBSS
	switch p.Type {
	case PDUSNSSizeAck:
		return bss && x.bssSizeAck(now, p)
	case PDUSNSConfig:
		if bss {
			return x.bssConfig(now, src, p)
		}
		return x.sgsnConfig(now, src, p)
	case PDUSNSConfigAck:
		if bss {
			return x.bssConfigAck(now, p)
		}
		return x.sgsnConfigAck(now, p)
	case PDUSNSAdd, PDUSNSDelete, PDUSNSChangeWeight:
		return x.change(now, src, p, dgram)
	case PDUSNSAck:
		return x.rxAck(now, p)
	}
	return false
}

// change deals with a procedure by which the peer changes its endpoints
// (TS 48.016 7.4b.2 to 7.4b.4). The answer goes out before what the change
// brings about: NS-ALIVE to an endpoint that was added.
func (x *sns) change(now time.Time, src path, p *PDU, dgram []byte) bool {
	if !x.configured() {
		return false
	}
	request := sha256.Sum256(dgram)
	if octets := x.answers.find(p.TransID, request); octets != nil {
		ack, _ := Parse(octets)
		x.stack().reply(src, ack)
		return true
	}
	v := x.judge(p)
	ack := buildSNS(PDUSNSAck, x.nse.nsei, v.cause)
	ack.TransID = p.TransID
	ack.setEndpoints(v.failed)
	x.answers.add(p.TransID, request, ack.Append(nil))
	x.stack().reply(src, ack)
	if v.do != nil {
		v.do(now)
	}
	if x.state == snsConfigured {
		x.next(now) // there may be room for an endpoint of ours
	}
	return true
}

// verdict is the answer to a change and what is to be done. An SNS-ADD is done
// as a whole or not at all; of an SNS-DELETE and SNS-CHANGEWEIGHT all is done
// but what failed.
type verdict struct {
	cause  *Cause     // nil: success
	failed []Endpoint // the list of the SNS-ACK, with a cause only
	do     func(now time.Time)
}

func refusal(c Cause, failed []Endpoint) verdict { return verdict{cause: &c, failed: failed} }

func (x *sns) judge(p *PDU) verdict {
	list := p.IPv4
	if x.v6 {
		list = p.IPv6
	}
	switch {
	case p.Type == PDUSNSDelete && p.Has.Has(IEIPAddress):
		return x.judgeAddress(p)
	case len(list) == 0 && len(p.Endpoints()) > 0: // of the other family
		return refusal(x.countCause(), p.Endpoints())
	case len(list) == 0:
		return refusal(CauseMissingEssentialIE, nil)
	case p.Type == PDUSNSAdd:
		return x.judgeAdd(list)
	case p.Type == PDUSNSDelete:
		return x.judgeDelete(list)
	}
	return x.judgeWeights(list)
}

// judgeAdd refuses what is there already, here or with another NSE.
func (x *sns) judgeAdd(list []Endpoint) verdict {
	var bad []Endpoint
	for i, e := range list {
		if indexOf(list[:i], e.Addr) >= 0 || x.remoteIndex(e.Addr) >= 0 || x.isForeign(e.Addr) {
			bad = append(bad, e)
		}
	}
	n := (len(x.remote) + len(list)) * x.ends()
	switch {
	case len(bad) > 0:
		return refusal(CauseProtocolError, bad)
	case n > x.maxVCs || n > x.stack().limits.VCsPerNSE:
		return refusal(CauseInvalidNSVCs, list)
	}
	return verdict{do: func(now time.Time) {
		for _, e := range list {
			x.remote = append(x.remote, e)
			x.meshRemote(e, now)
		}
	}}
}

func indexOf(list []Endpoint, a netip.AddrPort) int {
	return slices.IndexFunc(list, func(e Endpoint) bool { return e.Addr == a })
}

// isForeign tells whether another NSE has an NS-VC to the endpoint on a bind of
// ours.
func (x *sns) isForeign(a netip.AddrPort) bool {
	return slices.ContainsFunc(x.local, func(l localEndpoint) bool {
		v := l.bind.vcs[a]
		return v != nil && v.nse != x.nse
	})
}

func (x *sns) judgeAddress(p *PDU) verdict {
	of := func(e Endpoint) bool { return e.Addr.Addr() == p.IP }
	if !slices.ContainsFunc(x.remote, of) {
		return refusal(CauseUnknownIPAddress, nil)
	}
	return verdict{do: func(now time.Time) { x.deleteEndpoints(now, of) }}
}

// split separates the endpoints of the peer that we know from the others.
func (x *sns) split(list []Endpoint) (known, unknown []Endpoint) {
	for _, e := range list {
		if x.remoteIndex(e.Addr) < 0 {
			unknown = append(unknown, e)
			continue
		}
		known = append(known, e)
	}
	return known, unknown
}

func (x *sns) judgeDelete(list []Endpoint) (v verdict) {
	known, unknown := x.split(list)
	if len(unknown) > 0 {
		v = refusal(CauseUnknownIPEndpoint, unknown)
	}
	v.do = func(now time.Time) {
		x.deleteEndpoints(now, func(e Endpoint) bool { return indexOf(known, e.Addr) >= 0 })
	}
	return v
}

func (x *sns) deleteEndpoints(now time.Time, which func(Endpoint) bool) {
	x.remote = slices.DeleteFunc(x.remote, which)
	x.dropOthers(now)
}

// judgeWeights refuses weights that would leave no way for signalling or data.
func (x *sns) judgeWeights(list []Endpoint) (v verdict) {
	known, unknown := x.split(list)
	next := slices.Clone(x.remote)
	for _, e := range known {
		next[x.remoteIndex(e.Addr)] = e
	}
	if sig, data := weightSums(next, remoteWeights); len(known) > 0 && (sig == 0 || data == 0) {
		return refusal(CauseInvalidWeights, list)
	}
	if len(unknown) > 0 {
		v = refusal(CauseUnknownIPEndpoint, unknown)
	}
	v.do = func(now time.Time) {
		x.remote = next
		for _, vc := range x.nse.vcs {
			if i := x.remoteIndex(vc.remote); i >= 0 {
				vc.sigWeight, vc.dataWeight = next[i].SigWeight, next[i].DataWeight
			}
		}
		x.nse.recompute(now)
	}
	return v
}
