package ngmsg

import (
	"encoding/binary"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

// GUAMI is an AMF's identity in plain numbers.
type GUAMI struct {
	PLMN    [3]byte
	Region  uint8
	Set     uint16 // 10 bits
	Pointer uint8  // 6 bits
}

// Slice is an S-NSSAI; SD 0xffffff: none.
type Slice struct {
	SST uint8
	SD  uint32
}

// NoSD is the SD of a slice that has none (TS 23.003, 28.4.2).
const NoSD = 0xffffff

// TAI is a tracking area.
type TAI struct {
	PLMN [3]byte
	TAC  uint32 // 24 bits
}

// STMSI is a 5G-S-TMSI.
type STMSI struct {
	Set     uint16
	Pointer uint8
	TMSI    uint32
}

func bits(v uint64, n uint64) aper.BitString {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v<<(64-n))
	return aper.BitString{Bytes: append([]byte(nil), b[:(n+7)/8]...), BitLength: n}
}

// number is the value of a bit string of at most 64 bits.
func number(b aper.BitString) uint64 {
	var o [8]byte
	copy(o[:], b.Bytes)
	if b.BitLength == 0 || b.BitLength > 64 {
		return 0
	}
	return binary.BigEndian.Uint64(o[:]) >> (64 - b.BitLength)
}

func plmn(p [3]byte) ngapType.PLMNIdentity {
	return ngapType.PLMNIdentity{Value: append([]byte(nil), p[:]...)}
}

func plmnOf(p ngapType.PLMNIdentity) (o [3]byte) {
	copy(o[:], p.Value)
	return o
}

// AMFID is the IE AMF UE NGAP ID.
func AMFID(id uint64) *ngapType.AMFUENGAPID { return &ngapType.AMFUENGAPID{Value: int64(id)} }

// RANID is the IE RAN UE NGAP ID.
func RANID(id uint32) *ngapType.RANUENGAPID { return &ngapType.RANUENGAPID{Value: int64(id)} }

// NAS is the IE NAS-PDU.
func NAS(b []byte) *ngapType.NASPDU { return &ngapType.NASPDU{Value: b} }

// Text is a name as RAN Node Name has it.
func Text(s string) *ngapType.RANNodeName { return &ngapType.RANNodeName{Value: s} }

// AMFName is the IE AMF Name.
func AMFName(s string) *ngapType.AMFName { return &ngapType.AMFName{Value: s} }

// MakeGUAMI is the IE GUAMI.
func MakeGUAMI(g GUAMI) *ngapType.GUAMI {
	return &ngapType.GUAMI{PLMNIdentity: plmn(g.PLMN), AMFRegionID: ngapType.AMFRegionID{Value: bits(uint64(g.Region), 8)},
		AMFSetID: ngapType.AMFSetID{Value: bits(uint64(g.Set), 10)}, AMFPointer: ngapType.AMFPointer{Value: bits(uint64(g.Pointer), 6)}}
}

// ReadGUAMI is its inverse.
func ReadGUAMI(g *ngapType.GUAMI) GUAMI {
	return GUAMI{PLMN: plmnOf(g.PLMNIdentity), Region: uint8(number(g.AMFRegionID.Value)),
		Set: uint16(number(g.AMFSetID.Value)), Pointer: uint8(number(g.AMFPointer.Value))}
}

// MakeSTMSI is the IE 5G-S-TMSI.
func MakeSTMSI(s STMSI) *ngapType.FiveGSTMSI {
	var t [4]byte
	binary.BigEndian.PutUint32(t[:], s.TMSI)
	return &ngapType.FiveGSTMSI{AMFSetID: ngapType.AMFSetID{Value: bits(uint64(s.Set), 10)},
		AMFPointer: ngapType.AMFPointer{Value: bits(uint64(s.Pointer), 6)}, FiveGTMSI: ngapType.FiveGTMSI{Value: t[:]}}
}

// ReadSTMSI is its inverse.
func ReadSTMSI(s *ngapType.FiveGSTMSI) STMSI {
	var t [4]byte
	copy(t[:], s.FiveGTMSI.Value)
	return STMSI{Set: uint16(number(s.AMFSetID.Value)), Pointer: uint8(number(s.AMFPointer.Value)), TMSI: binary.BigEndian.Uint32(t[:])}
}

func snssai(s Slice) ngapType.SNSSAI {
	o := ngapType.SNSSAI{SST: ngapType.SST{Value: []byte{s.SST}}}
	if s.SD != NoSD {
		o.SD = &ngapType.SD{Value: []byte{byte(s.SD >> 16), byte(s.SD >> 8), byte(s.SD)}}
	}
	return o
}

func sliceSupport(list []Slice) (o ngapType.SliceSupportList) {
	for _, s := range list {
		o.List = append(o.List, ngapType.SliceSupportItem{SNSSAI: snssai(s)})
	}
	return o
}

