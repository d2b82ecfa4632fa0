package fr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Octets by hand from Q.922 figure 2: upper six bits of the DLCI, C/R, EA 0;
// lower four, FECN, BECN, DE, EA 1.
// Facts: G1.7-07
func TestAddress(t *testing.T) {
	for dlci, want := range map[uint16]string{0: "0001", 16: "0401", 17: "0411", 100: "1841", 1007: "f8f1", 1023: "fcf1"} {
		if got := hex.EncodeToString(AppendAddress(nil, dlci)); got != want {
			t.Errorf("DLCI %d: %s, want %s", dlci, got, want)
		}
		// a congested network, and the other end's C/R, change nothing
		for _, bits := range [][2]byte{{0, 0}, {2, 0}, {0, 0x0e}, {2, 0x08}} {
			f := append(unhex(t, want), 0xaa)
			f[0] |= bits[0]
			f[1] |= bits[1]
			if got, info, err := ParseAddress(f); got != dlci || !bytes.Equal(info, []byte{0xaa}) || err != nil {
				t.Errorf("%x: DLCI %d, %x, %v", f, got, info, err)
			}
		}
	}
	for h, want := range map[string]error{"": ErrShort, "04": ErrShort, "0501aa": ErrAddress, "0400aa01": ErrAddress} {
		if _, _, err := ParseAddress(unhex(t, h)); err != want {
			t.Errorf("%s: %v, want %v", h, err, want)
		}
	}
}

// lmiGolden is by hand from Q.933 A.2 and A.3. The first is known from a line.
var lmiGolden = []struct {
	hex string
	m   Message
}{
	{"03080075 510100 53020100", Message{Type: StatusEnquiry, HasSeq: true, Send: 1}},
	{"03080075 510101 5302ff07", Message{Type: StatusEnquiry, Report: LinkIntegrity, HasSeq: true, Send: 255, Recv: 7}},
	{"0308007d 510101 53020201", Message{Type: Status, Report: LinkIntegrity, HasSeq: true, Send: 2, Recv: 1}},
	{"0308007d 510100 53020101 5703018088 5703018882", Message{Type: Status, HasSeq: true, Send: 1, Recv: 1,
		PVCs: []PVC{{DLCI: 16, New: true}, {DLCI: 17, Active: true}}}},
	{"0308007d 510100 53020101 57033ef882", Message{Type: Status, HasSeq: true, Send: 1, Recv: 1, PVCs: []PVC{{DLCI: 1007, Active: true}}}},
	{"0308007d 510102 570306a084", Message{Type: Status, Report: SinglePVC, PVCs: []PVC{{DLCI: 100, Delete: true}}}},
}

func TestLMIMessages(t *testing.T) {
	for _, g := range lmiGolden {
		b := unhex(t, g.hex)
		m, err := Parse(b)
		if err != nil || !reflect.DeepEqual(m, g.m) {
			t.Errorf("%s: %+v, %v; want %+v", g.hex, m, err, g.m)
		}
		if got := g.m.Append(nil); !bytes.Equal(got, b) {
			t.Errorf("%+v: %x, want %x", g.m, got, b)
		}
		for n := range headerLen {
			if _, err := Parse(b[:n]); err == nil {
				t.Errorf("%x: taken", b[:n])
			}
		}
	}
}

func TestLMIRefused(t *testing.T) {
	for h, want := range map[string]error{
		"": ErrNotLMI, "030800": ErrNotLMI, "13080075510100": ErrNotLMI, "03090075510100": ErrNotLMI,
		"03080175510100": ErrNotLMI, "03080005510100": ErrNotLMI,
		"0308007595010100030201 00": ErrAnnexD, // ANSI T1.617 Annex D, known from a line
		"03080075":                  ErrMissing, "0308007553020100": ErrMissing,
		"030800755101": ErrElement, "03080075510100 5302": ErrElement, "03080075 5100": ErrElement,
		"03080075510100 530101": ErrElement, "0308007d510100 57020180": ErrElement, "0308007d510100 570381808a": ErrElement,
		"03080075510100 51": ErrElement,
	} {
		if m, err := Parse(unhex(t, h)); !errors.Is(err, want) {
			t.Errorf("%s: %+v, %v; want %v", h, m, err, want)
		}
	}
	// what is not known is passed over: a single octet, an element, a longer DLCI
	m, err := Parse(unhex(t, "0308007d 510100 a0 7e0411223344 53020101 570401000182 5703018082"))
	want := Message{Type: Status, HasSeq: true, Send: 1, Recv: 1, PVCs: []PVC{{DLCI: 16, Active: true}}}
	if err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("%+v, %v; want %+v", m, err, want)
	}
}

