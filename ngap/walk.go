package ngap

// MaxIEs is how many IEs a message may have here. The specification allows 65535
// (maxProtocolIEs); its largest message has some 70.
const MaxIEs = 256

// keep bounds the scratch octets that a PDU keeps from one Walk to the next.
const keep = 64 << 10

// IE is one field of a message's ProtocolIE-Container (9.4.8). Value is the open
// type's contents: aligned PER that begins at an octet.
type IE struct {
	ID          IEID
	Criticality Criticality
	Value       []byte

	off, end uint32 // the whole field in the message; end 0: set or inserted here
}

// PDU is one NGAP PDU as Walk found it, or as New makes it: a list of IEs that can
// be edited and appended. It is meant to be used again for the next PDU; one
// goroutine owns it. Values are slices of the walked octets, or of scratch octets
// that last until the next Walk.
type PDU struct {
	Code        Code
	Kind        Kind
	Criticality Criticality
	IEs         []IE // to be changed by the methods only

	src      []byte
	message  []byte // the value of the PDU's open type
	tail     []byte // additions behind the container: kept
	extended bool   // with the bit that announces them
	changed  bool
	private  bool
	twice    IEID // the first IE met again; NoIE
	surplus  int
	joined   []byte
	scratch  []byte
}

// Walk reads a PDU's header and IE list from b in one pass, without looking into
// values and without copying, unless a length is fragmented (16384 octets and
// more). b must stay as it is while the PDU is used. The error is an *Error; the
// PDU is then good for its Code, Kind and Criticality as far as these were read.
func (p *PDU) Walk(b []byte) error {
	p.reset(b)
	if len(b) < 4 {
		return fault(Truncated, len(b))
	}
	if b[0] >= 0x60 {
		return fault(Alternative, 0)
	}
	p.Kind, p.Code, p.Criticality = Kind(b[0]>>5), Code(b[1]), Criticality(b[2]>>6)
	if p.Criticality > Notify {
		return fault(Alternative, 2)
	}
	v, next, joined, bad := unbounded(b, 3, p.joined)
	p.joined = joined
	if bad != "" {
		return fault(bad, next)
	}
	p.src, p.surplus = b[:next], len(b)-next
	at := next - len(v) // where the message begins: what errors count from
	if len(joined) > 0 {
		at = 0
	}
	return p.walkMessage(v, at)
}

// WalkMessage reads a message without the PDU's header, such as an Initial UE
// Message in a Reroute NAS Request that was made so.
func (p *PDU) WalkMessage(c Code, k Kind, b []byte) error {
	p.reset(nil)
	p.Code, p.Kind = c, k
	if row := Lookup(c); row != nil {
		p.Criticality = row.Criticality
	}
	p.changed = true
	return p.walkMessage(b, 0)
}

func (p *PDU) reset(b []byte) {
	p.Code, p.Kind, p.Criticality, p.IEs = 0, 0, 0, p.IEs[:0]
	p.src, p.message, p.tail = b, nil, nil
	p.extended, p.changed, p.private, p.twice, p.surplus = false, false, false, NoIE, 0
	p.joined, p.scratch = p.joined[:0], p.scratch[:0]
	if cap(p.joined) > keep {
		p.joined = nil
	}
	if cap(p.scratch) > keep {
		p.scratch = nil
	}
}

// walkMessage reads the message's extension bit and its container. at is where
// it begins in the PDU.
func (p *PDU) walkMessage(m []byte, at int) error {
	p.message = m
	if p.Code == CodePrivateMessage {
		p.private = true
		return nil
	}
	if len(m) < 3 {
		return fault(Truncated, at+len(m))
	}
	p.extended = m[0]&0x80 != 0
	n := int(m[1])<<8 | int(m[2])
	if n > MaxIEs {
		return fault(TooMany, at+1)
	}
	off := 3
	var seen [8]uint64
	for range n {
		var err *Error
		if off, err = p.walkIE(m, off, &seen); err != nil {
			err.Offset += at
			return err
		}
	}
	p.tail = m[off:]
	if len(p.tail) > 0 && !p.extended {
		return fault(Trailing, at+off)
	}
	return nil
}

// walkIE reads one field: id, criticality, open type. It fills the field in where it
// stands in the list: what is put together elsewhere and copied is waited for.
func (p *PDU) walkIE(m []byte, off int, seen *[8]uint64) (int, *Error) {
	if len(m)-off < 4 {
		return off, &Error{Truncated, len(m), NoIE}
	}
	id, crit := IEID(m[off])<<8|IEID(m[off+1]), Criticality(m[off+2]>>6)
	if crit > Notify {
		return off, &Error{Alternative, off + 2, id}
	}
	p.note(id, seen)
	ie := p.another()
	next := off + 4 + int(m[off+3])
	if m[off+3] < 0x80 && next <= len(m) {
		ie.Value = m[off+4 : next : next]
	} else if bad := p.longValue(ie, m, off+3, &next); bad != "" {
		p.IEs = p.IEs[:len(p.IEs)-1]
		return off, &Error{bad, next, id}
	}
	ie.ID, ie.Criticality, ie.off, ie.end = id, crit, uint32(off), uint32(next)
	return next, nil
}

// another makes the list longer by a field, whose contents are another's.
func (p *PDU) another() *IE {
	n := len(p.IEs)
	if n == cap(p.IEs) {
		p.IEs = append(p.IEs, IE{})
	} else {
		p.IEs = p.IEs[:n+1]
	}
	return &p.IEs[n]
}

// longValue reads a value of 128 octets or more, or none.
func (p *PDU) longValue(ie *IE, m []byte, at int, next *int) (bad Reason) {
	ie.Value, *next, p.scratch, bad = unbounded(m, at, p.scratch)
	return bad
}

// note remembers the first IE that is there twice.
func (p *PDU) note(id IEID, seen *[8]uint64) {
	if p.twice != NoIE {
		return
	}
	if id < 512 {
		if seen[id>>6]>>(id&63)&1 == 1 {
			p.twice = id
		}
		seen[id>>6] |= 1 << (id & 63)
	} else if p.Find(id) >= 0 {
		p.twice = id
	}
}

func fault(r Reason, off int) error { return &Error{r, off, NoIE} }

// Find returns the index of the first IE with the id, or -1.
func (p *PDU) Find(id IEID) int {
	for i := range p.IEs {
		if p.IEs[i].ID == id {
			return i
		}
	}
	return -1
}

// Value returns the value of the first IE with the id.
func (p *PDU) Value(id IEID) ([]byte, bool) {
	if i := p.Find(id); i >= 0 {
		return p.IEs[i].Value, true
	}
	return nil, false
}

// Repeated returns the first IE that the message holds twice. Such a message is
// falsely constructed (10.3.6): receivers differ in which of the two they take,
// so a gateway must not pass it on.
func (p *PDU) Repeated() (IEID, bool) { return p.twice, p.twice != NoIE }

// Surplus is how many octets were behind the PDU in what was walked. They are no
// part of it, and Append leaves them out: OAI's AMF sends its NG Setup Response
// with the rest of its buffer.
func (p *PDU) Surplus() int { return p.surplus }

// Private says that this is a Private Message: its IEs are another kind's (9.4.8,
// PrivateIE-Container) and stay unread. It can't be edited.
func (p *PDU) Private() bool { return p.private }

// Name returns the message's name by the table of procedures, or one such as
// "Code(0x57) successful".
func (p *PDU) Name() string {
	if row := Lookup(p.Code); row != nil && row.Message(p.Kind) != "" {
		return row.Message(p.Kind)
	}
	return p.Code.String() + " " + p.Kind.String()
}
