package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"poolgw/gb"
	"poolgw/ns"
	"poolgw/vty"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

const (
	gbproxyHelp = "The Gb gateway"
	bvcHelp     = "BSSGP virtual connections"
	cellHelp    = "Cells"
	statsOpt    = "With counters"
)

// gbproxyShows show BVCs, cells and caches.
func (p *program) gbproxyShows() []vty.Command {
	side := []string{showHelp, gbproxyHelp, bvcHelp, "Toward the BSSs", "Toward the SGSNs"}
	cell := []string{showHelp, gbproxyHelp, cellHelp}
	of := []string{"Of one NSE", nseiNum}
	var cmds []vty.Command
	withStats := func(syntax string, help []string, v view) {
		cmds = append(cmds, p.showsStats(syntax, help, v)...)
	}
	withStats("show gbproxy bvc (bss|sgsn)", side, view{pickBVCs, textBVCs})
	withStats("show gbproxy bvc (bss|sgsn) nsei <0-65535>", append(side[:len(side):len(side)], of...), view{pickBVCs, textBVCs})
	withStats("show gbproxy cell", cell, view{pickCells, textCells})
	withStats("show gbproxy cell nsei <0-65535>", append(cell[:len(cell):len(cell)], of...), view{pickCells, textCells})
	for _, c := range [][]vty.Command{
		p.shows("show gbproxy tlli-cache", []string{showHelp, gbproxyHelp, "Which BSS suspended or resumed a TLLI"},
			view{func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.TLLIs, nil }, textTLLIs}),
		p.shows("show gbproxy imsi-cache", []string{showHelp, gbproxyHelp, "Which SGSN paged an IMSI, which BSS asked for it"},
			view{func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.IMSIs, nil }, textIMSIs}),
		p.shows("show gbproxy drops", []string{showHelp, gbproxyHelp, "PDUs that were dropped, by reason"},
			view{func(s *gb.Snapshot, _ vty.Args) (any, error) { return s.Drops, nil }, textDrops}),
	} {
		cmds = append(cmds, c...)
	}
	// All BVCs of both sides, for programs.
	return append(cmds, showJSONOf(p.snapshot, "show gbproxy bvc", side[:3], view{pick: func(s *gb.Snapshot, _ vty.Args) (any, error) {
		return map[string]any{"bss": s.BSSs, "sgsn": sgsnSide(s, nil)}, nil
	}}))
}

// nseFilter returns the NSEI that the arguments name, or nil; stats tells
// whether counters are wanted. The side, if any, comes first.
func nseFilter(a vty.Args, at int) (nsei *uint16, stats bool) {
	for _, w := range a[min(at, len(a)):] {
		switch {
		case w == "stats":
			stats = true
		case w != "":
			n := nseiKey(vty.Args{w}).(uint16)
			nsei = &n
		}
	}
	return nsei, stats
}

// sgsnSide returns the SGSN-side BVCs in the form of the BSS side.
func sgsnSide(s *gb.Snapshot, nsei *uint16) []gb.BSSState {
	out := []gb.BSSState{}
	for _, m := range s.Pool.SGSNs {
		if nsei == nil || *nsei == m.NSEI {
			out = append(out, gb.BSSState{NSEI: m.NSEI, Alive: nseAlive(s, m.NSEI), BVCs: m.BVCs})
		}
	}
	return out
}

// nseAlive tells whether the NS layer can carry an NSE's PDUs.
func nseAlive(s *gb.Snapshot, nsei uint16) bool {
	return slices.ContainsFunc(s.NS.NSEs, func(n ns.NSEState) bool { return n.NSEI == nsei && n.Alive })
}

func bvcSide(s *gb.Snapshot, a vty.Args) []gb.BSSState {
	nsei, _ := nseFilter(a, 1)
	if a[0] == "sgsn" {
		return sgsnSide(s, nsei)
	}
	out := []gb.BSSState{}
	for _, b := range s.BSSs {
		if nsei == nil || *nsei == b.NSEI {
			out = append(out, b)
		}
	}
	return out
}

func pickBVCs(s *gb.Snapshot, a vty.Args) (any, error) { return bvcSide(s, a), nil }

func textBVCs(w *writer, s *gb.Snapshot, a vty.Args) {
	_, stats := nseFilter(a, 1)
	for _, n := range bvcSide(s, a) {
		for i := range n.BVCs {
			textBVC(w, n.NSEI, &n.BVCs[i], stats)
		}
	}
}

