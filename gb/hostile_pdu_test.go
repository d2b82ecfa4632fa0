package gb_test

import (
	"encoding/hex"
	"fmt"
	"slices"

	"poolgw/bssgp"
)

// The hostile PDUs: every type, correct as TS 48.018 clause 10 has it, and then
// each of its IEs spoilt in every way.

// hostileIE is one IE of such a PDU; bare ones have no tag and length.
type hostileIE struct {
	iei  bssgp.IEI
	val  []byte
	bare bool
	cut  int // 0: whole; else only so many of its octets are there
}

// hostilePDU is a PDU as a list, so that what is expected of it can be told
// without a decoder.
type hostilePDU struct {
	name string
	typ  bssgp.PDUType
	ies  []hostileIE
	none bool // not even a type
}

func (ie hostileIE) octets() (b []byte) {
	switch n := len(ie.val); {
	case ie.bare:
		b = slices.Clone(ie.val)
	case n < 128:
		b = append([]byte{byte(ie.iei), 0x80 | byte(n)}, ie.val...)
	default:
		b = append([]byte{byte(ie.iei), byte(n >> 8), byte(n)}, ie.val...)
	}
	if ie.cut > 0 {
		b = b[:ie.cut]
	}
	return b
}

func (p hostilePDU) octets() []byte {
	if p.none {
		return nil
	}
	b := []byte{byte(p.typ)}
	for _, ie := range p.ies {
		b = append(b, ie.octets()...)
	}
	return b
}

// get returns the value of the n-th whole IE of a kind, if it has min octets.
func (p hostilePDU) get(iei bssgp.IEI, n, min int) (v []byte, ok bool) {
	for _, ie := range p.ies {
		if ie.iei != iei || ie.bare || ie.cut > 0 {
			continue
		}
		if n == 0 {
			return ie.val, len(ie.val) >= min
		}
		n--
	}
	return nil, false
}

// word reads an IE of two octets.
func (p hostilePDU) word(iei bssgp.IEI, n int) (uint16, bool) {
	v, ok := p.get(iei, n, 2)
	if !ok {
		return 0, false
	}
	return uint16(v[0])<<8 | uint16(v[1]), true
}

// verdict is the cause with which the clause refuses the PDU's form, 0 if it
// does not: TS 48.018 10 for what must be there, TS 48.016 8 for the causes.
func (p hostilePDU) verdict(d *bssgp.Def, up bool) bssgp.Cause {
	filled := make([]bool, len(d.Rows))
	for _, ie := range p.ies {
		row := slices.IndexFunc(d.Rows, func(r bssgp.Row) bool { return r.IEI == ie.iei && (r.Format == bssgp.V) == ie.bare })
		for row >= 0 && filled[row] {
			next := slices.IndexFunc(d.Rows[row+1:], func(r bssgp.Row) bool { return r.IEI == ie.iei })
			if row = row + 1 + next; next < 0 {
				row = -1
			}
		}
		bad := ie.cut > 0 || row >= 0 && len(ie.val) < d.Rows[row].Min
		switch {
		case ie.bare && bad:
			return bssgp.CauseMissingMandatoryIE
		case bad && row >= 0 && d.Rows[row].Presence == bssgp.Mandatory:
			return bssgp.CauseInvalidMandatoryInformation
		case bad && row >= 0 && d.Rows[row].Presence == bssgp.Conditional:
			return bssgp.CauseConditionalIEError
		case ie.cut > 0:
			return bssgp.CauseProtocolErrorUnspecified
		case row >= 0 && !bad:
			filled[row] = true
		}
	}
	for i, r := range d.Rows {
		if r.Presence == bssgp.Mandatory && !filled[i] {
			return bssgp.CauseMissingMandatoryIE
		}
	}
	return p.conditional(d, filled, up)
}

func (p hostilePDU) conditional(d *bssgp.Def, filled []bool, up bool) bssgp.Cause {
	have := 0
	for i, r := range d.Rows {
		if filled[i] && slices.Contains(d.OneOf, r.IEI) {
			have++
		}
	}
	switch bvci, _ := p.word(bssgp.IEBVCI, 0); {
	case len(d.OneOf) > 0 && have == 0:
		return bssgp.CauseMissingConditionalIE
	case d.Exactly && have > 1:
		return bssgp.CauseUnexpectedConditionalIE
	case d.Type == bssgp.TypeBVCReset && up && bvci > 1:
		if _, ok := p.get(bssgp.IECellIdentifier, 0, 8); !ok {
			return bssgp.CauseMissingConditionalIE
		}
	}
	return 0
}

// The identities of the PDUs; TLLI and IMSI differ from case to case, so that
// none finds what another left in a cache.
type identities struct{ tlli, imsi []byte }

