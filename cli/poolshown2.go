package cli

import (
	"fmt"
	"strings"

	"poolgw/gb"
	"poolgw/n2"
	"poolgw/vty"
)

// hasN2 tells whether there is something of N2 to be shown, and hasGb whether
// there is of Gb: one without the other is shown alone.
func (s *bothStates) hasN2() bool { return s.n2.Running || len(s.n2.Pool.AMFs) > 0 }

func (s *bothStates) hasGb() bool { return len(s.gb.Pool.SGSNs) > 0 || !s.hasN2() }

// pools is what "show pool json" shows: the pool of SGSNs, and that of AMFs
// beneath "n2" where there is one.
type pools struct {
	gb.PoolState
	N2 *n2.PoolState `json:"n2,omitempty"`
}

func pickPools(s *bothStates, _ vty.Args) (any, error) {
	p := pools{PoolState: s.gb.Pool}
	if s.hasN2() {
		p.N2 = &s.n2.Pool
	}
	return p, nil
}

func textPools(w *writer, s *bothStates, a vty.Args) {
	if s.hasGb() {
		textPool(w, &s.gb, a)
	}
	if !s.hasN2() {
		return
	}
	p := &s.n2.Pool
	affinity := "affinity"
	if !p.Affinity {
		affinity = "no affinity"
	}
	w.line("AMFs: NRI bitlen %d, selection %s, %s; %d UEs bound", p.BitLen, p.Selection, affinity, s.n2.UEs)
	textAMFs(w, &s.n2, a)
	textN2Reasons(w, p)
}

// textN2Reasons tells why UEs went where they did.
func textN2Reasons(w *writer, p *n2.PoolState) {
	for i, name := range sortedKeys(p.Reasons) {
		w.lineIf(i == 0, "Decisions for AMFs:")
		head := fmt.Sprintf(" %-14s %12d", name, p.Reasons[name])
		for _, l := range wrap(strings.Fields(n2.ReasonText(name, p.Selection == "hash")), " ", screen-len(head)-2) {
			w.line("%s  %s", head, l)
			head = strings.Repeat(" ", len(head))
		}
	}
}

// amfDrain is what "show drain json" shows of a drained AMF. Bound is exact: the
// UEs with a context there.
type amfDrain struct {
	n2.AMFState
	Estimate bool `json:"estimate"`
}

func pickDrains(s *bothStates, _ vty.Args) (any, error) {
	list := []any{}
	for _, d := range drained(&s.gb) {
		list = append(list, d)
	}
	for _, a := range drainedAMFs(&s.n2) {
		list = append(list, amfDrain{AMFState: *a})
	}
	return list, nil
}

func drainedAMFs(s *n2.Snapshot) (list []*n2.AMFState) {
	for i := range s.Pool.AMFs {
		if a := &s.Pool.AMFs[i]; !a.AllowAttach {
			list = append(list, a)
		}
	}
	return list
}

func textDrains(w *writer, s *bothStates, a vty.Args) {
	if s.hasGb() {
		textDrain(w, &s.gb, a)
	}
	if !s.hasN2() {
		return
	}
	list := drainedAMFs(&s.n2)
	if len(list) == 0 {
		w.line("No AMF is drained")
		return
	}
	w.line("AMF Name             State  Drained      UEs  Progress (UEs: with a context)")
	for _, m := range list {
		done := "in use"
		if m.Bound == 0 {
			done = "empty"
		}
		w.line("%3d %-16s %-5s %8s %8d  %s", m.ID, cut(m.Name, 16), upDown(m.Up), ago(s.n2.Time, m.DrainedSince), m.Bound, done)
	}
}

// pickAllNRIs: SGSNs have an nsei, AMFs an amf.
func pickAllNRIs(s *bothStates, _ vty.Args) (any, error) {
	list := []any{}
	for _, m := range s.gb.Pool.SGSNs {
		list = append(list, nriEntry{m.NSEI, m.Name, m.NRI})
	}
	for i := range s.n2.Pool.AMFs {
		list = append(list, amfNRI(&s.n2.Pool.AMFs[i]))
	}
	return list, nil
}

func textAllNRIs(w *writer, s *bothStates, a vty.Args) {
	textNRIs(w, &s.gb, a)
	for i := range s.n2.Pool.AMFs {
		writeAMFNRIs(w, &s.n2.Pool.AMFs[i])
	}
}
