package cli

import (
	"fmt"
	"strings"
	"time"

	"poolgw/n2"
	"poolgw/sctp"
	"poolgw/vty"
)

// sctpState is what "show sctp json" shows.
type sctpState struct {
	Stacks       []stackState   `json:"stacks"`
	Binds        []n2.BindState `json:"binds"`
	Associations []assocState   `json:"associations"`
}

// stackState is whether this program can use a stack on this machine.
type stackState struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Reason    string `json:"reason"` // why not, and what to do
	sctp.Room        // of the userspace stack
}

type assocState struct {
	GNB      string `json:"gnb"`
	AMF      string `json:"amf"`      // "": the gNB's own
	NGAP     string `json:"ngap"`     // how far NG Setup is
	Attempts int    `json:"attempts"` // to associate, in vain
	n2.Association
}

// sctpShows show the SCTP side of N2.
func (p *program) sctpShows() []vty.Command {
	return p.showsN2("show sctp", []string{showHelp, "SCTP: stacks, binds, associations, paths"},
		viewN2{func(s *n2.Snapshot, _ vty.Args) (any, error) { return sctpOf(s), nil }, textSCTP})
}

func sctpOf(s *n2.Snapshot) (st sctpState) {
	for _, c := range []sctp.Choice{sctp.OnlyKernel, sctp.OnlyUserspace} {
		k := stackState{Name: c.String(), Available: true}
		if err := sctp.Available(c, false); err != nil {
			k.Available, k.Reason = false, plainSCTP(err.Error())
		}
		if c == sctp.OnlyUserspace {
			k.Room = s.Userspace
		}
		st.Stacks = append(st.Stacks, k)
	}
	st.Binds = s.Binds
	for i := range s.GNBs {
		g := &s.GNBs[i]
		st.Associations = append(st.Associations, assocState{gnbName(g), "", g.State, 0, g.Association})
		for _, l := range g.AMFs {
			st.Associations = append(st.Associations, assocState{gnbName(g), l.Name, l.State, l.Attempts, l.Association})
		}
	}
	return st
}

func textSCTP(w *writer, s *n2.Snapshot, _ vty.Args) {
	st := sctpOf(s)
	for _, k := range st.Stacks {
		state := "available"
		if !k.Available {
			state = k.Reason
		}
		if k.Octets > 0 {
			state += fmt.Sprintf("; room for packets: %d kB, %d dropped", k.Octets/1000, k.Dropped)
		}
		textWords(w, fmt.Sprintf("Stack %-9s ", k.Name), strings.Fields(state))
	}
	for i := range st.Binds {
		textSCTPBind(w, &st.Binds[i])
	}
	for i := range st.Associations {
		textAssociation(w, &st.Associations[i])
	}
	w.lineIf(len(st.Associations) == 0, "No association")
}

func textSCTPBind(w *writer, b *n2.BindState) {
	at := b.Listen
	if at == "" {
		at = "not open"
	}
	over := ""
	if b.Encapsulation != 0 {
		over = fmt.Sprintf(" over UDP port %d", b.Encapsulation)
	}
	w.line("Bind %s: %s %s%s, %s", cut(b.Name, 16), cut(at, 30), b.Transport, over, count(b.GNBs, "gNB"))
	if b.Reason != "" {
		textWords(w, " not the first choice: ", strings.Fields(plainSCTP(b.Reason)))
	}
}

func textAssociation(w *writer, a *assocState) {
	whose := "gNB " + cut(a.GNB, 24)
	if a.AMF != "" {
		whose += " - AMF " + cut(a.AMF, 16)
	}
	w.line("%s", whose)
	if a.State == "" {
		w.line(" no association, NGAP %s; %s in vain", a.NGAP, count(a.Attempts, "attempt"))
		return
	}
	w.line(" %s over %s, NGAP %s; streams %d in, %d out", a.State, a.Transport, a.NGAP, a.InStreams, a.OutStreams)
	w.line(" %s - %s", cut(a.Local, 38), cut(a.Remote, 38))
	w.line(" messages %d in, %d out; retransmitted %d; unacked %d; queued %d", a.InMessages, a.OutMessages, a.Retransmitted, a.Unacked, a.Queued)
	for _, p := range a.Paths {
		primary := ""
		if p.Primary {
			primary = ", primary"
		}
		w.line(" path %s %s%s, RTO %v, SRTT %v, MTU %d", cut(p.Remote, 26), p.State, primary, p.RTO.Round(time.Millisecond), p.SRTT.Round(time.Microsecond), p.MTU)
	}
}

// plainSCTP is an error's text as one line.
func plainSCTP(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "sctp: ", ""), "\n", "; ")
}
