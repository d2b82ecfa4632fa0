package ngap_test

import (
	"fmt"
	"regexp"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// oracle gives, for an IE's value, what our reader says and what free5gc/ngap was
// told, in the same words.
var oracle = map[IEID]func(v []byte, x any) (got, want string){
	IEAMFUENGAPID: amfID, IESourceAMFUENGAPID: amfID, IENewAMFUENGAPID: amfID,
	IERANUENGAPID: func(v []byte, x any) (string, string) {
		return said(ReadRANUENGAPID(v)), said(x.(*ngapType.RANUENGAPID).Value, nil)
	},
	IEUENGAPIDs: func(v []byte, x any) (string, string) {
		ids, err := ReadUENGAPIDs(v)
		u, want := x.(*ngapType.UENGAPIDs), UENGAPIDs{}
		if u.Present == ngapType.UENGAPIDsPresentUENGAPIDPair {
			p := u.UENGAPIDPair
			want = UENGAPIDs{AMF: uint64(p.AMFUENGAPID.Value), RAN: uint32(p.RANUENGAPID.Value), HasRAN: true}
		} else {
			want.AMF = uint64(u.AMFUENGAPID.Value)
		}
		return said(ids, err), said(want, nil)
	},
	IEFiveGSTMSI: func(v []byte, x any) (string, string) {
		return said(ReadSTMSI(v)), said(stmsi(*x.(*ngapType.FiveGSTMSI)), nil)
	},
	IEUEPagingIdentity: func(v []byte, x any) (string, string) {
		return said(ReadUEPagingIdentity(v)), said(stmsi(*x.(*ngapType.UEPagingIdentity).FiveGSTMSI), nil)
	},
	IEGUAMI: aGUAMI,
	IEServedGUAMIList: func(v []byte, x any) (string, string) {
		list, err := ReadServedGUAMIs(v, nil)
		var want []ServedGUAMI
		for _, i := range x.(*ngapType.ServedGUAMIList).List {
			want = append(want, ServedGUAMI{GUAMI: guami(i.GUAMI), Backup: text(i.BackupAMFName)})
		}
		return same(said(list, err), AppendServedGUAMIs(nil, list), v), said(want, nil)
	},
	IEUnavailableGUAMIList: func(v []byte, x any) (string, string) {
		list, err := ReadUnavailableGUAMIs(v, nil)
		var want []UnavailableGUAMI
		for _, i := range x.(*ngapType.UnavailableGUAMIList).List {
			want = append(want, UnavailableGUAMI{GUAMI: guami(i.GUAMI), Timer: i.TimerApproachForGUAMIRemoval != nil, Backup: text(i.BackupAMFName)})
		}
		return same(said(list, err), AppendUnavailableGUAMIs(nil, list), v), said(want, nil)
	},
	IEAMFSetID: func(v []byte, x any) (string, string) {
		id, err := ReadAMFSetID(v)
		return same(said(id, err), AppendAMFSetID(nil, id), v), said(number(x.(*ngapType.AMFSetID).Value), nil)
	},
	IESelectedPLMNIdentity: func(v []byte, x any) (string, string) {
		return said(ReadPLMN(v)), said(PLMN(x.(*ngapType.PLMNIdentity).Value), nil)
	},
	IEAllowedNSSAI: func(v []byte, x any) (string, string) {
		list, err := ReadNSSAI(v, nil)
		var want []Slice
		for _, i := range x.(*ngapType.AllowedNSSAI).List {
			want = append(want, slice(i.SNSSAI))
		}
		return same(said(list, err), AppendNSSAI(nil, list), v), said(want, nil)
	},
	IEUserLocationInformation: location,
	IERRCEstablishmentCause: func(v []byte, x any) (string, string) {
		e, err := ReadEstablishment(v)
		return said(uint8(e), err), said(x.(*ngapType.RRCEstablishmentCause).Value, nil)
	},
	IEResetType: func(v []byte, x any) (string, string) {
		all, list, err := ReadResetType(v, nil)
		r := x.(*ngapType.ResetType)
		if r.Present == ngapType.ResetTypePresentNGInterface {
			return same(said(all, err), AppendResetAll(nil), v), "true"
		}
		return same(said(list, err), AppendResetPart(nil, list), v), said(connections(*r.PartOfNGInterface), nil)
	},
	IEUEAssociatedLogicalNGConnectionList: func(v []byte, x any) (string, string) {
		list, err := ReadConnections(v, nil)
		return same(said(list, err), AppendConnections(nil, list), v), said(connections(*x.(*ngapType.UEAssociatedLogicalNGConnectionList)), nil)
	},
	IERoutingID: func(v []byte, x any) (string, string) { return octets(v, x.(*ngapType.RoutingID).Value) },
	IENASPDU:    func(v []byte, x any) (string, string) { return octets(v, x.(*ngapType.NASPDU).Value) },
	IENGAPMessage: func(v []byte, x any) (string, string) {
		return octets(v, *x.(*aper.OctetString))
	},
	IECause: func(v []byte, x any) (string, string) {
		c, err := ReadCause(v)
		return same(said(c, err), AppendCause(nil, c), v), said(cause(*x.(*ngapType.Cause)), nil)
	},
	IETAIListForPaging: func(v []byte, x any) (string, string) {
		var want []TAI
		for _, i := range x.(*ngapType.TAIListForPaging).List {
			want = append(want, tai(i.TAI))
		}
		list, err := ReadPagingTAIs(v, nil)
		return said(list, err), said(want, nil)
	},
	IEGlobalRANNodeID: nodeID,
	IERANNodeName:     func(v []byte, x any) (string, string) { return named(v, x.(*ngapType.RANNodeName).Value) },
	IEAMFName:         func(v []byte, x any) (string, string) { return named(v, x.(*ngapType.AMFName).Value) },
	IEOldAMF:          func(v []byte, x any) (string, string) { return named(v, x.(*ngapType.AMFName).Value) },
	IESupportedTAList: func(v []byte, x any) (string, string) {
		var want []SupportedTA
		for _, i := range x.(*ngapType.SupportedTAList).List {
			ta := SupportedTA{TAC: tac(i.TAC)}
			for _, p := range i.BroadcastPLMNList.List {
				ta.PLMNs = append(ta.PLMNs, PLMNSupport{PLMN: PLMN(p.PLMNIdentity.Value), Slices: supported(p.TAISliceSupportList)})
			}
			want = append(want, ta)
		}
		list, err := ReadSupportedTAs(v, nil)
		return said(list, err), said(want, nil)
	},
	IEPLMNSupportList: func(v []byte, x any) (string, string) {
		var want []PLMNSupport
		for _, i := range x.(*ngapType.PLMNSupportList).List {
			want = append(want, PLMNSupport{PLMN: PLMN(i.PLMNIdentity.Value), Slices: supported(i.SliceSupportList)})
		}
		list, err := ReadPLMNSupport(v, nil)
		return same(said(list, err), AppendPLMNSupport(nil, list), v), said(want, nil)
	},
	IERelativeAMFCapacity: func(v []byte, x any) (string, string) {
		n, err := ReadCapacity(v)
		return same(said(n, err), AppendCapacity(nil, n), v), said(x.(*ngapType.RelativeAMFCapacity).Value, nil)
	},
	IETimeToWait: func(v []byte, x any) (string, string) {
		d, err := ReadTimeToWait(v)
		want := []int{1, 2, 5, 10, 20, 60}[x.(*ngapType.TimeToWait).Value]
		return same(said(d, err), AppendTimeToWait(nil, d), v), map[bool]string{true: "1m0s", false: fmt.Sprint(want) + "s"}[want == 60]
	},
	IEUERetentionInformation: func(v []byte, x any) (string, string) {
		return said(ReadUERetention(v)), said(x.(*ngapType.UERetentionInformation).Value == 0, nil)
	},
	IEAMFOverloadResponse: func(v []byte, x any) (string, string) {
		a, err := ReadOverloadResponse(v)
		return same(said(uint8(a), err), AppendOverloadResponse(nil, a), v), said(x.(*ngapType.OverloadResponse).OverloadAction.Value, nil)
	},
	IEAMFTrafficLoadReductionIndication: func(v []byte, x any) (string, string) {
		n, err := ReadLoadReduction(v)
		return same(said(n, err), AppendLoadReduction(nil, n), v), said(x.(*ngapType.TrafficLoadReductionIndication).Value, nil)
	},
	IESessionsToBeSwitchedDL: func(v []byte, x any) (string, string) {
		list, err := ReadSwitchedSessions(v, nil)
		var want []uint8
		for _, i := range x.(*ngapType.PDUSessionResourceToBeSwitchedDLList).List {
			want = append(want, uint8(i.PDUSessionID.Value))
		}
		return said(list, err), said(want, nil)
	},
	IEOverloadStartNSSAIList:             sliceOverloads,
	IEAMFTNLAssociationToAddList:         tnlas,
	IEAMFTNLAssociationToRemoveList:      tnlas,
	IEAMFTNLAssociationToUpdateList:      tnlas,
	IEAMFTNLAssociationSetupList:         tnlas,
	IEAMFTNLAssociationFailedToSetupList: tnlas,
	IECriticalityDiagnostics: func(v []byte, x any) (string, string) {
		d, ok := diagnostics(x.(*ngapType.CriticalityDiagnostics))
		if !ok {
			return "", ""
		}
		return fmt.Sprintf("%x", d.Append(nil)), fmt.Sprintf("%x", v)
	},
}

func said(v any, err error) string {
	if err != nil {
		return err.Error()
	}
	return kept.ReplaceAllString(fmt.Sprintf("%+v", v), "nil")
}

// kept is what a value holds of extensions; whether it is kept is seen when the
// value is written again.
var kept = regexp.MustCompile(`0x[0-9a-f]{8,}|<nil>`)

// same adds to what was read that writing it again did not give the same octets.
func same(s string, again, v []byte) string {
	if string(again) != string(v) {
		return fmt.Sprintf("%s, written again as %x", s, again)
	}
	return s
}

func amfID(v []byte, x any) (string, string) {
	id, err := ReadAMFUENGAPID(v)
	return same(said(id, err), AppendAMFUENGAPID(nil, id), v), said(x.(*ngapType.AMFUENGAPID).Value, nil)
}

func aGUAMI(v []byte, x any) (string, string) {
	g, err := ReadGUAMI(v)
	return same(said(g, err), AppendGUAMI(nil, g), v), said(guami(*x.(*ngapType.GUAMI)), nil)
}

func octets(v, want []byte) (string, string) {
	o, err := ReadOctets(v)
	return same(said(o, err), AppendOctets(nil, o), v), said(want, nil)
}

func named(v []byte, want string) (string, string) {
	n, err := ReadName(v)
	return same(said(string(n), err), AppendName(nil, string(n)), v), want
}

// number is a bit string's value.
func number(b aper.BitString) (n uint32) {
	for _, o := range b.Bytes {
		n = n<<8 | uint32(o)
	}
	return n >> (len(b.Bytes)*8 - int(b.BitLength))
}

func tac(t ngapType.TAC) uint32 { return number(aper.BitString{Bytes: t.Value, BitLength: 24}) }

func tai(t ngapType.TAI) TAI { return TAI{PLMN(t.PLMNIdentity.Value), tac(t.TAC)} }

func guami(g ngapType.GUAMI) GUAMI {
	return GUAMI{PLMN(g.PLMNIdentity.Value), uint8(number(g.AMFRegionID.Value)), uint16(number(g.AMFSetID.Value)), uint8(number(g.AMFPointer.Value))}
}

func stmsi(s ngapType.FiveGSTMSI) STMSI {
	return STMSI{uint16(number(s.AMFSetID.Value)), uint8(number(s.AMFPointer.Value)), number(aper.BitString{Bytes: s.FiveGTMSI.Value, BitLength: 32})}
}

func text(n *ngapType.AMFName) []byte {
	if n == nil {
		return nil
	}
	return []byte(n.Value)
}

func slice(s ngapType.SNSSAI) Slice {
	out := Slice{SNSSAI: SNSSAI{SST: s.SST.Value[0]}}
	if s.SD != nil {
		out.HasSD, out.SD = true, number(aper.BitString{Bytes: s.SD.Value, BitLength: 24})
	}
	return out
}

func supported(l ngapType.SliceSupportList) (out []Slice) {
	for _, i := range l.List {
		out = append(out, slice(i.SNSSAI))
	}
	return out
}

func connections(l ngapType.UEAssociatedLogicalNGConnectionList) (out []Connection) {
	for _, i := range l.List {
		var c Connection
		if i.AMFUENGAPID != nil {
			c.HasAMF, c.AMF = true, uint64(i.AMFUENGAPID.Value)
		}
		if i.RANUENGAPID != nil {
			c.HasRAN, c.RAN = true, uint32(i.RANUENGAPID.Value)
		}
		out = append(out, c)
	}
	return out
}

func cause(c ngapType.Cause) Cause {
	switch c.Present {
	case ngapType.CausePresentRadioNetwork:
		return Cause{CauseRadioNetwork, uint8(c.RadioNetwork.Value)}
	case ngapType.CausePresentTransport:
		return Cause{CauseTransport, uint8(c.Transport.Value)}
	case ngapType.CausePresentNas:
		return Cause{CauseNAS, uint8(c.Nas.Value)}
	case ngapType.CausePresentProtocol:
		return Cause{CauseProtocol, uint8(c.Protocol.Value)}
	}
	return Cause{CauseMisc, uint8(c.Misc.Value)}
}

func location(v []byte, x any) (got, want string) {
	t, ok, err := ReadLocation(v)
	u := x.(*ngapType.UserLocationInformation)
	switch u.Present {
	case ngapType.UserLocationInformationPresentUserLocationInformationNR:
		want = said(tai(u.UserLocationInformationNR.TAI), nil)
	case ngapType.UserLocationInformationPresentUserLocationInformationEUTRA:
		want = said(tai(u.UserLocationInformationEUTRA.TAI), nil)
	default:
		return said(ok, err), "false" // free5gc/ngap has no TAI there
	}
	return said(t, err), want
}

func nodeID(v []byte, x any) (string, string) {
	var want NodeID
	set := func(t NodeType, p ngapType.PLMNIdentity, b *aper.BitString) {
		want = NodeID{t, PLMN(p.Value), uint8(b.BitLength), number(*b)}
	}
	switch n := x.(*ngapType.GlobalRANNodeID); n.Present {
	case ngapType.GlobalRANNodeIDPresentGlobalGNBID:
		set(GNB, n.GlobalGNBID.PLMNIdentity, n.GlobalGNBID.GNBID.GNBID)
	case ngapType.GlobalRANNodeIDPresentGlobalNgENBID:
		id := n.GlobalNgENBID.NgENBID
		b := []*aper.BitString{id.MacroNgENBID, id.ShortMacroNgENBID, id.LongMacroNgENBID}[id.Present-1]
		set(NgENBMacro+NodeType(id.Present-1), n.GlobalNgENBID.PLMNIdentity, b)
	case ngapType.GlobalRANNodeIDPresentGlobalN3IWFID:
		set(N3IWF, n.GlobalN3IWFID.PLMNIdentity, n.GlobalN3IWFID.N3IWFID.N3IWFID)
	default:
		e := n.ChoiceExtensions.GlobalRANNodeIDExtIEs.Value
		switch {
		case e.GlobalTNGFID != nil:
			set(TNGF, e.GlobalTNGFID.PLMNIdentity, e.GlobalTNGFID.TNGFID.TNGFID)
		case e.GlobalTWIFID != nil:
			set(TWIF, e.GlobalTWIFID.PLMNIdentity, e.GlobalTWIFID.TWIFID.TWIFID)
		default:
			set(WAGF, e.GlobalWAGFID.PLMNIdentity, e.GlobalWAGFID.WAGFID.WAGFID)
		}
	}
	return said(ReadNodeID(v)), said(want, nil)
}

func sliceOverloads(v []byte, x any) (string, string) {
	var want []SliceOverload
	for _, i := range x.(*ngapType.OverloadStartNSSAIList).List {
		var s SliceOverload
		for _, o := range i.SliceOverloadList.List {
			s.Slices = append(s.Slices, slice(o.SNSSAI))
		}
		if r := i.SliceOverloadResponse; r != nil {
			s.HasAction, s.Action = true, OverloadAction(r.OverloadAction.Value)
		}
		if r := i.SliceTrafficLoadReductionIndication; r != nil {
			s.Reduction = uint8(r.Value)
		}
		want = append(want, s)
	}
	list, err := ReadSliceOverloads(v, nil)
	return said(list, err), said(want, nil)
}

func diagnostics(x *ngapType.CriticalityDiagnostics) (d Diagnostics, ok bool) {
	if x.ProcedureCode == nil || x.TriggeringMessage == nil || x.ProcedureCriticality == nil || x.IEExtensions != nil {
		return d, false
	}
	d = Diagnostics{Code: Code(x.ProcedureCode.Value), Kind: Kind(x.TriggeringMessage.Value), Criticality: Criticality(x.ProcedureCriticality.Value)}
	if x.IEsCriticalityDiagnostics != nil {
		for _, i := range x.IEsCriticalityDiagnostics.List {
			d.IEs = append(d.IEs, IEDiagnostics{Criticality(i.IECriticality.Value), IEID(i.IEID.Value), i.TypeOfError.Value == ngapType.TypeOfErrorPresentMissing})
		}
	}
	return d, true
}
