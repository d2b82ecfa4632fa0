package load

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"poolgw/nri"
	"poolgw/ns"
)

// SGSN is one simulated SGSN.
type SGSN struct {
	NSEI uint16
	Addr netip.AddrPort // zero: any port of the loopback address
	NRI  nri.Set
}

// Options say who is simulated and where the gateway is.
type Options struct {
	BSSs        int // default 4
	Cells       int // of each BSS; default 1
	SGSNs       []SGSN
	BitLen      uint8      // of the NRIs; default 10
	Subscribers int        // different TLLIs; default 100,000
	Dialect     ns.Dialect // of the BSSs' NS; default static-alive
	FirstNSEI   uint16     // of the BSSs; default 2001
	FirstBVCI   uint16     // of the cells; default 1001
	IPv6        bool
	BSSAddr     netip.Addr // of the BSSs; default loopback
	ToBSSs      netip.AddrPort
	ToSGSNs     netip.AddrPort // the gateway's ends
	Bare        bool           // no NS and BVC management: toward the relay
	Own         bool           // the gateway that is started is poolgw: it has metrics
	Segment     bool           // gateway (poolgw) and relay send in trains (UDP_SEGMENT)
	Keepalive   uint16         // s, Tns-test of all; default 30
	Others      int            // cells of another generator at the same gateway
	Seed        uint64
}

// Most that Options may ask for.
const (
	MaxBSSs        = 10000
	MaxCells       = 50000 // of all BSSs
	maxSGSNs       = 64
	MaxSubscribers = 10000000
	maxBitLen      = 10
)

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// home is the loopback address of the nodes.
func (o *Options) home() netip.Addr {
	if o.IPv6 {
		return netip.IPv6Loopback()
	}
	return loopback
}

// ShareNRIs returns n SGSNs, each with an equal range of all NRIs.
func ShareNRIs(n int, bitLen uint8) []SGSN {
	var all []SGSN
	values := 1 << bitLen
	for i := range n {
		all = append(all, SGSN{NSEI: uint16(101 + i),
			NRI: nri.Set{{First: nri.V(i * values / n), Last: nri.V((i+1)*values/n - 1)}}})
	}
	return all
}

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

func (o *Options) complete() error {
	orDefault(&o.BSSs, 4)
	orDefault(&o.Cells, 1)
	orDefault(&o.BitLen, 10)
	orDefault(&o.Subscribers, 100000)
	orDefault(&o.Dialect, ns.DialectStaticAlive)
	orDefault(&o.FirstNSEI, 2001)
	orDefault(&o.FirstBVCI, 1001)
	orDefault(&o.BSSAddr, o.home())
	orDefault(&o.Keepalive, 30)
	orDefault(&o.Seed, 1)
	if len(o.SGSNs) == 0 {
		o.SGSNs = ShareNRIs(3, o.BitLen)
	}
	o.SGSNs = slices.Clone(o.SGSNs) // their ports will be filled in
	for i := range o.SGSNs {
		orDefault(&o.SGSNs[i].Addr, netip.AddrPortFrom(o.home(), 0))
	}
	for _, limit := range []struct {
		what     string
		n, least int
		most     int
	}{{"BSSs", o.BSSs, 1, MaxBSSs}, {"cells", o.BSSs * o.Cells, 1, MaxCells}, {"SGSNs", len(o.SGSNs), 1, maxSGSNs}, {"NRI length", int(o.BitLen), 1, maxBitLen},
		{"subscribers", o.Subscribers, o.BSSs * o.Cells, MaxSubscribers}} {
		if limit.n < limit.least || limit.n > limit.most {
			return fmt.Errorf("load: %d %s: %d to %d are possible", limit.n, limit.what, limit.least, limit.most)
		}
	}
	if !o.ToBSSs.IsValid() || !o.ToSGSNs.IsValid() || o.ToBSSs.Addr().Is4() != o.BSSAddr.Is4() {
		return errors.New("load: the gateway's addresses must be those of its two ends, of the family of the BSSs' one")
	}
	return nil
}
