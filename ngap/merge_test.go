package ngap_test

import (
	"testing"

	free5gc "github.com/free5gc/ngap"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// Two answers to NG Setup become one: lists by union, the pool's name and
// capacity, and what only Release 17 and later has, in the message (IAB Supported
// 200, Mobile IAB Supported 404, an IE of no release) and in items (NPN Support,
// an unknown extension), stays as it came. free5gc/ngap can't encode such a
// message.
func TestMergeSetupResponses(t *testing.T) {
	answer := unhex(t, "2015 00 00 000007"+
		"0001 00 05 0100616d66"+
		"0060 00 10 00 08 00f110 02 1056 0000 270f 40 02 aabb"+
		"0056 40 01 ff"+
		"0050 00 15 04 00f110 0000 0008 0000 0102 00 07 00 123456789a00"+
		"00c8 40 01 00"+"0194 40 01 00"+"270f 40 03 010203")
	answer[3] = byte(len(answer) - 4)
	first := walk(t, answer)
	second := walk(t, unhex(t, setupReply))

	guamis, err := ReadServedGUAMIs(valueOf(t, first, IEServedGUAMIList), nil)
	if err == nil {
		guamis, err = ReadServedGUAMIs(valueOf(t, second, IEServedGUAMIList), guamis)
	}
	plmns, err2 := ReadPLMNSupport(valueOf(t, first, IEPLMNSupportList), nil)
	if err != nil || err2 != nil || len(guamis) != 2 || len(plmns) != 1 {
		t.Fatal(guamis, plmns, err, err2)
	}
	plmns[0].Slices = append(plmns[0].Slices, Slice{SNSSAI: SNSSAI{SST: 2, SD: 0x010203, HasSD: true}})

	first.Replace(IEAMFName, Reject, AppendName(nil, "POOL"))
	first.Replace(IEServedGUAMIList, Reject, AppendServedGUAMIs(nil, guamis))
	first.Replace(IERelativeAMFCapacity, Ignore, AppendCapacity(nil, 100))
	first.Replace(IEPLMNSupportList, Reject, AppendPLMNSupport(nil, plmns))
	b := first.Append(nil)

	want := unhex(t, "2015 00 00 000007"+
		"0001 00 06 0180 504f4f4c"+
		"0060 00 17 01 08 00f110 02 1056 0000 270f 40 02 aabb 00 00f110 81 0041"+
		"0056 40 01 64"+
		"0050 00 1a 04 00f110 0001 0008 8080 010203 0000 0102 00 07 00 123456789a00"+
		"00c8 40 01 00"+"0194 40 01 00"+"270f 40 03 010203")
	want[3] = byte(len(want) - 4)
	if string(b) != string(want) {
		t.Errorf("merged\n%x, want\n%x", b, want)
	}
	m, err := free5gc.Decoder(b)
	if err != nil || !typed(m) {
		t.Errorf("free5gc/ngap: %v", err)
	}
	f := tshark.DissectNGAP(t, [][]byte{b}, "ngap.AMFName", "ngap.sST", "ngap.aMFRegionID")[0]
	if f.Malformed || f.Field("ngap.AMFName") != "POOL" || f.Field("ngap.sST") != "01,02" || f.Field("ngap.aMFRegionID") != "02,81" {
		t.Errorf("%+v", f)
	}
}

func valueOf(t *testing.T, p *PDU, id IEID) []byte {
	t.Helper()
	v, ok := p.Value(id)
	if !ok {
		t.Fatalf("no %v", id)
	}
	return v
}
