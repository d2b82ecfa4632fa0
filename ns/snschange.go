package ns

import (
	"bytes"
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
	}
	return false // SNS-ACK: we have asked for nothing
}

// change deals with a procedure by which the peer changes its endpoints
// (TS 48.016 7.4b.2 to 7.4b.4). One that comes again, because our answer was
// lost, gets the same answer and is not done twice.
func (x *sns) change(now time.Time, src path, p *PDU, dgram []byte) bool {
	if x.state != snsConfigured {
		return false
	}
	s := x.stack()
	if !bytes.Equal(dgram, x.lastRequest) {
		ack := PDU{Type: PDUSNSAck, Has: ies(IENSEI), NSEI: x.nse.nsei, TransID: p.TransID}
		if cause, ok := x.apply(now, p); !ok {
			ack.Has |= ies(IECause)
			ack.Cause = cause
		}
		x.lastRequest = append(x.lastRequest[:0], dgram...)
		x.lastAnswer = ack.Append(x.lastAnswer[:0])
	}
	ack, _ := Parse(x.lastAnswer)
	s.reply(src, ack)
	return true
}

// apply does all of a change or nothing.
func (x *sns) apply(now time.Time, p *PDU) (Cause, bool) {
	list := p.IPv4
	if x.v6 {
		list = p.IPv6
	}
	switch {
	case p.Type == PDUSNSDelete && p.Has.Has(IEIPAddress):
		return x.deleteAddress(now, p)
	case len(list) == 0:
		return CauseMissingEssentialIE, false
	case p.Type == PDUSNSAdd:
		return x.addEndpoints(now, list)
	}
	for _, e := range list {
		if x.remoteIndex(e.Addr) < 0 {
			return CauseUnknownIPEndpoint, false
		}
	}
	if p.Type == PDUSNSDelete {
		x.deleteEndpoints(now, func(e Endpoint) bool {
			return slices.ContainsFunc(list, func(o Endpoint) bool { return o.Addr == e.Addr })
		})
		return 0, true
	}
	return x.changeWeights(now, list)
}

func (x *sns) addEndpoints(now time.Time, list []Endpoint) (Cause, bool) {
	for i, e := range list {
		again := slices.ContainsFunc(list[:i], func(o Endpoint) bool { return o.Addr == e.Addr })
		if again || x.remoteIndex(e.Addr) >= 0 {
			return CauseProtocolError, false
		}
	}
	n := (len(x.remote) + len(list)) * len(x.local)
	if n > x.maxVCs || n > x.stack().limits.VCsPerNSE {
		return CauseInvalidNSVCs, false
	}
	for _, e := range list {
		x.remote = append(x.remote, e)
		x.meshRemote(e, now)
	}
	return 0, true
}

func (x *sns) deleteAddress(now time.Time, p *PDU) (Cause, bool) {
	of := func(e Endpoint) bool { return e.Addr.Addr() == p.IP }
	if !slices.ContainsFunc(x.remote, of) {
		return CauseUnknownIPAddress, false
	}
	x.deleteEndpoints(now, of)
	return 0, true
}

func (x *sns) deleteEndpoints(now time.Time, which func(Endpoint) bool) {
	x.remote = slices.DeleteFunc(x.remote, which)
	for _, v := range slices.Clone(x.nse.vcs) {
		if x.remoteIndex(v.remote) < 0 {
			x.stack().deleteVC(v, now)
		}
	}
}

// changeWeights refuses weights that would leave no way for signalling or data.
func (x *sns) changeWeights(now time.Time, list []Endpoint) (Cause, bool) {
	next := slices.Clone(x.remote)
	for _, e := range list {
		next[x.remoteIndex(e.Addr)] = e
	}
	if sig, data := weightSums(next, remoteWeights); sig == 0 || data == 0 {
		return CauseInvalidWeights, false
	}
	x.remote = next
	for _, v := range x.nse.vcs {
		e := next[x.remoteIndex(v.remote)]
		v.sigWeight, v.dataWeight = e.SigWeight, e.DataWeight
	}
	x.nse.recompute(now)
	return 0, true
}
