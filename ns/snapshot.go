package ns

import (
	"fmt"
	"net/netip"
	"time"

	"poolgw/ns/fr"
)

// Snapshot is the state of the stack for shows; its JSON is "show ns json".
type Snapshot struct {
	NSEs  []NSEState  `json:"nses"`
	Binds []BindState `json:"binds"`
	// Moves counts NS-VCs and IP-SNS NSEs that came back from another address.
	Moves uint64 `json:"moves"`
}

// NSEState is one NSE in a Snapshot.
type NSEState struct {
	NSEI       uint16    `json:"nsei"`
	Link       string    `json:"link"`    // UDP, FR, FRGRE
	Dialect    string    `json:"dialect"` // static-alive, …
	Persistent bool      `json:"persistent"`
	Alive      bool      `json:"alive"`
	Since      time.Time `json:"since"` // of the last change of Alive
	SNS        *SNSState `json:"sns,omitempty"`
	VCs        []VCState `json:"nsvcs"`
	Counters   Counters  `json:"counters"` // outlive the NS-VCs
}

// SNSState is the IP-SNS state of an NSE.
type SNSState struct {
	Role     string     `json:"role"` // BSS, SGSN
	State    string     `json:"state"`
	Timer    int        `json:"timer,omitempty"` // of the running procedure: 1 SIZE, 2 own CONFIG, 3 the peer's, 4 own CONFIG as SGSN, 5 Procedure
	MaxNSVCs int        `json:"max_nsvcs"`
	MaxIPv4  int        `json:"max_ipv4"`
	MaxIPv6  int        `json:"max_ipv6"`
	Local    []Endpoint `json:"local"` // as the peer knows them
	Remote   []Endpoint `json:"remote"`
	// Procedure is what runs in state LOCAL_PROCEDURE; Refused are endpoints of
	// ours that a BSS did not take, until the configuration changes.
	Procedure *SNSProcedure `json:"procedure,omitempty"`
	Refused   []Endpoint    `json:"refused,omitempty"`
}

// SNSProcedure is an SNS-ADD, -CHANGEWEIGHT or -DELETE that waits for its
// SNS-ACK.
type SNSProcedure struct {
	PDU         string     `json:"pdu"`
	Transaction uint8      `json:"transaction_id"`
	Sent        int        `json:"sent"`    // times
	Limit       int        `json:"limit"`   // of Sent; then SNS fails
	Waiting     int        `json:"waiting"` // endpoints to be told of afterwards
	Endpoints   []Endpoint `json:"endpoints"`
}

// Endpoint is an IP endpoint of the SNS with its weights.
type Endpoint struct {
	Addr       netip.AddrPort `json:"addr"`
	SigWeight  uint8          `json:"signalling_weight"`
	DataWeight uint8          `json:"data_weight"`
}

// VCState is one NS-VC in a Snapshot.
type VCState struct {
	ID         string         `json:"id"` // as VC.ID
	NSVCI      *uint16        `json:"nsvci,omitempty"`
	Link       string         `json:"link"`                 // UDP, FR, FRGRE
	DLCI       uint16         `json:"dlci,omitempty"`       // FR, FRGRE
	Device     string         `json:"device,omitempty"`     // FR
	State      string         `json:"state"`                // UNCONFIGURED, RESET, BLOCKED, UNBLOCKED, RECOVERING
	BlockedBy  string         `json:"blocked_by,omitempty"` // "O&M/vty", "peer"
	Persistent bool           `json:"persistent"`
	Bind       string         `json:"bind"`
	Local      netip.AddrPort `json:"local"`
	Remote     netip.AddrPort `json:"remote"`
	SigWeight  uint8          `json:"signalling_weight"`
	DataWeight uint8          `json:"data_weight"`
	Since      time.Time      `json:"since"`
	Alive      bool           `json:"alive"`
	Counters   Counters       `json:"counters"`
	AliveDelay time.Duration  `json:"alive_delay_ns"` // of the last NS-ALIVE
}

// Way is the NS-VC's path as osmo-gbproxy writes it: "udp)[127.0.0.1]:23000<1>[…",
// "fr)netif: hdlc0 dlci: 16"; over GRE, which it can't show, alike.
func (v *VCState) Way() string {
	id := ""
	if v.NSVCI != nil {
		id = fmt.Sprint(*v.NSVCI)
	}
	switch v.Link {
	case LinkFR.String():
		return fmt.Sprintf("fr)netif: %s dlci: %d", v.Device, v.DLCI)
	case LinkFRGRE.String():
		return fmt.Sprintf("frgre)[%s]<%s>[%s] dlci: %d", v.Local.Addr(), id, v.Remote.Addr(), v.DLCI)
	}
	return fmt.Sprintf("udp)[%s]:%d<%s>[%s]:%d", v.Local.Addr(), v.Local.Port(), id, v.Remote.Addr(), v.Remote.Port())
}

// BindState is one bind in a Snapshot.
type BindState struct {
	Name           string            `json:"name"`
	Link           string            `json:"link"`
	Local          netip.AddrPort    `json:"local"`
	DSCP           uint8             `json:"dscp"`
	Priority       uint8             `json:"priority"`
	SigWeight      uint8             `json:"signalling_weight"`
	DataWeight     uint8             `json:"data_weight"`
	AcceptIPAccess bool              `json:"accept_ipaccess"`
	AcceptSNS      bool              `json:"accept_dynamic_ip_sns"`
	Buffers        *Buffers          `json:"socket_buffers,omitempty"` // that the kernel gave each socket
	Segmentation   bool              `json:"udp_segmentation"`         // of user data
	ControlSocket  bool              `json:"control_socket"`           // what is no user data has its own
	Accept         AccessList        `json:"accept"`                   // sources that may send; empty: all
	Dropped        map[string]uint64 `json:"dropped"`                  // by reason
	Line           *LineState        `json:"line,omitempty"`
}

