package pcusock

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// octets makes a message of MessageSize from what stands at some offsets, the
// header included.
type octets map[int]string

func (o octets) make(t testing.TB) []byte {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the octets here are those of a little-endian machine")
	}
	b := make([]byte, MessageSize)
	for at, s := range o {
		v, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		copy(b[at:], v)
	}
	return b
}

// goldens are written by hand, member by member with their offsets, and agree
// with what osmo-pcu 1.1.0 reads (a test of cmd/poolgw has it log that) and with
// the lengths that it asks for.
var goldens = []struct {
	octets octets
	body   body
}{
	{octets{0: "7000", 4: "00", 5: "312e312e30"}, &Text{Type: TextVersion, Text: "1.1.0"}},
	{octets{0: "7000", 4: "01", 5: "4f6f7073"}, &Text{Type: TextAlert, Text: "Oops"}},
	{octets{0: "4000", 4: "010207"}, &Activation{On: true, TRX: 2, Slot: 7}},
	{octets{0: "4000", 4: "000006"}, &Activation{Slot: 6}},
	{octets{0: "5200", 4: "ff6f2900"}, &Time{Frame: 2715647}},
	{octets{0: "1000", 4: "05", 8: "68000000", 12: "6703", 14: "010600"}, &Ready{SAPI: SAPIPDTCH, Frame: 104, ARFCN: 871, TRX: 1, Slot: 6}},
	{octets{0: "0000", 4: "0503", 6: "470094", 168: "99050000", 172: "6703", 174: "01060b"},
		&Block{SAPI: SAPIPDTCH, Data: []byte{0x47, 0, 0x94}, Frame: 1433, ARFCN: 871, TRX: 1, Slot: 6, Block: 11}},
	{octets{0: "3200",
		4: "0a000000", 8: "01000300",
		12: "6703", 14: "c0", 16: "78563412", 20 + 6*13: "05", 20 + 7*13: "030102030a0000000000000201",
		12 + 112: "0100", 14 + 112: "80", 20 + 112 + 7*13: "07",
		12 + 7*112: "0004",
		908:        "07", 909: "0601", 911: "2a00", 913: "01", 914: "4f33", 916: "0100",
		918: "d107", 920: "01020304050607", 927: "0b0c0d0e0f101112131415",
		938: "3b75", 940: "3200", 942: "03", 943: "2b4e", 945: "010203040509060708",
		954: "fa00", 956: "fb00", 958: "02", 959: "01",
		960: "0807", 962: "0907", 964: "e059", 966: "e159", 968: "d859", 970: "d959",
		972: "04", 973: "29", 974: "7f010203", 990: "20010db8000000000000000000000017"},
		&Info{Version: 10, Flags: FlagActive | FlagCS1 | FlagCS2,
			TRX: [maxTRX]TRX{
				0: {ARFCN: 871, PDCHs: 0xc0, Layer: 0x12345678, Slots: [maxSlots]Slot{6: {TSC: 5},
					7: {TSC: 3, Hopping: true, HSN: 2, MAIO: 3, MABits: 10, MA: [8]byte{6: 2, 7: 1}}}},
				1: {ARFCN: 1, PDCHs: 0x80, Slots: [maxSlots]Slot{7: {TSC: 7}}},
				7: {ARFCN: 1024}},
			BSIC: 7, MCC: 262, MNC: 42, MNC3: true, LAC: 13135, RAC: 1,
			NSEI: 2001, NSETimers: [7]uint8{1, 2, 3, 4, 5, 6, 7}, CellTimers: [11]uint8{11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21},
			CellID: 30011, RepeatTime: 50, RepeatCount: 3, BVCI: 20011,
			RLC:      RLC{T3142: 1, T3169: 2, T3191: 3, T3193: 4, T3195: 5, N3101: 9, N3103: 6, N3105: 7, CountdownValue: 8},
			DLTBFExt: 250, ULTBFExt: 251, InitialCS: 2, InitialMCS: 1,
			NSVCs: [maxNSVCs]NSVC{
				{NSVCI: 1800, LocalPort: 23008, Remote: netip.MustParseAddrPort("127.1.2.3:23000")},
				{NSVCI: 1801, LocalPort: 23009, Remote: netip.MustParseAddrPort("[2001:db8::17]:23001")}}}},
}

// fresh returns a zero value of a message's struct.
func fresh(t MsgType) body {
	switch t {
	case MsgTextInd:
		return new(Text)
	case MsgActReq:
		return new(Activation)
	case MsgTimeInd:
		return new(Time)
	case MsgRTSReq:
		return new(Ready)
	case MsgDataReq:
		return new(Block)
	case MsgInfoInd:
		return new(Info)
	}
	return nil
}

