package ns

import (
	"net/netip"
	"time"
)

// The SGSN role of SNS: what poolgw plays toward BSSs.

// rxSize deals with an SNS-SIZE; v is the NS-VC on which it came, if any.
func (s *Stack) rxSize(now time.Time, src path, v *VC, p *PDU) {
	n, why, ok := s.nseForSize(now, src, v, p)
	if !ok {
		src.bind.drop(why)
		s.warn(now, "SNS-SIZE refused", "remote", src.remote, "nsei", p.NSEI, "reason", why.String())
		return
	}
	x, fresh := (*sns)(nil), n == nil
	if fresh { // judged before an NSE is made of it
		x = &sns{nse: &NSE{nsei: p.NSEI, stack: s}}
	} else {
		x = n.sns
	}
	plan, cause, ok := x.judgeSize(src, p)
	switch {
	case !ok && cause == CauseMissingEssentialIE:
		s.sendStatus(now, src, buildStatus(cause, p.Append(nil)))
		return
	case !ok:
		s.answerSize(now, src, p.NSEI, &cause)
		return
	case fresh:
		x = s.newNSE(p.NSEI, DialectSNS, RoleSGSN, false, now).sns
	case !p.Reset:
		x.resize(now, src, p.NSEI, plan)
		return
	}
	if before := x.path.remote; !fresh && before.IsValid() && before != src.remote {
		s.moved(now, n, before, src.remote)
	}
	x.sgsnBegin(now, src, plan)
}

// resize takes the numbers of a BSS that tells them again: an SNS-SIZE without
// the reset flag leaves everything as it is. Who is not configured has nothing
// to leave.
func (x *sns) resize(now time.Time, src path, nsei uint16, plan sizePlan) {
	v := src.bind.vcs[src.remote]
	cause := CauseNotCompatible
	switch {
	case x.state == snsUnconfigured, v == nil && x.path != src:
	case plan.v6 != x.v6:
		cause = x.countCause()
	case plan.maxVCs < x.ends()*len(x.remote):
		cause = CauseInvalidNSVCs
	default:
		x.maxVCs, x.maxPeers = plan.maxVCs, plan.maxPeers
		x.stack().answerSize(now, src, nsei, nil)
		if x.state == snsConfigured {
			x.next(now) // there may be room for more of ours
		}
		return
	}
	x.stack().answerSize(now, src, nsei, &cause)
}

// answerSize goes out at a bounded rate to those who have no NS-VC.
func (s *Stack) answerSize(now time.Time, src path, nsei uint16, cause *Cause) {
	p := buildSNS(PDUSNSSizeAck, nsei, cause)
	if src.bind.vcs[src.remote] == nil {
		s.sendStatus(now, src, p)
		return
	}
	s.reply(src, p)
}

// nseForSize finds the NSE that an SNS-SIZE is for; n is nil when it may be
// made. A dynamic NSE that is dead gives way to another from its address.
func (s *Stack) nseForSize(now time.Time, src path, v *VC, p *PDU) (n *NSE, why Drop, ok bool) {
	if v != nil && v.nse.nsei != p.NSEI {
		if v.nse.persistent || v.nse.Alive() {
			v.events.InvalidNSEI++
			return nil, DropWrongID, false
		}
		s.deleteNSE(v.nse, now)
	}
	n = s.nses[p.NSEI]
	if n != nil && n.sns == nil && !n.persistent && !n.Alive() && p.Reset && src.bind.cfg.AcceptSNS {
		s.deleteNSE(n, now) // libosmogb tries NS-RESET before SNS-SIZE when it hears that an NS-VC is unknown
		n = nil
	}
	switch {
	case n != nil && (n.sns == nil || n.role != RoleSGSN):
		return nil, DropConflict, false
	case n != nil:
		return n, 0, true
	case !src.bind.cfg.AcceptSNS || s.noNew:
		return nil, DropNotAccepted, false
	case !p.Reset:
		return nil, DropState, false
	case s.full() && !s.makeRoom(now):
		return nil, DropLimitNSEs, false
	}
	return nil, 0, true
}

// sizePlan is what an acceptable SNS-SIZE leads to.
type sizePlan struct {
	local    []localEndpoint
	faced    netip.Addr
	v6       bool
	maxVCs   int
	maxPeers int
}

