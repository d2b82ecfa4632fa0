package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"poolgw/n2"
	"poolgw/vty"
)

// ngapShows show the N2 gateway.
func (p *program) ngapShows() []vty.Command {
	gnb := []string{showHelp, "gNBs"}
	ngap := []string{showHelp, "The N2 gateway"}
	nriOf := []string{showHelp, "Which member has which NRIs", "Of one AMF, configured and announced", amfNum}
	all := func(f func(s *n2.Snapshot) any) func(*n2.Snapshot, vty.Args) (any, error) {
		return func(s *n2.Snapshot, _ vty.Args) (any, error) { return f(s), nil }
	}
	return slices.Concat(
		p.showsN2("show gnb", gnb, viewN2{all(func(s *n2.Snapshot) any { return s.GNBs }), textGNBs}),
		p.showsN2("show gnb ID", append(gnb[:2:2], "Its ID, name or address"), viewN2{pickGNB, textGNB}),
		p.showsN2("show nri amf <1-254>", nriOf, viewN2{pickAMFNRI, textAMFNRI}),
		p.showsN2("show ngap", ngap, viewN2{all(func(s *n2.Snapshot) any { return overviewOf(s) }), textNGAP}),
		p.showsN2("show ngap conservation", append(ngap[:2:2], "What became of every PDU"),
			viewN2{all(func(s *n2.Snapshot) any { return conservationOf(s) }), textConservation}),
		p.showsN2("show ngap procedures", append(ngap[:2:2], "What is done with each elementary procedure, and how many PDUs came"),
			viewN2{all(func(s *n2.Snapshot) any { return s.Procedures }), textProcedures}),
		p.showsN2("show ngap trace", append(ngap[:2:2], "Traces under way"),
			viewN2{all(func(s *n2.Snapshot) any { return s.Traces }), textTraces}),
		p.stmsiShows())
}

func textGNBs(w *writer, s *n2.Snapshot, _ vty.Args) {
	w.line("gNB                  Name            State     for AMFs      UEs Peer")
	for i := range s.GNBs {
		g := &s.GNBs[i]
		up := 0
		for _, l := range g.AMFs {
			if l.State == "up" {
				up++
			}
		}
		w.line("%-20s %-15s %-7s %5s %4d %8d %s", cut(gnbName(g), 20), cut(g.Name, 15), g.State, ago(s.Time, g.Since), up, g.UEs, cut(g.Peer, 15))
	}
	w.lineIf(len(s.GNBs) == 0, " no gNB is associated")
}

func pickGNB(s *n2.Snapshot, a vty.Args) (any, error) {
	if g := s.GNB(a[0]); g != nil {
		return g, nil
	}
	return nil, refuse("There is no gNB %s", a[0])
}

// textGNB tells all of one gNB.
func textGNB(w *writer, s *n2.Snapshot, a vty.Args) {
	g := s.GNB(a[0])
	w.line("gNB %s %s: %s for %s", cut(gnbName(g), 30), cut(g.Name, 20), g.State, ago(s.Time, g.Since))
	w.line(" Peer %s at bind %s, %d UEs", cut(g.Peer, 36), cut(g.Bind, 16), g.UEs)
	for _, t := range g.TAs {
		textWords(w, fmt.Sprintf(" TAC %d: ", t.TAC), t.PLMNs)
	}
	w.line(" AMF Name             State         for      UEs     from       to  Refused")
	for _, l := range g.AMFs {
		w.trimmed(" %3d %-16s %-10s %6s %8d %8d %8d  %s", l.AMF, cut(l.Name, 16), l.State, ago(s.Time, l.Since), l.UEs, l.FromPDUs, l.ToPDUs, cut(l.Refused, 12))
	}
	textTerms(w, &g.Conservation)
}

// conservation is the account with its balance.
type conservation struct {
	n2.Conservation
	Balance int64 `json:"balance"`
}

func conservationOf(s *n2.Snapshot) conservation {
	return conservation{s.Conservation, s.Conservation.Balance()}
}

func textConservation(w *writer, s *n2.Snapshot, _ vty.Args) {
	w.line("NGAP PDUs of all gNBs, also of those that are gone")
	textTerms(w, &s.Conservation)
	w.line(" %-18s %14d  0 when nothing is under way", "balance", s.Conservation.Balance())
}

