package ngap

import (
	"encoding/binary"
	"math/bits"
)

// MaxAMFUENGAPID is the largest AMF UE NGAP ID (9.3.3.1): 40 bits.
const MaxAMFUENGAPID = 1<<40 - 1

// ReadAMFUENGAPID reads an AMF UE NGAP ID (9.3.3.1), 0..MaxAMFUENGAPID: IEs 10, 40
// (new), 100 (source) and 450 (a second one: Handover Request, Initial Context
// Setup Request and Path Switch Request Acknowledge of Release 19).
func ReadAMFUENGAPID(v []byte) (uint64, error) {
	if n := len(v) - 1; n >= 1 && n <= 5 && int(v[0]>>5) == n-1 {
		return octetsOf(v[1:]), nil
	}
	c := cursor{b: v} // for the fault
	id := c.integer(3, 5)
	return id, c.done()
}

// octetsOf is the number that octets are.
func octetsOf(v []byte) (n uint64) {
	for _, o := range v {
		n = n<<8 | uint64(o)
	}
	return n
}

// AppendAMFUENGAPID appends the value of an AMF UE NGAP ID, 2 to 6 octets.
func AppendAMFUENGAPID(b []byte, id uint64) []byte {
	id &= MaxAMFUENGAPID
	n := max(1, (bits.Len64(id)+7)/8)
	var v [8]byte
	binary.BigEndian.PutUint64(v[:], id)
	b = append(b, byte(n-1)<<5) // writer.integer(id, 3), without its loops
	return append(b, v[8-n:]...)
}

// ReadRANUENGAPID reads a RAN UE NGAP ID (9.3.3.2), 32 bits.
func ReadRANUENGAPID(v []byte) (uint32, error) {
	if n := len(v) - 1; n >= 1 && n <= 4 && int(v[0]>>6) == n-1 {
		return uint32(octetsOf(v[1:])), nil
	}
	c := cursor{b: v} // for the fault
	id := c.integer(2, 4)
	return uint32(id), c.done()
}

// AppendRANUENGAPID appends the value of a RAN UE NGAP ID, 2 to 5 octets.
func AppendRANUENGAPID(b []byte, id uint32) []byte {
	w := writer{b: b}
	w.integer(uint64(id), 2)
	return w.b
}

// UENGAPIDs is the CHOICE of that name (9.3.3.4 UE NGAP IDs): a pair, or an AMF
// UE NGAP ID alone.
type UENGAPIDs struct {
	AMF    uint64
	RAN    uint32 // with HasRAN
	HasRAN bool

	extras *extras
}

// ReadUENGAPIDs reads UE NGAP IDs, IE 114.
func ReadUENGAPIDs(v []byte) (ids UENGAPIDs, err error) {
	c := cursor{b: v}
	switch c.bits(2) {
	case 0:
		ids.HasRAN = true
		extended, opt := c.sequence(1)
		ids.AMF = c.integer(3, 5)
		ids.RAN = uint32(c.integer(2, 4))
		ids.extras = c.extras(extended, opt == 1)
	case 1:
		ids.AMF = c.integer(3, 5)
	default:
		c.fail(Alternative)
	}
	return ids, c.done()
}

// Append appends the value of UE NGAP IDs.
func (ids UENGAPIDs) Append(b []byte) []byte {
	w := writer{b: b}
	if !ids.HasRAN {
		w.bits(1, 2)
		w.integer(ids.AMF&MaxAMFUENGAPID, 3)
		return w.b
	}
	w.bits(0, 2)
	w.preamble(ids.extras, 0, 0)
	w.integer(ids.AMF&MaxAMFUENGAPID, 3)
	w.integer(uint64(ids.RAN), 2)
	w.extras(ids.extras)
	return w.b
}

// AMFUENGAPID returns the message's AMF UE NGAP ID and the index of its IE (10).
// The index is -1 when there is none; the error says that it can't be read.
func (p *PDU) AMFUENGAPID() (id uint64, at int, err error) {
	if at = p.Find(IEAMFUENGAPID); at >= 0 {
		id, err = ReadAMFUENGAPID(p.IEs[at].Value)
	}
	return id, at, p.in(IEAMFUENGAPID, err)
}

// RANUENGAPID returns the message's RAN UE NGAP ID and the index of its IE (85),
// -1 when there is none.
func (p *PDU) RANUENGAPID() (id uint32, at int, err error) {
	if at = p.Find(IERANUENGAPID); at >= 0 {
		id, err = ReadRANUENGAPID(p.IEs[at].Value)
	}
	return id, at, p.in(IERANUENGAPID, err)
}

// in names the IE in a reader's error.
func (p *PDU) in(id IEID, err error) error {
	if e, ok := err.(*Error); ok {
		e.IE = id
	}
	return err
}

// SetAMFUENGAPID changes the AMF UE NGAP ID that is the value of the IE at index
// i: 10, 40, 100 or 450.
func (p *PDU) SetAMFUENGAPID(i int, id uint64) {
	n := len(p.scratch)
	p.scratch = AppendAMFUENGAPID(p.scratch, id)
	p.Set(i, p.scratch[n:])
}

// SetRANUENGAPID changes the RAN UE NGAP ID that is the value of the IE at index i.
func (p *PDU) SetRANUENGAPID(i int, id uint32) {
	n := len(p.scratch)
	p.scratch = AppendRANUENGAPID(p.scratch, id)
	p.Set(i, p.scratch[n:])
}

// SetUENGAPIDs changes the UE NGAP IDs that are the value of the IE at index i.
func (p *PDU) SetUENGAPIDs(i int, ids UENGAPIDs) {
	n := len(p.scratch)
	p.scratch = ids.Append(p.scratch)
	p.Set(i, p.scratch[n:])
}

// holders are the IEs that hold an AMF UE NGAP ID at the top of a message. The
// lists of NG Reset (IEs 88, 111) hold more.
var holders = [...]bool{IEAMFUENGAPID: true, IENewAMFUENGAPID: true, IESourceAMFUENGAPID: true, IEUENGAPIDs: true, IEAMFUENGAPID2: true}

// Translate changes every AMF UE NGAP ID at the top of the message: those of IEs
// 10, 40 (new), 100 (source), 114 (UE NGAP IDs) and 450 (second). f gets the IE and
// the ID and returns what takes its place. An ID that can't be read is an *Error;
// those before it are changed then.
func (p *PDU) Translate(f func(IEID, uint64) uint64) error {
	for i := range p.IEs {
		id := p.IEs[i].ID
		if int(id) >= len(holders) || !holders[id] {
			continue
		}
		if id == IEUENGAPIDs {
			ids, err := ReadUENGAPIDs(p.IEs[i].Value)
			if err != nil {
				return p.in(id, err)
			}
			if to := f(id, ids.AMF); to != ids.AMF {
				ids.AMF = to
				p.SetUENGAPIDs(i, ids)
			}
			continue
		}
		was, err := ReadAMFUENGAPID(p.IEs[i].Value)
		if err != nil {
			return p.in(id, err)
		}
		if to := f(id, was); to != was {
			p.SetAMFUENGAPID(i, to)
		}
	}
	return nil
}
