package gb

import "poolgw/bssgp"

// RIM routeing (TS 48.018 8c.1.2, 11.3.70): a PDU carries its destination's and
// then its source's routeing information. The first octet's low half is the
// address type, 0 for a GERAN cell whose identifier follows.

const rimGERAN = 0

// rimCell returns the GERAN cell of the n-th routeing information; geran is
// false for the cell of another radio technology, ok for a bad one.
func rimCell(pdu []byte, n int) (id bssgp.CellID, geran, ok bool) {
	v, ok := bssgp.FindN(pdu, bssgp.IERIMRoutingInformation, n)
	if !ok || len(v) < 1 {
		return id, false, false
	}
	if v[0]&0x0F != rimGERAN {
		return id, false, true
	}
	if len(v) < 1+len(id) {
		return id, true, false
	}
	copy(id[:], v[1:])
	return id, true, true
}

// cellByID finds the active cell with an identifier. RIM is rare: no index.
func (g *Gateway) cellByID(id bssgp.CellID) *cell {
	for _, p := range g.peers {
		for _, b := range p.bvcs {
			if *b.cell.id.Load() == id {
				return b.cell
			}
		}
	}
	return nil
}

func (g *Gateway) rimUp(m *message) outcome {
	dst, dstGERAN, dstOK := rimCell(m.pdu, 0)
	src, srcGERAN, srcOK := rimCell(m.pdu, 1)
	if !dstOK || !srcOK {
		return refused(dropRIM, bssgp.CauseInvalidMandatoryInformation)
	}
	if !srcGERAN || g.cellByID(src) == nil {
		return refused(dropRIM, bssgp.CauseUnknownRIMApplicationIdentity)
	}
	if dstGERAN {
		if c := g.cellByID(dst); c != nil {
			return g.toBSS(c.bss.Load().peer, m, 0)
		}
	}
	return g.up(m, g.anyRequest(nil), 0)
}

func (g *Gateway) rimDown(m *message) outcome {
	dst, geran, ok := rimCell(m.pdu, 0)
	if !ok {
		return refused(dropRIM, bssgp.CauseInvalidMandatoryInformation)
	}
	c := g.cellByID(dst)
	if !geran || c == nil {
		return refused(dropRIM, bssgp.CauseUnknownRIMApplicationIdentity)
	}
	return g.toBSS(c.bss.Load().peer, m, 0)
}
