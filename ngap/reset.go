package ngap

// MaxConnections is the most UE-associated logical NG-connections that a reset or
// its answer lists (maxnoofNGConnectionsToReset).
const MaxConnections = 65536

// Connection is one UE-associated logical NG-connection (9.3.3.25): either ID may
// be absent.
type Connection struct {
	AMF    uint64
	RAN    uint32
	HasAMF bool
	HasRAN bool

	extras *extras
}

// ReadResetType reads a Reset Type (IE 88): all true means the whole NG
// interface, else the connections are appended to list.
func ReadResetType(v []byte, list []Connection) (all bool, _ []Connection, err error) {
	c := cursor{b: v}
	switch c.bits(2) {
	case 0:
		c.enum(0, 1)
		return true, list, c.done()
	case 1:
		list = c.connections(list)
	default:
		c.fail(Alternative)
	}
	return false, list, c.done()
}

// ReadConnections appends a UE-associated Logical NG-connection List (IE 111) to
// list.
func ReadConnections(v []byte, list []Connection) ([]Connection, error) {
	c := cursor{b: v}
	list = c.connections(list)
	return list, c.done()
}

// connections reads the list. Its count has no upper bound below 65536, so it is a
// length determinant, and from 16384 items on it is fragmented (X.691, 20.6 and
// 11.9.3.8).
func (c *cursor) connections(list []Connection) []Connection {
	total := 0
	for more := true; more && c.bad == ""; {
		var n int
		n, more = c.items()
		if total += n; total > MaxConnections {
			c.fail(TooMany)
		}
		for ; n > 0 && c.bad == ""; n-- {
			list = append(list, c.connection())
		}
	}
	if total == 0 {
		c.fail(OutOfRange)
	}
	return list
}

func (c *cursor) connection() (x Connection) {
	extended, opt := c.sequence(3)
	if x.HasAMF = opt&4 != 0; x.HasAMF {
		x.AMF = c.integer(3, 5)
	}
	if x.HasRAN = opt&2 != 0; x.HasRAN {
		x.RAN = uint32(c.integer(2, 4))
	}
	x.extras = c.extras(extended, opt&1 != 0)
	return x
}

// AppendResetAll appends the Reset Type of a whole NG interface.
func AppendResetAll(b []byte) []byte { return append(b, 0) }

// AppendResetPart appends the Reset Type of a part: 1 to MaxConnections of them.
func AppendResetPart(b []byte, list []Connection) []byte {
	w := writer{b: b}
	w.bits(1, 2)
	w.connections(list)
	return w.b
}

// AppendConnections appends a UE-associated Logical NG-connection List of 1 to
// MaxConnections.
func AppendConnections(b []byte, list []Connection) []byte {
	w := writer{b: b}
	w.connections(list)
	return w.b
}

func (w *writer) connections(list []Connection) {
	for len(list) >= fragment {
		n := min(len(list)/fragment, 4)
		w.octets([]byte{0xc0 | byte(n)})
		w.connectionItems(list[:n*fragment])
		list = list[n*fragment:]
	}
	w.align()
	if len(list) < 0x80 {
		w.b = append(w.b, byte(len(list)))
	} else {
		w.b = append(w.b, 0x80|byte(len(list)>>8), byte(len(list)))
	}
	w.connectionItems(list)
}

func (w *writer) connectionItems(list []Connection) {
	for _, x := range list {
		w.preamble(x.extras, bit(x.HasAMF)<<1|bit(x.HasRAN), 2)
		if x.HasAMF {
			w.integer(x.AMF&MaxAMFUENGAPID, 3)
		}
		if x.HasRAN {
			w.integer(uint64(x.RAN), 2)
		}
		w.extras(x.extras)
	}
}

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}
