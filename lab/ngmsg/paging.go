package ngmsg

import (
	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

// PagingID is the IE UE Paging Identity.
func PagingID(s STMSI) *ngapType.UEPagingIdentity {
	return &ngapType.UEPagingIdentity{Present: ngapType.UEPagingIdentityPresentFiveGSTMSI, FiveGSTMSI: MakeSTMSI(s)}
}

// ReadPagingID is its inverse.
func ReadPagingID(p *ngapType.UEPagingIdentity) (STMSI, bool) {
	if p == nil || p.FiveGSTMSI == nil {
		return STMSI{}, false
	}
	return ReadSTMSI(p.FiveGSTMSI), true
}

// PagingArea is the IE TAI List for Paging.
func PagingArea(list []TAI) *ngapType.TAIListForPaging {
	o := &ngapType.TAIListForPaging{}
	for _, t := range list {
		o.List = append(o.List, ngapType.TAIListForPagingItem{TAI: tai(t)})
	}
	return o
}

// PagingDRX is the IE Default Paging DRX: 128 frames.
func PagingDRX() *ngapType.PagingDRX {
	return &ngapType.PagingDRX{Value: ngapType.PagingDRXPresentV128}
}

// Capacity is the IE Relative AMF Capacity.
func Capacity(c uint8) *ngapType.RelativeAMFCapacity {
	return &ngapType.RelativeAMFCapacity{Value: int64(c)}
}

// Overload is the IE AMF Overload Response with one action.
func Overload(action aper.Enumerated) *ngapType.OverloadResponse {
	return &ngapType.OverloadResponse{Present: ngapType.OverloadResponsePresentOverloadAction,
		OverloadAction: &ngapType.OverloadAction{Value: action}}
}

// LoadReduction is the IE AMF Traffic Load Reduction Indication, in percent; nil
// for 0.
func LoadReduction(percent uint8) *ngapType.TrafficLoadReductionIndication {
	if percent == 0 {
		return nil
	}
	return &ngapType.TrafficLoadReductionIndication{Value: int64(percent)}
}

// Unavailable is the IE Unavailable GUAMI List; backup "": none.
func Unavailable(list []GUAMI, backup string) *ngapType.UnavailableGUAMIList {
	o := &ngapType.UnavailableGUAMIList{}
	for _, g := range list {
		i := ngapType.UnavailableGUAMIItem{GUAMI: *MakeGUAMI(g)}
		if backup != "" {
			i.BackupAMFName = AMFName(backup)
		}
		o.List = append(o.List, i)
	}
	return o
}

// AMFSet is the IE AMF Set ID.
func AMFSet(set uint16) *ngapType.AMFSetID {
	return &ngapType.AMFSetID{Value: bits(uint64(set), 10)}
}
