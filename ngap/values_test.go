package ngap_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"poolgw/lab/tshark"
	. "poolgw/ngap"
)

// What a value holds of extensions, known or not, is there when it was read and is
// written again; octets by hand from X.691 and TS 38.413 9.4.5.
var extended = []struct {
	what string
	id   IEID
	hex  string
}{
	// Two GUAMIs: one with Backup AMF Name "amf" and GUAMI Type mapped in the
	// iE-Extensions, one with an unknown extension within the GUAMI itself.
	{"served GUAMIs", IEServedGUAMIList, "01 60 00f110 02 1055 0100 616d66 0000 00b0 40 01 40" +
		"08 00f110 02 1056 0000 270f 40 02 aabb"},
	// Two connections: AMF ID 7 and an unknown extension; RAN ID 9 and two additions
	// behind the extension marker, of which the second is there.
	{"connections", IEUEAssociatedLogicalNGConnectionList, "02 50 07 0000 270f 40 01 cc a0 09 0280 03 010203"},
	// A pair of UE NGAP IDs with an unknown extension.
	{"UE NGAP IDs", IEUENGAPIDs, "10 07 00 08 0000 270f 80 01 dd"},
	// A PLMN with an NPN Support (IE 258) that tells an NID, and a slice of SST 1.
	{"PLMN support", IEPLMNSupportList, "04 00f110 0000 0008 0000 0102 00 07 00 123456789a00"},
	// An S-NSSAI with an extension of its own, in an item with another.
	{"allowed NSSAI", IEAllowedNSSAI, "09 01 0000 270f 40 01 00 0000 270e 40 01 00"},
}

// Facts: N1-01
func TestExtensionsStay(t *testing.T) {
	for _, e := range extended {
		v := unhex(t, e.hex)
		again, err := readerOf(e.id).read(v)
		if err != nil || !bytes.Equal(again, v) {
			t.Errorf("%s:\n%x written again as\n%x, %v", e.what, v, again, err)
		}
		for n := range v {
			if _, err := readerOf(e.id).read(v[:n:n]); err == nil {
				t.Errorf("%s: %x is cut off and read", e.what, v[:n])
			}
		}
	}
	list, err := ReadServedGUAMIs(unhex(t, extended[0].hex), nil)
	if err != nil || string(list[0].Backup) != "amf" || list[0].GUAMI != (GUAMI{PLMN{0x00, 0xf1, 0x10}, 2, 65, 21}) {
		t.Errorf("%+v, %v", list, err)
	}
	if typ, ok := list[0].GUAMIType(); !ok || typ != 1 {
		t.Errorf("GUAMI Type %d, %v", typ, ok)
	}
	if _, ok := list[1].GUAMIType(); ok || list[1].Backup != nil {
		t.Errorf("%+v", list[1])
	}
	ids, err := ReadUENGAPIDs(unhex(t, extended[2].hex))
	ids.AMF = 1 << 32
	if want := unhex(t, "18 0100000000 00 08 0000 270f 80 01 dd"); err != nil || !bytes.Equal(ids.Append(nil), want) {
		t.Errorf("%x, want %x", ids.Append(nil), want)
	}
}

// A User Location Information of each access, by hand: the TAI is 001-01 and 7.
var locations = []struct {
	what, hex string
	ok        bool
}{
	{"E-UTRA", "00 00f110 00000010 00f110 000007", true},
	{"NR", "40 00f110 0000000010 00f110 000007", true},
	{"NR with a time stamp and an extension", "58 00f110 0000000010 00f110 000007 e1e2e3e4 0000 270f 40 01 00", true},
	{"N3IWF", "80f8 0a000001 1f90", false},
	{"N3IWF with a TAI", "90f8 0a000001 1f90 0000 00d5 40 07 00 00f110 000007", true},
	{"TNGF with a TAI", "c0 00f4 40 19 60 02aabb 0f80 0a000001 1f90 0000 00d5 40 07 00 00f110 000007", true},
}

func TestLocation(t *testing.T) {
	want := TAI{PLMN{0x00, 0xf1, 0x10}, 7}
	for _, l := range locations {
		v := unhex(t, l.hex)
		tai, ok, err := ReadLocation(v)
		if err != nil || ok != l.ok || ok && tai != want {
			t.Errorf("%s: %+v %v %v", l.what, tai, ok, err)
		}
		for n := range v {
			if _, _, err := ReadLocation(v[:n:n]); !errors.Is(err, Truncated) {
				t.Errorf("%s: %x is cut off: %v", l.what, v[:n], err)
			}
		}
	}
}

