package ngap

// NodeID is a Global RAN Node ID (9.3.1.5), comparable: two nodes are one when
// type, PLMN, length and value are equal.
type NodeID struct {
	Type  NodeType
	PLMN  PLMN
	Bits  uint8 // length of Value: 22 to 32 for a gNB
	Value uint32
}

// NodeType tells the alternatives of the Global RAN Node ID apart.
type NodeType uint8

// The node types.
const (
	GNB NodeType = iota
	NgENBMacro
	NgENBShortMacro
	NgENBLongMacro
	N3IWF
	TNGF
	TWIF
	WAGF
)

// String returns the specification's name.
func (t NodeType) String() string {
	return name(t, "gNB", "ng-eNB", "ng-eNB short", "ng-eNB long", "N3IWF", "TNGF", "TWIF", "W-AGF")
}

// ReadNodeID reads a Global RAN Node ID, IE 27.
func ReadNodeID(v []byte) (n NodeID, err error) {
	c := cursor{b: v}
	switch c.bits(2) {
	case 0:
		n = c.nodeID((*cursor).gnbID)
	case 1:
		n = c.nodeID((*cursor).ngENBID)
	case 2:
		n = c.nodeID(func(c *cursor) (NodeType, uint8, uint32) { return c.alternative(N3IWF, 16, false) })
	default:
		n = c.otherNode()
	}
	return n, c.done()
}

// nodeID reads the SEQUENCE of a PLMN and an ID.
func (c *cursor) nodeID(id func(*cursor) (NodeType, uint8, uint32)) (n NodeID) {
	extended, opt := c.sequence(1)
	n.PLMN = c.plmn()
	n.Type, n.Bits, n.Value = id(c)
	c.skip(extended, opt == 1)
	return n
}

// gnbID reads a CHOICE of BIT STRING (SIZE(22..32)) and choice-Extensions.
func (c *cursor) gnbID() (NodeType, uint8, uint32) {
	if c.bit() {
		c.fail(Alternative)
	}
	n := c.within(4, 10) + 22
	c.align()
	return GNB, uint8(n), c.bits(int(n))
}

// ngENBID reads a CHOICE of BIT STRINGs of 20, 18 and 21 bits.
func (c *cursor) ngENBID() (NodeType, uint8, uint32) {
	i := c.within(2, 2)
	n := [...]uint8{20, 18, 21}[i]
	c.align()
	return NgENBMacro + NodeType(i), n, c.bits(int(n))
}

// alternative reads a CHOICE of BIT STRING (SIZE(n)), which may be extensible, and
// choice-Extensions.
func (c *cursor) alternative(t NodeType, n uint8, extensible bool) (NodeType, uint8, uint32) {
	if c.bit() || extensible && c.bit() {
		c.fail(Alternative)
	}
	if n > 16 {
		c.align()
	}
	return t, n, c.bits(int(n))
}

// otherNode reads the choice-Extensions.
func (c *cursor) otherNode() (n NodeID) {
	id, v := c.single()
	in := cursor{b: v}
	switch id {
	case IEGlobalTNGFID:
		n = in.nodeID(func(c *cursor) (NodeType, uint8, uint32) { return c.alternative(TNGF, 32, true) })
	case IEGlobalTWIFID:
		n = in.nodeID(func(c *cursor) (NodeType, uint8, uint32) { return c.alternative(TWIF, 32, true) })
	case IEGlobalWAGFID:
		n = in.nodeID(func(c *cursor) (NodeType, uint8, uint32) { return c.alternative(WAGF, 16, true) })
	default:
		in.fail(Alternative)
	}
	if in.bad != "" {
		c.fail(in.bad)
	}
	return n
}