// textTerms writes an account: what came or was made, and what became of it.
func textTerms(w *writer, c *n2.Conservation) {
	for _, t := range []struct {
		name, what string
		n          uint64
	}{{"from gNB", "", c.FromGNB}, {"from AMFs", "", c.FromAMF}, {"multicast copies", "beyond the first", c.Copies},
		{"originated", "made by the gateway", c.Originated}, {"to gNB", "taken by the transport", c.ToGNB}, {"to AMFs", "taken by the transport", c.ToAMF},
		{"absorbed", "ended here: answered, merged", c.Absorbed}, {"queued", "wait for the transport", c.Queued}} {
		w.trimmed(" %-18s %14d  %s", t.name, t.n, t.what)
	}
	for _, class := range sortedKeys(c.ByClass) {
		for _, reason := range sortedKeys(c.ByClass[class]) {
			w.line(" %-18s %14d  %s: %s", "dropped", c.ByClass[class][reason], class, reason)
		}
	}
}

func textProcedures(w *writer, s *n2.Snapshot, _ vty.Args) {
	w.line("Code Procedure, and what is done with its PDUs; doc/ngap-routing.md has it too")
	for _, p := range s.Procedures {
		w.line("%4d %s", p.Code, p.Name)
		for _, f := range []struct {
			from string
			n2.Flow
		}{{"gNB", p.FromGNB}, {"AMF", p.FromAMF}} {
			w.lineIf(f.Rule != "" || f.PDUs > 0, "     from %s %10d  %s", f.from, f.PDUs, ruleOr(f.Rule))
		}
	}
}

func ruleOr(rule string) string {
	if rule == "" {
		return "refused"
	}
	return rule
}

func textTraces(w *writer, s *n2.Snapshot, _ vty.Args) {
	for _, t := range s.Traces {
		w.line("gNB %s: %d of %d PDUs, %d lost, %d left out", cut(t.GNB, 20), t.Packets, t.Of, t.Lost, t.LeftOut)
		w.line(" %s", t.File)
	}
	w.lineIf(len(s.Traces) == 0, "No gNB is traced")
}

// pickAMFNRI is what "show nri amf N json" shows.
func pickAMFNRI(s *n2.Snapshot, a vty.Args) (any, error) {
	m := s.AMF(amfKey(a).(uint8))
	if m == nil {
		return nil, errNoAMF(amfKey(a).(uint8))
	}
	return amfNRI(m), nil
}

// amfNRIs is what the json forms of "show nri" show of an AMF.
type amfNRIs struct {
	AMF    uint8           `json:"amf"`
	Name   string          `json:"name"`
	NRI    string          `json:"nri"`
	GUAMIs []n2.GUAMIState `json:"guamis"`
}

func amfNRI(m *n2.AMFState) amfNRIs { return amfNRIs{m.ID, m.Name, m.NRI, m.GUAMIs} }

func textAMFNRI(w *writer, s *n2.Snapshot, a vty.Args) { writeAMFNRIs(w, s.AMF(amfKey(a).(uint8))) }

// writeAMFNRIs is an AMF's NRIs as its configuration has them, and what it
// announced.
func writeAMFNRIs(w *writer, m *n2.AMFState) {
	w.line("amf %d", m.ID)
	for _, r := range strings.FieldsFunc(m.NRI, func(r rune) bool { return r == ',' }) {
		w.line(" nri add %s", strings.Replace(r, "-", " ", 1))
	}
	for i := range m.GUAMIs {
		w.line(" ! announced: GUAMI %s", guamiWords(&m.GUAMIs[i]))
	}
	w.lineIf(m.NRI == "" && len(m.GUAMIs) == 0, " %% no NRI mappings")
	w.lineIf(m.NRI != "" && len(m.GUAMIs) > 0, " ! the configured NRIs count alone")
}

