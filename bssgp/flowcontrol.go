package bssgp

// FlowControlBVC is what a FLOW-CONTROL-BVC holds (10.4.4): the buckets of a
// cell, in octets and bits per second, not in the steps of the wire.
type FlowControlBVC struct {
	Tag         uint8
	BucketSize  uint64 // Bmax of the BVC, octets
	LeakRate    uint64 // R of the BVC, bit/s
	MSBmax      uint64 // default Bmax of an MS, octets
	MSLeakRate  uint64 // default R of an MS, bit/s
	Granularity Granularity
	// HasGranularity tells that the IE was there; without it the steps are 100.
	HasGranularity bool
	// Other are all further IEs: bucket full ratio, BVC measurement, unknown
	// ones. They are sub-slices of the PDU that was decoded.
	Other []IE
}

// Granularity is the Flow Control Granularity (11.3.102): steps of 100, 1000,
// 10000 or 100000 octets or bits per second.
type Granularity uint8

// Step returns the size of one step of the wire; only bits 1 and 2 count.
func (g Granularity) Step() uint64 { return [4]uint64{100, 1000, 10000, 100000}[g&3] }

// maxOther bounds the further IEs that are kept.
const maxOther = 16

// DecodeFlowControlBVC reads a FLOW-CONTROL-BVC; ok is false unless Check would
// pass it. At most 16 further IEs are kept.
func DecodeFlowControlBVC(pdu []byte) (f FlowControlBVC, ok bool) {
	if t, _ := Type(pdu); t != TypeFlowControlBVC || Check(pdu, Uplink, PTP) != nil {
		return f, false
	}
	if g, ok := read8(pdu, IEFlowControlGranularity); ok {
		f.Granularity, f.HasGranularity = Granularity(g&3), true
	}
	step := f.Granularity.Step()
	f.Tag, _ = ReadTag(pdu)
	for _, field := range f.fields() {
		v, _ := read16(pdu, field.iei, 0)
		*field.v = uint64(v) * step
	}
	f.Other = otherIEs(pdu)
	return f, true
}

// field is one of the four figures.
type field struct {
	iei IEI
	v   *uint64
}

// fields lists the figures in the order of 10.4.4.
func (f *FlowControlBVC) fields() [4]field {
	return [4]field{{IEBVCBucketSize, &f.BucketSize}, {IEBucketLeakRate, &f.LeakRate},
		{IEBmaxDefaultMS, &f.MSBmax}, {IERDefaultMS, &f.MSLeakRate}}
}

// otherIEs lists what FlowControlBVC does not name.
func otherIEs(pdu []byte) (other []IE) {
	b, err := Body(pdu)
	for err == nil && len(b) > 0 && len(other) < maxOther {
		var ie IE
		if ie, b, err = Next(b); err != nil {
			break
		}
		switch ie.IEI {
		case IETag, IEBVCBucketSize, IEBucketLeakRate, IEBmaxDefaultMS, IERDefaultMS, IEFlowControlGranularity:
		default:
			other = append(other, ie)
		}
	}
	return other
}

// Scale returns the flow control of a share, percent (1..100), of the cell:
// bucket size and leak rate are scaled, the values per MS are not (one MS is
// served by one SGSN alone), all else stays. What was not zero does not become
// zero.
func (f FlowControlBVC) Scale(percent uint8) FlowControlBVC {
	f.BucketSize = scale(f.BucketSize, uint64(percent))
	f.LeakRate = scale(f.LeakRate, uint64(percent))
	return f
}

func scale(v, percent uint64) uint64 {
	if v == 0 {
		return 0
	}
	return max(1, v*percent/100)
}

// Append appends the PDU. The granularity goes out as it came; a value above
// 65535 steps is sent as 65535, one below a step as one step, else rounded down.
func (f *FlowControlBVC) Append(b []byte) []byte {
	b = append8(append(b, byte(TypeFlowControlBVC)), IETag, f.Tag)
	step := f.Granularity.Step()
	for _, field := range f.fields() {
		b = append16(b, field.iei, steps(*field.v, step))
	}
	for _, ie := range f.Other {
		b = AppendIE(b, ie.IEI, ie.Value)
	}
	if f.HasGranularity {
		b = append8(b, IEFlowControlGranularity, uint8(f.Granularity&3))
	}
	return b
}

// steps converts to the wire's unit.
func steps(v, step uint64) uint16 {
	if v == 0 {
		return 0
	}
	return uint16(min(0xffff, max(1, v/step)))
}

// AppendFlowControlBVCAck appends a FLOW-CONTROL-BVC-ACK (10.4.5).
func AppendFlowControlBVCAck(b []byte, tag uint8) []byte {
	return append8(append(b, byte(TypeFlowControlBVCAck)), IETag, tag)
}

// AppendFlowControlMS appends a FLOW-CONTROL-MS (10.4.6): bucket size in
// hundreds of octets, leak rate in hundreds of bits per second.
func AppendFlowControlMS(b []byte, tlli uint32, tag uint8, size, rate uint16) []byte {
	b = append8(appendTLLI(b, TypeFlowControlMS, tlli), IETag, tag)
	return append16(append16(b, IEMSBucketSize, size), IEBucketLeakRate, rate)
}

// AppendFlowControlMSAck appends a FLOW-CONTROL-MS-ACK (10.4.7).
func AppendFlowControlMSAck(b []byte, tlli uint32, tag uint8) []byte {
	return append8(appendTLLI(b, TypeFlowControlMSAck, tlli), IETag, tag)
}

// AppendFlowControlPFCAck appends a FLOW-CONTROL-PFC-ACK (10.4.25).
func AppendFlowControlPFCAck(b []byte, tlli uint32, tag uint8) []byte {
	return append8(appendTLLI(b, TypeFlowControlPFCAck, tlli), IETag, tag)
}
