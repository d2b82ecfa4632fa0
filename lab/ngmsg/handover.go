package ngmsg

import (
	"encoding/binary"
	"errors"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

// Target is the IE Target ID: a gNB of 32 bits.
func Target(t TAI, gnb uint32) *ngapType.TargetID {
	return &ngapType.TargetID{Present: ngapType.TargetIDPresentTargetRANNodeID,
		TargetRANNodeID: &ngapType.TargetRANNodeID{GlobalRANNodeID: *GNB(t.PLMN, gnb), SelectedTAI: tai(t)}}
}

// ReadTarget is its inverse.
func ReadTarget(t *ngapType.TargetID) (gnb uint32, ok bool) {
	if t == nil || t.TargetRANNodeID == nil {
		return 0, false
	}
	return ReadGNB(&t.TargetRANNodeID.GlobalRANNodeID)
}

// Intra5GS is the IE Handover Type.
func Intra5GS() *ngapType.HandoverType {
	return &ngapType.HandoverType{Value: ngapType.HandoverTypePresentIntra5gs}
}

// SourceContainer is what the source gNB tells the target (9.3.1.20). There is no
// RRC in the lab: the RRC container holds the UE's number.
func SourceContainer(t TAI, from, to, ue uint32) *ngapType.SourceToTargetTransparentContainer {
	last := cellGI(t.PLMN, from)
	here := cellGI(t.PLMN, to)
	c := ngapType.SourceNGRANNodeToTargetNGRANNodeTransparentContainer{
		RRCContainer: ngapType.RRCContainer{Value: binary.BigEndian.AppendUint32(nil, ue)},
		TargetCellID: ngapType.NGRANCGI{Present: ngapType.NGRANCGIPresentNRCGI, NRCGI: &here},
		UEHistoryInformation: ngapType.UEHistoryInformation{List: []ngapType.LastVisitedCellItem{{
			LastVisitedCellInformation: ngapType.LastVisitedCellInformation{Present: ngapType.LastVisitedCellInformationPresentNGRANCell,
				NGRANCell: &ngapType.LastVisitedNGRANCellInformation{
					GlobalCellID: ngapType.NGRANCGI{Present: ngapType.NGRANCGIPresentNRCGI, NRCGI: &last},
					CellType:     ngapType.CellType{CellSize: ngapType.CellSize{Value: ngapType.CellSizePresentMedium}}}}}}}}
	return &ngapType.SourceToTargetTransparentContainer{Value: transfer(c)}
}

// ReadSourceContainer returns the UE's number.
func ReadSourceContainer(c *ngapType.SourceToTargetTransparentContainer) (ue uint32, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("ngmsg: a transparent container")
		}
	}()
	if c == nil {
		return 0, errors.New("ngmsg: no transparent container")
	}
	var s ngapType.SourceNGRANNodeToTargetNGRANNodeTransparentContainer
	if err := aper.UnmarshalWithParams(c.Value, &s, "valueExt"); err != nil {
		return 0, err
	}
	if len(s.RRCContainer.Value) != 4 {
		return 0, errors.New("ngmsg: a UE of another simulator")
	}
	return binary.BigEndian.Uint32(s.RRCContainer.Value), nil
}

// TargetContainer is what the target gNB answers (9.3.1.21).
func TargetContainer() *ngapType.TargetToSourceTransparentContainer {
	c := ngapType.TargetNGRANNodeToSourceNGRANNodeTransparentContainer{RRCContainer: ngapType.RRCContainer{Value: []byte{0}}}
	return &ngapType.TargetToSourceTransparentContainer{Value: transfer(c)}
}
