package pcusock

import (
	"net/netip"
)

const (
	maxTRX   = 8
	maxSlots = 8
	maxNSVCs = 2
)

// Info is INFO_IND: a cell and how its PCU reaches the SGSN.
type Info struct {
	Version uint32
	Flags   Flags
	TRX     [maxTRX]TRX
	BSIC    uint8

	MCC, MNC uint16
	MNC3     bool // the MNC has three digits
	LAC, RAC uint16

	NSEI       uint16
	NSETimers  [7]uint8  // see NSTimers
	CellTimers [11]uint8 // see BSSGPTimers

	CellID      uint16
	RepeatTime  uint16 // ms
	RepeatCount uint8
	BVCI        uint16
	RLC         RLC
	DLTBFExt    uint16 // ms
	ULTBFExt    uint16 // ms
	InitialCS   uint8
	InitialMCS  uint8

	NSVCs [maxNSVCs]NSVC
}

// TRX is a transceiver of the cell.
type TRX struct {
	ARFCN uint16
	PDCHs uint8 // bit n: time slot n carries packet data
	Layer uint32
	Slots [maxSlots]Slot
}

// Slot is a time slot's training sequence and hopping.
type Slot struct {
	TSC       uint8
	Hopping   bool
	HSN, MAIO uint8
	MABits    uint8 // 0..64
	MA        [8]byte
}

// RLC are the timers (s, but T3193) and counters of RLC/MAC, TS 44.060 13; all 0: the PCU's
// own defaults.
type RLC struct {
	T3142, T3169, T3191 uint8
	T3193               uint8 // 10 ms
	T3195               uint8
	N3101, N3103, N3105 uint8
	CountdownValue      uint8
}

// NSVC is an NS-VC over UDP. The PCU binds to the local port on every address
// of its machine.
type NSVC struct {
	NSVCI     uint16
	LocalPort uint16
	Remote    netip.AddrPort // IPv4 or IPv6; zero: no NS-VC
}

// NSTimers are the defaults of NSETimers: Tns-block and its retries, Tns-reset
// and retries, Tns-test, Tns-alive and retries, TS 48.016 10.
var NSTimers = [7]uint8{3, 3, 3, 3, 30, 3, 10}

// BSSGPTimers are the defaults of CellTimers: blocking timer and retries,
// unblocking retries, reset timer and retries, suspend timer and retries,
// resume timer and retries, capability update timer and retries, TS 48.018 11.
var BSSGPTimers = [11]uint8{3, 3, 3, 3, 3, 10, 3, 10, 3, 10, 3}

func (*Info) msgType() MsgType { return MsgInfoInd }

func (i *Info) fields(l *layout) {
	l.u32(&i.Version)
	l.u32((*uint32)(&i.Flags))
	for n := range i.TRX {
		i.TRX[n].fields(l)
	}
	l.u8(&i.BSIC)
	l.u16s(&i.MCC, &i.MNC)
	l.flag(&i.MNC3)
	l.u16s(&i.LAC, &i.RAC, &i.NSEI)
	l.octets(i.NSETimers[:])
	l.octets(i.CellTimers[:])
	l.u16s(&i.CellID, &i.RepeatTime)
	l.u8(&i.RepeatCount)
	l.u16(&i.BVCI)
	i.RLC.fields(l)
	l.u16s(&i.DLTBFExt, &i.ULTBFExt)
	l.u8s(&i.InitialCS, &i.InitialMCS)
	nsvcFields(l, &i.NSVCs)
}

func (t *TRX) fields(l *layout) {
	l.u16(&t.ARFCN)
	l.u8(&t.PDCHs)
	l.next(1)
	l.u32(&t.Layer)
	for n := range t.Slots {
		s := &t.Slots[n]
		l.u8(&s.TSC)
		l.flag(&s.Hopping)
		l.u8s(&s.HSN, &s.MAIO, &s.MABits)
		l.octets(s.MA[:])
	}
}

func (r *RLC) fields(l *layout) {
	l.u8s(&r.T3142, &r.T3169, &r.T3191, &r.T3193, &r.T3195, &r.N3101, &r.N3103, &r.N3105, &r.CountdownValue)
}

// The address types of an NS-VC.
const (
	addrNone = 0
	addrIPv4 = 4
	addrIPv6 = 0x29
)

// nsvcFields goes through the NS-VCs, which stand member by member, not one
// after the other.
func nsvcFields(l *layout, vs *[maxNSVCs]NSVC) {
	var ports [maxNSVCs]uint16
	var kinds [maxNSVCs]uint8
	var addrs [maxNSVCs][16]byte
	for n, v := range vs {
		ports[n] = v.Remote.Port()
		kinds[n], addrs[n] = packAddr(v.Remote.Addr())
	}
	for n := range vs {
		l.u16(&vs[n].NSVCI)
	}
	for n := range vs {
		l.u16(&vs[n].LocalPort)
	}
	for n := range vs {
		l.u16(&ports[n])
	}
	l.octets(kinds[:])
	for n := range vs {
		l.octets(addrs[n][:])
		vs[n].Remote = unpackAddr(kinds[n], addrs[n], ports[n])
	}
}

// packAddr gives an address the type and the 16 octets of its union, in network
// order; an IPv4 address has the first four.
func packAddr(a netip.Addr) (kind uint8, b [16]byte) {
	switch a = a.Unmap(); {
	case a.Is4():
		copy(b[:], a.AsSlice())
		return addrIPv4, b
	case a.Is6():
		return addrIPv6, a.As16()
	}
	return addrNone, b
}

func unpackAddr(kind uint8, b [16]byte, port uint16) netip.AddrPort {
	switch kind {
	case addrIPv4:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[:4])), port)
	case addrIPv6:
		return netip.AddrPortFrom(netip.AddrFrom16(b).Unmap(), port)
	}
	return netip.AddrPort{}
}