// tshark finds no fault in the values by hand, and the TAIs.
func TestValuesTshark(t *testing.T) {
	var pdus [][]byte
	for _, l := range locations {
		pdus = append(pdus, new(PDU).New(CodeHandoverNotify, Initiating).Add(IEUserLocationInformation, Ignore, unhex(t, l.hex)).Append(nil))
	}
	for _, e := range extended {
		codes := map[IEID]Code{IEServedGUAMIList: CodeNGSetupRequest, IEUEAssociatedLogicalNGConnectionList: CodeNGReset, IEPLMNSupportList: CodeNGSetupRequest}
		code, kind := codes[e.id], Successful
		switch e.id {
		case IEUENGAPIDs:
			code, kind = CodeUEContextReleaseCommand, Initiating
		case IEAllowedNSSAI:
			code, kind = CodeInitialUEMessage, Initiating
		}
		pdus = append(pdus, new(PDU).New(code, kind).Add(e.id, Reject, unhex(t, e.hex)).Append(nil))
	}
	for i, f := range tshark.DissectNGAP(t, pdus, "ngap.tAC", "ngap.id") {
		if f.Malformed {
			t.Errorf("%x: %+v", pdus[i], f)
		}
		if i >= len(locations) {
			continue
		}
		// It names the TAI of an access that is not 3GPP's, and does not read it.
		if found := f.Field("ngap.tAC") == "7" || strings.HasSuffix(f.Field("ngap.id"), ",213"); found != locations[i].ok {
			t.Errorf("%s: %+v", locations[i].what, f)
		}
	}
}