func textBVC(w *writer, nsei uint16, b *gb.BVCState, stats bool) {
	if b.BVCI == 0 {
		w.line("NSEI %5d, SIG-BVCI %5d [%s]", nsei, b.BVCI, b.State)
	} else {
		w.line("NSEI %5d, PTP-BVCI %5d, RAI %s, CellID %d [%s]", nsei, b.BVCI, b.RAI, b.CI, b.State)
	}
	if stats {
		w.line("  From it: %12d PDUs %15d octets", b.FromPDUs, b.FromBytes)
		w.line("  To it:   %12d PDUs %15d octets", b.ToPDUs, b.ToBytes)
		w.line("  Dropped: %12d PDUs", b.Drops)
	}
}

func cells(s *gb.Snapshot, a vty.Args) []gb.CellState {
	nsei, _ := nseFilter(a, 0)
	out := []gb.CellState{}
	for _, c := range s.Cells {
		if nsei == nil || *nsei == c.BSS || slices.Contains(c.SGSNs, *nsei) {
			out = append(out, c)
		}
	}
	return out
}

func pickCells(s *gb.Snapshot, a vty.Args) (any, error) { return cells(s, a), nil }

func textCells(w *writer, s *gb.Snapshot, a vty.Args) {
	_, stats := nseFilter(a, 0)
	for _, c := range cells(s, a) {
		sgsns := make([]string, len(c.SGSNs))
		for i, n := range c.SGSNs {
			sgsns[i] = fmt.Sprintf("%5d", n)
		}
		textCell(w, fmt.Sprintf("BVCI %5d RAI %s CID %05d: BSS NSEI %5d, SGSN NSEI ", c.BVCI, c.RAI, c.CI, c.BSS), sgsns)
		if b := bvcOf(s, c.BSS, c.BVCI); stats && b != nil {
			textBVC(w, c.BSS, b, true)
		}
	}
}

// textCell is one line as osmo-gbproxy has it, and further ones for what does
// not fit the screen.
func textCell(w *writer, head string, sgsns []string) {
	const further = "           SGSN NSEI "
	n := len(sgsns)
	for n > 1 && len(head)+len(strings.Join(sgsns[:n], ", ")) > screen {
		n--
	}
	w.line("%s%s", head, strings.Join(sgsns[:n], ", "))
	if n < len(sgsns) {
		for _, l := range wrap(sgsns[n:], ", ", screen-len(further)) {
			w.line("%s%s", further, l)
		}
	}
}

// bvcOf returns a BVC of the BSS side, or nil.
func bvcOf(s *gb.Snapshot, nsei, bvci uint16) *gb.BVCState {
	for i := range s.BSSs {
		for j := range s.BSSs[i].BVCs {
			if b := &s.BSSs[i].BVCs[j]; s.BSSs[i].NSEI == nsei && b.BVCI == bvci {
				return b
			}
		}
	}
	return nil
}

// nseName is an NSE with its side, "NSE(02001/BSS)".
func nseName(s *gb.Snapshot, nsei uint16) string {
	if member(s, nsei) != nil {
		return fmt.Sprintf("NSE(%05d/SGSN)", nsei)
	}
	return fmt.Sprintf("NSE(%05d/BSS)", nsei)
}

// cacheLives is "10s", or both lives of a cache when they differ.
func cacheLives(s *gb.Snapshot, timerA, nameA, timerB, nameB string) string {
	value := func(name string) (v uint16) {
		for _, t := range s.Timers {
			if t.Name == name && t.Group != "ns" {
				v = t.Value
			}
		}
		return v
	}
	a, b := value(timerA), value(timerB)
	if a == b {
		return fmt.Sprintf("%ds", a)
	}
	return fmt.Sprintf("%ds (%s), %ds (%s)", a, nameA, b, nameB)
}

func textTLLIs(w *writer, s *gb.Snapshot, _ vty.Args) {
	w.line("TLLI cache timeout %s", cacheLives(s, "t3", "SUSPEND", "t4", "RESUME"))
	for _, e := range s.TLLIs {
		w.line(" TLLI %08x -> %s valid %.0fs", e.TLLI, nseName(s, e.NSEI), e.Valid.Seconds())
	}
	w.line("TLLI cache contains %d entries", len(s.TLLIs))
}

func textIMSIs(w *writer, s *gb.Snapshot, _ vty.Args) {
	w.line("IMSI cache timeout %s", cacheLives(s, "paging", "paging", "registration-enquiry", "ms-reg-enq"))
	for _, e := range s.IMSIs {
		w.line(" IMSI %s (%s) -> %s: valid %.0fs", e.IMSI, e.Usage, nseName(s, e.NSEI), e.Valid.Seconds())
	}
	w.line("IMSI cache contains %d entries", len(s.IMSIs))
}

func textDrops(w *writer, s *gb.Snapshot, _ vty.Args) {
	total := uint64(0)
	for _, reason := range sortedKeys(s.Drops) {
		w.lineIf(s.Drops[reason] > 0, " %-40s %12d", reason, s.Drops[reason])
		total += s.Drops[reason]
	}
	w.lineIf(total == 0, "Nothing was dropped")
}
