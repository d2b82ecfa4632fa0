package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"poolgw/nri"
)

// What two operators do: that of the gateway, whom the lab watches and follows,
// and that of the SGSNs, whom it plays.

// recovery is how long after an SGSN came back losses may still be found that
// its absence made: an echo counts as lost after LostAfter.
const recovery = 10 * time.Second

// history is what happened to an SGSN so far.
type history struct {
	nris     nri.Set   // that the gateway gave it last
	drained  time.Time // since when the gateway says "no allow-attach"; zero: not
	cut      time.Time // since when the gateway's operator has cut it off; zero: not
	joined   time.Time // when it was last put into the pool again
	empty    time.Time // since when it serves nobody; zero: it serves
	killed   time.Time
	troubled time.Time // when it was last killed, cut off, or not yet back
	lost     uint64    // echoes
	took     uint64    // of these, by its absence
	forgiven uint64    // PDUs that came as the operator changed what is right
	absent   bool      // it is not in the pool
	reviving string    // what hinders it
	reserved *net.UDPConn
}

// since is the time since t, 0 if t is zero.
func since(t, now time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return now.Sub(t)
}

// mark sets t when on begins, and to zero when it ends.
func mark(t *time.Time, on bool, now time.Time) {
	switch {
	case !on:
		*t = time.Time{}
	case t.IsZero():
		*t = now
	}
}

// cutBy tells why nothing can come from the gateway to an SGSN of its pool, as
// far as that is its operator's will; "" if nothing hinders it.
func (d *demo) cutBy(nsei uint16, at netip.AddrPort, ns *gwNS) string {
	for _, e := range ns.NSEs {
		for _, vc := range e.VCs {
			if e.NSEI != nsei || vc.Local != d.plan.toSGSNs || vc.Remote != at {
				continue
			}
			if vc.BlockedBy == byOperator {
				return "its NS-VC is blocked by the operator"
			}
			return ""
		}
	}
	return "the gateway has no NS-VC to it"
}

// bssCut tells why the BSSs can't reach the gateway, likewise.
func (d *demo) bssCut(ns *gwNS) string {
	for _, b := range ns.Binds {
		if b.Local == d.plan.toBSSs {
			if b.AcceptIPAccess && b.AcceptSNS {
				return ""
			}
			return "the gateway does not accept all BSSs"
		}
	}
	return fmt.Sprintf("the gateway does not listen at %s for BSSs", d.plan.toBSSs)
}

// follow takes over what the gateway's operator changed: it sets what is right
// and what is excused from now on.
func (d *demo) follow(v *view, pool *gwPool, now time.Time) {
	changed := v.misfit != ""
	for i := range v.members {
		m := &v.members[i]
		s, h := d.sgsns[i], d.history[m.nsei]
		if h.absent && m.inPool {
			h.joined = now
		}
		h.absent = !m.inPool
		mark(&h.cut, m.cut != "", now)
		mark(&h.drained, m.inPool && !m.gw.AllowAttach, now)
		nris, err := nri.ParseSet(m.gw.NRI)
		if !m.inPool || err != nil {
			nris = h.nris
		}
		if len(nris) > 0 && !nris.Equal(h.nris) {
			s.SetNRI(nris)
			h.nris = nris
		}
		changed = d.reg.pooled(m.nsei, nris, m.cut != "", now) || changed
	}
	if pool.Window != d.window {
		d.window, d.changed = pool.Window, now
	}
	if changed {
		d.forgive(v)
	}
}

// forgive leaves out the PDUs that went where the gateway's operator had just
// made it right to go.
func (d *demo) forgive(v *view) {
	for i := range v.members {
		d.history[v.members[i].nsei].forgiven = d.sgsns[i].Truth().SGSN.WrongSGSN
	}
}

// excuse sorts what was lost with an SGSN into what its absence took and the
// rest.
func (d *demo) excuse(v *view, now time.Time) {
	for i := range v.members {
		m := &v.members[i]
		h := d.history[m.nsei]
		away := !m.truth.Running || m.cut != "" || v.bssCut != ""
		if away || h.recovers(now) && !m.gw.Up {
			h.troubled = now
		}
		if h.recovers(now) {
			h.took += m.lost - h.lost
		}
		h.lost = m.lost
		m.took = h.took
		m.lost -= h.took
	}
}

// recovers tells that the SGSN is away or was until a moment ago.
func (h *history) recovers(now time.Time) bool {
	return !h.troubled.IsZero() && now.Sub(h.troubled) < recovery
}

// operate does what the operator of the SGSNs does: a member that the gateway
// keeps new subscribers from is switched to offload, so that it empties; and
// what the options ask for.
func (d *demo) operate(v *view) {
	for i, m := range v.members {
		s := d.sgsns[i]
		if m.inPool && v.deaf == "" && m.truth.Offload == m.gw.AllowAttach {
			s.Offload(!m.gw.AllowAttach)
		}
		if d.opt.Kill == s.NSEI() {
			d.history[s.NSEI()].killing(s, d.opt, v.elapsed)
		}
	}
}

// killing kills the SGSN and starts it again when it is time. Its port is kept
// in between: who else takes a free one would be in the way.
func (h *history) killing(s *SGSN, o Options, elapsed time.Duration) {
	switch {
	case h.killed.IsZero() && elapsed >= o.KillAfter:
		s.Stop()
		h.killed = time.Now()
		h.reserve(s.cfg.Listen[0])
	case !h.killed.IsZero() && o.Revive > 0 && elapsed >= o.KillAfter+o.Revive && !s.Running():
		h.release()
		h.reviving = ""
		if err := s.Start(); err != nil {
			h.reviving = why(err)
		}
	}
}

func (h *history) reserve(at netip.AddrPort) {
	h.reserved, _ = net.ListenUDP("udp", net.UDPAddrFromAddrPort(at)) // else somebody was faster: see killing
}

func (h *history) release() {
	if h.reserved != nil {
		h.reserved.Close()
		h.reserved = nil
	}
}

// why says in short why an SGSN can't be started.
func why(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "its port is taken"
	}
	return err.Error()
}
