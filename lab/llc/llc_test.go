package llc_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"poolgw/bssgp"
	. "poolgw/lab/llc"
	"poolgw/lab/tshark"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Frames that were captured between real MSs and SGSNs.
var captured = []struct {
	hex string
	ui  UI
}{
	{"41c001081501ff6cba", UI{SAPI: SAPIGMM, FromSGSN: true, Protected: true, Info: []byte{0x08, 0x15, 0x01}}},
	{"01c001080102f5e021080205f4fbc5467911223340506019" + "18b3432b2596620060809ac2c662006080bac8c66200608000" + "166d01",
		UI{SAPI: SAPIGMM, Protected: true, Info: mustHex("080102f5e021080205f4fbc5467911223340506019" +
			"18b3432b2596620060809ac2c662006080bac8c66200608000")}},
	{"01c0150808101122334050601d19134233572bf7c8480213485" + "0c848021448" + "50c84802174910c848020019" +
		"8bb292171627070431" + "02e5e032022000963e97",
		UI{SAPI: SAPIGMM, NU: 5, Protected: true, Info: mustHex("0808101122334050601d19134233572bf7c8480213485" +
			"0c848021448" + "50c84802174910c848020019" + "8bb292171627070431" + "02e5e032022000")}},
}

func mustHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestCaptured(t *testing.T) {
	for _, c := range captured {
		b := unhex(t, c.hex)
		u, err := Parse(b)
		if err != nil || !reflect.DeepEqual(u, c.ui) {
			t.Errorf("%s: %+v %v", c.hex, u, err)
		}
		if got := c.ui.Append(nil); !bytes.Equal(got, b) {
			t.Errorf("%+v:\n got %x\nwant %x", c.ui, got, b)
		}
	}
}

// Any octet that is changed or cut off in a protected frame is found.
func TestFCSFindsErrors(t *testing.T) {
	for _, c := range captured {
		b := unhex(t, c.hex)
		for i := range b {
			for bit := range 8 {
				bad := bytes.Clone(b)
				bad[i] ^= 1 << bit
				if i == 2 && bit == 0 {
					continue // the PM bit itself
				}
				if _, err := Parse(bad); err == nil {
					t.Errorf("%s: bit %d of octet %d", c.hex, bit, i)
				}
			}
			if _, err := Parse(b[:i]); err == nil {
				t.Errorf("%s: %d octets", c.hex, i)
			}
		}
	}
}

// An unprotected frame's FCS covers header and four octets (8.9.3).
func TestUnprotected(t *testing.T) {
	u := UI{SAPI: SAPILL3, NU: MaxNU, Info: []byte("0123456789")}
	b := u.Append(nil)
	if !bytes.Equal(b[:3], []byte{0x03, 0xc7, 0xfc}) {
		t.Errorf("header %x", b[:3])
	}
	b[7]++ // the fifth octet of information
	if _, err := Parse(b); err != nil {
		t.Errorf("an error that is not covered: %v", err)
	}
	b[6]++
	if _, err := Parse(b); !errors.Is(err, ErrFCS) {
		t.Errorf("an error that is covered: %v", err)
	}
}

func TestRefuses(t *testing.T) {
	for s, want := range map[string]error{
		"":                   ErrShort,
		"41c001ff6c":         ErrShort,
		"c1c001081501ff6cba": ErrNotUI, // PD bit
		"41e001081501ff6cba": ErrNotUI, // U format
		"410001081501ff6cba": ErrNotUI, // I format
		"41c001081501ff6cbb": ErrFCS,
	} {
		if _, err := Parse(unhex(t, s)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", s, err, want)
		}
	}
}

// tshark reads the headers, and the same FCS of protected frames.
func TestTshark(t *testing.T) {
	frames := []UI{
		{SAPI: SAPIGMM, Protected: true, NU: 300, Info: []byte{0x08, 0x15, 0x01}},
		{SAPI: SAPIGMM, Protected: true, FromSGSN: true, Info: []byte{0x08, 0x15, 0x01}},
		{SAPI: SAPILL3, NU: 7, Info: append([]byte{0x45, 0, 0, 40, 0, 0, 0, 0, 1, 99}, make([]byte, 30)...)},
	}
	pdus := make([][]byte, len(frames))
	for i, u := range frames {
		pdus[i] = tshark.UnitData(1000, bssgp.AppendULUnitdata(nil, 1, bssgp.QoS{}, bssgp.CellID{}, u.Append(nil)))
	}
	fields := []string{"llcgprs.sapi", "llcgprs.cr", "llcgprs.nu", "llcgprs.pm"}
	got := tshark.Dissect(t, pdus, fields...)
	for i, want := range []string{"1 0 300 1", "1 1 0 1", "3 0 7 0"} {
		var read []string
		for _, name := range fields {
			read = append(read, got[i].Field(name))
		}
		if s := strings.Join(read, " "); s != want {
			t.Errorf("frame %d: tshark reads %q, want %q", i, s, want)
		}
	}
	wrong := bytes.Clone(pdus[0])
	wrong[len(wrong)-4] ^= 1
	text := tshark.Details(t, append(pdus, wrong), "llcgprs")
	if right, bad := strings.Count(text, "(correct)"), strings.Count(text, "(incorrect"); right != 3 || bad != 1 {
		t.Errorf("tshark finds %d right and %d wrong FCSs, want 3 and 1:\n%s", right, bad, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range captured {
		f.Add(unhex(f, c.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := Parse(b)
		if err != nil {
			return
		}
		v, err := Parse(u.Append(nil))
		if err != nil || !reflect.DeepEqual(u, v) {
			t.Fatalf("%+v became %+v: %v", u, v, err)
		}
	})
}
