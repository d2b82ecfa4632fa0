package ngap

// extras is what a SEQUENCE holds that this package does not know: iE-Extensions
// and additions behind the extension marker. It is kept so that a value that was
// read, changed and written again loses nothing. nil: nothing.
type extras struct {
	ext    []byte // the ProtocolExtensionContainer, octet-aligned on the wire
	n      int    // additions, of which bitmap tells the present ones, first highest
	bitmap uint64
	adds   []byte // their open types, octet-aligned
}

// extras reads what follows the root components known here.
func (c *cursor) extras(extended, container bool) *extras {
	if !extended && !container || c.bad != "" {
		return nil
	}
	x := new(extras)
	if container {
		x.ext = c.container()
	}
	if extended {
		c.additions(x)
	}
	return x
}

// container reads a ProtocolExtensionContainer: 1 to 65535 times id, criticality
// and open type.
func (c *cursor) container() []byte {
	c.align()
	from := c.at / 8
	for n := c.uint16() + 1; n > 0 && c.bad == ""; n-- {
		c.single()
	}
	if c.bad != "" {
		return nil
	}
	return c.b[from : c.at/8]
}

// additions reads a normally small length, the bitmap and the open types (19.7 to
// 19.9).
func (c *cursor) additions(x *extras) {
	if c.bit() { // more than 64
		c.fail(TooMany)
		return
	}
	x.n = int(c.bits(6)) + 1
	for range x.n {
		x.bitmap = x.bitmap<<1 | uint64(c.bits(1))
	}
	c.align()
	from := c.at / 8
	for i := range x.n {
		if x.bitmap>>i&1 == 1 {
			c.unbounded()
		}
	}
	if c.bad == "" {
		x.adds = c.b[from : c.at/8]
	}
}

// find returns the value of one IE of the iE-Extensions.
func (x *extras) find(id IEID) ([]byte, bool) {
	if x == nil || x.ext == nil {
		return nil, false
	}
	c := cursor{b: x.ext}
	for n := c.uint16() + 1; n > 0 && c.bad == ""; n-- {
		if got, v := c.single(); got == id && c.bad == "" {
			return v, true
		}
	}
	return nil, false
}

// without returns x without one IE of the iE-Extensions; x stays as it is.
func (x *extras) without(id IEID) *extras {
	if _, there := x.find(id); !there {
		return x
	}
	c := cursor{b: x.ext}
	var kept []byte
	n := 0
	for left := c.uint16() + 1; left > 0; left-- {
		from := c.at / 8
		if got, _ := c.single(); got != id {
			kept = append(kept, x.ext[from:c.at/8]...)
			n++
		}
	}
	y := *x
	if y.ext = nil; n > 0 {
		y.ext = append([]byte{byte((n - 1) >> 8), byte(n - 1)}, kept...)
	}
	if y.ext == nil && y.n == 0 {
		return nil
	}
	return &y
}

// preamble appends the extension bit, the bits of what is optional, n of them,
// and that of the iE-Extensions.
func (w *writer) preamble(x *extras, optional uint32, n int) {
	w.bit(x != nil && x.n > 0)
	w.bits(optional, n)
	w.bit(x != nil && x.ext != nil)
}

// extras appends what preamble announced.
func (w *writer) extras(x *extras) {
	if x == nil {
		return
	}
	if x.ext != nil {
		w.octets(x.ext)
	}
	if x.n > 0 {
		w.bits(uint32(x.n-1), 7)
		w.bits(uint32(x.bitmap>>32), max(0, x.n-32))
		w.bits(uint32(x.bitmap), min(x.n, 32))
		w.octets(x.adds)
	}
}
