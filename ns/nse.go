package ns

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// NSE is one network service entity at run time. Owner, Alive, NSEI,
// Persistent and MTU may be read from anywhere; the rest belongs to the loop.
type NSE struct {
	Owner any // what Upper.NewNSE returned; set before workers can see the NSE

	nsei       uint16
	persistent bool
	alive      atomic.Bool
	share      atomic.Pointer[share]

	stack   *Stack
	dialect Dialect
	role    Role
	vcs     []*VC
	past    Counters // of the NS-VCs that are gone
	since   time.Time
	sigTurn uint32 // the loop's turn among signalling weights
	sns     *sns   // DialectSNS only
	snsLost bool   // the last signalling way was lost; settle deals with it
	gone    bool
	lived   bool // was alive once
}

// NSEI returns the network service entity identifier.
func (n *NSE) NSEI() uint16 { return n.nsei }

// Alive tells whether the NSE can carry signalling and data.
func (n *NSE) Alive() bool { return n.alive.Load() }

// Persistent tells whether the NSE is configured, not dynamic.
func (n *NSE) Persistent() bool { return n.persistent }

// udpMTU is the longest NS SDU with its header that UDP carries; defaultMTU
// holds while nothing is known.
const (
	udpMTU     = 65527
	defaultMTU = 1598
)

// MTU returns the longest NS PDU that goes to the NSE, in octets.
func (n *NSE) MTU() int {
	switch s := n.share.Load(); {
	case s == nil:
		return defaultMTU
	case s.mtu > 0:
		return s.mtu
	}
	return udpMTU
}

// LogValue names the NSE in logs.
func (n *NSE) LogValue() slog.Value { return slog.StringValue(n.String()) }

func (n *NSE) String() string { return fmt.Sprintf("NSE(%05d)", n.nsei) }

// LogValue names the NS-VC in logs.
func (v *VC) LogValue() slog.Value { return slog.StringValue(v.String()) }

func (v *VC) String() string {
	id := "none"
	if v.hasNSVCI {
		id = fmt.Sprintf("%05d", v.nsvci)
	}
	if v.bind.cfg.Link == LinkFR {
		return fmt.Sprintf("NSE(%05d)-NSVC(%s) %s dlci %d", v.nse.nsei, id, v.bind.cfg.FRNetIf, v.remote.Port())
	}
	return fmt.Sprintf("NSE(%05d)-NSVC(%s) %s<>%s", v.nse.nsei, id, v.bind.local, v.remote)
}

// newNSE makes an NSE known, without NS-VCs.
func (s *Stack) newNSE(nsei uint16, d Dialect, role Role, persistent bool, now time.Time) *NSE {
	s.tell(now) // of an NSE with the same NSEI that is being replaced
	n := &NSE{nsei: nsei, dialect: d, role: role, persistent: persistent, stack: s, since: now}
	if d == DialectSNS {
		n.sns = newSNS(n)
	}
	if !persistent {
		s.dynamic++
	}
	s.nses[nsei] = n
	n.Owner = s.upper.NewNSE(n)
	s.log.Info("NSE created", "cat", "lns", "nse", n, "dialect", d.String(), "persistent", persistent)
	return n
}

// deleteNSE forgets an NSE with its NS-VCs.
func (s *Stack) deleteNSE(n *NSE, now time.Time) {
	if n.gone {
		return
	}
	n.gone = true
	if n.sns != nil {
		s.timers.stop(&n.sns.timer)
		n.sns.dropEarly()
	}
	s.deleteVCs(n, now)
	delete(s.nses, n.nsei)
	if !n.persistent {
		s.dynamic--
	}
	s.log.Info("NSE deleted", "cat", "lns", "nse", n)
	s.events = append(s.events, event{nse: n, free: true})
}

func (s *Stack) deleteVCs(n *NSE, now time.Time) {
	for len(n.vcs) > 0 {
		s.deleteVC(n.vcs[len(n.vcs)-1], now)
	}
}

func (n *NSE) dropVC(v *VC) {
	n.past.add(v.count())
	n.vcs = slices.DeleteFunc(n.vcs, func(o *VC) bool { return o == v })
}

func (n *NSE) vcByNSVCI(nsvci uint16) *VC {
	for _, v := range n.vcs {
		if v.hasNSVCI && v.nsvci == nsvci {
			return v
		}
	}
	return nil
}

// recompute publishes the load sharing table and whether the NSE is available.
func (n *NSE) recompute(now time.Time) {
	sh := newShare(n.vcs)
	n.share.Store(sh)
	if n.sns != nil && n.sns.configured() && sh.sigSum == 0 && !n.snsLost {
		n.snsLost = true
		n.stack.lost = append(n.stack.lost, n)
	}
	alive := sh.carries()
	if alive == n.alive.Load() {
		return
	}
	n.alive.Store(alive)
	n.since = now
	n.lived = true // dead is what it was made as
	ev := EventFailure
	if alive {
		ev = EventRecovery
	}
	n.stack.log.Log(context.Background(), slog.Level(2), "NSE availability", "cat", "lns", "nse", n, "alive", alive)
	n.stack.post(n, ev)
}
