package ngap_test

import (
	"testing"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// A released session with each kind of cause is what free5gc/ngap writes, and tshark
// reads them all.
func TestReleasedSessions(t *testing.T) {
	ids := make([]uint8, MaxSessions)
	for i := range ids {
		ids[i] = uint8(i)
	}
	for _, n := range []int{1, 2, MaxSessions} {
		var want ngapType.PDUSessionResourceReleasedListPSFail
		transfer, err := aper.MarshalWithParams(ngapType.PathSwitchRequestUnsuccessfulTransfer{Cause: ngapType.Cause{
			Present: ngapType.CausePresentTransport, Transport: &ngapType.CauseTransport{Value: 0}}}, "valueExt")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids[:n] {
			want.List = append(want.List, ngapType.PDUSessionResourceReleasedItemPSFail{PDUSessionID: ngapType.PDUSessionID{Value: int64(id)},
				PathSwitchRequestUnsuccessfulTransfer: transfer})
		}
		b, err := aper.MarshalWithParams(want, "sizeLB:1,sizeUB:256")
		got := AppendReleasedSessions(nil, ids[:n], CauseTransportUnavailable)
		if err != nil || string(got) != string(b) {
			t.Errorf("%d sessions: %x, want %x %v", n, got, b, err)
		}
		p := new(PDU).New(CodePathSwitchRequest, Unsuccessful).Add(IEReleasedSessionsPSFail, Ignore, got).Append(nil)
		f := tshark.DissectNGAP(t, [][]byte{p}, "ngap.pDUSessionID", "ngap.transport")[0]
		if f.Malformed || n < 3 && f.Field("ngap.pDUSessionID") != []string{"", "0", "0,1"}[n] {
			t.Errorf("%d sessions: %+v", n, f)
		}
	}
}

// Criticality Diagnostics in a procedure's own answer name IEs only (9.3.1.3);
// octets by hand.
func TestDiagnosticsInAnswer(t *testing.T) {
	d := Diagnostics{InAnswer: true, IEs: []IEDiagnostics{{Reject, IEGlobalRANNodeID, true}, {Reject, IESupportedTAList, false}}}
	if got, want := d.Append(nil), unhex(t, "08 01 00 001b 40 0066 00"); string(got) != string(want) {
		t.Errorf("%x, want %x", got, want)
	}
	p := new(PDU).New(CodeNGSetupRequest, Unsuccessful).Add(IECause, Ignore, AppendCause(nil, CauseAbstractSyntaxReject)).
		Add(IECriticalityDiagnostics, Ignore, d.Append(nil)).Append(nil)
	f := tshark.DissectNGAP(t, [][]byte{p}, "ngap.iE_ID", "ngap.typeOfError", "ngap.triggeringMessage")[0]
	if f.Malformed || f.Field("ngap.iE_ID") != "27,102" || f.Field("ngap.typeOfError") != "1,0" || f.Field("ngap.triggeringMessage") != "" {
		t.Errorf("%+v", f)
	}
}