var equal = cmp.Options{cmpopts.EquateComparable(netip.AddrPort{}), cmpopts.EquateEmpty()}

func TestGolden(t *testing.T) {
	seen := map[MsgType]bool{}
	for _, g := range goldens {
		want := g.octets.make(t)
		typ := g.body.msgType()
		m, err := Parse(want)
		if err != nil || m.Type != typ || m.BTS != 0 {
			t.Fatalf("%v: %+v, %v", typ, m, err)
		}
		got := fresh(typ)
		if err := m.Decode(got); err != nil {
			t.Fatalf("%v: %v", typ, err)
		}
		if d := cmp.Diff(g.body, got, equal); d != "" {
			t.Errorf("%v decoded (-want +got)\n%s", typ, d)
		}
		if b := Encode(0, g.body); !bytes.Equal(b, want) {
			t.Errorf("%v encoded as\n%x, want\n%x", typ, b, want)
		}
		seen[typ] = true
	}
	for typ := range bodySizes {
		if !seen[typ] {
			t.Errorf("no golden octets of %v", typ)
		}
	}
}

// What osmo-pcu 1.1.0 asks for, header included: it logs the length when a
// message is shorter.
func TestSizes(t *testing.T) {
	for typ, want := range map[MsgType]int{MsgDataReq: 184, MsgRTSReq: 17, MsgInfoInd: 1006, MsgTimeInd: 8} {
		if got := headerSize + bodySizes[typ]; got != want {
			t.Errorf("%v has %d octets, want %d", typ, got, want)
		}
	}
	if MessageSize != 1006 {
		t.Errorf("a message has %d octets", MessageSize)
	}
}

// A message is refused at every length below its own, and taken without
// padding.
func TestTruncation(t *testing.T) {
	for _, g := range goldens {
		typ := g.body.msgType()
		b := g.octets.make(t)
		full := headerSize + bodySizes[typ]
		for n := range full + 1 {
			m, err := Parse(b[:n:n])
			if err == nil {
				err = m.Decode(fresh(typ))
			}
			if short := n < full; short != errors.Is(err, ErrShort) {
				t.Fatalf("%v of %d octets: %v", typ, n, err)
			}
		}
	}
	if err := (Message{Type: MsgTimeInd, Body: make([]byte, 2000)}).Decode(new(Info)); err == nil {
		t.Error("a TIME_IND passed for an INFO_IND")
	}
}

// Lengths inside a message that exceed their field.
func TestBounds(t *testing.T) {
	b := octets{0: "0000", 4: "05ff"}.make(t)
	m, _ := Parse(b)
	var d Block
	if err := m.Decode(&d); err != nil || len(d.Data) != maxBlock {
		t.Errorf("%d octets of data, %v", len(d.Data), err)
	}
	b = octets{0: "7000"}.make(t)
	for i := range maxText {
		b[5+i] = 'x'
	}
	m, _ = Parse(b)
	var txt Text
	if err := m.Decode(&txt); err != nil || len(txt.Text) != maxText-1 {
		t.Errorf("text of %d octets, %v", len(txt.Text), err)
	}
	if b := Encode(0, &Text{Text: txt.Text + "xx"}); b[5+maxText-1] != 0 {
		t.Error("a text without end")
	}
	if b := Encode(0, &Block{Data: make([]byte, 300)}); b[5] != maxBlock {
		t.Errorf("a block of %d octets", b[5])
	}
}

func TestNames(t *testing.T) {
	for typ, want := range map[MsgType]string{MsgInfoInd: "INFO_IND", MsgDataReq: "DATA_REQ", 0x99: "MsgType(0x99)"} {
		if typ.String() != want {
			t.Errorf("%v, want %s", typ, want)
		}
	}
}

// FuzzDecode: what was decoded stays the same when encoded and decoded again.
func FuzzDecode(f *testing.F) {
	for _, g := range goldens {
		f.Add(g.octets.make(f))
	}
	f.Add([]byte{0x32, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		v := fresh(m.Type)
		if v == nil || m.Decode(v) != nil {
			return
		}
		m, _ = Parse(Encode(m.BTS, v))
		again := fresh(m.Type)
		if err := m.Decode(again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, again, equal); d != "" {
			t.Errorf("%x: (-first +again)\n%s", b, d)
		}
	})
}
