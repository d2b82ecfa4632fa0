package cli

import (
	"fmt"
	"strings"

	"poolgw/n2"
	"poolgw/vty"
)

// amfShows show the AMFs.
func (p *program) amfShows() []vty.Command {
	what := []string{showHelp, "AMFs, as they announce themselves"}
	return append(
		p.showsN2("show amf", what, viewN2{func(s *n2.Snapshot, _ vty.Args) (any, error) { return s.Pool.AMFs, nil }, textAMFs}),
		p.showsN2("show amf <1-254>", append(what[:2:2], amfNum), viewN2{pickAMF, textAMF})...)
}

func textAMFs(w *writer, s *n2.Snapshot, _ vty.Args) {
	w.lineIf(!s.Running, "The N2 gateway does not run: there is no node ngap")
	w.line("AMF Name             State    for Attach Capacity Weight gNBs      UEs   Lost")
	for i := range s.Pool.AMFs {
		a := &s.Pool.AMFs[i]
		capacity := "-"
		if a.Capacity >= 0 {
			capacity = fmt.Sprint(a.Capacity)
		}
		w.line("%3d %-16s %-5s %6s %-6s %8s %6d %4d %8d %6d", a.ID, cut(a.Name, 16), upDown(a.Up), ago(s.Time, a.Since), yesNo(a.AllowAttach),
			capacity, a.Share, a.Associations, a.Bound, a.Lost)
		w.lineIf(a.Overload != "", "    overloaded: %s", a.Overload)
	}
	w.lineIf(len(s.Pool.AMFs) == 0, " no AMF is configured")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func pickAMF(s *n2.Snapshot, a vty.Args) (any, error) {
	id := amfKey(a).(uint8)
	if m := s.AMF(id); m != nil {
		return m, nil
	}
	return nil, errNoAMF(id)
}

// textAMF tells all of one AMF.
func textAMF(w *writer, s *n2.Snapshot, args vty.Args) {
	a := s.AMF(amfKey(args).(uint8))
	w.line("AMF %d %s at %s: %s for %s", a.ID, cut(a.Name, 24), cut(a.Remote, 30), upDown(a.Up), ago(s.Time, a.Since))
	w.lineIf(a.Announced != "", " AMF Name: %s", cut(a.Announced, 60))
	told := "not known yet"
	if a.Told >= 0 {
		told = fmt.Sprint(a.Told)
	}
	w.line(" Relative AMF Capacity: %s; weight here %d", told, a.Share)
	w.lineIf(a.Overload != "", " Overloaded: %s", a.Overload)
	drained := "allows attach"
	if !a.AllowAttach {
		drained = "drained for " + ago(s.Time, a.DrainedSince)
	}
	w.line(" %d UEs, %s; %d associations up, %d ended", a.Bound, drained, a.Associations, a.Lost)
	w.line(" PDUs: %d from it, %d to it", a.FromPDUs, a.ToPDUs)
	w.lineIf(a.NRI != "", " NRI configured: %s", cut(a.NRI, screen-len(" NRI configured: ")))
	textWords(w, " PLMNs: ", a.PLMNs)
	for _, g := range a.GUAMIs {
		w.line(" GUAMI %s", guamiWords(&g))
	}
	textDecisions(w, a.Decisions)
	w.line(" gNB                 State         for      UEs  Attempts  Refused")
	for i := range s.GNBs {
		for _, l := range s.GNBs[i].AMFs {
			if l.AMF == a.ID {
				w.trimmed("  %-18s %-10s %6s %8d %9d  %s", cut(gnbName(&s.GNBs[i]), 18), l.State, ago(s.Time, l.Since), l.UEs, l.Attempts, cut(l.Refused, 20))
			}
		}
	}
}

// gnbName is the ID of a gNB, or its address before it told one.
func gnbName(g *n2.GNBState) string {
	if g.ID == "" {
		return g.Peer
	}
	return g.ID
}

// guamiWords is "262-42 1/1/1 (NRI 65), backup AMF02".
func guamiWords(g *n2.GUAMIState) string {
	s := fmt.Sprintf("%s (NRI %d)", g.GUAMI, g.NRI)
	if g.Backup != "" {
		s += ", backup " + cut(g.Backup, 20)
	}
	if g.Unavailable {
		s += ", unavailable"
	}
	return s
}

// textWords writes a list after its head, folded.
func textWords(w *writer, head string, words []string) {
	if len(words) == 0 {
		return
	}
	for _, l := range wrap(words, " ", screen-len(head)) {
		w.line("%s%s", head, l)
		head = strings.Repeat(" ", len(head))
	}
}

// textDecisions tells why UEs went there.
func textDecisions(w *writer, by map[string]uint64) {
	var words []string
	for _, name := range sortedKeys(by) {
		words = append(words, fmt.Sprintf("%s %d", name, by[name]))
	}
	textWords(w, " Decisions: ", strings.Fields(strings.Join(words, ", ")))
}
