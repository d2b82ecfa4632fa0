package ns

import (
	"net/netip"
	"time"
)

// NSE is one network service entity at run time. Alive and the counters may be
// read from anywhere; the rest belongs to the loop.
type NSE struct {
	Owner any // what Upper.NewNSE returned; set before workers can see the NSE

	nsei uint16
}

func (n *NSE) NSEI() uint16     { return n.nsei }
func (n *NSE) Alive() bool      { return false }
func (n *NSE) Persistent() bool { return false }
func (n *NSE) MTU() int         { return 0 }

// Port is the sending side that a worker offers to the DataPath.
type Port struct{}

// Worker returns the worker's number, 0..Workers-1.
func (p *Port) Worker() int { return 0 }

// Now returns the time at which the worker's batch was read.
func (p *Port) Now() time.Time { return time.Time{} }

// Forward queues the NS-UNITDATA dgram (with header; its SDU control bits are
// cleared, its BVCI kept) for nse by load sharing: BVCI plus lsp, the link
// selector parameter (the TLLI; 0 if there is none). It returns false, and
// counts, when the NSE has no NS-VC for it.
func (p *Port) Forward(nse *NSE, bvci uint16, lsp uint32, dgram []byte) bool { return false }

// Group is a batch of control datagrams handed to the loop.
type Group struct{}

// Stack is the NS layer at run time.
type Stack struct{}

func NewStack(opt Options) *Stack                      { return &Stack{} }
func (s *Stack) Apply(cfg Config, now time.Time) error { return nil }
func (s *Stack) Control() <-chan *Group                { return nil }
func (s *Stack) Handle(now time.Time, g *Group)        {}
func (s *Stack) Expire(now time.Time)                  {}
func (s *Stack) Deadline() (t time.Time, armed bool)   { return }
func (s *Stack) Flush()                                {}
func (s *Stack) Close() error                          { return nil }
func (s *Stack) NSE(nsei uint16) *NSE                  { return nil }
func (s *Stack) Snapshot(now time.Time) Snapshot       { return Snapshot{} }

// Send sends one NS-UNITDATA from the loop, by load sharing as Port.Forward
// (BVCI 0: signalling weights). It returns false when nse cannot carry it.
func (s *Stack) Send(nse *NSE, bvci uint16, lsp uint32, pdu []byte) bool { return false }

// Operator's actions; the errors say what there is instead.
func (s *Stack) BlockVC(nsvci uint16, now time.Time) error          { return nil }
func (s *Stack) UnblockVC(nsvci uint16, now time.Time) error        { return nil }
func (s *Stack) ResetVC(nsvci uint16, now time.Time) error          { return nil }
func (s *Stack) RestartSNS(nsei uint16, now time.Time) error        { return nil }
func (s *Stack) ForceUnconfigured(nsei uint16, now time.Time) error { return nil }

// DeleteDynamic removes a dynamic NSE and its NS-VCs.
func (s *Stack) DeleteDynamic(nsei uint16, now time.Time) error { return nil }

// Snapshot is the state of the stack for shows; its JSON is "show ns json".
type Snapshot struct {
	NSEs  []NSEState  `json:"nses"`
	Binds []BindState `json:"binds"`
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
	MaxNSVCs int        `json:"max_nsvcs"`
	MaxIPv4  int        `json:"max_ipv4"`
	MaxIPv6  int        `json:"max_ipv6"`
	Local    []Endpoint `json:"local"`
	Remote   []Endpoint `json:"remote"`
}

// Endpoint is an IP endpoint of the SNS with its weights.
type Endpoint struct {
	Addr       netip.AddrPort `json:"addr"`
	SigWeight  uint8          `json:"signalling_weight"`
	DataWeight uint8          `json:"data_weight"`
}

// VCState is one NS-VC in a Snapshot.
type VCState struct {
	NSVCI      *uint16        `json:"nsvci,omitempty"`
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
	Dropped        map[string]uint64 `json:"dropped"` // by reason
}

// Counters of an NS-VC, or of an NSE over the NS-VCs it had.
type Counters struct {
	PacketsIn, PacketsOut, PacketsOutDrop  uint64
	BytesIn, BytesOut, BytesOutDrop        uint64
	Blocked, Unblocked, Dead, Replaced     uint64
	NSEIChanged, InvalidNSVCI, InvalidNSEI uint64
	LostAlive, LostReset                   uint64
}
