package ngap_test

import (
	"bytes"
	"errors"
	"testing"

	. "poolgw/ngap"
)

// Captured between UERANSIM and Ella Core: an Initial UE Message, a Downlink NAS
// Transport with a 5GMM message of no keys, an NG Setup Response.
const (
	initialUE  = "000f40480000050055000200010026001a197e004179000d0100f1100000000079653199532e04f0f0f0f0007900135000f110000000010000f110000001eeb72e36005a4001180070400100"
	downlink   = "0004403e000003000a000200010055000200010026002b2a7e00560002000021e48f1b070bde16228d74626dd42196f52010488c9d2789f18000e29dad6c75b7e27f"
	setupReply = "20150029000004000100050100616d6600600008000000f11081004100564001ff005000080000f11000000008"
)

// Every truncation of a PDU is an error with its place. Octets more are told, and
// left out.
func TestTruncated(t *testing.T) {
	for _, s := range append(byHand(t), sample{"initial", unhex(t, initialUE), ""}, sample{"setup", unhex(t, setupReply), ""}) {
		var p PDU
		for n := range len(s.pdu) {
			err := p.Walk(s.pdu[:n])
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, Truncated) || e.Offset > n {
				t.Errorf("%s, %d octets: %v", s.name, n, err)
			}
		}
		if err := p.Walk(append(bytes.Clone(s.pdu), 0, 1)); err != nil || p.Surplus() != 2 || !bytes.Equal(p.Append(nil), s.pdu) {
			t.Errorf("%s, two octets more: %v, %d", s.name, err, p.Surplus())
		}
	}
}

// Malformed PDUs give the reason and the octet.
func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want Error
	}{
		{"", Error{Truncated, 0, NoIE}},
		{"60 15 00 03 000000", Error{Alternative, 0, NoIE}},
		{"80 15 00 03 000000", Error{Alternative, 0, NoIE}},
		{"00 15 c0 03 000000", Error{Alternative, 2, NoIE}},
		{"00 15 00 04 000000", Error{Truncated, 4, NoIE}},
		{"00 15 00 02 0000", Error{Truncated, 6, NoIE}},
		{"00 15 00 04 000000 00", Error{Trailing, 7, NoIE}},
		{"00 15 00 03 000001", Error{Truncated, 7, NoIE}},
		{"00 15 00 03 000101", Error{TooMany, 5, NoIE}},
		{"00 15 00 03 00ffff", Error{TooMany, 5, NoIE}},
		{"00 15 00 08 000001 0001 c0 01 00", Error{Alternative, 9, IEAMFName}},
		{"00 15 00 08 000001 0001 00 02 00", Error{Truncated, 11, IEAMFName}},
		{"00 15 00 08 000001 0001 00 bf ff", Error{Truncated, 12, IEAMFName}},
		{"00 15 00 08 000001 0001 00 c1 00", Error{Truncated, 11, IEAMFName}},
		{"00 15 00 08 000001 0001 00 c0 00", Error{Fragments, 10, IEAMFName}},
		{"00 15 00 09 000001 0001 00 00 0000", Error{Trailing, 11, NoIE}},
	} {
		err := new(PDU).Walk(unhex(t, c.hex))
		var e *Error
		if !errors.As(err, &e) || *e != c.want {
			t.Errorf("%s: %v, want %v", c.hex, err, &c.want)
		}
	}
}

