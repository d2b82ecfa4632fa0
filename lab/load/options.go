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
	Addr netip.AddrPort // port 0: any
	NRI  nri.Set
}

// Options say who is simulated and where the gateway is.
type Options struct {
	BSSs        int // each with one cell; default 4
	SGSNs       []SGSN
	BitLen      uint8      // of the NRIs; default 10
	Subscribers int        // different TLLIs; default 100,000
	Dialect     ns.Dialect // of the BSSs' NS; default static-alive
	FirstNSEI   uint16     // of the BSSs; default 2001
	FirstBVCI   uint16     // of the cells; default 1001
	BSSAddr     netip.Addr // of the BSSs; default 127.0.0.1
	ToBSSs      netip.AddrPort
	ToSGSNs     netip.AddrPort // the gateway's ends
	Bare        bool           // no NS and BVC management: toward the relay
	Seed        uint64
}

// Most that Options may ask for.
const (
	maxBSSs        = 10000
	maxSGSNs       = 64
	maxSubscribers = 10000000
	maxBitLen      = 10
)

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// ShareNRIs returns n SGSNs, each with an equal range of all NRIs.
func ShareNRIs(n int, bitLen uint8) []SGSN {
	var all []SGSN
	values := 1 << bitLen
	for i := range n {
		all = append(all, SGSN{NSEI: uint16(101 + i), Addr: netip.AddrPortFrom(loopback, 0),
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
	orDefault(&o.BitLen, 10)
	orDefault(&o.Subscribers, 100000)
	orDefault(&o.Dialect, ns.DialectStaticAlive)
	orDefault(&o.FirstNSEI, 2001)
	orDefault(&o.FirstBVCI, 1001)
	orDefault(&o.BSSAddr, loopback)
	orDefault(&o.Seed, 1)
	if len(o.SGSNs) == 0 {
		o.SGSNs = ShareNRIs(3, o.BitLen)
	}
	o.SGSNs = slices.Clone(o.SGSNs) // their ports will be filled in
	for _, limit := range []struct {
		what     string
		n, least int
		most     int
	}{{"BSSs", o.BSSs, 1, maxBSSs}, {"SGSNs", len(o.SGSNs), 1, maxSGSNs}, {"NRI length", int(o.BitLen), 1, maxBitLen},
		{"subscribers", o.Subscribers, o.BSSs, maxSubscribers}} {
		if limit.n < limit.least || limit.n > limit.most {
			return fmt.Errorf("load: %d %s: %d to %d are possible", limit.n, limit.what, limit.least, limit.most)
		}
	}
	if !o.ToBSSs.Addr().Is4() || !o.ToSGSNs.Addr().Is4() {
		return errors.New("load: the gateway's addresses must be IPv4 ones")
	}
	return nil
}
