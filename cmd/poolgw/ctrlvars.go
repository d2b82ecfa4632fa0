package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"poolgw/ctrl"
	"poolgw/gb"
)

// snapshotWait bounds how long a CTRL or metrics request waits for the loop.
const snapshotWait = 2 * time.Second

// ctrlVars are the variables of the Gb gateway.
func ctrlVars(gw *gb.Gateway) []ctrl.Var {
	from := func(f func(s *gb.Snapshot) string) func(string) (string, error) {
		return func(string) (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), snapshotWait)
			defer cancel()
			s, err := gw.Snapshot(ctx)
			if err != nil {
				return "", err
			}
			return f(&s), nil
		}
	}
	return append(fsmVars(gw), []ctrl.Var{
		{Name: "number-of-peers", Get: from(func(s *gb.Snapshot) string { return fmt.Sprint(len(peerLines(s))) })},
		{Name: "gbproxy-state", Get: from(func(s *gb.Snapshot) string { return lines(peerLines(s)) })},
		{Name: "nsvc-state", Get: from(func(s *gb.Snapshot) string { return lines(nsvcLines(s)) })},
		{Name: "nse-state", Get: from(func(s *gb.Snapshot) string { return lines(nseLines(s)) })},
		{Name: "bvc-state", Get: from(func(s *gb.Snapshot) string { return lines(bvcLines(s)) })},
		{Name: "sgsn-state", Get: from(func(s *gb.Snapshot) string { return lines(sgsnLines(s)) })},
	}...)
}

func lines(l []string) string {
	if len(l) == 0 {
		return ""
	}
	return strings.Join(l, "\n") + "\n"
}

// peerLines are the PTP BVCs of the BSSs: "nsei,bvci,mcc-mnc-lac-rac,STATE".
func peerLines(s *gb.Snapshot) (out []string) {
	for _, b := range s.BSSs {
		for _, v := range b.BVCs {
			if v.BVCI >= 2 {
				out = append(out, fmt.Sprintf("%d,%d,%s,%s", b.NSEI, v.BVCI, v.RAI, v.State))
			}
		}
	}
	return out
}

// nsvcLines are the NS-VCs: "nsei,udp)[local]:port<>[remote]:port,STATE,SGSN|BSS",
// and "nsei,fr)netif: hdlc0 dlci: 16,…".
func nsvcLines(s *gb.Snapshot) (out []string) {
	sgsn := sgsnNSEIs(s)
	for _, n := range s.NS.NSEs {
		for _, v := range n.VCs {
			out = append(out, fmt.Sprintf("%d,%s,%s,%s", n.NSEI, v.Way(), v.State, sideName(sgsn[n.NSEI])))
		}
	}
	return out
}

func sgsnNSEIs(s *gb.Snapshot) map[uint16]bool {
	set := map[uint16]bool{}
	for _, m := range s.Pool.SGSNs {
		set[m.NSEI] = true
	}
	return set
}

// The lines of nse-state, bvc-state and sgsn-state are what traps of these names
// tell.

func nseLines(s *gb.Snapshot) (out []string) {
	sgsn := sgsnNSEIs(s)
	for _, n := range s.NS.NSEs {
		out = append(out, trapLine(gb.NSEChange{NSEI: n.NSEI, SGSN: sgsn[n.NSEI], Alive: n.Alive}))
	}
	return out
}

func bvcLines(s *gb.Snapshot) (out []string) {
	list := func(nsei uint16, sgsn bool, bvcs []gb.BVCState) {
		for _, b := range bvcs {
			out = append(out, trapLine(gb.BVCChange{NSEI: nsei, BVCI: b.BVCI, SGSN: sgsn, State: b.State}))
		}
	}
	for _, b := range s.BSSs {
		list(b.NSEI, false, b.BVCs)
	}
	for _, m := range s.Pool.SGSNs {
		list(m.NSEI, true, m.BVCs)
	}
	return out
}

func sgsnLines(s *gb.Snapshot) (out []string) {
	for _, m := range s.Pool.SGSNs {
		out = append(out, trapLine(gb.SGSNChange{NSEI: m.NSEI, Name: m.Name, Up: m.Up}))
	}
	return out
}

func trapLine(c gb.Change) string {
	_, value := trapOf(c)
	return value
}
