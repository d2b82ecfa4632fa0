package gb

import (
	"reflect"
	"slices"

	"poolgw/nri"
	"poolgw/ns"
)

// SGSNReset is what an SGSN's signalling reset does to the BSSs.
type SGSNReset uint8

const (
	ResetIsolate   SGSNReset = iota // the BSSs do not notice; poolgw resets the cells' BVCs at that SGSN
	ResetPropagate                  // every BSS's signalling BVC is reset, as osmo-gbproxy does
)

// Config is all that an operator sets for the Gb gateway: the nodes gbproxy,
// sgsn, ns and limits.
type Config struct {
	BitLen                 uint8 // NRI bits, 0..15; 0: pooling off; default 10
	Null                   nri.NullSet
	FlowControlRatio       uint8 // percent 1..100; default 100
	FlowControlAuto        bool  // "pool bvc-flow-control auto": shares by live weights
	SGSNReset              SGSNReset
	OwnerDownHold          uint16 // s, 0..3600
	ActivityWindow         uint16 // min, 1..1440; default 60
	PoolDownRefuse         bool
	RegistrationEnquiryAny bool
	FeatureBitmap          uint8 // BSSGP features, TS 48.018 11.3.40; default 0, as osmo-gbproxy
	ExtendedFeatureBitmap  uint8 // 11.3.84
	Timers                 Timers
	SGSNs                  []SGSN // in configuration order: earlier ones win overlaps
	NS                     ns.Config
	Limits                 Limits
}

// SGSN is one member of the pool, "sgsn nsei N".
type SGSN struct {
	NSEI        uint16 // 0..65534
	Name        string // default NSE(00101)
	AllowAttach bool   // default true
	Weight      uint16 // share of unbound subscribers, 0..65535; default 100
	NRI         nri.Set
}

// Limits is the node "limits"; see each field's default in DefaultLimits.
type Limits struct {
	DynamicNSEs  uint32 `json:"dynamic_nses"`
	VCsPerNSE    uint32 `json:"ns_vcs_per_nse"`
	BVCs         uint32 `json:"bvcs"`
	CacheEntries uint32 `json:"cache_entries"`
	Subscribers  uint32 `json:"subscribers"`
	VTYSessions  uint32 `json:"vty_sessions"`
	QueueLength  uint32 `json:"queue_length"` // control datagrams waiting for the loop
	LogLines     uint32 `json:"log_lines"`    // per second
}

// DefaultLimits are DESIGN's figures.
func DefaultLimits() Limits {
	return Limits{DynamicNSEs: 1024, VCsPerNSE: 64, BVCs: 65536, CacheEntries: 1000000,
		Subscribers: 1000000, VTYSessions: 16, QueueLength: 8192, LogLines: 100}
}

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{BitLen: 10, FlowControlRatio: 100, ActivityWindow: 60, Timers: DefaultTimers(),
		NS:     ns.Config{Timers: ns.DefaultTimers(), TxQueueMax: 128},
		Limits: DefaultLimits()}
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	c.Null = c.Null.Clone()
	c.SGSNs = slices.Clone(c.SGSNs)
	for i := range c.SGSNs {
		c.SGSNs[i].NRI = c.SGSNs[i].NRI.Clone()
	}
	c.NS = c.NS.Clone()
	return c
}

// Equal reports whether c and o set the same; an empty list is as none.
func (c Config) Equal(o Config) bool {
	same := slices.EqualFunc(c.SGSNs, o.SGSNs, SGSN.Equal) && c.Null.Equal(o.Null) && equalNS(c.NS, o.NS)
	c.SGSNs, o.SGSNs, c.Null, o.Null, c.NS, o.NS = nil, nil, nri.NullSet{}, nri.NullSet{}, ns.Config{}, ns.Config{}
	return same && reflect.DeepEqual(c, o)
}

// Equal reports whether s and o set the same.
func (s SGSN) Equal(o SGSN) bool {
	same := s.NRI.Equal(o.NRI)
	s.NRI, o.NRI = nil, nil
	return same && reflect.DeepEqual(s, o)
}

func equalNS(a, b ns.Config) bool {
	return a.Timers == b.Timers && a.TxQueueMax == b.TxQueueMax && slices.EqualFunc(a.Binds, b.Binds, ns.BindConfig.Equal) &&
		slices.Equal(a.SNSDefaultBinds, b.SNSDefaultBinds) && slices.EqualFunc(a.NSEs, b.NSEs, equalNSE)
}

func equalNSE(a, b ns.NSEConfig) bool {
	return a.NSEI == b.NSEI && a.Role == b.Role && a.Dialect == b.Dialect && slices.Equal(a.VCs, b.VCs) &&
		slices.Equal(a.SNSBinds, b.SNSBinds) && slices.Equal(a.SNSRemotes, b.SNSRemotes)
}
