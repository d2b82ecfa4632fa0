package ns

import (
	"encoding/binary"
	"net/netip"
)

// Primitives. A consume function returns the value, and the number of octets
// it took or -1 when they are not there; an append function the grown slice.

// consumeLength reads a length indicator (TS 48.016 10.1.2): bit 8 set, 7 bits
// in one octet; clear, 15 bits in two.
func consumeLength(b []byte) (v, n int) {
	switch {
	case len(b) >= 1 && b[0]&0x80 != 0:
		return int(b[0] & 0x7f), 1
	case len(b) >= 2:
		return int(binary.BigEndian.Uint16(b)), 2
	}
	return 0, -1
}

func appendLength(b []byte, v int) []byte {
	if v < 0x80 {
		return append(b, 0x80|byte(v))
	}
	return append(b, byte(v>>8)&0x7f, byte(v))
}

// fixedLen holds the lengths of the IEs that have no length indicator.
var fixedLen = [...]int{IEMaxNSVCs: 2, IEIPv4Count: 2, IEIPv6Count: 2, IEResetFlag: 1, IEIPAddress: 0}

// consumeIE reads one IE; value is a sub-slice of b.
func consumeIE(b []byte) (id IEI, value []byte, n int) {
	if len(b) < 2 {
		return 0, nil, -1
	}
	id = IEI(b[0])
	var l, hdr int
	switch {
	case id == IEIPAddress: // address type, then 4 or 16 octets (10.3.2b)
		l, hdr = ipAddressLen(b[1]), 1
	case int(id) < len(fixedLen) && fixedLen[id] > 0:
		l, hdr = fixedLen[id], 1
	default:
		l, hdr = consumeLength(b[1:])
		hdr++
	}
	if hdr < 1 || l < 0 || len(b)-hdr < l {
		return 0, nil, -1
	}
	return id, b[hdr : hdr+l], hdr + l
}

const (
	ipTypeV4 = 1
	ipTypeV6 = 2
)

func ipAddressLen(typ byte) int {
	switch typ {
	case ipTypeV4:
		return 5
	case ipTypeV6:
		return 17
	}
	return -1
}

// appendTLV appends an IE with a length indicator.
func appendTLV(b []byte, id IEI, value []byte) []byte {
	return append(appendLength(append(b, byte(id)), len(value)), value...)
}

func appendTLV16(b []byte, id IEI, v uint16) []byte {
	return append(b, byte(id), 0x82, byte(v>>8), byte(v))
}

func appendFixed16(b []byte, id IEI, v uint16) []byte {
	return append(b, byte(id), byte(v>>8), byte(v))
}

// elementLen is the length of an element of the endpoint lists: address, port,
// signalling weight, data weight (TS 48.016 10.3.2c, 10.3.2d).
func elementLen(id IEI) int {
	if id == IEIPv4List {
		return 4 + 4
	}
	return 16 + 4
}

// parseEndpoints reads an endpoint list's value.
func parseEndpoints(id IEI, v []byte) ([]Endpoint, bool) {
	n := elementLen(id)
	if len(v) == 0 || len(v)%n != 0 {
		return nil, false
	}
	eps := make([]Endpoint, 0, len(v)/n)
	for ; len(v) > 0; v = v[n:] {
		a, _ := netip.AddrFromSlice(v[:n-4])
		eps = append(eps, Endpoint{
			Addr:       netip.AddrPortFrom(a, binary.BigEndian.Uint16(v[n-4:])),
			SigWeight:  v[n-2],
			DataWeight: v[n-1],
		})
	}
	return eps, true
}

// appendEndpoints appends the list IE of eps, which are of one family.
func appendEndpoints(b []byte, eps []Endpoint) []byte {
	if len(eps) == 0 {
		return b
	}
	id := IEIPv6List
	if eps[0].Addr.Addr().Is4() {
		id = IEIPv4List
	}
	b = appendLength(append(b, byte(id)), len(eps)*elementLen(id))
	for _, e := range eps {
		b = append(b, e.Addr.Addr().AsSlice()...)
		b = binary.BigEndian.AppendUint16(b, e.Addr.Port())
		b = append(b, e.SigWeight, e.DataWeight)
	}
	return b
}
