package ngap

// WarningKey identifies a warning message: Message Identifier (9.3.1.35) and
// Serial Number (9.3.1.36).
type WarningKey struct {
	Message, Serial uint16
}

// WarningKey reads IEs 35 and 95; ok is false when one is missing or malformed.
func (p *PDU) WarningKey() (k WarningKey, ok bool) {
	m, okM := p.Value(IEMessageIdentifier)
	s, okS := p.Value(IESerialNumber)
	if !okM || !okS || len(m) != 2 || len(s) != 2 {
		return k, false
	}
	return WarningKey{uint16(m[0])<<8 | uint16(m[1]), uint16(s[0])<<8 | uint16(s[1])}, true
}

// MBSSession is an MBS Session ID (9.3.1.206), comparable.
type MBSSession struct {
	TMGI   [6]byte
	NID    uint64 // 44 bits, with HasNID
	HasNID bool
}

// ReadMBSSession reads an MBS Session ID, IE 299.
func ReadMBSSession(v []byte) (m MBSSession, err error) {
	c := cursor{b: v}
	extended, opt := c.sequence(2)
	copy(m.TMGI[:], c.octets(6))
	if m.HasNID = opt&2 != 0; m.HasNID {
		c.align()
		m.NID = uint64(c.bits(12))<<32 | uint64(c.bits(32))
	}
	c.skip(extended, opt&1 != 0)
	return m, c.done()
}

// ReadOctets reads an OCTET STRING without bound, a slice of v unless it is
// fragmented: Routing ID (IE 89), NAS-PDU (38), NGAP Message (42), UE Radio
// Capability ID (264).
func ReadOctets(v []byte) ([]byte, error) {
	c := cursor{b: v}
	o := c.unbounded()
	return o, c.done()
}

// AppendOctets appends the value of an OCTET STRING without bound.
func AppendOctets(b, o []byte) []byte { return appendUnbounded(b, o) }

// WalkContained walks the Initial UE Message that a Reroute NAS Request holds (IE
// 42, 8.6.5): a whole PDU, or, as some make it, the message without the PDU's
// header. p must not be the PDU that v is of.
func (p *PDU) WalkContained(v []byte) error {
	o, err := ReadOctets(v)
	if err != nil {
		return err
	}
	err = p.Walk(o)
	if err == nil && p.Code == CodeInitialUEMessage && p.Kind == Initiating {
		return nil
	}
	if p.WalkMessage(CodeInitialUEMessage, Initiating, o) == nil {
		return nil
	}
	if err == nil {
		err = fault(Alternative, 1)
	}
	return err
}

// RRCContainer tells where the RRC container of a Source NG-RAN Node to Target NG-RAN
// Node Transparent Container (9.3.1.20), or of a Source eNB to Target eNB one (TS
// 36.413 9.2.1.7), is: the first component of either, behind the preamble. False: it
// is not there, or in fragments.
func RRCContainer(container []byte) (from, to int, ok bool) {
	c := cursor{b: container, at: 8}
	n, fragments := c.items()
	from = c.at / 8
	return from, from + n, c.bad == "" && !fragments && from+n <= len(container)
}
