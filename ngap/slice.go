package ngap

// Bounds of PLMN and slice lists (9.4.5).
const (
	MaxPLMNs  = 12
	MaxSlices = 1024
)

// SNSSAI is a single NSSAI (9.3.1.24).
type SNSSAI struct {
	SST   uint8
	SD    uint32 // 24 bits, with HasSD
	HasSD bool
}

// Slice is an item of a slice list: an S-NSSAI and what else the item held.
type Slice struct {
	SNSSAI

	inner, extras *extras
}

func (c *cursor) snssai() (s SNSSAI, x *extras) {
	extended, opt := c.sequence(2)
	s.SST = uint8(c.bits(8))
	if opt&2 != 0 {
		s.HasSD, s.SD = true, c.tac()
	}
	return s, c.extras(extended, opt&1 != 0)
}

func (w *writer) snssai(s SNSSAI, x *extras) {
	w.preamble(x, bit(s.HasSD), 1)
	w.bits(uint32(s.SST), 8)
	if s.HasSD {
		w.octets([]byte{byte(s.SD >> 16), byte(s.SD >> 8), byte(s.SD)})
	}
	w.extras(x)
}

// slices reads n items, each a SEQUENCE of an S-NSSAI and iE-Extensions.
func (c *cursor) slices(n int, list []Slice) []Slice {
	for ; n > 0 && c.bad == ""; n-- {
		var s Slice
		extended, opt := c.sequence(1)
		s.SNSSAI, s.inner = c.snssai()
		s.extras = c.extras(extended, opt == 1)
		list = append(list, s)
	}
	return list
}

// sliceList reads a Slice Support List of 1 to 1024.
func (c *cursor) sliceList(list []Slice) []Slice {
	n := c.uint16() + 1
	if n > MaxSlices {
		c.fail(TooMany)
	}
	return c.slices(n, list)
}

func (w *writer) sliceList(list []Slice) {
	w.uint16(len(list) - 1)
	for i := range list {
		w.preamble(list[i].extras, 0, 0)
		w.snssai(list[i].SNSSAI, list[i].inner)
		w.extras(list[i].extras)
	}
}

// ReadNSSAI appends the S-NSSAIs of an Allowed NSSAI (9.3.1.31, IE 0), at most 8,
// to list. The Requested NSSAI of an Initial UE Message (IE 454, Release 19) is
// read alike: an assumption, since no witness of its form was at hand.
func ReadNSSAI(v []byte, list []Slice) ([]Slice, error) {
	c := cursor{b: v}
	list = c.slices(int(c.bits(3))+1, list)
	return list, c.done()
}

// AppendNSSAI appends an Allowed NSSAI of 1 to 8 S-NSSAIs.
func AppendNSSAI(b []byte, list []Slice) []byte {
	w := writer{b: b}
	w.bits(uint32(len(list)-1), 3)
	for i := range list {
		w.preamble(list[i].extras, 0, 0)
		w.snssai(list[i].SNSSAI, list[i].inner)
		w.extras(list[i].extras)
	}
	return w.b
}

// PLMNSupport is an item of the PLMN Support List (9.2.6.2).
type PLMNSupport struct {
	PLMN   PLMN
	Slices []Slice

	extras *extras
}

// ExtendedSlices returns the value of the item's Extended Slice Support List (IE
// 270), where there is one.
func (p *PLMNSupport) ExtendedSlices() ([]byte, bool) {
	return p.extras.find(IEExtendedSliceSupportList)
}

// ReadPLMNSupport appends a PLMN Support List (IE 80) to list.
func ReadPLMNSupport(v []byte, list []PLMNSupport) ([]PLMNSupport, error) {
	c := cursor{b: v}
	for n := c.within(4, MaxPLMNs-1) + 1; n > 0 && c.bad == ""; n-- {
		var p PLMNSupport
		extended, opt := c.sequence(1)
		p.PLMN = c.plmn()
		p.Slices = c.sliceList(nil)
		p.extras = c.extras(extended, opt == 1)
		list = append(list, p)
	}
	return list, c.done()
}

// AppendPLMNSupport appends a PLMN Support List of 1 to MaxPLMNs, each with 1 to
// MaxSlices slices.
func AppendPLMNSupport(b []byte, list []PLMNSupport) []byte {
	w := writer{b: b}
	w.bits(uint32(len(list)-1), 4)
	for i := range list {
		w.preamble(list[i].extras, 0, 0)
		w.octets(list[i].PLMN[:])
		w.sliceList(list[i].Slices)
		w.extras(list[i].extras)
	}
	return w.b
}
