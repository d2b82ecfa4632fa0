package ngap

import "net/netip"

// MaxTNLAs is the most TNL associations of a list (maxnoofTNLAssociations).
const MaxTNLAs = 32

// TNLAUsage is a TNL Association Usage (9.3.2.9).
type TNLAUsage uint8

// The usages.
const (
	TNLAForUE TNLAUsage = iota
	TNLAForNonUE
	TNLAForBoth
)

// TNLA is an item of a TNL Association List (9.2.6.4, 9.3.2.6 CP Transport Layer
// Information). What an item of a list does not have is zero.
type TNLA struct {
	Addr, Addr6 netip.Addr // of either family; zero: none
	Port        uint16     // 0: not given
	Usage       TNLAUsage
	HasUsage    bool
	Weight      uint8 // TNL Address Weight Factor; 0: not for initial messages
	HasWeight   bool
	Cause       Cause // of a failed one

	address *cpAddress // as it came
}

// cpAddress is a CP Transport Layer Information as it is on the wire: octets from
// an address's first bit.
type cpAddress struct {
	id   IEID // of the choice-Extensions; 0: none
	bits int
	v    []byte
}

// ReadTNLAsToAdd appends an AMF TNL Association to Add List (IE 6) to list.
func ReadTNLAsToAdd(v []byte, list []TNLA) ([]TNLA, error) {
	return readTNLAs(v, list, 2, func(c *cursor, t *TNLA, opt uint32) {
		t.usage(c, opt&2 != 0)
		t.weight(c, true)
	})
}

// ReadTNLAsToUpdate appends an AMF TNL Association to Update List (IE 8) to list.
func ReadTNLAsToUpdate(v []byte, list []TNLA) ([]TNLA, error) {
	return readTNLAs(v, list, 3, func(c *cursor, t *TNLA, opt uint32) {
		t.usage(c, opt&4 != 0)
		t.weight(c, opt&2 != 0)
	})
}

// ReadTNLAs appends an AMF TNL Association to Remove List (IE 7) or Setup List (IE
// 5) to list.
func ReadTNLAs(v []byte, list []TNLA) ([]TNLA, error) {
	return readTNLAs(v, list, 1, func(*cursor, *TNLA, uint32) {})
}

// ReadFailedTNLAs appends an AMF TNL Association Failed to Setup List (IE 4) to
// list.
func ReadFailedTNLAs(v []byte, list []TNLA) ([]TNLA, error) {
	return readTNLAs(v, list, 1, func(c *cursor, t *TNLA, _ uint32) { t.Cause = c.cause() })
}

func readTNLAs(v []byte, list []TNLA, optional int, rest func(*cursor, *TNLA, uint32)) ([]TNLA, error) {
	c := cursor{b: v}
	for n := c.bits(5) + 1; n > 0 && c.bad == ""; n-- {
		var t TNLA
		extended, opt := c.sequence(optional)
		t.readAddress(&c)
		rest(&c, &t, opt)
		c.skip(extended, opt&1 != 0)
		list = append(list, t)
	}
	return list, c.done()
}

func (t *TNLA) usage(c *cursor, there bool) {
	if t.HasUsage = there; there {
		t.Usage = TNLAUsage(min(c.enum(2, 3), 255))
	}
}

func (t *TNLA) weight(c *cursor, there bool) {
	if t.HasWeight = there; !there {
		return
	}
	if o := c.octets(1); o != nil {
		t.Weight = o[0]
	}
}

// readAddress reads a CP Transport Layer Information: an address, or one with a
// port (IE 169) in the choice-Extensions.
func (t *TNLA) readAddress(c *cursor) {
	t.address = new(cpAddress)
	if !c.bit() {
		t.address.v, t.address.bits = c.address()
	} else {
		t.address.id, t.address.v = c.single()
	}
	in := cursor{b: t.address.v}
	bits := t.address.bits
	if t.address.id == IEEndpointIPAddressAndPort {
		extended, opt := in.sequence(1)
		var v []byte
		v, bits = in.address()
		t.Port = uint16(in.uint16())
		in.skip(extended, opt == 1)
		in.b = v
	} else if t.address.id != 0 {
		return
	}
	if in.bad != "" {
		c.fail(in.bad)
		return
	}
	t.Addr, t.Addr6 = addresses(in.b, bits)
}

// addresses splits a Transport Layer Address (9.3.2.4): 32 bits of IPv4, 128 of
// IPv6, or 160 of both.
func addresses(v []byte, bits int) (v4, v6 netip.Addr) {
	if bits == 32 || bits == 160 {
		v4, _ = netip.AddrFromSlice(v[:4])
		v = v[4:]
	}
	if bits == 128 || bits == 160 {
		v6, _ = netip.AddrFromSlice(v[:16])
	}
	return v4, v6
}

// AppendFailedTNLAs appends an AMF TNL Association Failed to Setup List of 1 to
// MaxTNLAs, with the addresses as they were read.
func AppendFailedTNLAs(b []byte, list []TNLA, cause Cause) []byte {
	w := writer{b: b}
	list = list[:min(len(list), MaxTNLAs)]
	w.bits(uint32(len(list)-1), 5)
	for i := range list {
		w.preamble(nil, 0, 0)
		w.cpAddress(list[i].address)
		w.cause(cause)
	}
	return w.b
}

func (w *writer) cpAddress(a *cpAddress) {
	if a.id != 0 {
		w.bits(1, 1)
		w.uint16(int(a.id))
		w.bits(uint32(Reject), 2)
		w.unbounded(a.v)
		return
	}
	w.bits(0, 2)
	w.bits(uint32(a.bits-1), 8)
	w.bitString(a.v, a.bits)
}
