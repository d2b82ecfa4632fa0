package ngap

// cursor reads aligned PER (X.691) from one value. The first fault sticks: later
// reads return zeroes, and done returns it.
type cursor struct {
	b   []byte
	at  int // in bits
	bad Reason
	off int // octet of the fault
}

func (c *cursor) fail(r Reason) {
	if c.bad == "" {
		c.bad, c.off = r, c.at/8
	}
}

// ok says whether n more bits are there.
func (c *cursor) ok(n int) bool {
	if c.bad == "" && n > len(c.b)*8-c.at {
		c.fail(Truncated)
	}
	return c.bad == ""
}

// err returns the first fault.
func (c *cursor) err() error {
	if c.bad == "" {
		return nil
	}
	return &Error{Reason: c.bad, Offset: c.off, IE: NoIE}
}

// done ends a value: what is left in the last octet is padding and ignored, more
// octets are a fault. A type of no bits is one octet (11.1).
func (c *cursor) done() error {
	if c.bad == "" && (c.at+7)/8 < len(c.b) {
		c.at = (c.at + 7) &^ 7
		c.fail(Trailing)
	}
	return c.err()
}

// bits reads up to 32 bits.
func (c *cursor) bits(n int) (v uint32) {
	if !c.ok(n) {
		return 0
	}
	if free := 8 - c.at&7; n <= free && n > 0 { // most are flags, all in one octet
		v = uint32(c.b[c.at>>3]>>(free-n)) & (1<<n - 1)
		c.at += n
		return v
	}
	for n > 0 {
		free := 8 - c.at&7
		take := min(free, n)
		o := c.b[c.at>>3] >> (free - take) & (1<<take - 1)
		v = v<<take | uint32(o)
		c.at, n = c.at+take, n-take
	}
	return v
}

func (c *cursor) bit() bool { return c.bits(1) == 1 }

func (c *cursor) align() { c.at = (c.at + 7) &^ 7 }

// octets reads n octets, aligned, without copying.
func (c *cursor) octets(n int) []byte {
	c.align()
	if !c.ok(n * 8) {
		return nil
	}
	i := c.at / 8
	c.at += n * 8
	return c.b[i : i+n : i+n]
}

// uint16 reads a constrained number or count of range 257 to 65536: two aligned
// octets (11.5.7.3).
func (c *cursor) uint16() int {
	o := c.octets(2)
	if o == nil {
		return 0
	}
	return int(o[0])<<8 | int(o[1])
}

// within reads a constrained number 0..most in n bits (11.5.7.1).
func (c *cursor) within(n int, most uint32) uint32 {
	v := c.bits(n)
	if v > most {
		c.fail(OutOfRange)
		return 0
	}
	return v
}

// integer reads a constrained number of range above 65536: a length in octets,
// of lenBits bits, less one, then the octets (11.5.7.4).
func (c *cursor) integer(lenBits, most int) (v uint64) {
	n := int(c.bits(lenBits)) + 1
	if n > most {
		c.fail(OutOfRange)
		return 0
	}
	for _, o := range c.octets(n) {
		v = v<<8 | uint64(o)
	}
	return v
}

// enum reads an extensible ENUMERATED of root values in n bits. Values of the
// extension follow the root's (14.3).
func (c *cursor) enum(n int, root uint32) uint32 {
	if !c.bit() {
		if v := c.bits(n); v < root {
			return v
		}
		c.fail(Alternative)
		return 0
	}
	return root + c.small()
}

// small reads a normally small number (11.6).
func (c *cursor) small() uint32 {
	if !c.bit() {
		return c.bits(6)
	}
	n := c.octets(1)
	if n == nil || n[0] == 0 || n[0] > 3 {
		c.fail(OutOfRange)
		return 0
	}
	var v uint32
	for _, o := range c.octets(int(n[0])) {
		v = v<<8 | uint32(o)
	}
	return v
}

// unbounded reads an aligned value of octets with a length determinant (11.9.3.5
// to 11.9.3.8): an open type, or an OCTET STRING without bound. Only a fragmented
// one is copied.
func (c *cursor) unbounded() []byte {
	c.align()
	if !c.ok(8) {
		return nil
	}
	v, next, _, bad := unbounded(c.b, c.at/8, nil)
	c.at = next * 8
	if bad != "" {
		c.fail(bad)
		return nil
	}
	return v
}

// items reads a length determinant that counts items, and whether it is a
// fragment's, so that another follows the items (11.9.3.5 to 11.9.3.8).
func (c *cursor) items() (n int, more bool) {
	c.align()
	switch o := c.bits(8); {
	case o < 0x80:
		return int(o), false
	case o < 0xc0:
		return int(o&0x3f)<<8 | int(c.bits(8)), false
	case o&0x3f >= 1 && o&0x3f <= 4:
		return int(o&0x3f) * fragment, true
	}
	c.fail(Fragments)
	return 0, false
}

// printable reads a PrintableString (SIZE(1..150,...)): 8 bits of length, aligned
// octets (30.5).
func (c *cursor) printable() []byte {
	var v []byte
	if c.bit() {
		v = c.unbounded()
	} else {
		v = c.octets(int(c.within(8, 149)) + 1)
	}
	for _, o := range v {
		if o < 0x20 || o > 0x7e {
			c.fail(NotText)
			return nil
		}
	}
	return v
}

// sequence reads the preamble of an extensible SEQUENCE: the extension bit and
// n bits for what is optional, the first of them highest.
func (c *cursor) sequence(n int) (extended bool, optional uint32) {
	extended = c.bit()
	return extended, c.bits(n)
}

// single reads a ProtocolIE-SingleContainer: what a choice-Extensions holds.
func (c *cursor) single() (IEID, []byte) {
	id := IEID(c.uint16())
	c.bits(2)
	return id, c.unbounded()
}

// unbounded is cursor.unbounded on octets at at. It appends a fragmented value to
// scratch. It returns the value, where it ends, and scratch.
func unbounded(b []byte, at int, scratch []byte) (v []byte, next int, grown []byte, bad Reason) {
	if at >= len(b) {
		return nil, at, scratch, Truncated
	}
	o := b[at]
	n := int(o)
	switch {
	case o < 0x80:
		at++
	case o < 0xc0:
		if at+2 > len(b) {
			return nil, at, scratch, Truncated
		}
		n = int(o&0x3f)<<8 | int(b[at+1])
		at += 2
	default:
		return fragments(b, at, scratch)
	}
	if n > len(b)-at {
		return nil, at, scratch, Truncated
	}
	return b[at : at+n : at+n], at + n, scratch, ""
}

// fragments joins a fragmented value (11.9.3.8): pieces of 1 to 4 times 16384
// octets, then one below 16384, which may be empty but must be there.
func fragments(b []byte, at int, scratch []byte) (v []byte, next int, grown []byte, bad Reason) {
	from := len(scratch)
	for at < len(b) && b[at] >= 0xc0 {
		m := int(b[at] & 0x3f)
		if m < 1 || m > 4 {
			return nil, at, scratch, Fragments
		}
		at++
		if m*fragment > len(b)-at {
			return nil, at, scratch, Truncated
		}
		scratch = append(scratch, b[at:at+m*fragment]...)
		at += m * fragment
	}
	last, next, _, bad := unbounded(b, at, nil)
	if bad != "" {
		return nil, next, scratch, bad
	}
	scratch = append(scratch, last...)
	return scratch[from:len(scratch):len(scratch)], next, scratch, ""
}

const fragment = 16384
