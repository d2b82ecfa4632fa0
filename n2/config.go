package n2

import (
	"net/netip"
	"reflect"
	"slices"
	"time"

	"poolgw/nri"
	"poolgw/sctp"
)

// Config is all that an operator sets for the N2 gateway: the nodes ngap and
// amf.
type Config struct {
	Enabled       bool   // the node ngap is there
	Binds         []Bind // where gNBs associate
	Name          string // AMF Name that gNBs see; default POOL-AMF
	SetupFirst    bool   // "setup-response first": the first AMF's answer as it is; else merged
	SetupGrace    time.Duration
	Transparent   bool  // AMF UE NGAP IDs go through unchanged
	IndexBits     uint8 // of a pool-unique AMF UE NGAP ID, 1..8
	RefuseDown    bool  // "pool down refuse"
	Quirks        []Quirk
	BitLen        uint8 // 16: AMF Set ID and Pointer; 6: the Pointer within the pool's sets
	Hash          bool  // "pool selection hash"; else weighted round-robin
	NoAffinity    bool  // "no pool affinity": every UE is new
	Stale         Stale
	EarlyRelease  time.Duration // of StaleEarlyRelease
	StaleHold     time.Duration // how long a stale 5G-S-TMSI has no owner
	OwnerDownHold time.Duration
	OnLoss        OnLoss
	SetupTimeout  time.Duration // "timer ng-setup"
	InitialGuard  time.Duration // "timer initial-ue": an AMF's first answer to a UE
	ReleaseGuard  time.Duration // "timer release": command after request, Complete after command
	HandoverGuard time.Duration // "timer handover": an answer, Handover Notify
	RequestGuard  time.Duration // "timer request": a gNB's answer to what belongs to no UE
	Probe         time.Duration // "timer probe": RAN Configuration Update to an idle AMF; 0: off
	SCTP          sctp.Options
	Limits        Limits
	AMFs          []AMF // in configuration order
}

// Bind is one node "bind NAME" of the RAN side.
type Bind struct {
	Name      string
	Listen    sctp.Endpoint // several addresses: multi-homing
	Transport Transport
	Accept    []netip.Prefix // of a gNB's addresses; none: all
}

// Transport is the line "transport".
type Transport struct {
	Choice        sctp.Choice
	Encapsulation uint16 // UDP port of RFC 6951; 0: SCTP over IP
}

// AMF is one member, the node "amf N".
type AMF struct {
	ID          uint8 // 1..254, also the index in pool-unique IDs
	Name        string
	Remote      sctp.Endpoint
	Local       []netip.Addr // none: the one that routes to Remote
	Transport   Transport
	NRI         nri.Set // none: learned from NG Setup
	Capacity    int     // 0..255; -1: as the AMF announces
	AllowAttach bool
}

// Quirk is "gnb-quirk ID strip-unknown-ies": what a gNB that can't decode newer
// IEs needs.
type Quirk struct{ GNB string }

// Stale is what marks a 5G-S-TMSI as unknown to its owner.
type Stale uint8

// The marks.
const (
	StaleReject       Stale = iota // a Registration or Service Reject with 5GMM cause 9 or 10
	StaleEarlyRelease              // also a release within EarlyRelease
	StaleOff
)

// OnLoss is what happens to the UEs of an AMF that is lost.
type OnLoss uint8

// The ways.
const (
	LossRelease OnLoss = iota // UE Context Release Command for each, paced
	LossRebind                // kept: the next uplink goes to another AMF of the set
	LossReset                 // one NG Reset with all of them
	LossSilent                // forgotten
)

// Names of values, as the configuration has them.
var (
	StaleNames = []string{"reject", "early-release", "off"}
	LossNames  = []string{"release", "rebind", "reset", "silent"}
)

func (s Stale) String() string  { return StaleNames[s] }
func (o OnLoss) String() string { return LossNames[o] }

// Default values beside those of sctp.Defaults.
const (
	DefaultPort      = 38412 // TS 38.412
	DefaultName      = "POOL-AMF"
	DefaultGrace     = 300 * time.Millisecond
	DefaultStaleHold = time.Minute
	DefaultSetup     = 5 * time.Second
	DefaultInitial   = 30 * time.Second // twice T3510
	DefaultRelease   = 10 * time.Second
	DefaultHandover  = 30 * time.Second
	DefaultRequest   = 30 * time.Second
	DefaultBitLen    = 16
	DefaultIndexBits = 8
)

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{Name: DefaultName, SetupGrace: DefaultGrace, IndexBits: DefaultIndexBits, BitLen: DefaultBitLen,
		StaleHold: DefaultStaleHold, SetupTimeout: DefaultSetup, InitialGuard: DefaultInitial, ReleaseGuard: DefaultRelease, HandoverGuard: DefaultHandover,
		RequestGuard: DefaultRequest,
		SCTP:         sctp.Defaults(), Limits: DefaultLimits()}
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	c.Binds = slices.Clone(c.Binds)
	for i := range c.Binds {
		c.Binds[i].Listen.Addrs = slices.Clone(c.Binds[i].Listen.Addrs)
		c.Binds[i].Accept = slices.Clone(c.Binds[i].Accept)
	}
	c.Quirks = slices.Clone(c.Quirks)
	c.AMFs = slices.Clone(c.AMFs)
	for i := range c.AMFs {
		a := &c.AMFs[i]
		a.Remote.Addrs, a.Local, a.NRI = slices.Clone(a.Remote.Addrs), slices.Clone(a.Local), a.NRI.Clone()
	}
	return c
}

// Equal reports whether c and o set the same; an empty list is as none.
func (c Config) Equal(o Config) bool {
	same := slices.EqualFunc(c.Binds, o.Binds, Bind.Equal) && slices.EqualFunc(c.AMFs, o.AMFs, AMF.Equal) && slices.Equal(c.Quirks, o.Quirks)
	c.Binds, o.Binds, c.AMFs, o.AMFs, c.Quirks, o.Quirks = nil, nil, nil, nil, nil, nil
	return same && reflect.DeepEqual(c, o)
}

// Equal reports whether b and o set the same.
func (b Bind) Equal(o Bind) bool {
	return b.Name == o.Name && equalEndpoint(b.Listen, o.Listen) && b.Transport == o.Transport && slices.Equal(b.Accept, o.Accept)
}

// Equal reports whether a and o set the same.
func (a AMF) Equal(o AMF) bool {
	return a.ID == o.ID && a.Name == o.Name && a.sameAssociation(o) && a.NRI.Equal(o.NRI) &&
		a.Capacity == o.Capacity && a.AllowAttach == o.AllowAttach
}

// sameAssociation reports whether an association for a serves o too.
func (a AMF) sameAssociation(o AMF) bool {
	return equalEndpoint(a.Remote, o.Remote) && slices.Equal(a.Local, o.Local) && a.Transport == o.Transport
}

func equalEndpoint(a, b sctp.Endpoint) bool {
	return a.Port == b.Port && slices.Equal(a.Addrs, b.Addrs)
}

// AMF returns the member with that number, or nil.
func (c *Config) AMF(id uint8) *AMF {
	for i := range c.AMFs {
		if c.AMFs[i].ID == id {
			return &c.AMFs[i]
		}
	}
	return nil
}

// Bind returns the bind with that name, or nil.
func (c *Config) Bind(name string) *Bind {
	for i := range c.Binds {
		if c.Binds[i].Name == name {
			return &c.Binds[i]
		}
	}
	return nil
}
