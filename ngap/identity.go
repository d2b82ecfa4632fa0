package ngap

import "fmt"

// PLMN is a PLMN Identity as it is on the wire (9.3.3.5).
type PLMN [3]byte

// String returns "MCC-MNC".
func (p PLMN) String() string {
	d := func(o byte) byte { return "0123456789*#abc?"[o&15] }
	s := string([]byte{d(p[0]), d(p[0] >> 4), d(p[1]), '-', d(p[2]), d(p[2] >> 4)})
	if p[1]>>4 != 15 {
		s += string([]byte{d(p[1] >> 4)})
	}
	return s
}

// TAI is a tracking area identity (9.3.3.11). TAC has 24 bits.
type TAI struct {
	PLMN PLMN
	TAC  uint32
}

// GUAMI is a globally unique AMF identifier (9.3.3.3): Region 8 bits, Set 10,
// Pointer 6.
type GUAMI struct {
	PLMN    PLMN
	Region  uint8
	Set     uint16
	Pointer uint8
}

// String returns "MCC-MNC region/set/pointer".
func (g GUAMI) String() string {
	return fmt.Sprintf("%s %d/%d/%d", g.PLMN, g.Region, g.Set, g.Pointer)
}

// STMSI is a 5G-S-TMSI (9.3.3.20): Set 10 bits, Pointer 6.
type STMSI struct {
	Set     uint16
	Pointer uint8
	TMSI    uint32
}

func (c *cursor) plmn() (p PLMN) {
	copy(p[:], c.octets(3))
	return p
}

func (c *cursor) tac() uint32 {
	o := c.octets(3)
	if o == nil {
		return 0
	}
	return uint32(o[0])<<16 | uint32(o[1])<<8 | uint32(o[2])
}

// skip reads what a nested SEQUENCE holds beyond its known components, and drops
// it.
func (c *cursor) skip(extended, container bool) { c.extras(extended, container) }

func (c *cursor) tai() (t TAI) {
	extended, opt := c.sequence(1)
	t = TAI{c.plmn(), c.tac()}
	c.skip(extended, opt == 1)
	return t
}

func (c *cursor) guami() (g GUAMI, x *extras) {
	extended, opt := c.sequence(1)
	g.PLMN = c.plmn()
	g.Region = uint8(c.bits(8))
	g.Set = uint16(c.bits(10))
	g.Pointer = uint8(c.bits(6))
	return g, c.extras(extended, opt == 1)
}

func (w *writer) guami(g GUAMI, x *extras) {
	w.preamble(x, 0, 0)
	w.octets(g.PLMN[:])
	w.bits(uint32(g.Region), 8)
	w.bits(uint32(g.Set), 10)
	w.bits(uint32(g.Pointer), 6)
	w.extras(x)
}

func (c *cursor) stmsi() (s STMSI) {
	extended, opt := c.sequence(1)
	s.Set = uint16(c.bits(10))
	s.Pointer = uint8(c.bits(6))
	for _, o := range c.octets(4) {
		s.TMSI = s.TMSI<<8 | uint32(o)
	}
	c.skip(extended, opt == 1)
	return s
}

// ReadGUAMI reads a GUAMI: IEs 28 and 162 (new).
func ReadGUAMI(v []byte) (GUAMI, error) {
	c := cursor{b: v}
	g, _ := c.guami()
	return g, c.done()
}

// AppendGUAMI appends the value of a GUAMI.
func AppendGUAMI(b []byte, g GUAMI) []byte {
	w := writer{b: b}
	w.guami(g, nil)
	return w.b
}

// ReadSTMSI reads a 5G-S-TMSI, IE 26.
func ReadSTMSI(v []byte) (STMSI, error) {
	c := cursor{b: v}
	s := c.stmsi()
	return s, c.done()
}

// AppendSTMSI appends the value of a 5G-S-TMSI.
func AppendSTMSI(b []byte, s STMSI) []byte {
	w := writer{b: b}
	w.preamble(nil, 0, 0)
	w.bits(uint32(s.Set), 10)
	w.bits(uint32(s.Pointer), 6)
	w.octets([]byte{byte(s.TMSI >> 24), byte(s.TMSI >> 16), byte(s.TMSI >> 8), byte(s.TMSI)})
	return w.b
}

// ReadUEPagingIdentity reads the 5G-S-TMSI of a UE Paging Identity (9.3.3.18), IE
// 115.
func ReadUEPagingIdentity(v []byte) (STMSI, error) {
	c := cursor{b: v}
	if c.bit() {
		c.fail(Alternative)
	}
	s := c.stmsi()
	return s, c.done()
}

// ReadPLMN reads a PLMN Identity: IE 174 (selected).
func ReadPLMN(v []byte) (PLMN, error) {
	c := cursor{b: v}
	p := c.plmn()
	return p, c.done()
}

// ReadAMFSetID reads an AMF Set ID (9.3.3.12), 10 bits: IE 3.
func ReadAMFSetID(v []byte) (uint16, error) {
	c := cursor{b: v}
	s := c.bits(10)
	return uint16(s), c.done()
}

// AppendAMFSetID appends the value of an AMF Set ID.
func AppendAMFSetID(b []byte, set uint16) []byte {
	return append(b, byte(set>>2), byte(set<<6))
}

// ReadTAI reads a TAI, IE 213.
func ReadTAI(v []byte) (TAI, error) {
	c := cursor{b: v}
	t := c.tai()
	return t, c.done()
}