// What a later release puts behind the IE list stays, also when the list is
// changed; so do unknown procedures.
func TestAdditions(t *testing.T) {
	b := unhex(t, "00 c8 40 10 80 0002 000a 40 02 0007 270f 80 00 0102aa55")
	b[3] = byte(len(b) - 4)
	p := walk(t, b)
	if p.Name() != "Code(0xc8) initiating" || ids(p) != "10,9999" || !bytes.Equal(p.Append(nil), b) {
		t.Errorf("%s %s: %x", p.Name(), ids(p), p.Append(nil))
	}
	p.SetAMFUENGAPID(0, 1<<32)
	want := unhex(t, "00 c8 40 14 80 0002 000a 40 06 800100000000 270f 80 00 0102aa55")
	want[3] = byte(len(want) - 4)
	if got := p.Append(nil); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// A repeated IE is told, known or not.
func TestRepeated(t *testing.T) {
	for s, want := range map[string]IEID{
		"00 04 40 0f 000002 000a 40 02 0007 000a 40 02 0008":                    IEAMFUENGAPID,
		"00 04 40 13 000004 0055 40 00 270f 40 00 000a 40 00 270f 40 00":        9999,
		"00 04 40 13 000004 0055 40 00 01ff 40 00 000a 40 00 01ff 40 00":        511,
		"00 04 40 13 000004 0055 40 00 270f 40 00 000a 40 00 0055 40 00":        IERANUENGAPID,
		"00 04 40 13 000004 0055 40 00 270f 40 00 000a 40 00 2710 40 00":        NoIE,
		"00 04 40 13 000004 0040 40 00 0080 40 00 0000 40 00 00c0 40 00":        NoIE,
		"00 04 40 17 000005 0055 40 00 270f 40 00 270f 40 00 000a4000 000a4000": 9999,
	} {
		id, twice := walk(t, unhex(t, s)).Repeated()
		if id != want || twice != (want != NoIE) {
			t.Errorf("%s: %v %v, want %v", s, id, twice, want)
		}
	}
}

// A Private Message passes as it came.
func TestPrivate(t *testing.T) {
	b := unhex(t, "00 1f 40 0a 00 0000 00 0000 00 02 11e8")
	p := walk(t, b)
	p.Add(IECause, Ignore, []byte{0})
	if !p.Private() || len(p.IEs) != 0 || !bytes.Equal(p.Append(nil), b) {
		t.Errorf("%+v: %x", p, p.Append(nil))
	}
}

// IEs are set, put in, taken away; the rest stays as it came.
func TestListEdits(t *testing.T) {
	p := walk(t, unhex(t, setupReply))
	p.Replace(IEAMFName, Reject, AppendName(nil, "POOL-AMF"))
	p.Replace(IERelativeAMFCapacity, Ignore, AppendCapacity(nil, 7))
	p.Insert(p.Find(IEPLMNSupportList), IECriticalityDiagnostics, Ignore, []byte{0x00})
	p.Replace(IEUERetentionInformation, Ignore, []byte{0})
	want := unhex(t, "2015 00 38 000006 0001 00 0a 0380 504f4f4c2d414d46 0060 00 08 000000f110810041 0056 40 01 07 0013 40 01 00 0050 00 08 0000f11000000008 0093 40 01 00")
	want[3] = byte(len(want) - 4)
	if got := p.Append(nil); !bytes.Equal(got, want) || p.Size() != len(want) {
		t.Errorf("%x, want\n%x", got, want)
	}
	if !p.Remove(IEUERetentionInformation) || p.Remove(IEUERetentionInformation) || p.RemoveFunc(func(ie IE) bool { return ie.ID == IECriticalityDiagnostics }) != 1 {
		t.Error("not removed once")
	}
	want = unhex(t, "2015 00 00 000004 0001 00 0a 0380 504f4f4c2d414d46 0060 00 08 000000f110810041 0056 40 01 07 0050 00 08 0000f11000000008")
	want[3] = byte(len(want) - 4)
	if got := p.Append([]byte{1})[1:]; !bytes.Equal(got, want) {
		t.Errorf("%x, want\n%x", got, want)
	}
}

// A PDU that was walked is used again for another: nothing of the first stays.
func TestReuse(t *testing.T) {
	p := walk(t, unhex(t, downlink))
	p.SetAMFUENGAPID(0, 1<<39)
	b := unhex(t, initialUE)
	if err := p.Walk(b); err != nil || !bytes.Equal(p.Append(nil), b) || p.Find(IEAMFUENGAPID) >= 0 {
		t.Errorf("%v: %x", err, p.Append(nil))
	}
	if p.New(CodeNGSetupRequest, Unsuccessful); !bytes.Equal(p.Append(nil), unhex(t, "401500 03 000000")) {
		t.Errorf("%x", p.Append(nil))
	}
}