// stmsiShows tell where a UE would go.
func (p *program) stmsiShows() []vty.Command {
	syntax := "show subscriber 5g-s-tmsi ID"
	help := []string{showHelp, "Where a subscriber would go, and why", "By its 5G-S-TMSI", "12 hexadecimal digits: AMF Set ID and Pointer 4, 5G-TMSI 8"}
	plmn := []string{"With this network selected", "Mobile country code, three digits", "Mobile network code, two or three digits"}
	ask := func(render func(s *vty.Session, a n2.Answer) error) vty.Handler {
		return func(s *vty.Session, a vty.Args) error {
			q, err := stmsiQuery(a)
			if err != nil {
				return err
			}
			if p.N2 == nil {
				return errNoGateway
			}
			return render(s, p.N2.Subscriber(q))
		}
	}
	asJSON := ask(func(s *vty.Session, a n2.Answer) error { return writeJSON(s, a) })
	return []vty.Command{
		{Nodes: inView, Syntax: syntax, Help: help, Run: ask(textUE)},
		{Nodes: inView, Syntax: syntax + " json", Help: append(help[:4:4], jsonHelp), Run: asJSON},
		{Nodes: inView, Syntax: syntax + " plmn MCC MNC", Help: slices.Concat(help, plmn), Run: ask(textUE)},
		{Nodes: inView, Syntax: syntax + " plmn MCC MNC json", Help: slices.Concat(help, plmn, []string{jsonHelp}), Run: asJSON},
	}
}

func stmsiQuery(a vty.Args) (q n2.Query, err error) {
	b, err := hex.DecodeString(strings.TrimPrefix(strings.ToLower(a[0]), "0x"))
	if err != nil || len(b) != 6 {
		return q, refuse("A 5G-S-TMSI has 12 hexadecimal digits")
	}
	if a.Has(2) {
		if q.PLMN, err = parsePLMN(a[1], a[2]); err != nil {
			return q, err
		}
	}
	v, _ := strconv.ParseUint(hex.EncodeToString(b), 16, 64)
	q.Set, q.Pointer, q.TMSI = uint16(v>>38), uint8(v>>32)&63, uint32(v)
	return q, nil
}

func textUE(s *vty.Session, a n2.Answer) error {
	s.Printf("AMF Set %d, AMF Pointer %d (NRI %d)\n", a.Set, a.Pointer, a.NRI)
	if a.Member == "" {
		s.Printf("Goes to: no AMF\n")
	} else {
		s.Printf("Goes to: amf %d %s\n", a.AMF, a.Member)
	}
	s.Printf("Reason: %s\n", a.Reason)
	for _, l := range wrap(strings.Fields(a.Text), " ", screen) {
		s.Printf("%s\n", l)
	}
	if len(a.Owners) > 0 {
		s.Printf("Owners: %s\n", strings.Join(a.Owners, ", "))
	}
	if a.Pinned != "" {
		s.Printf("Seen going to: %s\n", a.Pinned)
	}
	return nil
}

// traceCommands begin and end traces.
func (p *program) traceCommands() []vty.Command {
	help := []string{"The N2 gateway", "Write a gNB's PDUs to a pcap file", "Of one gNB", "Its ID, name or address"}
	packets := append(help[:4:4], "End after so many", "PDUs, 1000 by default")
	keys := "Security keys too, which are masked otherwise"
	number := fmt.Sprintf("<1-%d>", n2.MaxTracePackets)
	return []vty.Command{
		{Nodes: inEnable, Syntax: "ngap trace gnb ID [unmasked]", Help: append(help[:4:4], keys),
			Run: p.trace(func(a vty.Args) n2.TraceOrder {
				return n2.TraceOrder{GNB: a[0], Packets: n2.DefaultTracePackets, Unmasked: a.Has(1)}
			})},
		{Nodes: inEnable, Syntax: "ngap trace gnb ID packets " + number + " [unmasked]", Help: append(packets[:6:6], keys),
			Run: p.trace(func(a vty.Args) n2.TraceOrder {
				n, _ := strconv.Atoi(a[1])
				return n2.TraceOrder{GNB: a[0], Packets: n, Unmasked: a.Has(2)}
			})},
		{Nodes: inEnable, Syntax: "no ngap trace", Help: []string{no, "The N2 gateway", "End all traces"},
			Run: func(s *vty.Session, _ vty.Args) error {
				if p.N2 == nil {
					return errNoGateway
				}
				ctx, cancel := context.WithTimeout(context.Background(), ownersTimeout)
				defer cancel()
				s.Printf("%s ended\n", count(p.N2.StopTraces(ctx), "trace"))
				return nil
			}},
	}
}

func (p *program) trace(order func(a vty.Args) n2.TraceOrder) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		if p.N2 == nil {
			return errNoGateway
		}
		ctx, cancel := context.WithTimeout(context.Background(), ownersTimeout)
		defer cancel()
		file, err := p.N2.StartTrace(ctx, order(a))
		if err != nil {
			return fmt.Errorf("no trace: %s", strings.TrimPrefix(err.Error(), "n2: "))
		}
		s.Printf("Trace in %s\n", file)
		return nil
	}
}
