package ngap

// MaxTAs is the most items of a Supported TA List (maxnoofTACs).
const MaxTAs = 256

// SupportedTA is an item of the Supported TA List (9.2.6.1).
type SupportedTA struct {
	TAC   uint32
	PLMNs []PLMNSupport // Broadcast PLMN List

	extras *extras
}

// ReadSupportedTAs appends a Supported TA List (IE 102) to list.
func ReadSupportedTAs(v []byte, list []SupportedTA) ([]SupportedTA, error) {
	c := cursor{b: v}
	for n := c.count256(); n > 0 && c.bad == ""; n-- {
		var t SupportedTA
		extended, opt := c.sequence(1)
		t.TAC = c.tac()
		t.PLMNs = c.broadcastPLMNs()
		t.extras = c.extras(extended, opt == 1)
		list = append(list, t)
	}
	return list, c.done()
}

func (c *cursor) broadcastPLMNs() (list []PLMNSupport) {
	for n := c.within(4, MaxPLMNs-1) + 1; n > 0 && c.bad == ""; n-- {
		var p PLMNSupport
		extended, opt := c.sequence(1)
		p.PLMN = c.plmn()
		p.Slices = c.sliceList(nil)
		p.extras = c.extras(extended, opt == 1)
		list = append(list, p)
	}
	return list
}

// ReadPagingTAIs appends a TAI List for Paging (IE 103), 1 to 16, to list.
func ReadPagingTAIs(v []byte, list []TAI) ([]TAI, error) {
	c := cursor{b: v}
	for n := c.bits(4) + 1; n > 0 && c.bad == ""; n-- {
		extended, opt := c.sequence(1)
		t := c.tai()
		c.skip(extended, opt == 1)
		list = append(list, t)
	}
	return list, c.done()
}

// ReadLocation reads the TAI of a User Location Information (9.3.1.16, IE 121):
// of an NR or E-UTRA cell, or the TAI that a non-3GPP access adds. ok is false
// where there is none.
func ReadLocation(v []byte) (t TAI, ok bool, err error) {
	c := cursor{b: v}
	var x *extras
	switch c.bits(2) {
	case 0:
		return c.cellLocation(28)
	case 1:
		return c.cellLocation(36)
	case 2:
		extended, opt := c.sequence(1)
		c.address()
		c.octets(2)
		x = c.extras(extended, opt == 1)
	default:
		x = c.otherLocation()
	}
	if err := c.done(); err != nil {
		return t, false, err
	}
	if v, ok := x.find(IETAI); ok {
		t, err = ReadTAI(v)
		return t, err == nil, err
	}
	return t, false, nil
}

// cellLocation reads a cell's global identity of n bits, TAI, time stamp.
func (c *cursor) cellLocation(n int) (TAI, bool, error) {
	extended, opt := c.sequence(2)
	inner, innerOpt := c.sequence(1)
	c.plmn()
	c.align()
	c.bits(n - 16)
	c.bits(16)
	c.skip(inner, innerOpt == 1)
	t := c.tai()
	if opt&2 != 0 {
		c.octets(4)
	}
	c.skip(extended, opt&1 != 0)
	err := c.done()
	return t, err == nil, err
}

// otherLocation reads the choice-Extensions: TNGF, TWIF, W-AGF. The last has no
// TAI.
func (c *cursor) otherLocation() *extras {
	id, v := c.single()
	in := cursor{b: v}
	var x *extras
	switch id {
	case IEUserLocationInformationTNGF, IEUserLocationInformationTWIF:
		extended, opt := in.sequence(2)
		in.unbounded()
		in.address()
		if opt&2 != 0 {
			in.octets(2)
		}
		x = in.extras(extended, opt&1 != 0)
	}
	if in.bad != "" {
		c.fail(in.bad)
	}
	return x
}

// address reads a Transport Layer Address (9.3.2.4): BIT STRING
// (SIZE(1..160,...)). It returns its octets and how many bits of them are used.
func (c *cursor) address() (v []byte, bits int) {
	if c.bit() { // longer than IPv4 and IPv6 together
		c.fail(OutOfRange)
		return nil, 0
	}
	bits = int(c.within(8, 159)) + 1
	c.align()
	if !c.ok(bits) {
		return nil, 0
	}
	i := c.at / 8
	c.at += bits
	return c.b[i : i+(bits+7)/8], bits
}