// AllowedNSSAI is the IE, of at most 8 slices.
func AllowedNSSAI(list []Slice) *ngapType.AllowedNSSAI {
	o := &ngapType.AllowedNSSAI{}
	for _, s := range list[:min(len(list), 8)] {
		o.List = append(o.List, ngapType.AllowedNSSAIItem{SNSSAI: snssai(s)})
	}
	return o
}

// ServedGUAMIs is the IE Served GUAMI List.
func ServedGUAMIs(list []GUAMI) *ngapType.ServedGUAMIList {
	o := &ngapType.ServedGUAMIList{}
	for _, g := range list {
		o.List = append(o.List, ngapType.ServedGUAMIItem{GUAMI: *MakeGUAMI(g)})
	}
	return o
}

// PLMNSupport is the IE PLMN Support List: each PLMN with the same slices.
func PLMNSupport(plmns [][3]byte, slices []Slice) *ngapType.PLMNSupportList {
	o := &ngapType.PLMNSupportList{}
	for _, p := range plmns {
		o.List = append(o.List, ngapType.PLMNSupportItem{PLMNIdentity: plmn(p), SliceSupportList: sliceSupport(slices)})
	}
	return o
}

// GNB is the identity of a gNB, of 32 bits.
func GNB(p [3]byte, id uint32) *ngapType.GlobalRANNodeID {
	b := bits(uint64(id), 32)
	return &ngapType.GlobalRANNodeID{Present: ngapType.GlobalRANNodeIDPresentGlobalGNBID,
		GlobalGNBID: &ngapType.GlobalGNBID{PLMNIdentity: plmn(p),
			GNBID: ngapType.GNBID{Present: ngapType.GNBIDPresentGNBID, GNBID: &b}}}
}

// ReadGNB returns the number of a gNB; false: it is none.
func ReadGNB(g *ngapType.GlobalRANNodeID) (id uint32, ok bool) {
	if g == nil || g.GlobalGNBID == nil || g.GlobalGNBID.GNBID.GNBID == nil {
		return 0, false
	}
	return uint32(number(*g.GlobalGNBID.GNBID.GNBID)), true
}

func tac(v uint32) ngapType.TAC {
	return ngapType.TAC{Value: []byte{byte(v >> 16), byte(v >> 8), byte(v)}}
}

func tai(t TAI) ngapType.TAI {
	return ngapType.TAI{PLMNIdentity: plmn(t.PLMN), TAC: tac(t.TAC)}
}

func taiOf(t ngapType.TAI) (o TAI) {
	o.PLMN = plmnOf(t.PLMNIdentity)
	for _, b := range t.TAC.Value {
		o.TAC = o.TAC<<8 | uint32(b)
	}
	return o
}

// SupportedTAs is the IE Supported TA List.
func SupportedTAs(list []TAI, slices []Slice) *ngapType.SupportedTAList {
	o := &ngapType.SupportedTAList{}
	for _, t := range list {
		o.List = append(o.List, ngapType.SupportedTAItem{TAC: tac(t.TAC), BroadcastPLMNList: ngapType.BroadcastPLMNList{
			List: []ngapType.BroadcastPLMNItem{{PLMNIdentity: plmn(t.PLMN), TAISliceSupportList: sliceSupport(slices)}}}})
	}
	return o
}

// cellGI is cell 1 of a gNB of 32 bits: its NR cell identity has 36.
func cellGI(p [3]byte, gnb uint32) ngapType.NRCGI {
	return ngapType.NRCGI{PLMNIdentity: plmn(p), NRCellIdentity: ngapType.NRCellIdentity{Value: bits(uint64(gnb)<<4|1, 36)}}
}

// Location is the IE User Location Information: in the cell of a gNB.
func Location(t TAI, gnb uint32) *ngapType.UserLocationInformation {
	return &ngapType.UserLocationInformation{Present: ngapType.UserLocationInformationPresentUserLocationInformationNR,
		UserLocationInformationNR: &ngapType.UserLocationInformationNR{NRCGI: cellGI(t.PLMN, gnb), TAI: tai(t)}}
}

// ReadLocation returns where a UE is; false: it does not say so.
func ReadLocation(l *ngapType.UserLocationInformation) (TAI, bool) {
	if l == nil || l.UserLocationInformationNR == nil {
		return TAI{}, false
	}
	return taiOf(l.UserLocationInformationNR.TAI), true
}

// Establishment is the IE RRC Establishment Cause.
func Establishment(c aper.Enumerated) *ngapType.RRCEstablishmentCause {
	return &ngapType.RRCEstablishmentCause{Value: c}
}

// ContextRequested is the IE UE Context Request.
func ContextRequested() *ngapType.UEContextRequest {
	return &ngapType.UEContextRequest{Value: ngapType.UEContextRequestPresentRequested}
}

// ReadSupportedTAs lists the tracking areas of the IE, for each PLMN that is
// broadcast there.
func ReadSupportedTAs(l *ngapType.SupportedTAList) (list []TAI) {
	for _, t := range l.List {
		for _, p := range t.BroadcastPLMNList.List {
			list = append(list, taiOf(ngapType.TAI{PLMNIdentity: p.PLMNIdentity, TAC: t.TAC}))
		}
	}
	return list
}
