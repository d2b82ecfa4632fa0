package ns

import (
	"net/netip"
	"time"
)

// NSEs and NS-VCs that unknown remotes make. Which PDU does what:
//
//	SNS-SIZE             makes an IP-SNS NSE, or attaches to one (snssgsn.go)
//	other SNS PDUs       belong to the NSE whose signalling endpoint sent them
//	NS-RESET             makes an ip.access NS-VC and, if need be, its NSE
//	STATUS, *-ACK        dropped
//	ALIVE, UNITDATA      answered by NS-STATUS "NS-VC unknown" where strangers may
//	                     come, so that a peer whose NS-VC a restart of ours has
//	                     lost begins anew at once, and not when its test procedure
//	                     gives up
//	anything else        answered by NS-STATUS "PDU not compatible"

// receiveUnknown deals with a datagram from a remote that has no NS-VC.
func (s *Stack) receiveUnknown(now time.Time, src path, p *PDU, err error, dgram []byte) {
	switch t := p.Type; {
	case src.bind.fr != nil: // Frame Relay: what is configured, and no more
		src.bind.drop(DropUnknownRemote)
	case t == PDUStatus, t == PDUAliveAck, t == PDUResetAck, t == PDUBlockAck, t == PDUUnblockAck:
		src.bind.drop(DropUnknownRemote)
	case t == PDUReset && !src.bind.cfg.AcceptIPAccess && err == nil:
		src.bind.drop(DropNotAccepted)
		s.sendStatus(now, src, buildStatus(CauseNotCompatible, dgram))
	case (t == PDUReset || t >= PDUSNSAck) && err != nil:
		s.refuse(now, src, p, err, dgram)
	case t == PDUReset:
		s.resetFromUnknown(now, src, p)
	case t >= PDUSNSAck:
		s.rxSNS(now, src, nil, p, dgram)
	case (t == PDUAlive || t == PDUUnitdata) && src.bind.takesStrangers() && !s.noNew:
		src.bind.drop(DropUnknownRemote)
		s.sendStatus(now, src, buildStatusUnknown())
	default:
		src.bind.drop(DropUnknownRemote)
		s.sendStatus(now, src, buildStatus(CauseNotCompatible, dgram))
	}
}

func (b *bind) takesStrangers() bool { return b.cfg.AcceptIPAccess || b.cfg.AcceptSNS }

// resetFromUnknown makes an ip.access NS-VC. An NSVCI that a dynamic NS-VC has
// moves here: a BTS whose address has changed. What is configured is never
// replaced.
func (s *Stack) resetFromUnknown(now time.Time, src path, p *PDU) {
	n := s.nses[p.NSEI]
	old := s.vcOfNSVCI(p.NSVCI)
	why, ok := s.mayReset(n, old)
	if why == DropLimitNSEs && s.makeRoom(now) {
		old, ok = s.vcOfNSVCI(p.NSVCI), true
	}
	if !ok {
		src.bind.drop(why)
		s.warn(now, "NS-RESET from unknown remote refused", "remote", src.remote, "nsei", p.NSEI,
			"nsvci", p.NSVCI, "reason", why.String())
		return
	}
	if n == nil {
		n = s.newNSE(p.NSEI, DialectIPAccess, RoleSGSN, false, now)
	}
	v := s.newVC(n, src.bind, src.remote, now)
	v.setNSVCI(p.NSVCI, true)
	if old != nil {
		v.events.Replaced++
		s.moved(now, n, old.remote, src.remote)
		s.replace(old, n, v, now)
	}
	v.event(now, evStart)
	v.event(now, evReset)
}

// mayReset tells whether an NS-RESET for NSE n may make an NS-VC, in place of
// old if that exists.
func (s *Stack) mayReset(n *NSE, old *VC) (why Drop, ok bool) {
	switch {
	case s.noNew:
		return DropNotAccepted, false
	case n != nil && (n.persistent || n.dialect != DialectIPAccess):
		return DropConflict, false
	case old != nil && (old.persistent || old.nse.persistent):
		return DropConflict, false
	case n == nil && s.full() && !movesAlone(old):
		return DropLimitNSEs, false
	case n != nil && len(n.vcs) >= s.limits.VCsPerNSE && !(old != nil && old.nse == n):
		return DropLimitVCs, false
	}
	return 0, true
}

// movesAlone tells that an NS-VC takes its NSE with it when it moves.
func movesAlone(old *VC) bool { return old != nil && len(old.nse.vcs) == 1 }

// givesWay tells that a peer which is another than that of NS-VC v comes from its
// address by an NS-RESET, and that v is dynamic and dead: a BTS has got the
// address that another had before.
func (s *Stack) givesWay(v *VC, p *PDU) bool {
	return p.Type == PDUReset && v.current() == stReset && (p.NSEI != v.nse.nsei || p.NSVCI != v.nsvci) &&
		!v.persistent && !v.nse.persistent && !s.noNew && v.bind.cfg.AcceptIPAccess
}

// clear deletes a dynamic NS-VC, and its NSE with the last.
func (s *Stack) clear(v *VC, now time.Time) {
	s.deleteVC(v, now)
	if len(v.nse.vcs) == 0 {
		s.deleteNSE(v.nse, now)
	}
}

// full tells that there may be no more dynamic NSEs.
func (s *Stack) full() bool { return s.dynamic >= s.limits.DynamicNSEs }

// makeRoom deletes a dead dynamic NSE: one that never lived before others, then
// the oldest. Else datagrams from as many forged addresses as there
// may be NSEs would keep every BSS out for good. It tells whether there is room.
func (s *Stack) makeRoom(now time.Time) bool {
	var out *NSE
	for _, n := range s.nses {
		if !n.persistent && !n.Alive() && (out == nil || n.goesBefore(out)) {
			out = n
		}
	}
	if out == nil {
		return false
	}
	s.warn(now, "dynamic NSEs are full; a dead one gives way", "nse", out)
	s.deleteNSE(out, now)
	return !s.full()
}

func (n *NSE) goesBefore(o *NSE) bool {
	if n.lived != o.lived {
		return o.lived
	}
	return n.since.Before(o.since)
}

// replace frees an NS-VC that has moved to v of NSE n, and its NSE when that
// was its last.
func (s *Stack) replace(old *VC, n *NSE, v *VC, now time.Time) {
	was := old.nse
	s.deleteVC(old, now)
	if was != n {
		v.events.NSEIChanged++
		if len(was.vcs) == 0 {
			s.deleteNSE(was, now)
		}
	}
}

// moved tells that a peer came back from another address.
func (s *Stack) moved(now time.Time, n *NSE, before, after netip.AddrPort) {
	s.moves.Add(1)
	s.warn(now, "NSE comes from another address", "nse", n, "before", before, "now", after)
}

func (s *Stack) vcOfNSVCI(nsvci uint16) *VC {
	for _, n := range s.nses {
		if v := n.vcByNSVCI(nsvci); v != nil {
			return v
		}
	}
	return nil
}
