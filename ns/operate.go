package ns

import (
	"fmt"
	"time"
)

// The operator's actions; the errors say what there is instead.

// onNSVCI gives an O&M event to the NS-VC that has the NSVCI.
func (s *Stack) onNSVCI(nsvci uint16, now time.Time, ev vcEvent) error {
	v := s.vcOfNSVCI(nsvci)
	if v == nil {
		return fmt.Errorf("ns: no NS-VC with NSVCI %d", nsvci)
	}
	if !v.event(now, ev) {
		return fmt.Errorf("ns: NS-VC %d is %s: no %s", nsvci, v.current(), ev)
	}
	s.settle(now)
	return nil
}

// BlockVC blocks an NS-VC until UnblockVC: the peer's NS-UNBLOCK is answered
// with another NS-BLOCK.
func (s *Stack) BlockVC(nsvci uint16, now time.Time) error { return s.onNSVCI(nsvci, now, evOMBlock) }

// UnblockVC ends BlockVC.
func (s *Stack) UnblockVC(nsvci uint16, now time.Time) error {
	return s.onNSVCI(nsvci, now, evOMUnblock)
}

// ResetVC begins the reset procedure.
func (s *Stack) ResetVC(nsvci uint16, now time.Time) error { return s.onNSVCI(nsvci, now, evOMReset) }

func (s *Stack) needNSE(nsei uint16) (*NSE, error) {
	if n := s.nses[nsei]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("ns: no NSE with NSEI %d", nsei)
}

// RestartSNS begins the SNS procedures of an NSE anew, with the next endpoint.
// In the SGSN role it is the BSS that begins: a dynamic NSE is deleted, a
// configured one awaits its SNS-SIZE.
func (s *Stack) RestartSNS(nsei uint16, now time.Time) error {
	n, err := s.needNSE(nsei)
	if err != nil {
		return err
	}
	if n.sns == nil {
		return fmt.Errorf("ns: NSE %d has no SNS: its dialect is %s", nsei, n.dialect)
	}
	s.restartSNS(n, now)
	s.settle(now)
	return nil
}

func (s *Stack) restartSNS(n *NSE, now time.Time) {
	if n.role == RoleSGSN {
		n.sns.sgsnGiveUp(now)
		return
	}
	n.sns.candidate++
	n.sns.begin(now)
}

// ForceUnconfigured deletes a dynamic NSE, restarts the SNS of a configured
// one, else its NS-VCs.
func (s *Stack) ForceUnconfigured(nsei uint16, now time.Time) error {
	n, err := s.needNSE(nsei)
	if err != nil {
		return err
	}
	switch {
	case !n.persistent:
		s.deleteNSE(n, now)
	case n.sns != nil:
		s.restartSNS(n, now)
	default:
		for _, v := range n.vcs {
			v.event(now, evForce)
			v.event(now, evStart)
		}
	}
	s.settle(now)
	return nil
}

// DeleteDynamic removes a dynamic NSE and its NS-VCs.
func (s *Stack) DeleteDynamic(nsei uint16, now time.Time) error {
	n, err := s.needNSE(nsei)
	if err != nil {
		return err
	}
	if n.persistent {
		return fmt.Errorf("ns: NSE %d is configured, not dynamic", nsei)
	}
	s.deleteNSE(n, now)
	s.settle(now)
	return nil
}
