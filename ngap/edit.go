package ngap

import "slices"

// New makes p an empty message of a procedure, with the criticality of the table,
// to which IEs are added.
func (p *PDU) New(c Code, k Kind) *PDU {
	p.reset(nil)
	p.Code, p.Kind, p.changed = c, k, true
	if row := Lookup(c); row != nil {
		p.Criticality = row.Criticality
	}
	return p
}

// Add appends an IE. v must stay as it is until Append.
func (p *PDU) Add(id IEID, c Criticality, v []byte) *PDU { return p.Insert(len(p.IEs), id, c, v) }

// Insert puts an IE before the one at index i. The order of IEs is that of the
// message's definition (10.3.6). A Private Message stays as it is, and so does a
// list of MaxIEs.
func (p *PDU) Insert(i int, id IEID, c Criticality, v []byte) *PDU {
	if !p.private && len(p.IEs) < MaxIEs {
		p.IEs = slices.Insert(p.IEs, i, IE{ID: id, Criticality: c, Value: v})
		p.changed = true
	}
	return p
}

// Set changes the value of the IE at index i. v must stay as it is until Append.
func (p *PDU) Set(i int, v []byte) {
	ie := &p.IEs[i]
	ie.Value, ie.off, ie.end = v, 0, 0
	p.changed = true
}

// Replace sets the first IE with the id, or adds it at the end.
func (p *PDU) Replace(id IEID, c Criticality, v []byte) {
	if i := p.Find(id); i >= 0 {
		p.Set(i, v)
		return
	}
	p.Add(id, c, v)
}

// Remove takes away every IE with the id and says whether there was one.
func (p *PDU) Remove(id IEID) bool {
	n := len(p.IEs)
	p.IEs = slices.DeleteFunc(p.IEs, func(ie IE) bool { return ie.ID == id })
	if len(p.IEs) == n {
		return false
	}
	p.changed = true
	return true
}

// RemoveFunc takes away the IEs for which del says so, and returns how many.
func (p *PDU) RemoveFunc(del func(IE) bool) int {
	n := len(p.IEs)
	p.IEs = slices.DeleteFunc(p.IEs, del)
	p.changed = p.changed || len(p.IEs) != n
	return n - len(p.IEs)
}

// Size is how many octets Append appends.
func (p *PDU) Size() int {
	if !p.changed {
		return len(p.src)
	}
	return 3 + unboundedSize(p.messageSize())
}

// Append appends the PDU to dst, which must not overlap the walked octets. A PDU
// that was not changed is appended as it came. Otherwise the fields that were
// not changed are appended as they came, and lengths, of IE, list and PDU, follow
// what was changed.
func (p *PDU) Append(dst []byte) []byte {
	if !p.changed {
		return append(dst, p.src...)
	}
	kind, code, crit := byte(p.Kind)<<5, byte(p.Code), byte(p.Criticality)<<6
	switch n := p.messageSize(); {
	case n < 0x80:
		dst = append(dst, kind, code, crit, byte(n))
	case n < fragment:
		dst = append(dst, kind, code, crit, 0x80|byte(n>>8), byte(n))
	default:
		whole := make([]byte, 0, n)
		return appendUnbounded(append(dst, kind, code, crit), p.appendMessage(whole))
	}
	return p.appendMessage(dst)
}

func (p *PDU) messageSize() int {
	if p.private {
		return len(p.message)
	}
	n := 3 + len(p.tail)
	for i := range p.IEs {
		ie := &p.IEs[i]
		if ie.end != 0 {
			n += int(ie.end - ie.off)
		} else {
			n += 3 + unboundedSize(len(ie.Value))
		}
	}
	return n
}

// appendMessage appends the message in a few pieces: fields as they came that stand
// one behind the other are one.
func (p *PDU) appendMessage(b []byte) []byte {
	if p.private {
		return append(b, p.message...)
	}
	var ext byte
	if p.extended {
		ext = 0x80
	}
	ies, message := p.IEs, p.message
	b = append(b, ext, byte(len(ies)>>8), byte(len(ies)))
	for i := 0; i < len(ies); i++ {
		ie := &ies[i]
		if ie.end == 0 {
			b = ie.append(b)
			continue
		}
		to := ie.end
		for i+1 < len(ies) && ies[i+1].off == to { // 0 in one that was set
			i++
			to = ies[i].end
		}
		b = append(b, message[ie.off:to]...)
	}
	if len(p.tail) == 0 {
		return b
	}
	return append(b, p.tail...)
}

// append appends a field that is not as it came.
func (ie *IE) append(b []byte) []byte {
	if n := len(ie.Value); n < 0x80 {
		b = append(b, byte(ie.ID>>8), byte(ie.ID), byte(ie.Criticality)<<6, byte(n))
		return append(b, ie.Value...)
	}
	return appendUnbounded(append(b, byte(ie.ID>>8), byte(ie.ID), byte(ie.Criticality)<<6), ie.Value)
}