// LineState is a bind's Frame Relay line.
type LineState struct {
	Device   string    `json:"device"`
	Running  bool      `json:"running"` // the device
	MTU      int       `json:"mtu"`     // longest NS PDU, in octets
	Params   fr.Params `json:"params"`  // of the LMI
	fr.State           // of the LMI
}

// Snapshot copies the state of the stack: NSEs by NSEI, their NS-VCs in the
// order of their making, binds in the order of the configuration.
func (s *Stack) Snapshot(time.Time) Snapshot {
	snap := Snapshot{NSEs: []NSEState{}, Binds: []BindState{}, Moves: s.moves.Load()}
	for _, n := range s.sortedNSEs() {
		snap.NSEs = append(snap.NSEs, n.snapshot())
	}
	for _, c := range s.cfg.Binds {
		snap.Binds = append(snap.Binds, s.bindState(c))
	}
	return snap
}

func (n *NSE) snapshot() NSEState {
	st := NSEState{
		NSEI: n.nsei, Link: n.link().String(), Dialect: n.dialect.String(), Persistent: n.persistent,
		Alive: n.Alive(), Since: n.since, VCs: make([]VCState, 0, len(n.vcs)), Counters: n.past,
	}
	for _, v := range n.vcs {
		vs := v.snapshot()
		st.Counters.add(vs.Counters)
		st.VCs = append(st.VCs, vs)
	}
	if n.sns != nil {
		st.SNS = n.sns.snapshot()
	}
	return st
}

// link is the link layer that the NSE is shown with: UDP while it has none.
func (n *NSE) link() Link {
	if len(n.vcs) > 0 {
		return n.vcs[0].bind.cfg.Link
	}
	if e := n.stack.cfg.NSE(n.nsei); e != nil && e.Link() != LinkUndefined {
		return e.Link()
	}
	return LinkUDP
}

func (v *VC) snapshot() VCState {
	state := v.current()
	st := VCState{
		ID: v.ID(), State: state.String(), Persistent: v.persistent,
		Bind: v.bind.cfg.Name, Local: v.bind.local, Remote: v.remote,
		SigWeight: v.sigWeight, DataWeight: v.dataWeight, Since: v.since,
		Alive: state == stUnblocked, Counters: v.count(), AliveDelay: v.delay,
	}
	st.Link, st.Device = v.bind.cfg.Link.String(), v.bind.cfg.FRNetIf
	if v.bind.fr != nil {
		st.DLCI = v.remote.Port()
	}
	if v.hasNSVCI {
		id := v.nsvci
		st.NSVCI = &id
	}
	switch {
	case v.omBlocked:
		st.BlockedBy = "O&M/vty"
	case v.peerBlocked && state == stBlocked:
		st.BlockedBy = "peer"
	}
	return st
}

func (x *sns) snapshot() *SNSState {
	st := &SNSState{Role: x.nse.role.String(), State: x.state.String(), MaxNSVCs: x.maxVCs,
		Local: []Endpoint{}, Remote: append([]Endpoint{}, x.remote...)}
	if x.timer.pos != 0 && int(x.state) < len(snsTimerNumbers) {
		st.Timer = snsTimerNumbers[x.state]
	}
	if x.v6 {
		st.MaxIPv6 = x.maxPeers
	} else {
		st.MaxIPv4 = x.maxPeers
	}
	for _, l := range x.local {
		st.Local = append(st.Local, l.Endpoint)
	}
	st.Refused = append(st.Refused, x.refused...)
	if x.state == snsLocal {
		st.Procedure = &SNSProcedure{PDU: snsProcs[x.proc.kind].pdu.String(), Transaction: x.proc.id, Sent: x.tries + 1,
			Limit:   x.stack().cfg.Timers.retries(TsnsProceduresRetries) + 1,
			Waiting: x.proc.waiting, Endpoints: endpointsOf(x.proc.list)}
	}
	return st
}

func (s *Stack) bindState(c BindConfig) BindState {
	st := BindState{
		Name: c.Name, Link: c.Link.String(), Local: c.Listen, DSCP: c.DSCP, Priority: c.Priority,
		SigWeight: c.SigWeight, DataWeight: c.DataWeight,
		AcceptIPAccess: c.AcceptIPAccess, AcceptSNS: c.AcceptSNS, Accept: c.Accept, Dropped: map[string]uint64{},
	}
	if b := s.binds[c.Name]; b != nil {
		st.Local, st.Dropped, st.ControlSocket = b.local, sumDrops(b.drops), b.split()
		if b.lmi {
			st.Line = &LineState{c.FRNetIf, b.fr.up, b.fr.mtu, fr.Defaults(), b.fr.lmi.State()}
		}
		if c, ok := b.conns[0].(Buffered); ok {
			got := c.Buffers()
			st.Buffers = &got
		}
		if c, ok := b.conns[0].(Segmenter); ok {
			st.Segmentation = c.Segmentation()
		}
		for _, conn := range b.conns {
			if d, ok := conn.(Dropper); ok {
				d.Dropped(func(reason string, n uint64) { st.Dropped[reason] += n })
			}
		}
	}
	return st
}