// Octets by hand from RFC 2784 figure 1 and RFC 2890 figure 1.
func TestGRE(t *testing.T) {
	if got := hex.EncodeToString(AppendGRE(nil, GREFrameRelay)); got != "00006559" {
		t.Error(got)
	}
	for h, payload := range map[string]string{
		"00006559 0401 0a":                     "04010a",
		"20006559 00000007 0401":               "0401",
		"30006559 00000007 00000001 0401":      "0401",
		"80006559 16a5 0000 0401":              "0401",
		"b0006559 ea9d 0000 00000007 00000001": "",
	} {
		proto, p, err := ParseGRE(unhex(t, h))
		if err != nil || proto != GREFrameRelay || hex.EncodeToString(p) != payload {
			t.Errorf("%s: %04x %x %v", h, proto, p, err)
		}
	}
	for _, h := range []string{"", "000065", "40006559 0401", "00016559 0401", "20006559 000000", "80006559 12340000 0401"} {
		if _, _, err := ParseGRE(unhex(t, h)); err != ErrGRE {
			t.Errorf("%s: %v", h, err)
		}
	}
}

const (
	keepalive4 = "45000018 00004000 ff2f0000 0a000001 0a000002 00000000"
	keepalive6 = "60000000 00042f40 fd000000000000000000000000000001 fd000000000000000000000000000002 00000000"
)

// A keepalive is a packet from us to the peer in a packet from the peer to us:
// we send it on its way.
func TestGREKeepalive(t *testing.T) {
	us4, peer4 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	us6, peer6 := netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::2")
	other := netip.MustParseAddr("10.0.0.3")
	for _, tc := range []struct {
		proto    uint16
		hex      string
		src, dst netip.Addr
		want     string
		err      error
	}{
		{0x0800, keepalive4, peer4, us4, "00000000", nil},
		{0x0800, keepalive4 + "ffff", peer4, us4, "00000000", nil}, // padded by Ethernet
		{0x86dd, keepalive6, peer6, us6, "00000000", nil},
		{0x86dd, keepalive6, peer6, netip.Addr{}, "00000000", nil},
		{0x0800, keepalive4, other, us4, "", ErrKeepalive}, // would have us send to a third party
		{0x0800, keepalive4, peer4, other, "", ErrKeepalive},
		{0x86dd, keepalive6, us6, us6, "", ErrKeepalive},
		{0x0800, strings.Replace(keepalive4, "ff2f", "ff11", 1), peer4, us4, "", ErrKeepalive},
		{0x0800, keepalive4[:len(keepalive4)-4] + "6559", peer4, us4, "", ErrKeepalive},
		{0x0800, keepalive4[:len(keepalive4)-4], peer4, us4, "", ErrIP},
		{0x0800, keepalive6, peer4, us4, "", ErrIP},
		{0x86dd, keepalive4, peer6, us6, "", ErrIP},
		{0x0800, "4f" + keepalive4[2:], peer4, us4, "", ErrIP},
	} {
		got, err := Keepalive(tc.proto, unhex(t, tc.hex), tc.src, tc.dst)
		if hex.EncodeToString(got) != tc.want || err != tc.err {
			t.Errorf("%04x %s from %s to %s: %x, %v", tc.proto, tc.hex, tc.src, tc.dst, got, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, g := range lmiGolden {
		f.Add(append([]byte{0, 1}, unhex(f, g.hex)...))
	}
	f.Add(unhex(f, "00010308007d5101005302010157030180885703018882"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, info, err := ParseAddress(b)
		if err != nil {
			return
		}
		m, err := Parse(info)
		if err != nil {
			return
		}
		again, err := Parse(m.Append(nil))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v became %+v, %v", m, again, err)
		}
	})
}

func FuzzGRE(f *testing.F) {
	for _, h := range []string{"0000655904010a", "00000800" + keepalive4, "000086dd" + keepalive6, "b0006559e690000000000007000000010401"} {
		f.Add(unhex(f, h))
	}
	us4, peer4 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	f.Fuzz(func(t *testing.T, b []byte) {
		proto, p, err := ParseGRE(b)
		if err != nil {
			return
		}
		if len(p) > len(b)-GREHeaderLen {
			t.Fatal("payload longer than the packet")
		}
		if IsKeepalive(proto) {
			if a, err := Keepalive(proto, p, peer4, us4); err == nil && len(a) > len(p) {
				t.Fatal("answer longer than the question")
			}
		}
	})
}
