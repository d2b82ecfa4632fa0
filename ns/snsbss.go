package ns

import (
	"net/netip"
	"time"
)

// The BSS role of SNS: what poolgw plays toward SGSNs.

// candidate is one way to reach the SGSN for a first time.
type candidate struct {
	bind   *bind
	remote netip.AddrPort
}

// candidates lists every bind with every endpoint of its family, the endpoints
// changing fastest.
func (x *sns) candidates() (list []candidate) {
	for _, name := range x.binds {
		b := x.stack().binds[name]
		if b == nil {
			continue
		}
		for _, r := range x.endpoints {
			if sameFamily(b.local.Addr(), r.Addr()) {
				list = append(list, candidate{b, r})
			}
		}
	}
	return list
}

// begin starts anew from SNS-SIZE with the candidate whose turn it is.
func (x *sns) begin(now time.Time) {
	s := x.stack()
	x.reset(now)
	list := x.candidates()
	for range list {
		c := list[x.candidate%len(list)]
		if x.use(c, now) {
			x.idle = false
			x.to(snsSize, now, true)
			x.sendSize()
			return
		}
		x.candidate++
	}
	x.to(snsUnconfigured, now, len(list) > 0) // another NSE may free its address
	if !x.idle {
		x.idle = true
		s.log.Warn("SNS has no endpoints to begin with", "cat", "lns", "nse", x.nse)
		s.post(x.nse, EventSNSNoEndpoints)
	}
}

// use prepares a run with candidate c; false when it can't carry one.
func (x *sns) use(c candidate, now time.Time) bool {
	if c.bind.vcs[c.remote] != nil {
		return false // another NSE's
	}
	local := x.localEndpoints(x.binds, c.remote.Addr())
	if sig, data := weightSums(local, localWeights); sig == 0 || data == 0 {
		return false
	}
	s := x.stack()
	x.local, x.v6, x.faced = local, c.remote.Addr().Is6(), c.remote.Addr()
	x.maxVCs = s.limits.VCsPerNSE
	x.maxPeers = x.maxVCs / len(local)
	x.path = path(c)
	s.newVC(x.nse, c.bind, c.remote, now).initiator = true
	return true
}

func (x *sns) sendSize() {
	p := buildSNS(PDUSNSSize, x.nse.nsei, nil)
	p.Has |= ies(IEResetFlag, IEMaxNSVCs)
	p.Reset, p.MaxNSVCs = true, uint16(min(x.maxVCs, 0xffff))
	id := IEIPv4Count
	if x.v6 {
		id = IEIPv6Count
	}
	p.Has |= ies(id)
	*p.word(id) = uint16(len(x.local))
	x.send(p)
}

// bssExpired repeats the request of the state, then goes to the next endpoint.
func (x *sns) bssExpired(now time.Time) {
	limit := TsnsConfigRetries
	switch x.state {
	case snsUnconfigured:
		x.begin(now)
		return
	case snsConfigured:
		return
	case snsSize:
		limit = TsnsSizeRetries
	}
	x.tries++
	if x.tries > x.stack().cfg.Timers.retries(limit) {
		x.fail(now, "no answer")
		x.candidate++
		x.begin(now)
		return
	}
	switch x.state {
	case snsSize:
		x.sendSize()
	case snsConfigBSS:
		x.sendConfig()
	} // snsConfigSGSN: it is the SGSN that repeats
	x.arm(now)
}

// bssSizeAck: a cause is logged, and the timer tries again.
func (x *sns) bssSizeAck(now time.Time, p *PDU) bool {
	if x.state != snsSize {
		return false
	}
	if p.Has.Has(IECause) {
		x.stack().warn(now, "SNS-SIZE refused", "nse", x.nse, "cause", p.Cause.String())
		return true
	}
	x.to(snsConfigBSS, now, true)
	x.sendConfig()
	return true
}

func (x *sns) bssConfigAck(now time.Time, p *PDU) bool {
	if x.state != snsConfigBSS {
		return false
	}
	if p.Has.Has(IECause) {
		x.stack().warn(now, "SNS-CONFIG refused", "nse", x.nse, "cause", p.Cause.String())
		return true
	}
	if !x.configAcked(now) {
		return true
	}
	x.remote = nil
	x.to(snsConfigSGSN, now, true)
	return true
}

// bssConfig takes the SGSN's endpoints.
func (x *sns) bssConfig(now time.Time, from path, p *PDU) bool {
	switch x.state {
	case snsConfigured, snsLocal:
		x.ackAgain(from, p)
		return true
	case snsConfigSGSN:
	default:
		return false
	}
	if cause, ok := x.takeRemote(p); !ok {
		x.ackConfig(from, &cause)
		x.fail(now, cause.String())
		x.candidate++
		x.stack().deleteVCs(x.nse, now)
		x.to(snsUnconfigured, now, true)
		return true
	}
	x.ackConfig(from, nil)
	if !p.EndFlag {
		x.tries = 0
		x.arm(now)
		return true
	}
	x.mesh(now)
	return true
}