// A contained Initial UE Message is walked with the PDU's header and without it,
// gets the IEs of a rerouted one, and becomes a PDU.
func TestContained(t *testing.T) {
	whole := unhex(t, initialUE)
	bare := whole[4:]
	for _, c := range [][]byte{whole, bare} {
		var p PDU
		if err := p.WalkContained(AppendOctets(nil, c)); err != nil || p.Name() != "InitialUEMessage" || ids(&p) != "85,38,121,90,112" {
			t.Fatalf("%x: %s %s, %v", c, p.Name(), ids(&p), err)
		}
		if got := p.Append(nil); !bytes.Equal(got, whole) {
			t.Errorf("%x, want %x", got, whole)
		}
		p.Insert(p.Find(IEUEContextRequest), IEAMFSetID, Ignore, AppendAMFSetID(nil, 65))
		q := walk(t, p.Append(nil))
		if v, _ := q.Value(IEAMFSetID); ids(q) != "85,38,121,90,3,112" || said(ReadAMFSetID(v)) != "65" {
			t.Errorf("%s, %x", ids(q), v)
		}
	}
	for _, bad := range []string{"0f" + downlink[:30], "03 000001", "00"} {
		if err := new(PDU).WalkContained(unhex(t, bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if err := new(PDU).WalkContained(AppendOctets(nil, unhex(t, downlink))); err == nil {
		t.Error("a Downlink NAS Transport was taken for an Initial UE Message")
	}
}

// Every ID at the top of a message is translated, each told by its IE; an ID that
// can't be read is an error that names the IE.
func TestTranslate(t *testing.T) {
	p := new(PDU).New(CodeUEContextModificationRequest, Initiating)
	for _, id := range []IEID{IEAMFUENGAPID, IENewAMFUENGAPID, IESourceAMFUENGAPID, IEAMFUENGAPID2} {
		p.Add(id, Reject, AppendAMFUENGAPID(nil, uint64(id)))
	}
	p.Add(IEUENGAPIDs, Reject, UENGAPIDs{AMF: uint64(IEUENGAPIDs), RAN: 5, HasRAN: true}.Append(nil))
	p.Add(IERANUENGAPID, Reject, AppendRANUENGAPID(nil, 5))
	q := walk(t, p.Append(nil))
	before := ids(q)
	if err := q.Translate(func(ie IEID, id uint64) uint64 {
		if uint64(ie) != id {
			t.Errorf("%v holds %d", ie, id)
		}
		return id | 3<<32
	}); err != nil {
		t.Error(err)
	}
	q = walk(t, q.Append(nil))
	for _, ie := range q.IEs[:4] {
		if id, err := ReadAMFUENGAPID(ie.Value); err != nil || id != uint64(ie.ID)|3<<32 {
			t.Errorf("%v: %d, %v", ie.ID, id, err)
		}
	}
	pair, err := ReadUENGAPIDs(q.IEs[4].Value)
	if err != nil || pair != (UENGAPIDs{AMF: 114 | 3<<32, RAN: 5, HasRAN: true}) || ids(q) != before {
		t.Errorf("%+v, %v", pair, err)
	}
	q.Set(1, []byte{0xe0, 1})
	var e *Error
	if err := q.Translate(func(_ IEID, id uint64) uint64 { return id }); !errors.As(err, &e) || e.IE != IENewAMFUENGAPID || e.Reason != OutOfRange {
		t.Error(err)
	}
}

// Values at the edges of their types, and beside them.
// Facts: N1-02, N1-04, N1-05, N6-77
func TestValueEdges(t *testing.T) {
	for _, c := range []struct {
		id   IEID
		hex  string
		want error
	}{
		{IEAMFUENGAPID, "a0 0000000000", OutOfRange}, // six octets
		{IEAMFUENGAPID, "80 0000000001", nil},        // more octets than it needs
		{IEAMFUENGAPID, "1f 01", nil},                // padding
		{IEAMFUENGAPID, "00 01 00", Trailing},
		{IERANUENGAPID, "c0 ffffffff", nil},
		{IECause, "c0", OutOfRange},    // the seventh of six alternatives
		{IECause, "0b40", Alternative}, // radioNetwork 45 as a root value
		{IECause, "1000", nil},         // radioNetwork 45 of the extension
		{IECause, "8c", Alternative},   // misc 6
		{IEAMFTrafficLoadReductionIndication, "c4", nil},
		{IEAMFTrafficLoadReductionIndication, "c6", OutOfRange}, // 100 per cent
		{IETimeToWait, "60", Alternative},
		{IETimeToWait, "80", nil}, // of the extension
		{IEGlobalRANNodeID, "00 00f110 50 0000", Truncated},
		{IEGlobalRANNodeID, "00 00f110 5800000000", OutOfRange}, // 33 bits
		{IEPLMNSupportList, "c0", OutOfRange},                   // 13 PLMNs
		{IERRCEstablishmentCause, "50", Alternative},            // 10 as a root value
		{IERRCEstablishmentCause, "80", nil},                    // notAvailable
		{IEAMFName, "0000 0a", NotText},
		{IEAMFName, "4b80 41", OutOfRange}, // a length of 152
	} {
		_, err := readerOf(c.id).read(unhex(t, c.hex))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%v %s: %v, want %v", c.id, c.hex, err, c.want)
		}
	}
	if e, err := ReadEstablishment([]byte{0x81}); err != nil || e != EstablishmentMOException {
		t.Errorf("the second value of the extension: %v, %v", e, err)
	}
	if c, err := ReadCause([]byte{0x10, 0x00}); err != nil || c != (Cause{CauseRadioNetwork, 45}) || !bytes.Equal(AppendCause(nil, c), []byte{0x10, 0x00}) {
		t.Errorf("the first cause of the extension: %v, %v", c, err)
	}
	if c, err := ReadCause([]byte{0x18, 0x01, 100}); err != nil || c != (Cause{CauseRadioNetwork, 145}) || !bytes.Equal(AppendCause(nil, c), []byte{0x18, 0x01, 100}) {
		t.Errorf("the 101st cause of the extension: %v, %v", c, err)
	}
	for d, want := range map[time.Duration]time.Duration{0: 1, time.Second: 1, 1001 * time.Millisecond: 2, 11 * time.Second: 20, 21 * time.Second: 60, time.Hour: 60} {
		if got, err := ReadTimeToWait(AppendTimeToWait(nil, d)); err != nil || got != want*time.Second {
			t.Errorf("%v is %v, %v", d, got, err)
		}
	}
	if n, err := ReadName(AppendName(nil, strings.Repeat("x", 200))); err != nil || len(n) != 150 {
		t.Errorf("%d, %v", len(n), err)
	}
}

// A TNL association with a port, an address of both families, and one of another
// length are answered in the Failed to Setup list with the addresses as they came.
func TestFailedTNLAs(t *testing.T) {
	// 10.0.0.5 with weight 1; 10.0.0.6 port 38412 by the choice-Extensions, usage both, weight 2.
	v := unhex(t, "0807c0 0a000005 01 50 00a9 00 08 03e0 0a000006 960c 40 02")
	list, err := ReadTNLAsToAdd(v, nil)
	if err != nil || len(list) != 2 || list[0].Addr != netip.MustParseAddr("10.0.0.5") || list[0].Weight != 1 ||
		list[1].Addr != netip.MustParseAddr("10.0.0.6") || list[1].Port != 38412 || list[1].Usage != TNLAForBoth || list[1].Weight != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	failed := AppendFailedTNLAs(nil, list, CauseTransportUnavailable)
	again, err := ReadFailedTNLAs(failed, nil)
	if err != nil || len(again) != 2 || again[1].Port != 38412 || again[0].Addr != list[0].Addr || again[1].Cause != CauseTransportUnavailable {
		t.Errorf("%s, %v", fmt.Sprint(again), err)
	}
	b := new(PDU).New(CodeAMFConfigurationUpdate, Successful).Add(IEAMFTNLAssociationFailedToSetupList, Ignore, failed).Append(nil)
	a := new(PDU).New(CodeAMFConfigurationUpdate, Initiating).Add(IEAMFTNLAssociationToAddList, Ignore, v).Append(nil)
	for _, f := range tshark.DissectNGAP(t, [][]byte{a, b}, "ngap.TransportLayerAddressIPv4") { // it shows no address that has a port
		if f.Malformed || f.Field("ngap.TransportLayerAddressIPv4") != "10.0.0.5" {
			t.Errorf("%+v", f)
		}
	}
}
