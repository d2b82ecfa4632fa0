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

// futureRRC is the choice criticalExtensionsFuture of an inter-node RRC message.
const futureRRC = 0x80

// SourceContainer is what the source gNB tells the target (9.3.1.20). There is no
// RRC in the lab: its container says "critical extensions of the future" (TS
// 38.331, 11.2.2), and the UE's number follows.
func SourceContainer(t TAI, from, to, ue uint32) *ngapType.SourceToTargetTransparentContainer {
	last := cellGI(t.PLMN, from)
	here := cellGI(t.PLMN, to)
	c := ngapType.SourceNGRANNodeToTargetNGRANNodeTransparentContainer{
		RRCContainer: ngapType.RRCContainer{Value: binary.BigEndian.AppendUint32([]byte{futureRRC}, ue)},
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
	if b := s.RRCContainer.Value; len(b) == 5 && b[0] == futureRRC {
		return binary.BigEndian.Uint32(b[1:]), nil
	}
	return 0, errors.New("ngmsg: a UE of another simulator")
}

// TargetContainer is what the target gNB answers (9.3.1.21).
func TargetContainer() *ngapType.TargetToSourceTransparentContainer {
	c := ngapType.TargetNGRANNodeToSourceNGRANNodeTransparentContainer{RRCContainer: ngapType.RRCContainer{Value: []byte{futureRRC}}}
	return &ngapType.TargetToSourceTransparentContainer{Value: transfer(c)}
}