// judgeSize checks the numbers of an SNS-SIZE against our endpoints; IPv6 is
// preferred when both sides have it.
func (x *sns) judgeSize(src path, p *PDU) (plan sizePlan, c Cause, ok bool) {
	v4, v6 := p.Has.Has(IEIPv4Count), p.Has.Has(IEIPv6Count)
	if !v4 && !v6 {
		return plan, CauseMissingEssentialIE, false
	}
	names := x.sgsnBinds(src)
	plan.maxVCs = int(p.MaxNSVCs)
	c = CauseInvalidIPv4Count
	if v6 {
		c = CauseInvalidIPv6Count
		plan.faced = familyOf(src, false)
		plan.local, plan.v6, plan.maxPeers = x.localEndpoints(names, plan.faced), true, int(p.IPv6Count)
	}
	if v4 && (len(plan.local) == 0 || plan.maxPeers == 0) {
		plan.faced = familyOf(src, true)
		plan.local, plan.v6, plan.maxPeers = x.localEndpoints(names, plan.faced), false, int(p.IPv4Count)
	}
	n := len(plan.local) * plan.maxPeers
	switch {
	case n == 0:
		return plan, c, false
	case plan.maxVCs < n || n > x.stack().limits.VCsPerNSE:
		return plan, CauseInvalidNSVCs, false
	}
	return plan, 0, true
}

// familyOf returns an address of the family, the remote's own if it is of it.
func familyOf(src path, v4 bool) netip.Addr {
	switch a := src.remote.Addr(); {
	case a.Is4() == v4:
		return a
	case v4:
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// sgsnBinds names our endpoints: the NSE's own, else the default ones, else
// the bind on which the BSS speaks.
func (x *sns) sgsnBinds(src path) []string {
	switch {
	case len(x.binds) > 0:
		return x.binds
	case len(x.stack().cfg.SNSDefaultBinds) > 0:
		return x.stack().cfg.SNSDefaultBinds
	}
	return []string{src.bind.cfg.Name}
}

// sgsnBegin begins a run after an acceptable SNS-SIZE.
func (x *sns) sgsnBegin(now time.Time, src path, plan sizePlan) {
	s := x.stack()
	x.reset(now)
	x.local, x.v6, x.maxVCs, x.maxPeers = plan.local, plan.v6, plan.maxVCs, plan.maxPeers
	x.path, x.faced = src, plan.faced
	s.newVC(x.nse, src.bind, src.remote, now)
	x.to(snsWaitConfig, now, true)
	x.send(buildSNS(PDUSNSSizeAck, x.nse.nsei, nil))
}

// sgsnExpired guards the wait for the BSS's CONFIG, which the BSS repeats, and
// repeats our own.
func (x *sns) sgsnExpired(now time.Time) {
	if x.state != snsWaitConfig && x.state != snsWaitConfigAck {
		return
	}
	x.tries++
	if x.tries > x.stack().cfg.Timers.retries(TsnsConfigRetries) {
		x.fail(now, "no answer")
		x.sgsnGiveUp(now)
		return
	}
	if x.state == snsWaitConfigAck {
		x.dropEarly()
		x.sendConfig()
	}
	x.arm(now)
}

// sgsnGiveUp deletes a dynamic NSE; a configured one waits for the next SIZE.
func (x *sns) sgsnGiveUp(now time.Time) {
	if !x.nse.persistent {
		x.stack().deleteNSE(x.nse, now)
		return
	}
	x.reset(now)
}

// sgsnConfig takes the BSS's endpoints, then tells ours.
func (x *sns) sgsnConfig(now time.Time, from path, p *PDU) bool {
	switch x.state {
	case snsWaitConfigAck:
		x.ackAgain(from, p)
		return true
	case snsWaitConfig:
	default:
		return false
	}
	if cause, ok := x.takeRemote(p); !ok {
		x.remote = nil
		x.ackConfig(from, &cause)
		return true
	}
	x.ackConfig(from, nil)
	if p.EndFlag {
		x.to(snsWaitConfigAck, now, true)
		for _, l := range x.local {
			x.await(l, now)
		}
		x.sendConfig()
	}
	return true
}

func (x *sns) sgsnConfigAck(now time.Time, p *PDU) bool {
	if x.state != snsWaitConfigAck {
		return false
	}
	if p.Has.Has(IECause) {
		x.stack().warn(now, "SNS-CONFIG refused", "nse", x.nse, "cause", p.Cause.String())
		return true
	}
	if x.configAcked(now) {
		x.mesh(now)
	}
	return true
}
