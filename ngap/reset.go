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

func (c *cursor) connections(list []Connection) []Connection {
	for n := c.uint16() + 1; n > 0 && c.bad == ""; n-- {
		extended, opt := c.sequence(3)
		x := Connection{HasAMF: opt&4 != 0, HasRAN: opt&2 != 0}
		if x.HasAMF {
			x.AMF = c.integer(3, 5)
		}
		if x.HasRAN {
			x.RAN = uint32(c.integer(2, 4))
		}
		x.extras = c.extras(extended, opt&1 != 0)
		list = append(list, x)
	}
	return list
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
	w.uint16(len(list) - 1)
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
