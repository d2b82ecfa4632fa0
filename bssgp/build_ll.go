package bssgp

// FlushLL is what a FLUSH-LL holds (10.4.1).
type FlushLL struct {
	TLLI    uint32
	OldBVCI uint16
	NewBVCI *uint16
	NewNSEI *uint16
}

// Append appends the PDU.
func (f *FlushLL) Append(b []byte) []byte {
	b = append16(appendTLLI(b, TypeFlushLL, f.TLLI), IEBVCI, f.OldBVCI)
	if f.NewBVCI != nil {
		b = append16(b, IEBVCI, *f.NewBVCI)
	}
	if f.NewNSEI != nil {
		b = append16(b, IENSEI, *f.NewNSEI)
	}
	return b
}

// Flush actions (11.3.13).
const (
	FlushDeleted     uint8 = 0
	FlushTransferred uint8 = 1
)

// FlushLLAck is what a FLUSH-LL-ACK holds (10.4.2).
type FlushLLAck struct {
	TLLI    uint32
	Action  uint8
	NewBVCI *uint16
	Octets  uint32 // deleted or transferred, saturating at 2^24-1
	NewNSEI *uint16
}

// Append appends the PDU.
func (f *FlushLLAck) Append(b []byte) []byte {
	b = append8(appendTLLI(b, TypeFlushLLAck, f.TLLI), IEFlushAction, f.Action)
	if f.NewBVCI != nil {
		b = append16(b, IEBVCI, *f.NewBVCI)
	}
	b = append24(b, IENumberOfOctetsAffected, f.Octets)
	if f.NewNSEI != nil {
		b = append16(b, IENSEI, *f.NewNSEI)
	}
	return b
}

// AppendLLCDiscarded appends an LLC-DISCARDED (10.4.3): frames and octets that
// the BSS discarded inside the cell bvci.
func AppendLLCDiscarded(b []byte, tlli uint32, frames uint8, bvci uint16, octets uint32) []byte {
	b = append8(appendTLLI(b, TypeLLCDiscarded, tlli), IELLCFramesDiscarded, frames)
	return append24(append16(b, IEBVCI, bvci), IENumberOfOctetsAffected, octets)
}
