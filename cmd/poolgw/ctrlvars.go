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
	return []ctrl.Var{
		{Name: "number-of-peers", Get: from(func(s *gb.Snapshot) string { return fmt.Sprint(len(peerLines(s))) })},
		{Name: "gbproxy-state", Get: from(func(s *gb.Snapshot) string { return lines(peerLines(s)) })},
		{Name: "nsvc-state", Get: from(func(s *gb.Snapshot) string { return lines(nsvcLines(s)) })},
	}
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

// nsvcLines are the NS-VCs: "nsei,udp)[local]:port<>[remote]:port,STATE,SGSN|BSS".
func nsvcLines(s *gb.Snapshot) (out []string) {
	sgsn := map[uint16]bool{}
	for _, m := range s.Pool.SGSNs {
		sgsn[m.NSEI] = true
	}
	for _, n := range s.NS.NSEs {
		side := "BSS"
		if sgsn[n.NSEI] {
			side = "SGSN"
		}
		for _, v := range n.VCs {
			nsvci := ""
			if v.NSVCI != nil {
				nsvci = fmt.Sprint(*v.NSVCI)
			}
			out = append(out, fmt.Sprintf("%d,udp)[%s]:%d<%s>[%s]:%d,%s,%s", n.NSEI, v.Local.Addr(), v.Local.Port(),
				nsvci, v.Remote.Addr(), v.Remote.Port(), v.State, side))
		}
	}
	return out
}