func newIdentities(n int) identities {
	tlli := uint32(0xc0180000) | uint32(n)&0x7ffff // NRI 3: SGSN 101
	imsi := []byte{0x19, 0, 0, 0, 0, 0, 0, 0x10}
	for i := 1; i < 7; i++ {
		imsi[i] = byte(n%10<<4 | n/10%10)
		n /= 100
	}
	return identities{[]byte{byte(tlli >> 24), byte(tlli >> 16), byte(tlli >> 8), byte(tlli)}, imsi}
}

func must(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// value is a correct value of an IE: of cell 20011 where it is about a cell,
// the second of its kind of cell 20021.
func (id identities) value(r bssgp.Row, nth int) []byte {
	cells := [2]string{cell20011.id, hostileOther.id}
	bvcis := [2]string{"4e2b", "4e35"}
	switch k := min(nth, 1); r.IEI {
	case bssgp.IETLLI, bssgp.IETMSI:
		return id.tlli
	case bssgp.IEIMSI:
		return id.imsi
	case bssgp.IEBVCI:
		return must(bvcis[k])
	case bssgp.IECellIdentifier:
		return must(cells[k])
	case bssgp.IERIMRoutingInformation: // the destination first
		return append([]byte{0}, must(cells[1-k])...)
	case bssgp.IERouteingArea:
		return must(cell20011.id[:12])
	case bssgp.IELocationArea:
		return must(cell20011.id[:10])
	case bssgp.IECause:
		return []byte{0x08}
	case bssgp.IEPDUInError: // a FLUSH-LL
		return append(append([]byte{0x2a, 0x1f, 0x84}, id.tlli...), 0x04, 0x82, 0x4e, 0x2b)
	}
	return make([]byte, max(r.Min, 1))
}

// correct makes the PDU of a definition with all its IEs but the areas and
// identities beside the one-th of those of which there is one.
func (id identities) correct(d *bssgp.Def, one int, optional bool) hostilePDU {
	p := hostilePDU{name: "correct", typ: d.Type}
	nth := map[bssgp.IEI]int{}
	for _, r := range d.Rows {
		choice := slices.Index(d.OneOf, r.IEI)
		if choice >= 0 && d.Exactly && choice != one || !optional && r.Presence != bssgp.Mandatory && choice != one &&
			!(d.Type == bssgp.TypeBVCReset && r.IEI == bssgp.IECellIdentifier) {
			continue
		}
		k := nth[r.IEI]
		if r.Format == bssgp.TLV {
			nth[r.IEI]++
		}
		p.ies = append(p.ies, hostileIE{iei: r.IEI, val: id.value(r, k), bare: r.Format == bssgp.V})
	}
	return p
}

// hostileLongest is the longest PDU that a datagram carries.
const hostileLongest = 4096 - 4

// spoilt makes all mutations of a correct PDU.
func (p hostilePDU) spoilt(d *bssgp.Def) (list []hostilePDU) {
	edit := func(name string, f func(ies []hostileIE) []hostileIE) {
		list = append(list, hostilePDU{name: name, typ: p.typ, ies: f(slices.Clone(p.ies))})
	}
	unknown := hostileIE{iei: 0xfe, val: []byte{1, 2, 3}}
	room := hostileLongest - len(p.octets())
	edit("unknown IE first", func(l []hostileIE) []hostileIE { return slices.Insert(l, p.bare(), unknown) })
	edit("backwards", func(l []hostileIE) []hostileIE { slices.Reverse(l[p.bare():]); return l })
	for i, ie := range p.ies {
		set := func(name string, val []byte) {
			edit(fmt.Sprintf("%s %v(%d)", name, ie.iei, i), func(l []hostileIE) []hostileIE { l[i].val = val; return l })
		}
		if ie.bare {
			continue
		}
		edit(fmt.Sprintf("without %v(%d)", ie.iei, i), func(l []hostileIE) []hostileIE { return slices.Delete(l, i, i+1) })
		set("empty", nil)
		if n := len(ie.val); n > 0 {
			set("short", ie.val[:n-1])
			other := slices.Clone(ie.val)
			other[n-1] ^= 0xff
			edit(fmt.Sprintf("again %v(%d)", ie.iei, i), func(l []hostileIE) []hostileIE {
				return slices.Insert(l, i+1, hostileIE{iei: ie.iei, val: other})
			})
		}
		if min := minOf(d, ie.iei); min > 1 {
			set("too short", ie.val[:min-1])
		}
		set("longer", append(slices.Clone(ie.val), 0x55))
		set("as long as can be", append(slices.Clone(ie.val), make([]byte, room-1)...))
		edit(fmt.Sprintf("unknown IE after %v(%d)", ie.iei, i), func(l []hostileIE) []hostileIE { return slices.Insert(l, i+1, unknown) })
		if i > p.bare() {
			edit(fmt.Sprintf("%v(%d) before the last", ie.iei, i), func(l []hostileIE) []hostileIE { l[i-1], l[i] = l[i], l[i-1]; return l })
		}
	}
	return append(list, p.truncated()...)
}

func minOf(d *bssgp.Def, iei bssgp.IEI) int {
	i := slices.IndexFunc(d.Rows, func(r bssgp.Row) bool { return r.IEI == iei && r.Format == bssgp.TLV })
	return d.Rows[i].Min
}

// bare counts the leading IEs without tag.
func (p hostilePDU) bare() (n int) {
	for n < len(p.ies) && p.ies[n].bare {
		n++
	}
	return n
}

// truncated cuts a PDU at every octet.
func (p hostilePDU) truncated() (list []hostilePDU) {
	at := 1
	for i, ie := range p.ies {
		for cut := range len(ie.octets()) {
			q := hostilePDU{name: fmt.Sprintf("cut at %d", at+cut), typ: p.typ, ies: slices.Clone(p.ies[:i])}
			if cut > 0 {
				ie.cut = cut
				q.ies = append(q.ies, ie)
				ie.cut = 0
			}
			list = append(list, q)
		}
		at += len(ie.octets())
	}
	return list
}

// renamed makes the variants of a PDU whose first BVCI IE is another one: the
// signalling BVC's, the one for PTM, another BSS's and an unknown one.
func (p hostilePDU) renamed() (list []hostilePDU) {
	i := slices.IndexFunc(p.ies, func(ie hostileIE) bool { return ie.iei == bssgp.IEBVCI })
	for _, bvci := range []uint16{0, 1, 20021, 20099} {
		if i < 0 {
			break
		}
		q := hostilePDU{name: fmt.Sprintf("BVCI IE %d", bvci), typ: p.typ, ies: slices.Clone(p.ies)}
		q.ies[i].val = []byte{byte(bvci >> 8), byte(bvci)}
		list = append(list, q)
	}
	return list
}

// hostilePDUs makes all PDUs of one type.
func hostilePDUs(t bssgp.PDUType, n int) (list []hostilePDU) {
	id := newIdentities(n)
	d := bssgp.Definition(t)
	if d == nil {
		return id.undefined(t)
	}
	for one := range max(1, len(d.OneOf)) {
		full := id.correct(d, one, true)
		small := id.correct(d, one, false)
		small.name = "only what must be there"
		list = append(append(list, full, small), full.spoilt(d)...)
		list = append(append(list, full.renamed()...), small.renamed()...)
	}
	if t == bssgp.TypeStatus {
		list = append(list, id.statuses()...)
	}
	return list
}

// undefined makes PDUs of a type that the specification does not have.
func (id identities) undefined(t bssgp.PDUType) (list []hostilePDU) {
	tlli, bvci := hostileIE{iei: bssgp.IETLLI, val: id.tlli}, hostileIE{iei: bssgp.IEBVCI, val: must("4e2b")}
	full := hostilePDU{name: "TLLI and BVCI", typ: t, ies: []hostileIE{tlli, bvci}}
	list = append(list, full, hostilePDU{name: "BVCI", typ: t, ies: full.ies[1:]})
	list = append(list, full.truncated()...)
	list = append(list, full.renamed()...)
	return append(list, hostilePDU{name: "garbage", typ: t, ies: []hostileIE{{iei: 0xfe, val: make([]byte, 1000)}, {iei: 0xfe, cut: 1}}})
}

// statuses makes STATUS PDUs of the causes that concern the BVC, with and
// without what must go with them.
func (id identities) statuses() (list []hostilePDU) {
	for _, c := range []bssgp.Cause{bssgp.CauseBVCIUnknown, bssgp.CauseBVCIBlocked} {
		for _, bvci := range []string{"", "4e2b", "0000", "0001", "4e35", "4e83"} {
			p := hostilePDU{name: fmt.Sprintf("%v %s", c, bvci), typ: bssgp.TypeStatus, ies: []hostileIE{{iei: bssgp.IECause, val: []byte{byte(c)}}}}
			if bvci != "" {
				p.ies = append(p.ies, hostileIE{iei: bssgp.IEBVCI, val: must(bvci)})
			}
			list = append(list, p)
		}
	}
	for _, inner := range []string{"", "00", "01c018", "41", "4107810515834107", "2204820000", "200482000107"} {
		list = append(list, hostilePDU{name: "about " + inner, typ: bssgp.TypeStatus, ies: []hostileIE{
			{iei: bssgp.IECause, val: []byte{0x27}}, {iei: bssgp.IEPDUInError, val: must(inner)}}})
	}
	return list
}
