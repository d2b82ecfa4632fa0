package bssgp

import "fmt"

// CheckError tells what is wrong with a PDU and with which cause a STATUS
// answers it. The IEI is valid when HasIEI is set.
type CheckError struct {
	Type   PDUType
	Cause  Cause
	IEI    IEI
	HasIEI bool
}

// Error names cause, PDU and IE.
func (e *CheckError) Error() string {
	if e.HasIEI {
		return fmt.Sprintf("bssgp: %v: %v: %v", e.Type, e.Cause, e.IEI)
	}
	return fmt.Sprintf("bssgp: %v: %v", e.Type, e.Cause)
}

// compiled is a Def made ready for one pass over a PDU.
type compiled struct {
	*Def
	first [256]uint8 // IEI to 1 + its first row; 0: unknown
	next  []uint8    // row to 1 + the next row of the same IEI; 0: none
	must  uint64     // the mandatory rows
	one   uint64     // the rows of OneOf
}

var byType = func() (t [256]*compiled) {
	for i := range definitions {
		t[definitions[i].Type] = compile(&definitions[i])
	}
	return t
}()

func compile(d *Def) *compiled {
	c := &compiled{Def: d, next: make([]uint8, len(d.Rows))}
	last := map[IEI]int{}
	for i, r := range d.Rows {
		if r.Presence == Mandatory {
			c.must |= 1 << i
		}
		if r.Format == V {
			continue
		}
		if prev, ok := last[r.IEI]; ok {
			c.next[prev] = uint8(i + 1)
		} else {
			c.first[r.IEI] = uint8(i + 1)
		}
		last[r.IEI] = i
	}
	for _, iei := range d.OneOf {
		c.one |= 1 << (c.first[iei] - 1)
	}
	return c
}

// Definition returns the definition of a PDU type, nil when there is none.
func Definition(t PDUType) *Def {
	if c := byType[t]; c != nil {
		return c.Def
	}
	return nil
}

// Definitions returns all PDU definitions in the table's order. They are
// shared: don't change them.
func Definitions() []Def { return definitions }

// Check judges a PDU as TS 48.018 clause 9 and TS 48.016 8.1 say: known type,
// right direction and kind of BVC, all mandatory and conditional IEs there and
// long enough. Unknown IEs, too short optional ones and repetitions are
// ignored, any order is accepted. A PDU that passes costs no allocation.
//
// Causes: an empty PDU is semantically incorrect; unknown type, wrong direction
// or kind and an IE that overruns the PDU are unspecified protocol errors (for
// a mandatory or conditional IE: invalid mandatory information, conditional IE
// error); else the clause's own. A STATUS is never answered: that is the
// caller's to know.
func Check(pdu []byte, dir Dir, kind BVCKind) *CheckError {
	if len(pdu) == 0 {
		return &CheckError{Cause: CauseSemanticallyIncorrectPDU}
	}
	t := PDUType(pdu[0])
	d := byType[t]
	if d == nil || !d.Dirs.Has(dir) || !d.Kinds.Has(kind) {
		return &CheckError{Type: t, Cause: CauseProtocolErrorUnspecified}
	}
	seen, e := d.scan(pdu)
	if e != nil {
		return e
	}
	if e := d.complete(seen); e != nil {
		return e
	}
	if t == TypeBVCReset && dir == Uplink {
		return checkResetCell(pdu)
	}
	return nil
}

// scan returns the rows that are present.
func (d *compiled) scan(pdu []byte) (seen uint64, e *CheckError) {
	b := pdu[1:]
	for i, r := range d.Rows {
		if r.Format != V {
			break
		}
		if len(b) < r.Min {
			return 0, d.wrong(CauseMissingMandatoryIE, r.IEI)
		}
		b, seen = b[r.Min:], seen|1<<i
	}
	for len(b) > 0 {
		iei := IEI(b[0])
		row := d.row(iei, seen)
		ie, rest, err := Next(b)
		if err != nil {
			return 0, d.syntax(iei, row, CauseProtocolErrorUnspecified)
		}
		b = rest
		if row < 0 {
			continue
		}
		if len(ie.Value) >= d.Rows[row].Min {
			seen |= 1 << row
		} else if d.Rows[row].Presence != Optional {
			return 0, d.syntax(iei, row, 0)
		}
	}
	return seen, nil
}

// row returns the row that the next occurrence of an IE fills, -1 for unknown
// IEs and surplus occurrences.
func (d *compiled) row(iei IEI, seen uint64) int {
	i := int(d.first[iei])
	for i > 0 && seen&(1<<(i-1)) != 0 {
		i = int(d.next[i-1])
	}
	return i - 1
}

// complete finds what is missing.
func (d *compiled) complete(seen uint64) *CheckError {
	if missing := d.must &^ seen; missing != 0 {
		for i, r := range d.Rows {
			if missing&(1<<i) != 0 {
				return d.wrong(CauseMissingMandatoryIE, r.IEI)
			}
		}
	}
	if d.one == 0 {
		return nil
	}
	have := seen & d.one
	if have == 0 {
		return d.wrong(CauseMissingConditionalIE, d.OneOf[0])
	}
	if d.Exactly && have&(have-1) != 0 {
		return d.wrong(CauseUnexpectedConditionalIE, d.OneOf[0])
	}
	return nil
}

// syntax is the error of an IE that is cut off or too short; other is the cause
// for an IE that is neither mandatory nor conditional.
func (d *compiled) syntax(iei IEI, row int, other Cause) *CheckError {
	if row < 0 {
		return d.wrong(other, iei)
	}
	switch d.Rows[row].Presence {
	case Mandatory:
		return d.wrong(CauseInvalidMandatoryInformation, iei)
	case Conditional:
		return d.wrong(CauseConditionalIEError, iei)
	}
	return d.wrong(other, iei)
}

func (d *compiled) wrong(c Cause, iei IEI) *CheckError {
	return &CheckError{Type: d.Type, Cause: c, IEI: iei, HasIEI: true}
}

// checkResetCell asks for the cell identifier that a BSS must give when it
// resets a PTP BVC (TS 48.018 10.4.12).
func checkResetCell(pdu []byte) *CheckError {
	bvci, _ := ReadBVCI(pdu)
	if KindOf(bvci) != PTP {
		return nil
	}
	if _, ok := ReadCellID(pdu); !ok {
		return &CheckError{Type: TypeBVCReset, Cause: CauseMissingConditionalIE, IEI: IECellIdentifier, HasIEI: true}
	}
	return nil
}
