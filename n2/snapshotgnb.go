package n2

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// BindState is a place where gNBs associate.
type BindState struct {
	Name          string `json:"name"`
	Listen        string `json:"listen"` // "": nowhere
	Transport     string `json:"transport"`
	Reason        string `json:"reason,omitempty"` // why it is not the first choice
	Encapsulation uint16 `json:"udp_encapsulation,omitempty"`
	GNBs          int    `json:"gnbs"`
}

// GNBState is a gNB.
type GNBState struct {
	Serial       uint32       `json:"serial"` // in the order of association
	ID           string       `json:"id"`     // "262-42-1f"; "": no NG Setup yet
	Name         string       `json:"name"`
	Peer         string       `json:"peer"`
	Bind         string       `json:"bind"`
	State        string       `json:"state"`
	Since        time.Time    `json:"since"` // it associated
	UEs          int          `json:"ues"`
	TAs          []TAState    `json:"tas"`
	Association  Association  `json:"association"`
	AMFs         []LegState   `json:"amfs"`
	Conservation Conservation `json:"conservation"`
	Trace        *TraceState  `json:"trace,omitempty"`
}

// TAState is a tracking area of a gNB.
type TAState struct {
	TAC   uint32   `json:"tac"`
	PLMNs []string `json:"plmns"`
}

// LegState is a gNB's way to an AMF.
type LegState struct {
	AMF         uint8       `json:"amf"`
	Name        string      `json:"name"`
	State       string      `json:"state"`
	Since       time.Time   `json:"since"`
	UEs         int         `json:"ues"`
	Attempts    int         `json:"attempts"` // in vain, since it was up
	Refused     string      `json:"refused,omitempty"`
	FromPDUs    uint64      `json:"from_pdus"`
	ToPDUs      uint64      `json:"to_pdus"`
	Association Association `json:"association,omitzero"`
}

// Association is an SCTP association.
type Association struct {
	State         string      `json:"state"`     // "established", …; "": there is none
	Transport     string      `json:"transport"` // kernel, userspace
	Local         string      `json:"local"`
	Remote        string      `json:"remote"`
	InMessages    uint64      `json:"in_messages"`
	OutMessages   uint64      `json:"out_messages"`
	InOctets      uint64      `json:"in_octets"`
	OutOctets     uint64      `json:"out_octets"`
	Retransmitted uint64      `json:"retransmitted"`
	Unacked       uint64      `json:"unacked"`
	Full          uint64      `json:"full"` // sends that found the buffer full
	Queued        int         `json:"queued"`
	InStreams     uint16      `json:"in_streams"`
	OutStreams    uint16      `json:"out_streams"`
	Paths         []PathState `json:"paths"`
}

// PathState is a path of an association.
type PathState struct {
	Remote  string        `json:"remote"`
	State   string        `json:"state"`
	Primary bool          `json:"primary"`
	SRTT    time.Duration `json:"srtt_ns"`
	RTO     time.Duration `json:"rto_ns"`
	MTU     uint32        `json:"mtu"`
	Window  uint32        `json:"congestion_window"`
}

// askAll asks every owner for its state, all at once.
func (g *Gateway) askAll(ctx context.Context) []GNBState {
	owners := g.others(nil)
	slices.SortFunc(owners, func(a, b *gnb) int { return int(int64(a.serial) - int64(b.serial)) })
	answers := make([]chan GNBState, len(owners))
	for i, o := range owners {
		c := make(chan GNBState, 1)
		answers[i] = c
		if !o.mail.enquire(func(time.Time) { c <- o.snapshot() }) {
			g.counters.unasked.Add(1)
			c <- o.busy()
		}
	}
	list := make([]GNBState, 0, len(owners))
	for i, o := range owners {
		select {
		case s := <-answers[i]:
			if s.State != gnbGone.String() {
				list = append(list, s)
			}
		case <-o.gone:
		case <-ctx.Done():
			list = append(list, o.busy())
		}
	}
	return list
}

// busy is what is known of a gNB whose owner does not answer.
func (g *gnb) busy() GNBState {
	return GNBState{Serial: g.serial, Peer: g.peer, Bind: g.bind, State: "busy", Since: g.since, Conservation: g.led.read()}
}

// snapshot is the owner's answer.
func (g *gnb) snapshot() GNBState {
	s := GNBState{Serial: g.serial, Name: clean(g.node.name), Peer: g.peer, Bind: g.bind, State: g.state.String(), Since: g.since, UEs: g.ues.len(),
		Association: stateOf(g.ran), Conservation: g.led.read()}
	if g.node.known {
		s.ID = nodeString(g.node.id)
	}
	if g.trace != nil {
		t := g.trace.state(s.ID)
		s.Trace = &t
	}
	for _, ta := range g.node.tas {
		t := TAState{TAC: ta.TAC}
		for _, p := range ta.PLMNs {
			t.PLMNs = append(t.PLMNs, p.PLMN.String())
		}
		s.TAs = append(s.TAs, t)
	}
	for _, m := range g.gw.dir.Load().members {
		if l := g.legs[m.id]; l != nil {
			s.AMFs = append(s.AMFs, g.legState(l))
		}
	}
	return s
}

func (g *gnb) legState(l *leg) LegState {
	s := LegState{AMF: l.m.id, Name: l.m.label, State: l.state.String(), Since: l.since, UEs: g.ues.perAMF[l.m.id], Attempts: l.attempt,
		FromPDUs: l.from, ToPDUs: l.to}
	if l.refused != nil {
		s.Refused = l.refused.String()
	}
	if l.link != nil {
		s.Association = stateOf(l.link)
	}
	return s
}

func stateOf(k *link) Association {
	st := k.assoc.Stats()
	a := Association{State: st.State.String(), Transport: k.over, Local: k.assoc.Local().String(), Remote: k.assoc.Remote().String(), InMessages: st.InMessages, OutMessages: st.OutMessages,
		InOctets: st.InOctets, OutOctets: st.OutOctets, Retransmitted: st.Retransmitted, Unacked: st.Unacked, Full: st.Full, Queued: len(k.queue),
		InStreams: st.InStreams, OutStreams: st.OutStreams}
	for _, p := range st.Paths {
		a.Paths = append(a.Paths, PathState{Remote: p.Addr.String(), State: p.State.String(), Primary: p.Primary, SRTT: p.SRTT, RTO: p.RTO,
			MTU: p.MTU, Window: p.CongWindow})
	}
	return a
}

// bindState is called with the lock held.
func (g *Gateway) bindState(c Bind, gnbs []GNBState) BindState {
	s := BindState{Name: c.Name, Encapsulation: c.Transport.Encapsulation}
	if b := g.binds[c.Name]; b != nil {
		s.Listen, s.Transport, s.Reason = b.listener.Local().String(), b.transport, b.reason
	}
	for i := range gnbs {
		if gnbs[i].Bind == c.Name {
			s.GNBs++
		}
	}
	return s
}

// GNB returns the gNB with that ID, name, or peer address, or nil.
func (s *Snapshot) GNB(what string) *GNBState {
	for i := range s.GNBs {
		g := &s.GNBs[i]
		if g.ID == what || g.Name == what || g.Peer == what || fmt.Sprint(g.Serial) == what {
			return g
		}
	}
	return nil
}
