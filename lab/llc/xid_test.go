package llc_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"poolgw/bssgp"
	. "poolgw/lab/llc"
	"poolgw/lab/tshark"
)

// The first one was sent by osmo-sgsn 1.9.0 after it had refused an update; the
// others are by hand.
var xids = []struct {
	hex string // without FCS, but for the first
	xid XID
	tsh string
}{
	{"41fb8410ba79f89230", XID{SAPI: SAPIGMM, FromSGSN: true, Final: true,
		Params: []XIDParam{{XIDIOVUI, []byte{0xba, 0x79, 0xf8, 0x92}}, {XIDReset, []byte{}}}}, "Type: Reset"},
	{"41fb", XID{SAPI: SAPIGMM, Response: true, Final: true}, "frame: XID"},
	{"05eb0102", XID{SAPI: SAPILL5, Params: []XIDParam{{XIDVersion, []byte{2}}}}, "Value: 2"},
	{"43eb8100" + strings.Repeat("07", 64), XID{SAPI: SAPILL3, FromSGSN: true,
		Params: []XIDParam{{XIDVersion, bytes.Repeat([]byte{7}, 64)}}}, "frame: XID"},
}

func TestXID(t *testing.T) {
	var pdus [][]byte
	for i, x := range xids {
		want := unhex(t, x.hex)
		fcs := FCS(want)
		want = append(want, fcs[:]...)
		if i == 0 && !bytes.Equal(fcs[:], []byte{0xfc, 0xc5, 0xaf}) {
			t.Errorf("FCS %x", fcs)
		}
		if got := x.xid.Append(nil); !bytes.Equal(got, want) {
			t.Errorf("%+v:\n got %x\nwant %x", x.xid, got, want)
		}
		got, err := ParseXID(want, x.xid.FromSGSN)
		if err != nil || !reflect.DeepEqual(got, x.xid) {
			t.Errorf("%s: %+v %v", x.hex, got, err)
		}
		if _, err := Parse(want); !errors.Is(err, ErrNotUI) {
			t.Errorf("%s as a UI frame: %v", x.hex, err)
		}
		pdu := (&bssgp.DLUnitdata{TLLI: 0xc0000001, Lifetime: 600, LLC: want}).Append(nil)
		pdus = append(pdus, tshark.UnitData(1000, pdu))
	}
	text := tshark.Details(t, pdus, "llcgprs")
	if n := strings.Count(text, "(correct)"); n != len(xids) {
		t.Errorf("tshark finds %d frames right", n)
	}
	for _, x := range xids {
		if !strings.Contains(text, x.tsh) {
			t.Errorf("%s: tshark reads no %q:\n%s", x.hex, x.tsh, text)
		}
	}
}

// with appends the FCS.
func with(t *testing.T, hex string) []byte {
	b := unhex(t, hex)
	fcs := FCS(b)
	return append(b, fcs[:]...)
}

func TestXIDRefuses(t *testing.T) {
	damaged := with(t, "41fb30")
	damaged[2] ^= 1
	for _, tt := range []struct {
		frame []byte
		want  error
	}{
		{nil, ErrShort}, {with(t, "41")[:4], ErrShort},
		{damaged, ErrFCS},
		{with(t, "41c00108"), ErrNotXID}, {with(t, "c1fb30"), ErrNotXID}, {with(t, "41ef30"), ErrNotXID},
		{with(t, "41fb31"), ErrShort}, {with(t, "41fb84"), ErrShort}, {with(t, "41fb8410ba79f8"), ErrShort},
		{with(t, "41fb"+strings.Repeat("30", 33)), ErrXID},
	} {
		if x, err := ParseXID(tt.frame, true); !errors.Is(err, tt.want) {
			t.Errorf("%x: %+v %v, want %v", tt.frame, x, err, tt.want)
		}
	}
}

func FuzzParseXID(f *testing.F) {
	for _, x := range xids {
		f.Add(x.xid.Append(nil), x.xid.FromSGSN)
	}
	f.Fuzz(func(t *testing.T, b []byte, fromSGSN bool) {
		if n := len(b); n > 3 { // a chance for what the FCS would hide
			fcs := FCS(b[:n-3])
			copy(b[n-3:], fcs[:])
		}
		x, err := ParseXID(b, fromSGSN)
		if err != nil {
			return
		}
		for _, p := range x.Params {
			if len(p.Value) > 255 {
				t.Fatalf("a value of %d octets", len(p.Value))
			}
		}
		if again, err := ParseXID(x.Append(nil), fromSGSN); err != nil || !reflect.DeepEqual(again, x) {
			t.Fatalf("%+v became %+v: %v", x, again, err)
		}
	})
}
