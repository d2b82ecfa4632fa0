package ngap_test

import (
	"fmt"
	"net/netip"

	"github.com/free5gc/ngap/ngapType"

	. "poolgw/ngap"
)

// tnlas compares each of the five TNL association lists.
func tnlas(v []byte, x any) (got, want string) {
	var list []TNLA
	var err error
	var wanted []TNLA
	switch l := x.(type) {
	case *ngapType.AMFTNLAssociationToAddList:
		list, err = ReadTNLAsToAdd(v, nil)
		for _, i := range l.List {
			wanted = append(wanted, tnla(i.AMFTNLAssociationAddress, i.TNLAssociationUsage, &i.TNLAddressWeightFactor, nil))
		}
	case *ngapType.AMFTNLAssociationToUpdateList:
		list, err = ReadTNLAsToUpdate(v, nil)
		for _, i := range l.List {
			wanted = append(wanted, tnla(i.AMFTNLAssociationAddress, i.TNLAssociationUsage, i.TNLAddressWeightFactor, nil))
		}
	case *ngapType.AMFTNLAssociationToRemoveList:
		list, err = ReadTNLAs(v, nil)
		for _, i := range l.List {
			wanted = append(wanted, tnla(i.AMFTNLAssociationAddress, nil, nil, nil))
		}
	case *ngapType.AMFTNLAssociationSetupList:
		list, err = ReadTNLAs(v, nil)
		for _, i := range l.List {
			wanted = append(wanted, tnla(i.AMFTNLAssociationAddress, nil, nil, nil))
		}
	case *ngapType.TNLAssociationList:
		list, err = ReadFailedTNLAs(v, nil)
		for _, i := range l.List {
			wanted = append(wanted, tnla(i.TNLAssociationAddress, nil, nil, &i.Cause))
		}
		if one := list; err == nil && len(one) == 1 {
			if again := AppendFailedTNLAs(nil, one, one[0].Cause); string(again) != string(v) {
				err = fmt.Errorf("written again as %x", again)
			}
		}
	}
	return saidTNLAs(list, err), saidTNLAs(wanted, nil)
}

func saidTNLAs(list []TNLA, err error) (s string) {
	if err != nil {
		return err.Error()
	}
	for _, t := range list {
		s += fmt.Sprintln(t.Addr, t.Addr6, t.Port, t.HasUsage, t.Usage, t.HasWeight, t.Weight, t.Cause)
	}
	return s
}

func tnla(a ngapType.CPTransportLayerInformation, u *ngapType.TNLAssociationUsage, w *ngapType.TNLAddressWeightFactor, c *ngapType.Cause) (t TNLA) {
	b, n := a.EndpointIPAddress.Value.Bytes, a.EndpointIPAddress.Value.BitLength
	if n == 32 || n == 160 {
		t.Addr = netip.AddrFrom4([4]byte(b))
		b = b[4:]
	}
	if n == 128 || n == 160 {
		t.Addr6 = netip.AddrFrom16([16]byte(b))
	}
	if u != nil {
		t.HasUsage, t.Usage = true, TNLAUsage(u.Value)
	}
	if w != nil {
		t.HasWeight, t.Weight = true, uint8(w.Value)
	}
	if c != nil {
		t.Cause = cause(*c)
	}
	return t
}
