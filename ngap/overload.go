package ngap

// OverloadAction is an Overload Action (9.3.1.105).
type OverloadAction uint8

// The actions.
const (
	RejectNonEmergencyMOData OverloadAction = iota
	RejectSignalling
	PermitEmergencyAndMT
	PermitHighPriorityAndMT
)

// String returns the specification's word.
func (a OverloadAction) String() string {
	return name(a, "reject-non-emergency-mo-dt", "reject-rrc-cr-signalling",
		"permit-emergency-sessions-and-mobile-terminated-services-only",
		"permit-high-priority-sessions-and-mobile-terminated-services-only")
}

// ReadOverloadResponse reads an AMF Overload Response (9.3.1.104), IE 2.
func ReadOverloadResponse(v []byte) (OverloadAction, error) {
	c := cursor{b: v}
	a := c.overloadResponse()
	return a, c.done()
}

func (c *cursor) overloadResponse() OverloadAction {
	if c.bit() {
		c.fail(Alternative)
	}
	return OverloadAction(min(c.enum(2, 4), 255))
}

// AppendOverloadResponse appends the value of an AMF Overload Response.
func AppendOverloadResponse(b []byte, a OverloadAction) []byte {
	w := writer{b: b}
	w.bit(false)
	w.enum(uint32(a), 4, 2)
	return w.b
}

// ReadLoadReduction reads an AMF Traffic Load Reduction Indication (9.3.1.106), IE
// 9: 1..99 per cent.
func ReadLoadReduction(v []byte) (uint8, error) {
	c := cursor{b: v}
	n := c.within(7, 98) + 1
	return uint8(n), c.done()
}

// AppendLoadReduction appends the value of an AMF Traffic Load Reduction
// Indication.
func AppendLoadReduction(b []byte, percent uint8) []byte {
	w := writer{b: b}
	w.bits(uint32(min(max(percent, 1), 99)-1), 7)
	return w.b
}

// SliceOverload is an item of the Overload Start NSSAI List (9.2.6.13).
type SliceOverload struct {
	Slices    []Slice
	Action    OverloadAction
	HasAction bool
	Reduction uint8 // per cent; 0: none given
}

// ReadSliceOverloads appends an Overload Start NSSAI List (IE 49), 1 to 1024, to
// list.
func ReadSliceOverloads(v []byte, list []SliceOverload) ([]SliceOverload, error) {
	c := cursor{b: v}
	n := c.uint16() + 1
	if n > MaxSlices {
		c.fail(TooMany)
	}
	for ; n > 0 && c.bad == ""; n-- {
		var s SliceOverload
		extended, opt := c.sequence(3)
		s.Slices = c.sliceList(nil)
		if s.HasAction = opt&4 != 0; s.HasAction {
			s.Action = c.overloadResponse()
		}
		if opt&2 != 0 {
			s.Reduction = uint8(c.within(7, 98) + 1)
		}
		c.skip(extended, opt&1 != 0)
		list = append(list, s)
	}
	return list, c.done()
}
